"""Walks over a grid at one moment, on which footprints of sources are searched."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.ranges import farthest_within
from fieldcraft.kernels.radial.radial_arrays import LinkedGrid, WalkScratch
from fieldcraft.kernels.shared.arrays import Floats
from fieldcraft.layers.propagation.radial.walks import (
    Cells,
    FieldOfView,
    Found,
    Walks,
    counted_walk,
    rounded_radius,
    squared_offsets,
)
from fieldcraft.space import Grid, GridSnapshot
from fieldcraft.space.sight.viewers import SightHeights
from fieldcraft.space.space_ranges import largest_coordinate, within_range

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
    wrap: int
    heights: SightHeights | None
    cached: dict[str, Any]
    """Scratch, which walks after a change share."""

    @classmethod
    def of(
        cls,
        space: Grid,
        resistance: NDArray[np.float32] | None = None,
        heights: SightHeights | None = None,
    ) -> GridWalks:
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
        return cls(
            space, walls, opaque, links, extra, snapshot, steps, space.wrap_flags, heights, {}
        )

    def renewed(self) -> GridWalks:
        """Return the walks over the grid as it is now."""
        now = GridWalks.of(self.space, heights=self.heights)
        return replace(now, extra=self.extra, cached=self.cached)

    def over(self, heights: SightHeights | None) -> GridWalks:
        """See `Walks.over`."""
        return replace(self, heights=heights)

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
                if self.space.wraps_x:
                    x %= width
                if self.space.wraps_y:
                    y %= self.space.height
                if not (0 <= y < self.space.height and 0 <= x < width):
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
        plain = space.terrain is None or space.terrain.is_plain
        return not usual or not plain or self.heights is not None

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
        kernels.radial.radial_search.open_boxes(self.closed, cells, reaches, self.wrap, found)
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
            wraps = space.wraps_y if axis else space.wraps_x
            if wraps:
                indices = (first % count + np.arange(min(end - first, count))) % count
            else:
                indices = np.arange(max(first, 0), min(end, count))
            away = low + (indices + 0.5) * size - at
            if wraps:
                away = (away + count * size / 2) % (count * size) - count * size / 2
            sides.append((count - 1 - indices if axis and space.y_up else indices, away * away))
        (columns, x), (rows, y) = sides
        cells = rows[:, np.newaxis] * space.width + columns
        squares = (x + y[:, np.newaxis]).reshape(-1)
        return Found.within(radius, limit, cells.reshape(-1), squares)

    def _seen(self, cell: int, size: float) -> Found:
        view: FieldOfView = self.cached.setdefault("view", FieldOfView())
        limit = self._limit(size)
        return view.cells(self.walls, self.opaque, self.wrap, cell, size, limit, self.heights)

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
        return replace(self, walls=walls, opaque=walls, links=links, extra=None, wrap=0, cached={})


def step_vectors(space: Grid) -> tuple[Cells, Cells]:
    """Return the steps of a grid, (K, 2) in columns and rows, and their lengths (K,) in 1 /
    LENGTH_SCALE cells.
    """
    lengths = np.rint(space.neighborhood.lengths(1.0) * kernels.radial.radial_search.LENGTH_SCALE)
    return np.array(space.neighborhood.steps, dtype=np.int64), lengths.astype(np.int64)
