"""Derived state of a slime mold: its trail and its swarm, on the CPU or on a graphics card."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Trail
from fieldcraft.base.errors import InvalidValue
from fieldcraft.steering import Deposit, Emitter, Swarm, Walk
from fieldcraft_worlds.games.device import chosen_device
from fieldcraft_worlds.games.lazy import SwarmReplay
from fieldcraft_worlds.games.physarum.network import Network, Tree, network_of, shortest_tree
from fieldcraft_worlds.games.physarum.settings import Settings
from fieldcraft_worlds.games.physarum.state import State
from fieldcraft_worlds.games.walking import disc, require_grid

_VEIN_SHARE = 0.5  # of the trail of evenly spread agents


class PhysarumDerived(SwarmReplay[State]):
    """Ground, trail and swarm of a game on one map with one set of settings; raises `InvalidValue`
    for a map that is no grid.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__()
        self.grid = require_grid(space, "Slime mold grows on")
        self.settings = settings
        self.ground: NDArray[np.int64] = np.flatnonzero(np.asarray(space.parts()).reshape(-1) == 0)
        if not len(self.ground):
            raise InvalidValue(
                "Slime mold needs open ground", got="walls everywhere", remedy="Choose another map"
            )
        self.imap = InfluenceMap(space, device=chosen_device())
        self.trail = self.imap.add_layer("trail", Trail(settings.keep), every=1 / settings.rate)
        cell = space.cell_size
        self.weights = Walk(
            settings.speed * cell,
            follow=1.0,
            wander=settings.wander,
            turn=settings.turn,
            distance=settings.distance * cell,
            angle=settings.angle,
        )
        self.swarm = Swarm.at(space, np.zeros((0, 2)), device=chosen_device())
        self._emitter: tuple[NDArray[np.int64], Emitter] | None = None
        self._tree: tuple[NDArray[np.int64], Tree] | None = None
        self._network: tuple[int, NDArray[np.int64], Network] | None = None

    def load(self, state: State) -> None:
        """Set swarm and trail to those of a complete state."""
        self.trail.write(state.values)
        self.swarm = Swarm.restored(
            self.grid,
            {"agents": state.agents, "key": state.key, "step": state.step},
            device=chosen_device(),
        )

    def run(self, base: State, count: int) -> None:
        """Make steps: cities smell, agents follow and leave a trail, which blurs and evaporates."""
        self.swarm.run(
            self.weights,
            1 / self.settings.rate,
            steps=count,
            trail=self.trail,
            deposits=Deposit(self.trail),
            emitters=self.emitter(base.cities),
        )

    def field(self, state: State, name: str) -> Any:
        """Return the agents, or the trail."""
        if name == "agents":
            return self.swarm.agents
        return self.trail.values.copy()

    def emitter(self, cities: NDArray[np.int64]) -> Emitter:
        """Return the smell of cities on the trail."""
        if self._emitter is None or self._emitter[0] is not cities:
            smell = Emitter(self.trail, self.city_cells(cities), self.settings.food)
            self._emitter = (cities, smell)
        return self._emitter[1]

    def city_cells(self, cities: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the open cells of cities; of overlapping cities several times."""
        walls = self.grid.walls.reshape(-1)
        around = [
            np.flatnonzero(disc(self.grid, int(cell), self.settings.city) & ~walls)
            for cell in cities
        ]
        return np.concatenate([np.zeros(0, np.int64), *around])

    def vein_level(self, state: State) -> float:
        """Return the least value of a trail in a vein."""
        return _VEIN_SHARE * len(state) / len(self.ground) / (1 - min(self.settings.keep, 0.999))

    def tree(self, cities: NDArray[np.int64]) -> Tree:
        """Return the shortest tree that joins cities."""
        if self._tree is None or self._tree[0] is not cities:
            self._tree = (cities, shortest_tree(self.grid, cities))
        return self._tree[1]

    def network(self, state: State) -> Network:
        """Return the network of a state, computed once a second."""
        second = state.step // self.settings.rate
        cities = state.cities
        if self._network is None or self._network[0] != second or self._network[1] is not cities:
            found = network_of(
                self.grid,
                state.values,
                cities,
                self.vein_level(state),
                self.settings.city,
                self.tree(cities),
            )
            self._network = (second, cities, found)
        return self._network[2]
