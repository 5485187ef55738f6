"""A search party: tracks that may be true, who would be seen when, and who goes where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit import Motion, SearchParty
from fieldcraft.pursuit.tracks import HIDES, RUNS, STANDS
from support.refusals import refused

CAVE = fc.generate_map("cave", 47, 36, seed=4, neighbors=8)
SPACES = {"grid": CAVE, "graph": CAVE.to_graph(), "hex": fc.HexGrid(20, 17, walls=np.random.default_rng(2).random((17, 20)) < 0.2)}


def party(space: Any, **options: Any) -> tuple[SearchParty, int]:
    """A party after somebody who was lost in the largest part of a map."""
    parts = np.asarray(space.parts()).reshape(-1)
    walls = space.walls.reshape(-1)
    largest = np.bincount(parts[~walls]).argmax()
    last = int(np.flatnonzero((parts == largest) & ~walls)[40])
    search = SearchParty(space, 3.0 * space.typical_step, **options)
    search.lost(space.position_of(last), (2.0, 1.0))
    return search, last


@pytest.mark.parametrize("kind", SPACES)
def test_tracks_are_walked_at_most_as_fast_as_the_target_from_where_it_was_seen(kind: str) -> None:
    space = SPACES[kind]
    search, last = party(space)
    rng = np.random.default_rng(3)
    here = space.position_of(np.array([last]))
    search.places(here, rng)
    tracks = search._tracks
    assert tracks is not None and tracks.now == 0
    tracks.reach(60, rng)
    steps: dict[int, set[int]] = {}
    for a, b in zip(space.ways.origins.tolist(), space.ways.ends.tolist(), strict=True):
        steps.setdefault(a, {a}).add(b)
    moves = {(int(a), int(b)) for a, b in zip(tracks.cells[:-1].ravel(), tracks.cells[1:].ravel(), strict=True) if a != b}
    assert moves and all(any(b in steps[between] for between in steps[a]) for a, b in moves)  # a step, or two that fall due at once
    assert not space.walls.reshape(-1)[tracks.cells].any()
    away = fc.distance_map(space, space.position_of(last)).values.reshape(-1) / space.typical_step
    assert (away[tracks.cells] <= np.arange(len(tracks.cells))[:, np.newaxis] + 1.5).all()
    assert {RUNS, HIDES, STANDS} <= set(tracks.kinds.tolist())


@pytest.mark.parametrize("kind", SPACES)
def test_what_it_says_sums_to_1_and_is_nowhere_where_one_has_just_looked(kind: str) -> None:
    space = SPACES[kind]
    search, last = party(space)
    rng = np.random.default_rng(3)
    here = space.position_of(np.array([last]))
    for _ in range(40):
        search.advance(1 / 3)
        view = fc.visible(space, here[0], 5 * space.typical_step)
        search.look(view)
        search.places(here, rng)
        assert search.values is not None
        assert search.values.sum() == pytest.approx(1, abs=1e-5)
        assert not search.values[np.asarray(view).reshape(space.shape)].any()
        assert not search.values[space.walls].any()


def test_what_is_not_seen_weighs_one_hypothesis_against_the_others() -> None:
    search, last = party(CAVE)
    rng = np.random.default_rng(1)
    here = CAVE.position_of(np.array([last]))
    search.places(here, rng)
    tracks = search._tracks
    assert tracks is not None
    before = np.bincount(tracks.kinds, weights=tracks.weights, minlength=5)
    assert before == pytest.approx(np.array(Motion().shares) / sum(Motion().shares))
    away = fc.distance_map(CAVE, here[0]).values.reshape(-1)
    for _ in range(45):
        search.advance(1 / 3)
    search.look(np.flatnonzero(np.isfinite(away) & (away > 17)))  # not far away
    search.places(here, rng)
    after = np.bincount(tracks.kinds, weights=tracks.weights, minlength=5)
    assert after[HIDES] > 1.5 * before[HIDES] and after[RUNS] < before[RUNS]


def test_nothing_that_was_thought_being_true_it_begins_anew() -> None:
    search, last = party(CAVE, motion=Motion(runs=0, hides=0, doubles_back=0, stands=1, wanders=0))
    rng = np.random.default_rng(1)
    here = CAVE.position_of(np.array([last]))
    search.places(here, rng)
    for _ in range(30):
        search.advance(1 / 3)
    search.look([last])
    search.places(here, rng)
    assert search.values is not None and search.values.sum() == pytest.approx(1, abs=1e-5) and search.values.reshape(-1)[last] == 0


def test_two_searchers_take_two_corridors() -> None:
    # He ran east; behind the block both arms lead on, and one searcher stands at each side.
    walls = np.ones((9, 60), dtype=bool)
    walls[[1, 7], 1:59] = False
    walls[1:8, [1, 30, 58]] = False
    space = fc.Grid(60, 9, walls=walls, neighbors=4)
    search = SearchParty(space, 3.0, sight=4.0, motion=Motion(runs=1, hides=0, doubles_back=0, stands=0, wanders=0, far=5))
    search.lost((30.5, 4.5))
    aims = search.places(np.array([(30.5, 3.5), (30.5, 3.5)]), np.random.default_rng(0))
    first, second = aims[:, 0]
    assert (first - 30.5) * (second - 30.5) < 0 or {aims[0, 1] < 4, aims[1, 1] < 4} == {True, False}


def test_who_is_seen_when_is_what_it_says() -> None:
    rng = np.random.default_rng(0)
    many, moments = 30, 7
    places = rng.uniform(0, 9, (50, 2))
    ways, tracks = (rng.integers(0, 50, shape).astype(np.int32) for shape in ((4, moments), (moments, many)))
    weights, before = rng.random(many), rng.integers(1, moments + 1, many)
    views = [np.flatnonzero(rng.random(50) < 0.5).astype(np.int32) for _ in range(50)]
    rows, starts = np.arange(50), np.concatenate([[0], np.cumsum([len(view) for view in views])])
    seen, gains = np.empty((4, many), dtype=np.int64), np.empty(4)
    kernels.foresee.foresee(ways, places, tracks, weights, before, 5.0, rows, starts, np.concatenate(views), seen, gains)
    for p in range(4):
        gain = 0.0
        for i in range(many):
            hits = [
                t
                for t in range(before[i])
                if np.hypot(*(places[tracks[t, i]] - places[ways[p, t]])) <= 5 and tracks[t, i] in views[ways[p, t]]
            ]
            assert seen[p, i] == (hits[0] if hits else moments)
            gain += weights[i] * (before[i] - hits[0]) if hits else 0.0
        assert gains[p] == pytest.approx(gain)


def test_refusals() -> None:
    for options in ({"motion": "runs"}, {"tracks": 0}, {"sight": -1.0}, {"every": 0}):
        with refused(InvalidValue):
            SearchParty(CAVE, 3.0, **options)
    with refused(InvalidValue):
        Motion(runs=0, hides=0, doubles_back=0, stands=0, wanders=0)
    with refused(InvalidValue):
        Motion(turn=(3.0, 1.0))
