"""The mirror of a colony: its layers, made to show a state."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Trail
from fieldcraft.layer import TrailLayer
from fieldcraft.steering import Walk, Walkers
from fieldcraft_worlds.games import carrying
from fieldcraft_worlds.games.ants.settings import SCALAR, Settings, Tuning
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.obstacles import Obstacles, disc
from fieldcraft_worlds.games.walking import grid_asked

__all__ = ["Ground", "Mirror", "Reversed"]

_FAINTEST = 9  # halvings after which what an ant leaves weakens no more


class Reversed:
    """A velocity trail against its direction."""

    def __init__(self, layer: TrailLayer) -> None:
        self.space: Any = layer.space
        self.values = layer.values
        self.vectors = -layer.vectors


class Ground:
    """The ground of a game on one map with one set of settings; raises `InvalidValue` for a map
    that is no grid.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.space = grid_asked(space, "Ants walk on")
        self.settings = settings
        self.grid = space.with_walls(space.walls)
        self.obstacles = Obstacles(self.grid)
        weakening = 0.5 ** (1 / (settings.scent * settings.rate))
        lasts = max(1, round(_FAINTEST * settings.scent * settings.rate))
        self.scents = np.multiply.accumulate(np.concatenate([[1.0], np.full(lasts, weakening)]))
        self._nest: tuple[int, NDArray[np.bool_]] | None = None

    def is_nest(self, middle: int) -> NDArray[np.bool_]:
        """Which cells are the nest around a cell, (cells,): those within its radius that are open
        on the map at the start.
        """
        if self._nest is None or self._nest[0] != middle:
            self._nest = (
                middle,
                disc(self.grid, middle, self.settings.nest) & ~self.space.walls.reshape(-1),
            )
        return self._nest[1]

    def walk(self, tuning: Tuning, trails: str = SCALAR) -> Walk:
        """How ants walk that are tuned so."""
        settings, cell = self.settings, self.grid.cell_size
        scalar = trails == SCALAR
        return Walk(
            settings.speed * cell,
            wander=tuning.wander,
            turn=tuning.turn,
            follow=settings.follow if scalar else 0.0,
            align=0.0 if scalar else settings.follow,
            separate=tuning.separate,
            avoid=settings.avoid,
            distance=tuning.distance * cell,
        )


class Mirror(Ground):
    """Ground and layers of a game on one map with one set of settings."""

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, settings)
        every = 1 / settings.rate
        imap = InfluenceMap(self.grid, device=carrying.device())
        self.to_food = imap.add_layer("to food", Trail(), every=every)
        self.to_home = imap.add_layer("to home", Trail(), every=every)
        self.flow = imap.add_layer("flow", Trail(vector=True), every=every)
        self._crowd = imap.add_layer(
            "crowd", Trail(accumulate=False, blur=settings.crowd), every=every
        )
        self._planes: NDArray[np.float32] | None = None

    def trails(self, state: State) -> tuple[TrailLayer, ...]:
        """The layers that ants leave trails on."""
        return (self.to_food, self.to_home) if state.trails == SCALAR else (self.flow,)

    def follow(self, state: State) -> None:
        """Make walls and trails those of a state."""
        self.obstacles.follow(state.walls)
        wanted = Trail(state.tuning.keep, blur=state.tuning.blur, vector=state.trails != SCALAR)
        for layer in self.trails(state):
            if layer.propagation != wanted:
                layer.propagation = wanted
        if state.planes is not self._planes:
            if state.trails == SCALAR:
                self.to_food.write(state.planes[0])
                self.to_home.write(state.planes[1])
            else:
                self.flow.write(np.moveaxis(state.planes, 0, -1))
            self._planes = state.planes

    def updated(self, state: State) -> NDArray[np.float32]:
        """Update the trails, and answer what they hold then."""
        for layer in self.trails(state):
            layer.step()
        if state.trails == SCALAR:
            self._planes = np.stack([self.to_food.values, self.to_home.values])
        else:
            self._planes = np.moveaxis(self.flow.vectors, -1, 0).copy()
        return self._planes

    def walkers(self, state: State) -> Walkers:
        """The ants of a state, out of walls that came since."""
        return Walkers(
            self.grid, state.positions, state.headings, state.cells, state.key, state.step
        ).freed()

    def positions(self, state: State) -> NDArray[np.float64]:
        """Where the ants of a state are, (N, 2)."""
        return state.positions

    def crowded(self, state: State) -> NDArray[np.float32]:
        """Where it is crowded in a state, (height, width)."""
        return self.crowd(self.walkers(state)).values

    def crowd(self, walkers: Walkers) -> TrailLayer:
        """Where it is crowded now: the layer that does not accumulate, with all ants, and with the
        banks of obstacles.
        """
        self._crowd.deposit_at(walkers.cells)
        if self.settings.obstacle:
            self._crowd.deposit_at(self.obstacles.banks, self.settings.obstacle)
        self._crowd.step()
        return self._crowd
