"""The goals' part in kernels that bring distances up to date."""

from __future__ import annotations

from fieldcraft.kernels.declare import kernel

__all__ = ["goal_distance"]


@kernel
def goal_distance(cell, goals, starts, far):
    """The distance that a cell has as one of the `goals`, which ascend: its entry in `starts`, or
    `far` if it is none.
    """
    low, high = 0, goals.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if goals[middle] < cell:
            low = middle + 1
        else:
            high = middle
    return starts[low] if low < goals.shape[0] and goals[low] == cell else far
