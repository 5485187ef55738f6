"""Distance kernels: fast = reference, bit for bit, on every kind of ground; and the reference =
SciPy.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.kernels.shared import counting
from fieldcraft.kernels.shared.moves import STEPS
from fieldcraft.paths import DistanceMap, distance_map
from fieldcraft.paths.cost import CellCosts
from fieldcraft.paths.search.distances import Buckets
from fieldcraft.paths.search.distances_on_grid import measured
from support import grids

compiled_only = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)


def plain(space: fc.Grid, goals: Any, **arguments: Any) -> DistanceMap:
    """A distance map by the general search."""
    field = distance_map(space, goals, **arguments)
    field.search._begin = lambda: Buckets(field.search)
    return field


@compiled_only
@settings(max_examples=60, deadline=None)
@given(world=grids.worlds(), asked=st.lists(st.integers(0, 600), max_size=4))
def test_all_searches_find_the_same_bits_in_whatever_order_they_are_asked(
    world: grids.World, asked: list[int]
) -> None:
    space = world.grid()
    arguments = world.arguments(space)
    if arguments is None:
        return
    goals, keywords = arguments
    fast, slow = distance_map(space, goals, **keywords), plain(space, goals, **keywords)
    expected = slow.exact
    for cell in asked:
        cell %= len(space)
        assert fast.measured(np.array([cell]))[0] == expected.flat[cell]
    assert np.array_equal(fast.exact, expected)
    assert np.array_equal(fast.values, slow.values)
    assert np.array_equal(fast.values, expected.astype(np.float32))
    for cell in np.flatnonzero(np.isfinite(expected))[:5]:
        for one, other in zip(fast.search.descend(cell), slow.search.descend(cell), strict=True):
            assert np.array_equal(one, other)


@settings(max_examples=25, deadline=None)
@given(world=grids.worlds(12))
def test_distances_are_those_of_scipy(world: grids.World) -> None:
    space = world.grid()
    arguments = world.arguments(space)
    if arguments is None:
        return
    goals, keywords = arguments
    cost = np.broadcast_to(np.asarray(keywords.get("cost", 1.0), dtype=np.float64), space.shape)
    starts = np.broadcast_to(keywords.get("start_costs", 0.0), len(goals))
    cells = space.cell_at(goals)
    expected = grids.by_scipy(space, cells, starts, cost)
    found = plain(space, goals, **keywords).exact
    if world.limit is not None:
        near = np.abs(expected - world.limit) < 1e-6
        expected = np.where(
            (expected > world.limit) & ~(near & np.isfinite(found)), np.inf, expected
        )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(world=grids.worlds(12), seed=st.integers(0, 1000))
def test_summits_are_what_no_neighbor_undercuts(world: grids.World, seed: int) -> None:
    space = world.grid()
    arguments = world.arguments(space)
    if arguments is None:
        return
    field = plain(space, arguments[0], cost=arguments[1].get("cost"))
    heights = np.random.default_rng(seed).uniform(0, 9, len(space))
    field.search.settle()
    found = np.zeros(len(space), dtype=bool)
    found[field.search.minima(heights)] = True
    ways = space.adjacency
    costs = CellCosts(space, arguments[1].get("cost"))
    lower = np.zeros(len(space), dtype=bool)
    if costs.values is None:
        steps = ways.lengths * (costs.uniform or 1.0)
    else:
        steps = ways.lengths * 0.5 * (costs.values[ways.origins] + costs.values[ways.ends])
    closed = np.isinf(costs.values) if costs.values is not None else np.zeros(len(space), bool)
    if not closed.any():
        less = heights[ways.ends] + steps < heights[ways.origins]
        lower[ways.origins[less]] = True
        assert np.array_equal(found, ~lower & ~space.walls.reshape(-1))


@pytest.mark.parametrize("cells", [1, 2, 100, 1 << 20, 1 << 28])
def test_whole_numbers_hold_the_longest_way_and_tell_its_diagonals(cells: int) -> None:
    measure = counting.measure(cells)
    assert cells * measure.diagonal < counting.FAR
    assert measure.diagonal % 2 == 1
    with localcontext() as context:
        context.prec = 50
        for straight, diagonal in itertools.product((0, 1, cells // 3), (0, 1, cells // 2)):
            number = np.array([(straight << measure.shift) + diagonal * measure.diagonal])
            exact = float(Decimal(straight) + diagonal * Decimal(2).sqrt())
            assert abs(float(measured(number, measure, 1.0)[0]) - exact) <= 2 * math.ulp(exact)


def test_infinity_is_measured_as_such() -> None:
    assert measured(np.array([counting.FAR]), counting.measure(9), 1.0)[0] == math.inf


@pytest.mark.parametrize("steps", [4, 8])
def test_what_is_not_looked_at_is_reached_otherwise(steps: int) -> None:
    """Every way left out by the table has another of the same length or less that doesn't pass
    through the cell.
    """
    table = counting.canonical(steps).reshape(256, 256)
    for around in range(256):  # which of the eight cells around are open
        open_ = {(0, 0)} | {step for k, step in enumerate(STEPS) if around >> k & 1}

        def may(
            a: tuple[int, int], step: tuple[int, int], open_: set[tuple[int, int]] = open_
        ) -> bool:
            b = (a[0] + step[0], a[1] + step[1])
            sides = {(a[0] + step[0], a[1]), (a[0], a[1] + step[1])}
            return {a, b} | sides <= open_

        moves = list(STEPS[:steps])
        ways = sum(1 << k for k, step in enumerate(STEPS) if may((0, 0), step))
        for k, came in enumerate(moves):
            parent = (-came[0], -came[1])
            if not may(parent, came):
                continue
            looked = int(table[1 << k, ways])
            for j, step in enumerate(moves):
                if not ways >> j & 1:
                    assert not looked >> j & 1
                    continue
                if looked >> j & 1:
                    continue
                through = math.hypot(*came) + math.hypot(*step)
                assert _around(parent, step, moves, may) <= through + 1e-12


def _around(
    parent: tuple[int, int], goal: tuple[int, int], moves: list[tuple[int, int]], may: Any
) -> float:
    """The shortest way of at most two steps that does not pass through the middle."""
    if parent == goal:
        return 0.0
    best = math.inf
    for first in moves:
        middle = (parent[0] + first[0], parent[1] + first[1])
        if middle == (0, 0) or not may(parent, first):
            continue
        if middle == goal:
            best = min(best, math.hypot(*first))
        for second in moves:
            if (middle[0] + second[0], middle[1] + second[1]) == goal and may(middle, second):
                best = min(best, math.hypot(*first) + math.hypot(*second))
    return best


@compiled_only
@settings(max_examples=25, deadline=None)
@given(world=grids.worlds(12), seed=st.integers(0, 1000))
def test_goals_that_undercut_each_other(world: grids.World, seed: int) -> None:
    """Every open cell is a goal: many of one bucket, and many that a neighbor makes better before
    their turn comes.
    """
    space = world.grid()
    open_ = np.flatnonzero(~space.walls)
    if not len(open_):
        return
    starts = np.random.default_rng(seed).uniform(0, 4, len(open_))
    goals = space.position_of(open_)
    assert np.array_equal(
        distance_map(space, goals, start_costs=starts).exact,
        plain(space, goals, start_costs=starts).exact,
    )


@compiled_only
@settings(max_examples=25, deadline=None)
@given(
    costs=st.lists(
        st.sampled_from(
            [1.0, 1e-6, 9e-7, 0.0, -0.0, -1.0, 1e30, 2e30, math.inf, -math.inf, math.nan, 3.25]
        ),
        min_size=1,
        max_size=12,
    ),
    repeats=st.sampled_from([1, 500]),
    kind=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 99),
)
def test_costs_are_read_alike(costs: list[float], repeats: int, kind: type, seed: int) -> None:
    values = np.tile(np.array(costs, dtype=kind), repeats)
    walls = np.random.default_rng(seed).random(len(values)) < 0.6
    values.flags.writeable = walls.flags.writeable = False
    read = np.empty(len(values))
    least, greatest, infinite, bad = kernels.distances.distance.price(
        values, walls, 1e-6, 1e30, read
    )
    assert np.array_equal(read, values.astype(np.float64), equal_nan=True)
    open_ = read[~walls]
    wrong = ~walls & ~((read >= 1e-6) & (read <= 1e30) | (read == np.inf))
    assert bad == (int(np.flatnonzero(wrong)[0]) if wrong.any() else -1)
    if bad < 0:
        finite = open_[np.isfinite(open_)]
        assert (least, greatest) == (finite.min(initial=np.inf), finite.max(initial=0.0))
        assert infinite == (len(finite) < len(open_))
