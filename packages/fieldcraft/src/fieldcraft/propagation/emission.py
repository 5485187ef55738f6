"""The emission of sources: strengths, places and shapes as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Emission"]


@dataclass
class Emission:
    """Sources as columns: what a map holds of them, or a list of jobs. `shapes` number a falloff
    and a radius.
    """

    cells: NDArray[np.int64]
    strengths: NDArray[np.float64]
    shapes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cells)

    def at(self, rows: NDArray[Any] | slice) -> Emission:
        """Some of the rows: those at these places, or where these are True."""
        if (
            isinstance(rows, np.ndarray)
            and rows.dtype == np.bool_
            and np.count_nonzero(rows) == len(rows)
        ):
            return self
        return Emission(self.cells[rows], self.strengths[rows], self.shapes[rows])

    @staticmethod
    def joined(parts: Sequence[Emission]) -> Emission:
        """The rows of all parts, one after the other."""
        return Emission(
            np.concatenate([part.cells for part in parts]),
            np.concatenate([part.strengths for part in parts]),
            np.concatenate([part.shapes for part in parts]),
        )

    def rows(self) -> Iterator[tuple[int, float, int]]:
        """(cell, strength, shape) one by one."""
        return zip(self.cells.tolist(), self.strengths.tolist(), self.shapes.tolist(), strict=True)
