"""The mirror of a mould: its trail and its swarm, on the CPU or on a graphics card."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Trail
from fieldcraft.errors import InvalidValue
from fieldcraft.steering import Swarm, Walk
from fieldcraft_worlds.games import carrying
from fieldcraft_worlds.games.obstacles import disc
from fieldcraft_worlds.games.physarum.network import Network, network_of
from fieldcraft_worlds.games.physarum.settings import Settings
from fieldcraft_worlds.games.physarum.state import State
from fieldcraft_worlds.games.walking import grid_asked

__all__ = ["Mirror"]

_VEIN = 2.0  # times what a trail would hold if agents were everywhere alike


class Mirror:
    """Ground, trail and swarm of a game on one map with one set of settings; raises `InvalidValue` for a map that is no grid."""

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.grid = grid_asked(space, "A mould grows on")
        self.settings = settings
        self.ground: NDArray[np.int64] = np.flatnonzero(np.asarray(space.parts()).reshape(-1) == 0)
        if not len(self.ground):
            raise InvalidValue("A mould needs open ground", got="walls everywhere", remedy="Choose another map")
        self.imap = InfluenceMap(space, device=carrying.device())
        self.trail = self.imap.add_layer("trail", Trail(settings.keep), every=1 / settings.rate)
        cell = space.cell_size
        self.how = Walk(
            settings.speed * cell,
            follow=1.0,
            wander=settings.wander,
            turn=settings.turn,
            distance=settings.distance * cell,
            angle=settings.angle,
        )
        self.swarm: Swarm | None = None
        self._of: State | None = None
        self._network: tuple[int, Network] | None = None

    def take(self, state: State) -> Swarm:
        """The swarm and the trail of a state: as they were left, or made anew."""
        if self._of is not state or self.swarm is None:
            self.trail.write(state.values)
            given = {"agents": state.agents, "key": state.key, "step": state.step}
            self.swarm = Swarm.restored(self.grid, given, device=carrying.device())
        return self.swarm

    def left(self, state: State) -> State:
        """Take notice that swarm and trail are those of a state."""
        self._of = state
        return state

    def smelling(self, cities: NDArray[np.int64]) -> NDArray[np.int64]:
        """The open cells of cities; of cities that overlap, several times."""
        walls = self.grid.walls.reshape(-1)
        around = [np.flatnonzero(disc(self.grid, int(cell), self.settings.city) & ~walls) for cell in cities]
        return np.concatenate([np.zeros(0, np.int64), *around])

    @property
    def level(self) -> float:
        """The least that a trail holds where it is a vein."""
        keep = min(self.settings.keep, 0.999)
        agents = len(self.swarm) if self.swarm is not None else 0
        return _VEIN * agents / len(self.ground) / (1 - keep)

    def network(self, state: State) -> Network:
        """The network of a state, looked at once a second."""
        second = state.step // self.settings.rate
        if self._network is None or self._network[0] != second:
            self._network = second, network_of(self.grid, state.values, state.cities, self.level, self.settings.city)
        return self._network[1]
