"""Whole chases: the same seed is the same chase, states are never touched, caches show in nothing,
nobody leaves the map.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.encoding import digest, from_bytes, to_bytes
from fieldcraft_worlds.games.chase import GAME, HunterRules, Settings
from fieldcraft_worlds.games.chase.derived import ChaseDerived
from fieldcraft_worlds.games.chase.ground import ground_of
from fieldcraft_worlds.games.chase.plugin import KINDS
from fieldcraft_worlds.games.chase.rules import step
from fieldcraft_worlds.games.chase.settings import SEARCHING
from fieldcraft_worlds.games.chase.state import HUNTER, NOTHING
from fieldcraft_worlds.play.session import Session, play_out
from support import realdata
from support.chases import KINDS_OF_MAPS, SMALL, a_map, begun, rooms
from support.refusals import refused


@pytest.fixture(params=KINDS_OF_MAPS)
def space(request: pytest.FixtureRequest) -> Any:
    return a_map(request.param)


def test_caches_show_in_nothing(space: Any) -> None:
    """Each step by a new ground and new derived, from a state that was packed: as by those that have
    played all along.
    """
    chase = begun(space, seed=1, hunters=8, civilians=30, hunter=HunterRules(view=14))
    state, rng = chase.state, np.random.default_rng()
    rng.bit_generator.state = chase.rng.bit_generator.state
    for number in range(50):
        chase.play()
        if number % 10 == 0:  # old states in between, which must leave no trace
            step(chase.derived, state, (), np.random.default_rng(1))
        if number % 5 == 0:
            derived = ChaseDerived(ground_of(space, 0.0), chase.settings)
            state = from_bytes(to_bytes(state, KINDS), KINDS)
        state = step(derived, state, (), rng)
    assert chase.state.spotted + chase.state.bitten > 0
    assert digest(state, KINDS) == digest(chase.state, KINDS)


def test_nobody_leaves_the_ground(space: Any) -> None:
    def watch(session: Session) -> None:
        people, ground = session.state.people, session.world.derived.ground
        cells = ground.cells_of(people.positions)
        assert not ground.space.walls.reshape(-1)[cells].any()
        np.testing.assert_allclose(np.linalg.norm(people.headings, axis=1), 1.0)
        if ground.is_straight:
            assert (cells == people.cells).all()
            return
        starts = ground.space.position_of(people.cells)
        ends = np.where(
            (people.ahead == NOTHING)[:, None],
            starts,
            ground.space.position_of(np.maximum(people.ahead, 0)),
        )
        detour = np.linalg.norm(people.positions - starts, axis=1) + np.linalg.norm(
            people.positions - ends, axis=1
        )
        np.testing.assert_allclose(detour, np.linalg.norm(ends - starts, axis=1), atol=1e-9)
        for row in np.flatnonzero(people.ahead != NOTHING).tolist():
            assert people.ahead[row] in ground.space.neighbors_of(int(people.cells[row]))

    play_out(GAME, space, SMALL, seed=1, most_steps=40, watch=watch)


def test_nobody_is_faster_than_the_rules_say(space: Any) -> None:
    chase = begun(space, seed=6)
    fastest = 1.1 * chase.settings.player.run * chase.ground.unit / chase.settings.rate
    for _ in range(40):
        before = chase.state.people.positions
        after = chase.play().people.positions
        assert np.linalg.norm(after - before, axis=1).max() <= fastest + 0.1 * chase.ground.unit


@pytest.mark.parametrize("search", SEARCHING)
def test_each_search_and_kind_of_hunter_plays(search: str) -> None:
    state = play_out(
        GAME,
        rooms(),
        replace(SMALL, search=search, kind="guards", hunter=HunterRules(view=14)),
        seed=8,
        most_steps=200,
    ).state
    assert state.spotted > 0
    assert state.bitten == 0
    assert len(state.people.rows(HUNTER)) == SMALL.hunters


def test_it_ends() -> None:
    match = play_out(GAME, rooms(), replace(SMALL, limit=5), seed=1)
    assert match.state.outcome in ("survived", "escaped", "caught")
    assert match.steps <= 150


def test_maps_that_are_too_small_are_refused() -> None:
    with refused(InvalidValue, "A chase needs 30 connected cells"):
        play_out(GAME, fc.Grid(5, 5), SMALL)
    with refused(InvalidValue, "room for 40 items"):
        play_out(GAME, fc.Grid(6, 6), replace(SMALL, items=40))
    with refused(InvalidValue, "A chase is played on a map"):
        play_out(GAME, [[0, 0]], SMALL)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "cats"},
        {"search": "luck"},
        {"hunters": 0},
        {"limit": 0.0},
        {"scale": -1.0},
        {"player": None},
        {"hunters": 10**9},
        {"civilians": 10**9},
        {"items": 10**9},
    ],
)
def test_settings_out_of_range_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        Settings(**change)


REAL = [
    ("navmesh", "cs2/de_dust2.json"),
    ("waypoints", "quake/e4m5.navjson"),
]


@pytest.mark.parametrize(("folder", "name"), REAL, ids=lambda part: str(part).rsplit("/", 1)[-1])
def test_real_maps_play(folder: str, name: str) -> None:
    space = fc.load_map(realdata.folder(folder) / name)
    assert play_out(GAME, space, Settings(), seed=1, most_steps=45).steps == 45
