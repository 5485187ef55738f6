"""Standard ways of searching: the best way for certain, and those of the literature that others are
judged by.
"""

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
from fieldcraft.pursuit import GreedySearch, HorizonSearch, optimal_search
from fieldcraft.pursuit.quarters import Quarters, quarters_of
from fieldcraft.pursuit.standards import best_way
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


@settings(max_examples=30)
@given(seed=st.integers(0, 2**16), discount=st.sampled_from([1.0, 0.8]))
def test_branch_and_bound_is_the_best_of_all_ways(seed: int, discount: float) -> None:
    likely, moves, beside = places(seed)
    found, chance = optimal_search(likely, moves, beside, 0, 3, discount=discount)
    best = max(met(likely, moves, [way], discount) for way in all_ways(beside, 0, 3))
    assert (
        chance == pytest.approx(best) == pytest.approx(met(likely, moves, [tuple(found)], discount))
    )
    assert all(to in beside[a] for a, to in itertools.pairwise(found)) and len(found) == 4


@settings(max_examples=15)
@given(seed=st.integers(0, 2**16))
def test_one_after_the_other_is_at_least_half_as_good_as_the_best_together(seed: int) -> None:
    likely, moves, beside = places(seed)
    empty = np.zeros(0, dtype=np.int64)
    quarters = Quarters(empty, empty, np.zeros((0, 0), dtype=np.float32), beside, moves)
    taken: list[tuple[int, ...]] = []
    for start in (0, len(likely) - 1):
        way, gain = best_way(quarters, likely, start, 3, 0.9, taken)
        if not taken:
            assert gain == pytest.approx(
                optimal_search(likely, moves, beside, start, 3, discount=0.9)[1]
            )
        assert met(likely, moves, [*taken, way], 0.9) == pytest.approx(gain)
        taken.append(way)
    pairs = itertools.product(all_ways(beside, 0, 3), all_ways(beside, len(likely) - 1, 3))
    some = itertools.islice(pairs, 0, None, 7)
    assert (
        2 * met(likely, moves, taken, 0.9)
        >= max(met(likely, moves, list(pair), 0.9) for pair in itertools.islice(some, 40)) - 1e-9
    )


def test_a_searcher_waits_where_the_target_has_to_pass() -> None:
    moves = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=float)
    way, chance = optimal_search([1, 0, 0], moves, [[0, 1], [0, 1, 2], [1, 2]], 2, 2)
    assert (way[1] == 1 or way[1:] == [2, 2]) and chance == 1


@pytest.mark.parametrize("kind", KINDS)
def test_quarters_are_where_one_is_nearest(kind: str) -> None:
    dice = np.random.default_rng(5)
    space = KINDS[kind](dice)
    cell = int(dice.choice(open_cells(space)))
    quarters = quarters_of(space, cell)
    for here in open_cells(space):
        away = quarters.away[:, here]
        if np.isfinite(away).any():
            assert away[quarters.owners[here]] == away.min()
    np.testing.assert_allclose(quarters.moves.sum(axis=1), 1)
    assert all(
        quarter in quarters.beside[other]
        for quarter, beside in enumerate(quarters.beside)
        for other in beside
    )
    assert quarters.masses(np.ones(space.shape)).sum() == np.count_nonzero(quarters.owners >= 0)


@pytest.mark.parametrize("way", [GreedySearch, HorizonSearch])
def test_searchers_share_the_map_and_find_who_stands(way: type[GreedySearch]) -> None:
    cave = fc.generate_map("cave", 41, 30, seed=4, neighbors=8)
    for space in (cave, cave.to_graph()):
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
    ways = [[0, 1], [0, 1]]
    half = np.full((2, 2), 0.5)
    for arguments, word in (
        (([1, 0], np.eye(3), ways, 0, 2), "each pair"),
        (([0.9, 0.9], half, ways, 0, 2), "add up"),
        (([-1, 1], half, ways, 0, 2), "at least 0"),
        (([1, 0], half * 3, ways, 0, 2), "add up"),
        (([1, 0], half, [[0], []], 0, 2), "at least one"),
        (([1, 0], half, [[0]], 0, 2), "at least one"),
        (([1, 0], half, ways, 2, 2), "start"),
        (([1, 0], half, ways, 0, -1), "horizon"),
        (([1, 0], half, [[0], [7]], 0, 2), "a place beside"),
    ):
        with refused(InvalidValue, word):
            optimal_search(*arguments)
    with refused(InvalidValue, "discount"):
        optimal_search([1, 0], half, ways, 0, 2, discount=0)
    grid = fc.Grid(6, 4)
    with refused(InvalidValue, "horizon"):
        HorizonSearch(grid, 1.0, horizon=0)
    with refused(InvalidValue, "discount"):
        HorizonSearch(grid, 1.0, discount=2)
