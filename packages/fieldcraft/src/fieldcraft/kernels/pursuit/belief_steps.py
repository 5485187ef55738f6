"""Diffusion of the probability mass of a hidden target over cells."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["AROUND", "arrive", "begin", "drift_grid", "wander", "wander_grid"]

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Where a step can come from: (rows, columns) away, in the order of the bits of `ins`."""


@kernel("i8[::1], i4[::1], f8[::1], f8[::1], f8[::1], f8, out f8[::1]")
def wander(starts, origins, shares, keep, mass, scale, out):
    """Take one step: each cell keeps a part of its mass and receives `shares` of the mass of other
    cells; all times `scale`.

    The steps that end in `v` are `starts[v]` up to `starts[v + 1]`, come from `origins`, and bring
    a share of what is there.
    """
    for v in range(mass.shape[0]):
        here = mass[v] * keep[v]
        for arc in range(starts[v], starts[v + 1]):
            here += mass[origins[arc]] * shares[arc]
        out[v] = here * scale


@kernel
def _send(mass, part, flows, y, sent):
    """Write the mass that cells of row `y` give to a neighbor beside them and to one across a
    corner into rows of `sent` with a rim; 0 off the map.

    `sent` (2, 3, width + 2) holds three rows at a time, row y in slot y % 3.
    """
    slot = (y + 3) % 3
    beside = sent[0, slot]
    across = sent[1, slot]
    if y < 0 or y >= part.shape[0]:
        beside[:] = 0.0
        across[:] = 0.0
        return
    straight = flows[0]
    diagonal = flows[1]
    here = mass[y + 1, 1:-1]
    share = part[y]
    for x in range(share.shape[0]):
        given = here[x] * share[x]
        beside[x + 1] = given * straight
        across[x + 1] = given * diagonal


@kernel
def _arriving(mass, is_open):
    """Return the mass that arrives over a step: 0 if the step is not open."""
    return mass if is_open != 0 else 0.0


@kernel(
    "u1[:,::1], f8[:,::1], f8[:,::1], f8[::1], f8[:,::1], f8, i8, i8, out f8[:,::1], out"
    " f8[:,:,::1]"
)
def wander_grid(ins, keep, part, flows, mass, scale, first, last, out, sent):
    """Take the same step for rows [first, last) of a grid without wrap, with neighbors at most one
    cell away.

    `mass` and `out` (height + 2, width + 2) have a rim of 0. A cell sends `part` of its mass over
    each open step, times flows[0] to a neighbor beside it and flows[1] across a corner; bit `k` of
    `ins` (height, width) is set if a step from `AROUND[k]` may end there.
    """
    width = keep.shape[1]
    beside = sent[0]
    across = sent[1]
    _send(mass, part, flows, first - 1, sent)
    _send(mass, part, flows, first, sent)
    for y in range(first, last):
        _send(mass, part, flows, y + 1, sent)
        slot_before = (y + 2) % 3
        slot = y % 3
        slot_after = (y + 1) % 3
        # What each of the neighbors of cell x sends, in the order of `AROUND`.
        before_left = across[slot_before, :width]
        before = beside[slot_before, 1 : width + 1]
        before_right = across[slot_before, 2 : width + 2]
        left = beside[slot, :width]
        right = beside[slot, 2 : width + 2]
        after_left = across[slot_after, :width]
        after = beside[slot_after, 1 : width + 1]
        after_right = across[slot_after, 2 : width + 2]
        own = mass[y + 1, 1 : width + 1]
        stay = keep[y]
        bits = ins[y]
        new = out[y + 1, 1 : width + 1]
        for x in range(width):
            arcs = np.int32(bits[x])
            here = own[x] * stay[x]
            here = here + _arriving(before_left[x], arcs & np.int32(1))
            here = here + _arriving(before[x], arcs & np.int32(2))
            here = here + _arriving(before_right[x], arcs & np.int32(4))
            here = here + _arriving(left[x], arcs & np.int32(8))
            here = here + _arriving(right[x], arcs & np.int32(16))
            here = here + _arriving(after_left[x], arcs & np.int32(32))
            here = here + _arriving(after[x], arcs & np.int32(64))
            here = here + _arriving(after_right[x], arcs & np.int32(128))
            new[x] = here * scale


@kernel("f8[:,::1], f4[:,:,::1], f8[:,::1], f8, i8, i8, out f8[:,::1]")
def drift_grid(keep, shares, mass, scale, first, last, out):
    """Take the same step with a probability for each cell and neighbor: the part `shares[k]` (8,
    height, width) of the mass at `AROUND[k]` arrives in a cell.
    """
    width = keep.shape[1]
    for y in range(first, last):
        # The mass of each of the neighbors of cell x, and the part of it that arrives.
        before_left = mass[y, :width]
        before = mass[y, 1 : width + 1]
        before_right = mass[y, 2 : width + 2]
        left = mass[y + 1, :width]
        own = mass[y + 1, 1 : width + 1]
        right = mass[y + 1, 2 : width + 2]
        after_left = mass[y + 2, :width]
        after = mass[y + 2, 1 : width + 1]
        after_right = mass[y + 2, 2 : width + 2]
        from_before_left = shares[0, y]
        from_before = shares[1, y]
        from_before_right = shares[2, y]
        from_left = shares[3, y]
        from_right = shares[4, y]
        from_after_left = shares[5, y]
        from_after = shares[6, y]
        from_after_right = shares[7, y]
        stay = keep[y]
        new = out[y + 1, 1 : width + 1]
        for x in range(width):
            here = own[x] * stay[x]
            here = here + before_left[x] * from_before_left[x]
            here = here + before[x] * from_before[x]
            here = here + before_right[x] * from_before_right[x]
            here = here + left[x] * from_left[x]
            here = here + right[x] * from_right[x]
            here = here + after_left[x] * from_after_left[x]
            here = here + after[x] * from_after[x]
            here = here + after_right[x] * from_after_right[x]
            new[x] = here * scale


@kernel("i8[::1], f8[::1], out f8[::1], out f8[::1]")
def arrive(cells, chances, mass, moved):
    """Remove the part `chances` of the mass of some cells, and write the removed mass to
    `moved`.
    """
    for k in range(cells.shape[0]):
        moved[k] = mass[cells[k]] * chances[k]
        mass[cells[k]] -= moved[k]


@kernel("f8[::1], i8[::1], f8[::1], out f8[::1]")
def begin(moved, cells, shares, mass):
    """Add `shares` of the removed mass to the same cells of another mass."""
    for k in range(cells.shape[0]):
        mass[cells[k]] += moved[k] * shares[k]
