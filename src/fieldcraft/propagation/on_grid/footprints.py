"""Which cells a radial source acts on, and with what weight."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.falloff import Falloff, footprint
from fieldcraft.kernels.reference import radial as reference
from fieldcraft.propagation.looks import Looks
from fieldcraft.propagation.units import UNIT_SEARCHED, UNIT_STAMPED, Found, finished
from fieldcraft.space import Grid, links
from fieldcraft.space.terrain import Terrain

__all__ = ["SMALL_REACH", "Footprints", "Ground", "Scratch", "strides", "too_large", "whole_radius"]

MOST_REACH = 2_000
_FAR = 1e9  # no walk is longer, in cells
_SHUT = 2.0**55  # farther than any walk goes, in 1 / LENGTH_SCALE cells
SMALL_REACH = 48  # cells; footprints among walls of this reach are searched many in a call, where work is done at once


def too_large(space: Grid) -> float:
    """The smallest radius, in world units, that a radial layer on this grid refuses: infinity on all but huge ones."""
    return (MOST_REACH + 1) * space.cell_size if max(space.shape) - 1 > MOST_REACH else math.inf


@dataclass(frozen=True)
class Ground:
    """The walkability of a grid at one moment: footprints cut before a change of walls can be cut again after it.

    `walls_before` counts the walls above and left of each corner, shape (height + 1, width + 1), and with them cells that resist;
    `always_search` says that even without walls near, footprints are not those of open ground. `extra` (height, width) is what a walk
    into a cell is longer by, in 1 / LENGTH_SCALE cells; None if no cell resists.
    """

    walls: NDArray[np.bool_]
    links: NDArray[np.unsignedinteger]
    masks: NDArray[np.unsignedinteger]
    steps: NDArray[np.int64]
    lengths: NDArray[np.int64]
    wrap: bool
    walls_before: NDArray[np.int32]
    always_search: bool
    terrain: Terrain | None
    extra: NDArray[np.int64] | None

    @classmethod
    def of(cls, space: Grid, resistance: NDArray[np.float32] | None = None) -> Ground:
        """The ground of a grid as it is now, whose cells resist walks by so much, world units."""
        steps, lengths = strides(space)
        usual = space.neighborhood.is_four or space.neighborhood.is_eight
        plain = space.terrain is None or space.terrain.is_plain
        before = np.zeros((space.height + 1, space.width + 1), dtype=np.int32)
        extra = None
        if resistance is not None:
            extra = np.rint(np.minimum(resistance / space.cell_size * reference.LENGTH_SCALE, _SHUT)).astype(np.int64)
            extra.flags.writeable = False
        _count_walls(space.walls if extra is None else space.walls | (extra > 0), before, 0, space.height)
        always = not (usual and plain)
        return cls(space.walls, space.links(), space.link_masks, steps, lengths, space.wrap, before, always, space.terrain, extra)

    def renewal(self, space: Grid, changed: NDArray[np.int64]) -> Generator[int, None, Ground]:
        """The ground of a grid as it is now, the walls of some cells having changed since: yields after each unit of work."""
        return self._renewal(space.walls, space.links(), int(changed[0]) // space.width)

    def _renewal(self, walls: NDArray[np.bool_], links: NDArray[np.unsignedinteger], top: int) -> Generator[int, None, Ground]:
        before = np.empty_like(self.walls_before)
        rows = max(1, UNIT_STAMPED // walls.shape[1])
        for row in range(0, top + 1, rows):
            before[row : row + rows] = self.walls_before[row : row + rows]
            yield 1
        for row in range(top, len(walls), rows):
            before[row : row + rows + 1, 0] = 0
            _count_walls(walls if self.extra is None else walls | (self.extra > 0), before, row, min(row + rows, len(walls)))
            yield 1
        return replace(self, walls=walls, links=links, walls_before=before)

    def opened(self, cell: int, reach: float) -> Ground:
        """The ground with the block of walls open that a cell stands in, as far as `reach` cells from it."""
        height, width = self.walls.shape
        row, column = divmod(cell, width)
        block, waiting = {cell}, [(0, 0)]
        for down, right in waiting:
            for dy, dx in ((down - 1, right), (down, right - 1), (down, right + 1), (down + 1, right)):
                y, x = row + dy, column + dx
                if self.wrap:
                    y, x = y % height, x % width
                elif not (0 <= y < height and 0 <= x < width):
                    continue
                if self.walls[y, x] and dx * dx + dy * dy <= reach * reach and y * width + x not in block:
                    block.add(y * width + x)
                    waiting.append((dy, dx))
        walls = self.walls.copy()
        walls.reshape(-1)[list(block)] = False
        steps = tuple((dx, dy) for dx, dy in self.steps.tolist())
        into = links.patch(self.links, np.array(sorted(block)), walls, self.terrain, steps, self.wrap, free=self.walls)
        for array in (walls, into):
            array.flags.writeable = False  # as those of a map: kernels are compiled anew for arrays that can be written to
        return replace(self, walls=walls, links=into)

    @property
    def is_bare(self) -> bool:
        """Whether every cell is open, and steps go wherever they can."""
        return not self.always_search and bool(self.walls_before[-1, -1] == 0)

    def is_open(self, cells: NDArray[np.int64], reaches: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether no wall lies in the squares of these reaches around these cells."""
        if self.always_search:
            return np.zeros(len(cells), dtype=np.bool_)
        if self.is_bare:
            return np.ones(len(cells), dtype=np.bool_)
        height, width = self.walls.shape
        rows, columns = np.divmod(cells, width)
        y0, y1 = np.maximum(rows - reaches, 0), np.minimum(rows + reaches + 1, height)
        x0, x1 = np.maximum(columns - reaches, 0), np.minimum(columns + reaches + 1, width)
        before = self.walls_before
        free = before[y1, x1] - before[y0, x1] - before[y1, x0] + before[y0, x0] == 0
        if self.wrap:
            inside = (rows - reaches >= 0) & (rows + reaches < height) & (columns - reaches >= 0) & (columns + reaches < width)
            free &= inside
        return np.asarray(free)


def strides(space: Grid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The steps of a grid, (K, 2) in columns and rows, and their lengths (K,) in 1 / LENGTH_SCALE cells."""
    lengths = np.rint(space.neighborhood.lengths(1.0) * reference.LENGTH_SCALE).astype(np.int64)
    return np.array(space.neighborhood.steps, dtype=np.int64), lengths


def _count_walls(walls: NDArray[np.bool_], before: NDArray[np.int32], top: int, bottom: int) -> None:
    """Go on counting the walls above and left of each corner, for the rows [top, bottom) of cells."""
    counts = np.cumsum(walls[top:bottom], axis=1, dtype=np.int32)
    np.cumsum(counts, axis=0, out=counts)
    np.add(counts, before[top, 1:], out=before[top + 1 : bottom + 1, 1:])


class Footprints:
    """Footprints of one metric. A *shape* is a falloff and a radius; on open ground its footprint is cut once and shared.

    `thickness` is how far, in cells, the walls around a cell that is one are open to its footprint.
    """

    def __init__(self, metric: str, thickness: float = 0.0) -> None:
        self._metric = metric
        self._thickness = thickness
        self._numbers: dict[tuple[Falloff, float], int] = {}
        self._tables: list[NDArray[np.float64]] = []
        self._shapes: list[tuple[Falloff, float]] = []
        self._size = 0
        self._packed = np.zeros(0)
        self._starts = np.zeros(0, dtype=np.int64)
        self._reaches = np.zeros(0, dtype=np.int64)
        self._by_square = np.zeros(0)
        self._square_starts = np.zeros(0, dtype=np.int64)
        self._scratch: dict[tuple[int, bool], Scratch] = {}
        self._looks = Looks()

    @property
    def shapes(self) -> list[tuple[Falloff, float]]:
        """Falloff and radius in cells, by number."""
        return self._shapes

    @property
    def packed(self) -> NDArray[np.float64]:
        """The tables of all shapes, one after the other."""
        self._pack()
        return self._packed

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where in `packed` the table of each shape begins."""
        self._pack()
        return self._starts

    @property
    def reaches(self) -> NDArray[np.int64]:
        """How many cells the table of each shape reaches each way."""
        self._pack()
        return self._reaches

    @property
    def size(self) -> int:
        """How many weights have been cut since those that nobody has were forgotten."""
        return self._size

    def without_others(self, shapes: NDArray[np.int64], used: NDArray[np.bool_]) -> tuple[Footprints, NDArray[np.int64]]:
        """The footprints of those `shapes` that are `used`, and the new number of each; 0 where it is not."""
        kept = Footprints(self._metric, self._thickness)
        wanted, numbers = np.unique(shapes[used], return_inverse=True)
        for number in wanted.tolist():
            kept._numbers[self._shapes[number]] = len(kept._tables)
            kept._shapes.append(self._shapes[number])
            kept._tables.append(self._tables[number])
        again = np.zeros_like(shapes)
        again[used] = numbers
        return kept, again

    def by_square(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """The radius of each shape in cells; the weights at all squared distances, one shape after the other; where each begins.

        Shapes that reach farther than `SMALL_REACH` have no weights here.
        """
        known = len(self._square_starts)
        new = []
        for (falloff, radius), table in zip(self._shapes[known:], self._tables[known:], strict=True):
            reach = len(table) // 2
            farthest = min(radius * radius, 2.0 * reach * reach) if reach <= SMALL_REACH else -1.0
            new.append(falloff(np.sqrt(np.arange(int(farthest) + 1, dtype=np.float64)) / radius))
        if new:
            sizes = np.array([len(weights) for weights in new])
            self._square_starts = np.append(self._square_starts, len(self._by_square) + np.cumsum(sizes) - sizes)
            self._by_square = np.concatenate([self._by_square, *new])
        return np.array([radius for _, radius in self._shapes]), self._by_square, self._square_starts

    def number(self, falloff: Falloff, radius: float, ground: Ground) -> int:
        """The number of the shape with this falloff and this radius in cells, see `whole_radius`."""
        radius = whole_radius(radius)
        key = (falloff, radius)
        if key not in self._numbers:
            reach = min(int(radius), max(ground.walls.shape) - 1)
            table = footprint(falloff, radius, reach) if self._metric != "path" else self._open_paths(falloff, radius, reach, ground)
            self._numbers[key] = len(self._tables)
            self._shapes.append(key)
            self._tables.append(table)
            self._size += table.size
        return self._numbers[key]

    def _pack(self) -> None:
        new = self._tables[len(self._reaches) :]
        if new:
            sizes = np.array([table.size for table in new])
            self._starts = np.append(self._starts, len(self._packed) + np.cumsum(sizes) - sizes)
            self._packed = np.concatenate([self._packed, *(table.reshape(-1) for table in new)])
            self._reaches = np.append(self._reaches, [len(table) // 2 for table in new])

    def table(self, number: int) -> NDArray[np.float64]:
        """The weights of a shape on open ground, (2 r + 1, 2 r + 1)."""
        return self._tables[number]

    def search(self, ground: Ground, cell: int, number: int, *, aside: bool = False) -> Generator[int, None, Found]:
        """Cut the footprint of a shape around a cell among walls: yields after each unit of work, returns cells and weights.

        A search goes on in scratch that is its own until it ends; one asked for meanwhile goes `aside`.
        """
        falloff, radius = self._shapes[number]
        if self._thickness > 0 and ground.walls.reshape(-1)[cell]:
            ground = ground.opened(cell, min(self._thickness, radius))
        if self._metric == "sight":
            cells, shares = yield from self._looks.round(ground.walls, ground.wrap, cell, radius, aside, UNIT_SEARCHED)
            return cells, falloff(shares)
        if self._metric == "path" and ground.extra is not None:
            return (yield from self._walk_resisted(ground, cell, falloff, radius, aside))
        if self._metric == "path":
            return (yield from self._walk(ground, cell, falloff, radius, aside))
        return (yield from self._connect(ground, cell, falloff, radius, aside))

    def _connect(self, ground: Ground, cell: int, falloff: Falloff, radius: float, aside: bool) -> Generator[int, None, Found]:
        scratch = self.room(radius, ground, aside)
        scratch.mark += 2
        head = tail = 0
        while tail == 0 or head < tail:
            before = head
            head, tail = kernels.radial.connected(
                ground.links, ground.masks, ground.steps, cell, radius, ground.wrap,
                scratch.seen, scratch.mark, scratch.cells, scratch.distances, head, tail, UNIT_SEARCHED,
            )  # fmt: skip
            yield head - before
        weights = falloff(np.sqrt(scratch.distances[:tail].astype(np.float64)) / radius)
        return scratch.cells[:tail].copy(), weights

    def _walk(self, ground: Ground, cell: int, falloff: Falloff, radius: float, aside: bool) -> Generator[int, None, Found]:
        scratch = self.room(radius, ground, aside)
        scratch.mark += 2
        scratch.state[:] = 0
        limit = int(min(radius, _FAR) * reference.LENGTH_SCALE)
        while scratch.state[3] == 0 or scratch.state[2] > 0:
            before = int(scratch.state[1])
            kernels.radial.path(
                ground.links, ground.masks, ground.steps, ground.lengths, cell, limit, ground.wrap,
                scratch.best, scratch.seen, scratch.mark, scratch.heads, scratch.node_cells, scratch.node_next, scratch.state,
                scratch.cells, scratch.distances, UNIT_SEARCHED,
            )  # fmt: skip
            yield int(scratch.state[1]) - before
        found = int(scratch.state[1])
        weights = falloff(scratch.distances[:found] / (reference.LENGTH_SCALE * radius))
        return scratch.cells[:found].copy(), weights

    def _walk_resisted(self, ground: Ground, cell: int, falloff: Falloff, radius: float, aside: bool) -> Generator[int, None, Found]:
        scratch = self.room(radius, ground, aside)
        scratch.mark += 2
        scratch.state[:] = 0
        limit = int(min(radius, _FAR) * reference.LENGTH_SCALE)
        while scratch.state[2] == 0 or scratch.state[0] > 0:
            before = int(scratch.state[1])
            kernels.resisted.path(
                ground.links, ground.masks, ground.steps, ground.lengths, ground.extra, cell, limit, ground.wrap,
                scratch.best, scratch.seen, scratch.mark, scratch.node_next, scratch.node_cells, scratch.state,
                scratch.cells, scratch.distances, UNIT_SEARCHED,
            )  # fmt: skip
            yield int(scratch.state[1]) - before
        found = int(scratch.state[1])
        return scratch.cells[:found].copy(), falloff(scratch.distances[:found] / (reference.LENGTH_SCALE * radius))

    def _open_paths(self, falloff: Falloff, radius: float, reach: int, ground: Ground) -> NDArray[np.float64]:
        """The footprint of walking distances on open ground, in the middle of a map without walls."""
        side = 2 * reach + 1
        links = np.full((side, side), np.bitwise_or.reduce(ground.masks), dtype=ground.masks.dtype)
        links.flags.writeable = False  # as those of a map: kernels are compiled anew for arrays that can be written to
        meadow = replace(ground, walls=np.zeros((side, side), dtype=np.bool_), links=links, wrap=False, extra=None)
        middle = reach * side + reach
        cells, shares = finished(self._walk(meadow, middle, falloff, radius, True))
        weights = np.zeros((side, side))
        weights.reshape(-1)[cells] = shares
        return weights

    def room(self, radius: float, ground: Ground, aside: bool) -> Scratch:
        """Room for searches of this radius, in cells."""
        reach = min(int(radius), max(ground.walls.shape) - 1)
        if (reach, aside) not in self._scratch:
            self._scratch[reach, aside] = Scratch(reach, ground.walls.size, ground.lengths)
        return self._scratch[reach, aside]


def whole_radius(radius: float) -> float:
    """A radius in cells, a whole number where it is one to a billionth: so that a radius of 0.3 on cells of 0.1 reaches three."""
    whole = round(radius)
    return float(whole) if math.isclose(radius, whole, rel_tol=1e-9) else radius


class Scratch:
    """The scratch of a search of `kernels.radial`, for one reach in cells."""

    def __init__(self, reach: int, map_size: int, lengths: NDArray[np.int64]) -> None:
        side = 2 * reach + 1
        nodes = min(side * side, map_size) * len(lengths) + 1
        self.mark = 0
        self.seen = np.zeros((side, side), dtype=np.int64)
        self.best = np.zeros((side, side), dtype=np.int64)
        self.cells = np.zeros(side * side, dtype=np.int64)
        self.distances = np.zeros(side * side, dtype=np.int64)
        self.node_cells = np.zeros(nodes, dtype=np.int64)
        self.node_next = np.zeros(nodes, dtype=np.int64)
        self.heads = np.zeros(int(lengths.max() // lengths.min()) + 2, dtype=np.int64)
        self.state = np.zeros(4, dtype=np.int64)
