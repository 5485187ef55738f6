"""The duel as the frame plays it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from fieldcraft import Grid, generate_map
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay, Slider, moves
from fieldcraft_worlds.games.settings import sliders_in
from fieldcraft_worlds.games.tether import rules, scene
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.orders import Lead, Leave, Order, Steer, Take, Tune, Walk
from fieldcraft_worlds.games.tether.settings import BRAINS, SIDES, FighterRules, Settings
from fieldcraft_worlds.games.tether.state import NOBODY, Fighters, Shots, State, Tuning
from fieldcraft_worlds.games.world import DerivedWorld

__all__ = ["GAME", "KINDS", "TetherGame", "TetherWorld"]

KINDS = (
    State,
    Fighters,
    Shots,
    Tuning,
    Settings,
    FighterRules,
    Lead,
    Leave,
    Steer,
    Take,
    Tune,
    Walk,
)


class TetherWorld(DerivedWorld):
    """The duel on one map."""

    rules = rules
    views = scene
    derived: TetherDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, TetherDerived(space, settings))

    @property
    def sizes(self) -> dict[str, int]:
        """The number of fighters."""
        return {"fighters": 2 * self.derived.settings.fighters}

    def tuned(self, state: State) -> Mapping[str, float]:
        """Where the sliders stand."""
        return asdict(state.tuning)

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """The orders that keys, sticks, clicks and sliders ask for."""
        asked: list[Order] = [Tune(name, value) for name, value in inputs.sliders.items()]
        player = state.player
        for event in inputs.events:
            if event.phase != "press":
                continue
            if event.action.startswith("take "):
                asked.append(Take(SIDES.index(event.action.removeprefix("take "))))
                player = 0
            elif event.action == "leave":
                asked.append(Leave())
                player = NOBODY
            elif event.action.endswith(" brain"):
                side = SIDES.index(event.action.removesuffix(" brain"))
                asked.append(
                    Lead(side, BRAINS[(BRAINS.index(state.brains[side]) + 1) % len(BRAINS)])
                )
            elif event.action == "walk" and event.position is not None:
                if player == NOBODY:
                    asked.append(Take(0))
                    player = 0
                asked.append(Walk(*event.position))
        direction = inputs.direction(y_up=self.space.y_up)
        if direction != (0.0, 0.0) and player == NOBODY:
            asked.append(Take(0))
        elif direction == state.steer:
            return tuple(asked)
        if direction != (0.0, 0.0) or player != NOBODY:
            asked.append(Steer(*direction))
        return tuple(asked)

    def result(self, state: State) -> str | None:
        """How it ended."""
        return scene.result(state)


class TetherGame:
    """Long-range fighters against short-range ones among walls."""

    name = "tether"
    version = 1
    title = "The duel"
    goal = "Long range against short: keep where you hit and are not hit."
    overlays: tuple[Overlay, ...] = scene.OVERLAYS
    actions: tuple[Action, ...] = (
        *moves("walk"),
        Action("walk", "walk there", ("mouse left",)),
        Action(
            "take long",
            "lead a fighter of the long range yourself, and then the next",
            ("key q",),
            takes_over=True,
        ),
        Action("take short", "lead one of the short range", ("key e",)),
        Action("leave", "leave him to his brain again", ("key x",)),
        Action("long brain", "another brain for the long range", ("key b",)),
        Action("short brain", "another brain for the short range", ("key n",)),
    )
    sliders: tuple[Slider, ...] = sliders_in(Tuning)
    settings = Settings
    kinds = KINDS

    def default_map(self) -> Grid:
        """A hall of pillars, 48 x 32."""
        return generate_map("pillars", 48, 32, seed=3, neighbors=8)

    def open(self, space: Grid, settings: Settings) -> TetherWorld:
        """The game on a map."""
        return TetherWorld(space, settings)


GAME = TetherGame()
