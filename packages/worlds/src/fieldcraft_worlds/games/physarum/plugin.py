"""The mould as the frame plays it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fieldcraft import Grid, checks
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay
from fieldcraft_worlds.games.physarum import rules, scene
from fieldcraft_worlds.games.physarum.derived import PhysarumDerived
from fieldcraft_worlds.games.physarum.rules import Found
from fieldcraft_worlds.games.physarum.settings import Settings
from fieldcraft_worlds.games.physarum.state import State
from fieldcraft_worlds.games.world import DerivedWorld

__all__ = ["GAME", "KINDS", "PhysarumGame", "PhysarumWorld"]

_MOST_HEADING = 2**17 - 1

KINDS = (State, Settings, Found)


class PhysarumWorld(DerivedWorld):
    """A mould on one map."""

    rules = rules
    views = scene
    derived: PhysarumDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, PhysarumDerived(space, settings))

    def check(self, state: State) -> None:
        """Check a state; see `DerivedWorld.check`."""
        super().check(state)
        checks.integer("headings", state.agents[2].max(initial=0), maximum=_MOST_HEADING)

    def orders(self, state: State, inputs: InputFrame) -> tuple[Found, ...]:
        """A city where the pointer is pressed."""
        return tuple(
            Found(event.position)
            for event in inputs.events
            if event.action == "found" and event.phase == "press" and event.position is not None
        )


class PhysarumGame:
    """Roads that nobody plans."""

    name = "physarum"
    version = 1
    title = "The slime mould"
    goal = "Watch slime mould join its food by short roads."
    overlays: tuple[Overlay, ...] = scene.OVERLAYS
    actions: tuple[Action, ...] = (
        Action("found", "found a city, or give up the one there", ("mouse left",)),
    )
    settings = Settings
    kinds = KINDS
    objectives: Mapping[str, int] = {"joined": 1, "veins": -1}

    def measured(self, world: PhysarumWorld, state: State) -> Mapping[str, float]:
        """The share of cities that roads join, and the share of the ground that roads take."""
        network = world.derived.network(state)
        return {
            "joined": network.joined,
            "veins": float(network.veins.sum()) / len(world.derived.ground),
        }

    def default_map(self) -> Grid:
        """A plain of 320 x 200 with three lakes."""
        rows, columns = np.mgrid[:200, :320]
        walls = np.zeros((200, 320), dtype=np.bool_)
        for x, y, wide, high in ((90, 70, 34, 22), (210, 120, 44, 30), (260, 40, 20, 14)):
            walls |= ((columns - x) / wide) ** 2 + ((rows - y) / high) ** 2 <= 1
        return Grid(320, 200, walls=walls, neighbors=8)

    def open(self, space: Grid, settings: Settings) -> PhysarumWorld:
        """The mould on a map."""
        return PhysarumWorld(space, settings)


GAME = PhysarumGame()
