"""What goals say of cells, for kernels that bring distances up to date."""

from __future__ import annotations

from numba import njit

__all__ = ["goal_distance"]


@njit(nogil=True, cache=True)
def goal_distance(cell, goals, starts, far):  # type: ignore[no-untyped-def]
    """The distance that a cell has as one of the `goals`, which ascend: its entry in `starts`, or `far` if it is none."""
    low = 0
    high = goals.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if goals[middle] < cell:
            low = middle + 1
        else:
            high = middle
    return starts[low] if low < goals.shape[0] and goals[low] == cell else far
