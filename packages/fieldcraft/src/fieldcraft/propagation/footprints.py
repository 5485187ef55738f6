"""The seam between the field of radiating sources and a kind of space: walks at one moment, and
footprints cut on them.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.falloff import Falloff
from fieldcraft.propagation.units import Found

__all__ = ["AnyWalks", "Footprints", "Walks"]


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
