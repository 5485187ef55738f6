"""Searches of the literature that serve as yardsticks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.errors import InvalidValue
from research.search.voronoi_regions import VoronoiRegions, voronoi_regions
from research.search.yardsticks import GreedySearch, HorizonSearch, best_way
from support.refusals import refused
from support.worlds import KINDS, open_cells

pytestmark = pytest.mark.reference

Floats = NDArray[np.float64]


def places(seed: int) -> tuple[Floats, Floats, tuple[tuple[int, ...], ...]]:
    """A target's chances, its moves, and the steps of searchers, on a random small graph."""
    dice = np.random.default_rng(seed)
    count = int(dice.integers(2, 6))
    beside = tuple(
        (place, *np.flatnonzero(row & (np.arange(count) != place)).tolist())
        for place, row in enumerate(dice.random((count, count)) < 0.5)
    )
    likely, moves = dice.random(count) ** 3, dice.random((count, count)) ** 3
    return likely / likely.sum(), moves / moves.sum(axis=1, keepdims=True), beside


def met(likely: Floats, moves: Floats, ways: list[tuple[int, ...]], discount: float) -> float:
    """What searchers on their ways meet, added up path by path of the target."""
    total = 0.0
    steps = len(ways[0]) - 1
    for path in itertools.product(range(len(likely)), repeat=steps + 1):
        chance = likely[path[0]] * np.prod([moves[a, b] for a, b in itertools.pairwise(path)])
        first = next(
            (t for t in range(1, steps + 1) if any(way[t] == path[t] for way in ways)), None
        )
        total += 0.0 if first is None else chance * discount ** (first - 1)
    return total


def all_ways(beside: tuple[tuple[int, ...], ...], start: int, steps: int) -> list[tuple[int, ...]]:
    ways: list[tuple[int, ...]] = [(start,)]
    for _ in range(steps):
        ways = [(*way, to) for way in ways for to in beside[way[-1]]]
    return ways


@settings(max_examples=10)
@given(seed=st.integers(0, 2**16))
def test_one_after_the_other_is_at_least_half_as_good_as_the_best_together(seed: int) -> None:
    likely, moves, beside = places(seed)
    empty = np.zeros(0, dtype=np.int64)
    regions = VoronoiRegions(empty, empty, np.zeros((0, 0), dtype=np.float32), beside, moves)
    taken: list[tuple[int, ...]] = []
    for start in (0, len(likely) - 1):
        way, gain = best_way(regions, likely, start, 3, 0.9, taken)
        if not taken:
            best = max(met(likely, moves, [each], 0.9) for each in all_ways(beside, 0, 3))
            assert gain == pytest.approx(best)
        assert met(likely, moves, [*taken, way], 0.9) == pytest.approx(gain)
        taken.append(way)
    pairs = itertools.product(all_ways(beside, 0, 3), all_ways(beside, len(likely) - 1, 3))
    some = itertools.islice(pairs, 0, None, 7)
    assert (
        2 * met(likely, moves, taken, 0.9)
        >= max(met(likely, moves, list(pair), 0.9) for pair in itertools.islice(some, 40)) - 1e-9
    )


@pytest.mark.parametrize("kind", KINDS)
def test_regions_are_where_one_is_nearest(kind: str) -> None:
    dice = np.random.default_rng(5)
    space = KINDS[kind](dice)
    cell = int(dice.choice(open_cells(space)))
    regions = voronoi_regions(space, cell)
    for here in open_cells(space):
        away = regions.away[:, here]
        if np.isfinite(away).any():
            assert away[regions.owners[here]] == away.min()
    np.testing.assert_allclose(regions.moves.sum(axis=1), 1)
    assert all(
        region in regions.beside[other]
        for region, beside in enumerate(regions.beside)
        for other in beside
    )
    assert regions.masses(np.ones(space.shape)).sum() == np.count_nonzero(regions.owners >= 0)


@pytest.mark.parametrize("way", [GreedySearch, HorizonSearch])
def test_searchers_share_the_map_and_find_who_stands(way: type[GreedySearch]) -> None:
    cave = fc.generate_map("cave", 41, 30, seed=4, neighbors=8)
    for space in (cave,):
        search: Any = way(space, 3.0)
        cells = open_cells(space)
        hidden = space.position_of(int(cells[-9]))
        searchers = space.position_of(cells[[3, 40]])
        rng = np.random.default_rng(1)
        search.lost(space.position_of(int(cells[len(cells) // 2])), (1.0, 0.0))
        goals = search.places(searchers, rng)
        assert not np.array_equal(goals[0], goals[1])
        found = False
        for _ in range(300):
            search.advance(1 / 3)
            search.look(
                np.unique(
                    np.concatenate(
                        [np.flatnonzero(fc.visible(space, one, 5.0)) for one in searchers]
                    )
                )
            )
            goals = search.places(searchers, rng)
            steps = [
                fc.shortest_path(space, at, goal).cells[:2][-1]
                for at, goal in zip(searchers, goals, strict=True)
            ]
            searchers = space.position_of(np.array(steps))
            found = bool(fc.sees(space, searchers, hidden, 5.0).any())
            if found:
                break
        assert found
        other: Any = way(space, 3.0)
        other.restore(search.snapshot())
        np.testing.assert_array_equal(other.places(searchers, rng), search.places(searchers, rng))


def test_bad_input() -> None:
    grid = fc.Grid(6, 4)
    with refused(InvalidValue, "horizon"):
        HorizonSearch(grid, 1.0, horizon=0)
    with refused(InvalidValue, "discount"):
        HorizonSearch(grid, 1.0, discount=2)
