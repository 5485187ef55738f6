"""The agent on hand-made states, without Java."""

from __future__ import annotations

import json

import pytest

from research.microrts.agent import Agent
from research.microrts.board import Settings
from research.microrts.game import (
    ATTACK,
    HARVEST,
    MOVE,
    PRODUCE,
    Kind,
    Order,
    State,
    orders_text,
    read_state,
)

KINDS = {
    "Resource": Kind("Resource", 1, 1, 1, 1, 10, 10, 10, 10, False, False, False),
    "Base": Kind("Base", 10, 10, 1, 1, 200, 10, 10, 10, False, False, False),
    "Barracks": Kind("Barracks", 5, 4, 1, 1, 100, 10, 10, 10, False, False, False),
    "Worker": Kind("Worker", 1, 1, 1, 1, 50, 10, 5, 20, True, True, True),
    "Light": Kind("Light", 2, 4, 2, 1, 80, 8, 5, 10, True, True, False),
    "Heavy": Kind("Heavy", 3, 8, 4, 1, 120, 10, 5, 10, True, True, False),
    "Ranged": Kind("Ranged", 2, 1, 1, 3, 100, 10, 5, 10, True, True, False),
}
KIND_NAMES = ("Base", "Barracks", "Worker", "Worker", "Light", "Heavy", "Ranged")


def state(
    rows: list[str],
    actions: dict[tuple[int, int], tuple[int, dict[str, object]]] | None = None,
    resources: int = 0,
    time: int = 100,
) -> State:
    """Read a drawing: B, K, W, L, H, R are own units, small letters the enemy's, $ a deposit. A
    worker with a load is C.
    """
    names = dict(zip("BKWCLHR", KIND_NAMES, strict=True))
    units, assigned = [], []
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter in ".#":
                continue
            name = "Resource" if letter == "$" else names[letter.upper()]
            player = -1 if letter == "$" else int(letter.islower())
            units.append(
                {
                    "type": name,
                    "ID": len(units) + 1,
                    "player": player,
                    "x": x,
                    "y": y,
                    "resources": {"$": 9, "C": 1}.get(letter, 0),
                    "hitpoints": KINDS[name].hp,
                }
            )
            if (x, y) in (actions or {}):
                begun, action = actions[x, y]
                assigned.append({"ID": len(units), "time": begun, "action": action})
    text = {
        "time": time,
        "pgs": {
            "width": len(rows[0]),
            "height": len(rows),
            "terrain": "".join("1" if c == "#" else "0" for row in rows for c in row),
            "players": [{"ID": 0, "resources": resources}, {"ID": 1, "resources": 0}],
            "units": units,
        },
        "actions": assigned,
    }
    return read_state(json.dumps(text), KINDS, 0)


def orders(drawn: State, **settings: object) -> dict[int, Order]:
    return {order.unit: order for order in Agent(Settings(**settings)).orders(drawn)}


def test_a_fighter_strikes_who_stays_and_spares_who_leaves() -> None:
    rows = ["......", ".Hw...", ".w...."]
    assert orders(state(rows))[1].action == ATTACK
    leaving = {(2, 1): (94, {"type": 1, "parameter": 1})}
    assert orders(state(rows, leaving))[1].cell == (1, 2)
    staying = {(2, 1): (96, {"type": 1, "parameter": 1}), (1, 2): (92, {"type": 1, "parameter": 3})}
    assert orders(state(rows, staying))[1].cell == (2, 1)


def test_two_fighters_do_not_waste_strikes_on_one_enemy() -> None:
    found = orders(state(["..w....", ".RwR..."]))
    assert {order.cell for order in found.values()} == {(2, 0), (2, 1)}


def test_a_worker_steps_beside_an_enemy_that_cannot_strike_back() -> None:
    rows = [".......", ".W.w...", "......."]
    careful = {"attack_ratio": 0.0, "progress": 0.0, "loss": 1.5}
    busy = {(3, 1): (91, {"type": 0, "parameter": 30})}
    assert 1 not in orders(state(rows), **careful)
    assert orders(state(rows, busy), **careful)[1] == Order(1, MOVE, 1)
    assert 1 not in orders(state(rows, busy), **careful, blank=True)


def test_workers_harvest_and_the_base_trains() -> None:
    found = orders(state(["$W....", ".B....", ".....b"], resources=3))
    assert found[2].action == HARVEST
    assert found[3].action == PRODUCE and found[3].product == "Worker"


@pytest.mark.parametrize(("resources", "harvests"), [(6, True), (9, False)])
def test_harvesters_fight_raiders_while_there_are_resources(resources: int, harvests: bool) -> None:
    found = orders(state(["$W.....", ".B.....", "...w..b"], resources=resources))
    assert (2 in found and found[2].action == HARVEST) == harvests


@pytest.mark.parametrize(("between", "trains"), [(4, False), (14, True)])
def test_workers_wait_for_fighters_where_bases_are_near(between: int, trains: bool) -> None:
    found = orders(state(["K.B" + "." * between + "b", "W.W" + "." * between + "."], resources=1))
    assert (2 in found and found[2].product == "Worker") == trains


@pytest.mark.parametrize(("enemy", "trained"), [("l", "Light"), ("h", "Ranged")])
def test_barracks_train_the_counter_of_heavy_fighters(enemy: str, trained: str) -> None:
    found = orders(state(["K.........", "..........", "........b" + enemy], resources=2))
    assert found[1].product == trained


def test_orders_are_written_as_the_game_reads_them() -> None:
    written = json.loads(
        orders_text([Order(3, ATTACK, cell=(2, 1)), Order(4, PRODUCE, 1, product="Worker")])
    )
    assert written == [
        {"unitID": 3, "unitAction": {"type": 5, "x": 2, "y": 1}},
        {"unitID": 4, "unitAction": {"type": 4, "parameter": 1, "unitType": "Worker"}},
    ]


@pytest.mark.parametrize(("verb", "ends"), [(1, 108), (2, 118), (5, 103)])
def test_actions_end_when_the_game_says(verb: int, ends: int) -> None:
    action = {"type": verb, "parameter": 1, "x": 2, "y": 0}
    unit = state([".W..", "...."], {(1, 0): (98, action)}).own()[0]
    assert unit.ends == ends and unit.target == ((2, 0) if verb == MOVE else (1, 0))


@pytest.mark.parametrize(
    ("row", "below", "step"),
    [("B...H..w....", "............", 1), ("B.W.W..h....", ".......h....", 3)],
    ids=["strong", "weak"],
)
def test_a_fighter_follows_the_balance_of_presence_around_it(
    row: str, below: str, step: int
) -> None:
    """It attacks where its own side is stronger, although the enemy is stronger on the whole, and
    falls back towards its own side where the enemy is; without layers it holds.
    """
    drawn = state([row, below, "........b...", *["." * 12] * 8, "......hhhhhh"])
    unit = next(u.id for u in drawn.own() if u.cell == (4, 0))
    assert orders(drawn, harvesters=0)[unit] == Order(unit, MOVE, step)
    assert unit not in orders(drawn, harvesters=0, blank=True)


def test_an_idle_worker_in_the_way_takes_over_the_harvest() -> None:
    agent = Agent(Settings(army="", most_workers=0, harvesters=1))
    corridor = ["########", "$WWB...b", "########"]
    assert agent.orders(state(corridor, time=100)) == []
    assert agent.orders(state(corridor, time=101)) == [Order(2, HARVEST, 3)]


def test_harvesters_with_a_load_move_before_those_that_want_their_way_out() -> None:
    """The one in the corner can leave only by the cell that the other, first in order, wants."""
    rows = ["BW.C", "##$$", *["...."] * 14, "..b."]
    found = orders(state(rows), army="", most_workers=0, harvesters=2)
    assert found[3] == Order(3, MOVE, 3)
    assert 2 not in found


@pytest.mark.parametrize(
    ("workers", "product"), [("WWW", None), ("W..", "Worker"), ("WW.", "Worker")]
)
def test_barracks_get_what_bases_would_take_once_all_harvest(
    workers: str, product: str | None
) -> None:
    """One resource, idle barracks: three harvesters are enough, and the base waits for a fighter."""
    rows = [
        "$$$.......",
        workers + ".......",
        ".B........",
        "...K......",
        *["." * 10] * 14,
        "....b.....",
    ]
    drawn = state(rows, resources=1)
    base = drawn.own("Base")[0].id
    found = orders(drawn, harvesters=3)
    assert found.get(base, Order(0, 0)).product == (product or "")


def test_bases_train_harvesters_before_barracks_train_fighters() -> None:
    rows = ["$$........", "..B.......", ".B........", "...KK.....", *["." * 10] * 14, "....b....."]
    drawn = state(rows, resources=5)
    found = orders(drawn, harvesters=3)
    trained = [found[unit.id].product for unit in drawn.own() if unit.id in found]
    assert trained == ["Worker", "Worker", "Light"]


@pytest.mark.parametrize(("bases", "saves"), [("..B..B..", True), ("..B.....", False)])
def test_several_bases_save_for_barracks_that_are_gone(bases: str, saves: bool) -> None:
    """One base alone cannot spend all that comes in, so it goes on training."""
    rows = ["$$$.....", bases, "WWWW....", *["." * 8] * 14, "......b."]
    drawn = state(rows, resources=4)
    found = orders(drawn, harvesters=3)
    trained = [found[unit.id].product for unit in drawn.own("Base") if unit.id in found]
    assert (trained == []) == saves


NEAR_BASES = [
    "$.$.$...",
    "W.W.W...",
    "B.B.B...",
    "........",
    "...b.b.b",
    "...w.w.w",
    "...$.$.$",
]


@pytest.mark.parametrize(("harvest", "grows"), [(2, True), (1, False)])
def test_several_near_bases_grow_while_the_enemy_harvests_too(harvest: int, grows: bool) -> None:
    """One harvester for each base and no barracks; else barracks, and one harvester."""
    verbs = [(HARVEST, 2)] * harvest + [(MOVE, 0)] * (3 - harvest)
    actions = {
        (3 + 2 * k, 5): (95, {"type": verb, "parameter": direction})
        for k, (verb, direction) in enumerate(verbs)
    }
    drawn = state(NEAR_BASES, actions, resources=5)
    found = orders(drawn, guards=3)
    harvesters = [u for u in drawn.own("Worker") if found[u.id].action == HARVEST]
    trained = [u for u in drawn.own("Base") if u.id in found]
    assert (len(harvesters) == 3) == grows
    assert (len(trained) == 3) == grows


def test_two_near_bases_do_not_grow() -> None:
    rows = [row[:3] + "....." for row in NEAR_BASES[:3]] + NEAR_BASES[3:]
    actions = {(3 + 2 * k, 5): (95, {"type": HARVEST, "parameter": 2}) for k in range(3)}
    drawn = state(rows, actions, resources=5)
    found = orders(drawn, guards=2)
    assert [u for u in drawn.own("Base") if u.id in found] == []


@pytest.mark.parametrize(("ratio", "step"), [(1.0, 2), (1.5, 0)])
def test_growing_sides_fight_at_a_ratio_of_their_own(ratio: float, step: int) -> None:
    """A fighter before enemies of about its own strength attacks, or goes back to its base."""
    middle = [*["........"] * 5, "..L.....", "........", "...blblb"]
    rows = [*NEAR_BASES[:3], *middle, *NEAR_BASES[5:]]
    actions = {(3 + 2 * k, 11): (95, {"type": HARVEST, "parameter": 2}) for k in range(3)}
    drawn = state(rows, actions)
    fighter = drawn.own("Light")[0].id
    found = orders(drawn, engage_growing=ratio, attack_ratio=9.0)
    assert found[fighter] == Order(fighter, MOVE, step)
