"""The active parts of a map, which the next step of Spread can change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import aligned
from fieldcraft.kernels.spread.spread_records import TileActivity, TileScratch
from fieldcraft.space import Grid

# Scheduling thresholds. They affect speed only, never results.
_FEW_TILES = 0.25  # up to this share of active tiles, tiles are cheaper than waves


# Steps of the whole map between two activity tests; they change no value.
_FIRST_TEST = 16


_LAST_TEST = 128


class ActiveSet:
    """The active parts of a map, which the next step can change.

    While the active parts are not known all parts count as active. After `until_test` steps of the
    whole map, the next step goes part by part and finds out which parts are active: an activity
    test.

    Parameters
    ----------
    flags : ndarray of uint8
        1 for each active part, which is written here; the first array has one flag for each part.
    """

    def __init__(self, *flags: NDArray[np.uint8]) -> None:
        self.flags = flags
        self.count = self.active = flags[0].size
        self.is_known = False
        self.until_test = 0
        self._interval = _FIRST_TEST

    @property
    def by_parts(self) -> bool:
        """Whether the next step goes part by part."""
        return self.is_known or self.until_test == 0

    def update(self, active: int, most: float) -> None:
        """Set the number of parts that a step leaves active; more than `most` are too many to
        skip the others.
        """
        self.active = active
        self.is_known = active <= most
        if self.is_known:
            self._interval = _FIRST_TEST
            return
        self.activate_all()
        self.until_test = self._interval
        self._interval = min(2 * self._interval, _LAST_TEST)

    def recount(self) -> None:
        """Count the active parts again."""
        self.active = int(np.count_nonzero(self.flags[0]))

    def activate_all(self) -> None:
        """Set all parts active: any value may have changed."""
        for flags in self.flags:
            flags[...] = 1
        self.active = self.count
        self.is_known = False

    def rest(self) -> None:
        """Set no part active: a step has changed nothing."""
        for flags in self.flags:
            flags[...] = 0
        self.active = 0
        self.is_known = True


class ActiveTiles(ActiveSet):
    """The active tiles of a grid, and the arrays of `kernels.spread.spread_tiles` for them."""

    def __init__(self, space: Grid, reach: int) -> None:
        rows, columns = (
            kernels.spread.spread_tiles.TILE_ROWS,
            kernels.spread.spread_tiles.TILE_COLUMNS,
        )
        down = -(-space.height // rows)
        across = -(-space.width // columns)
        active = np.ones((down, across), dtype=np.uint8)
        bands = np.ones(down, dtype=np.uint8)
        super().__init__(active, bands)
        self.most = int(_FEW_TILES * self.count)
        self.activity = TileActivity(active, bands, np.zeros_like(active), np.zeros_like(bands))
        lag = min(-(-reach // rows) + 1, down + 1)
        self.scratch = TileScratch(
            aligned((lag, across, rows, columns)),
            np.zeros((lag, across), dtype=np.int64),
            np.zeros(lag, dtype=np.int64),
        )
