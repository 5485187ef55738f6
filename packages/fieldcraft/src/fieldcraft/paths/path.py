"""Paths, and the searches of one call for shortest ones."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.hooks import Pictured
from fieldcraft.kernels import pool
from fieldcraft.space import Space

__all__ = ["Path", "PathProblem", "no_path"]


@dataclass(frozen=True, eq=False, repr=False)
class Path(Pictured):
    """The cells of a way, from its start to its goal. Where there is no way it has none: `found`
    says so, and so does `if path:`.

    A sequence of its positions: `for x, y in path`, `path[1]`, `np.asarray(path)`.

    `space` is the map that it lies on, `cells` (N,) int64 the cells in order; a smoothed path has
    only those in which it turns. `length` is in world units, `cost` what the way costs, in world
    units times the cost of the ground; both run from the center of the first cell to the center of
    the last, and are infinite where there is no way. A path keeps its numbers when walls change
    later. `bends` are the positions of a smoothed path on a mesh, which turns at corners of
    polygons; else None.
    """

    space: Space
    cells: NDArray[np.int64]
    length: float
    cost: float
    bends: NDArray[np.float64] | None = None
    start: NDArray[np.float64] | None = None

    @classmethod
    def over_cells(
        cls,
        space: Space,
        cells: NDArray[np.int64],
        length: float,
        cost: float,
        start: NDArray[np.float64] | None = None,
        first_cost: float = 1.0,
    ) -> Path:
        """Return a path over the centers of cells that begins at a position in the first of them.

        `length` and `cost` are those from center to center, `first_cost` the cost of a world unit
        of the first leg.
        """
        cells.flags.writeable = False
        if start is None or len(cells) < 2:
            return cls(space, cells, length, cost)
        center = space.position_of(cells.item(0))
        if center.tolist() == start.tolist():
            return cls(space, cells, length, cost)
        if space.forms == ("graph",) and space.graph.mesh is None:
            return cls(space, cells, length, cost)  # agents keep to the edges
        second = space.position_of(cells.item(1))
        leg, step = (
            math.hypot(*space.short_way(second - place).tolist()) for place in (start, center)
        )
        more = leg - step
        return cls(space, cells, length + more, cost + more * first_cost, start=start)

    @property
    def found(self) -> bool:
        """Whether there is a way."""
        return len(self.cells) > 0

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """The centers of the cells, or `bends`: (N, 2) world positions, straight lines in between,
        on a torus the short way round.

        (N, 3) on a 3D graph. Read-only.
        """
        if self.bends is not None:
            return self.bends
        centers = (
            self.space.position_of(self.cells)
            if len(self.cells)
            else np.empty((0, self.space.dimensions))
        )
        if self.start is not None:
            centers[0] = self.start
        centers.flags.writeable = False
        return centers

    def at(self, distances: ArrayLike) -> NDArray[np.float64]:
        """The world positions after so much of the way, in world units: (2,) for one number, (N, 2)
        for many; (3,) and (N, 3) in 3D.

        Less than 0 is the start, more than the length the goal. On a torus positions come back onto
        the map. Edges of a graph that are longer than straight lines are walked at an even pace.
        Raises `InvalidValue` for what is no finite number, and for a path that was not found.
        """
        if not self.found:
            raise InvalidValue(
                "A path that was not found leads nowhere",
                got=repr(self),
                remedy="Ask `if path:` before walking on it",
            )
        given = checks.array("distances", distances)
        wanted = checks.numbers("distances", distances, given.size if given.ndim < 2 else 1)
        walked, places_of = self._milestones
        places = np.stack([np.interp(wanted, walked, axis) for axis in places_of.T], axis=-1)
        places = self.space.wrapped(places)
        return np.asarray(places[0] if given.ndim == 0 else places)

    @cached_property
    def _milestones(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far it is to each position, and where that is when nothing wraps round."""
        legs = self.space.short_way(np.diff(self.positions, axis=0))
        sizes = (
            self.space.step_lengths(self.cells)
            if self.bends is None
            else np.sqrt((legs**2).sum(axis=1))
        )
        if self.start is not None:
            sizes[0] = np.sqrt((legs[0] ** 2).sum())
        walked = np.concatenate([[0.0], np.cumsum(sizes)])
        return walked, self.positions[0] + np.concatenate(
            [np.zeros((1, legs.shape[1])), np.cumsum(legs, axis=0)]
        )

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        return iter(self.positions)

    def __getitem__(self, index: Any) -> NDArray[np.float64]:
        return np.asarray(self.positions[index])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return (
            np.array(self.positions, dtype=dtype)
            if copy
            else np.asarray(self.positions, dtype=dtype)
        )

    def __repr__(self) -> str:
        if not self.found:
            return "<Path: there is no way>"
        return f"<Path of {len(self)} cells, length {self.length:g}, cost {self.cost:g}>"


def no_path(space: Space) -> Path:
    """The answer where there is no way."""
    return Path(space, _NOWHERE, math.inf, math.inf)


_NOWHERE = np.empty(0, dtype=np.int64)
_NOWHERE.flags.writeable = False


Ints = NDArray[np.int64]
Wide = NDArray[np.float64]

_PER_CHUNK = 16  # problems that a thread takes at a time


class PathProblem(ABC):
    """The space, walls and costs of one call; `walls` include cells of infinite cost."""

    space: Space
    walls: NDArray[np.bool_]

    @abstractmethod
    def solve(self, start: Wide, here: int, goal: Wide, there: int) -> Path:
        """Return the path between two positions in two cells."""

    @abstractmethod
    def solve_band(self, starts: Wide, here: Ints, goals: Wide, there: Ints) -> list[Path]:
        """Return the paths between pairs of positions, in one thread."""

    def solve_many(self, starts: Wide, here: Ints, goals: Wide, there: Ints) -> list[Path]:
        """Return the paths between pairs of positions, shared among threads."""
        bands = [slice(i, i + _PER_CHUNK) for i in range(0, len(here), _PER_CHUNK)]
        paths: list[list[Path]] = [[]] * len(bands)
        numbers = itertools.count()  # taking a number is atomic

        def work() -> None:
            while (number := next(numbers)) < len(bands):
                band = bands[number]
                paths[number] = self.solve_band(starts[band], here[band], goals[band], there[band])

        pool.run([(work, ())] * pool.shares(len(bands)))
        return [path for found in paths for path in found]
