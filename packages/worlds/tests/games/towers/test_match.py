"""Whole matches: the same seed is the same match, states are never touched, caches show in nothing,
and it ends on any map.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft_worlds.games.towers import GAME, Settings, TowerRules, UnitRules
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.rules import start, step
from fieldcraft_worlds.games.towers.state import NOBODY, State
from fieldcraft_worlds.play.session import play_out
from support import realdata

SMALL = Settings(
    towers=3,
    units=40,
    supply=12,
    rate=10,
    limit=120,
    tower=TowerRules(range=7, reach=12, sight=9, health=120),
)


def begun(
    space: fc.Grid, settings: Settings, seed: int = 0
) -> tuple[TowersDerived, State, np.random.Generator]:
    rng = np.random.default_rng(seed)
    derived = TowersDerived(space, settings)
    return derived, start(derived, rng), rng


def cave() -> fc.Grid:
    return fc.generate_map("cave", 52, 36, seed=5, neighbors=8)


@pytest.mark.parametrize("kind", ["cave", "rooms"])
def test_no_unit_is_ever_in_a_wall_or_a_tower(kind: str) -> None:
    fast = replace(SMALL, unit=UnitRules(speed=25, force=400), limit=30)
    space = fc.generate_map(kind, 52, 36, seed=5, neighbors=8)
    derived, state, rng = begun(space, fast)
    met = 0
    for _ in range(200):
        state = step(derived, state, (), rng)
        derived.follow_towers(state.towers)
        if len(state.units):
            cells = derived.walking.cell_at(state.units.positions)
            assert not derived.walking.walls.reshape(-1)[cells].any()
            assert not space.walls.reshape(-1)[cells].any()
        met += len(state.shots)
    assert met


def test_three_teams_play_until_one_is_left() -> None:
    three = replace(
        SMALL,
        teams=("red", "blue", "green"),
        commanders=("shortest", "planner", "influence"),
        towers=2,
        limit=300,
    )
    space = fc.generate_map("open", 60, 44, seed=3, neighbors=8)
    state = play_out(GAME, space, three, seed=2).state
    assert state.winner in (0, 1, 2, NOBODY)
    assert len(state.scores) == 3
    assert state.destroyed.sum() >= 2


def parted() -> fc.Grid:
    walls = np.zeros((30, 50), dtype=bool)
    walls[:, 24:26] = True
    return fc.Grid(50, 30, walls=walls)


def test_where_no_tower_can_be_reached_the_match_ends_in_a_tie() -> None:
    from fieldcraft_worlds.games.towers.orders import Begin, Place

    placed = replace(SMALL, towers=1, layout="placed", commanders="human", limit=20)
    derived, state, rng = begun(parted(), placed)
    state = step(derived, state, [Place(0, 5.5, 15.5), Place(1, 44.5, 15.5), Begin()], rng)
    led = TowersDerived(parted(), replace(placed, commanders="influence"))
    state = replace(state, by_hand=np.zeros(2, dtype=bool))
    while not state.over:
        state = step(led, state, (), rng)
    assert (state.step, state.winner, state.scores.tolist()) == (200, NOBODY, [0, 0])


def test_units_stay_in_their_world_where_terrain_parts_them() -> None:
    classes = np.zeros((30, 50), dtype=np.int64)
    classes[:, 20:28] = 1
    classes[12:16, 20:28] = 0
    space = fc.Grid(50, 30, terrain=fc.Terrain(classes, np.eye(2, dtype=bool)), neighbors=8)
    derived, state, rng = begun(space, SMALL)
    kinds = set(classes.reshape(-1)[state.towers.cells].tolist())
    assert len(kinds) == 1
    for _ in range(250):
        state = step(derived, state, (), rng)
        assert (
            set(classes.reshape(-1)[np.atleast_1d(space.cell_at(state.units.positions))].tolist())
            <= kinds
        )
    assert state.destroyed.any() or len(state.shots) or state.lost.any()


def test_the_map_that_was_passed_is_not_changed() -> None:
    space = cave()
    before = space.walls.copy()
    play_out(GAME, space, replace(SMALL, limit=30), seed=1)
    assert np.array_equal(space.walls, before)
    assert space.walls_version == 0


@pytest.mark.parametrize("name", ["mapf/room-64-64-8.map"])
def test_a_match_is_played_on_real_maps(name: str) -> None:
    space = fc.load_map(realdata.folder("gridmaps") / "maps" / name)
    match = play_out(GAME, space, replace(SMALL, limit=60), seed=2)
    assert match.state.sent.sum() > 10
    assert match.steps > 50
