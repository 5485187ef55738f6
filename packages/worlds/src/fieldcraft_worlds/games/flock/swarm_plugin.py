"""The flock as a swarm, as the frame plays it: on the CPU or on a graphics card, with the same
matches.
"""

from __future__ import annotations

from fieldcraft import Grid
from fieldcraft_worlds.games.flock import swarm_rules
from fieldcraft_worlds.games.flock.orders import Fly, Paint, Scare, Tune
from fieldcraft_worlds.games.flock.plugin import FlockGame, FlockWorld
from fieldcraft_worlds.games.flock.settings import Settings, Tuning
from fieldcraft_worlds.games.flock.swarm_mirror import SwarmMirror
from fieldcraft_worlds.games.flock.swarm_state import SwarmState, checked
from fieldcraft_worlds.games.game import Action
from fieldcraft_worlds.games.mirrored import MirroredWorld

__all__ = ["GAME", "KINDS", "FlockSwarmGame", "FlockSwarmWorld"]

KINDS = (SwarmState, Settings, Tuning, Fly, Paint, Scare, Tune)


class FlockSwarmWorld(FlockWorld):
    """A flock on one map, as a swarm."""

    rules = swarm_rules
    mirror: SwarmMirror

    def __init__(self, space: Grid, settings: Settings) -> None:
        MirroredWorld.__init__(self, space, SwarmMirror(space, settings))

    def checked(self, state: SwarmState) -> SwarmState:  # type: ignore[override]
        """The state, if it is one that this world can go on from, see `swarm_state.checked`."""
        return checked(state, self.space)


class FlockSwarmGame(FlockGame):
    """Birds that keep apart, head the same way and stay together, by layers and in whole
    numbers.
    """

    name = "flock-swarm"
    title = "The flock, as a swarm"
    actions: tuple[Action, ...] = tuple(
        action for action in FlockGame.actions if not action.name.startswith("by ")
    )
    kinds = KINDS

    def open(self, space: Grid, settings: Settings) -> FlockSwarmWorld:
        """The flock on a map."""
        return FlockSwarmWorld(space, settings)


GAME = FlockSwarmGame()
