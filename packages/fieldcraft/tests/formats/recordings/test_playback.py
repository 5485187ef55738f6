"""Playback: who is present at a moment."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.formats.recordings.timeline import TimelineBuilder
from support.timelines import HEADER, by_id, read


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


def test_strength_halves_with_the_age_of_the_sample_and_a_new_one_restores_it(tmp_path):
    timeline = read(tmp_path, HEADER + "0,a,red,2,3,8\n30,a,red,2,4,\n", half_life=10)
    assert by_id(timeline, 20)["a"] == pytest.approx((2, 3, 2))
    assert by_id(timeline, 30)["a"] == (2, 4, 8)
    assert timeline.at(20).ages.tolist() == [20]
    assert by_id(read(tmp_path, HEADER + "0,a,red,2,3,8\n"), 1e6)["a"][2] == 8


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
