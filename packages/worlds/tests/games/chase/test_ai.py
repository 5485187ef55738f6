"""What hunters make of what happens: patrol, investigate, chase, search; bites, noises, and who is
next_infection.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft_worlds.games.chase.orders import Lead, Pace, Throw, Walk
from fieldcraft_worlds.games.chase.settings import (
    SEARCHING,
    CivilianRules,
    HunterRules,
    PlayerRules,
    Settings,
)
from fieldcraft_worlds.games.chase.state import (
    CHASE,
    CIVILIAN,
    HUNTER,
    INVESTIGATE,
    NOBODY,
    PATROL,
    SEARCH,
    TURNING,
)
from support.chases import SMALL, Chase, a_map, begun, rooms

LONG = fc.Grid(
    60, 9, neighbors=8, walls=np.pad(np.zeros((7, 58), dtype=bool), 1, constant_values=True)
)


def split() -> fc.Grid:
    """A hall with a wall across it, and a door at its lower end."""
    walls = np.pad(np.zeros((18, 38), dtype=bool), 1, constant_values=True)
    walls[1:17, 20] = True
    return fc.Grid(40, 20, walls=walls, neighbors=8)


def duel(space: Any = LONG, **changes: Any) -> Chase:
    """One hunter, and the player by hand, who stands still far away."""
    chase = begun(space, Settings(hunters=1, civilians=0, items=0, limit=100), **changes)
    chase.put(0, (50.5, 4.5) if space is LONG else (30.5, 3.5))
    chase.state = replace(
        chase.state,
        by_hand=True,
        exit=chase.ground.place(2.5, 7.5, chase.state.people.positions[0]),
    )
    chase.put(1, (5.5, 4.5) if space is LONG else (8.5, 3.5), headings=(1.0, 0.0))
    return chase


def mood(chase: Chase) -> int:
    return int(chase.state.people.moods[1])


def test_who_sees_the_player_chases_and_catches_him() -> None:
    chase = duel()
    chase.play()
    assert mood(chase) == PATROL
    chase.put(1, (43.5, 4.5), headings=(1.0, 0.0))
    chase.play(3)
    assert mood(chase) == CHASE
    assert chase.state.people.targets[1] == 0
    assert chase.state.spotted == 1
    while chase.state.hearts == 3:
        chase.play()
        assert chase.state.step < 120
    assert chase.state.breath == chase.settings.player.breath
    stunned = chase.state.people.positions[1]
    chase.play(30)
    np.testing.assert_allclose(chase.state.people.positions[1], stunned, atol=0.6)


def test_behind_his_back_or_behind_a_wall_nobody_is_seen() -> None:
    chase = duel()
    chase.put(1, (43.5, 4.5), headings=(-1.0, 0.0), goals=chase.ground.place(2.5, 4.5, np.zeros(2)))
    chase.play(6)
    assert mood(chase) == PATROL
    walled = duel(split())
    walled.put(0, (23.5, 3.5))
    walled.put(
        1, (17.5, 3.5), headings=(1.0, 0.0), goals=walled.ground.place(18.5, 3.5, np.zeros(2))
    )
    walled.play(4)
    assert walled.state.spotted == 0


def test_who_comes_too_near_is_felt() -> None:
    chase = duel()
    chase.put(1, (49.2, 4.5), headings=(-1.0, 0.0))
    chase.play()
    assert mood(chase) == CHASE


@pytest.mark.parametrize("search", SEARCHING)
def test_who_loses_the_player_searches_and_then_gives_up(search: str) -> None:
    chase = duel(split(), search=search, hunter=HunterRules(patience=2.0, run=0.4, walk=0.3))
    chase.put(0, (30.5, 3.5))
    chase.put(1, (24.5, 3.5), headings=(1.0, 0.0))
    chase.play(3)
    assert mood(chase) == CHASE
    chase.put(0, (3.5, 3.5))
    seen = set()
    for _ in range(200):
        chase.play()
        seen.add(mood(chase))
    assert chase.state.lost == 1
    assert seen == {CHASE, SEARCH, PATROL}
    assert mood(chase) == PATROL


def test_those_near_are_called_to_a_search() -> None:
    chase = begun(
        split(),
        Settings(hunters=3, civilians=0, items=0, hunter=HunterRules(run=0.4, walk=0.3, call=12.0)),
    )
    chase.state = replace(chase.state, by_hand=True)
    chase.put(0, (30.5, 3.5))
    for row, place in ((1, (24.5, 3.5)), (2, (30.5, 12.5)), (3, (3.5, 17.5))):
        chase.put(
            row,
            place,
            headings=(1.0, 0.0) if row == 1 else (-1.0, 0.0),
            goals=chase.ground.place(*place, np.zeros(2)),
        )
    chase.play(3)
    assert chase.state.people.moods.tolist()[1:] == [CHASE, PATROL, PATROL]
    chase.put(0, (3.5, 3.5))
    while not chase.state.lost:
        chase.play()
    assert chase.state.people.moods.tolist()[1:] == [SEARCH, SEARCH, PATROL]


def test_noise_is_looked_into() -> None:
    chase = duel()
    chase.put(1, (34.5, 4.5), headings=(-1.0, 0.0), goals=chase.ground.place(3.5, 4.5, np.zeros(2)))
    stone = (42.5, 4.5)
    chase.play(1, [Throw(*stone)])
    assert chase.state.stones == 3
    for _ in range(40):
        chase.play()
        if mood(chase) == INVESTIGATE:
            break
    assert mood(chase) == INVESTIGATE
    goal = chase.ground.space.position_of(int(chase.state.people.goals[1]))
    np.testing.assert_allclose(goal, stone, atol=1.5)


@pytest.mark.parametrize(("gait", "next_noise"), [("sneak", False), ("walk", False), ("run", True)])
def test_running_is_heard_and_sneaking_is_not(gait: str, next_noise: bool) -> None:
    chase = duel()
    chase.put(1, (41.5, 4.5), headings=(-1.0, 0.0), goals=chase.ground.place(3.5, 4.5, np.zeros(2)))
    chase.play(1, [Pace(gait), Walk(1.0, 0.0)])
    moods = set()
    for _ in range(45):
        chase.play()
        moods.add(mood(chase))
    assert (INVESTIGATE in moods) == next_noise
    assert (chase.state.noise.max() > 0) == (gait != "sneak")


def test_breath_runs_out_and_comes_back() -> None:
    chase = duel(player=PlayerRules(breath=1.0))
    chase.put(0, (5.5, 4.5))
    chase.put(1, (55.5, 4.5), headings=(1.0, 0.0))
    chase.play(30, [Pace("run"), Walk(1.0, 0.0)])
    run = float(chase.state.people.positions[0, 0]) - 5.5
    assert chase.state.breath < 0.2
    chase.play(1, [Pace("sneak")])
    chase.play(30)
    assert chase.state.breath > 0.6
    sneaked = float(chase.state.people.positions[0, 0]) - 5.5 - run
    assert run > 2 * sneaked > 0


def next_infection(**changes: Any) -> Chase:
    """A zombie beside a civilian, the player far off."""
    rules = Settings(
        hunters=1, civilians=1, items=0, civilian=CivilianRules(turning=1.0, feast=0.5)
    )
    chase = begun(LONG, rules, **changes)
    chase.state = replace(chase.state, by_hand=True)
    chase.put(0, (3.5, 4.5))
    chase.put(1, (57.5, 4.5))
    chase.put(2, (55.5, 4.5), headings=(1.0, 0.0))
    return chase


def test_a_bitten_civilian_becomes_a_zombie() -> None:
    chase = next_infection()
    while not chase.state.bitten:
        chase.play()
        assert chase.state.step < 200
    assert chase.state.people.roles.tolist() == [0, TURNING, HUNTER]
    assert len(chase.state.sounds) == 1
    where = chase.state.people.positions[1]
    chase.play(20)
    np.testing.assert_allclose(chase.state.people.positions[1], where, atol=0.8)
    chase.play(15)
    assert chase.state.people.roles.tolist() == [0, HUNTER, HUNTER]
    assert chase.state.people.targets[1] == NOBODY or chase.state.people.moods[1] == CHASE


def test_guards_bite_nobody() -> None:
    chase = next_infection(kind="guards")
    chase.play(120)
    assert chase.state.people.roles.tolist() == [0, CIVILIAN, HUNTER]
    assert chase.derived.infection.name == "enemy"


def test_the_infection_spreads_from_hunters_and_civilians_flee_from_it() -> None:
    chase = next_infection(hunter=HunterRules(walk=0.3, run=0.3))
    chase.put(2, (11.0, 4.5), headings=(1.0, 0.0))
    chase.put(1, (15.5, 4.5))
    chase.play(1)
    assert chase.state.infection[4, 11] == pytest.approx(1.0, abs=0.4)
    start = float(chase.state.people.positions[1, 0])
    chase.play(90)
    assert chase.state.people.positions[1, 0] > start + 3
    values = chase.state.infection[4, 12:40]
    assert (np.diff(values) <= 1e-6).all()
    assert values[0] > values[10] > 0


def test_patrols_go_where_nobody_has_looked_for_long() -> None:
    chase = begun(rooms(), Settings(hunters=3, civilians=0, items=0))
    chase.state = replace(chase.state, by_hand=True)
    chase.put(0, rooms().position_of(chase.ground.home[0]))
    chase.play(1)
    waited = chase.derived.waited(chase.state.seen)
    goals = chase.state.people.goals[1:]
    assert (waited.reshape(-1)[goals] > 30).all()
    assert len(set(goals.tolist())) == 3
    chase.play(400)
    assert (chase.derived.waited(chase.state.seen) < 60).mean() > 0.4


def test_all_found_opens_the_exit() -> None:
    chase = begun(LONG, SMALL)
    chase.state = replace(chase.state, by_hand=True)
    for row in range(1, len(chase.state.people.roles)):
        chase.put(row, (5.5, 4.5), roles=CIVILIAN)
    chase.put(0, chase.ground.space.position_of(chase.state.exit))
    chase.play()
    assert not chase.state.over
    for cell in chase.state.items.cells.tolist():
        chase.put(0, chase.ground.space.position_of(cell))
        chase.play()
    assert chase.state.items.taken.all()
    chase.put(0, chase.ground.space.position_of(chase.state.exit))
    chase.play()
    assert chase.state.outcome == "escaped"
    assert chase.play(5).step == chase.state.step


def test_left_to_himself_he_fetches_things_and_keeps_away() -> None:
    chase = begun(rooms(), Settings(hunters=1, civilians=0, items=3, limit=30), seed=1)
    while not chase.state.over:
        chase.play()
    assert chase.state.items.taken.sum() >= 2
    assert chase.state.hearts >= 2


@pytest.mark.parametrize("kind", ["mesh", "waypoints"])
def test_moods_change_on_graphs_too(kind: str) -> None:
    chase = begun(a_map(kind), Settings(hunters=5, civilians=60, items=3), seed=1)
    seen: set[int] = set()
    while not chase.state.bitten:
        state = chase.play()
        seen |= set(state.people.moods[state.people.rows(HUNTER)].tolist())
        assert state.step < 400
    assert CHASE in seen
    assert len(seen) > 1


def test_led_by_hand_and_by_himself() -> None:
    chase = duel()
    chase.play(1, [Lead(False)])
    assert not chase.state.by_hand
    chase.play(1, [Walk(0.0, 0.0)])
    assert chase.state.by_hand
