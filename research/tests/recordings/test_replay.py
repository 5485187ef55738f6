from __future__ import annotations

import csv
from pathlib import Path

import pytest

from fieldcraft.base.errors import BadTimeline
from research.recordings.replay import write_replay_table
from support import realdata

pytest.importorskip("sc2reader")
REPLAYS = realdata.files("sc2/replays", "*.SC2Replay")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("replay", REPLAYS, ids=lambda path: path.stem)
def test_a_replay_gives_its_event_table(replay, tmp_path):
    written = tmp_path / "events.csv"
    count = write_replay_table(replay, written)
    known = replay.parents[1] / "events" / f"{replay.stem}.csv"
    with written.open() as one, known.open() as other:
        ours, theirs = list(csv.reader(one)), list(csv.reader(other))
    assert count == len(ours) - 1
    assert ours == theirs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("content", [b"", b"MPQ\x1b" + bytes(200), b"game_loop,event\n"])
def test_what_is_no_replay_is_refused(content, tmp_path):
    file = tmp_path / "x.SC2Replay"
    file.write_bytes(content)
    with pytest.raises(BadTimeline, match="replay"):
        write_replay_table(file, tmp_path / "out.csv")
    with pytest.raises(BadTimeline, match="replay"):
        write_replay_table(Path(tmp_path / "none.SC2Replay"), tmp_path / "out.csv")
