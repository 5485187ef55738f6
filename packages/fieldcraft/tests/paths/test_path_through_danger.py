"""Paths through danger that changes with time, against a search over all times and cells."""

from __future__ import annotations

import contextlib
import math
import os
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.paths import TimedPath
from fieldcraft.paths.search.path_through_danger import _norms
from oracles.timed import cheapest, damage_of_step, duration
from support.refusals import refused
from support.worlds import KINDS

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
) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64], int]:
    """Danger, costs, a start and the cell of a goal."""
    shape = (int(rng.integers(1, 9)), len(space))
    danger = rng.choice([0, 0, 0, 1, 5, np.inf], shape) * rng.random(shape)
    cost = 1 + rng.random(len(space)) * rng.integers(2)
    first, goal = rng.choice(np.flatnonzero(~space.walls.reshape(-1)), 2).tolist()
    danger[:, first] = np.where(rng.random() < 0.9, 0, danger[:, first])
    if rng.random() < 0.5:
        walls = np.flatnonzero(rng.random(len(space)) < 0.15)
        cost[np.setdiff1d(walls, [first, goal])] = np.inf
    start = space.position_of(first)
    if not isinstance(space, fc.Graph) and rng.random() < 0.5:
        near = start + rng.uniform(-0.45, 0.45, 2) * space.typical_step
        with contextlib.suppress(OutsideMap):
            if space.cell_at(near) == first:
                start = near
    return np.nan_to_num(danger, nan=0.0, posinf=np.inf).astype(np.float32), cost, start, goal


def retold(
    space: fc.Space,
    path: TimedPath,
    danger: NDArray[np.float32],
    cost: NDArray[np.float64],
    speed: float,
    step: float,
) -> tuple[float, float]:
    """What walking along a path costs, and its damage, from its cells, positions and times."""
    walked = damage = 0.0
    dangers = danger.astype(np.float64)
    segments = space.shortest_vectors(np.diff(path.positions, axis=0))
    lengths = np.sqrt((segments**2).sum(axis=1)).tolist()
    for i, length in enumerate(lengths):
        here, there = int(path.cells[i]), int(path.cells[i + 1])
        k, then = (round(path.times[j] / step) for j in (i, i + 1))
        if length == 0:
            assert here == there
            walked += speed * step * cost[here] * (then - k)
        else:
            assert then - k == duration(length, speed * step)
            walked += length * (cost[here] + cost[there]) / 2
        damage += damage_of_step(dangers, k, here, there, then - k, step)
    assert path.length == pytest.approx(sum(lengths))
    assert path.positions[0].tolist() == path.position_at(0).tolist()
    return walked, damage


def test_paths_are_those_of_a_search_over_all_times() -> None:
    rng = np.random.default_rng(31)
    found = waited = beside = 0
    for number in range(MAPS):
        space = small_map(rng)
        danger, cost, start, goal = problem(rng, space)
        speed = float(rng.choice([0.5, 1.0, 2.0]))
        step = space.typical_step / speed / float(rng.choice([1, 2, 3]))
        path = fc.shortest_path(
            space,
            start,
            space.position_of(goal),
            cost=cost.reshape(space.shape),
            danger=danger.reshape(-1, *space.shape),
            speed=speed,
            time_step=step,
        )
        best = cheapest(space, start, goal, danger, cost, speed, step)
        assert path.found == math.isfinite(best), number
        if path.found:
            assert path.positions[0].tolist() == start.tolist()
            assert path.cost == pytest.approx(best, rel=1e-9, abs=1e-12), number
            walked, damage = retold(space, path, danger, cost, speed, step)
            assert walked + damage == pytest.approx(best, rel=1e-9, abs=1e-12), number
            assert path.damage == pytest.approx(damage), number
            found += 1
            waited += bool((path.step_lengths == 0).any())
            beside += path.start is not None
    assert found > MAPS / 4
    assert waited > MAPS / 30
    assert beside > MAPS / 30


@pytest.mark.parametrize("begin", [2, 5, 8, 11])
@pytest.mark.parametrize("dangerous", [1, 2])
def test_danger_may_begin_while_an_agent_is_on_a_long_step(dangerous: int, begin: int) -> None:
    road = fc.Graph([(0, 0), (2, 0), (12, 0)], [(0, 1), (1, 2)])
    danger = np.zeros((20, 3), dtype=np.float32)
    danger[begin:, dangerous] = 1.0
    path = fc.shortest_path(road, (0, 0), (12, 0), danger=danger, time_step=1.0)
    assert path.cells.tolist() == [0, 1, 2]
    best = cheapest(road, np.zeros(2), 2, danger, np.ones(3), 1.0, 1.0)
    assert path.cost == pytest.approx(best, rel=1e-9)
    assert path.cost == pytest.approx(12 + path.damage)


def in_norm(away: NDArray[np.float64], norm: int, along: float, diagonal: float) -> Any:
    """Lower bounds of vectors, (..., 2): see `_Norms`."""
    if norm == 1:
        return along * away.max(axis=-1) + diagonal * away.min(axis=-1)
    if norm == 2:
        return along * away.sum(axis=-1)
    return along * np.sqrt((away**2).sum(axis=-1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_is_led_by_bounds_that_no_path_goes_below(kind: str) -> None:
    """Without bounds a search visits the whole map, and with wrong ones it misses paths."""
    for seed in range(10):
        space = KINDS[kind](np.random.default_rng(seed))
        adjacency = space.adjacency
        pace = float(np.random.default_rng(seed).uniform(0.2, 1.5)) * space.typical_step
        norms = _norms(space, pace, 1.0)
        away = np.abs(space.positions[:, np.newaxis] - space.positions)
        lasting = [duration(length, pace) for length in adjacency.lengths.tolist()]
        for weights, along, diagonal in (
            (adjacency.lengths, norms.straight, norms.diagonal),
            (lasting, norms.quick, norms.quicker),
        ):
            steps = csr_array(
                (np.asarray(weights, dtype=float), adjacency.ends, adjacency.starts),
                shape=(len(space), len(space)),
            )
            bound = in_norm(away, norms.norm, along, diagonal)
            assert (bound <= dijkstra(steps) + 1e-6).all()
            assert (bound[away.any(axis=-1)] > 0).all()


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


def test_an_agent_and_a_guard_do_not_change_places() -> None:
    corridor = fc.Grid(4, 1)
    guard = np.zeros((40, 1, 4))
    for k in range(40):
        guard[k, 0, max(0, 3 - k)] = np.inf
    assert not fc.shortest_path(corridor, (0.5, 0.5), (3.5, 0.5), danger=guard)
    guard[guard == np.inf] = 60.0
    path = fc.shortest_path(corridor, (0.5, 0.5), (3.5, 0.5), danger=guard)
    assert path.damage > 10


def test_infinite_danger_in_the_middle_of_a_step_stops_it() -> None:
    line = fc.Grid(2, 1)
    danger = np.zeros((5, 1, 2))
    danger[1:4] = np.inf
    ends = (0.5, 0.5), (1.5, 0.5)
    assert not fc.shortest_path(line, *ends, danger=danger, time_step=0.25)
    danger[1:4, :, 0] = 0
    path = fc.shortest_path(line, *ends, danger=danger, time_step=0.25)
    assert path.times.tolist() == [0, 0.25, 0.5, 0.75, 1.0, 2.0]
    assert path.damage == 0


def test_the_damage_of_a_step_is_the_integral_along_it() -> None:
    line = fc.Grid(2, 1)
    danger = np.zeros((4, 1, 2))
    danger[2] = 8.0
    path = fc.shortest_path(line, (0.5, 0.5), (1.5, 0.5), danger=danger, time_step=0.25)
    assert path.damage == pytest.approx(2.0)
    danger[2] = [[8.0, 0.0]]  # halfway only half of the danger counts
    path = fc.shortest_path(line, (0.5, 0.5), (1.5, 0.5), danger=danger, time_step=0.25)
    assert path.damage == pytest.approx(1.0)


def test_infinite_costs_are_walls() -> None:
    grid = fc.Grid(3, 2, neighbors=8)
    cost = np.ones((2, 3))
    cost[0, 1] = np.inf
    calm = np.zeros((2, 2, 3))
    path = fc.shortest_path(grid, (0.5, 0.5), (2.5, 0.5), cost=cost, danger=calm)
    assert path.cells.tolist() == [0, 3, 4, 5, 2]
    assert path.damage == 0
    cost[1, 1] = np.inf
    assert not fc.shortest_path(grid, (0.5, 0.5), (2.5, 0.5), cost=cost, danger=calm)
    with pytest.raises(OnWall, match="infinite cost"):
        fc.shortest_path(grid, (1.5, 0.5), (2.5, 0.5), cost=cost, danger=calm)


@pytest.mark.parametrize("space", [fc.Grid(10, 10, neighbors=8), fc.HexGrid(10, 10, size=10.0)])
def test_a_start_beside_the_center_is_where_the_path_begins(space: fc.Space) -> None:
    start = space.position_of(34) + 0.3 * space.typical_step
    goal = space.position_of(67)
    danger = np.zeros((5, *space.shape))
    danger[1].flat[:] = np.where(np.arange(100) == 34, 0, 1000)  # the agent waits before it goes
    path = fc.shortest_path(space, start, goal, danger=danger)
    walked = np.sqrt((np.diff(path.positions, axis=0) ** 2).sum(axis=1))
    assert path.step_lengths.tolist() == pytest.approx(walked.tolist())
    assert path.length == pytest.approx(walked.sum())
    assert path.cost == pytest.approx(path.length + 2 * space.typical_step)
    assert path.step_lengths[:2].tolist() == [0, 0]
    waiting = np.linspace(0, path.times[2], 7)
    assert path.position_at(waiting).tolist() == [start.tolist()] * 7
    assert path.at(0).tolist() == start.tolist()
    assert path.at(path.length).tolist() == pytest.approx(goal.tolist())


def test_agents_on_waypoints_keep_to_their_edge() -> None:
    graph = fc.Graph([(0, 0), (10, 0), (20, 0), (10, 10)], [(0, 1), (1, 2), (1, 3)])
    calm = np.zeros((1, 4))
    forward = fc.shortest_path(graph, (3, 0), (20, 0), danger=calm, time_step=5.0)
    assert forward.positions.tolist() == [[3, 0], [10, 0], [20, 0]]
    assert (forward.length, forward.times.tolist()) == (17, [0, 5, 15])
    back = fc.shortest_path(graph, (6, 0), (0, 0), danger=calm, time_step=5.0)
    assert back.positions.tolist() == [[6, 0], [0, 0]]
    through = fc.shortest_path(graph, (13, 0), (10, 10), danger=calm, time_step=5.0)
    assert through.positions.tolist() == [[13, 0], [10, 0], [10, 10]]
    assert through.length == 13
    home = fc.shortest_path(graph, (13, 0), (10, 0), danger=calm, time_step=5.0)
    assert home.positions.tolist() == [[13, 0], [10, 0]]
    assert (home.cells.tolist(), home.length) == ([1, 1], 3)
    beside = fc.shortest_path(graph, (3, 1), (20, 0), danger=calm, time_step=5.0)
    assert beside.positions[0].tolist() == [0, 0]


def test_forecasts_of_a_function_take_each_step_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from fieldcraft.layers import forecast

    grid, layer = street()
    begun = []
    values_at = forecast.values_at

    def counted(*arguments: Any) -> Any:
        begun.append(arguments)
        return values_at(*arguments)

    monkeypatch.setattr(forecast, "values_at", counted)
    ends = (0.5, 7.5), (8.5, 7.5)
    fc.shortest_path(grid, *ends, danger=lambda t: layer.at(t))
    assert len(begun) == 1
    fc.shortest_path(grid, *ends, danger=lambda t: fc.maximum(layer.at(t), 2 * layer.at(t + 1)))
    assert len(begun) <= 3
    begun.clear()
    early, late = layer.at(1).values.copy(), layer.at(3).values.copy()
    assert len(begun) == 2
    with forecast.shared_futures():
        assert np.array_equal(layer.at(1).values, early)
        assert np.array_equal(layer.at(3).values, late)
        assert np.array_equal(layer.at(1).values, early)
        layer.add_source((4.5, 7.5), 50.0)
        layer.step()
        changed = layer.at(3).values.copy()
    assert np.array_equal(layer.at(3).values, changed)
    assert not np.array_equal(changed, late)


@pytest.mark.parametrize("word", ["speed", "time_step"])
@pytest.mark.parametrize("number", [1e-46, 1e-320])
def test_steps_that_take_millions_of_time_steps_are_refused(word: str, number: float) -> None:
    grid = fc.Grid(4, 3)
    danger = np.ones((5, 3, 4))
    settings: Any = {"time_step": 1.0, word: number}
    with refused(InvalidValue, "at most 1,000,000 time steps"):
        fc.shortest_path(grid, (0.5, 0.5), (2.5, 1.5), danger=danger, **settings)
