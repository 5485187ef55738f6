"""The compiled searches give the ways of their references, cell by cell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.kernels import compiled
from fieldcraft.kernels.arrays import frozen
from fieldcraft.paths.grid_moves import GridMoves, moves_of
from fieldcraft.space.neighborhood import build_links
from oracles import moves as moves_reference
from oracles import shortest_path_uniform as uniform_reference
from oracles import shortest_path_weighted as weighted_reference
from support.mazes import FAR, HEX, ONE_WAY, World
from support.tiers import uncompiled
from support.worlds import KNIGHT

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels import moves as fast_moves
from fieldcraft.kernels import shortest_path_uniform as fast_uniform
from fieldcraft.kernels import shortest_path_weighted as fast_weighted
from fieldcraft.kernels import smoothing as fast_smoothing

worlds = st.integers(0, 2**32).map(World)


def pairs(world: World, count: int) -> list[tuple[int, int]]:
    cells = world.open_cells()
    return world.rng.choice(cells, (count, 2)).tolist() if cells else []


def common(world: World, moves: GridMoves) -> tuple[Any, ...]:
    """The arguments of `weighted` for a world."""
    space = world.space
    costs = np.empty(0) if world.costs is None else world.costs.reshape(-1)
    ground = costs[~space.walls.reshape(-1)] if len(costs) else np.ones(1)
    least, barred = float(ground.min(initial=1e30)), bool(np.isinf(ground).any())
    return (
        moves.table(space),
        moves.steps,
        moves.lengths,
        frozen(costs),
        barred,
        moves.norm,
        moves.facets,
        least,
        space.width,
        space.height,
        space.wrap,
    )


def weighted(problem: tuple[Any, ...], *rest: Any) -> Any:
    """The compiled kernel wants to know the highest cost as well."""
    costs, least = problem[3], problem[7]
    highest = costs[np.isfinite(costs)].max(initial=least) if len(costs) else 1.0
    return fast_weighted.weighted(*problem[:8], highest, *problem[8:], *rest)


def runs(space: fc.Grid, king: Any, eight: bool) -> Any:
    bits = fast_moves.stops_room(space.shape)
    fast_moves.stops(king, eight, 0, space.height, 0, space.width, bits)
    return bits


@given(worlds, st.booleans())
@settings(max_examples=120)
def test_uniform(world: World, eight: bool) -> None:
    space, moves = world.space, moves_of(world.space)
    best, parents, pool = fast_uniform.uniform_room(len(space))
    pool = pool[:12]
    bits = runs(space, moves.king, eight)
    for start, goal in pairs(world, 8):
        ground, problem = (
            moves.king.reshape(-1),
            (eight, space.width, space.height, space.wrap, start, goal),
        )
        while (answer := fast_uniform.uniform(ground, bits, *problem, best, parents, pool))[0] < 0:
            assert (best == uniform_reference.UNREACHED).all()
            pool = np.empty((2 * len(pool), 4), dtype=np.int32)
        cells, diagonals = uniform_reference.uniform(ground, *problem)
        assert pool[: answer[0], 3].tolist() == cells
        assert answer == (len(cells), diagonals)
        assert (best == uniform_reference.UNREACHED).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("eight", [False, True])
def test_uniform_over_more_cells_than_fit_a_number(seed: int, eight: bool) -> None:
    rng = np.random.default_rng(seed)
    height, width = (int(n) for n in rng.integers(60, 210, 2))
    walls = rng.random((height, width)) < [0.0, 0.002, 0.01, 0.1, 0.3, 0.02][seed]
    space = fc.Grid(width, height, walls=walls, neighbors=8 if eight else 4)
    moves, room = moves_of(space), fast_uniform.uniform_room(len(space))
    for start, goal in rng.choice(np.flatnonzero(~walls.reshape(-1)), (25, 2)).tolist():
        ground, problem = moves.king.reshape(-1), (eight, width, height, False, start, goal)
        count, diagonals = fast_uniform.uniform(ground, moves.stops, *problem, *room)
        assert (room[2][:count, 3].tolist(), diagonals) == uniform_reference.uniform(
            ground, *problem
        )


@pytest.mark.parametrize("shape", [(1, 40_000), (40_000, 1), (2, 20_000)])
def test_uniform_along_runs_of_more_than_the_longest(shape: tuple[int, int]) -> None:
    space = fc.Grid(shape[1], shape[0], neighbors=8)
    moves, room = moves_of(space), fast_uniform.uniform_room(len(space))
    for start, goal in ((0, len(space) - 1), (len(space) - 1, 0), (7, 9000)):
        ground, problem = (
            moves.king.reshape(-1),
            (True, space.width, space.height, False, start, goal),
        )
        count, diagonals = fast_uniform.uniform(ground, moves.stops, *problem, *room)
        assert count == max(shape) if goal != 9000 else count < 9000
        assert (room[2][:count, 3].tolist(), diagonals) == uniform_reference.uniform(
            ground, *problem
        )


@given(worlds)
@settings(max_examples=120)
def test_weighted(world: World) -> None:
    space, moves = world.space, moves_of(world.space)
    best, came, pool, keys = fast_weighted.weighted_room(len(space))
    problem = common(world, moves)
    pool, keys = pool[:70], keys[:70]
    for start, goal in pairs(world, 6):
        while (answer := weighted(problem, start, goal, best, came, pool, keys))[0] < 0:
            assert np.isinf(best).all()
            pool, keys = (
                np.empty((2 * len(pool), 4), dtype=np.int32),
                np.empty(2 * len(keys), dtype=np.int64),
            )
        cells, *measures = weighted_reference.weighted(*problem, start, goal)
        assert pool[: answer[0], 3].tolist() == cells
        assert list(answer[1:]) == measures
        assert np.isinf(best).all()


def test_weighted_over_costs_of_every_size() -> None:
    rng = np.random.default_rng(6)
    space = fc.Grid(23, 17, neighbors=8)
    costs = frozen(10.0 ** rng.uniform(-6, 30, len(space)))
    moves = moves_of(space)
    problem = (
        moves.table(space),
        moves.steps,
        moves.lengths,
        costs,
        False,
        moves.norm,
        moves.facets,
        costs.min(),
        23,
        17,
        False,
    )
    for start, goal in rng.integers(0, len(space), (20, 2)).tolist():
        room = fast_weighted.weighted_room(len(space))
        answer = weighted(problem, start, goal, *room)
        cells, *measures = weighted_reference.weighted(*problem, start, goal)
        assert room[2][: answer[0], 3].tolist() == cells
        assert list(answer[1:]) == measures


@given(worlds)
@settings(max_examples=60)
def test_leave_and_label(world: World) -> None:
    space = world.space
    moves = GridMoves(space)
    for steps, made in (
        (moves_reference.STEPS, moves.king.reshape(-1)),
        (space.neighborhood.steps, moves.table(space)),
    ):
        arriving = build_links(space.walls, space.terrain, steps, space.wrap)
        np.testing.assert_array_equal(
            made.reshape(space.shape),
            moves_reference.leave(arriving, space.walls, np.array(steps), space.wrap),
        )
    labels = moves_reference.label(moves.table(space), moves.steps, space.width, space.height)
    np.testing.assert_array_equal(moves.labels(space), labels)


@given(worlds)
@settings(max_examples=120)
def test_straighten(world: World) -> None:
    space, moves = world.space, moves_of(world.space)
    problem = common(world, moves)
    costs, least = problem[3], problem[7]
    ground = (
        *problem[:3],
        moves.king.reshape(-1),
        costs,
        least,
        space.cell_size,
        space.width,
        space.height,
        space.wrap,
    )
    for start, goal in pairs(world, 4):
        cells, *_ = weighted_reference.weighted(*problem, start, goal)
        if cells:
            kept = np.empty(len(cells), dtype=np.int64)
            count, *measures = fast_smoothing.straighten(*ground, np.array(cells), kept)
            same = np.empty_like(kept)
            corners, *expected = uncompiled("smoothing").straighten(*ground, np.array(cells), same)
            assert kept[:count].tolist() == same[:corners].tolist()
            assert measures == expected


@pytest.mark.parametrize(
    "steps",
    [
        4,
        8,
        KNIGHT,
        HEX,
        ONE_WAY,
        FAR,
        [(1, 0), (2, 0), (0, 3)],
        [(5, 0), (-5, 0), (0, 2), (0, -2), (3, 3)],
    ],
)
@pytest.mark.parametrize("wrap", [False, True])
def test_no_way_is_shorter_than_its_bound(steps: Any, wrap: bool) -> None:
    """And no step brings the goal nearer than it is long, so that no cell need be looked at
    twice.
    """
    space = fc.Grid(17, 11, neighbors=steps, cell_size=0.7, wrap=wrap)
    moves = moves_of(space)
    goal_y, goal_x = 5, 8

    def bound(x: int, y: int) -> float:
        return float(
            fast_weighted.least_cost(
                x, y, goal_x, goal_y, 17, 11, wrap, moves.norm, moves.facets, 1.0
            )
        )

    for x in range(17):
        for y in range(11):
            for (dx, dy), length in zip(space.neighborhood.steps, moves.lengths, strict=True):
                if wrap or (0 <= x + dx < 17 and 0 <= y + dy < 11):
                    assert bound(x, y) <= length + bound((x + dx) % 17, (y + dy) % 11) + 1e-12
    assert bound(goal_x, goal_y) == 0


def test_the_bound_is_tight_on_open_ground() -> None:
    """Ways straight towards the goal and along two neighbouring directions are as long as their
    bound says.
    """
    for steps in (4, 8, HEX, FAR):
        space = fc.Grid(60, 50, neighbors=steps)
        moves = moves_of(space)
        table = sorted(space.neighborhood.steps, key=lambda step: math.atan2(step[1], step[0]))
        for one, other in zip(table, table[1:] + table[:1], strict=True):
            dx, dy = 2 * one[0] + 3 * other[0], 2 * one[1] + 3 * other[1]
            length = 2 * math.hypot(*one) + 3 * math.hypot(*other)
            assert fast_weighted.least_cost(
                30 - dx, 25 - dy, 30, 25, 60, 50, False, moves.norm, moves.facets, 1.0
            ) == pytest.approx(length)
