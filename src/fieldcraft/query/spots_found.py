"""Answers that are places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import AnySpace

__all__ = ["Spots"]


@dataclass(frozen=True, eq=False)
class Spots:
    """Cells that answer a question, the best first: for N positions with up to k each, or for one without the first axis.

    `positions` (N, k, 2), or (N, k, 3) on a 3D graph, are the world positions of their centres, `values` (N, k) float32
    what they read, `cells` (N, k) int64. Where fewer than k were found, `found` (N, k) is False, the position and the value
    are NaN, and the cell is -1.
    """

    positions: NDArray[np.float64]
    values: NDArray[np.float32]
    cells: NDArray[np.int64]
    found: NDArray[np.bool_]

    @classmethod
    def at(cls, cells: NDArray[np.int64], space: AnySpace, flat: NDArray[np.float32]) -> Spots:
        """The spots at cells, -1 where there is none."""
        found = cells >= 0
        positions = np.full((*cells.shape, space.dimensions), np.nan)
        positions[found] = space.position_of(cells[found])
        values = np.full(cells.shape, np.nan, dtype=np.float32)
        values[found] = flat[cells[found]]
        return cls(positions, values, cells, found)

    @property
    def position(self) -> NDArray[np.float64]:
        """The first choices: (N, 2), or (2,) for one; NaN where nothing was found."""
        return np.asarray(self.positions[..., 0, :])

    @property
    def value(self) -> NDArray[np.float32]:
        """What the first choices read: (N,), or an array without axes for one."""
        return np.asarray(self.values[..., 0])

    @property
    def cell(self) -> NDArray[np.int64]:
        """The cells of the first choices: (N,), or an array without axes for one."""
        return np.asarray(self.cells[..., 0])

    def __repr__(self) -> str:
        return f"<Spots of shape {self.cells.shape}, {int(np.count_nonzero(self.found))} found>"
