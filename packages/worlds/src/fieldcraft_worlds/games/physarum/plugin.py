"""The slime mold as a game to play."""

from __future__ import annotations

import numpy as np

from fieldcraft import Grid
from fieldcraft.base import checks
from fieldcraft_worlds.games.game import Action, InputFrame
from fieldcraft_worlds.games.physarum import rules, scene
from fieldcraft_worlds.games.physarum.derived import PhysarumDerived
from fieldcraft_worlds.games.physarum.orders import Found
from fieldcraft_worlds.games.physarum.settings import Settings
from fieldcraft_worlds.games.physarum.state import State
from fieldcraft_worlds.games.states import dataclasses_in
from fieldcraft_worlds.games.world import DerivedWorld, GameOfParts

_MOST_HEADING = 2**17 - 1

KINDS = dataclasses_in(State, Settings, Found)


class PhysarumWorld(DerivedWorld):
    """A slime mold on one map."""

    rules = rules
    scenes = scene
    derived: PhysarumDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, PhysarumDerived(space, settings))

    def check(self, state: State) -> None:
        """Check a state; see `DerivedWorld.check`."""
        super().check(state)
        checks.integer("headings", state.agents[2].max(initial=0), maximum=_MOST_HEADING)

    def orders(self, state: State, inputs: InputFrame) -> tuple[Found, ...]:
        """Return an order for each press of the pointer."""
        return tuple(
            Found(event.position)
            for event in inputs.events
            if event.action == "found" and event.phase == "press" and event.position is not None
        )


def default_map() -> Grid:
    """Return a plain of 320 x 200 with three lakes."""
    rows, columns = np.mgrid[:200, :320]
    walls = np.zeros((200, 320), dtype=np.bool_)
    for x, y, wide, high in ((90, 70, 34, 22), (210, 120, 44, 30), (260, 40, 20, 14)):
        walls |= ((columns - x) / wide) ** 2 + ((rows - y) / high) ** 2 <= 1
    return Grid(320, 200, walls=walls, neighbors=8)


def measured(world: PhysarumWorld, state: State) -> dict[str, float]:
    """Return the share of cities that veins join, and the share of the ground under veins."""
    network = world.derived.network(state)
    veins = float(network.veins.sum()) / len(world.derived.ground)
    return {"joined": network.joined, "veins": veins}


GAME = GameOfParts(
    "physarum",
    "The slime mold",
    "Watch slime mold join all cities.",
    Settings,
    KINDS,
    default_map,
    PhysarumWorld,
    scene.OVERLAYS,
    (Action("found", "add or remove a city", ("mouse left",)),),
    objectives={"joined": 1, "veins": -1},
    measured=measured,
)
