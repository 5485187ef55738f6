"""Sums of whole numbers that stamps are added to: the same bits in any order."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.propagation.stamps import Stamp
from fieldcraft.space import Grid, HexGrid, Space, grid_of
from fieldcraft.space.hex_layout import distances, rounded

__all__ = [
    "MOST_AMOUNT",
    "MOST_CELLS",
    "MOST_SUM",
    "Blots",
    "Canvas",
    "GridBlots",
    "HexBlots",
    "blots_on",
]

MOST_AMOUNT = 2.0**20
MOST_SUM = 2.0**38
BLENDS = ("add", "max", "replace")  # in the order of the numbers in `kernels.stamps`
_CELLS_PER_THREAD = 100_000
MOST_CELLS = 2**26


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Blots(Protocol):
    """Stamps at places on a space, checked and ready to be put on canvases; `peak` is the largest
    of their weights.
    """

    peak: float

    def put(self, canvas: Canvas, amounts: NDArray[np.float64], blend: str) -> None:
        """Put the stamps on a canvas that has let their amounts (N,) pass."""


class GridBlots:
    """Stamps at places on a grid."""

    def __init__(
        self,
        space: Grid,
        stamp: Stamp,
        points: NDArray[np.float64],
        *,
        rotations: NDArray[np.float64],
        scales: NDArray[np.float64],
        between: bool,
    ) -> None:
        self.wrap = space.wrap
        columns = (points[:, 0] - space.origin[0]) / space.cell_size
        rows = (points[:, 1] - space.origin[1]) / space.cell_size
        if space.y_up:
            rows = space.height - rows
        most = _most(space, rows, columns, stamp.reach / space.cell_size * scales)
        turns = np.stack([np.mod(rotations, 360.0), scales], axis=1)
        which = np.zeros(len(turns), dtype=np.int64)
        different = turns[:1]
        if len(turns) and (turns != turns[0]).any():
            different, which = np.unique(turns, axis=0, return_inverse=True)
        prints = []
        for turn, scale in different.tolist():
            if space.wrap and stamp.reach * scale / space.cell_size > most:
                raise InvalidValue(
                    "On a map that wraps a stamp reaches at most as far as the map's longer side",
                    got=f"{stamp!r} at scale {scale:g}, on {space!r}",
                    remedy=(
                        "Use a smaller stamp; one that covers everything is an addition to the"
                        " whole array"
                    ),
                )
            if (2 * min(stamp.reach * scale / space.cell_size, most) + 1) ** 2 > MOST_CELLS:
                raise InvalidValue(
                    f"A stamp covers at most {MOST_CELLS:,} cells",
                    got=f"{stamp!r} on cells of {space.cell_size:g}",
                    remedy="Use a smaller stamp, or larger cells",
                )
            prints.append(
                stamp.on(space.cell_size, y_up=space.y_up, most=most, rotation=turn, scale=scale)
            )
        padded = [np.pad(each.weights, 1) for each in prints]
        sizes = np.array([each.size for each in padded], dtype=np.int64)
        starts = np.cumsum(sizes) - sizes
        self.peak = max((float(np.abs(each.weights).max()) for each in prints), default=0.0)
        self.tables = (
            np.concatenate([each.reshape(-1) for each in padded]) if padded else np.zeros(0)
        )
        self.shapes = np.array(
            [
                (start, *each.weights.shape, each.first_row, each.first_column)
                for start, each in zip(starts.tolist(), prints, strict=True)
            ],
            dtype=np.int64,
        ).reshape(-1, 5)
        self.which = which.reshape(-1).astype(np.int64)
        self.cells = int(sizes[self.which].sum())
        # A stamp between cells is divided among those whose centers lie around its own.
        if between:
            rows, columns = rows - 0.5, columns - 0.5
        whole_rows, whole_columns = np.floor(rows), np.floor(columns)
        if not between and space.y_up:
            whole_rows = (
                np.ceil(rows) - 1
            )  # a cell covers its lower edge, which is the end of its row here
        self.downs = rows - whole_rows if between else np.zeros(len(rows))
        self.rights = columns - whole_columns if between else np.zeros(len(columns))
        if space.wrap:
            whole_rows, whole_columns = (
                np.mod(whole_rows, space.height),
                np.mod(whole_columns, space.width),
            )
        far = float(2 * most + 2)  # beyond this nothing of a stamp reaches the map
        self.rows = np.clip(whole_rows, -far, space.height + far).astype(np.int64)
        self.columns = np.clip(whole_columns, -far, space.width + far).astype(np.int64)

    def put(self, canvas: Canvas, amounts: NDArray[np.float64], blend: str) -> None:
        """See `Blots.put`."""
        arguments = (
            (self.rows, self.columns, self.downs, self.rights),
            amounts * kernels.stamps.SCALE,
            (self.tables, self.shapes, self.which),
            BLENDS.index(blend),
            self.wrap,
        )
        canvas.in_bands(kernels.stamps.blit, arguments, self.cells)


def _most(
    space: Grid,
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    reaches: NDArray[np.float64],
) -> int:
    """How many cells of a stamp, from its center to each side, may lie on the map: its longer side,
    or more for centers off the map.
    """
    side = max(space.shape)
    off = (rows < 0) | (rows >= space.height) | (columns < 0) | (columns >= space.width)
    if space.wrap or not off.any():
        return side
    down, right = np.abs(rows[off] - space.height / 2), np.abs(columns[off] - space.width / 2)
    touches = np.maximum(down - space.height / 2, right - space.width / 2) <= reaches[off] + 1
    away = np.maximum(down + space.height / 2, right + space.width / 2)[touches]
    # Whole sides, so that prints of a stamp that goes on are found again.
    return side * max(1, math.ceil((float(away.max(initial=0)) + 1) / side))


class Canvas:
    """Sums in units of 2**-24, by rows and columns; the vertices of a graph are one row."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._rows, columns = space.shape if len(space.shape) == 2 else (1, len(space))
        self.sums = np.zeros((self._rows, columns), dtype=np.int64)
        self.dirty = np.zeros(
            (
                -(-self._rows // kernels.stamps.TILE_ROWS),
                -(-columns // kernels.stamps.TILE_COLUMNS),
            ),
            dtype=np.uint8,
        )
        self._booked = 0.0
        self._ops = kernels.stamps

    @classmethod
    def of(cls, space: Space, values: NDArray[np.float32]) -> Canvas:
        """One that shows these values, as near as its units allow."""
        canvas = cls(space)
        largest = float(np.abs(values).max(initial=0))
        if largest > MOST_SUM / 2:
            raise InvalidValue(
                f"Values of a layer with stamps are at most {MOST_SUM / 2:g} in size",
                got=f"{largest:g}",
                remedy="Count in larger units",
            )
        canvas.sums[:] = np.rint(values.astype(np.float64) * kernels.stamps.SCALE)
        canvas._booked = largest
        return canvas

    def book(self, amounts: NDArray[np.float64], weight: float = 1.0) -> None:
        """Refuse amounts that could make a sum overflow, before anything is changed."""
        largest = float(np.abs(amounts).max(initial=0))
        if largest > MOST_AMOUNT:
            raise InvalidValue(
                f"Amounts are at most {MOST_AMOUNT:,.0f} in size",
                got=f"{largest:g}",
                remedy="Count in larger units",
            )
        more = float(np.abs(amounts).sum()) * weight
        if self._booked + more > MOST_SUM:
            self._booked = float(np.abs(self.sums).max(initial=0)) / kernels.stamps.SCALE
        if self._booked + more > MOST_SUM:
            raise InvalidValue(
                f"What is put on a layer adds up to at most {MOST_SUM:g} in size",
                got=f"{self._booked + more:g}",
                remedy="Count in larger units",
            )
        self._booked += more

    def scattering(self, cells: NDArray[np.int64], amounts: NDArray[np.float64]) -> pool.Call:
        """The call that adds amounts to cells, once `book` has let them pass.

        It is one for all rows: bands would look at all cells each, and guess half of the time
        wrongly which are theirs.
        """
        return self._ops.scatter, (
            cells,
            amounts * kernels.stamps.SCALE,
            0,
            self._rows,
            self.sums,
            self.dirty,
        )

    def add(self, cells: Ints, units: Ints) -> None:
        """Add whole numbers of 2**-24 to the sums of cells."""
        np.add.at(self.sums.reshape(-1), cells, units)
        rows, columns = np.divmod(cells, self.sums.shape[1])
        self.dirty[rows // kernels.stamps.TILE_ROWS, columns // kernels.stamps.TILE_COLUMNS] = (
            kernels.stamps.ALL_ROWS
        )

    def in_bands(self, kernel: Any, arguments: tuple[Any, ...], work: int) -> None:
        """Each thread has rows of its own, so that none waits for another and no sum is written by
        two.
        """
        bands = pool.bands(self._rows, work // _CELLS_PER_THREAD, kernels.stamps.TILE_ROWS)
        pool.run([(kernel, (*arguments, *band, self.sums, self.dirty)) for band in bands])

    def publish(self, values: NDArray[np.float32]) -> None:
        """Write what has changed to `values`."""
        self._ops.publish(self.sums, 0, len(self.dirty), self.dirty, values)

    def drain(self, values: NDArray[np.float32]) -> None:
        """Write what has come to `values`, and begin anew with nothing."""
        self._ops.drain(self.sums, self.dirty, values)
        self._booked = 0.0

    def restore(self, sums: NDArray[np.int64]) -> None:
        """Take over sums that another canvas had; raises ValueError for impossible ones."""
        if not (np.abs(sums) < 2**62).all():
            raise ValueError("sums that overflow")
        self.sums[:] = sums.reshape(self.sums.shape)
        self.dirty[:] = kernels.stamps.ALL_ROWS
        self._booked = float(np.abs(sums).max(initial=0)) / kernels.stamps.SCALE

    def cleared(self) -> None:
        """Take notice that all sums are 0 again."""
        self.dirty[:] = 0
        self._booked = 0.0


class HexBlots:
    """Stamps at places on hexagons, checked: of each the `cells` (K,) that it covers, and its
    `weights` (K,) there.

    Steps are the same from everywhere, so one table of weights serves all stamps that are turned
    and sized alike. Those that are put
    `between` cells are weighed for each place: every cell takes the weight at its own middle.
    """

    def __init__(
        self,
        space: HexGrid,
        stamp: Stamp,
        points: Floats,
        *,
        rotations: Floats,
        scales: Floats,
        between: bool,
    ) -> None:
        reaches = stamp.reach * scales
        steps = min(
            float(reaches.max(initial=0.0)) / space.layout.step + 2, 2.0 * max(space.shape) + 2
        )
        if 3 * steps * steps > MOST_CELLS:
            raise InvalidValue(
                f"A stamp covers at most {MOST_CELLS:,} cells",
                got=f"{stamp!r} on {space!r}",
                remedy="Use a smaller stamp, or larger cells",
            )
        around = _disc(math.ceil(steps))
        if space.wrap:
            around = _once(space, around)
        middles = rounded(space.layout.axial(space.wrapped(points)))
        offsets = np.zeros_like(points)
        if between:
            offsets = space.wrapped(points) - space.layout.places(middles)
        places = space.layout.places(around) - space.layout.places(np.zeros(2, dtype=np.int64))
        turns = np.stack([np.mod(rotations, 360.0), scales], axis=1)
        kinds, which = np.unique(turns, axis=0, return_inverse=True)
        which = which.reshape(-1)
        cells, weights, owners = [], [], []
        for number, (turn, scale) in enumerate(kinds.tolist()):
            mine = np.flatnonzero(which == number)
            groups = [mine[k : k + 1] for k in range(len(mine))] if between else [mine]
            for group in groups:
                found = stamp.at(places - offsets[group[0]], rotation=turn, scale=scale)
                covered = np.flatnonzero(found)
                if (
                    not len(covered)
                    and not between
                    and not math.isinf(stamp.reach)
                    and stamp.reach * scale < steps * space.layout.step
                ):
                    raise InvalidValue(
                        "A stamp covers the middle of a cell",
                        got=f"{stamp!r} on {space!r}",
                        remedy="Make it larger, or use smaller cells",
                    )
                ids, inside = space.reached(middles[group][:, np.newaxis] + around[covered])
                cells.append(ids[inside])
                weights.append(np.broadcast_to(found[covered], inside.shape)[inside])
                owners.append(np.broadcast_to(group[:, np.newaxis], inside.shape)[inside])
        self.covered: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *cells])
        self.weights: Floats = np.concatenate([np.zeros(0), *weights])
        self.owners: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *owners])
        self.peak = float(np.abs(self.weights).max(initial=0.0))

    def put(self, canvas: Canvas, amounts: Floats, blend: str) -> None:
        """Put the stamps on a canvas that has let their amounts pass."""
        parts = amounts[self.owners] * self.weights
        if blend == "add":
            kernel, arguments = canvas.scattering(self.covered, parts)
            kernel(*arguments)
            return
        new = np.rint(parts * kernels.stamps.SCALE).astype(np.int64)
        cells, sums = self.covered, canvas.sums.reshape(-1)
        if blend == "max":
            cells, new = (
                np.concatenate([cells, np.unique(cells)]),
                np.concatenate([new, sums[np.unique(cells)]]),
            )
            order = np.lexsort((new, np.abs(new), cells))
        else:
            some = new != 0
            cells, new, owners = cells[some], new[some], self.owners[some]
            order = np.lexsort((owners, cells))
        last = order[np.append(np.diff(cells[order]) != 0, True)] if len(order) else order
        sums[cells[last]] = new[last]
        canvas.add(cells[last], np.zeros_like(cells[last]))


def _disc(steps: int) -> Ints:
    """The axial differences of all cells at most so many steps away, (K, 2)."""
    span = np.arange(-steps, steps + 1)
    axial = np.stack(np.meshgrid(span, span), axis=-1).reshape(-1, 2)
    return axial[distances(axial) <= steps]


def _once(space: HexGrid, around: Ints) -> Ints:
    """On a torus each cell once, on its near side."""
    ids, _ = space.reached(around)
    places = space.layout.places(around) - space.layout.places(np.zeros(2, dtype=np.int64))
    order = np.lexsort((np.arange(len(ids)), (places**2).sum(axis=1), ids))
    first = order[np.append(True, np.diff(ids[order]) != 0)]
    return np.asarray(around[np.sort(first)])


def blots_on(
    space: Space,
    stamp: Stamp,
    points: Floats,
    *,
    rotations: Floats,
    scales: Floats,
    between: bool,
) -> Blots:
    """Return stamps at places (N, 2), each turned by degrees (N,) and sized (N,)."""
    if isinstance(space, HexGrid):
        return HexBlots(space, stamp, points, rotations=rotations, scales=scales, between=between)
    grid = grid_of(space, "stamp()")
    return GridBlots(grid, stamp, points, rotations=rotations, scales=scales, between=between)
