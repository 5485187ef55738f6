"""Spread along the arcs of a graph.

Vertices stand in slices of `LANES` and blocks of `BLOCK` consecutive ones. The arcs into a slice
lie in rows: the first arc of each of its vertices, then the second of each, and so on, filled up
with arcs on which everything is lost; slice `s` has the entries `offsets[s]` up to `offsets[s + 1]`
of `origins` (int32) and `losses`. Where the arcs of a row come from vertices side by side, its
first origin is that of the first one, turned into its complement. Arrays by vertex are filled up to
whole slices.

A step reads one array and writes another; a block in which nothing can change is skipped, since
both arrays hold the same there.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.spread_cells import root
from fieldcraft.kernels.spread_cells import update as move
from fieldcraft.kernels.spread_settled import SEED, begin, offer, passed_on, pop
from fieldcraft.kernels.vectors import LANES, step_slices, strongest_slices

__all__ = [
    "BLOCK",
    "LANES",
    "activate",
    "emit",
    "many_plain",
    "settle",
    "some",
    "update",
]

BLOCK = 512
"""The vertices in a block, which is active or at rest as a whole."""


@kernel(
    "(u1[::1], i4[::1], f4[::1], i8[::1]), f4[::1], f4[::1], (b1, i8, f4, f4, f4), i8, i8, out"
    " f4[::1], out f4[::1], out f4[::1]",
)
def update(rows, values, roots, rule, first, last, new, strongest, weakest):
    """One step of the slices `first` up to `last`, from `values` into `new`.

    `rows` are (blocked, origins, losses, offsets), and `rule` (plain, exponent, momentum, keep,
    floor). A `plain` step has exponential decay, values of one sign and momentum both ways; all
    others read `roots`, the roots of `values` or these themselves, and `strongest` and `weakest`
    are scratch for them, as long as `values`.
    """
    (blocked, origins, losses, offsets), (plain, exponent, momentum, keep, floor) = rows, rule
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
    "(u1[::1], i4[::1], f4[::1], i8[::1]), f4, f4, i8, out f4[::1], out f4[::1]",
)
def many_plain(rows, momentum, floor, count, values, new):
    """`count` plain steps of all vertices, from `values` into `new` and back again in turn."""
    blocked, origins, losses, offsets = rows
    slices = offsets.shape[0] - 1
    for _ in range(count):
        step_slices(values, new, blocked, origins, losses, offsets, momentum, floor, 0, slices)
        values, new = new, values


@kernel
def _activate_reached(values, new, first, last, outer, reaches, next_active):
    """Wake what the changes of a block can reach: itself, and the blocks that arcs from a changed
    vertex lead into.
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
    "(u1[::1], i4[::1], f4[::1], i8[::1]), f4[::1], f4[::1], i8[::1], (i8[::1], i4[::1]), (b1, i8,"
    " f4, f4, f4), i8, i8, out f4[::1], out u1[::1], out f4[::1], out f4[::1]",
)
def some(rows, values, roots, blocks, arcs, rule, begin, stop, new, active, strongest, weakest):
    """One step of the blocks `blocks[begin:stop]`; sets those `active` that can change in the step
    after. `arcs` are (outer, reaches): by vertex, the blocks that arcs out of it lead into.
    """
    offsets, (outer, reaches) = rows[3], arcs
    for i in range(begin, stop):
        first = blocks[i] * (BLOCK // LANES)
        last = min(first + BLOCK // LANES, offsets.shape[0] - 1)
        update(rows, values, roots, rule, first, last, new, strongest, weakest)
        end = min(last * LANES, outer.shape[0] - 1)
        _activate_reached(values, new, first * LANES, end, outer, reaches, active)


@kernel("f4[::1], i8, i8, i8, out f4[::1]")
def emit(values, exponent, first, last, roots):
    """The roots of the values of vertices `first` up to `last`."""
    for v in range(first, last):
        roots[v] = root(values[v], exponent)


@kernel("i8[::1], i8[::1], i4[::1], out u1[::1]")
def activate(vertices, outer, reaches, active):
    """Wake every block that a change of these vertices can reach."""
    for v in vertices:
        active[v // BLOCK] = 1
        for i in range(outer[v], outer[v + 1]):
            active[reaches[i]] = 1


@kernel("u1[::1], i8[::1], i8[::1], f4[::1], i8, f4, out f4[::1]")
def settle(blocked, starts, ends, losses, exponent, floor, values):
    """Put every vertex at its fixed point, in place: Dijkstra's search from the blocked ones and
    the seeds, the strongest first.

    `starts`, `ends` and `losses` are the arcs by the vertex that they leave.
    """
    place, heap = np.full(values.shape[0], -1, np.int32), np.empty(values.shape[0], np.int32)
    through = np.float32(1) if exponent == 0 else np.float32(0)
    size = begin(values, blocked, heap, place)
    while size > 0:
        v = pop(values, heap, place, size)
        size -= 1
        value = values[v]
        emitted = abs(root(value, exponent)) if exponent >= 2 else abs(value)
        for e in range(starts[v], starts[v + 1]):
            there = ends[e]
            if blocked[there] & ~SEED == 0 and (place[there] != -2 or exponent >= 2):
                rest = passed_on(value, emitted, losses[e], through, exponent, floor)
                size = offer(values, heap, place, size, there, rest)
