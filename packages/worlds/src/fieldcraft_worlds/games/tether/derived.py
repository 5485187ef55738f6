"""Derived state of a duel: lines of sight, paths, and the tether layer around an enemy, cached by
cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

import numpy as np

from fieldcraft import DistanceMap, Grid, InfluenceMap, Stamp, distance_map, visible
from fieldcraft.steering import Crowd
from fieldcraft_worlds.arrays import Bools, Floats, Ints
from fieldcraft_worlds.games.tether.settings import Settings
from fieldcraft_worlds.games.walking import away, require_grid, walking_grid

_MOST_CACHED = 4096
_ROOM = 0.9  # cells between fighters

Key = TypeVar("Key")
Value = TypeVar("Value")


class TetherDerived:
    """A map of a duel. Its caches change no result."""

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.space = require_grid(space, "The duel is fought on")
        self.settings = settings
        self.ground = walking_grid(space)
        self.cell = self.ground.cell_size
        self.centers = self.ground.position_of(np.arange(len(self.ground)))
        self.crowd = Crowd(
            self.ground, radius=0.3 * self.cell, separation_radius=_ROOM * self.cell, ahead=0.0
        )
        self._layer = InfluenceMap(self.ground).add_layer(
            "tether", values=np.zeros(self.ground.shape)
        )
        self._in_sight: dict[int, Bools] = {}
        self._distances: dict[int, DistanceMap] = {}
        self._rings: dict[tuple[int, float, float, float], Floats] = {}

    def cells(self, positions: Floats) -> Ints:
        """Return the cells of positions (N, 2)."""
        return np.atleast_1d(self.ground.cell_at(positions, outside="clamp")).astype(np.int64)

    def in_sight(self, cell: int) -> Bools:
        """Return the cells in sight of a cell, at any distance: (cells,)."""
        return _cached(self._in_sight, cell, partial(self._seen_from, cell))

    def paths_to(self, cell: int) -> DistanceMap:
        """Return the distance map to a cell."""
        make = partial(distance_map, self.ground, self.centers[cell])
        return _cached(self._distances, cell, make)

    def distances_from(self, cell: int) -> Floats:
        """Return the straight distances of all cells from a cell, in cells: (cells,)."""
        gaps = away(self.ground, self.centers[cell], self.centers)
        return np.asarray(np.hypot(gaps[:, 0], gaps[:, 1]) / self.cell)

    def tether(
        self, enemies: Iterable[int], own_range: float, enemy_range: float, threat: float
    ) -> Floats:
        """Return the tether layer against enemies on some cells, ranges in cells, (cells,):
        `fc.Stamp.tether` around each, where in sight.
        """
        total = np.zeros(len(self.ground))
        for cell in enemies:
            key = (int(cell), own_range, enemy_range, threat)
            total += _cached(self._rings, key, partial(self._ring, *key))
        return total

    def enemies_in_reach(self, enemies: Iterable[int], reach: float) -> Floats:
        """Return how many enemies on some cells reach each cell, for a range in cells: (cells,)."""
        total = np.zeros(len(self.ground))
        for cell in enemies:
            total += self.in_sight(int(cell)) & (self.distances_from(int(cell)) <= reach)
        return total

    def _seen_from(self, cell: int) -> Bools:
        """Return the cells in sight of a cell; see `in_sight`."""
        everywhere = float(np.hypot(*self.ground.size)) + self.cell
        return visible(self.ground, self.centers[cell], everywhere).reshape(-1)

    def _ring(self, cell: int, own_range: float, enemy_range: float, threat: float) -> Floats:
        """Return the tether layer against one enemy; see `tether`."""
        stamp = Stamp.tether(own_range * self.cell, enemy_range * self.cell, threat=threat)
        self._layer.write(np.zeros(self.ground.shape))
        self._layer.stamp(stamp, self.centers[cell])
        return np.asarray(self._layer.values.reshape(-1) * self.in_sight(cell), dtype=np.float64)


def _cached(cache: dict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
    """Return the value of a key, made if it is not cached; a full cache is emptied."""
    if key not in cache:
        if len(cache) >= _MOST_CACHED:
            cache.clear()
        cache[key] = make()
    return cache[key]
