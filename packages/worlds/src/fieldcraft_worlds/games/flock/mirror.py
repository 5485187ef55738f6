"""The mirror of a flock: the layers by which birds fly, rebuilt at each step, for nothing
accumulates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Trail
from fieldcraft.steering import Walk
from fieldcraft_worlds.games import carrying
from fieldcraft_worlds.games.flock.settings import Settings, Tuning
from fieldcraft_worlds.games.flock.state import State
from fieldcraft_worlds.games.flock.swarm_state import SwarmState
from fieldcraft_worlds.games.obstacles import Obstacles, disc
from fieldcraft_worlds.games.walking import away, grid_asked

__all__ = ["SCREAM", "Mirror"]

SCREAM = 64.0
"""As many birds a predator's neighbourhood outweighs."""


class Mirror:
    """Ground and layers of a game on one map with one set of settings; raises `InvalidValue` for a
    map that is no grid.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.space = grid_asked(space, "Birds fly on")
        self.settings = settings
        self.grid = space.with_walls(space.walls)
        self.obstacles = Obstacles(self.grid)
        every = 1 / settings.rate
        imap = InfluenceMap(self.grid, device=carrying.device())
        self.near = imap.add_layer("near", Trail(accumulate=False, blur=settings.near), every=every)
        self.heading = imap.add_layer(
            "heading", Trail(accumulate=False, blur=settings.heading, vector=True), every=every
        )
        self.crowd = self.near + settings.room
        self.far = imap.add_layer("far", Trail(accumulate=False, blur=settings.far), every=every)

    def follow(self, state: State | SwarmState) -> None:
        """Make walls those of a state."""
        self.obstacles.follow(state.walls)

    def sense(
        self,
        cells: NDArray[np.int64],
        headings: NDArray[np.float64],
        predator: tuple[float, float] | None,
    ) -> None:
        """Fill the layers: birds where they are and which way they head, obstacles among the crowd,
        and away from a predator.
        """
        self.near.deposit_at(cells)
        self.far.deposit_at(cells)
        self.heading.deposit_at(cells, headings)
        if self.settings.obstacle:
            self.near.deposit_at(self.obstacles.banks, self.settings.obstacle)
        if predator is not None:
            around = self.around(predator)
            self.heading.deposit_at(
                around, self.away(self.grid.position_of(around).reshape(-1, 2), predator) * SCREAM
            )
        for layer in (self.near, self.heading, self.far):
            layer.step()

    def flight(self, tuning: Tuning) -> Walk:
        """The part of a flight that does not depend on by what birds fly."""
        cell, settings = self.grid.cell_size, self.settings
        return Walk(
            settings.speed * cell,
            wander=tuning.wander,
            turn=tuning.turn,
            avoid=settings.avoid,
            distance=max(2 * settings.speed / settings.rate, 1.0) * cell,
        )

    def away(
        self, positions: NDArray[np.float64], predator: tuple[float, float]
    ) -> NDArray[np.float64]:
        """The way from a predator, (N, 2): as long as it is near, from 1 there to 0 where it is no
        longer feared.
        """
        gaps = away(self.grid, predator, positions)
        lengths = np.sqrt((gaps * gaps).sum(axis=1, keepdims=True))
        fear = np.maximum(1 - lengths / (self.settings.predator * self.grid.cell_size), 0)
        return np.asarray(gaps / np.where(lengths > 0, lengths, 1) * fear)

    def around(self, predator: tuple[float, float]) -> NDArray[np.int64]:
        """The open cells in which a predator is feared."""
        near = disc(self.grid, int(self.grid.cell_at(predator)), self.settings.predator)
        return np.flatnonzero(near & ~self.grid.walls.reshape(-1))

    # What scenes ask for

    def show(self, state: State) -> None:
        """Make the layers those of a state: of who flies by layers; of all, where nobody does."""
        rows = state.by_layers if state.by_layers.any() else ~state.by_layers
        open_cells = ~self.grid.walls.reshape(-1)[state.cells] & rows
        self.sense(state.cells[open_cells], state.headings[open_cells], state.predator)

    def birds(self, state: State) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the birds of a state are and which way they head, (N, 2) each."""
        return state.positions, state.headings
