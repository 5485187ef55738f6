"""The mirror of a flock that is a swarm: its layers and birds, on the CPU or on a graphics card."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.errors import InvalidValue
from fieldcraft.steering import Leave, Smell, Swarm
from fieldcraft_worlds.games import carrying
from fieldcraft_worlds.games.course import Course
from fieldcraft_worlds.games.flock.mirror import SCREAM, Mirror
from fieldcraft_worlds.games.flock.settings import LAYERS, Settings
from fieldcraft_worlds.games.flock.swarm_state import SwarmState

__all__ = ["SwarmMirror"]


class SwarmMirror(Mirror, Course[SwarmState]):
    """Ground, layers and swarm of a game on one map with one set of settings. Room is a smell of
    all open ground on the narrow layer.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        if settings.rule != LAYERS:
            raise InvalidValue(
                "Birds of a swarm fly by layers",
                got=f"rule={settings.rule!r}",
                remedy="Leave it out, or play flock without a device",
            )
        Mirror.__init__(self, space, settings)
        Course.__init__(self)
        self._leave = [Leave(self.near), Leave(self.far), Leave(self.heading)]
        self._smell: list[Smell] = []
        self._swarm = Swarm.at(self.grid, np.zeros((0, 2)))

    def put(self, state: SwarmState) -> None:
        """Make walls, birds and layers those of a whole state; see `Course.put`."""
        settings, grid = self.settings, self.grid
        self.obstacles.follow(state.walls)
        self._smell = [
            Smell(self.near, self.obstacles.banks, settings.obstacle),
            Smell(self.near, np.flatnonzero(~grid.walls), settings.room),
        ]
        if state.predator is not None:
            around = self.around(state.predator)
            ways = self.away(grid.position_of(around).reshape(-1, 2), state.predator)
            self._smell.append(Smell(self.heading, around, ways * SCREAM))
        given = {"agents": state.agents, "key": state.key, "step": state.step}
        self._swarm = Swarm.restored(grid, given, device=carrying.device())
        self.run(state, 0)  # refuses what cannot be, and brings birds out of walls
        still = replace(self.flight(state.tuning), turn=0.0, align=0.0, separate=0.0, cohere=0.0)
        there = self._swarm.copy(device=carrying.device())
        there.run(
            still, 0.0, leave=self._leave, smell=self._smell
        )  # they stay as they are, and the layers come to show them

    def run(self, base: SwarmState, count: int) -> None:
        """Let birds see, turn, fly and be seen, so many times."""
        tuning = base.tuning
        how = replace(
            self.flight(tuning), align=tuning.align, separate=tuning.separate, cohere=tuning.cohere
        )
        self._swarm.run(
            how,
            1 / self.settings.rate,
            steps=count,
            flow=self.heading,
            crowd_layer=self.near,
            group_layer=self.far,
            leave=self._leave,
            smell=self._smell,
        )

    def look(self, name: str) -> Any:
        """The birds as they are now."""
        return self._swarm.agents

    # What scenes ask for

    def follow(self, state: SwarmState) -> None:  # type: ignore[override]
        """Make walls and layers those of a state."""
        self.reach(state)

    def show(self, state: SwarmState) -> None:  # type: ignore[override]
        """Make the layers those of a state."""
        self.reach(state)

    def birds(self, state: SwarmState) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # type: ignore[override]
        """Where the birds of a state are and which way they head, (N, 2) each."""
        swarm = Swarm(self.grid, state.agents, 0)
        return swarm.positions, swarm.headings
