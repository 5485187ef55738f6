"""What every space offers, whatever its cells are."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Space"]


@runtime_checkable
class Space(Protocol):
    """Cells with integer ids, world positions, and walls.

    A grid counts its cells row by row (`row * width + column`), a graph by vertex. Values of a layer are arrays of
    `shape`; flattened, they are indexed by cell id.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one array of values on this space."""
        ...

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Which cells are walls, in `shape`; read-only."""
        ...

    @property
    def dimensions(self) -> int:
        """2 where positions are (x, y), 3 where they are (x, y, z)."""
        ...

    def __len__(self) -> int:
        """The number of cells, walls included."""
        ...

    def cell_at(self, positions: ArrayLike, *, outside: str = "refuse") -> int | NDArray[np.int64]:
        """The cells at world positions: an int for one pair, an (N,) array for many."""
        ...

    def position_of(self, cells: ArrayLike) -> NDArray[np.float64]:
        """The world positions of the centres of cells: (2,) for one cell, (N, 2) for many."""
        ...

    def nearest_open(self, cells: ArrayLike) -> int | NDArray[np.int64]:
        """For each cell, itself if it is open, else the open cell whose centre is nearest (lowest id on a tie)."""
        ...
