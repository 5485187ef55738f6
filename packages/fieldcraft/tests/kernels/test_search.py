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
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.paths.search.path_on_grid import GridMoves, moves_of
from fieldcraft.space.grid.neighborhood import build_links
from fieldcraft.space.wrapping import Wrap
from oracles import moves as moves_reference
from support.mazes import FAR, HEX, ONE_WAY, World
from support.tiers import uncompiled
from support.worlds import KNIGHT, WRAPS

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels.paths import shortest_path_weighted as fast_weighted
from fieldcraft.kernels.paths import smoothing as fast_smoothing
from fieldcraft.kernels.paths.path_ground import CostGround

worlds = st.integers(0, 2**32).map(World)


def pairs(world: World, count: int) -> list[tuple[int, int]]:
    cells = world.open_cells()
    return world.rng.choice(cells, (count, 2)).tolist() if cells else []


def common(world: World, moves: GridMoves) -> tuple[CostGround, float]:
    """The ground of a world as `weighted` takes it, and the least cost."""
    space = world.space
    costs = np.empty(0) if world.costs is None else world.costs.reshape(-1)
    some = costs[~space.walls.reshape(-1)] if len(costs) else np.ones(1)
    least, barred = float(some.min(initial=1e30)), bool(np.isinf(some).any())
    ground = CostGround(
        moves.table(space),
        moves.steps,
        moves.lengths,
        read_only(costs),
        barred,
        space.width,
        space.height,
        space.wrap_flags,
    )
    return ground, least


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("neighbors", [4, 8])
def test_large_maps_with_long_runs(seed: int, neighbors: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = (int(n) for n in rng.integers(60, 210, 2))
    walls = rng.random((height, width)) < [0.0, 0.002, 0.01, 0.1, 0.3, 0.02][seed]
    space = fc.Grid(width, height, walls=walls, neighbors=neighbors)
    starts = space.position_of(rng.choice(np.flatnonzero(~walls.reshape(-1)), 26))
    goal, starts = starts[0], starts[1:]
    distances = fc.distance_map(space, goal)
    for path, start in zip(fc.shortest_paths(space, starts, goal), starts, strict=True):
        assert path.length == pytest.approx(float(distances.sample(start)), rel=1e-12)


@pytest.mark.parametrize("shape", [(1, 40_000), (40_000, 1), (2, 20_000)])
def test_runs_longer_than_the_longest(shape: tuple[int, int]) -> None:
    space = fc.Grid(shape[1], shape[0], neighbors=8)
    for start, goal in ((0, len(space) - 1), (len(space) - 1, 0), (7, 9000)):
        path = fc.shortest_path(space, space.position_of(start), space.position_of(goal))
        away = np.abs(np.subtract(*(divmod(cell, space.width) for cell in (start, goal))))
        assert len(path) == away.max() + 1
        assert path.length == pytest.approx(away.max() + (math.sqrt(2) - 1) * away.min())


@given(worlds)
@settings(max_examples=25)
def test_leave_and_label(world: World) -> None:
    space = world.space
    moves = GridMoves(space)
    king = fc.Grid(1, 1, neighbors=8).neighborhood
    assert king.steps == moves_reference.STEPS
    for neighborhood, made in (
        (king, moves.king.reshape(-1)),
        (space.neighborhood, moves.table(space)),
    ):
        steps = neighborhood.steps
        arriving = build_links(space.walls, space.terrain, neighborhood, space.wrap_flags)
        np.testing.assert_array_equal(
            made.reshape(space.shape),
            moves_reference.leave(arriving, space.walls, np.array(steps), space.wrap_flags),
        )
    labels = moves_reference.label(moves.table(space), moves.steps, space.width, space.height)
    np.testing.assert_array_equal(moves.labels(space), labels)


@given(worlds)
@settings(max_examples=50)
def test_straighten(world: World) -> None:
    space, moves = world.space, moves_of(world.space)
    ground, least = common(world, moves)
    king = moves.king.reshape(-1)
    for start, goal in pairs(world, 4):
        places = space.position_of(start), space.position_of(goal)
        cells = fc.shortest_path(space, *places, cost=world.costs).cells.tolist()
        if cells:
            kept = np.empty(len(cells), dtype=np.int64)
            given = (ground, king, np.array(cells), least, space.cell_size)
            count, *measures = fast_smoothing.straighten(*given, kept)
            same = np.empty_like(kept)
            corners, *expected = uncompiled("smoothing").straighten(*given, same)
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
@pytest.mark.parametrize("wrap", WRAPS)
def test_no_way_is_shorter_than_its_bound(steps: Any, wrap: Wrap) -> None:
    """And no step brings the goal nearer than it is long, so that no cell need be looked at
    twice.
    """
    space = fc.Grid(17, 11, neighbors=steps, cell_size=0.7, wrap=wrap)
    moves = moves_of(space)
    goal_y, goal_x = 5, 8

    def bound(x: int, y: int) -> float:
        size = (17, 11, space.wrap_flags)
        return float(fast_weighted.least_cost(x, y, goal_x, goal_y, *size, *moves.bound))

    for x in range(17):
        for y in range(11):
            for (dx, dy), length in zip(space.neighborhood.steps, moves.lengths, strict=True):
                inside_x = space.wraps_x or 0 <= x + dx < 17
                if inside_x and (space.wraps_y or 0 <= y + dy < 11):
                    assert bound(x, y) <= length + bound((x + dx) % 17, (y + dy) % 11) + 1e-12
    assert bound(goal_x, goal_y) == 0


@pytest.mark.parametrize("neighbors", [4, 8])
def test_the_bound_is_tight_on_open_ground(neighbors: int) -> None:
    space = fc.Grid(60, 50, neighbors=neighbors)
    expected = fc.distance_map(space, (30.5, 25.5)).exact
    for y, x in ((25, 12), (40, 3), (7, 49)):
        bound = fast_weighted.least_cost(x, y, 30, 25, 60, 50, False, *moves_of(space).bound)
        assert bound == pytest.approx(expected[y, x])
