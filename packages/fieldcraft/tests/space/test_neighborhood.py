"""Neighborhoods: 4, 8 and tables of steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.grid.neighborhood import CORNERS, MAX_STEPS, build_links, patch_links
from support.examples import examples
from support.refusals import refused
from support.worlds import KNIGHT, random_ground


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


def random_steps(dice: np.random.Generator) -> fc.Neighborhood:
    """Four or eight neighbors, knights, or any table of steps."""
    corners = str(dice.choice(CORNERS))
    which = int(dice.integers(4))
    if which < 3:
        return fc.Neighborhood.of([4, 8, KNIGHT][which], corners=corners)
    table = dice.integers(-3, 4, (int(dice.integers(1, 13)), 2))
    table = np.unique(table[table.any(axis=1)], axis=0)
    if not len(table):
        table = np.array([(1, 1)])
    return fc.Neighborhood.of(table, corners=corners)


@examples(150, deadline=None)
@given(seed=st.integers(0, 2**20))
def test_patched_links_are_those_of_the_new_walls(seed: int) -> None:
    dice = np.random.default_rng(seed)
    shape = tuple(dice.integers(1, 14, 2).tolist())
    walls, terrain = random_ground(
        dice, shape, walls=float(dice.choice([0.0, 0.3])), has_terrain=bool(dice.integers(2))
    )
    neighborhood = random_steps(dice)
    wrap = bool(dice.integers(2))
    if terrain is not None:
        walls |= terrain.walls
    links = build_links(walls, terrain, neighborhood, wrap)
    for count in (1, 1, 2, walls.size):
        changed = np.unique(dice.integers(0, walls.size, count))
        walls = walls.copy()
        walls.flat[changed] ^= True
        links = patch_links(links, changed, walls, terrain, neighborhood, wrap)
        expected = build_links(walls, terrain, neighborhood, wrap)
        assert links.dtype == expected.dtype and links.shape == expected.shape
        assert np.array_equal(links, expected)
