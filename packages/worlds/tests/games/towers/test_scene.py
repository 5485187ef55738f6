"""What is seen of a match, and what inputs make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import fieldcraft as fc
from fieldcraft_worlds.games.game import InputEvent, InputFrame
from fieldcraft_worlds.games.towers import Settings, TowerRules
from fieldcraft_worlds.games.towers.orders import (
    Advance,
    Begin,
    Command,
    Place,
    Remove,
    Send,
    Strike,
)
from fieldcraft_worlds.games.towers.plugin import GAME, TowerWorld
from fieldcraft_worlds.games.towers.state import State

RULES = Settings(towers=2, units=20, rate=10, tower=TowerRules(range=7, reach=12))


def world(settings: Settings = RULES) -> tuple[TowerWorld, State, np.random.Generator]:
    rng = np.random.default_rng(3)
    opened = GAME.open(fc.generate_map("cave", 52, 36, seed=5, neighbors=8), settings)
    return opened, opened.start(rng), rng


def played(steps: int, settings: Settings = RULES) -> tuple[TowerWorld, State]:
    opened, state, rng = world(settings)
    for _ in range(steps):
        state = opened.step(state, (), rng)
    return opened, state


def test_what_is_seen_is_what_the_layers_say() -> None:
    opened, state = played(60)
    field = {
        name: opened.scene(state, frozenset([name])).field
        for name in ("influence", "tension", "vulnerability", "threat")
    }
    teams = opened.derived.teams
    own, other = (teams[name].values for name in RULES.teams)
    expected = {
        "influence": own - other,
        "tension": own + other,
        "vulnerability": 2 * np.minimum(own, other),
    }
    for name, values in expected.items():
        assert field[name] is not None
        np.testing.assert_allclose(field[name].values, values, atol=1e-5)
    np.testing.assert_array_equal(field["threat"].values, opened.derived.threat(0))
    units, towers = opened.scene(state, frozenset()).marks
    np.testing.assert_array_equal(units.positions, state.units.positions)
    assert len(towers.positions) == len(state.towers)
    paths = opened.scene(state, frozenset(["paths"])).lines[:-1]
    assert paths
    assert all(len(line) > 1 for lines in paths for line in lines.points)


def test_the_result_names_the_winner() -> None:
    opened, state = played(5)
    assert opened.result(state) is None
    assert opened.result(replace(state, over=True, winner=1)) == "orange wins"
    assert opened.result(replace(state, over=True)) == "a tie"


def press(action: str, position: tuple[float, float] | None = None, **chosen: str) -> InputFrame:
    return InputFrame((InputEvent(action, "press", position),), position, chosen)


def test_hands_place_towers_and_begin() -> None:
    opened, state, _ = world(replace(RULES, commanders=("human", "influence"), layout="placed"))
    assert opened.orders(state, press("place or send", (20.2, 9.0))) == (Place(0, 20.2, 9.0),)
    assert opened.orders(state, press("begin")) == (Begin(),)
    spot = next(cell for cell in range(len(opened.space)) if _fits(opened, state, cell))
    x, y = opened.space.position_of(spot).tolist()
    state = opened.step(state, [Place(0, x, y)], np.random.default_rng(0))
    tower = int(state.towers.ids[state.towers.teams == 0][0])
    assert opened.orders(state, press("move or strike", (x, y))) == (Remove(0, tower),)


def _fits(opened: TowerWorld, state: State, cell: int) -> bool:
    x, y = opened.space.position_of(cell).tolist()
    try:
        opened.step(state, [Place(0, x, y)], np.random.default_rng(0))
    except fc.FieldcraftError:
        return False
    return True


def test_hands_lead_squads() -> None:
    opened, state, _ = world(replace(RULES, commanders=("human", "influence")))
    own, enemy = (int(state.towers.ids[state.towers.teams == team][0]) for team in (0, 1))
    at = {
        tower: tuple(
            opened.space.position_of(state.towers.cells[state.towers.ids == tower][0]).tolist()
        )
        for tower in (own, enemy)
    }
    assert opened.orders(state, press("place or send", at[own], squad="squad 3")) == (
        Send(0, own, 5, 2),
    )
    assert opened.orders(state, press("place or send", at[enemy])) == ()
    assert opened.orders(state, press("move or strike", at[enemy], route="safe path")) == (
        Strike(0, 0, enemy, True),
    )
    assert opened.orders(state, press("move or strike", (30.0, 20.0), squad="squad 2")) == (
        Advance(0, 1, 30.0, 20.0, False),
    )
    assert (
        opened.orders(state, InputFrame((InputEvent("move or strike", "hold", (30.0, 20.0)),)))
        == ()
    )
    assert opened.orders(state, press("move or strike")) == ()


def test_a_team_can_be_taken_over_and_given_back() -> None:
    opened, state, rng = world()
    assert opened.orders(state, press("move or strike", (30.0, 20.0))) == ()  # its commander leads
    assert opened.orders(state, press("lead", side="side 2")) == (Command(1, True),)
    taken = opened.step(state, opened.orders(state, press("lead")), rng)
    assert taken.by_hand.tolist() == [True, False]
    for _ in range(20):
        taken = opened.step(taken, (), rng)
    assert taken.sent[0] == 0
    assert taken.sent[1] > 0
    given = opened.step(taken, opened.orders(taken, press("lead")), rng)
    for _ in range(20):
        given = opened.step(given, (), rng)
    assert given.sent[0] > 0


def test_the_default_map_is_played_on() -> None:
    opened = GAME.open(GAME.default_map(), Settings())
    state = opened.start(np.random.default_rng(0))
    assert len(state.towers) == 14
    assert opened.rate == 30
