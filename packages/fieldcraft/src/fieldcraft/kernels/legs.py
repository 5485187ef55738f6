"""Chances of steps on shortest ways from one cell to any of many: one text, run plain or compiled.

The steps out of cell v are `starts[v]` up to `starts[v + 1]`, each with its end. `parts` is 0 for a
step that lies on no shortest way, and
else the part of all who come to its end by a shortest way that come by this step: the parts of a
cell's steps add up to 1. `order` are the cells that are reached, the nearest first.
"""

from __future__ import annotations

from fieldcraft.kernels.declare import kernel

__all__ = ["carry", "split"]


@kernel("i8[::1], i8[::1], i4[::1], f8[::1], out f8[::1]")
def carry(order, starts, ends, parts, values):
    """Add to the value of each cell what those have on average who come there."""
    for place in range(order.shape[0]):
        v = order[place]
        for arc in range(starts[v], starts[v + 1]):
            if parts[arc] > 0.0:
                values[ends[arc]] += parts[arc] * values[v]


@kernel("i8[::1], i8[::1], i4[::1], f8[::1], f8[::1], out f8[::1], out f8[::1], out f8[::1]")
def split(order, starts, ends, parts, goals, ahead, chances, there):
    """How likely who is in a cell takes each step, or is at its goal there, if each cell is a goal
    as often as `goals` says.

    `ahead` (N,) becomes how often goals are in a cell or beyond it.
    """
    for place in range(order.shape[0] - 1, -1, -1):
        v = order[place]
        whole = goals[v]
        for arc in range(starts[v], starts[v + 1]):
            if parts[arc] > 0.0:
                chances[arc] = parts[arc] * ahead[ends[arc]]
                whole += chances[arc]
        ahead[v] = whole
        if whole > 0.0:
            there[v] = goals[v] / whole
            for arc in range(starts[v], starts[v + 1]):
                chances[arc] /= whole
