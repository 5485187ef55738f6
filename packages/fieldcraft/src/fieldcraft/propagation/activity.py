"""Which parts of a map can change in the next step of a spread: tiles of a grid, or blocks of a
graph.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.arrays import aligned
from fieldcraft.space import Grid

__all__ = ["Awake", "Blocks", "Tiles"]

# Scheduling thresholds. They affect speed only, never results.
_FEW_TILES = 0.25  # up to this share of awake tiles, tiles are cheaper than waves
_FEW_BLOCKS = 0.5  # up to this share of awake blocks, skipping the others pays
# Steps of everything between two looks at what still changes; they change no value.
_FIRST_PROBE, _LAST_PROBE = 16, 128


class Awake:
    """How many parts of a map can change in the next step, and when it pays to care.

    While it is probing all parts count as awake, and after some steps of everything one looks again
    at how many are.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.awake = count
        self.probing = True
        self.until_probe = 0
        self._interval = _FIRST_PROBE

    @property
    def is_worth_it(self) -> bool:
        """Whether the next step goes part by part: few are awake, or it is time to look how many
        are.
        """
        return not self.probing or self.until_probe == 0

    def skips_probe(self) -> bool:
        """Count a step of the whole map down to the next look; whether it is not due yet."""
        if not self.probing or self.until_probe == 0:
            return False
        self.until_probe -= 1
        return True

    def found(self, awake: int, *, few: bool) -> None:
        """Take notice of how many parts a step has left awake, and whether these are so few that it
        pays to skip the others.
        """
        self.awake = awake
        if few:
            self.probing = False
            self._interval = _FIRST_PROBE
            return
        self.wake_all()
        self.until_probe = self._interval
        self._interval = min(2 * self._interval, _LAST_PROBE)

    def rest(self) -> None:
        """Take notice that a step has changed nothing."""
        self._mark(0)
        self.awake = 0
        self.probing = False

    def wake_all(self) -> None:
        """Take notice that anything may have changed."""
        self._mark(1)
        self.awake = self.count
        self.probing = True

    def _mark(self, flag: int) -> None:
        """Note of all parts whether they are awake."""
        raise NotImplementedError


class Tiles(Awake):
    """Which tiles of a grid can change in the next step."""

    def __init__(self, kernels: ModuleType, space: Grid, reach: int) -> None:
        self.kernels = kernels
        self._space = space
        self._reach = reach
        down = -(-space.height // kernels.TILE_ROWS)
        across = -(-space.width // kernels.TILE_COLUMNS)
        self._awake = np.ones((down, across), dtype=np.uint8)
        self._bands = np.ones(down, dtype=np.uint8)
        lag = -(-reach // kernels.TILE_ROWS) + 1
        lag = min(lag, down + 1)
        new = aligned((lag, across, kernels.TILE_ROWS, kernels.TILE_COLUMNS))
        pending = np.zeros((lag, across), dtype=np.int64)
        self.wakefulness: tuple[NDArray[np.uint8], ...] = (
            self._awake,
            self._bands,
            np.zeros_like(self._awake),
            np.zeros_like(self._bands),
        )
        self.scratch: tuple[NDArray[Any], ...] = (new, pending, np.zeros(lag, dtype=np.int64))
        super().__init__(self._awake.size)
        self.most = int(_FEW_TILES * self.count)

    def wake(self, cells: NDArray[np.int64]) -> None:
        """Take notice that these cells have changed."""
        if self.probing or not len(cells):
            return
        self.kernels.wake(
            cells,
            self._space.width,
            self._space.height,
            self._reach,
            self._space.wrap,
            self._awake,
            self._bands,
        )
        self.awake = int(np.count_nonzero(self._awake))

    def report(self, awake: int) -> None:
        """Take notice of how many tiles a step has left awake."""
        self.found(awake, few=awake <= self.most)

    def _mark(self, flag: int) -> None:
        self._awake[:] = flag
        self._bands[:] = flag


class Blocks(Awake):
    """Which blocks can change in the next step."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.flags = np.ones(count, dtype=np.uint8)

    def report(self, flags: NDArray[np.uint8]) -> None:
        """Take notice of which blocks a step has left awake."""
        self.flags = flags
        awake = int(np.count_nonzero(flags))
        self.found(awake, few=awake <= _FEW_BLOCKS * self.count or self.count <= 2)

    def _mark(self, flag: int) -> None:
        self.flags[:] = flag
