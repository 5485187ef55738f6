from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldcraft.base.errors import BadTimeline, FieldcraftError, InvalidValue, UnknownName
from fieldcraft.formats.recordings import table
from fieldcraft.formats.recordings.timeline import Timeline, TimelineBuilder

HEADER = "seconds,id,group,x,y,strength\n"


def read(tmp_path: Path, text: str | bytes, **options: float) -> Timeline:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Timeline.read(path, **options)


def by_id(
    timeline: Timeline, seconds: float, group: str | None = None, **options: float
) -> dict[str, tuple[float, float, float]]:
    living = timeline.at(seconds, group, **options)
    return {
        timeline.ids[k]: (*p, s)
        for k, p, s in zip(
            living.keys, living.positions.tolist(), living.strengths.tolist(), strict=True
        )
    }


def test_ids_appear_move_leave_and_return(tmp_path):
    timeline = read(
        tmp_path, HEADER + "1,a,red,2,3,5\n2,b,blue,7,8,\n3,a,red,4,3,\n4,a,,,,\n6,a,,1,1,\n"
    )
    assert timeline.groups == ("red", "blue")
    assert timeline.duration == 6
    assert by_id(timeline, 0.99) == {}
    assert by_id(timeline, 1) == {"a": (2, 3, 5)}
    assert by_id(timeline, 3.5) == {"a": (4, 3, 5), "b": (7, 8, 1)}
    assert by_id(timeline, 3.5, "blue") == {"b": (7, 8, 1)}
    assert by_id(timeline, 4) == {"b": (7, 8, 1)}
    assert by_id(timeline, 99) == {"a": (1, 1, 5), "b": (7, 8, 1)}


def test_an_id_changes_its_group(tmp_path):
    timeline = read(tmp_path, HEADER + "0,a,red,2,3,5\n2,a,blue,2,3,\n")
    assert by_id(timeline, 1, "red") == {"a": (2, 3, 5)}
    assert by_id(timeline, 2, "red") == {}
    assert by_id(timeline, 2, "blue") == {"a": (2, 3, 5)}


def test_rows_may_come_in_any_order_and_equal_times_keep_theirs(tmp_path):
    timeline = read(tmp_path, HEADER + "5,a,red,9,9,1\n2,a,red,1,1,1\n2,a,red,2,2,1\n")
    assert by_id(timeline, 2) == {"a": (2, 2, 1)}
    assert timeline.seconds.tolist() == [2, 2, 5]


def test_columns_in_any_order_with_others_between_and_a_byte_order_mark(tmp_path):
    timeline = read(
        tmp_path, "\ufeffnote,y,x,id,group,seconds,strength\r\n" + '"a, b",2,1,u,red,0,3\r\n\r\n'
    )
    assert by_id(timeline, 0) == {"u": (1, 2, 3)}


def test_strength_halves_with_the_age_of_the_sample_and_a_new_one_restores_it(tmp_path):
    timeline = read(tmp_path, HEADER + "0,a,red,2,3,8\n30,a,red,2,4,\n", half_life=10)
    assert by_id(timeline, 20)["a"] == pytest.approx((2, 3, 2))
    assert by_id(timeline, 30)["a"] == (2, 4, 8)
    assert timeline.at(20).ages.tolist() == [20]
    assert by_id(read(tmp_path, HEADER + "0,a,red,2,3,8\n"), 1e6)["a"][2] == 8


def test_rows_carry_their_own_half_life_and_age(tmp_path):
    text = HEADER.replace("\n", ",half_life,age\n") + "0,tower,red,2,3,8,,\n0,scout,red,2,4,8,5,5\n"
    assert {name: row[2] for name, row in by_id(read(tmp_path, text), 5).items()} == {
        "tower": 8,
        "scout": 2,
    }


def test_faint_entities_are_left_out_and_zero_strength_is_no_source(tmp_path):
    timeline = read(tmp_path, HEADER + "0,a,red,2,3,8\n0,b,red,2,3,0\n", half_life=10)
    assert set(by_id(timeline, 20, faint=0.2)) == {"a"}
    assert by_id(timeline, 30, faint=0.2) == {}


def test_a_player_agrees_with_plain_reading_of_the_rows_also_when_it_goes_back():
    rng = np.random.default_rng(4)
    builder = TimelineBuilder()
    rows = []
    for _ in range(400):
        seconds, who, group = (
            float(rng.integers(0, 50)),
            f"u{rng.integers(0, 20)}",
            f"g{rng.integers(0, 3)}",
        )
        place = None if rng.random() < 0.2 else (float(rng.normal()), float(rng.normal()))
        rows.append((seconds, who, group, place))
        builder.add(seconds, who, group, place, 2.0)
    timeline = builder.build()
    player = timeline.play()
    for moment in [*range(50), 10, 3.5, 49, 0]:
        last = {}
        for row in sorted(rows, key=lambda r: r[0]):
            if row[0] <= moment:
                last[row[1]] = row
        player.advance_to(moment)
        for group in timeline.groups:
            expected = {
                who: place
                for who, (_, _, g, place) in last.items()
                if g == group and place is not None
            }
            living = player.living(group)
            assert {
                timeline.ids[k]: tuple(p)
                for k, p in zip(living.keys, living.positions.tolist(), strict=True)
            } == expected
            assert (np.diff(living.keys) > 0).all()


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


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (HEADER + "0,a,red,2,3,8\nx,a,red,2,3,8\n", 3, "seconds is a finite number"),
        (HEADER + "-1,a,red,2,3,8\n", 2, r"seconds is from 0 to 1e\+09"),
        (HEADER + "1e300,a,red,2,3,8\n", 2, r"seconds is from 0 to 1e\+09"),
        (HEADER + "nan,a,red,2,3,8\n", 2, "seconds is a finite number"),
        (HEADER + "0,a,red,inf,3,8\n", 2, "x is a finite number"),
        (HEADER + "0,a,red,1_0,3,8\n", 2, "x is a finite number"),
        (HEADER + "0,a,red,2,,8\n", 2, "y is a finite number"),
        (HEADER + "0,a,red,2,3,1e39\n", 2, "strength is from"),
        (HEADER + "0,,red,2,3,8\n", 2, "Every row has an id"),
        (HEADER + "0,a,red,2,3,8\n1,a,red,2", 3, "as many cells as the header"),
        (HEADER + '0,"a,red,2,3,8\n', 2, "Quotes"),
        (HEADER + "0," + "a" * 300 + ",red,2,3,8\n", 2, "at most 256"),
        (HEADER + "0,a,red,2,3,8" + " " * 70_000 + "\n", 2, "at most 65,536 bytes"),
        ("seconds,id,group,x,y\n", 1, "no strength"),
        ("seconds,id,group,x,y,strength,x\n", 1, "different names"),
        (HEADER.replace("\n", ",half_life\n") + "0,a,red,2,3,8,0\n", 2, "half_life is above 0"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(tmp_path, text, line, says):
    with pytest.raises(BadTimeline, match=says) as caught:
        read(tmp_path, text)
    assert f"in line {line} of " in str(caught.value)


def test_the_first_row_of_an_id_needs_a_group(tmp_path):
    with pytest.raises(BadTimeline, match="names its group") as caught:
        read(tmp_path, HEADER + "0,a,red,2,3,8\n5,b,,2,3,8\n")
    assert "'b' at 5 seconds" in str(caught.value)


def test_binary_empty_and_absent_files(tmp_path, monkeypatch):
    with pytest.raises(BadTimeline, match="UTF-8"):
        read(tmp_path, bytes(range(128, 256)))
    with pytest.raises(BadTimeline, match=r"but \\x00\\x01"):
        read(tmp_path, bytes(range(256)))
    with pytest.raises(BadTimeline, match="header"):
        read(tmp_path, b"")
    for path, says in (
        (tmp_path / "none.csv", "No such file"),
        (tmp_path, "A recording is read from a file"),
        ("a\0b", "null"),
    ):
        with pytest.raises(BadTimeline, match=says):
            Timeline.read(path)
    monkeypatch.setattr(table, "MAX_ROWS", 2)
    with pytest.raises(BadTimeline, match="at most 2 rows"):
        read(tmp_path, HEADER + "0,a,red,2,3,8\n" * 3)
    monkeypatch.setattr(table, "MAX_BYTES", 20)
    with pytest.raises(BadTimeline, match="at most 20 bytes"):
        read(tmp_path, HEADER)


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
