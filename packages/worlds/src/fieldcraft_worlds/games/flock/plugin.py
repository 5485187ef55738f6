"""The flock as the frame plays it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fieldcraft import Grid
from fieldcraft_worlds.games.flock import rules, scene
from fieldcraft_worlds.games.flock.derived import FlockDerived
from fieldcraft_worlds.games.flock.orders import BRUSHES, Fly, Order, Paint, Scare, Tune
from fieldcraft_worlds.games.flock.settings import RULES, Settings, Tuning
from fieldcraft_worlds.games.flock.state import State, order_of
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay, Slider
from fieldcraft_worlds.games.painting import painted
from fieldcraft_worlds.games.settings import sliders_in
from fieldcraft_worlds.games.world import TunedWorld

__all__ = ["GAME", "KINDS", "FlockGame", "FlockWorld"]

KINDS = (State, Settings, Tuning, Fly, Paint, Scare, Tune)

_PILLARS = ((24, 20), (64, 40), (104, 60), (30, 62), (98, 18))


class FlockWorld(TunedWorld):
    """A flock on one map."""

    rules = rules
    views = scene
    derived: FlockDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, FlockDerived(space, settings))

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """The orders that pointer, keys and sliders ask for."""
        asked: list[Order] = [Tune(name, value) for name, value in inputs.sliders.items()]
        for event in inputs.events:
            if event.action == "scare":
                wanted = None if event.phase == "release" else event.position
                if wanted != state.predator:
                    asked.append(Scare(wanted))
            elif event.action == "paint" and (stroke := painted(event)):
                what = inputs.chosen.get("brush", BRUSHES[0]).removeprefix("paint ")
                asked.append(Paint(what, stroke))
            elif (
                event.phase == "press"
                and event.action.startswith("by ")
                and (rule := event.action[3:]) != state.rule
            ):
                asked.append(Fly(rule))
        return tuple(asked)


class FlockGame:
    """Birds that keep apart, head the same way and stay together."""

    name = "flock"
    version = 1
    title = "The flock"
    goal = "Watch birds fly by three rules; send a predator among them."
    overlays: tuple[Overlay, ...] = scene.OVERLAYS
    actions: tuple[Action, ...] = (
        Action("scare", "be a predator, as long as you hold it", ("mouse left",)),
        Action("paint", "paint with the brush chosen", ("mouse right",)),
        Action("paint wall", "the brush paints walls", ("key g",), "brush"),
        Action("paint clear", "the brush wipes walls away", ("key v",), "brush"),
        *(
            Action(f"by {rule}", text, (key,))
            for rule, text, key in zip(
                RULES,
                (
                    "all fly by layers",
                    "all fly by exact neighbors",
                    "every second one flies by each",
                ),
                ("key l", "key e", "key b"),
                strict=True,
            )
        ),
    )
    sliders: tuple[Slider, ...] = sliders_in(Tuning)
    settings = Settings
    kinds: tuple[type, ...] = KINDS
    objectives: Mapping[str, int] = {"order": 1}

    def measured(self, world: FlockWorld, state: State) -> Mapping[str, float]:
        """The order parameter: 1 where all birds head the same way."""
        return {"order": order_of(world.derived.swarm(state).headings)}

    def default_map(self) -> Grid:
        """A sky of 128 x 80 with five pillars and without a rim: what leaves on one side comes back
        on the other.
        """
        rows, columns = np.mgrid[:80, :128]
        walls = np.zeros((80, 128), dtype=np.bool_)
        for x, y in _PILLARS:
            walls |= (columns - x) ** 2 + (rows - y) ** 2 <= 9
        return Grid(128, 80, walls=walls, wrap=True)

    def open(self, space: Grid, settings: Settings) -> FlockWorld:
        """The flock on a map."""
        return FlockWorld(space, settings)


GAME = FlockGame()
