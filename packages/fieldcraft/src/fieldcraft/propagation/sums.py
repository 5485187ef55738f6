"""Exact sums of influence, kept in tiles, and the float32 values that are shown of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import pool
from fieldcraft.propagation.footprints import UNIT_STAMPED

__all__ = ["Sums"]

_UNIT_TILES = 256
_TILES_PER_THREAD = 400


class Sums:
    """Whole numbers by cell, (rows, columns), as `total`; `shown` are the values of the last
    complete state.

    Whatever adds to the total marks the tiles that it touches as `dirty`; `publish` shows these.
    Tiles that `stale` marks differ between what is shown and what will take its place.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.total: NDArray[np.int64] = np.zeros(shape, dtype=np.int64)
        self.shown: NDArray[np.float32] = np.zeros(shape, dtype=np.float32)
        self.dirty: NDArray[np.uint8] = np.zeros(
            (-(-shape[0] // kernels.radial.TILE_ROWS), -(-shape[1] // kernels.radial.TILE_COLUMNS)),
            dtype=np.uint8,
        )
        self.stale = np.zeros_like(self.dirty)
        self._spare: NDArray[np.float32] | None = None

    def begin_anew(self) -> None:
        """Forget all sums; every tile is to be shown."""
        self.total[:] = 0
        self.dirty[:] = 1

    def take_shown(self) -> None:
        """Take the values that are shown for the sums."""
        self.total[:] = np.rint(self.shown.astype(np.float64) * kernels.radial.SCALE)
        self.stale[:] = 1

    def touch(self, cells: NDArray[np.int64]) -> None:
        """Mark the tiles of cells."""
        width = self.total.shape[1]
        self.dirty[
            cells // width // kernels.radial.TILE_ROWS, cells % width // kernels.radial.TILE_COLUMNS
        ] = 1

    def scatter(
        self,
        kernel: Callable[..., None],
        cells: NDArray[np.int64],
        weights: NDArray[np.float64],
        strength: float,
    ) -> Iterator[int]:
        """Let a kernel add a footprint, some cells a unit."""
        for first in range(0, len(cells), UNIT_STAMPED):
            kernel(
                self.total,
                self.dirty,
                cells,
                weights,
                strength * kernels.radial.SCALE,
                first,
                min(first + UNIT_STAMPED, len(cells)),
            )
            yield 1

    def clear_dirty(self) -> Iterator[int]:
        """Forget the sums of dirty tiles, some rows of tiles a unit."""
        return self._by_bands(
            lambda band: kernels.radial.clear(self.total, self.dirty, band, band + 1)
        )

    def _by_bands(self, work: Callable[[int], int]) -> Iterator[int]:
        """Do a work that says how many tiles it took for each row of tiles, some rows a unit."""
        taken = 0
        for band in range(len(self.dirty)):
            taken += work(band)
            if taken >= _UNIT_TILES:
                taken = 0
                yield 1

    def publish(self, walls: NDArray[np.bool_], at_once: bool) -> Iterator[int]:
        """Turn the sums of dirty tiles into values: at once into those shown, or in units into
        others that then are.
        """
        if at_once:
            tiled = (self.total, walls, self.dirty, self.shown)
            parts = pool.bands(
                len(self.dirty), int(np.count_nonzero(self.dirty)) // _TILES_PER_THREAD
            )
            pool.run([(kernels.radial.publish, (*tiled, *part)) for part in parts])
            self.stale |= self.dirty
        else:
            if self._spare is None:
                self._spare, self.stale[:] = np.zeros_like(self.shown), 1
            self.stale |= self.dirty
            spare = self._spare
            yield from self._by_bands(
                lambda band: kernels.radial.publish(
                    self.total, walls, self.stale, spare, band, band + 1
                )
            )
            self.shown, self._spare = self._spare, self.shown
            self.stale[:] = self.dirty
        self.dirty[:] = 0
