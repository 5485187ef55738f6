"""Walks, footprints cut on them, units of work, and sources as columns: for radiating fields."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.falloff import Falloff

__all__ = [
    "UNIT_SEARCHED",
    "UNIT_STAMPED",
    "AnyWalks",
    "Emission",
    "Footprints",
    "Found",
    "Walks",
    "finished",
    "whole_radius",
]

UNIT_SEARCHED = 2_000
"""Cells searched in a unit."""
UNIT_STAMPED = 20_000
"""Cells added in a unit."""
Found = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The cells of a footprint and their weights."""


def finished(search: Generator[int, None, Found]) -> Found:
    """The answer of a search, all of its units made."""
    while True:
        try:
            next(search)
        except StopIteration as done:
            found: Found = done.value
            return found


def whole_radius(radius: float) -> float:
    """A radius in cells, a whole number where it is one to a billionth: so that a radius of 0.3 on
    cells of 0.1 reaches three.
    """
    whole = round(radius)
    return float(whole) if math.isclose(radius, whole, rel_tol=1e-9) else radius


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


class Walks(Protocol):
    """The walks over a space at one moment."""

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Walls in rows of cells, as tiles are laid out; True for what fills up the last tile."""
        ...

    def renewal(self, changed: NDArray[np.int64]) -> Generator[int, None, Self]:
        """The walks as they are now, the walls of some cells having changed since: yields after
        each unit of work.
        """
        ...


AnyWalks = TypeVar("AnyWalks", bound=Walks)
_Taken = TypeVar("_Taken", contravariant=True)


class Footprints(Protocol[_Taken]):
    """Footprints of one metric. A *shape* says falloff and radius, and has a number."""

    @property
    def shapes(self) -> list[Any]:
        """The shapes by number."""
        ...

    @property
    def size(self) -> int:
        """How many weights fill the memory."""
        ...

    @property
    def reaches(self) -> NDArray[np.int64]:
        """How many cells each shape reaches each way where it is stamped from a table, else 0."""
        ...

    def number(self, falloff: Falloff, radius: float, walks: _Taken) -> int:
        """The number of the shape with this falloff and this radius, in the unit that footprints
        count by.
        """
        ...

    def number_as(self, others: Self, walks: _Taken) -> None:
        """Number the shapes that `others` have beyond these as they do."""
        ...

    def without_others(
        self, shapes: NDArray[np.int64], used: NDArray[np.bool_]
    ) -> tuple[Self, NDArray[np.int64]]:
        """The footprints of those `shapes` that are `used`, and the new number of each; 0 where it
        is not.
        """
        ...

    def search(
        self, walks: _Taken, cell: int, number: int, *, aside: bool = False
    ) -> Generator[int, None, Found]:
        """The footprint of a shape around a cell: yields after each unit of work, returns cells and
        weights.
        """
        ...
