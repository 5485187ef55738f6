"""Neighborhoods: 4, 8 and tables of steps."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.grid.neighborhood import MAX_STEPS
from support.refusals import refused
from support.worlds import KNIGHT


def test_four_and_eight() -> None:
    four, eight = fc.Neighborhood.of(4), fc.Neighborhood.of(8)
    assert set(four.steps) == {(1, 0), (-1, 0), (0, 1), (0, -1)}
    assert set(eight.steps) == {(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)} - {(0, 0)}
    assert four.is_four and not four.is_eight
    assert eight.is_eight and not eight.is_four
    assert (len(four), len(eight)) == (4, 8)


@pytest.mark.parametrize("number", [4, 8])
def test_a_table_of_the_same_steps_is_recognised(number: int) -> None:
    table = fc.Neighborhood.of(number).steps[::-1]
    again = fc.Neighborhood.of(table)
    assert again.is_four == (number == 4)
    assert again.is_eight == (number == 8)
    assert not fc.Neighborhood.of(table[1:]).is_four


def test_any_integer_type_will_do() -> None:
    assert fc.Neighborhood.of(np.int64(8)).is_eight
    assert fc.Neighborhood.of(np.array(KNIGHT, dtype=np.int8)) == fc.Neighborhood.of(KNIGHT)


def test_lengths_are_in_world_units() -> None:
    lengths = fc.Neighborhood.of([(1, 0), (1, 1), (3, -4)]).lengths(0.5)
    assert lengths.tolist() == pytest.approx([0.5, 0.5 * 2**0.5, 2.5])


def test_steps_point_along_the_axes_of_the_world() -> None:
    assert fc.Neighborhood.of([(1, 2)]).steps == ((1, 2),)
    assert fc.Neighborhood.of([(1, 2)], y_up=True).steps == ((1, -2),)


@pytest.mark.parametrize(
    "neighbors",
    [
        6,
        0,
        -4,
        4.0,
        True,
        None,
        "4",
        [],
        [(1, 0, 0)],
        [1, 0],
        [(1.0, 0.0)],
        [(True, False)],
        [("1", "0")],
        [[(1, 0)]],
        [(1, 2), (1,)],
        [(x, 1) for x in range(MAX_STEPS + 1)],
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_neighborhood(neighbors: object) -> None:
    with refused(InvalidValue, "neighbors"):
        fc.Grid(5, 3, neighbors=neighbors)


@pytest.mark.parametrize(
    "neighbors",
    [[(0, 0)], [(1, 0), (0, 0)], [(1, 0), (1, 0)], [(65, 0)], [(0, -65)], [(2**40, 1)]],
    ids=repr,
)
def test_steps_that_make_no_sense(neighbors: object) -> None:
    with refused(InvalidValue, "differ", "64"):
        fc.Grid(5, 3, neighbors=neighbors)


def test_the_longest_and_the_most_steps() -> None:
    assert len(fc.Neighborhood.of([(64, -64)])) == 1
    assert len(fc.Neighborhood.of([(x, 1) for x in range(MAX_STEPS)])) == MAX_STEPS
