"""One step for each agent that walks down a distance map."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["choose"]


@kernel(
    "i8[::1], i8[::1], f8[::1], i8[::1], f8[::1], f8[::1], b1[::1], i8[::1], b1, out i8[::1], out"
    " i4[::1]"
)
def choose(cells, starts, here, ends, left, totals, blocked, order, one_per_cell, chosen, occupied):
    """Write the number of the step that each agent takes, -1 for none: the step nearer to the goal
    with the least total, of equals that to the lowest cell.

    The steps of agent i are `starts[i]` up to `starts[i + 1]`; they lead to the cells `ends`.
    `here` and `left` are the distances of `cells` and ends, `totals` the distances over each
    step. With
    `one_per_cell` agents step one after the other in this order, each to a cell that is free at
    that moment and not farther; `occupied` is the number of agents in each cell.
    """
    for turn in range(order.shape[0]):
        i = order[turn]
        best = np.int64(-1)
        for k in range(starts[i], starts[i + 1]):
            useless = occupied[ends[k]] > 0 if one_per_cell else left[k] == here[i]
            if useless or blocked[k] or left[k] == np.inf or left[k] > here[i]:
                continue
            if (
                best < 0
                or totals[k] < totals[best]
                or (totals[k] == totals[best] and ends[k] < ends[best])
            ):
                best = np.int64(k)
        chosen[i] = best
        if one_per_cell and best >= 0:
            occupied[cells[i]] -= 1
            occupied[ends[best]] += 1
