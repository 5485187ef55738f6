"""Which cells of a grid a radial source acts on, and with what weight."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.falloff import Falloff, footprint
from fieldcraft.propagation.footprints import (
    UNIT_SEARCHED,
    FieldsOfView,
    Footprints,
    Found,
    finished,
    whole_radius,
)
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


class GridFootprints(Footprints[GridWalks]):
    """Footprints of one metric. A *shape* is a falloff and a radius; on open ground its footprint
    is cut once and shared.

    `thickness` is how far, in cells, the walls around a cell that is one are open to its footprint.
    """

    def __init__(self, metric: str, thickness: float = 0.0) -> None:
        super().__init__()
        self._metric = metric
        self._thickness = thickness
        self._tables: list[NDArray[np.float64]] = []
        self._packed = np.zeros(0)
        self._reaches = np.zeros(0, dtype=np.int64)
        self.starts = np.zeros(0, dtype=np.int64)
        """Where in `packed` the table of each shape begins; as old as `packed` is."""
        self.chords = np.zeros((0, 2), dtype=np.int64)
        """The first column and the end of each row of flat footprints, one shape after the other,
        (rows, 2); as old as `packed` is.
        """
        self.first_chords = np.zeros(0, dtype=np.int64)
        """Where in `chords` those of each shape begin; -1 for shapes that are not flat."""
        self._by_square = np.zeros(0)
        self._square_starts = np.zeros(0, dtype=np.int64)
        self._scratch: dict[tuple[int, bool], Scratch] = {}
        self._views = FieldsOfView()

    @property
    def packed(self) -> NDArray[np.float64]:
        """The tables of all shapes, one after the other."""
        self._pack()
        return self._packed

    @property
    def reaches(self) -> NDArray[np.int64]:
        """How many cells the table of each shape reaches each way."""
        self._pack()
        return self._reaches

    def without_others(
        self, shapes: NDArray[np.int64], used: NDArray[np.bool_]
    ) -> tuple[GridFootprints, NDArray[np.int64]]:
        """See `Footprints.without_others`."""
        kept = GridFootprints(self._metric, self._thickness)
        wanted, again = self._only(kept, shapes, used)
        kept._tables = [self._tables[number] for number in wanted]
        return kept, again

    def by_square(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """The radius of each shape in cells; the weights at all squared distances, one shape after
        the other; where each begins.

        Shapes that reach farther than `SMALL_REACH` have no weights here.
        """
        known = len(self._square_starts)
        new = []
        for (falloff, radius), table in zip(self.shapes[known:], self._tables[known:], strict=True):
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
            np.array([radius for _, radius in self.shapes]),
            self._by_square,
            self._square_starts,
        )

    def number(self, falloff: Falloff, radius: float, walks: GridWalks) -> int:
        """The number of the shape with this falloff and this radius in cells, see
        `whole_radius`.
        """
        return self._number((falloff, whole_radius(radius)), walks)

    def _cut(self, shape: tuple[Falloff, float], walks: GridWalks) -> None:
        reach = min(int(shape[1]), max(walks.walls.shape) - 1)
        table = (
            footprint(*shape, reach)
            if self._metric != "path"
            else self._open_paths(*shape, reach, walks)
        )
        self._tables.append(table)
        self.size += table.size

    def _pack(self) -> None:
        new = self._tables[len(self._reaches) :]
        if new:
            sizes = np.array([table.size for table in new])
            self.starts = np.append(self.starts, len(self._packed) + np.cumsum(sizes) - sizes)
            self._packed = np.concatenate([self._packed, *(table.reshape(-1) for table in new)])
            self._reaches = np.append(self._reaches, [len(table) // 2 for table in new])
            for table in new:
                chords = _chords(table)
                self.first_chords = np.append(
                    self.first_chords, -1 if chords is None else len(self.chords)
                )
                if chords is not None:
                    self.chords = np.concatenate([self.chords, chords])

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
        falloff, radius = self.shapes[number]
        if self._thickness > 0 and walks.walls.reshape(-1)[cell]:
            walks = walks.opened(cell, min(self._thickness, radius))
        if self._metric == "sight":
            yield 1
            ground = walks.walls, walks.opaque
            cells, shares = self._views.around(ground, walks.wrap, cell, radius)
            return cells, falloff(shares)
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
                walks.ground,
                cell,
                radius,
                scratch.mark,
                head,
                tail,
                UNIT_SEARCHED,
                scratch.cells,
                scratch.distances,
                scratch.seen,
            )
            yield head - before
        weights = falloff(np.sqrt(scratch.distances[:tail].astype(np.float64)) / radius)
        return scratch.cells[:tail].copy(), weights

    def _walk(
        self, walks: GridWalks, cell: int, falloff: Falloff, radius: float, aside: bool
    ) -> Generator[int, None, Found]:
        scratch = self.scratch(radius, walks, aside)
        scratch.mark += 2
        state = scratch.state
        state[:] = 0
        limit = int(min(radius, _FAR) * kernels.radial.LENGTH_SCALE)
        while state[3] == 0 or state[2] > 0:
            before = int(state[1])
            kernels.radial.path(
                walks.ground,
                walks.lengths,
                walks.extra,
                cell,
                limit,
                scratch.mark,
                UNIT_SEARCHED,
                scratch.cells,
                scratch.distances,
                state,
                scratch.of_paths,
            )
            yield int(state[1]) - before
        found = int(state[1])
        shares = scratch.distances[:found] / (kernels.radial.LENGTH_SCALE * radius)
        return scratch.cells[:found].copy(), falloff(shares)

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
        self.cells = np.zeros(side * side, dtype=np.int64)
        self.distances = np.zeros(side * side, dtype=np.int64)
        self.state = np.zeros(4, dtype=np.int64)
        heads = np.zeros(reach + int(lengths.max() // lengths.min()) + 2, dtype=np.int64)
        queue = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
        self.of_paths = (np.zeros((side, side), dtype=np.int64), self.seen, heads, *queue)
