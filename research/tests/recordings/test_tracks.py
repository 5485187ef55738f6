from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.base.errors import BadTimeline
from fieldcraft.formats.recordings import Timeline
from research.recordings.tracks import read_pedestrians, read_tracks
from support import realdata

SAID = "# framerate: 10 fps\n# id frame x/cm y/cm z/cm\n"


def folder(tmp_path: Path, **files: str) -> Path:
    nest = tmp_path / "nest"
    nest.mkdir(exist_ok=True)
    for name, text in files.items():
        (nest / f"{name}.txt").write_text(text)
    return nest


def people(tmp_path: Path, text: str, **options: object) -> Timeline:
    path = tmp_path / "people.txt"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return read_pedestrians(path, **options)


def there(timeline: Timeline, seconds: float) -> dict[str, tuple[float, ...]]:
    found = timeline.at(seconds)
    return {
        timeline.ids[key]: tuple(place)
        for key, place in zip(found.keys.tolist(), found.positions.tolist(), strict=True)
    }


def test_a_folder_of_tracks_is_an_individual_for_each_file(tmp_path):
    nest = folder(
        tmp_path, ant2="5 1 2\n", ant1="# seconds x y\n 1.0   3 4\n2.0\t3.5 4\n\n4.5 4 4\n"
    )
    (nest / "notes.md").write_text("no track")
    timeline = read_tracks(nest, group="ants")
    assert timeline.ids == ("ant1", "ant2")
    assert timeline.groups == ("ants",)
    assert [there(timeline, moment) for moment in (0.5, 1, 2.2, 4.5)] == [
        {},
        {"ant1": (3, 4)},
        {"ant1": (3.5, 4)},
        {"ant1": (4, 4)},
    ]
    # One usual step, 1.75 s, after its last sample it is gone; one with a single sample after a
    # second.
    assert [sorted(there(timeline, moment)) for moment in (5.9, 6.1, 6.3)] == [
        ["ant1", "ant2"],
        ["ant1"],
        [],
    ]


def test_rows_out_of_order_are_sorted(tmp_path):
    one = read_tracks(folder(tmp_path, a="1 0 0\n3 2 2\n2 1 1\n") / "a.txt")
    assert one.seconds.tolist() == [1, 2, 3, 4]
    assert one.positions[:3].tolist() == [[0, 0], [1, 1], [2, 2]]


def test_pedestrians_come_in_metres_from_the_first_frame_on(tmp_path):
    text = SAID + "1 7 100 -50 170\n1 8 110 -50 170\n2 8 0 0 170\n1 9 120 -50 170\n1 12 200 0 170\n"
    timeline = people(tmp_path, text)
    assert there(timeline, 0) == {"1": (1, -0.5)}
    assert there(timeline, 0.1) == {"1": (1.1, -0.5), "2": (0, 0)}
    assert there(timeline, 0.2) == {"1": (1.2, -0.5)}
    assert there(timeline, 0.35) == {}
    assert there(timeline, 0.5) == {"1": (2, 0)}
    assert there(timeline, 0.6) == {}


@pytest.mark.parametrize("text", ["1 2\n", "1 x 3\n", "1 0 1 1\n", "# framerate: 5 fps\n1 0 1 1\n"])
def test_other_files_are_refused(tmp_path, text):
    with pytest.raises(BadTimeline):
        people(tmp_path, text)


def test_the_recorded_ants_are_as_many_as_their_files_say():
    ants = read_tracks(realdata.folder("trajectories") / "ants")
    assert len(ants.ids) == 28
    assert len(ants) == 71_643 + 28
    assert (np.diff(ants.seconds) >= 0).all()
    assert ants.duration == pytest.approx(5579.6, abs=0.1)
    assert len(ants.at(60)) > 20


@pytest.mark.parametrize(
    ("name", "options", "count", "area"),
    [
        ("bi_corr_400_b_03.txt", {}, 480, (-6.5, -1.5, 5.5, 6.5)),
        ("bottleneck_040_c_56_h-.txt", {}, 75, (-3.5, -2, 3.5, 8)),
        ("uo-100-180-180.txt", {"frames_per_second": 16, "unit": "cm"}, 121, (-1, -6.5, 2.8, 8)),
    ],
)
def test_the_recorded_people_are_where_they_were_recorded(name, options, count, area):
    timeline = read_pedestrians(realdata.folder("trajectories") / "pedestrians" / name, **options)
    places = timeline.positions[~np.isnan(timeline.positions[:, 0])]
    assert len(timeline.ids) == count
    assert ((places >= area[:2]) & (places <= area[2:])).all()
