"""The ants as a swarm, as the frame plays them: on the CPU or on a graphics card, with the same
matches.
"""

from __future__ import annotations

from fieldcraft import Grid
from fieldcraft_worlds.games.ants import swarm_rules
from fieldcraft_worlds.games.ants.orders import Leave, Paint, Tune
from fieldcraft_worlds.games.ants.plugin import AntGame, AntWorld
from fieldcraft_worlds.games.ants.settings import Settings, Tuning
from fieldcraft_worlds.games.ants.swarm_mirror import SwarmMirror
from fieldcraft_worlds.games.ants.swarm_state import SwarmState, checked
from fieldcraft_worlds.games.game import Action
from fieldcraft_worlds.games.mirrored import MirroredWorld

__all__ = ["GAME", "KINDS", "AntSwarmGame", "AntSwarmWorld"]

KINDS = (SwarmState, Settings, Tuning, Leave, Paint, Tune)


class AntSwarmWorld(AntWorld):
    """The ants on one map, as a swarm."""

    rules = swarm_rules
    mirror: SwarmMirror  # type: ignore[assignment]

    def __init__(self, space: Grid, settings: Settings) -> None:
        MirroredWorld.__init__(self, space, SwarmMirror(space, settings))

    def checked(self, state: SwarmState) -> SwarmState:  # type: ignore[override]
        """The state, if it is one that this world can go on from, see `swarm_state.checked`."""
        return checked(state, self.space)


class AntSwarmGame(AntGame):
    """A nest, food, obstacles, and two pheromones, in whole numbers."""

    name = "ants-swarm"
    title = "The ants, as a swarm"
    actions: tuple[Action, ...] = tuple(
        action for action in AntGame.actions if action.name != "other trails"
    )
    kinds = KINDS

    def open(self, space: Grid, settings: Settings) -> AntSwarmWorld:
        """The ants on a map."""
        return AntSwarmWorld(space, settings)


GAME = AntSwarmGame()
