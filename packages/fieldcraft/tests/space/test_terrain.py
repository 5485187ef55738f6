"""Terrain: classes of ground and which may be entered from which."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.wrapping import Wrap
from support.refusals import refused
from support.roads import links
from support.worlds import WRAPS

GROUND, SHORE, WATER, ROCK = range(4)
# Boats leave water only onto the shore; on foot one comes from the shore to the ground, never into
# the water.
ENTER = np.array(
    [
        [True, True, False, False],
        [True, True, True, False],
        [False, True, True, False],
        [False, False, False, False],
    ],
)


def test_walls_are_the_classes_that_cannot_be_entered_from_themselves() -> None:
    terrain = fc.Terrain([[GROUND, ROCK, WATER]], ENTER)
    assert terrain.walls.tolist() == [[False, True, False]]


def test_is_plain() -> None:
    assert fc.Terrain([[0]], [[True]]).is_plain
    assert fc.Terrain(
        [[0, 1]], [[True, False], [False, False]]
    ).is_plain  # ground and rock: walls say it all
    assert fc.Terrain([[0, 1]], [[True, True], [True, True]]).is_plain
    assert not fc.Terrain([[0, 1]], ENTER).is_plain
    assert not fc.Terrain([[0, 1]], [[True, False], [True, True]]).is_plain  # one way only


def test_arrays_are_its_own_and_read_only() -> None:
    classes, enter = np.array([[0, 1]]), ENTER.copy()
    terrain = fc.Terrain(classes, enter)
    classes[:], enter[:] = 3, False
    assert terrain.classes.tolist() == [[0, 1]]
    assert terrain.enter.any()
    for array in (terrain.classes, terrain.enter):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def test_names() -> None:
    assert fc.Terrain([[0]], ENTER).names == ("0", "1", "2", "3")
    assert fc.Terrain([[0]], ENTER, ["ground", "shore", "water", "rock"]).names == (
        "ground",
        "shore",
        "water",
        "rock",
    )


@pytest.mark.parametrize(
    "names",
    [["ground"], [], ["a", "b", "c", "d", "e"], [1, 2, 3, 4], "abcd", [["a", "b"], ["c"]], 5, None],
    ids=repr,
)
def test_other_names(names: object) -> None:
    if names is None:
        assert len(fc.Terrain([[0]], ENTER, names).names) == 4
        return
    with refused(InvalidValue, "name"):
        fc.Terrain([[0]], ENTER, names)


@pytest.mark.parametrize(
    "enter",
    [
        [[1, 0], [0, 1]],
        [[True, False]],
        [True],
        True,
        np.zeros((0, 0), bool),
        np.ones((257, 257), bool),
        [[True], [True, True]],
        None,
    ],
    ids=lambda value: str(np.shape(value)) if not isinstance(value, list) else repr(value),
)
def test_what_is_no_table(enter: object) -> None:
    with refused(InvalidValue, "table"):
        fc.Terrain([[0]], enter)


@pytest.mark.parametrize(
    "classes", [[[0.0]], [0, 1], 0, [[True]], [["a"]], [[0], [0, 1]], [[[0]]]], ids=repr
)
def test_what_are_no_classes(classes: object) -> None:
    with refused(InvalidValue, "classes"):
        fc.Terrain(classes, ENTER)


@pytest.mark.parametrize(
    ("classes", "got"),
    [([[0, 4]], "[[0 4]]"), ([[-1, 2]], "[[-1  2]]"), (np.array([[2**40]]), str(2**40))],
)
def test_classes_beyond_the_table(classes: object, got: str) -> None:
    with refused(InvalidValue, "0 to 3", got):
        fc.Terrain(classes, ENTER)


def test_a_grid_takes_only_a_terrain_of_its_shape() -> None:
    terrain = fc.Terrain(np.zeros((3, 5), int), ENTER)
    assert fc.Grid(5, 3, terrain=terrain).terrain is terrain
    with refused(InvalidValue, "(3, 5)", "(5, 3)"):
        fc.Grid(3, 5, terrain=terrain)
    with refused(InvalidValue, "Terrain", "ndarray"):
        fc.Grid(5, 3, terrain=np.zeros((3, 5), int))


def test_walls_of_terrain_and_of_the_array_add() -> None:
    terrain = fc.Terrain([[GROUND, ROCK, WATER]], ENTER)
    assert fc.Grid(3, 1, terrain=terrain, walls=[[True, False, False]]).walls.tolist() == [
        [True, True, False]
    ]


@pytest.mark.parametrize("neighbors", [4, 8, [(2, 0), (-1, 1), (0, -1), (1, 1)]])
@pytest.mark.parametrize("wrap", WRAPS)
def test_influence_follows_the_table(neighbors: object, wrap: Wrap) -> None:
    rng = np.random.default_rng(4)
    for _ in range(8):
        height, width = rng.integers(1, 6), rng.integers(1, 8)
        terrain = fc.Terrain(rng.integers(0, 4, (height, width)), rng.random((4, 4)) < 0.6)
        grid = fc.Grid(
            int(width),
            int(height),
            terrain=terrain,
            neighbors=neighbors,
            wrap=wrap,
            walls=rng.random((height, width)) < 0.1,
        )
        np.testing.assert_array_equal(grid.links(), links(grid))


def test_one_way_ground_lets_influence_through_one_way() -> None:
    down_only = np.array([[True, True], [False, True]])
    grid = fc.Grid(6, 1, terrain=fc.Terrain([[0, 0, 0, 1, 1, 1]], down_only))
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("scent", fc.Spread(0.1, 1.0))
    source = layer.add_source((0.5, 0.5), 5.0)
    imap.step(9)
    assert (layer.values > 0).all()
    source.move((5.5, 0.5))
    imap.step(200)
    assert (layer.values > 0).tolist() == [[False, False, False, True, True, True]]
