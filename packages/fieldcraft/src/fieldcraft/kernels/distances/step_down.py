"""One step for each agent that walks down a distance map."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.step_choices import (
    STEP_CHARGE,
    STEP_CHOICES,
    StepCharge,
    StepChoices,
)
from fieldcraft.kernels.shared.step_lists import OUT_STEPS, OutSteps

__all__ = [
    "AT_ENDS",
    "EVEN",
    "MEAN",
    "OutSteps",
    "StepCharge",
    "StepChoices",
    "around",
    "choose",
]

EVEN, MEAN, AT_ENDS = 0, 1, 2
"""What a unit of length costs: the same everywhere, the mean of the two cells, or the cost of the
cell that a step ends in.
"""
_REST = f"{STEP_CHARGE}, b1, {STEP_CHOICES}, out i4[::1]"


@kernel(f"i8[::1], {OUT_STEPS}, out i8[::1], out i8[::1]")
def around(cells, steps, first, found):
    """Write the cells of agents, and after them the cells that steps from each lead to; return
    their number.

    `first` receives where those of each agent begin.
    """
    starts = steps.starts
    ends = steps.ends
    count = cells.shape[0]
    found[:count] = cells
    for i in range(cells.shape[0]):
        first[i] = count
        for k in range(starts[cells[i]], starts[cells[i] + 1]):
            found[count] = ends[k]
            count += 1
    return count


@kernel(
    f"i8[::1], {OUT_STEPS}, i8[::1], i8[::1], f8[::1], none, none, i8[::1], {_REST}",
    f"i8[::1], {OUT_STEPS}, i8[::1], i8[::1], f8[::1], none, b1[::1], i8[::1], {_REST}",
    f"i8[::1], {OUT_STEPS}, i8[::1], i8[::1], f8[::1], f8[::1], none, i8[::1], {_REST}",
    f"i8[::1], {OUT_STEPS}, i8[::1], i8[::1], f8[::1], f8[::1], b1[::1], i8[::1], {_REST}",
)
def choose(
    cells,
    steps,
    first,
    places,
    distances,
    costs,
    closed,
    order,
    charge,
    one_per_cell,
    choices,
    occupied,
):
    """Write the cell that each agent steps to: one nearer to the goal with the least total, of
    equals the lowest cell.

    Parameters
    ----------
    cells : ndarray
        The cells of agents.
    steps, first, places : ndarray
        See `around`.
    distances : ndarray
        The distances of `places`.
    costs : ndarray or None
        The cost of each cell.
    closed : ndarray or None
        Cells that no agent steps to.
    order : ndarray
        With `one_per_cell` the order in which agents step, each to a cell that is free at that
        moment and not farther; `occupied` is the number of agents in each cell.
    charge : StepCharge
        What a step costs.
    """
    starts = steps.starts
    lengths = steps.lengths
    kind = charge.kind
    even = charge.even
    chosen = choices.cells
    values = choices.values
    moves = choices.moves
    for turn in range(order.shape[0]):
        i = order[turn]
        own = cells[i]
        here = distances[i]
        best = np.int64(-1)
        least = np.inf
        for k in range(starts[own], starts[own + 1]):
            at = first[i] + k - starts[own]
            there = places[at]
            left = distances[at]
            useless = left == here
            if one_per_cell:
                useless = occupied[there] > 0
            if useless or left == np.inf or left > here:
                continue
            if closed is not None and closed[there]:
                continue
            length = lengths[k]
            if costs is None or kind == EVEN:
                total = left + length * even
            elif kind == AT_ENDS:
                total = left + length * costs[there]
            else:
                total = left + (length * 0.5) * (costs[own] + costs[there])
            if best < 0 or total < least or (total == least and there < places[best]):
                best = np.int64(at)
                least = total
        if best < 0:
            best = np.int64(i)
        moves[i] = best != i
        chosen[i] = places[best]
        values[i] = np.float32(distances[best])
        if one_per_cell and best != i:
            occupied[own] -= 1
            occupied[places[best]] += 1
