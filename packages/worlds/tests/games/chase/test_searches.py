"""Ways of searching: the places that each assigns, and saves as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space import visible
from fieldcraft.space.encoding import from_bytes, to_bytes
from fieldcraft_worlds.games.chase.searches import (
    SEARCHES,
    AnySearch,
    BeliefSearch,
    LastSeenSearch,
    RandomSearch,
)
from support.refusals import refused

CAVE = fc.generate_map("cave", 41, 30, seed=4, neighbors=8)
SPACES = {"grid": CAVE, "graph": CAVE.to_graph(), "torus": fc.Grid(23, 17, wrap=True, neighbors=4)}


@pytest.fixture(params=SPACES)
def space(request: pytest.FixtureRequest) -> Any:
    return SPACES[request.param]


def open_places(space: Any, count: int, seed: int = 0) -> np.ndarray:
    cells = np.flatnonzero(~space.walls.reshape(-1))
    return space.position_of(np.random.default_rng(seed).choice(cells, count, replace=False))


def seen_from(space: Any, places: np.ndarray) -> np.ndarray:
    if isinstance(space, fc.Grid):
        return visible(space, places, 6)
    return visible(CAVE, places, 6).reshape(-1)


def let_run(
    search: AnySearch, searchers: np.ndarray, rng: np.random.Generator, steps: int
) -> np.ndarray:
    for _ in range(steps):
        search.advance(0.3)
        search.observe(seen_from(search.space, searchers))
        places = search.places(searchers, rng)
    return places


@pytest.mark.parametrize("way", SEARCHES)
def test_nobody_moves_while_nobody_is_searched_for(space: Any, way: str) -> None:
    search = SEARCHES[way](space, 3.0)
    searchers = open_places(space, 3)
    rng = np.random.default_rng(1)
    np.testing.assert_array_equal(let_run(search, searchers, rng, 2), searchers)
    search.lost(searchers[0], (1.0, 0.0))
    assert search.searching
    search.found(searchers[1])
    assert not search.searching
    np.testing.assert_array_equal(search.places(searchers, rng), searchers)
    assert rng.bit_generator.state == np.random.default_rng(1).bit_generator.state


@pytest.mark.parametrize("way", SEARCHES)
def test_all_that_it_knows_is_plain_data(space: Any, way: str) -> None:
    searchers = open_places(space, 3)
    one = SEARCHES[way](space, 3.0)
    one.lost(open_places(space, 1, seed=5)[0], (2.0, 1.0))
    let_run(one, searchers, np.random.default_rng(2), 7)
    other = SEARCHES[way](space, 3.0)
    other.lost(searchers[1])  # it knew something else
    other.restore(from_bytes(to_bytes(one.state())))
    for search in (one, other):
        search.rng = np.random.default_rng(3)  # type: ignore[attr-defined]
    for _ in range(12):
        mine, yours = (let_run(search, searchers, search.rng, 1) for search in (one, other))  # type: ignore[attr-defined]
        np.testing.assert_array_equal(mine, yours)
    assert to_bytes(one.state()) == to_bytes(other.state())
    assert (one.values is None) == (way in ("last", "random"))
    np.testing.assert_array_equal(one.estimate(), other.estimate())


@pytest.mark.parametrize("way", SEARCHES)
def test_places_can_be_stood_on_and_new_searchers_join(space: Any, way: str) -> None:
    search = SEARCHES[way](space, 3.0)
    rng = np.random.default_rng(2)
    search.lost(open_places(space, 1, seed=6)[0], (0.0, 2.0))
    for count in (1, 4, 2, 0, 3):
        places = let_run(search, open_places(space, count), rng, 3)
        assert places.shape == (count, space.dimensions)
        assert not space.walls.reshape(-1)[space.cell_at(places)].any()


def test_last_seen_goes_there_and_then_looks_about() -> None:
    search = LastSeenSearch(CAVE, 3.0)
    last = open_places(CAVE, 1, seed=7)[0]
    searchers = open_places(CAVE, 2, seed=8)
    rng = np.random.default_rng(0)
    search.lost(last)
    search.advance(0.3)
    search.observe(np.arange(len(CAVE)))  # seeing the place is not being there
    np.testing.assert_array_equal(search.places(searchers, rng), [last, last])
    arrived = np.array([last, searchers[1]])
    about = np.array(
        [
            search.places(arrived, rng)[0]
            for _ in range(20)
            if search.observe(np.arange(len(CAVE))) is None
        ]
    )
    ways = fc.distance_map(CAVE, last)
    assert (ways.sample(about) <= 15).all()
    assert len(np.unique(about, axis=0)) > 5
    np.testing.assert_array_equal(search.places(arrived, rng)[1], last)


def test_belief_is_shared_and_hears() -> None:
    hall = fc.Grid(60, 9)
    search = BeliefSearch(hall, 2.0)
    search.report((50.5, 4.5), 3.0)
    assert search.searching
    assert search.places([(15.5, 4.5)], np.random.default_rng(0))[0, 0] > 46
    search.lost((5.5, 4.5))
    search.advance(1.0)
    assert search.guide.probability()[:, :9].sum() == pytest.approx(1)


def test_bad_input() -> None:
    search = SEARCHES["belief"](CAVE, 2.0)
    with refused(InvalidValue, "speed"):
        RandomSearch(CAVE, 0.0)
    with refused(InvalidValue, "A target is in one place"):
        search.lost([(1.0, 2.0), (3.0, 4.0)])
    with refused(InvalidValue, "velocity is one vector"):
        search.lost((20.0, 10.0), [(1.0, 2.0), (3.0, 4.0)])
    with refused(OutsideMap, "map"):
        search.lost((-5.0, 10.0))
    for way, broken in (
        ("random", {}),
        ("flood", []),
        ("last", {"last": 3, "ticks": 0, "goals": np.array([10**6]), "given": np.zeros(1)}),
    ):
        with refused(InvalidValue, "A search goes on from what its state()"):
            SEARCHES[way](CAVE, 1.0).restore(broken)  # type: ignore[arg-type]
    with refused(InvalidValue, "A search goes on from what its state()"):
        search.restore(SEARCHES["random"](CAVE, 1.0).state())
