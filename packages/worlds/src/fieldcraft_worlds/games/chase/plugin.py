"""The chase as a game to play."""

from __future__ import annotations

import numpy as np

from fieldcraft import Graph, Grid, generate_map
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.chase import rules, scene
from fieldcraft_worlds.games.chase.derived import ChaseDerived
from fieldcraft_worlds.games.chase.ground import ground_of
from fieldcraft_worlds.games.chase.orders import (
    GAITS,
    Call,
    Go,
    Lead,
    Order,
    Pace,
    SearchBy,
    Throw,
    Walk,
)
from fieldcraft_worlds.games.chase.settings import (
    SEARCHING,
    Settings,
)
from fieldcraft_worlds.games.chase.state import (
    PLAYER,
    OneTarget,
    State,
)
from fieldcraft_worlds.games.game import Action, InputFrame, moves
from fieldcraft_worlds.games.states import check_state, dataclasses_in
from fieldcraft_worlds.games.world import DerivedWorld, GameOfParts

KINDS = dataclasses_in(State, Settings, Order)


class ChaseWorld(DerivedWorld):
    """The chase on one map."""

    rules = rules
    scenes = scene
    derived: ChaseDerived

    def __init__(self, space: Grid | Graph, settings: Settings) -> None:
        super().__init__(space, ChaseDerived(ground_of(space, settings.scale), settings))

    def check(self, state: State) -> None:
        """Check a state; see `DerivedWorld.check`."""
        super().check(state)
        roles = state.people.roles
        if not len(roles) or roles[0] != PLAYER or (roles[1:] == PLAYER).any():
            raise InvalidValue(
                "People are one player, the first, and others",
                got=f"{np.count_nonzero(roles == PLAYER)} players",
                remedy="Use another copy of the save",
            )
        if not len(state.places):
            raise InvalidValue(
                "Civilians walk between places",
                got="none",
                remedy="Use another copy of the save",
            )
        known = {"positions": np.nan_to_num(state.contacts.positions)}
        check_state(OneTarget(**(vars(state.contacts) | known)), self.space)
        self.derived.check(state)

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """Return the orders of keys and clicks that change something, so that saves stay small."""
        orders: list[Order] = []
        x, y = inputs.direction(y_up=self.space.y_up)
        walking = bool(state.wish.any()) and state.by_hand
        if (x, y) != (0.0, 0.0):
            if not walking or not np.array_equal(state.wish[:2], (x, y)):
                orders.append(Walk(x, y))
        elif walking:
            orders.append(Walk(0.0, 0.0))
        if inputs.held("sneak"):
            gait = "sneak"
        elif inputs.held("run"):
            gait = "run"
        else:
            gait = "walk"
        if (state.by_hand or orders) and state.gait != GAITS[gait]:
            orders.append(Pace(gait))
        for event in inputs.events:
            if event.phase != "press":
                continue
            if event.action == "lead":
                orders.append(Lead(not state.by_hand))
            elif event.action == "search":
                following = (SEARCHING.index(state.search) + 1) % len(SEARCHING)
                orders.append(SearchBy(SEARCHING[following]))
            elif event.action == "call":
                orders.append(Call())
            elif event.action == "go" and event.position is not None:
                orders.append(Go(*event.position))
            elif event.action == "throw" and event.position is not None:
                orders.append(Throw(*event.position))
        return tuple(orders)

    def result(self, state: State) -> str | None:
        """Return how it ended."""
        return scene.result(self.derived.settings, state)


def default_map() -> Grid:
    """Return a building of rooms, 84 x 56."""
    return generate_map("rooms", 84, 56, seed=12, neighbors=8)


GAME = GameOfParts(
    "chase",
    "The chase",
    "Collect green diamonds, then leave.",
    Settings,
    KINDS,
    default_map,
    ChaseWorld,
    scene.OVERLAYS,
    (
        *moves("walk"),
        Action(
            "run",
            "run while held: fast, but hunters hear it",
            ("key left shift", "key right shift"),
        ),
        Action("sneak", "sneak while held: slow and silent", ("key left ctrl", "key c")),
        Action("throw", "throw a stone: hunters hear it fall", ("mouse left",)),
        Action("go", "walk there by the shortest path", ("mouse right",)),
        Action("call", "call the nearest civilian to come along", ("key g",)),
        Action(
            "search",
            "hunters search by the next method: flood, belief, last sighting, random, party",
            ("key f",),
        ),
        Action("lead", "play yourself, or let the script play again", ("key m",), takes_over=True),
    ),
)
