"""The derived of a mould: its trail and its swarm, on the CPU or on a graphics card."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Trail
from fieldcraft.errors import InvalidValue
from fieldcraft.steering import Deposit, Emitter, Swarm, Walk
from fieldcraft_worlds.games import carrying
from fieldcraft_worlds.games.lazy import SwarmReplay
from fieldcraft_worlds.games.obstacles import disc
from fieldcraft_worlds.games.physarum.network import Network, Tree, network_of, shortest_tree
from fieldcraft_worlds.games.physarum.settings import Settings
from fieldcraft_worlds.games.physarum.state import State
from fieldcraft_worlds.games.walking import grid_asked

__all__ = ["PhysarumDerived"]

_VEIN = 0.5  # times what a trail would hold if agents were everywhere alike: thin roads are roads


class PhysarumDerived(SwarmReplay[State]):
    """Ground, trail and swarm of a game on one map with one set of settings; raises `InvalidValue`
    for a map that is no grid.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__()
        self.grid = grid_asked(space, "A mould grows on")
        self.settings = settings
        self.ground: NDArray[np.int64] = np.flatnonzero(np.asarray(space.parts()).reshape(-1) == 0)
        if not len(self.ground):
            raise InvalidValue(
                "A mould needs open ground", got="walls everywhere", remedy="Choose another map"
            )
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
        self.swarm = Swarm.at(space, np.zeros((0, 2)), device=carrying.device())
        self._emitter: tuple[NDArray[np.int64], Emitter] | None = None
        self._tree: tuple[NDArray[np.int64], Tree] | None = None
        self._network: tuple[int, NDArray[np.int64], Network] | None = None

    def load(self, state: State) -> None:
        """Make swarm and trail those of a whole state."""
        self.trail.write(state.values)
        self.swarm = Swarm.restored(
            self.grid,
            {"agents": state.agents, "key": state.key, "step": state.step},
            device=carrying.device(),
        )

    def run(self, base: State, count: int) -> None:
        """Let cities smell, agents follow and leave a trail, and the trail blur and evaporate, so
        many times.
        """
        self.swarm.run(
            self.how,
            1 / self.settings.rate,
            steps=count,
            trail=self.trail,
            deposits=Deposit(self.trail),
            emitters=self.emitter(base.cities),
        )

    def field(self, state: State, name: str) -> Any:
        """The agents, or the trail, as they are now."""
        return self.swarm.agents if name == "agents" else self.trail.values.copy()

    def emitter(self, cities: NDArray[np.int64]) -> Emitter:
        """The smell of cities on the trail."""
        if self._emitter is None or self._emitter[0] is not cities:
            self._emitter = cities, Emitter(self.trail, self.smelling(cities), self.settings.food)
        return self._emitter[1]

    def smelling(self, cities: NDArray[np.int64]) -> NDArray[np.int64]:
        """The open cells of cities; of cities that overlap, several times."""
        walls = self.grid.walls.reshape(-1)
        around = [
            np.flatnonzero(disc(self.grid, int(cell), self.settings.city) & ~walls)
            for cell in cities
        ]
        return np.concatenate([np.zeros(0, np.int64), *around])

    def level(self, state: State) -> float:
        """The least that a trail holds where it is a vein."""
        return _VEIN * len(state) / len(self.ground) / (1 - min(self.settings.keep, 0.999))

    def tree(self, cities: NDArray[np.int64]) -> Tree:
        """The shortest tree that joins cities."""
        if self._tree is None or self._tree[0] is not cities:
            self._tree = cities, shortest_tree(self.grid, cities)
        return self._tree[1]

    def network(self, state: State) -> Network:
        """The network of a state, looked at once a second."""
        second, cities = state.step // self.settings.rate, state.cities
        if self._network is None or self._network[0] != second or self._network[1] is not cities:
            found = network_of(
                self.grid,
                state.values,
                cities,
                self.level(state),
                self.settings.city,
                self.tree(cities),
            )
            self._network = second, cities, found
        return self._network[2]
