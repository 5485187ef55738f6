"""Which cells of a grid a radial source acts on, and with what weight."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.falloff import Falloff, footprint
from fieldcraft.propagation.footprints import UNIT_SEARCHED, Found, Looks, finished, whole_radius
from fieldcraft.propagation.grid_walks import GridWalks
from fieldcraft.space import Grid, Space

__all__ = ["SMALL_REACH", "GridFootprints", "Scratch", "too_large"]

MOST_REACH = 2_000
_FAR = 1e9  # no walk is longer, in cells
# cells; footprints among walls of this reach are searched many in a call, where work is done at
# once
SMALL_REACH = 48


def too_large(space: Space) -> float:
    """The smallest radius, in world units, that a radial layer on a space refuses: infinity on
    all but huge ones.
    """
    if isinstance(space, Grid) and max(space.shape) - 1 > MOST_REACH:
        return (MOST_REACH + 1) * space.cell_size
    return math.inf


class GridFootprints:
    """Footprints of one metric. A *shape* is a falloff and a radius; on open ground its footprint
    is cut once and shared.

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
        self._chords = np.zeros((0, 2), dtype=np.int64)
        self._first_chords = np.zeros(0, dtype=np.int64)
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
    def chords(self) -> NDArray[np.int64]:
        """The first column and the end of each row of flat footprints, one shape after the other,
        (rows, 2).
        """
        self._pack()
        return self._chords

    @property
    def first_chords(self) -> NDArray[np.int64]:
        """Where in `chords` those of each shape begin; -1 for shapes that are not flat."""
        self._pack()
        return self._first_chords

    @property
    def size(self) -> int:
        """How many weights have been cut since those that nobody has were forgotten."""
        return self._size

    def without_others(
        self, shapes: NDArray[np.int64], used: NDArray[np.bool_]
    ) -> tuple[GridFootprints, NDArray[np.int64]]:
        """The footprints of those `shapes` that are `used`, and the new number of each; 0 where it
        is not.
        """
        kept = GridFootprints(self._metric, self._thickness)
        wanted, numbers = np.unique(shapes[used], return_inverse=True)
        for number in wanted.tolist():
            kept._numbers[self._shapes[number]] = len(kept._tables)
            kept._shapes.append(self._shapes[number])
            kept._tables.append(self._tables[number])
        again = np.zeros_like(shapes)
        again[used] = numbers
        return kept, again

    def by_square(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """The radius of each shape in cells; the weights at all squared distances, one shape after
        the other; where each begins.

        Shapes that reach farther than `SMALL_REACH` have no weights here.
        """
        known = len(self._square_starts)
        new = []
        for (falloff, radius), table in zip(
            self._shapes[known:], self._tables[known:], strict=True
        ):
            reach = len(table) // 2
            farthest = min(radius * radius, 2.0 * reach * reach) if reach <= SMALL_REACH else -1.0
            new.append(falloff(np.sqrt(np.arange(int(farthest) + 1, dtype=np.float64)) / radius))
        if new:
            sizes = np.array([len(weights) for weights in new])
            self._square_starts = np.append(
                self._square_starts, len(self._by_square) + np.cumsum(sizes) - sizes
            )
            self._by_square = np.concatenate([self._by_square, *new])
        return (
            np.array([radius for _, radius in self._shapes]),
            self._by_square,
            self._square_starts,
        )

    def number(self, falloff: Falloff, radius: float, walks: GridWalks) -> int:
        """The number of the shape with this falloff and this radius in cells, see
        `whole_radius`.
        """
        radius = whole_radius(radius)
        key = (falloff, radius)
        if key not in self._numbers:
            reach = min(int(radius), max(walks.walls.shape) - 1)
            table = (
                footprint(falloff, radius, reach)
                if self._metric != "path"
                else self._open_paths(falloff, radius, reach, walks)
            )
            self._numbers[key] = len(self._tables)
            self._shapes.append(key)
            self._tables.append(table)
            self._size += table.size
        return self._numbers[key]

    def number_as(self, others: GridFootprints, walks: GridWalks) -> None:
        """Number the shapes that `others` have beyond these as they do."""
        for falloff, radius in others.shapes[len(self._shapes) :]:
            self.number(falloff, radius, walks)

    def _pack(self) -> None:
        new = self._tables[len(self._reaches) :]
        if new:
            sizes = np.array([table.size for table in new])
            self._starts = np.append(self._starts, len(self._packed) + np.cumsum(sizes) - sizes)
            self._packed = np.concatenate([self._packed, *(table.reshape(-1) for table in new)])
            self._reaches = np.append(self._reaches, [len(table) // 2 for table in new])
            for table in new:
                chords = _chords(table)
                self._first_chords = np.append(
                    self._first_chords, -1 if chords is None else len(self._chords)
                )
                if chords is not None:
                    self._chords = np.concatenate([self._chords, chords])

    def table(self, number: int) -> NDArray[np.float64]:
        """The weights of a shape on open walks, (2 r + 1, 2 r + 1)."""
        return self._tables[number]

    def search(
        self, walks: GridWalks, cell: int, number: int, *, aside: bool = False
    ) -> Generator[int, None, Found]:
        """Cut the footprint of a shape around a cell among walls: yields after each unit of work,
        returns cells and weights.

        A search goes on in scratch that is its own until it ends; one asked for meanwhile goes
        `aside`.
        """
        falloff, radius = self._shapes[number]
        if self._thickness > 0 and walks.walls.reshape(-1)[cell]:
            walks = walks.opened(cell, min(self._thickness, radius))
        if self._metric == "sight":
            cells, shares = yield from self._looks.round(
                walks.walls, walks.wrap, cell, radius, aside, UNIT_SEARCHED
            )
            return cells, falloff(shares)
        if self._metric == "path" and walks.extra is not None:
            return (yield from self._walk_resisted(walks, cell, falloff, radius, aside))
        if self._metric == "path":
            return (yield from self._walk(walks, cell, falloff, radius, aside))
        return (yield from self._connect(walks, cell, falloff, radius, aside))

    def _connect(
        self, walks: GridWalks, cell: int, falloff: Falloff, radius: float, aside: bool
    ) -> Generator[int, None, Found]:
        scratch = self.scratch(radius, walks, aside)
        scratch.mark += 2
        head = tail = 0
        while tail == 0 or head < tail:
            before = head
            head, tail = kernels.radial.connected(
                walks.links,
                walks.masks,
                walks.steps,
                cell,
                radius,
                walks.wrap,
                scratch.seen,
                scratch.mark,
                scratch.cells,
                scratch.distances,
                head,
                tail,
                UNIT_SEARCHED,
            )
            yield head - before
        weights = falloff(np.sqrt(scratch.distances[:tail].astype(np.float64)) / radius)
        return scratch.cells[:tail].copy(), weights

    def _walk(
        self, walks: GridWalks, cell: int, falloff: Falloff, radius: float, aside: bool
    ) -> Generator[int, None, Found]:
        scratch = self.scratch(radius, walks, aside)
        scratch.mark += 2
        scratch.state[:] = 0
        limit = int(min(radius, _FAR) * kernels.radial.LENGTH_SCALE)
        while scratch.state[3] == 0 or scratch.state[2] > 0:
            before = int(scratch.state[1])
            kernels.radial.path(
                walks.links,
                walks.masks,
                walks.steps,
                walks.lengths,
                cell,
                limit,
                walks.wrap,
                scratch.best,
                scratch.seen,
                scratch.mark,
                scratch.heads,
                scratch.node_cells,
                scratch.node_next,
                scratch.state,
                scratch.cells,
                scratch.distances,
                UNIT_SEARCHED,
            )
            yield int(scratch.state[1]) - before
        found = int(scratch.state[1])
        weights = falloff(scratch.distances[:found] / (kernels.radial.LENGTH_SCALE * radius))
        return scratch.cells[:found].copy(), weights

    def _walk_resisted(
        self, walks: GridWalks, cell: int, falloff: Falloff, radius: float, aside: bool
    ) -> Generator[int, None, Found]:
        scratch = self.scratch(radius, walks, aside)
        scratch.mark += 2
        scratch.state[:] = 0
        limit = int(min(radius, _FAR) * kernels.radial.LENGTH_SCALE)
        while scratch.state[2] == 0 or scratch.state[0] > 0:
            before = int(scratch.state[1])
            kernels.resisted.path(
                walks.links,
                walks.masks,
                walks.steps,
                walks.lengths,
                walks.extra,
                cell,
                limit,
                walks.wrap,
                scratch.best,
                scratch.seen,
                scratch.mark,
                scratch.node_next,
                scratch.node_cells,
                scratch.state,
                scratch.cells,
                scratch.distances,
                UNIT_SEARCHED,
            )
            yield int(scratch.state[1]) - before
        found = int(scratch.state[1])
        return scratch.cells[:found].copy(), falloff(
            scratch.distances[:found] / (kernels.radial.LENGTH_SCALE * radius)
        )

    def _open_paths(
        self, falloff: Falloff, radius: float, reach: int, walks: GridWalks
    ) -> NDArray[np.float64]:
        """The footprint of walking distances on open walks, in the middle of a map without
        walls.
        """
        side = 2 * reach + 1
        meadow = walks.on_open_ground(side)
        middle = reach * side + reach
        cells, shares = finished(self._walk(meadow, middle, falloff, radius, True))
        weights = np.zeros((side, side))
        weights.reshape(-1)[cells] = shares
        return weights

    def scratch(self, radius: float, walks: GridWalks, aside: bool) -> Scratch:
        """Scratch for searches of this radius, in cells."""
        reach = min(int(radius), max(walks.walls.shape) - 1)
        if (reach, aside) not in self._scratch:
            self._scratch[reach, aside] = Scratch(reach, walks.walls.size, walks.lengths)
        return self._scratch[reach, aside]


def _chords(table: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """First column and end of each row of a footprint that weighs the same wherever it weighs
    anything; None for others.
    """
    inside = table != 0
    if not (table[inside] == table[len(table) // 2, len(table) // 2]).all():
        return None
    counts = inside.sum(axis=1)
    firsts = np.where(counts > 0, inside.argmax(axis=1), 0)
    columns = np.arange(table.shape[1])
    if not (
        inside == ((columns >= firsts[:, None]) & (columns < (firsts + counts)[:, None]))
    ).all():
        return None
    return np.stack([firsts, firsts + counts], axis=1)


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
