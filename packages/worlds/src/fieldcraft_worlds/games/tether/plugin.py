"""The duel as a game to play."""

from __future__ import annotations

from fieldcraft import Grid, generate_map
from fieldcraft_worlds.games.game import Action, InputFrame, moves
from fieldcraft_worlds.games.orders import tuning_orders
from fieldcraft_worlds.games.settings import sliders_in
from fieldcraft_worlds.games.states import dataclasses_in
from fieldcraft_worlds.games.tether import rules, scene
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.orders import Lead, Leave, Order, Steer, Take, Walk
from fieldcraft_worlds.games.tether.settings import BRAINS, SIDES, Settings
from fieldcraft_worlds.games.tether.state import NOBODY, State, Tuning
from fieldcraft_worlds.games.world import GameOfParts, TunedWorld

KINDS = dataclasses_in(State, Settings, Order)


class TetherWorld(TunedWorld):
    """The duel on one map."""

    rules = rules
    scenes = scene
    derived: TetherDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, TetherDerived(space, settings))

    @property
    def sizes(self) -> dict[str, int]:
        """The number of fighters."""
        return {"fighters": 2 * self.derived.settings.fighters}

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """Return the orders of keys, clicks and sliders."""
        orders: list[Order] = [*tuning_orders(inputs)]
        player = state.player
        for event in inputs.events:
            if event.phase != "press":
                continue
            if event.action.startswith("take "):
                orders.append(Take(SIDES.index(event.action.removeprefix("take "))))
                player = 0
            elif event.action == "leave":
                orders.append(Leave())
                player = NOBODY
            elif event.action.endswith(" brain"):
                side = SIDES.index(event.action.removesuffix(" brain"))
                orders.append(
                    Lead(side, BRAINS[(BRAINS.index(state.brains[side]) + 1) % len(BRAINS)])
                )
            elif event.action == "walk" and event.position is not None:
                if player == NOBODY:
                    orders.append(Take(0))
                    player = 0
                orders.append(Walk(*event.position))
        direction = inputs.direction(y_up=self.space.y_up)
        if direction != (0.0, 0.0) and player == NOBODY:
            orders.append(Take(0))
        elif direction == state.steer:
            return tuple(orders)
        if direction != (0.0, 0.0) or player != NOBODY:
            orders.append(Steer(*direction))
        return tuple(orders)

    def result(self, state: State) -> str | None:
        """Return how it ended."""
        return scene.result(state)


def default_map() -> Grid:
    """Return a hall of pillars, 48 x 32."""
    return generate_map("pillars", 48, 32, seed=3, neighbors=8)


GAME = GameOfParts(
    "tether",
    "The duel",
    "Hit the enemy, and stay out of reach.",
    Settings,
    KINDS,
    default_map,
    TetherWorld,
    scene.OVERLAYS,
    (
        *moves("walk"),
        Action("walk", "walk there", ("mouse left",)),
        Action(
            "take long",
            "play a fighter of the long range yourself; again: the next one",
            ("key m", "key q"),
            takes_over=True,
        ),
        Action("take short", "play one of the short range", ("key e",)),
        Action("leave", "let its AI play again", ("key x",)),
        Action("long brain", "another AI for the long range", ("key b",)),
        Action("short brain", "another AI for the short range", ("key n",)),
    ),
    sliders_in(Tuning),
)
