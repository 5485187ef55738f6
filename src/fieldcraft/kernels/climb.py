"""The best cell one step away, fast: `fieldcraft.kernels.reference.climb`."""

from __future__ import annotations

from numba import njit

__all__ = ["uphill"]


@njit(nogil=True, cache=True)
def uphill(starts, ends, values, cells, out):  # type: ignore[no-untyped-def]
    """For each cell the one with the highest value among itself and the ends of its steps."""
    for i in range(cells.shape[0]):
        best = cells[i]
        for arc in range(starts[cells[i]], starts[cells[i] + 1]):
            if values[ends[arc]] > values[best]:
                best = ends[arc]
        out[i] = best
