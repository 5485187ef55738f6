from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldcraft.errors import BadTimeline, FieldcraftError, InvalidValue
from fieldcraft.recordings.football import pitch, read_football
from fieldcraft.recordings.timeline import Timeline
from support import realdata

WIDE = "frame,ball_x,ball_y,ball_z,home_1_x,home_1_y,away_7_x,away_7_y\n"
LONG = "player,frame,x,y,z,team\n"


def read(tmp_path: Path, text: str, **options: object) -> Timeline:
    path = tmp_path / "track.csv"
    path.write_text(text)
    return read_football(path, **options)


def players(
    timeline: Timeline, seconds: float, group: str | None = None
) -> dict[str, tuple[float, float]]:
    living = timeline.at(seconds, group)
    return {
        timeline.ids[k]: tuple(p)
        for k, p in zip(living.keys, living.positions.tolist(), strict=True)
    }


def test_a_wide_table_gives_a_group_per_team(tmp_path):
    text = WIDE + "11,0,0,0,-5,6,7,8\n12,0,0,0,-6,6,7,9\n"
    timeline = read(tmp_path, text)
    assert set(timeline.groups) == {"home", "away"}
    assert players(timeline, 0) == {"home 1": (-5, 6), "away 7": (7, 8)}
    assert players(timeline, 0.04, "home") == {"home 1": (-6, 6)}
    assert players(read(tmp_path, text, ball=True), 0, "ball") == {"ball": (0, 0)}
    assert read(tmp_path, text, frames_per_second=10).duration == pytest.approx(0.1)


def test_a_player_without_a_position_is_off_the_pitch(tmp_path):
    timeline = read(
        tmp_path, WIDE + "1,0,0,0,-5,6,7,8\n2,0,0,0,,,7,9\n3,0,0,0,,,7,9\n4,0,0,0,1,1,7,9\n"
    )
    assert [len(players(timeline, frame / 25, "home")) for frame in range(4)] == [1, 0, 0, 1]


def test_a_long_table_becomes_metres_from_the_centre_spot(tmp_path):
    text = LONG + "0,5,50,50,0,\n12,5,0,0,,attack\n12,6,100,100,,attack\n9,5,50,25,,defense\n"
    timeline = read(tmp_path, text, ball=True)
    assert players(timeline, 0) == {"0": (0, 0), "12": (-52.5, -34), "9": (0, -17)}
    assert players(timeline, 0.05, "attack") == {"12": (52.5, 34)}
    assert players(timeline, 0.05, "defense") == {}
    assert players(read(tmp_path, text, metres=None), 0, "defense") == {"9": (50, 25)}


def test_keep_every_nth_frame(tmp_path):
    frames = "".join(f"{frame},0,0,0,{frame},0,0,0\n" for frame in range(1, 12))
    timeline = read(tmp_path, WIDE + frames, keep_every=5)
    assert sorted(set(timeline.seconds.tolist())) == pytest.approx([0, 0.2, 0.4])
    assert players(timeline, 0.3, "home") == {"home 1": (6, 0)}
    gaps = "".join(f"12,{frame},{frame},0,,attack\n" for frame in (0, 2, 4, 8, 10))
    kept = read(tmp_path, LONG + gaps, keep_every=2, metres=None)
    assert [len(players(kept, frame / 20)) for frame in (4, 5, 6, 7, 8)] == [1, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "wide"),
        ("frame,home_1_x,away_1_x,away_1_y\n", "no home_1_y"),
        (WIDE + "1,0,0,0,-5,,7,8\n", "home_1_y is a finite number"),
        (WIDE + "2,0,0,0,-5,1,7,8\n2,0,0,0,-5,1,7,8\n", "Sort the table"),
        (WIDE + "x,0,0,0,-5,1,7,8\n", "frame is a whole number"),
        (WIDE + "1,0,0,0,-5\n", "as many cells"),
        (LONG + "1,0,,5,,attack\n", "x is a finite number"),
        (LONG + "1,0,1,5,,attack\n1,999999999999999999,1,5,,attack\n", "seconds lie in"),
    ],
)
def test_malformed_tables_are_refused(tmp_path, text, says):
    with pytest.raises(BadTimeline, match=says) as caught:
        read(tmp_path, text)
    assert "in line " in str(caught.value)


def test_bad_arguments(tmp_path):
    for options in (
        {"keep_every": 0},
        {"frames_per_second": -1},
        {"metres": (1, 2, 3)},
        {"metres": (0, 2)},
    ):
        with pytest.raises(InvalidValue):
            read(tmp_path, WIDE, **options)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from([WIDE, LONG]),
    st.lists(
        st.lists(
            st.sampled_from(["", "0", "1", "7", "nan", "z", "1e18"]), min_size=5, max_size=9
        ).map(",".join),
        max_size=6,
    ),
)
def test_any_rows_give_a_timeline_or_a_fieldcraft_error(tmp_path, header, rows):
    try:
        read(tmp_path, header + "\n".join(rows), ball=True)
    except FieldcraftError as error:
        assert str(error)


def test_a_pitch_covers_the_lines_and_the_margin_around_the_centre_spot():
    grid = pitch(105, 68, margin=3, cell_size=2)
    assert (grid.width, grid.height) == (56, 37)
    corners = np.array([(-55.4, -36.9), (55.4, 36.9)])
    assert set(grid.cell_at(corners).tolist()) == {36 * 56, 55}
    assert pitch(center=(52.5, 34)).origin == (-5, -5)


def test_recorded_minutes_stay_on_the_pitch_and_its_margin():
    folder = realdata.folder("trajectories") / "football"
    match = read_football(folder / "anon_match_25hz_frames1-6000.csv", keep_every=5)
    assert set(match.groups) == {"home", "away"}
    assert len(match.at(100, "home")) == len(match.at(100, "away")) == 11
    assert match.duration == pytest.approx(239.8)
    pitch().cell_at(match.positions)
    goal = read_football(folder / "goal_play_a_20hz.csv", ball=True)
    assert set(goal.groups) == {"attack", "defense", "ball"}
    assert np.abs(goal.positions[~np.isnan(goal.positions[:, 0])]).max() < 55
