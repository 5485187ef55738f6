"""A flood over cells, fast: `fieldcraft.kernels.reference.flood`."""

from __future__ import annotations

from numba import njit

from fieldcraft.kernels.reference.flood import BARRIER, BLOCKED, HEAT, UNTOUCHED

__all__ = ["BARRIER", "BLOCKED", "HEAT", "UNTOUCHED", "spread"]


@njit(nogil=True, cache=True)
def spread(starts, ends, state, kind, allowed, front, count, new):  # type: ignore[no-untyped-def]
    """Turn the untouched, `allowed` neighbours of `front[:count]` into `kind`; they go into `new`, in order; how many."""
    found = 0
    for i in range(count):
        cell = front[i]
        for arc in range(starts[cell], starts[cell + 1]):
            end = ends[arc]
            if state[end] == UNTOUCHED and allowed[end]:
                state[end] = kind
                new[found] = end
                found += 1
    return found
