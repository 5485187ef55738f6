"""The surroundings of marked cells: which cells lie within a radius, and where marks spread."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.propagation.footprints import Found, finished
from fieldcraft.propagation.graph_footprints import GraphFootprints, GraphWalks
from fieldcraft.propagation.grid_footprints import GridFootprints, too_large
from fieldcraft.propagation.grid_walks import GridWalks
from fieldcraft.space import Grid, Space

__all__ = ["GraphSurroundings", "GridSurroundings", "Surroundings", "surroundings_of"]


class Surroundings(ABC):
    """The surroundings of the cells of a space, as its walls are at one moment; `layout` is the
    shape in which tiles of cells are kept.
    """

    space: Space
    layout: tuple[int, int]

    @abstractmethod
    def forget(self) -> None:
        """Look at the walls anew when something is next asked."""

    @abstractmethod
    def most_around(self, radius: float) -> int:
        """At least as many cells as lie within a radius."""

    @abstractmethod
    def around(
        self,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        radius: float,
        falloff: Falloff,
        metric: str,
    ) -> Found:
        """The open cells within a radius of each cell, by a metric, and the share of its strength
        that each takes.
        """

    def _with_searched(
        self,
        search: Callable[[Any, int, int], Generator[int, None, Found]],
        ground: Any,
        number: int,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        found: list[NDArray[np.int64]],
        given: list[NDArray[np.float64]],
    ) -> Found:
        """The open cells found and what each is given, with those that searches around cells
        find.
        """
        for cell, strength in zip(cells.tolist(), strengths.tolist(), strict=True):
            reached, weights = finished(search(ground, cell, number))
            found.append(reached)
            given.append(weights * strength)
        every = np.concatenate([np.zeros(0, dtype=np.int64), *found])
        free = ~self.space.walls.reshape(-1)[every]
        return every[free], np.concatenate([np.zeros(0), *given])[free]

    @abstractmethod
    def spreading(
        self,
        mark_spread: float,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        least: float,
    ) -> tuple[str, tuple[Any, ...]]:
        """The kernel of `kernels.fade` by which marks spread, and its arguments."""


def surroundings_of(space: Space) -> Surroundings:
    """Return the surroundings of the cells of a space."""
    return GridSurroundings(space) if isinstance(space, Grid) else GraphSurroundings(space)


class GridSurroundings(Surroundings):
    """The surroundings of the cells of a grid, as its walls are at one moment."""

    space: Grid

    def __init__(self, space: Grid) -> None:
        self.space = space
        self.layout: tuple[int, int] = space.shape
        self._footprints: dict[str, GridFootprints] = {}
        self._ground: GridWalks | None = None

    def forget(self) -> None:
        """Look at the walls anew when something is next asked."""
        self._ground = None

    def most_around(self, radius: float) -> int:
        """At least as many cells as lie within a radius."""
        return int(2 * min(radius / self.space.cell_size, max(self.space.shape)) + 1) ** 2

    def around(
        self,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        radius: float,
        falloff: Falloff,
        metric: str,
    ) -> Found:
        """The open cells within a radius of each cell, by a metric, and the share of its strength
        that each takes.
        """
        space = self.space
        if radius >= too_large(space):
            raise InvalidValue(
                f"A radius on a map as large as this is below {too_large(space):g}",
                got=f"radius={radius:g}",
                remedy="Give the layer a larger cell_size",
            )
        if self._ground is None:
            self._ground = GridWalks.of(space)
        ground = self._ground
        footprints = self._footprints.setdefault(metric, GridFootprints(metric))
        number = footprints.number(falloff, radius / space.cell_size, ground)
        reach = int(footprints.reaches[number])
        is_open = (
            ground.is_open(cells, np.full(len(cells), reach))
            if metric != "straight"
            else np.ones(len(cells), dtype=np.bool_)
        )
        table = footprints.table(number)
        down, right = np.nonzero(table)
        rows, columns = np.divmod(cells[is_open], space.width)
        rows, columns = rows[:, None] + (down - reach), columns[:, None] + (right - reach)
        shares = strengths[is_open][:, None] * table[down, right]
        if space.wrap:
            rows, columns = rows % space.height, columns % space.width
            inside = np.ones(rows.shape, dtype=np.bool_)
        else:
            inside = (rows >= 0) & (rows < space.height) & (columns >= 0) & (columns < space.width)
        found, given = [rows[inside] * space.width + columns[inside]], [shares[inside]]
        closed = ~is_open
        return self._with_searched(
            footprints.search, ground, number, cells[closed], strengths[closed], found, given
        )

    def spreading(
        self,
        mark_spread: float,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        least: float,
    ) -> tuple[str, tuple[Any, ...]]:
        """The kernel of `kernels.fade` by which marks spread, and its arguments."""
        space = self.space
        steps = np.array(space.neighborhood.steps, dtype=np.int64)
        losses = mark_spread ** space.neighborhood.lengths(1.0)
        return "spread_marks", (
            (space.links(), space.link_masks, steps, space.wrap),
            losses,
            cells,
            strengths,
            least,
        )


_COLUMNS = 16  # of the rows in which vertices are laid out: a tile's width


class GraphSurroundings(Surroundings):
    """The surroundings of the vertices of a graph, as it is at one moment; each footprint is
    searched for.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.layout: tuple[int, int] = (max(1, -(-len(space) // _COLUMNS)), _COLUMNS)
        self._footprints: dict[str, GraphFootprints] = {}
        self._grounds: dict[str, GraphWalks] = {}

    def forget(self) -> None:
        """Look at the walls anew when something is next asked."""
        self._grounds.clear()

    def most_around(self, radius: float) -> int:
        """At least as many vertices as lie within a radius."""
        return max(1, len(self.space))

    def around(
        self,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        radius: float,
        falloff: Falloff,
        metric: str,
    ) -> Found:
        """The open vertices within a radius of each vertex, by a metric, and the share of its
        strength that each takes.
        """
        ground = self._ground(metric)
        footprints = self._footprints.setdefault(metric, GraphFootprints(metric))
        number = footprints.number(falloff, radius, ground)
        return self._with_searched(footprints.search, ground, number, cells, strengths, [], [])

    def _ground(self, metric: str) -> GraphWalks:
        """The ground as it is now; one for each metric, as it keeps the footprints that were found
        on it.
        """
        if metric not in self._grounds:
            self._grounds[metric] = GraphWalks.of(self.space)
        return self._grounds[metric]

    def spreading(
        self,
        mark_spread: float,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        least: float,
    ) -> tuple[str, tuple[Any, ...]]:
        """The kernel of `kernels.fade` by which marks spread, and its arguments."""
        ways = self._ground("path").adjacency
        edges = (ways.starts, ways.ends)
        return "spread_marks_along", (edges, mark_spread**ways.lengths, cells, strengths, least)
