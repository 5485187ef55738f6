"""The mirror of a colony that is a swarm: its layers, ants and food, on the CPU or on a graphics
card.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Trail
from fieldcraft.errors import InvalidValue
from fieldcraft.steering import Forage, Leave, Smell, Swarm
from fieldcraft_worlds.games import carrying
from fieldcraft_worlds.games.ants.mirror import Ground
from fieldcraft_worlds.games.ants.settings import SCALAR, Settings
from fieldcraft_worlds.games.ants.swarm_state import SwarmState
from fieldcraft_worlds.games.course import Course

__all__ = ["SwarmMirror"]


class SwarmMirror(Ground, Course[SwarmState]):
    """Ground, layers and swarm of a game on one map with one set of settings."""

    def __init__(self, space: Grid, settings: Settings) -> None:
        if settings.trails != SCALAR:
            raise InvalidValue(
                "Ants of a swarm leave two pheromones",
                got=f"trails={settings.trails!r}",
                remedy="Leave it out, or play ants without a device",
            )
        Ground.__init__(self, space, settings)
        Course.__init__(self)
        every = 1 / settings.rate
        self._imap = InfluenceMap(self.grid, device=carrying.device())
        self.to_food = self._imap.add_layer("to food", Trail(), every=every)
        self.to_home = self._imap.add_layer("to home", Trail(), every=every)
        self._crowd = self._imap.add_layer(
            "crowd", Trail(accumulate=False, blur=settings.crowd), every=every
        )
        scents = self.scents.tolist()
        self._leave = [
            Leave(self.to_home, scents, role=0),
            Leave(self.to_food, scents, role=1),
            Leave(self._crowd),
        ]
        self._smell: list[Smell] = []
        self._swarm = Swarm.at(self.grid, np.zeros((0, 2)))
        self._food: Any = None
        self._home = 0

    def put(self, state: SwarmState) -> None:
        """Make layers, ants and food those of a whole state; see `Course.put`."""
        settings, grid, device = self.settings, self.grid, carrying.device()
        self.obstacles.follow(state.walls)
        for layer, plane in zip((self.to_food, self.to_home), state.planes, strict=True):
            layer.propagation = Trail(state.tuning.keep, blur=state.tuning.blur)
            layer.write(plane)
        nest = self.is_nest(state.nest) & ~state.walls.reshape(-1)
        self._food, self._home = Forage(grid, state.food, nest.reshape(grid.shape)), state.home
        self._smell = [
            Smell(self.to_home, np.flatnonzero(nest), settings.smell),
            Smell(self.to_food, self._food, settings.smell),
            Smell(self._crowd, self.obstacles.banks, settings.obstacle),
        ]
        self._swarm = Swarm.restored(
            grid, {"agents": state.agents, "key": state.key, "step": state.step}, device=device
        )
        self.run(state, 0)  # refuses what cannot be, and brings ants out of walls
        self._crowd.deposit_at(self._swarm.cells)
        self._crowd.deposit_at(self.obstacles.banks, settings.obstacle)
        self._crowd.step()

    def run(self, base: SwarmState, count: int) -> None:
        """Let ants sense, turn, walk, take food, bring it home and leave trails, so many times."""
        self._swarm.run(
            self.walk(base.tuning),
            1 / self.settings.rate,
            steps=count,
            trail=(self.to_food, self.to_home),
            crowd_layer=self._crowd,
            leave=self._leave,
            smell=self._smell,
            forage=self._food,
        )

    def look(self, name: str) -> Any:
        """The ants, the trails, the food, or how much of it came home."""
        if name == "agents":
            return self._swarm.agents
        if name == "planes":
            return np.stack([self.to_food.values, self.to_home.values])
        return np.array(self._food.food) if name == "food" else self._home + self._food.brought

    # What scenes ask for

    def follow(self, state: SwarmState) -> None:
        """Make walls and layers those of a state."""
        self.reach(state)

    def positions(self, state: SwarmState) -> NDArray[np.float64]:
        """Where the ants of a state are, (N, 2)."""
        return Swarm(self.grid, state.agents, 0).positions

    def crowded(self, state: SwarmState) -> NDArray[np.float32]:
        """Where it is crowded in a state, (height, width)."""
        self.reach(state)
        return self._crowd.values
