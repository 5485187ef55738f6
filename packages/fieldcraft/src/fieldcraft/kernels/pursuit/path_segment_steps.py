"""Probabilities of steps on shortest paths from one cell to any of many.

The arcs out of cell v are `starts[v]` to `starts[v + 1]`, each with its end. `parts` is 0 for an
arc on no shortest path, and else the share of all targets that reach its end by a shortest path
over this arc: the parts of the arcs into a cell add up to 1. `order` are the reached cells, the
nearest first.
"""

from __future__ import annotations

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["accumulate", "split"]


@kernel("i8[::1], i8[::1], i4[::1], f8[::1], out f8[::1]")
def accumulate(order, starts, ends, parts, values):
    """Add to the value of each cell the mean value of the cells before it, by `parts`."""
    for place in range(order.shape[0]):
        v = order[place]
        for arc in range(starts[v], starts[v + 1]):
            if parts[arc] > 0.0:
                values[ends[arc]] += parts[arc] * values[v]


@kernel("i8[::1], i8[::1], i4[::1], f8[::1], f8[::1], out f8[::1], out f8[::1], out f8[::1]")
def split(order, starts, ends, parts, goals, ahead, chances, there):
    """Write the probability that a target in each cell takes each arc, `chances`, or is at its
    goal, `there`, if each cell is the goal with the weight `goals`.

    `ahead` (N,) receives the weight of the goals in each cell or beyond it.
    """
    for place in range(order.shape[0] - 1, -1, -1):
        v = order[place]
        total = goals[v]
        for arc in range(starts[v], starts[v + 1]):
            if parts[arc] > 0.0:
                chances[arc] = parts[arc] * ahead[ends[arc]]
                total += chances[arc]
        ahead[v] = total
        if total > 0.0:
            there[v] = goals[v] / total
            for arc in range(starts[v], starts[v + 1]):
                chances[arc] /= total
