"""Sources as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Emitters"]


@dataclass
class Emitters:
    """Sources of a radial field as columns; `numbers` are those of their footprints."""

    cells: NDArray[np.int64]
    strengths: NDArray[np.float64]
    numbers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cells)

    @staticmethod
    def zeros(count: int) -> Emitters:
        """Return so many rows, all 0."""
        return Emitters(np.zeros(count, np.int64), np.zeros(count), np.zeros(count, np.int64))

    @property
    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Cells, strengths and numbers, as kernels take them."""
        return self.cells, self.strengths, self.numbers

    def at(self, rows: NDArray[Any] | slice) -> Emitters:
        """Return some of the rows: those at these indices, or where a mask is True."""
        return Emitters(self.cells[rows], self.strengths[rows], self.numbers[rows])

    def rows(self) -> Iterator[tuple[int, float, int]]:
        """Return (cell, strength, number) one by one."""
        return zip(*(column.tolist() for column in self.columns), strict=True)

    @staticmethod
    def joined(parts: Sequence[Emitters]) -> Emitters:
        """Return the rows of all parts, one after the other."""
        return Emitters(*map(np.concatenate, zip(*(part.columns for part in parts), strict=True)))
