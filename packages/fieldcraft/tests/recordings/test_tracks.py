from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldcraft.errors import BadTimeline, FieldcraftError, InvalidValue
from fieldcraft.recordings.timeline import Timeline
from fieldcraft.recordings.tracks import read_pedestrians, read_tracks
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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 2\n", "A row has 3 numbers: seconds, x, y"),
        ("1 2 3 4 5\n", "A row has 3 numbers"),
        ("1 2 3\n2 3\n", "as many cells as the first, 3"),
        ("1 x 3\n", "x is a finite number"),
        ("1 2 nan\n", "y is a finite number"),
        ("-1 2 3\n", "seconds lie in"),
        ("1 2 1e300\n", "y lies within"),
        ("1,2,3\n", "A row has 3 numbers"),
    ],
)
def test_malformed_tracks_are_refused_with_their_line(tmp_path, text, says):
    nest = folder(tmp_path, good="1 2 3\n", ill=text)
    with pytest.raises(BadTimeline, match=says) as caught:
        read_tracks(nest)
    assert "in line " in str(caught.value)
    assert "ill.txt" in str(caught.value)


def test_folders_and_files_without_tracks_are_refused(tmp_path):
    for path, says in (
        (tmp_path, "none in"),
        (folder(tmp_path, empty="# nothing\n"), "empty.txt: none"),
        (tmp_path / "absent", "No such file"),
    ):
        with pytest.raises(BadTimeline, match=says):
            read_tracks(path)


def test_pedestrians_come_in_metres_from_the_first_frame_on(tmp_path):
    text = SAID + "1 7 100 -50 170\n1 8 110 -50 170\n2 8 0 0 170\n1 9 120 -50 170\n1 12 200 0 170\n"
    timeline = people(tmp_path, text)
    assert there(timeline, 0) == {"1": (1, -0.5)}
    assert there(timeline, 0.1) == {"1": (1.1, -0.5), "2": (0, 0)}
    assert there(timeline, 0.2) == {"1": (1.2, -0.5)}
    assert there(timeline, 0.35) == {}
    assert there(timeline, 0.5) == {"1": (2, 0)}
    assert there(timeline, 0.6) == {}


def test_rate_and_unit_may_be_given_and_frames_left_out(tmp_path):
    rows = "".join(f"4 {frame} {frame} 0\n" for frame in range(20, 31))
    timeline = people(tmp_path, rows, frames_per_second=5, unit="m", keep_every=5, group="visitors")
    assert timeline.groups == ("visitors",)
    assert timeline.seconds.tolist() == [0, 1, 2, 3]
    assert timeline.positions[:3, 0].tolist() == [20, 25, 30]
    assert people(tmp_path, SAID + rows, frames_per_second=20, unit="m").duration == pytest.approx(
        0.55
    )


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("1 0 1 1 1\n", {}, "Pass frames_per_second"),
        ("# framerate: 0 fps\n1 0 1 1 1\n", {"unit": "m"}, "Pass frames_per_second"),
        ("# framerate: ... fps\n1 0 1 1 1\n", {"unit": "m"}, "Pass frames_per_second"),
        ("# framerate: 5 fps\n1 0 1 1 1\n", {}, 'unit="m"'),
        ("# framerate: 5 fps x/ft y/ft\n1 0 1 1 1\n", {}, "x/ft y/ft"),
        ("# framerate: 5 fps x/m y/cm\n1 0 1 1 1\n", {}, "x/m y/cm"),
        (SAID, {}, "at least one row"),
        (SAID + "1 0 1\n", {}, "4 to 5 numbers: id, frame, x, y, z"),
        (SAID + "1 -3 1 1 1\n", {}, "frame is a whole number"),
        (SAID + "1 1.5 1 1 1\n", {}, "frame is a whole number"),
        (SAID + "a 1 1 1 1\n", {}, "id is a whole number"),
        (SAID + "1 1 inf 1 1\n", {}, "x is a finite number"),
        (SAID + "1 1 1 1 1\n1 999999999999999999 1 1 1\n", {}, "seconds lie in"),
        (SAID + "1 1 1 1 1\n1 2 1 1\n", {}, "as many cells as the first, 5"),
        ("# \udcff\n1 1 1 1 1\n", {}, "UTF-8"),
    ],
)
def test_malformed_recordings_are_refused(tmp_path, text, options, says):
    with pytest.raises(BadTimeline, match=says):
        people(tmp_path, text, **options)


def test_bad_arguments(tmp_path):
    for options in ({"keep_every": 0}, {"frames_per_second": -1}, {"unit": "ft"}):
        with pytest.raises(InvalidValue):
            people(tmp_path, SAID + "1 1 1 1 1\n", **options)


CELLS = st.sampled_from(["0", "1", "7", "-2", "1.5", "nan", "z", "1e18", "#", "1e400", "\u0661"])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(["", SAID]),
    st.lists(st.lists(CELLS, min_size=1, max_size=6).map(" ".join), max_size=6),
)
def test_any_rows_give_a_timeline_or_a_fieldcraft_error(tmp_path, header, rows):
    text = header + "\n".join(rows)
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    for read in (lambda: read_tracks(tmp_path / "a.txt"), lambda: people(tmp_path, text)):
        try:
            assert len(read()) > 0
        except FieldcraftError as error:
            assert str(error)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=60))
def test_any_bytes_give_a_timeline_or_a_fieldcraft_error(tmp_path, data):
    path = tmp_path / "b.txt"
    path.write_bytes(data)
    for read in (read_tracks, read_pedestrians):
        try:
            read(path)
        except FieldcraftError as error:
            assert str(error)


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
