"""Trails on hexagons: each cell exchanges with its six neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.reference.stamps import SCALE
from fieldcraft.propagation.trail import TrailField
from fieldcraft.space.keeping import kept_until_walls_change
from fieldcraft.space.protocol import Space

__all__ = ["HexTrailField"]

_SHARE = 1 / 7  # a cell and its six neighbours


@kept_until_walls_change
def _exchanges(space: Space) -> Any:
    """Which cells exchange, as a sparse matrix of ones: what one may give the other may give back."""
    from scipy.sparse import csr_array

    ways, size = space.ways, (len(space),) * 2
    there = csr_array((np.ones(len(ways.ends), dtype=np.bool_), ways.ends, ways.starts), shape=size)
    return there.multiply(there.T).astype(np.float64).tocsr()


class HexTrailField(TrailField):
    """See `Trail`: a blur of 3 is the mean of a cell and its six neighbours, one of 5 that twice, and so on.

    Nothing passes walls, closed edges and ground that may not be entered. All sums are float64, in the order of cells.
    """

    def _derive(self) -> None:
        super()._derive()
        if not isinstance(self.trail.blur, int):
            raise InvalidValue(
                "A blur on hexagons is a width",
                got=f"blur={self.trail.blur!r}",
                remedy="Pass 1 for none, 3 for the mean of seven cells, say",
            )
        self._rounds = self.trail.blur // 2
        self._gain = self.trail.kept(self._every)

    def _step(self) -> None:
        between = _exchanges(self.space)
        missing = 6.0 - np.diff(between.indptr) if self.trail.edges == "conserve" else 0.0
        walls = self.space.walls.reshape(-1)
        for plane, canvas in zip(self.planes, self.inflow, strict=True):
            values: NDArray[np.float64] = plane.reshape(-1).astype(np.float64)
            for _ in range(self._rounds):
                values = _SHARE * (values + between @ values + missing * values)
            new = (self._gain * values + canvas.sums.reshape(-1) / SCALE).astype(np.float32)
            plane.reshape(-1)[:] = np.where(walls | (np.abs(new) < self._floor), np.float32(0), new)
            canvas.sums[:] = 0

    _step_slowly = _step

    def step_in_units(self) -> Any:
        """Take one step, in one unit."""
        self.run(1)
        yield
