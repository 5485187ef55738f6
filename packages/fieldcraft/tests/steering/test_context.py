"""Context steering takes the most interesting of the least dangerous directions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.steering import context, directions
from support.refusals import refused

EIGHT = directions(8)


def choice(
    interest: list[float],
    danger: list[float] | None = None,
    velocity: tuple[float, float] = (0, 0),
    **more: Any,
) -> Any:
    """The direction that one agent takes among eight."""
    found = context(
        (1, 1),
        velocity,
        [interest],
        None if danger is None else [danger],
        max_speed=1.0,
        slots=8,
        **more,
    )
    return found + velocity


def layer(space: fc.Grid, **cells: float) -> Any:
    """A layer with values at `x_y`."""
    values = np.zeros(space.shape, dtype=np.float32)
    for name, value in cells.items():
        column, row = (int(part) for part in name[1:].split("_"))
        values[space.height - 1 - row if space.y_up else row, column] = value
    return fc.InfluenceMap(space).add_layer("layer", values=values)


def test_directions_go_round_from_x_to_y() -> None:
    np.testing.assert_allclose(
        EIGHT[:3], [(1, 0), (math.sqrt(0.5), math.sqrt(0.5)), (0, 1)], atol=1e-12
    )
    np.testing.assert_allclose(np.hypot(*directions(7).T), 1)


def test_the_most_interesting_direction() -> None:
    np.testing.assert_allclose(choice([0, 0, 3, 0, 0, 1, 0, 0]), EIGHT[2], atol=1e-12)


def test_turned_towards_interesting_neighbors() -> None:
    x, y = choice([0, 1, 3, 0, 0, 0, 0, 0])
    assert 0.5 < y < 1
    assert 0 < x < 0.5


def test_danger_masks_whatever_lies_there() -> None:
    np.testing.assert_allclose(
        choice([0, 0, 9, 0, 0, 1, 0, 0], [0, 0, 0.5, 0, 0, 0, 0, 0]), EIGHT[5], atol=1e-12
    )
    np.testing.assert_allclose(
        choice([0, 0, 9, 0, 0, 1, 0, 0], [0, 0, 0.5, 0, 0, 0, 0, 0], tolerance=0.5),
        EIGHT[2],
        atol=1e-12,
    )
    np.testing.assert_allclose(
        choice([1, 0, 9, 0, 0, 1, 0, 0], [2, 3, 4, 3, 3, 2.5, 3, 3]), EIGHT[0], atol=1e-12
    )


def test_without_interest_away_from_danger_or_nowhere() -> None:
    np.testing.assert_allclose(choice([0] * 8, [0, 0, 0, 5, 5, 5, 0, 0]), EIGHT[0], atol=1e-12)
    np.testing.assert_allclose(
        choice([0, 0, 0, 9, 0, 0, 0, 0], [0, 0, 0, 5, 0, 0, 0, 0]), EIGHT[7], atol=1e-12
    )
    assert choice([0] * 8).tolist() == [0, 0]
    np.testing.assert_allclose(context((1, 1), (2, 0), [[0] * 8], max_speed=1.0, slots=8), (-2, 0))


def test_of_equals_the_one_ahead() -> None:
    interest = [1.0, 0, 0, 0, 1.0, 0, 0, 0]
    np.testing.assert_allclose(choice(interest, velocity=(-2.0, 0.0)), EIGHT[4], atol=1e-12)
    np.testing.assert_allclose(choice(interest, velocity=(2.0, 0.0)), EIGHT[0], atol=1e-12)


@pytest.mark.parametrize("y_up", [False, True])
def test_reads_layers_around(y_up: bool) -> None:
    space = fc.Grid(15, 11, y_up=y_up, cell_size=2.0, origin=(3, -7))
    food, at = layer(space, c7_9=1.0), np.array([3 + 15.0, -7 + 11.0])
    np.testing.assert_allclose(
        context(at, (0, 0), food, max_speed=2.0, reach=10.0), (0, 2), atol=1e-9
    )
    assert context(at, (0, 0), food, max_speed=2.0, reach=6.0).tolist() == [0, 0]
    np.testing.assert_allclose(
        context(at, (0, 0), layer(space), food, max_speed=2.0, reach=10.0), (0, -2), atol=1e-9
    )
    both = layer(space, c7_9=1.0, c10_5=1.0)
    np.testing.assert_allclose(
        context(at, (0, 0), both, max_speed=2.0, reach=10.0), (2, 0), atol=1e-9
    )
    np.testing.assert_allclose(
        context(at, (0, 0), layer(space, c7_9=-5.0, c10_5=0.1), max_speed=2.0, reach=10.0),
        (2, 0),
        atol=1e-9,
    )


def test_nothing_is_seen_through_walls() -> None:
    walls = np.zeros((11, 15), dtype=bool)
    walls[3, 5:10] = True
    space = fc.Grid(15, 11, walls=walls)
    food = layer(space, c7_2=9.0, c7_8=0.1)
    np.testing.assert_allclose(
        context((7.5, 5.5), (0, 0), food, max_speed=1.0, reach=5.0), (0, 1), atol=1e-9
    )
    away = context(
        (7.5, 4.2), (0, 0), layer(space), layer(space, c7_8=1.0), max_speed=1.0, reach=6.0
    )
    assert away[1] > -0.5  # what is most away from danger is a wall


def test_over_the_rim_of_a_torus() -> None:
    ring = fc.Grid(15, 11, wrap=True)
    np.testing.assert_allclose(
        context((13.5, 5.5), (0, 0), layer(ring, c1_5=1.0), max_speed=1.0, reach=5.0),
        (1, 0),
        atol=1e-9,
    )


def test_coarse_layers_and_expressions() -> None:
    imap = fc.InfluenceMap(fc.Grid(16, 12))
    values = np.zeros((3, 4), dtype=np.float32)
    values[1, 3] = 1
    coarse = imap.add_layer("coarse", values=values, cell_size=4.0)
    fine = imap.add_layer("fine", values=np.zeros((12, 16), dtype=np.float32))
    np.testing.assert_allclose(
        context((8.5, 5.5), (0, 0), coarse, 1 - fine, max_speed=1.0, reach=8.0), (1, 0), atol=0.5
    )


def test_many_agents_and_none() -> None:
    space = fc.Grid(15, 11)
    at = np.random.default_rng(1).random((300, 2)) * (15, 11)
    food = layer(space, c7_5=1.0)
    together = context(at, (0, 0), food, max_speed=1.0, reach=20.0)
    np.testing.assert_array_equal(
        together[7], context(at[7], (0, 0), food, max_speed=1.0, reach=20.0)
    )
    assert context([], [], food, max_speed=1.0, reach=3.0).shape == (0, 2)
    assert context([], [], np.empty((0, 16)), max_speed=1.0).shape == (0, 2)


def test_bad_input_is_refused() -> None:
    space = fc.Grid(15, 11)
    food = layer(space)
    with refused(InvalidValue, "reach"):
        context((1, 1), (0, 0), food, max_speed=1.0)
    with refused(InvalidValue, "reach"):
        context((1, 1), (0, 0), food, max_speed=1.0, reach=0)
    with refused(InvalidValue, "cells"):
        context((1, 1), (0, 0), food, max_speed=1.0, reach=1e9)
    with refused(OutsideMap):
        context((99, 1), (0, 0), food, max_speed=1.0, reach=3)
    with refused(InvalidValue, "(1, 16)"):
        context((1, 1), (0, 0), np.zeros((2, 16)), max_speed=1.0)
    with refused(InvalidValue, "danger"):
        context((1, 1), (0, 0), food, "fear", max_speed=1.0, reach=3)  # type: ignore[arg-type]
    with refused(InvalidValue, "at least 0"):
        choice([-1] * 8)
    with refused(InvalidValue, "not finite"):
        choice([math.nan] * 8)
    with refused(InvalidValue, "slots"):
        context((1, 1), (0, 0), food, max_speed=1.0, reach=3, slots=3)
    with refused(InvalidValue, "slots"):
        context((1, 1), (0, 0), food, max_speed=1.0, reach=3, slots=65)
    with refused(InvalidValue, "tolerance"):
        choice([1] * 8, tolerance=-1)
    with refused(InvalidValue, "room"):
        context((1, 1), (0, 0), food, max_speed=1.0, reach=3, room=-1)
