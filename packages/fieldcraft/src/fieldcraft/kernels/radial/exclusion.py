"""Sums of sources without one of them, in the cells near an agent."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.radial.radial_arrays import EMISSIONS, Emissions
from fieldcraft.kernels.trail.stamp_sums import shape_of, stamp
from fieldcraft.kernels.trail.stamp_units import ADD, SCALE

__all__ = ["Emissions", "drawn", "listed"]

_ZERO = np.float32(0)


@kernel
def _write(sums, taken, walls, cells, row, out):
    """Write the sums of a row of cells, less what was taken off, as float32; 0 in walls."""
    flat, less = sums.reshape(-1), taken.reshape(-1)
    for k in range(cells.shape[1]):
        cell = np.uint64(cells[row, k])
        out[row, k] = np.float32(np.float64(flat[cell] - less[cell]) * (1.0 / SCALE))
    if walls is not None:
        wall = walls.reshape(-1)
        for k in range(cells.shape[1]):
            if wall[np.uint64(cells[row, k])]:
                out[row, k] = _ZERO


@kernel(
    f"i8[:,::1], none, i8[:,::1], {EMISSIONS}, (f8[::1], i8[:,::1]), i8, out f4[:,::1],"
    " out i8[:,::1], out u1[:,::1]",
    f"i8[:,::1], b1[:,::1], i8[:,::1], {EMISSIONS}, (f8[::1], i8[:,::1]), i8, out f4[:,::1],"
    " out i8[:,::1], out u1[:,::1]",
)
def drawn(sums, walls, cells, sources, footprints, wrap, out, scratch, dirty):
    """Write the sums of `cells` (N, k) without the source i in row i, as float32, into `out`.

    `sources` are `Emissions` with footprints that are drawn from tables, and `footprints` are
    (tables, shapes); see `stamp_sums.blit`. Cells of `walls` (height, width) become 0; with None
    there are none. `scratch` is like `sums`, all 0 before and after, and `dirty` are its tiles.
    """
    places, strengths, numbers = sources
    tables, shapes = footprints
    height, width = sums.shape
    for i in range(cells.shape[0]):
        row, column = divmod(places[i], width)
        place = (row, column, 0.0, 0.0)
        shape = shape_of(shapes, numbers[i])
        amount = strengths[i] * SCALE
        stamp(place, amount, tables, shape, ADD, wrap, 0, height, scratch, dirty)
        _write(sums, scratch, walls, cells, i, out)
        stamp(place, -amount, tables, shape, ADD, wrap, 0, height, scratch, dirty)


@kernel(
    "i8[:,::1], none, i8[:,::1], f8[::1], (i8[::1], i8[::1], f8[::1]), out f4[:,::1], out"
    " i8[:,::1]",
    "i8[:,::1], b1[:,::1], i8[:,::1], f8[::1], (i8[::1], i8[::1], f8[::1]), out f4[:,::1], out"
    " i8[:,::1]",
)
def listed(sums, walls, cells, strengths, footprints, out, scratch):
    """Write the sums of `cells` (N, k) without the source i in row i, as float32, into `out`.

    `footprints` are (starts, cells, weights): source i adds its strength times
    `weights[starts[i]:starts[i + 1]]` to these cells. `walls` and `scratch` are those of `drawn`.
    """
    (starts, covered, weights), taken = footprints, scratch.reshape(-1)
    for i in range(cells.shape[0]):
        for j in range(starts[i], starts[i + 1]):
            taken[covered[j]] += np.int64(np.rint(weights[j] * strengths[i] * SCALE))
        _write(sums, scratch, walls, cells, i, out)
        for j in range(starts[i], starts[i + 1]):
            taken[covered[j]] = 0
