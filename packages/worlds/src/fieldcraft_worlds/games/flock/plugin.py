"""The flock as a game to play."""

from __future__ import annotations

import numpy as np

from fieldcraft import Grid
from fieldcraft_worlds.games.flock import rules, scene
from fieldcraft_worlds.games.flock.derived import FlockDerived
from fieldcraft_worlds.games.flock.orders import BRUSHES, Fly, Order, Paint, Scare
from fieldcraft_worlds.games.flock.settings import Settings, Tuning
from fieldcraft_worlds.games.flock.state import State, order_of
from fieldcraft_worlds.games.game import Action, InputFrame
from fieldcraft_worlds.games.orders import tuning_orders
from fieldcraft_worlds.games.painting import painted
from fieldcraft_worlds.games.settings import sliders_in
from fieldcraft_worlds.games.states import dataclasses_in
from fieldcraft_worlds.games.world import GameOfParts, PaintedWorld

KINDS = dataclasses_in(State, Settings, Order)

_PILLARS = ((24, 20), (64, 40), (104, 60), (30, 62), (98, 18))


class FlockWorld(PaintedWorld):
    """A flock on one map."""

    rules = rules
    scenes = scene
    derived: FlockDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, FlockDerived(space, settings))

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """Return the orders of pointer, brush, keys and sliders."""
        orders: list[Order] = [*tuning_orders(inputs)]
        for event in inputs.events:
            if event.action == "scare":
                wanted = event.position
                if event.phase == "release":
                    wanted = None
                if wanted != state.predator:
                    orders.append(Scare(wanted))
            elif event.action == "paint":
                stroke = painted(event)
                what = inputs.chosen.get("brush", BRUSHES[0]).removeprefix("paint ")
                if stroke:
                    orders.append(Paint(what, stroke))
            elif event.phase == "press" and event.action.startswith("by "):
                rule = event.action.removeprefix("by ")
                if rule != state.rule:
                    orders.append(Fly(rule))
        return tuple(orders)


def default_map() -> Grid:
    """Return a sky of 128 x 80 with five pillars, on a torus."""
    rows, columns = np.mgrid[:80, :128]
    walls = np.zeros((80, 128), dtype=np.bool_)
    for x, y in _PILLARS:
        walls |= (columns - x) ** 2 + (rows - y) ** 2 <= 9
    return Grid(128, 80, walls=walls, wrap=True)


def measured(world: FlockWorld, state: State) -> dict[str, float]:
    """Return the order parameter: 1 where all birds have the same heading."""
    return {"order": order_of(world.derived.swarm(state).headings)}


GAME = GameOfParts(
    "flock",
    "The flock",
    "Watch a flock, and scare it.",
    Settings,
    KINDS,
    default_map,
    FlockWorld,
    scene.OVERLAYS,
    (
        Action("scare", "be a predator while held", ("mouse left",)),
        Action("paint", "paint with the chosen brush", ("mouse right",)),
        Action("paint wall", "brush for walls", ("key g",), "brush"),
        Action("paint clear", "brush that removes walls", ("key v",), "brush"),
        Action("by layers", "all fly by layers", ("key l",)),
        Action("by neighbors", "all fly by exact neighbors", ("key e",)),
        Action("by both", "half of them fly by each", ("key b",)),
    ),
    sliders_in(Tuning),
    objectives={"order": 1},
    measured=measured,
)
