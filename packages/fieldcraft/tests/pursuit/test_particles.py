"""Particles: possible tracks of a target."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft.pursuit import Motion, SearchParty
from fieldcraft.pursuit.party.particles import HIDES, RUNS, STANDS
from support.parties import CAVE, SPACES, party


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


@pytest.mark.parametrize("column", [8, 15, 16, 0])
def test_on_a_torus_a_target_goes_on_across_the_rim(column: int) -> None:
    torus = fc.Grid(17, 9, wrap=True)
    runner = Motion(runs=1, hides=0, doubles_back=0, stands=0, wanders=0)
    search = SearchParty(torus, 1.0, motion=runner)
    last = (column + 0.5, 4.5)
    search.lost(last, (1.0, 0.0))
    rng = np.random.default_rng(0)
    for _ in range(4):
        search.places(np.array([(4.5, 0.5)]), rng)
        search.advance(1.0)
    search.places(np.array([(4.5, 0.5)]), rng)
    away = torus.shortest_vectors(torus.positions - last)[:, 0]
    assert search.values is not None
    assert (search.values.reshape(-1) * away).sum() > 4


def test_a_wall_elsewhere_diverts_no_particle() -> None:
    """On a grid a target may walk two steps in a moment: such a path is whole."""
    cave = fc.generate_map("cave", 47, 36, seed=4, neighbors=4)
    motion = Motion(runs=0, hides=1, doubles_back=1, stands=0, wanders=0)
    search, last = party(cave, motion=motion)
    search.places(cave.position_of(np.array([last])), np.random.default_rng(3))
    particles = search._particles
    assert particles is not None
    before = particles.path_rows.copy()
    paths = particles.paths[particles.path_rows[before >= 0]]
    joined = cave.adjacency.has_steps(paths[:, :-1].reshape(-1), paths[:, 1:].reshape(-1))
    assert not joined.reshape(len(paths), -1)[paths[:, 1:] != paths[:, :-1]].all()
    elsewhere = np.setdiff1d(np.flatnonzero(~cave.walls.reshape(-1)), paths)
    cave.set_walls(elsewhere[-1:])
    search._follow_walls(np.random.default_rng(3))
    assert particles.path_rows.tolist() == before.tolist()


def test_a_very_long_time_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldcraft.pursuit.party.particles._LONGEST", 5_000)
    monkeypatch.setattr("fieldcraft.pursuit.party.particles._CELLS_AT_ONCE", 100_000)
    search = SearchParty(fc.Grid(9, 7), speed=1.0, particles=100)
    search.lost((0.5, 0.5))
    search.advance(1e9)
    rng = np.random.default_rng(1)
    tracemalloc.start()
    search.places([(4.5, 3.5)], rng)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20_000_000
    particles = search._particles
    assert particles is not None
    assert particles.now == 10**9
    chances = search.values
    assert chances is not None
    assert chances.sum() == pytest.approx(1, rel=1e-5)
