"""Footprints of sources: the cells that a source acts on, and the weight of each."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.ranges import farthest_within
from fieldcraft.kernels.radial.radial_arrays import SquareWeights
from fieldcraft.kernels.shared.arrays import Floats
from fieldcraft.layers.propagation.accumulator import Drawing, Tables
from fieldcraft.layers.propagation.radial.walks import Cells, Walks, counted_walk, rounded_radius
from fieldcraft.layers.propagation.radial.walks_on_graph import GraphWalks
from fieldcraft.layers.propagation.radial.walks_on_grid import GridWalks
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.space import Grid, Space, check_lines_of_sight
from fieldcraft.space.sight.viewers import SightHeights
from fieldcraft.space.space_ranges import largest_coordinate

_MOST_REACH = 2_000
_MOST_CACHED = 4_000_000  # cells in cached footprints: 64 MB
_MOST_DROPPED = 4  # footprints of other walls that make room for a new one
_SIZE_OF_SHAPE = 1_000  # what a shape takes of the memory for footprints, in weights


class Shape(NamedTuple):
    """What a footprint depends on besides its cell; `radius` in world units.

    With a `place`, distances are measured from that position.
    """

    falloff: Falloff
    radius: float
    place: tuple[float, ...] | None = None
    slack: int = 0
    """How many cells the place is from the source's cell, rounded up."""


class _Found(NamedTuple):
    """A footprint that was searched, and the number of walks before those that it was found on."""

    cells: Cells
    weights: Floats
    walks: int


class Footprints:
    """Footprints of one metric, cached until walls change. A shape has a number, its index in
    `shapes`.

    `thickness` is how far, in world units, the walls around a cell that is one are open to its
    footprint.
    """

    def __init__(self, metric: str, thickness: float = 0.0) -> None:
        self.metric = metric
        self.shapes: list[Shape] = []
        self.size = 0
        """How many weights fill the memory."""
        self._thickness = thickness
        self._numbers: dict[Shape, int] = {}
        self._found: OrderedDict[tuple[int, int], _Found] = OrderedDict()
        self._found_on: Walks | None = None
        self._walks = 0
        """How many walks footprints were found on before those of now."""
        self._cached = 0

    def number(self, shape: Shape, walks: Walks) -> int:
        """Return the number of a shape; a new one is added."""
        if shape not in self._numbers:
            self.size += _SIZE_OF_SHAPE
            self._numbers[shape] = len(self.shapes)
            self.shapes.append(shape)
            self._add(shape, walks)
        return self._numbers[shape]

    def _add(self, shape: Shape, walks: Walks) -> None:
        """Prepare for a new shape."""

    def measured(self, shape: Shape, place: Floats, cell: int) -> Shape:
        """Return a shape with distances measured from a place, for a source in a cell."""
        return shape._replace(place=tuple(place.tolist()))

    def are_drawn(self, walks: Walks, cells: Cells, numbers: Cells) -> NDArray[np.bool_]:
        """Return whether footprints around cells are tables, which need no search."""
        return np.zeros(len(cells), dtype=np.bool_)

    def search(self, walks: Walks, cell: int, number: int) -> tuple[Cells, Floats]:
        """Return the cells of a footprint and their weights."""
        if walks is not self._found_on:
            self._found_on = walks
            self._walks += 1
        key = (cell, number)
        found = self._found.get(key)
        if found is None or found.walks != self._walks:
            falloff, radius, place, _ = self.shapes[number]
            if self._thickness > 0 and walks.walls.reshape(-1)[cell]:
                walks = walks.opened(cell, min(self._thickness, radius))
            if place is None:
                center = None
            else:
                center = np.array(place)
            cells, shares = walks.search(self.metric, cell, radius, center)
            found = _Found(cells, falloff(shares), self._walks)
            self._evict(key)
            self._found[key] = found
            self._cached += len(cells)
        return found.cells, found.weights

    def _evict(self, key: tuple[int, int]) -> None:
        """Drop the footprint of a key, a few of other walls, and the oldest ones while they fill
        the memory. To drop all at once takes milliseconds.
        """
        old = self._found.pop(key, None)
        if old is not None:
            self._cached -= len(old.cells)
        dropped = 0
        while self._found:
            first = next(iter(self._found.values()))
            is_outdated = first.walks != self._walks and dropped < _MOST_DROPPED
            if not is_outdated and self._cached <= _MOST_CACHED:
                return
            self._found.popitem(last=False)
            self._cached -= len(first.cells)
            dropped += 1

    def around(
        self, walks: Walks, cells: Cells, amounts: Floats, number: int
    ) -> tuple[Cells, Floats]:
        """Return the cells of the footprints around cells, and amounts times their weights."""
        parts = [self.search(walks, cell, number) for cell in cells.tolist()]
        found = [np.zeros(0, dtype=np.int64), *(part[0] for part in parts)]
        weighted = [
            weights * amount for (_, weights), amount in zip(parts, amounts.tolist(), strict=True)
        ]
        return np.concatenate(found), np.concatenate([np.zeros(0), *weighted])

    def most_around(self, walks: Walks, radius: float) -> int:
        """Return at least as many as the cells of a footprint."""
        return max(1, walks.walls.size)


class GridFootprints(Footprints):
    """Footprints on a grid: on open ground each is a table, cut once and drawn at every cell.

    `exact` footprints are measured from positions, and so there are no tables of them.
    """

    def __init__(
        self, space: Grid, metric: str, thickness: float = 0.0, *, exact: bool = False
    ) -> None:
        super().__init__(metric, thickness)
        self.space = space
        self.tables = Tables()
        """The footprint of each shape on open ground."""
        self._by_square: list[Floats] = []
        self._exact = exact
        self._reaches: list[int] = []
        self._reach_array = np.zeros(0, dtype=np.int64)
        self._squares: list[tuple[float, int]] = []
        self._squared = 0

    def _add(self, shape: Shape, walks: Walks) -> None:
        size = rounded_radius(shape.radius / self.space.cell_size)
        coordinate = largest_coordinate(self.space) / self.space.cell_size
        limit = farthest_within(size, coordinate)
        if self.metric == "path":
            limit = counted_walk(size, coordinate)
        height, width = self.space.shape
        reach = min(int(limit) + shape.slack, max(height, width) - 1)
        self._reaches.append(reach)
        if self._exact:
            return
        if self.metric == "path":
            table = self._open_paths(walks, shape.falloff, size, reach)
        else:
            table = footprint(shape.falloff, size, limit, reach)
        top = left = 0
        # Along axes that wrap each cell once, the short way around; forwards on a tie.
        if self.space.wraps_y:
            top = max(reach - (height - 1) // 2, 0)
            table = table[top : reach + height // 2 + 1]
        if self.space.wraps_x:
            left = max(reach - (width - 1) // 2, 0)
            table = table[:, left : reach + width // 2 + 1]
        self.tables.add(table, top - reach, left - reach)
        self.size += table.size
        if self.metric == "connected":
            farthest = int(min(limit * limit, 2.0 * reach * reach))
            away = np.sqrt(np.arange(farthest + 1, dtype=np.float64))
            weights = shape.falloff(np.minimum(away / size, 1.0))
            self._squares.append((limit, self._squared))
            self._by_square.append(weights)
            self._squared += len(weights)

    def measured(self, shape: Shape, place: Floats, cell: int) -> Shape:
        """See `Footprints.measured`."""
        away = np.abs(place - self.space.layout.centers(cell)).max() / self.space.cell_size
        return super().measured(shape, place, cell)._replace(slack=math.ceil(min(away, 1e9)))

    @staticmethod
    def _open_paths(walks: Walks, falloff: Falloff, size: float, reach: int) -> Floats:
        """Return the footprint of walking distances in the middle of a map without walls."""
        assert isinstance(walks, GridWalks)
        side = 2 * reach + 1
        cells, shares = walks.on_open_ground(side).walked(reach * side + reach, size)
        weights = np.zeros((side, side))
        weights.reshape(-1)[cells] = falloff(shares)
        return weights

    @property
    def reaches(self) -> Cells:
        """The reach of each shape in cells."""
        if len(self._reach_array) != len(self._reaches):
            self._reach_array = np.array(self._reaches, dtype=np.int64)
        return self._reach_array

    @property
    def by_square(self) -> SquareWeights:
        """The weights of all shapes by squared distance."""
        self._by_square = [np.concatenate(self._by_square)]
        radii, starts = zip(*self._squares, strict=True)
        begin = np.array(starts, dtype=np.int64)
        return SquareWeights(np.array(radii), self._by_square[0], begin)

    def are_drawn(self, walks: Walks, cells: Cells, numbers: Cells) -> NDArray[np.bool_]:
        """See `Footprints.are_drawn`."""
        if self._exact or self.metric == "straight":
            return np.full(len(cells), not self._exact)
        return walks.open_around(cells, self.reaches[numbers])

    def drawing(self, cells: Cells, numbers: Cells) -> Drawing:
        """Return how the footprints of these cells are drawn."""
        rows, columns = np.divmod(cells, self.space.width)
        none = np.zeros(len(cells))
        return Drawing(rows, columns, none, none, numbers, self.tables, self.space.wrap_flags)

    def around(
        self, walks: Walks, cells: Cells, amounts: Floats, number: int
    ) -> tuple[Cells, Floats]:
        """See `Footprints.around`."""
        drawn = self.are_drawn(walks, cells, np.full(len(cells), number))
        found, weighted = super().around(walks, cells[~drawn], amounts[~drawn], number)
        if not drawn.any():
            return found, weighted
        table, top, left = self.tables.table(number)
        down, right = np.nonzero(table)
        height, width = self.space.shape
        y = (cells[drawn] // width)[:, np.newaxis] + (down + top)
        x = (cells[drawn] % width)[:, np.newaxis] + (right + left)
        parts = amounts[drawn][:, np.newaxis] * table[down, right]
        if self.space.wraps_x:
            x = x % width
        if self.space.wraps_y:
            y = y % height
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        return (
            np.append(found, y[inside] * width + x[inside]),
            np.append(weighted, parts[inside]),
        )

    def most_around(self, walks: Walks, radius: float) -> int:
        """See `Footprints.most_around`."""
        reach = min(radius / self.space.cell_size, max(self.space.shape))
        return int(2 * reach + 1) ** 2


def footprints_on(
    space: Space, metric: str, thickness: float = 0.0, *, exact: bool = False
) -> Footprints:
    """Return footprints on a space, none yet."""
    if isinstance(space, Grid):
        return GridFootprints(space, metric, thickness, exact=exact)
    if metric == "sight":
        check_lines_of_sight(space, "Sight")
    return Footprints(metric, thickness)


def walks_on(
    space: Space,
    resistance: NDArray[np.float32] | None = None,
    heights: SightHeights | None = None,
) -> Walks:
    """Return the walks over a space as it is now; `resistance` of its cells in world units, and
    the heights over which sources see.
    """
    if isinstance(space, Grid):
        return GridWalks.of(space, resistance, heights)
    return GraphWalks.of(space, resistance, heights)


def too_large(space: Space) -> float:
    """Return the smallest radius, in world units, that is refused on a space: infinity on all but
    huge ones.
    """
    if isinstance(space, Grid) and max(space.shape) - 1 > _MOST_REACH:
        return (_MOST_REACH + 1) * space.cell_size
    return math.inf


def footprint(falloff: Falloff, radius: float, limit: float, reach: int) -> NDArray[np.float64]:
    """Return the weights around a source on open ground, (2 reach + 1, 2 reach + 1), read-only.

    `radius` is in cells, and distances up to `limit` are within it.
    """
    away = np.arange(-reach, reach + 1)
    distance = np.sqrt((away * away)[:, np.newaxis] + away * away)
    weights = falloff(np.minimum(distance / radius, 1.0))
    weights[distance > limit] = 0.0
    weights.flags.writeable = False
    return weights
