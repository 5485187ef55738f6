from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldcraft.base.errors import BadTimeline, FieldcraftError, InvalidValue, UnknownName
from fieldcraft.formats.recordings.timeline import Timeline, TimelineBuilder
from support.refusals import refused
from support.timelines import HEADER, by_id, read


def test_an_id_changes_its_group(tmp_path):
    timeline = read(tmp_path, HEADER + "0,a,red,2,3,5\n2,a,blue,2,3,\n")
    assert by_id(timeline, 1, "red") == {"a": (2, 3, 5)}
    assert by_id(timeline, 2, "red") == {}
    assert by_id(timeline, 2, "blue") == {"a": (2, 3, 5)}


def test_rows_may_come_in_any_order_and_equal_times_keep_theirs(tmp_path):
    timeline = read(tmp_path, HEADER + "5,a,red,9,9,1\n2,a,red,1,1,1\n2,a,red,2,2,1\n")
    assert by_id(timeline, 2) == {"a": (2, 2, 1)}
    assert timeline.seconds.tolist() == [2, 2, 5]


def test_rows_carry_their_own_half_life_and_age(tmp_path):
    text = HEADER.replace("\n", ",half_life,age\n") + "0,tower,red,2,3,8,,\n0,scout,red,2,4,8,5,5\n"
    assert {name: row[2] for name, row in by_id(read(tmp_path, text), 5).items()} == {
        "tower": 8,
        "scout": 2,
    }


def test_open_cells_keep_the_last_group_and_strength_over_many_rows():
    rng = np.random.default_rng(8)
    builder = TimelineBuilder()
    last: dict[str, tuple[str, float]] = {}
    expected = []
    for row in range(600):
        who = f"u{rng.integers(0, 5)}"
        group = f"g{rng.integers(0, 3)}" if who not in last or rng.random() < 0.3 else ""
        strength = float(row + 1) if rng.random() < 0.3 else None
        builder.add(float(row // 7), who, group, (1, 1), strength)
        before = last.get(who, ("", 1.0))
        last[who] = (group or before[0], before[1] if strength is None else strength)
        expected.append(last[who])
    timeline = builder.build()
    assert [
        (timeline.groups[group], strength)
        for group, strength in zip(timeline.group_of, timeline.strengths, strict=True)
    ] == expected


def test_writing_and_reading_gives_the_same_timeline(tmp_path):
    builder = TimelineBuilder()
    builder.add(0.1, "a,b", 'say "x"', (0.1, 1 / 3), 0.3, half_life=7.0, age=0.7)
    builder.add(0.2, "c", "d", (5, 6))
    builder.add(1.1, "a,b")
    timeline = builder.build()
    timeline.write(tmp_path / "out.csv")
    again = Timeline.read(tmp_path / "out.csv")
    for name in ("seconds", "entities", "group_of", "positions", "strengths", "half_lives", "ages"):
        np.testing.assert_array_equal(
            getattr(again, name)[:2], getattr(timeline, name)[:2], err_msg=name
        )
    assert (again.ids, again.groups) == (timeline.ids, timeline.groups)
    assert math.isnan(again.positions[2, 0])
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_plain_timeline_is_written_with_the_six_columns(tmp_path):
    read(tmp_path, HEADER + "0,a,red,2,3,8\n").write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == HEADER + "0.0,a,red,2.0,3.0,8.0\n"


def test_columns_cannot_be_changed(tmp_path):
    timeline = read(tmp_path, HEADER + "0,a,red,2,3,8\n")
    for name in ("seconds", "entities", "group_of", "positions", "strengths", "half_lives", "ages"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(timeline, name)[0] = 1


def test_a_header_alone_is_an_empty_timeline(tmp_path):
    timeline = read(tmp_path, HEADER)
    assert (len(timeline), timeline.duration, len(timeline.at(5))) == (0, 0, 0)


def test_the_first_row_of_an_id_needs_a_group(tmp_path):
    with pytest.raises(BadTimeline, match="names its group") as caught:
        read(tmp_path, HEADER + "0,a,red,2,3,8\n5,b,,2,3,8\n")
    assert "'b' at 5 seconds" in str(caught.value)


def test_bad_arguments(tmp_path):
    timeline = read(tmp_path, HEADER + "0,a,red,2,3,8\n")
    with pytest.raises(UnknownName, match="Did you mean 'red'"):
        timeline.at(0, "rad")
    for wrong in (-1, math.nan, "x"):
        with pytest.raises(InvalidValue):
            timeline.at(wrong)
    with pytest.raises(InvalidValue):
        timeline.play(faint=2)
    with pytest.raises(InvalidValue):
        Timeline.read(tmp_path / "t.csv", half_life=0)
    builder = TimelineBuilder()
    for seconds, place, strength in (
        (-1, None, 1),
        (math.nan, None, 1),
        (0, (math.inf, 1), 1),
        (0, [(1, 2), (3, 4)], 1),
        (0, (1, 2), math.nan),
    ):
        with pytest.raises(InvalidValue):
            builder.add(seconds, "a", "g", place, strength)
    assert len(builder) == 0
    with pytest.raises(TypeError):
        Timeline()


CELL = st.sampled_from(["", "1", "-2.5", "nan", "1e400", "a", '"', "é", "0", " 3 ", "\x00", "1e-9"])


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.lists(st.lists(CELL, min_size=4, max_size=8).map(",".join), max_size=8).map(
            lambda r: (HEADER + "\n".join(r)).encode()
        ),
    )
)
def test_any_bytes_give_a_timeline_or_a_fieldcraft_error(tmp_path, data):
    try:
        timeline = read(tmp_path, data)
    except FieldcraftError as error:
        assert str(error)
    else:
        assert np.isfinite(timeline.seconds).all()
        living = timeline.at(timeline.duration)
        assert np.isfinite(living.positions).all()
        assert np.isfinite(living.strengths.astype(np.float32)).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": ""},
        {"id": " a"},
        {"id": "a\nb"},
        {"id": "a" * 257},
        {"group": "red\r"},
        {"group": " "},
        {"seconds": 2e9},
        {"age": 2e9},
        {"position": (2e12, 0.0)},
        {"position": (0.0, -2e12)},
    ],
    ids=str,
)
def test_what_a_file_cannot_hold_is_refused_when_it_is_added(wrong):
    builder = TimelineBuilder()
    sample = {"seconds": 0.0, "id": "a", "group": "red", "position": (1.0, 2.0)}
    with refused(InvalidValue, next(iter(wrong)) if "position" not in wrong else "1e+12"):
        builder.add(**{**sample, **wrong})
    assert len(builder) == 0
