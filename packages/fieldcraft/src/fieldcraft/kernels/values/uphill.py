"""The best cell one step away."""

from __future__ import annotations

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["uphill"]


@kernel("i8[::1], i4[::1], f4[::1], i8[::1], out i8[::1]")
def uphill(starts, ends, values, cells, out):
    """Write for each cell the one with the highest value among itself and the ends of its steps."""
    for i in range(cells.shape[0]):
        best = cells[i]
        for arc in range(starts[cells[i]], starts[cells[i] + 1]):
            if values[ends[arc]] > values[best]:
                best = ends[arc]
        out[i] = best
