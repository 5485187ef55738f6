"""Paths through danger that changes with time, against a search over all times and cells."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.paths import TimedPath
from oracles.timed import cheapest

MAPS = int(os.environ.get("FIELDCRAFT_TIMED_MAPS", "120"))
"""Small maps in a run; FIELDCRAFT_TIMED_MAPS=10000 searches them all."""


def small_map(rng: np.random.Generator) -> fc.Space:
    """A small grid of squares or hexagons, or a graph, with walls."""
    height, width = rng.integers(1, 6), rng.integers(2, 7)
    walls = rng.random((height, width)) < 0.2
    walls.flat[:2] = False
    kind = rng.integers(4)
    if kind == 3:
        return fc.HexGrid(int(width), int(height), walls=walls)
    wrap = bool(rng.integers(2)) and min(height, width) > 2
    grid = fc.Grid(walls=walls, neighbors=int(rng.choice([4, 8])), wrap=wrap)
    return grid.to_graph() if kind == 2 and not wrap else grid


def problem(
    rng: np.random.Generator, space: fc.Space
) -> tuple[NDArray[np.float32], NDArray[np.float64], int, int]:
    """Danger, costs, and two open cells."""
    shape = (int(rng.integers(1, 9)), len(space))
    danger = rng.choice([0, 0, 0, 1, 5, np.inf], shape) * rng.random(shape)
    cost = 1 + rng.random(len(space)) * rng.integers(2)
    start, goal = rng.choice(np.flatnonzero(~space.walls.reshape(-1)), 2).tolist()
    danger[:, start] = np.where(rng.random() < 0.9, 0, danger[:, start])
    return np.nan_to_num(danger, nan=0.0, posinf=np.inf).astype(np.float32), cost, start, goal


def retold(
    space: fc.Space,
    path: TimedPath,
    danger: NDArray[np.float32],
    cost: NDArray[np.float64],
    speed: float,
    step: float,
) -> tuple[float, float]:
    """What walking along a path costs, and its damage, from its cells and times alone."""
    walked = damage = 0.0
    last = len(danger) - 1
    for i in range(len(path.cells) - 1):
        here, there = int(path.cells[i]), int(path.cells[i + 1])
        k, then = (round(path.times[j] / step) for j in (i, i + 1))
        if here == there:
            walked += speed * step * cost[here] * (then - k)
        else:
            legs = space.adjacency.starts[here], space.adjacency.starts[here + 1]
            ends, lengths = (
                column[slice(*legs)] for column in (space.adjacency.ends, space.adjacency.lengths)
            )
            length = lengths[ends == there].min()
            assert then - k == max(1, math.floor(length / (speed * step) + 0.5))
            walked += length * (cost[here] + cost[there]) / 2
        damage += (then - k) * step * float(danger[min(k, last), here]) / 2
        damage += (then - k) * step * float(danger[min(then, last), there]) / 2
    return walked, damage


def test_ways_are_those_of_a_search_over_all_times() -> None:
    rng = np.random.default_rng(31)
    found = waited = 0
    for number in range(MAPS):
        space = small_map(rng)
        danger, cost, start, goal = problem(rng, space)
        speed = float(rng.choice([0.5, 1.0, 2.0]))
        step = space.typical_step / speed / float(rng.choice([1, 2, 3]))
        path = fc.shortest_path(
            space,
            space.position_of(start),
            space.position_of(goal),
            cost=cost.reshape(space.shape),
            danger=danger.reshape(-1, *space.shape),
            speed=speed,
            time_step=step,
        )
        best = cheapest(space, start, goal, danger, cost, speed, step)
        assert path.found == math.isfinite(best), number
        if path.found:
            assert path.cost == pytest.approx(best, rel=1e-9, abs=1e-12), number
            walked, damage = retold(space, path, danger, cost, speed, step)
            assert walked + damage == pytest.approx(best, rel=1e-9, abs=1e-12), number
            assert path.damage == pytest.approx(damage), number
            found += 1
            waited += bool((np.diff(path.cells) == 0).any())
    assert found > MAPS / 3
    assert waited > MAPS / 30


def street() -> tuple[fc.Grid, fc.Layer]:
    """A street that a patrol walks down, and the layer of its danger."""
    grid = fc.Grid(9, 15, neighbors=4)
    layer = fc.InfluenceMap(grid).add_layer("patrol", fc.Radial(2.5), every=0.5)
    layer.add_source((4.5, 1.5), 20.0).move((4.5, 1.5), velocity=(0, 1), outside="clamp")
    layer.step()
    return grid, layer


def test_an_agent_waits_until_the_patrol_has_passed() -> None:
    grid, layer = street()
    ends = (0.5, 7.5), (8.5, 7.5)
    path = fc.shortest_path(grid, *ends, danger=lambda t: 1 * layer.at(t + 3))
    static = fc.shortest_path(grid, *ends, cost=1 + layer.at(3.0))
    assert path.damage == 0 < 20
    assert path.length == 8 <= static.length
    assert (np.diff(path.cells) == 0).any()
    assert path.position_at(-1).tolist() == [0.5, 7.5]
    assert path.position_at([0, path.times[-1]]).tolist() == [[0.5, 7.5], [8.5, 7.5]]
    path = fc.shortest_path(grid, *ends, danger=layer)
    by_function = fc.shortest_path(grid, *ends, danger=lambda t: 1 * layer.at(t))
    assert np.array_equal(by_function.cells, path.cells)
    assert by_function.cost == path.cost


def test_many_ways_are_single_ways() -> None:
    grid, layer = street()
    starts, goals = [(0.5, 7.5), (1.2, 3.3), (8.5, 14.5)], (8.5, 7.5)
    many = fc.shortest_paths(grid, starts, goals, danger=layer, time_step=0.5)
    for start, path in zip(starts, many, strict=True):
        one = fc.shortest_path(grid, start, goals, danger=layer, time_step=0.5)
        assert np.array_equal(one.cells, path.cells)
        assert one.cost == path.cost
    assert many[1].positions[0].tolist() == [1.2, 3.3]


def test_bad_dangers_are_refused() -> None:
    grid, layer = street()
    ends = (0.5, 7.5), (8.5, 7.5)
    for word, call in (
        ("without danger", lambda: fc.shortest_paths(grid, *ends, speed=2.0)),
        ("one time step", lambda: fc.shortest_path(grid, *ends, danger=layer, time_step=2.0)),
        (
            "damage per second",
            lambda: fc.shortest_path(grid, *ends, danger=lambda t: -1 * layer.at(t)),
        ),
        ("at most", lambda: fc.shortest_path(grid, *ends, danger=layer, steps=10**9)),
        ("Got None", lambda: fc.shortest_path(grid, *ends, danger=lambda t: None)),
        (
            "danger (is|has)",
            lambda: fc.shortest_path(grid, *ends, danger=lambda t: np.zeros((3, 3))),
        ),
        ("shape", lambda: fc.shortest_path(grid, *ends, danger=np.zeros((9, 15)))),
        ("with danger", lambda: fc.shortest_path(grid, *ends, danger=layer, smooth=True)),
    ):
        with pytest.raises(InvalidValue, match=word):
            call()
    walls = np.zeros((15, 9), dtype=bool)
    walls[7, 8] = True
    with pytest.raises(OnWall):
        fc.shortest_path(fc.Grid(walls=walls), *ends, danger=np.zeros((2, 15, 9)))
