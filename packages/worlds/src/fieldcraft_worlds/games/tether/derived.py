"""The derived of a duel: lines of sight, ways, and the tether layer around an enemy, looked up once
for each map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import DistanceMap, Grid, InfluenceMap, Stamp, distance_map, visible
from fieldcraft.steering import Crowd
from fieldcraft_worlds.games.tether.settings import Settings
from fieldcraft_worlds.games.walking import away, grid_asked, walking_grid

__all__ = ["TetherDerived"]

_MOST_KEPT = 4096
_ROOM = 0.9  # cells that fighters keep apart

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Key = TypeVar("Key")
Kept = TypeVar("Kept")


class TetherDerived:
    """A map that is fought on. What it keeps only makes it faster: it answers the same whatever was
    asked before.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.space = grid_asked(space, "The duel is fought on")
        self.settings = settings
        self.ground = walking_grid(space)
        self.cell = self.ground.cell_size
        self.centers = self.ground.position_of(np.arange(len(self.ground)))
        self.crowd = Crowd(
            self.ground, radius=0.3 * self.cell, keep_apart=_ROOM * self.cell, ahead=0.0
        )
        self._layer = InfluenceMap(self.ground).add_layer(
            "tether", values=np.zeros(self.ground.shape)
        )
        self._seen: dict[int, Bools] = {}
        self._distances: dict[int, DistanceMap] = {}
        self._rings: dict[tuple[int, float, float, float], Floats] = {}

    def cells(self, positions: Floats) -> Ints:
        """The cells of positions (N, 2)."""
        return np.atleast_1d(self.ground.cell_at(positions, outside="clamp")).astype(np.int64)

    def seen(self, cell: int) -> Bools:
        """The cells in sight of a cell, however far: (cells,)."""
        return _kept(
            self._seen,
            cell,
            lambda: visible(self.ground, self.centers[cell], self._farthest()).reshape(-1),
        )

    def distances(self, cell: int) -> DistanceMap:
        """How far it is to a cell."""
        return _kept(self._distances, cell, lambda: distance_map(self.ground, self.centers[cell]))

    def apart(self, cell: int) -> Floats:
        """How far all cells lie from a cell, as the crow flies, in cells: (cells,)."""
        gaps = away(self.ground, self.centers[cell], self.centers)
        return np.asarray(np.hypot(gaps[:, 0], gaps[:, 1]) / self.cell)

    def tether(
        self, enemies: Iterable[int], own_range: float, enemy_range: float, threat: float
    ) -> Floats:
        """The tether layer against enemies on these cells, ranges in cells, (cells,):
        `fc.Stamp.tether` around each, where in sight.
        """
        total = np.zeros(len(self.ground))
        for cell in enemies:
            key = (int(cell), own_range, enemy_range, threat)
            total += _kept(self._rings, key, partial(self._ring, *key))
        return total

    def reached(self, enemies: Iterable[int], reach: float) -> Floats:
        """How many of the enemies on these cells reach each cell, with that range in cells:
        (cells,).
        """
        total = np.zeros(len(self.ground))
        for cell in enemies:
            total += self.seen(int(cell)) & (self.apart(int(cell)) <= reach)
        return total

    def _ring(self, cell: int, own_range: float, enemy_range: float, threat: float) -> Floats:
        stamp = Stamp.tether(own_range * self.cell, enemy_range * self.cell, threat=threat)
        self._layer.write(np.zeros(self.ground.shape))
        self._layer.stamp(stamp, self.centers[cell])
        return np.asarray(self._layer.values.reshape(-1) * self.seen(cell), dtype=np.float64)

    def _farthest(self) -> float:
        return float(np.hypot(*self.ground.size)) + self.cell


def _kept(known: dict[Key, Kept], key: Key, make: Callable[[], Kept]) -> Kept:
    found = known.get(key)
    if found is None:
        if len(known) >= _MOST_KEPT:
            known.clear()
        found = known[key] = make()
    return found
