"""Spread along the arcs of a graph.

Vertices stand in slices of `LANES` and blocks of `BLOCK` consecutive ones. The arcs into a slice
lie in rows: the first arc of each of its vertices, then the second of each, and so on, filled up
with arcs on which everything is lost; slice `s` has the entries `offsets[s]` up to `offsets[s + 1]`
of `origins` (int32) and `losses`. Where the arcs of a row come from vertices side by side, its
first origin is that of the first one, turned into its complement. Arrays by vertex are filled up to
whole slices.

A step reads one array and writes another; a block in which nothing can change is skipped, since
both arrays hold the same there. The `plain` kernels serve exponential decay, values of one sign and
momentum both ways; the `any` kernels everything.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels import numpy_graph_spread
from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.numpy_graph_spread import BLOCK, LANES
from fieldcraft.kernels.spread_cells import root, update
from fieldcraft.kernels.spread_settled import passed_on, pop, rise
from fieldcraft.kernels.vectors import step_slices, strongest_slices

__all__ = [
    "BLOCK",
    "LANES",
    "emit",
    "many_plain",
    "settle",
    "some_any",
    "some_plain",
    "update_any",
    "update_plain",
    "wake",
]


@kernel(
    "out f4[::1], out f4[::1], out u1[::1], out i4[::1], out f4[::1], out i8[::1], f4, f4, i8, i8",
    vectorized=numpy_graph_spread.update_plain,
)
def update_plain(values, new, frozen, origins, losses, offsets, momentum, floor, first, last):
    """One step of the slices `first` up to `last`, from `values` into `new`."""
    step_slices(values, new, frozen, origins, losses, offsets, momentum, floor, first, last)


@kernel(
    "f4[::1], out f4[::1], out f4[::1], u1[::1], out i4[::1], out f4[::1], out i8[::1], i8, f4, f4,"
    " f4, i8, i8, out f4[::1], out f4[::1]",
    vectorized=numpy_graph_spread.update_any,
)
def update_any(
    values,
    emitted,
    new,
    frozen,
    origins,
    losses,
    offsets,
    exponent,
    momentum,
    keep,
    floor,
    first,
    last,
    strongest,
    weakest,
):
    """One step of the slices `first` up to `last`; `emitted` are the roots of `values`, or these
    themselves.

    `strongest` and `weakest` are scratch, as long as `values`.
    """
    strongest_slices(emitted, origins, losses, offsets, exponent, first, last, strongest, weakest)
    a = first * LANES
    b = last * LANES
    update(
        values[a:b],
        strongest[a:b],
        weakest[a:b],
        frozen[a:b],
        new[a:b],
        exponent,
        momentum,
        keep,
        floor,
    )


@kernel(
    "out f4[::1], out f4[::1], out u1[::1], out i4[::1], out f4[::1], out i8[::1], f4, f4, i8",
    vectorized=numpy_graph_spread.many_plain,
)
def many_plain(values, new, frozen, origins, losses, offsets, momentum, floor, count):
    """`count` steps of all vertices, from `values` into `new` and back again in turn."""
    slices = offsets.shape[0] - 1
    for step in range(count):
        if step % 2 == 0:
            update_plain(values, new, frozen, origins, losses, offsets, momentum, floor, 0, slices)
        else:
            update_plain(new, values, frozen, origins, losses, offsets, momentum, floor, 0, slices)


@kernel
def _spread_word(values, new, first, last, outer, reaches, next_awake):
    """Wake what the changes of a block can reach: itself, and the blocks that arcs from a changed
    vertex lead into.
    """
    changed = False
    for v in range(first, last):
        changed = changed | (new[v] != values[v])
    if changed:
        next_awake[first // BLOCK] = 1
        for v in range(first, last):
            if outer[v] != outer[v + 1] and new[v] != values[v]:
                for i in range(outer[v], outer[v + 1]):
                    next_awake[reaches[i]] = 1


@kernel(
    "out f4[::1], out f4[::1], out u1[::1], out i4[::1], out f4[::1], out i8[::1], f4, f4, i8[::1],"
    " i8, i8, i8[::1], i4[::1], out u1[::1]",
    vectorized=numpy_graph_spread.some_plain,
)
def some_plain(
    values,
    new,
    frozen,
    origins,
    losses,
    offsets,
    momentum,
    floor,
    blocks,
    begin,
    stop,
    outer,
    reaches,
    next_awake,
):
    """One step of the blocks `blocks[begin:stop]`; sets `next_awake` of those that can change in
    the step after.
    """
    for i in range(begin, stop):
        first = blocks[i] * (BLOCK // LANES)
        last = min(first + BLOCK // LANES, offsets.shape[0] - 1)
        update_plain(values, new, frozen, origins, losses, offsets, momentum, floor, first, last)
        _spread_word(
            values,
            new,
            first * LANES,
            min(last * LANES, outer.shape[0] - 1),
            outer,
            reaches,
            next_awake,
        )


@kernel(
    "f4[::1], out f4[::1], out f4[::1], u1[::1], out i4[::1], out f4[::1], out i8[::1], i8, f4, f4,"
    " f4, out f4[::1], out f4[::1], i8[::1], i8, i8, i8[::1], i4[::1], out u1[::1]",
    vectorized=numpy_graph_spread.some_any,
)
def some_any(
    values,
    emitted,
    new,
    frozen,
    origins,
    losses,
    offsets,
    exponent,
    momentum,
    keep,
    floor,
    strongest,
    weakest,
    blocks,
    begin,
    stop,
    outer,
    reaches,
    next_awake,
):
    """The same with everything that a spread can have."""
    for i in range(begin, stop):
        first = blocks[i] * (BLOCK // LANES)
        last = min(first + BLOCK // LANES, offsets.shape[0] - 1)
        update_any(
            values,
            emitted,
            new,
            frozen,
            origins,
            losses,
            offsets,
            exponent,
            momentum,
            keep,
            floor,
            first,
            last,
            strongest,
            weakest,
        )
        _spread_word(
            values,
            new,
            first * LANES,
            min(last * LANES, outer.shape[0] - 1),
            outer,
            reaches,
            next_awake,
        )


@kernel("f4[::1], out f4[::1], i8, i8, i8", vectorized=numpy_graph_spread.emit)
def emit(values, emitted, exponent, first, last):
    """The roots of the values of vertices `first` up to `last`."""
    for v in range(first, last):
        emitted[v] = root(values[v], exponent)


@kernel("i8[::1], i8[::1], i4[::1], out u1[::1]", vectorized=numpy_graph_spread.wake)
def wake(vertices, outer, reaches, awake):
    """Wake every block that a change of these vertices can reach."""
    for v in vertices:
        awake[v // BLOCK] = 1
        for i in range(outer[v], outer[v + 1]):
            awake[reaches[i]] = 1


@kernel(
    "out f4[::1], u1[::1], i8[::1], i8[::1], f4[::1], i8, f4", vectorized=numpy_graph_spread.settle
)
def settle(values, frozen, starts, ends, losses, exponent, floor):
    """Put every vertex at its fixed point, in place: Dijkstra's search from the frozen ones, the
    strongest first.

    `starts`, `ends` and `losses` are the arcs by the vertex that they leave.
    """
    place = np.full(values.shape[0], -1, np.int32)
    heap = np.empty(values.shape[0], np.int32)
    size = 0
    for v in range(values.shape[0]):
        if frozen[v] == 0:
            values[v] = 0
        elif values[v] != 0:
            heap[size] = v
            size += 1
            rise(values, heap, place, size - 1)
    while size > 0:
        v = pop(values, heap, place, size)
        size -= 1
        value = values[v]
        emitted = abs(root(value, exponent)) if exponent >= 2 else abs(value)
        for e in range(starts[v], starts[v + 1]):
            there = ends[e]
            if frozen[there] != 0:
                continue
            # A power of a root may lie a little above the value, so a negative vertex can be done
            # before its positive equal comes.
            if place[there] == -2 and exponent < 2:
                continue
            rest = passed_on(
                value,
                emitted,
                losses[e],
                np.float32(1) if exponent == 0 else np.float32(0),
                exponent,
                floor,
            )
            if rest == 0:
                continue
            old = values[there]
            if abs(rest) > abs(old) or (abs(rest) == abs(old) and rest > old):
                values[there] = rest
                if place[there] < 0:
                    heap[size] = there
                    size += 1
                    rise(values, heap, place, size - 1)
                else:
                    rise(values, heap, place, place[there])
