"""Snapshots of a space for searches of footprints, and walks on grids."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.ranges import farthest_within
from fieldcraft.kernels.radial.radial_arrays import LinkedGrid, WalkScratch
from fieldcraft.kernels.shared.arrays import Floats, read_only
from fieldcraft.space import Grid, GridSnapshot, Space
from fieldcraft.space.sight.lines_on_grid import sees_cells
from fieldcraft.space.space_ranges import largest_coordinate, within_range

Cells = NDArray[np.int64]


class Found(NamedTuple):
    """The cells of a footprint, and how far each is as a share of the radius, at most 1."""

    cells: Cells
    shares: Floats

    @classmethod
    def of(cls, cells: Cells, shares: Floats) -> Found:
        """Return cells within a radius; those that are beyond it by rounding are at it."""
        return cls(cells, np.minimum(shares, 1.0))

    @classmethod
    def within(cls, radius: float, limit: float, cells: Cells, squares: Floats) -> Found:
        """Return the cells within a radius; `squares` are the squares of their distances, and
        `limit` is the largest distance that counts as within.
        """
        near = squares <= limit * limit
        return cls.of(cells[near], np.sqrt(squares[near]) / radius)


class Walks(ABC):
    """A space as it was at one moment: footprints cut before a change of walls can be cut again
    after it.

    `walls` (rows, columns) are laid out as an `Accumulator` of the space is.
    """

    walls: NDArray[np.bool_]

    @cached_property
    def some_walls(self) -> NDArray[np.bool_] | None:
        """The walls, if there are any."""
        return self.walls if self.walls.any() else None

    @abstractmethod
    def renewed(self) -> Self:
        """Return the walks over the space as it is now."""

    @abstractmethod
    def opened(self, cell: int, reach: float) -> Self:
        """Return the walks if the block of walls around a cell were open, up to `reach` world units
        from it.
        """

    @abstractmethod
    def search(self, metric: str, cell: int, radius: float, place: Floats | None) -> Found:
        """Return the cells within a radius of a cell, in world units.

        With a `place`, distances are measured from that position; the cells are those that can be
        reached or seen from the cell.
        """

    def open_around(self, cells: Cells, reaches: Cells) -> NDArray[np.bool_]:
        """Return whether footprints of these reaches, in cells, are the same as on open ground."""
        return np.zeros(len(cells), dtype=np.bool_)


def squared_offsets(space: Space, positions: Floats, place: Floats) -> Floats:
    """Return the squared distances of positions from a place; the short way around a torus."""
    away = positions - place
    if space.period is not None:
        away = (away + space.period / 2) % space.period - space.period / 2
    return np.asarray((away**2).sum(axis=1))


def rounded_radius(radius: float) -> float:
    """Return a radius in cells, rounded if it is a whole number to a billionth.

    So a radius of 0.3 on cells of 0.1 reaches three cells.
    """
    rounded = round(radius)
    if math.isclose(radius, rounded, rel_tol=1e-9):
        return float(rounded)
    return radius


def counted_walk(size: float, coordinate: float = 0.0) -> float:
    """Return the longest walk within a range, both in cells or in shortest steps of a graph.

    Walks count the lengths of their steps in whole numbers of 1 / LENGTH_SCALE, so each step may be
    too long by half of one, and by as much for its resistance.
    """
    steps = size / kernels.radial.radial_search.LENGTH_SCALE
    return farthest_within(size, coordinate) + steps


class FieldOfView:
    """Cells in sight on maps of one shape; scratch is cached by radius."""

    def __init__(self) -> None:
        self._scratch: dict[int, tuple[Cells, Cells, Any]] = {}

    def cells(
        self,
        walls: NDArray[np.bool_],
        opaque: NDArray[np.bool_],
        wrap: bool,
        cell: int,
        radius: float,
        limit: float,
    ) -> Found:
        """Return the cells in sight of one, ascending, within a radius in cells. Those within
        `limit` cells are within the radius.

        `walls` and `opaque` (height, width) are the same array where just the walls hide.
        """
        square = kernels.sight.visible.squared_reach(limit)
        if square not in self._scratch:
            size = kernels.sight.visible.most_cells(walls.shape, square)
            scratch = kernels.sight.visible.scratch(walls.shape, square)
            self._scratch[square] = np.zeros(size, np.int64), np.zeros(size, np.int64), scratch
        cells, squares, scratch = self._scratch[square]
        hides = read_only(opaque.view(np.uint8))  # kernels are declared for such arrays
        none = kernels.sight.visible.NO_HEIGHTS
        count = kernels.sight.visible.sight_cells(
            hides, none, 1.0, cell, square, wrap, False, cells, squares, scratch
        )
        found = cells[:count].copy()
        away = squares[:count].astype(np.float64)
        if opaque is not walls:
            found, away = _with_opaque_cells(walls, opaque, wrap, cell, square, found, away)
        return Found.of(found, np.sqrt(away) / radius)


def _with_opaque_cells(
    walls: NDArray[np.bool_],
    opaque: NDArray[np.bool_],
    wrap: bool,
    cell: int,
    limit: int,
    found: Cells,
    squares: Floats,
) -> tuple[Cells, Floats]:
    """Return the cells in sight without walls that can be seen through, and with open cells that
    hide; and the squares of their distances.
    """
    is_open = ~walls.reshape(-1)[found]
    hidden = np.setdiff1d(np.flatnonzero(opaque & ~walls), found[is_open])
    here = np.array([cell])
    limits = np.array([limit])
    seen = sees_cells(opaque, wrap, here, hidden, limits, kernels.sight.visible.NO_CONES)[0]
    hidden = hidden[seen]
    (height, width) = walls.shape
    down = np.abs(hidden // width - cell // width)
    right = np.abs(hidden % width - cell % width)
    if wrap:
        down = np.minimum(down, height - down)
        right = np.minimum(right, width - right)
    cells = np.concatenate([found[is_open], hidden])
    squares = np.concatenate([squares[is_open], (down * down + right * right).astype(np.float64)])
    order = np.argsort(cells, kind="stable")
    return cells[order], squares[order]


_BLOCKED = 2.0**55  # farther than any walk goes, in 1 / LENGTH_SCALE cells
_FARTHEST = 1e9  # no walk is longer, in cells


class GridScratch:
    """Scratch of searches up to one reach, in cells, on a map of `map_size` cells."""

    def __init__(self, reach: int, map_size: int, lengths: Cells) -> None:
        side = 2 * reach + 1
        nodes = min(side * side, map_size) * len(lengths) + 1
        self.reach = reach
        self.mark = 0
        self.seen = np.zeros((side, side), dtype=np.int64)
        self.cells = np.zeros(side * side, dtype=np.int64)
        self.distances = np.zeros(side * side, dtype=np.int64)
        self.squares = self.distances.view(np.float64)
        heads = np.zeros(reach + int(lengths.max() // lengths.min()) + 2, dtype=np.int64)
        self.of_paths = WalkScratch(
            best=np.zeros((side, side), dtype=np.int64),
            seen=self.seen,
            heads=heads,
            node_cells=np.zeros(nodes, dtype=np.int64),
            node_next=np.zeros(nodes, dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class GridWalks(Walks):
    """See `Walks`.

    `opaque` (height, width) is `walls` itself where just these hide. `extra` (height, width) is
    what a walk into a cell is longer by, in 1 / LENGTH_SCALE cells; None if no cell resists.
    """

    space: Grid
    walls: NDArray[np.bool_]
    opaque: NDArray[np.bool_]
    links: NDArray[np.unsignedinteger]
    extra: NDArray[np.int64] | None
    snapshot: GridSnapshot
    steps: tuple[Cells, Cells]
    wrap: bool
    cached: dict[str, Any]
    """Scratch, which walks after a change share."""

    @classmethod
    def of(cls, space: Grid, resistance: NDArray[np.float32] | None = None) -> GridWalks:
        """Return the walks over a grid as it is now; `resistance` of cells in world units."""
        extra = None
        if resistance is not None:
            scaled = resistance / space.cell_size * kernels.radial.radial_search.LENGTH_SCALE
            extra = np.rint(np.minimum(scaled, _BLOCKED)).astype(np.int64)
            extra.flags.writeable = False
        snapshot = GridSnapshot.of(space)
        walls = snapshot.walls.reshape(space.shape)
        if space.opaque is space.walls:
            opaque = walls
        else:
            opaque = space.opaque
        links = snapshot.links.reshape(space.shape)
        steps = step_vectors(space)
        return cls(space, walls, opaque, links, extra, snapshot, steps, space.wrap, {})

    def renewed(self) -> GridWalks:
        """Return the walks over the grid as it is now."""
        return replace(GridWalks.of(self.space), extra=self.extra, cached=self.cached)

    def opened(self, cell: int, reach: float) -> GridWalks:
        """See `Walks.opened`."""
        width = self.space.width
        limit = self._limit(reach / self.space.cell_size) ** 2
        row, column = divmod(cell, width)
        block = {cell}
        waiting = [(0, 0)]
        for down, right in waiting:
            for dy, dx in (
                (down - 1, right),
                (down, right - 1),
                (down, right + 1),
                (down + 1, right),
            ):
                y, x = row + dy, column + dx
                if self.space.wrap:
                    y, x = y % self.space.height, x % width
                elif not (0 <= y < self.space.height and 0 <= x < width):
                    continue
                if self.walls[y, x] and dx * dx + dy * dy <= limit and y * width + x not in block:
                    block.add(y * width + x)
                    waiting.append((dy, dx))
        cells = np.array(sorted(block))
        snapshot = self.snapshot.opened(self.space, cells)
        walls = opaque = snapshot.walls.reshape(self.space.shape)
        if self.opaque is not self.walls:
            opaque = self.opaque.copy()
            opaque.reshape(-1)[cells] = False
        links = snapshot.links.reshape(self.space.shape)
        return replace(self, walls=walls, opaque=opaque, links=links, snapshot=snapshot)

    @cached_property
    def closed(self) -> NDArray[np.bool_]:
        """Cells near which footprints differ from those on open ground, (height, width)."""
        if self.opaque is self.walls:
            closed = self.walls
        else:
            closed = self.walls | self.opaque
        if self.extra is None:
            return closed
        return closed | (self.extra > 0)

    @cached_property
    def _always_search(self) -> bool:
        """Whether footprints differ from those on open ground even without walls."""
        space = self.space
        usual = space.neighborhood.is_four or space.neighborhood.is_eight
        return not (usual and (space.terrain is None or space.terrain.is_plain))

    @cached_property
    def _is_bare(self) -> bool:
        return not self.closed.any()

    @property
    def are_open(self) -> bool:
        """Whether all footprints are the same as on open ground."""
        return self._is_bare and not self._always_search

    def open_around(self, cells: Cells, reaches: Cells) -> NDArray[np.bool_]:
        """See `Walks.open_around`."""
        if self._always_search or self._is_bare:
            return np.full(len(cells), not self._always_search)
        found = np.empty(len(cells), dtype=np.bool_)
        kernels.radial.radial_search.open_boxes(self.closed, cells, reaches, self.space.wrap, found)
        return found

    # Searches

    @property
    def ground(self) -> LinkedGrid:
        """The grid as kernels take it."""
        return LinkedGrid(self.links, self.space.link_masks, *self.steps, self.wrap)

    def scratch(self, reach: float) -> GridScratch:
        """Return scratch for searches of at least this reach, in cells."""
        needed = min(int(reach), max(self.walls.shape) - 1)
        scratch: GridScratch | None = self.cached.get("scratch")
        if scratch is None or scratch.reach < needed:
            scratch = GridScratch(needed, self.walls.size, self.steps[1])
            self.cached["scratch"] = scratch
        scratch.mark += 2
        return scratch

    def _limit(self, size: float) -> float:
        """Return the largest distance within a range, both in cells."""
        return farthest_within(size, largest_coordinate(self.space) / self.space.cell_size)

    def search(self, metric: str, cell: int, radius: float, place: Floats | None) -> Found:
        """See `Walks.search`."""
        size = rounded_radius(radius / self.space.cell_size)
        if place is not None:
            return self._measured(metric, cell, size, radius, place)
        if metric == "sight":
            return self._seen(cell, size)
        if metric == "connected":
            return self._connected(cell, size, (0.0, 0.0))
        return self.walked(cell, size)

    def _measured(self, metric: str, cell: int, size: float, radius: float, place: Floats) -> Found:
        """Return the cells within a radius of a place that a search from a cell finds."""
        space = self.space
        if metric == "straight":
            return self._straight(radius, place)
        offset = space.shortest_vectors(place - space.layout.centers(cell)) / space.cell_size
        across = offset[0]
        down = -offset[1] if space.y_up else offset[1]
        if metric == "connected":
            cells = self._connected(cell, size, (across, down)).cells
        else:
            cells = self._seen(cell, size + float(np.hypot(across, down))).cells
        squares = squared_offsets(space, space.layout.centers(cells), place)
        return Found.within(radius, within_range(space, radius), cells, squares)

    def _straight(self, radius: float, place: Floats) -> Found:
        """Return the cells within a radius of a place."""
        space = self.space
        sides = []
        limit = within_range(space, radius)
        for axis, count in enumerate((space.width, space.height)):
            low = space.origin[axis]
            size = space.cell_size
            at = place[axis]
            first = math.floor((at - limit - low) / size)
            end = math.ceil((at + limit - low) / size)
            if self.wrap:
                indices = (first % count + np.arange(min(end - first, count))) % count
            else:
                indices = np.arange(max(first, 0), min(end, count))
            away = low + (indices + 0.5) * size - at
            if self.wrap:
                away = (away + count * size / 2) % (count * size) - count * size / 2
            sides.append((count - 1 - indices if axis and space.y_up else indices, away * away))
        (columns, x), (rows, y) = sides
        cells = rows[:, np.newaxis] * space.width + columns
        squares = (x + y[:, np.newaxis]).reshape(-1)
        return Found.within(radius, limit, cells.reshape(-1), squares)

    def _seen(self, cell: int, size: float) -> Found:
        view: FieldOfView = self.cached.setdefault("view", FieldOfView())
        limit = self._limit(size)
        return view.cells(self.walls, self.opaque, self.wrap, cell, size, limit)

    def _connected(self, cell: int, size: float, center: tuple[float, float]) -> Found:
        limit = self._limit(size)
        scratch = self.scratch(limit + max(map(abs, center)))
        cells = scratch.cells
        squares = scratch.squares
        count = kernels.radial.radial_search.connected(
            self.ground, cell, center, limit, scratch.mark, cells, squares, scratch.seen
        )
        return Found.of(cells[:count].copy(), np.sqrt(squares[:count]) / size)

    def walked(self, cell: int, size: float) -> Found:
        """Return the cells within a walking distance of a cell, in cells."""
        longest = counted_walk(size, largest_coordinate(self.space) / self.space.cell_size)
        scratch = self.scratch(longest)
        limit = int(min(longest, _FARTHEST) * kernels.radial.radial_search.LENGTH_SCALE)
        count = kernels.radial.radial_search.path(
            self.ground,
            self.extra,
            cell,
            limit,
            scratch.mark,
            scratch.cells,
            scratch.distances,
            scratch.of_paths,
        )
        shares = scratch.distances[:count] / (kernels.radial.radial_search.LENGTH_SCALE * size)
        return Found.of(scratch.cells[:count].copy(), shares)

    def on_open_ground(self, side: int) -> GridWalks:
        """Return walks in the middle of a map of `side` cells each way, without walls and rim."""
        walls = np.zeros((side, side), dtype=np.bool_)
        masks = self.space.link_masks
        links = np.full((side, side), np.bitwise_or.reduce(masks), dtype=masks.dtype)
        links.flags.writeable = False  # kernels are declared for such arrays
        return replace(
            self, walls=walls, opaque=walls, links=links, extra=None, wrap=False, cached={}
        )


def step_vectors(space: Grid) -> tuple[Cells, Cells]:
    """Return the steps of a grid, (K, 2) in columns and rows, and their lengths (K,) in 1 /
    LENGTH_SCALE cells.
    """
    lengths = np.rint(space.neighborhood.lengths(1.0) * kernels.radial.radial_search.LENGTH_SCALE)
    return np.array(space.neighborhood.steps, dtype=np.int64), lengths.astype(np.int64)
