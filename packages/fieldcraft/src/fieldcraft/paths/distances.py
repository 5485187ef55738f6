"""The questions that a distance map asks of the search behind it, on whatever space."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths.prices import Prices
from fieldcraft.space import Snapshot

__all__ = ["Distances"]


class Distances(Protocol):
    """Distances to the nearest of some goals on one moment's map.

    `goals` ascend, with what each begins with in `start_costs`. Nothing is searched before
    `settle`; `finished` says when the search has come to its end, and `mendable` whether `mend` can
    then find out who had their distance from whom.
    """

    prices: Prices
    finished: bool

    @property
    def ground(self) -> Snapshot:
        """The moment's map that they lie on."""
        ...

    @property
    def mendable(self) -> bool:
        """Whether `mend` may be called."""
        ...

    @property
    def links(self) -> NDArray[Any]:
        """The steps that the distances keep to, as `Grid.links` in its shape, or by arc of a
        graph.
        """
        ...

    def fit(self) -> None:
        """Choose buckets that fit the prices."""
        ...

    def settle(self, until: NDArray[np.int64] = ...) -> None:
        """Search until these cells have their distances, or to the end where there are none."""
        ...

    def mend(self, version: int, changed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Go over to the walls of this version, or to prices, that differ in these cells; the cells
        whose distance is another one.
        """
        ...

    def cut_off(self, walls: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cells that would reach no goal any more if there were walls in these cells as well;
        nothing is changed.
        """
        ...

    def summits(self, heights: NDArray[np.float64]) -> NDArray[np.int64]:
        """The open cells, ascending, of which no neighbour's height and the step to it add up to
        less than their own.
        """
        ...

    def show(self, values: NDArray[np.float32], cells: NDArray[np.int64] | None = None) -> None:
        """Write the distances, all or those of some cells, into `values`, flat; inf on walls."""
        ...

    def measured(self, cells: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """The distances of cells in world units, times cost; inf on walls."""
        ...

    def descend(self, cell: int) -> tuple[NDArray[np.int64], float]:
        """The way down from a settled cell: cells, and its length in world units."""
        ...
