"""Paths of searchers, and what they meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.pursuit import Motion, SearchParty
from fieldcraft.pursuit.hiding_places import visibility_cache
from fieldcraft.pursuit.party.rollouts import Rollouts
from support.parties import SPACES, party


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
    kernels.pursuit.rollout_steps.gains_of(
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
        kernels.pursuit.rollout_steps.gains_of(
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


def test_the_mean_of_particles_on_both_sides_of_a_rim_is_at_the_rim() -> None:
    torus = fc.Grid(30, 9, wrap="x")
    stands = Motion(runs=0, hides=0, doubles_back=0, stands=1, wanders=0)
    search = SearchParty(torus, 1.0, sight=2.0, motion=stands)
    search.lost((0.5, 4.5))
    rng = np.random.default_rng(1)
    search.places([(9.5, 4.5)], rng)
    particles = search._particles
    assert particles is not None
    particles.cells[:] = torus.cell_at((28.5, 4.5))
    particles.cells[::2] = torus.cell_at((2.5, 4.5))
    none = np.empty(0, dtype=np.int64)
    visibility = visibility_cache(torus, search._searcher_sight)
    rollouts = Rollouts(torus, particles, visibility, none, rng)
    ends = np.asarray(torus.cell_at([(15.5, 4.5), (29.5, 4.5)]))
    assert rollouts._nearest_to_mean(ends) == 1
