"""Paths: cells and positions from a start to a goal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.base.pictured import Pictured
from fieldcraft.paths.first_leg import first_leg, from_edge
from fieldcraft.space import Graph, Space
from fieldcraft.space.csr import NO_CELLS


@dataclass(frozen=True, eq=False, repr=False)
class Path(Pictured, Suggesting):
    """Cells from a start to a goal. It is empty if there is no path; then `found` and `bool(path)`
    are False.

    A sequence of its positions: `for x, y in path`, `path[1]`, `np.asarray(path)`.

    `space` is its map, `cells` (N,) int64 the cells in order, one for each position; a smoothed
    path has only the cells in which it turns, and a path that ends in the cell of its start has
    that cell twice. `length` is in world units, `cost` in world units times the cost of the ground;
    both are measured along the positions, and are infinite if there is no path. A path does not
    change when walls change later. `bends` are the positions of a smoothed path on a mesh, which
    turns at corners of polygons; else None. `start` is where the path begins, None for the center
    of the first cell. `partial` is True for a path that ends in the reachable cell nearest to a
    goal that can't be reached.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> path = fc.shortest_path(fc.Grid(4, 3), (0.5, 0.5), (3.5, 2.5))
    >>> path.length
    5.0
    >>> path.at(1.5)
    array([2. , 0.5])
    >>> bool(fc.shortest_path(fc.Grid(walls=[[0, 1, 0]]), (0.5, 0.5), (2.5, 0.5)))
    False
    """

    space: Space
    cells: NDArray[np.int64]
    length: float
    cost: float
    bends: NDArray[np.float64] | None = None
    start: NDArray[np.float64] | None = None
    partial: bool = field(default=False, kw_only=True)

    @classmethod
    def over_cells(
        cls,
        space: Space,
        cells: NDArray[np.int64],
        length: float,
        cost: float,
        start: NDArray[np.float64] | None = None,
        first_cost: Callable[[NDArray[np.int64]], float] = lambda cells: 1.0,
    ) -> Path:
        """Return a path over the centers of cells that begins at a position in the first of them,
        or on waypoints, on an edge beside it.

        A path within one cell, from a position to the center, has that cell twice.

        Parameters
        ----------
        space : Space
            The map.
        cells : ndarray of int64, (N,)
            The cells in order.
        length, cost : float
            World units and cost from center to center.
        start : ndarray of float64, optional
            World position where it begins.
        first_cost : callable, optional
            Returns the cost of a world unit of the first leg, from the cells of the path.
        """
        count = len(cells)
        if start is not None and isinstance(space, Graph):
            cells, start = from_edge(space, start, cells)
        cells.flags.writeable = False
        if start is None or not count:
            return cls(space, cells, length, cost)
        center = space.position_of(cells.item(0))
        if center.tolist() == start.tolist():
            return cls(space, cells, length, cost)
        if len(cells) == 1:
            cells = np.repeat(cells, 2)
            cells.flags.writeable = False
        more = first_leg(space, cells, start)
        if len(cells) == count:
            more -= first_leg(space, cells, center)
        return cls(space, cells, length + more, cost + more * first_cost(cells), start=start)

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return len(self.cells) > 0

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """The start and the centers of the following cells, or `bends`: (N, 2) world positions,
        with straight lines between them, the short way around axes that wrap.

        (N, 3) on a 3D graph. Read-only.
        """
        if self.bends is not None:
            return self.bends
        if len(self.cells):
            centers = self.space.position_of(self.cells)
        else:
            centers = np.empty((0, self.space.dimensions))
        if self.start is not None:
            centers[0] = self.start
        centers.flags.writeable = False
        return centers

    def at(self, distances: ArrayLike) -> NDArray[np.float64]:
        """Return world positions at distances along the path.

        Along axes that wrap positions are on the map. Edges of a graph that are longer than
        straight lines are walked at an even speed.

        Parameters
        ----------
        distances : float or array_like of shape (N,)
            World units; below 0 is the start, above the length the goal.

        Returns
        -------
        ndarray of float64
            (2,) for one number, (N, 2) for many; (3,) and (N, 3) in 3D.

        Raises
        ------
        InvalidValue
            For numbers that are not finite, and for a path that was not found.
        """
        if not self.found:
            raise InvalidValue(
                "A path that was not found has no positions",
                got=repr(self),
                remedy="Check `if path:` before",
            )
        given = checks.array("distances", distances)
        wanted = checks.numbers("distances", distances, given.size if given.ndim < 2 else 1)
        walked, places_of = self._milestones
        places = np.stack([np.interp(wanted, walked, axis) for axis in places_of.T], axis=-1)
        places = self.space.wrapped(places)
        if given.ndim == 0:
            return np.asarray(places[0])
        return np.asarray(places)

    @cached_property
    def _milestones(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The distance to each position, and the positions without wrapping."""
        steps = self.space.shortest_vectors(np.diff(self.positions, axis=0))
        walked = np.concatenate([[0.0], np.cumsum(self._segment_lengths())])
        return walked, self.positions[0] + np.concatenate(
            [np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)]
        )

    def _segment_lengths(self) -> NDArray[np.float64]:
        """Return the length of each leg between two positions: along straight lines between
        `bends`, else along the steps of the space.
        """
        if self.bends is not None:
            segments = self.space.shortest_vectors(np.diff(self.bends, axis=0))
            return np.asarray(np.sqrt((segments**2).sum(axis=1)))
        if self.start is None:
            return self.space.step_lengths(self.cells)
        first = first_leg(self.space, self.cells, self.start)
        return np.concatenate([[first], self.space.step_lengths(self.cells[1:])])

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        return iter(self.positions)

    def __getitem__(self, index: Any) -> NDArray[np.float64]:
        return np.asarray(self.positions[index])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy:
            return np.array(self.positions, dtype=dtype)
        return np.asarray(self.positions, dtype=dtype)

    def __repr__(self) -> str:
        if not self.found:
            return "<Path: not found>"
        return f"<Path of {len(self)} cells, length {self.length:g}, cost {self.cost:g}>"


def no_path(space: Space) -> Path:
    """Return the result of a search that finds no path."""
    return Path(space, NO_CELLS, math.inf, math.inf)
