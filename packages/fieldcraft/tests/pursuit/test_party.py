"""A search party: particles that may be true, who would be seen when, and who goes where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit import Motion, SearchParty
from fieldcraft.pursuit.party.particles import HIDES, RUNS, STANDS
from support.chases import a_map
from support.refusals import refused

CAVE = fc.generate_map("cave", 47, 36, seed=4, neighbors=8)
SPACES = {
    "grid": CAVE,
    "graph": CAVE.to_graph(),
    "hex": fc.HexGrid(20, 17, walls=np.random.default_rng(2).random((17, 20)) < 0.2),
    "mesh": a_map("mesh"),
    "waypoints": a_map("waypoints"),
}


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
    particles = search._particles
    assert particles is not None and particles.now == 0
    rows = particles.ahead(60, np.arange(len(particles.cells)), rng)
    step, ways = space.typical_step, space.adjacency
    longest = ways.lengths.max() / step
    steps = csr_array((ways.lengths / step, ways.ends, ways.starts), shape=(len(space), len(space)))
    moves = np.unique(np.stack([rows[:-1].ravel(), rows[1:].ravel()], axis=1), axis=0)
    between = dijkstra(steps, limit=2 + longest)[moves[:, 0], moves[:, 1]]
    assert (
        between.max() > 0 and (between <= 2 + longest).all()
    )  # a step each moment, counted when half of it is taken, and one at first
    assert not space.walls.reshape(-1)[rows].any()
    away = dijkstra(steps, indices=last)
    stopped = particles.kinds == STANDS  # a moment or two on
    assert (
        away[rows] <= np.arange(len(rows))[:, np.newaxis] + 1 + stopped + longest / 2 + 1e-6
    ).all()
    assert {RUNS, HIDES, STANDS} <= set(particles.kinds.tolist())


@pytest.mark.parametrize("kind", SPACES)
def test_what_it_says_sums_to_1_and_is_nowhere_where_one_has_just_looked(kind: str) -> None:
    space = SPACES[kind]
    search, last = party(space)
    rng = np.random.default_rng(3)
    here = space.position_of(np.array([last]))
    for _ in range(40):
        search.advance(1 / 3)
        view = fc.visible(space, here[0], 5 * space.typical_step)
        search.observe(view)
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
    particles = search._particles
    assert particles is not None
    before = np.bincount(particles.kinds, weights=particles.weights, minlength=5)
    assert before == pytest.approx(np.array(Motion().shares) / sum(Motion().shares))
    away = fc.distance_map(CAVE, here[0]).values.reshape(-1)
    for _ in range(22):
        search.advance(1 / 3)
    search.observe(np.flatnonzero(np.isfinite(away) & (away > 17)))  # not far away
    search.places(here, rng)
    after = np.bincount(particles.kinds, weights=particles.weights, minlength=5)
    assert after[HIDES] > 1.5 * before[HIDES] and after[RUNS] < before[RUNS]
    found = search.hypotheses()
    assert found["hides"] == pytest.approx(after[HIDES]) and sum(found.values()) == pytest.approx(1)
    assert SearchParty(CAVE, 3.0).hypotheses() == {}


def test_nothing_that_was_thought_being_true_it_begins_anew() -> None:
    search, last = party(CAVE, motion=Motion(runs=0, hides=0, doubles_back=0, stands=1, wanders=0))
    rng = np.random.default_rng(1)
    here = CAVE.position_of(np.array([last]))
    search.places(here, rng)
    for _ in range(30):
        search.advance(1 / 3)
    near = np.flatnonzero(fc.distance_map(CAVE, here[0], limit=4.0).values.reshape(-1) <= 3)
    assert search.values is not None and search.values.reshape(-1)[near].sum() == pytest.approx(
        1, abs=1e-5
    )
    search.observe(near)
    search.places(here, rng)
    assert (
        search.values.sum() == pytest.approx(1, abs=1e-5)
        and not search.values.reshape(-1)[near].any()
    )


def test_two_searchers_take_two_corridors() -> None:
    # It ran east; behind the block both arms lead on, and both searchers stand where these part.
    walls = np.ones((9, 60), dtype=bool)
    walls[[1, 7], 1:59] = False
    walls[1:8, [1, 30, 58]] = False
    space = fc.Grid(60, 9, walls=walls, neighbors=4)
    search = SearchParty(
        space,
        3.0,
        sight=4.0,
        motion=Motion(runs=1, hides=0, doubles_back=0, stands=0, wanders=0, far=5),
    )
    search.lost((30.5, 4.5))
    rng, at = np.random.default_rng(0), np.array([(30.5, 3.5), (30.5, 3.5)])
    for _ in range(60):  # walked as they are told
        search.advance(1 / 3)
        search.observe(fc.visible(space, at, 4.0))
        at = np.array(
            [
                fc.distance_map(space, aim).step(here).positions
                for aim, here in zip(search.places(at, rng), at, strict=True)
            ]
        )
    assert abs(at[0, 0] - at[1, 0]) > 8 or abs(at[0, 1] - at[1, 1]) > 4


def _world(seed: int, looks: int = 9, many: int = 40, places: int = 30) -> tuple[Any, ...]:
    """Adjacency, particles, weights, when each is met anyway, and who sees whom."""
    rng = np.random.default_rng(seed)
    ways = rng.integers(0, places, (12, looks)).astype(np.int32)
    ways[4:8, :5] = ways[3, :5]  # that begin alike
    ways[8] = ways[2]
    particles = rng.integers(0, places, (looks, many)).astype(np.int32)
    views = (rng.random((places, places)) < 0.1).astype(np.uint8)
    return ways, particles, rng.random(many), rng.integers(0, looks + 1, many), views


@pytest.mark.parametrize("seed", range(4))
def test_a_way_is_worth_what_it_meets_sooner_whatever_stands_before_it(seed: int) -> None:
    ways, particles, weights, before, views = _world(seed)
    looks, many = particles.shape
    seen, order = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    sums, gains = np.empty(looks + 1), np.empty(len(ways))
    worth = np.sort(np.random.default_rng(seed).random(looks + 1))[::-1].copy()
    kernels.pursuit.rollouts.gains_of(
        ways, particles, weights, before, worth, views, seen, order, sums, gains
    )
    for way, gain in zip(ways, gains, strict=True):
        hits = [
            [t for t in range(before[i]) if views[way[t], particles[t, i]]] for i in range(many)
        ]
        assert gain == pytest.approx(
            sum(
                weights[i] * (worth[hit[0]] - worth[before[i]]) for i, hit in enumerate(hits) if hit
            )
        )
        alone = np.empty(1)
        kernels.pursuit.rollouts.gains_of(
            way[np.newaxis], particles, weights, before, worth, views, seen, order, sums, alone
        )
        assert alone[0] == gain  # to the last bit: what ways have in common changes nothing
        assert seen.tolist() == [hit[0] if hit else looks for hit in hits]


@pytest.mark.parametrize("kind", SPACES)
def test_a_way_leads_on_the_shortest_way_to_its_landmark_a_step_each_moment(kind: str) -> None:
    space = SPACES[kind]
    search, last = party(space)
    search.places(space.position_of(np.array([last])), np.random.default_rng(0))
    particles = search._particles
    assert particles is not None
    marks = particles.landmarks
    ways = np.full((len(marks.places), 200), last, dtype=np.int32)
    marks.extend(ways, particles.step, np.arange(len(ways)))
    for way, place, away in zip(
        ways, marks.places.tolist(), marks.away[:, last].tolist(), strict=True
    ):
        steps = away / space.typical_step
        assert way[-1] == place and abs(int(np.flatnonzero(way == place)[0]) - steps) <= 2
        left = fc.distance_map(space, space.position_of(place)).values.reshape(-1)[way]
        assert (np.diff(left) <= 0).all()


def test_a_party_goes_on_from_its_memory_bit_for_bit() -> None:
    search, last = party(CAVE, every=1.0)
    other = SearchParty(CAVE, search.speed, every=1.0)
    rng, dice = np.random.default_rng(1), np.random.default_rng(1)
    at = CAVE.position_of(np.array([last, last]))
    for moment in range(30):
        search.advance(1 / 3)
        search.observe(fc.visible(CAVE, at, 5.0))
        if moment % 7 == 3:
            other.restore(search.snapshot())
            assert (other._waypoints == search._waypoints).all() and (
                other._ends == search._ends
            ).all()
            dice.bit_generator.state = rng.bit_generator.state
            assert (other.places(at, dice) == search.places(at, rng)).all()
        at = np.array(
            [
                fc.distance_map(CAVE, aim).step(here).positions
                for aim, here in zip(search.places(at, rng), at, strict=True)
            ]
        )


def test_refusals() -> None:
    for options in ({"motion": "runs"}, {"particles": 0}, {"sight": -1.0}, {"every": 0}):
        with refused(InvalidValue):
            SearchParty(CAVE, 3.0, **options)
    with refused(InvalidValue):
        Motion(runs=0, hides=0, doubles_back=0, stands=0, wanders=0)
    with refused(InvalidValue):
        Motion(turn=(3.0, 1.0))
    good = party(CAVE)[0].snapshot()
    broken = ([], {}, {"last": 3}, good | {"last": 10**6}, good | {"ends": np.zeros(3)})
    for memory in (*broken, good | {"velocity": np.zeros(3)}, good | {"particles": {}}):
        with refused(InvalidValue, "A search party continues from its own snapshot()"):
            SearchParty(CAVE, 3.0).restore(memory)  # type: ignore[arg-type]


def test_who_doubles_back_goes_round_what_the_nearest_searcher_sees() -> None:
    walls = np.zeros((21, 70), dtype=bool)
    walls[5:16, 10:60] = True
    walls[10, 5:65] = False  # a corridor, and ways round it on both sides
    space = fc.Grid(70, 21, walls=walls, neighbors=8)
    motion = Motion(runs=0, hides=0, doubles_back=1, stands=0, wanders=0, turn=(2.0, 4.0), far=20)
    search = SearchParty(space, 3.0, sight=8.0, motion=motion)
    search.lost((61.5, 10.5), (3.0, 0.0))
    search.places(np.array([(58.5, 10.5)]), np.random.default_rng(2))
    particles = search._particles
    assert particles is not None
    watched = fc.visible(space, (58.5, 10.5), 8.0).reshape(-1)
    rows = particles.ahead(70, np.arange(len(particles.cells)), np.random.default_rng(0))
    after = np.arange(len(rows))[:, np.newaxis] > particles.turns + 2
    west = space.positions[rows[-1]][:, 0] < 55
    assert (
        west.mean() > 0.5
        and (watched[rows] & after & ~watched[rows[particles.turns, np.arange(rows.shape[1])]])[
            :, west
        ].mean()
        < 0.02
    )


def test_tracks_go_straight_on_where_the_way_is_as_short() -> None:
    space = fc.Grid(50, 30, neighbors=8)
    search = SearchParty(
        space,
        3.0,
        sight=5.0,
        motion=Motion(runs=1, hides=0, doubles_back=0, stands=0, wanders=0, far=20),
    )
    search.lost((5.5, 15.5), (3.0, 0.0))
    search.places(np.array([(1.5, 15.5)]), np.random.default_rng(2))
    particles = search._particles
    assert particles is not None
    off = space.positions[particles.landmarks.places[particles.goals]] - (5.5, 15.5)
    east = off[:, 0] > np.abs(off[:, 1]) + 6
    moves = np.diff(
        space.positions[
            particles.ahead(4, np.arange(len(particles.cells)), np.random.default_rng(0))
        ],
        axis=0,
    )
    assert (off[east, 1] < -2).any() and (off[east, 1] > 2).any()
    assert (moves[:, east, 1] == 0).all() and (moves[:, east, 0] >= 1).all()


def test_what_was_looked_up_beforehand_changes_no_answer() -> None:
    answers = []
    for prepared in (False, True):
        space = fc.generate_map("cave", 47, 36, seed=4, neighbors=8)
        if prepared:
            fc.SearchParty(space, 3.0).prepare()
        search, last = party(space)
        rng = np.random.default_rng(3)
        here = space.position_of(np.array([last, int(space.nearest_open(900))]))
        told = []
        for _ in range(12):
            search.advance(0.5)
            search.observe(fc.visible(space, here, 5.0))
            told.append(search.places(here, rng))
        answers.append(np.array(told))
    np.testing.assert_array_equal(*answers)


def test_searchers_are_thought_of_in_turn() -> None:
    search, last = party(CAVE, every=3.0)
    rng, at = np.random.default_rng(1), CAVE.position_of(np.full(8, last))
    search.places(at, rng)
    assert (search._planned == 0).sum() == 3 and (search._planned == -1).sum() == 5
    assert (search._ends >= 0).all()  # and yet all were sent somewhere
    for _ in range(2):
        search.advance(0.25)
        search.places(at, rng)
    assert (search._planned >= 0).all()
    thoughts = search._planned.copy()
    search.advance(0.25)
    search.places(at, rng)
    assert (search._planned == thoughts).all()  # none is due
    search.advance(2.25)
    search.places(at, rng)
    assert (
        (search._planned != thoughts) == (thoughts == thoughts.min())
    ).all()  # who has waited longest


def test_looks_of_one_moment_are_one() -> None:
    search, last = party(CAVE)
    for _ in range(50):
        search.observe([last])
        search.observe([last + 1, last])
    assert [cells.tolist() for _, cells in search._observed] == [[last, last + 1]]


@pytest.mark.parametrize(
    "motion",
    [
        Motion(hides=0, doubles_back=0),
        Motion(doubles_back=1, turn=(1.0, 90.0)),
        Motion(0, 0, 0, 0, 1),
    ],
)
def test_any_motion_is_followed_and_remembered(motion: Motion) -> None:
    search, last = party(CAVE, motion=motion)
    at, rng = CAVE.position_of(np.array([last])), np.random.default_rng(0)
    other = SearchParty(CAVE, search.speed, motion=motion)
    for _ in range(10):
        search.places(at, rng)
        other.restore(search.snapshot())
        search.advance(4.0)
    assert (
        search.values is not None
        and other.values is not None
        and (other.values == search.values).all()
    )


def test_no_particle_begins_anew_farther_than_the_target_can_have_walked() -> None:
    walls = np.ones((40, 12), dtype=bool)
    walls[0, :] = walls[:, 11] = False
    grid = fc.Grid(12, 40, walls=walls, neighbors=4)
    search = fc.SearchParty(grid, 3.0, motion=fc.Motion(0, 0, 0, stands=1, wanders=0))
    search.lost((11.5, 0.5), (0.0, 3.0))
    view = fc.visible(grid, (0.5, 0.5), 50.0)
    rng = np.random.default_rng(1)
    for _ in range(20):
        search.advance(1 / 30)
        search.observe(view)
        search.places([(0.5, 0.5)], rng)
    values = search.values
    assert values is not None and values[4:].sum() == 0 and values.sum() > 0
