"""Spread along the arcs of a graph.

Vertices are arranged in slices of `LANES` and blocks of `BLOCK` consecutive ones. The arcs into a
slice are in rows: the first arc of each of its vertices, then the second of each, and so on, padded
with arcs on which everything is lost; slice `s` has the entries `offsets[s]` up to `offsets[s + 1]`
of `origins` (int32) and `losses`. If the arcs of a row come from consecutive vertices, its first
origin is the complement of the first vertex. Arrays by vertex are padded to whole slices.

A step reads one array and writes another; a block in which nothing can change is skipped, since
both arrays are equal there.
"""

from __future__ import annotations

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.spread.spread_cells import root
from fieldcraft.kernels.spread.spread_cells import update as move
from fieldcraft.kernels.spread.spread_records import (
    ARC_ROWS,
    BLOCK,
    GRAPH_RULE,
    LANES,
    ArcRows,
    BlockReaches,
    GraphRule,
)
from fieldcraft.kernels.spread.vectors import step_slices, strongest_slices

__all__ = [
    "BLOCK",
    "LANES",
    "ArcRows",
    "BlockReaches",
    "GraphRule",
    "activate",
    "emit",
    "many_plain",
    "some",
    "update",
]


@kernel(
    f"{ARC_ROWS}, f4[::1], f4[::1], {GRAPH_RULE}, i8, i8, out f4[::1], out f4[::1], out f4[::1]",
)
def update(rows, values, roots, rule, first, last, new, strongest, weakest):
    """Take one step of the slices `first` up to `last`, from `values` into `new`.

    Steps that are not plain read `roots`, the roots of `values` or these themselves; `strongest`
    and `weakest` are scratch for them, as long as `values`.
    """
    blocked, origins, losses, offsets = rows
    plain, exponent, momentum, keep, floor = rule
    if plain:
        step_slices(values, new, blocked, origins, losses, offsets, momentum, floor, first, last)
        return
    strongest_slices(roots, origins, losses, offsets, exponent, first, last, strongest, weakest)
    a, b = first * LANES, last * LANES
    move(
        values[a:b],
        strongest[a:b],
        weakest[a:b],
        blocked[a:b],
        new[a:b],
        exponent,
        momentum,
        keep,
        floor,
    )


@kernel(
    f"{ARC_ROWS}, f4, f4, i8, out f4[::1], out f4[::1]",
)
def many_plain(rows, momentum, floor, count, values, new):
    """Take `count` plain steps of all vertices, from `values` into `new` and back in turn."""
    blocked, origins, losses, offsets = rows
    slices = offsets.shape[0] - 1
    for _ in range(count):
        step_slices(values, new, blocked, origins, losses, offsets, momentum, floor, 0, slices)
        values, new = new, values


@kernel
def _activate_reached(values, new, first, last, outer, reaches, next_active):
    """Activate what the changes of a block can reach: itself, and the blocks that arcs from a
    changed vertex lead into.
    """
    changed = False
    for v in range(first, last):
        changed = changed | (new[v] != values[v])
    if changed:
        next_active[first // BLOCK] = 1
        for v in range(first, last):
            if outer[v] != outer[v + 1] and new[v] != values[v]:
                for i in range(outer[v], outer[v + 1]):
                    next_active[reaches[i]] = 1


@kernel(
    f"{ARC_ROWS}, f4[::1], f4[::1], i8[::1], BlockReaches(i8[::1], i4[::1]), {GRAPH_RULE}, i8, i8,"
    " out f4[::1], out u1[::1], out f4[::1], out f4[::1]",
)
def some(rows, values, roots, blocks, reaches, rule, begin, stop, new, active, strongest, weakest):
    """Take one step of the blocks `blocks[begin:stop]`, and set the blocks that can change in the
    step after `active`.
    """
    offsets = rows.offsets
    outer = reaches.outer
    for i in range(begin, stop):
        first = blocks[i] * (BLOCK // LANES)
        last = min(first + BLOCK // LANES, offsets.shape[0] - 1)
        update(rows, values, roots, rule, first, last, new, strongest, weakest)
        end = min(last * LANES, outer.shape[0] - 1)
        _activate_reached(values, new, first * LANES, end, outer, reaches.blocks, active)


@kernel("f4[::1], i8, i8, i8, out f4[::1]")
def emit(values, exponent, first, last, roots):
    """Write the roots of the values of vertices `first` up to `last`."""
    for v in range(first, last):
        roots[v] = root(values[v], exponent)


@kernel("i8[::1], i8[::1], i4[::1], out u1[::1]")
def activate(vertices, outer, reaches, active):
    """Activate every block that a change of these vertices can reach."""
    for v in vertices:
        active[v // BLOCK] = 1
        for i in range(outer[v], outer[v + 1]):
            active[reaches[i]] = 1
