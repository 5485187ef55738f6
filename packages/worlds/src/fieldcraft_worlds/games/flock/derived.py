"""Derived state of a flock: its layers, computed anew at each step, on the CPU or on a graphics
card.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Trail
from fieldcraft.base.errors import InvalidValue
from fieldcraft.steering import Deposit, Emitter, Neighbors, Swarm, Walk, separation
from fieldcraft_worlds.games.device import chosen_device
from fieldcraft_worlds.games.flock.settings import LAYERS, Settings, Tuning
from fieldcraft_worlds.games.flock.state import State
from fieldcraft_worlds.games.lazy import SwarmReplay
from fieldcraft_worlds.games.walking import Obstacles, away, disc, require_grid

_SCREAM = 64.0
"""Birds that a predator counts as."""


class FlockDerived(SwarmReplay[State]):
    """Layers and birds of a flock on one map with one set of settings. Birds by layers and birds by
    exact neighbors are two swarms, which do not see each other.

    The narrow layer starts at the density that is no crowd yet: a smell of all open cells. Raises
    `InvalidValue` for a map that is no grid.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__()
        self.space = require_grid(space, "Birds fly on")
        self.settings = settings
        self.grid = space.with_walls(space.walls)
        self.obstacles = Obstacles(self.grid)
        every = 1 / settings.rate
        imap = InfluenceMap(self.grid, device=chosen_device())
        self.near = imap.add_layer("near", Trail(accumulate=False, blur=settings.near), every=every)
        self.heading = imap.add_layer(
            "heading", Trail(accumulate=False, blur=settings.heading, vector=True), every=every
        )
        self.far = imap.add_layer("far", Trail(accumulate=False, blur=settings.far), every=every)
        self._deposits = [Deposit(self.near), Deposit(self.far), Deposit(self.heading)]
        self._emitters: list[Emitter] = []
        self._rows: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._by_layers = Swarm.at(self.grid, np.zeros((0, 2)))
        self._by_neighbors = Swarm.at(self.grid, np.zeros((0, 2)))

    def load(self, state: State) -> None:
        """Set walls, birds and layers to those of a complete state; see `SwarmReplay.load`."""
        settings = self.settings
        grid = self.grid
        device = chosen_device()
        if state.rule != LAYERS and device is not None:
            raise InvalidValue(
                "Birds on a device fly by layers",
                got=f"rule={state.rule!r}",
                remedy="Choose layers, or play without a device",
            )
        self.obstacles.follow(state.walls)
        self._emitters = [
            Emitter(self.near, self.obstacles.banks, settings.obstacle),
            Emitter(self.near, np.flatnonzero(~grid.walls), settings.room),
        ]
        if state.predator is not None:
            near = disc(grid, int(grid.cell_at(state.predator)), settings.predator)
            around = np.flatnonzero(near & ~grid.walls.reshape(-1))
            fear = self._fear(grid.position_of(around).reshape(-1, 2), state.predator)
            self._emitters.append(Emitter(self.heading, around, fear * _SCREAM))
        self._rows = state.by_layers
        self._by_layers = self._swarm_of(state, self._rows, state.key)
        self._by_neighbors = self._swarm_of(state, ~self._rows, state.key + 1)
        self.run(state, 0)  # raises for impossible states, and moves birds out of walls
        still = replace(self._flight(state.tuning), turn=0.0)
        if len(self._by_layers):
            shown = self._by_layers
        else:
            shown = self._by_neighbors
        shown.copy(device=device).run(still, 0.0, deposits=self._deposits, emitters=self._emitters)

    def run(self, base: State, count: int) -> None:
        """Make steps: birds sense, turn, fly and mark the layers."""
        flight = self._flight(base.tuning)
        dt = 1 / self.settings.rate
        tuning = base.tuning
        weights = {"align": tuning.align, "separate": tuning.separate, "cohere": tuning.cohere}
        seen: dict[str, Any] = {"deposits": self._deposits, "emitters": self._emitters}
        if self._rows.any() or not len(self._rows):
            self._by_layers.run(
                replace(flight, **weights),
                dt,
                steps=count,
                flow=self.heading,
                crowd_layer=self.near,
                group_layer=self.far,
                **seen,
            )
            seen = {}
        if not self._rows.all():
            for _ in range(count):
                self._by_neighbors = self._turn_by_neighbors(base, self._by_neighbors)
                self._by_neighbors.run(replace(flight, turn=None), dt, **seen)
            self._by_neighbors.run(flight, dt, steps=0)

    def field(self, state: State, name: str) -> Any:
        """Return the birds."""
        agents = np.empty((3, len(self._rows)), dtype=np.int32)
        agents[:, self._rows] = self._by_layers.agents
        agents[:, ~self._rows] = self._by_neighbors.agents
        return agents

    def swarm(self, state: State) -> Swarm:
        """Return the birds of a state."""
        return Swarm(self.grid, state.agents, 0)

    def _swarm_of(self, state: State, rows: NDArray[np.bool_], key: int) -> Swarm:
        """Return some of the birds of a state, as a swarm with a key of its own."""
        parts = {"agents": state.agents[:, rows], "key": key, "step": state.step}
        return Swarm.restored(self.grid, parts, device=chosen_device())

    def _flight(self, tuning: Tuning) -> Walk:
        """Return the weights that all birds share."""
        cell = self.grid.cell_size
        settings = self.settings
        return Walk(
            settings.speed * cell,
            wander=tuning.wander,
            turn=tuning.turn,
            avoid=settings.avoid,
            distance=max(2 * settings.speed / settings.rate, 1.0) * cell,
        )

    def _turn_by_neighbors(self, state: State, birds: Swarm) -> Swarm:
        """Return birds that turned by the same three rules with exact neighbors. Their range is
        that of the layers: a slope is read over one more cell.
        """
        settings = self.settings
        tuning = state.tuning
        grid = self.grid
        places = birds.positions
        headings = birds.headings
        desired = np.zeros((len(birds), 2))
        if tuning.align:
            reach = settings.heading / 2 * grid.cell_size
            sums = Neighbors(places, reach, space=grid).sums(headings)
            desired += tuning.align * _unit(sums[:, 3:] + headings)
        if tuning.separate:
            reach = (settings.near / 2 + 1) * grid.cell_size
            desired += tuning.separate * separation(Neighbors(places, reach, space=grid))
        if tuning.cohere:
            reach = (settings.far / 2 + 1) * grid.cell_size
            sums = Neighbors(places, reach, space=grid).sums(headings)
            desired += tuning.cohere / reach * (sums[:, 1:3] / np.maximum(sums[:, :1], 1))
        if state.predator is not None:
            fear = self._fear(places, state.predator)
            desired = np.where(fear.any(axis=1, keepdims=True), tuning.align * _unit(fear), desired)
        desired += headings
        across = headings[:, 0] * desired[:, 1] - headings[:, 1] * desired[:, 0]
        most = np.radians(tuning.turn)
        turn = np.clip(np.arctan2(across, (headings * desired).sum(axis=1)), -most, most)
        if grid.y_up:
            turn = -turn
        agents = birds.agents
        heading = agents[2] + np.rint(turn * (65536 / (2 * np.pi))).astype(np.int32)
        agents[2] = (agents[2] & -65536) | (heading & 0xFFFF)
        given = {"agents": agents, "key": state.key + 1, "step": birds.step}
        return Swarm.restored(grid, given)

    def _fear(
        self, positions: NDArray[np.float64], predator: tuple[float, float]
    ) -> NDArray[np.float64]:
        """Return vectors away from a predator, (N, 2): length 1 beside it, 0 beyond its range."""
        gaps = away(self.grid, predator, positions)
        lengths = np.sqrt((gaps * gaps).sum(axis=1, keepdims=True))
        fear = np.maximum(1 - lengths / (self.settings.predator * self.grid.cell_size), 0)
        return np.asarray(gaps / np.where(lengths > 0, lengths, 1) * fear)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return vectors 1 long; those without a length as they are."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))
