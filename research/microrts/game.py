"""The state of a game of microRTS as plain data, and the orders that units take."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Cell: TypeAlias = tuple[int, int]
WAIT, MOVE, HARVEST, RETURN, PRODUCE, ATTACK = range(6)
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""Up, right, down, left: directions as the game numbers them."""


@dataclass(frozen=True)
class Kind:
    """The numbers of a unit type; times are in cycles."""

    name: str
    cost: int
    hp: int
    damage: int
    range: int
    produce_time: int
    move_time: int
    attack_time: int
    harvest_time: int
    can_move: bool
    can_attack: bool
    can_harvest: bool


@dataclass(frozen=True)
class Unit:
    """A unit, what it is doing, and until when.

    `action` is None where the unit is free. `target` is the cell that it will stand on when its
    action ends; `aim` is the cell that it attacks or builds on.
    """

    id: int
    kind: Kind
    player: int
    cell: Cell
    carried: int
    hp: int
    action: int | None = None
    ends: int = 0
    target: Cell = (-1, -1)
    aim: Cell | None = None
    product: Kind | None = None


@dataclass(frozen=True)
class State:
    """All that a player sees in one cycle; `me` is its number."""

    me: int
    time: int
    walls: NDArray[np.bool_]
    resources: tuple[int, int]
    units: tuple[Unit, ...]
    kinds: dict[str, Kind] = field(repr=False)

    def own(self, name: str | None = None) -> list[Unit]:
        """Return the player's units, of one kind or all."""
        return [u for u in self.units if u.player == self.me and name in (None, u.kind.name)]

    def enemies(self, name: str | None = None) -> list[Unit]:
        """Return the other player's units, of one kind or all."""
        return [u for u in self.units if u.player == 1 - self.me and name in (None, u.kind.name)]

    def deposits(self) -> list[Unit]:
        """Return the fields of resources."""
        return [u for u in self.units if u.player < 0]


@dataclass(frozen=True)
class Order:
    """What a unit does next: a direction, or for an attack a cell; for production a kind."""

    unit: int
    action: int
    direction: int = -1
    cell: Cell = (-1, -1)
    product: str = ""


def read_kinds(text: str) -> dict[str, Kind]:
    """Read the table of unit types that the game writes."""
    return {
        each["name"]: Kind(
            each["name"],
            each["cost"],
            each["hp"],
            each["maxDamage"],
            each["attackRange"],
            each["produceTime"],
            each["moveTime"],
            each["attackTime"],
            each["harvestTime"],
            each["canMove"],
            each["canAttack"],
            each["canHarvest"],
        )
        for each in json.loads(text)["unitTypes"]
    }


def read_state(text: str, kinds: dict[str, Kind], me: int) -> State:
    """Read the state of the game that the game writes."""
    data = json.loads(text)
    ground = data["pgs"]
    actions = {each["ID"]: each for each in data["actions"]}
    walls = np.frombuffer(ground["terrain"].encode(), dtype=np.uint8) == ord("1")
    units = tuple(_unit(each, actions.get(each["ID"]), kinds) for each in ground["units"])
    stock = {each["ID"]: each["resources"] for each in ground["players"]}
    return State(
        me,
        data["time"],
        walls.reshape(ground["height"], ground["width"]),
        (stock[0], stock[1]),
        units,
        kinds,
    )


def orders_text(orders: Iterable[Order]) -> str:
    """Write orders as the game reads them."""
    rows = []
    for order in orders:
        action: dict[str, Any] = {"type": order.action}
        if order.action == ATTACK:
            action |= {"x": order.cell[0], "y": order.cell[1]}
        else:
            action["parameter"] = order.direction
        if order.product:
            action["unitType"] = order.product
        rows.append({"unitID": order.unit, "unitAction": action})
    return json.dumps(rows)


def _unit(data: dict[str, Any], assigned: dict[str, Any] | None, kinds: dict[str, Kind]) -> Unit:
    kind = kinds[data["type"]]
    cell = (data["x"], data["y"])
    base = (data["ID"], kind, data["player"], cell, data["resources"], data["hitpoints"])
    if assigned is None:
        return Unit(*base, target=cell)
    action = assigned["action"]
    begun = assigned["time"]
    verb = action["type"]
    number = action.get("parameter", -1)
    target = cell
    aim = None
    product = None
    if verb == ATTACK:
        aim = (action["x"], action["y"])
    elif verb != WAIT:
        step = STEPS[number]
        beside = (cell[0] + step[0], cell[1] + step[1])
        if verb == MOVE:
            target = beside
            aim = None
        else:
            target = cell
            aim = beside
        if verb == PRODUCE:
            product = kinds[action["unitType"]]
        else:
            product = None
    lasts = {
        WAIT: number,
        MOVE: kind.move_time,
        HARVEST: kind.harvest_time,
        RETURN: kind.move_time,
        PRODUCE: product.produce_time if product else 0,
        ATTACK: kind.attack_time,
    }[verb]
    return Unit(*base, verb, begun + lasts, target, aim, product)
