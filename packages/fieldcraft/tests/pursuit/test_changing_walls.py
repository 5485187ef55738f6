"""Searches on ground whose walls change meanwhile, down to ground without a step."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.space import Space
from support.chases import a_map
from support.worlds import open_cells

Dice = np.random.Generator


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def restored(party: fc.SearchParty) -> fc.SearchParty:
    other = fc.SearchParty(copy.deepcopy(party.space), party.speed, every=1.0, particles=120)
    other.restore(party.state())
    return other


COPIES = {"deep copy": copy.deepcopy, "pickle": pickled, "state": restored}
SPACES: dict[str, Callable[[Dice], Space]] = {
    "cave": lambda dice: fc.generate_map("cave", 30, 24, seed=int(dice.integers(99)), neighbors=8),
    "torus": lambda dice: fc.Grid(walls=dice.random((9, 11)) < 0.15, wrap=True),
    "hexes": lambda dice: fc.HexGrid(12, 10, walls=dice.random((10, 12)) < 0.2),
    "mesh": lambda dice: copy.deepcopy(a_map("mesh")),
    "waypoints": lambda dice: copy.deepcopy(a_map("waypoints")),
}


def change(space: Space, dice: Dice, seed: int) -> None:
    """Close some open cells or open some walls; often those that a search remembers."""
    draws = np.random.default_rng(seed)
    if draws.random() < 0.3 and space.walls.any():
        walls = np.flatnonzero(space.walls.reshape(-1))
        space.set_walls(draws.choice(walls, min(4, len(walls)), replace=False), False)
    else:
        free = open_cells(space)
        space.set_walls(draws.choice(free, len(free) // 12, replace=False))


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("kind", SPACES)
def test_a_party_follows_walls_as_its_copies_do(kind: str, how: str) -> None:
    dice = np.random.default_rng(7)
    for seed in range(4):
        space = SPACES[kind](dice)
        free = open_cells(space)
        party = fc.SearchParty(space, 3.0 * space.typical_step, every=1.0, particles=120)
        party.lost(space.position_of(int(free[len(free) // 3])), (2.0, 1.0))
        searchers = space.position_of(free[:: max(len(free) // 3, 1)][:3])
        other, rng = party, np.random.default_rng(seed)
        for turn in range(10):
            party.advance(0.5)
            party.observe(fc.visible(space, searchers[0], 3 * space.typical_step))
            if other is not party:
                other.advance(0.5)
                other.observe(fc.visible(space, searchers[0], 3 * space.typical_step))
            if turn == 3:
                change(space, dice, 100 + seed)  # the copy is made before the party has seen it
                other = COPIES[how](party)
            elif turn in (5, 6):
                change(space, dice, turn + seed)
                change(other.space, dice, turn + seed)
            draws = copy.deepcopy(rng)
            places = party.places(searchers, rng)
            if other is not party:
                assert np.array_equal(other.places(searchers, draws), places)
                assert np.array_equal(other.values, party.values)
            assert not space.walls.reshape(-1)[np.atleast_1d(space.cell_at(places))].any()
            assert party.values is not None and not party.values[space.walls].any()
            assert party.values.sum() == pytest.approx(1, abs=1e-5)


def test_no_searcher_is_sent_into_a_new_wall() -> None:
    corridor = fc.Grid(7, 1)
    for seed in range(10):
        party = fc.SearchParty(corridor.with_walls(None), 1.0, particles=60)
        party.lost((0.5, 0.5), (0.0, 0.0))
        rng = np.random.default_rng(seed)
        party.places([(4.5, 0.5)], rng)
        party.space.set_walls([0, 1, 2])
        assert party.estimate()[0] >= 3 and not party.values[0, :3].any()
        for _ in range(3):
            party.advance(3.0)
            assert party.places([(4.5, 0.5)], rng)[0, 0] >= 3


@pytest.mark.parametrize("neighbors", [4, 8])
@pytest.mark.parametrize("shape", [(1, 4), (2, 4), (4, 1), (3, 2)])
def test_searches_on_a_narrow_torus_end(shape: tuple[int, int], neighbors: int) -> None:
    walls = np.zeros(shape[::-1], dtype=bool)
    walls.flat[-1] = True
    torus = fc.Grid(walls=walls, wrap=True, neighbors=neighbors)
    party = fc.SearchParty(torus, 3.0, particles=60)
    party.lost(torus.position_of(0), (1.0, 0.0))
    place = party.places(torus.position_of(0), np.random.default_rng(1))
    assert torus.cell_at(place[0]) != len(torus) - 1
    belief = fc.Belief(torus, 3.0, motion=fc.Motion())
    belief.see(torus.position_of(0), velocity=(1.0, 0.0))
    belief.advance(3.0)
    assert belief.values.sum() == pytest.approx(1, abs=1e-5)


def _grid() -> tuple[Space, Callable[[], None]]:
    grid = fc.Grid(3, 1)
    return grid, lambda: grid.set_walls([1])


def _hexes() -> tuple[Space, Callable[[], None]]:
    hexes = fc.HexGrid(3, 1)
    return hexes, lambda: hexes.set_walls([1])


def _waypoints() -> tuple[Space, Callable[[], None]]:
    graph = fc.Graph([(0.5, 0.5), (1.5, 0.5), (2.5, 0.5)], [(0, 1), (1, 2)])
    return graph, lambda: graph.set_edges([(0, 1), (1, 2)])


def _many() -> tuple[Space, Callable[[], None]]:
    places = np.stack([np.arange(5000) + 0.5, np.full(5000, 0.5)], axis=1)
    edges = np.stack([np.arange(4999), np.arange(1, 5000)], axis=1)
    graph = fc.Graph(places, edges)
    return graph, lambda: graph.set_edges(edges)


@pytest.mark.parametrize("made", [_grid, _hexes, _waypoints, _many])
def test_without_steps_a_target_stays_where_it_is(made: Any) -> None:
    space, close = made()
    start = space.position_of(0)
    motions = [None, fc.Motion(), fc.pursuit.motion.Journey([start]), fc.pursuit.motion.Run()]
    beliefs = [fc.Belief(space, 1.0, motion=motion) for motion in motions]
    party = fc.SearchParty(space, 1.0, particles=60, motion=fc.Motion(near=(0.0, 16.0)))
    pursuit, seen = fc.Pursuit(space, 0, (1.0, 0.0)), fc.LastSeen(space, unseen=9.0)
    for belief in beliefs:
        belief.see(start, velocity=(1.0, 0.0))
    party.lost(start, (1.0, 0.0))
    close()
    for belief in beliefs:
        belief.advance(3.0)
        assert belief.values.reshape(-1)[0] == pytest.approx(1)
        assert not belief.observe(np.arange(len(space)))  # it is somewhere all the same
        assert belief.values.reshape(-1)[0] == pytest.approx(1)
        assert not belief.observe([0])  # it is wrong, and begins anew elsewhere
        belief.advance(1.0)
        assert np.isfinite(belief.values).all() and belief.values.sum() == pytest.approx(1)
        assert len(belief.assign([start])) == 1
    party.advance(3.0)
    party.places([start], np.random.default_rng(1))
    assert party.values is not None and party.values.reshape(-1)[0] == pytest.approx(1)
    pursuit.advance(3.0)
    assert len(pursuit.assign([start])) == len(seen.assign([start])) == 1


def test_a_search_is_prepared_where_all_is_walls() -> None:
    grid = fc.Grid(4, 3)
    party = fc.SearchParty(grid, 1.0)
    grid.set_walls(np.arange(12))
    party.prepare()
    grid.set_walls([5], False)
    party.prepare()
