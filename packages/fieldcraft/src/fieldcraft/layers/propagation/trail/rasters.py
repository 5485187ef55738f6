"""Stamps at places on a space, as weights of cells."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import StampBlend
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.layers.propagation.accumulator import BLENDS, Accumulator, Drawing, Tables
from fieldcraft.layers.propagation.trail.stamps import Stamp
from fieldcraft.space import Grid, HexGrid, Space, grid_of
from fieldcraft.space.hexagons.hex_layout import distances, rounded, to_offset

MOST_CELLS = 2**26


class Raster(Protocol):
    """Stamps at places on a space, checked; `peak` is the largest of their weights."""

    peak: float

    def draw(self, sums: Accumulator, amounts: Floats, blend: StampBlend) -> None:
        """Blend the stamps times amounts (N,), which were reserved, into sums."""


class GridRaster:
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
        tables = Tables()
        self.peak = 0.0
        for turn, scale in different.tolist():
            if space.wrap and stamp.reach * scale / space.cell_size > max(space.shape):
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
            weights, top, left = stamp.on(
                space.cell_size, y_up=space.y_up, most=most, rotation=turn, scale=scale
            )
            tables.add(weights, top, left)
            self.peak = max(self.peak, float(np.abs(weights).max()))
        # A stamp between cells is divided among the cells with centers around its own.
        if between:
            rows = rows - 0.5
            columns = columns - 0.5
        row_floors = np.floor(rows)
        column_floors = np.floor(columns)
        if not between and space.y_up:
            # A cell covers its lower edge, which is the end of its row here.
            row_floors = np.ceil(rows) - 1
        below = rows - row_floors
        right = columns - column_floors
        if not between:
            below = np.zeros_like(below)
            right = np.zeros_like(right)
        if space.wraps_x:
            column_floors = np.mod(column_floors, space.width)
        if space.wraps_y:
            row_floors = np.mod(row_floors, space.height)
        far = float(2 * most + 2)  # beyond this nothing of a stamp reaches the map
        self.drawing = Drawing(
            np.clip(row_floors, -far, space.height + far).astype(np.int64),
            np.clip(column_floors, -far, space.width + far).astype(np.int64),
            below,
            right,
            which.reshape(-1).astype(np.int64),
            tables,
            space.wrap_flags,
        )

    def draw(self, sums: Accumulator, amounts: Floats, blend: StampBlend) -> None:
        """See `Raster.draw`."""
        sums.draw(self.drawing, amounts, BLENDS.index(blend))


def _most(
    space: Grid,
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    reaches: NDArray[np.float64],
) -> int:
    """Return how many cells of a stamp, from its center to each side, may be on the map: its longer
    side, or more for centers off the map.
    """
    side = max(space.shape)
    if space.wraps_x:
        columns = np.mod(columns, space.width)
    if space.wraps_y:
        rows = np.mod(rows, space.height)
    off = (rows < 0) | (rows >= space.height) | (columns < 0) | (columns >= space.width)
    if not off.any():
        return side
    down = np.abs(rows[off] - space.height / 2)
    right = np.abs(columns[off] - space.width / 2)
    touches = np.maximum(down - space.height / 2, right - space.width / 2) <= reaches[off] + 1
    away = np.maximum(down + space.height / 2, right + space.width / 2)[touches]
    # Multiples of the side, so that a stamp that moves reuses its tables.
    return side * max(1, math.ceil((float(away.max(initial=0)) + 1) / side))


class HexRaster:
    """Stamps at places on hexagons, checked: the `cells` (K,) that each covers, and its `weights`
    (K,) there.

    Steps are the same from everywhere, so one table of weights serves all stamps with one rotation
    and scale. Stamps `between` cells are weighted for each place: every cell takes the weight at
    its own center.
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
        cells = []
        weights = []
        owners = []
        for number, (turn, scale) in enumerate(kinds.tolist()):
            mine = np.flatnonzero(which == number)
            if between:
                groups = [mine[k : k + 1] for k in range(len(mine))]
            else:
                groups = [mine]
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

    def draw(self, sums: Accumulator, amounts: Floats, blend: StampBlend) -> None:
        """See `Raster.draw`."""
        cells = self.covered
        parts = amounts[self.owners] * self.weights
        if blend == "replace":
            order = np.argsort(self.owners, kind="stable")
            cells = cells[order]
            parts = parts[order]
        sums.scatter(cells, parts, BLENDS.index(blend))


def _disc(steps: int) -> Ints:
    """Return the axial differences of all cells at most `steps` steps away, (K, 2)."""
    span = np.arange(-steps, steps + 1)
    axial = np.stack(np.meshgrid(span, span), axis=-1).reshape(-1, 2)
    return axial[distances(axial) <= steps]


def _once(space: HexGrid, around: Ints) -> Ints:
    """Return the differences that lead to each cell once, the short way around axes that wrap."""
    offset = to_offset(around, pointy=space.layout.pointy)
    if space.wraps_x:
        offset[:, 0] %= space.columns
    if space.wraps_y:
        offset[:, 1] %= space.rows
    places = space.layout.places(around) - space.layout.places(np.zeros(2, dtype=np.int64))
    away = (places**2).sum(axis=1)
    order = np.lexsort((np.arange(len(around)), away, offset[:, 0], offset[:, 1]))
    first = order[np.append(True, (np.diff(offset[order], axis=0) != 0).any(axis=1))]
    return np.asarray(around[np.sort(first)])


def rasterized(
    space: Space,
    stamp: Stamp,
    points: Floats,
    *,
    rotations: Floats,
    scales: Floats,
    between: bool,
) -> Raster:
    """Return stamps at places (N, 2), each turned by degrees (N,) and sized (N,)."""
    if isinstance(space, HexGrid):
        return HexRaster(space, stamp, points, rotations=rotations, scales=scales, between=between)
    grid = grid_of(space, "stamp()")
    return GridRaster(grid, stamp, points, rotations=rotations, scales=scales, between=between)
