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
    """Write the shares that cells of row `y` give to a neighbor beside and to one across a corner,
    into rows of `sent` with a rim; 0 off the map.
    """
    beside, across = sent[0, (y + 3) % 3], sent[1, (y + 3) % 3]
    if y < 0 or y >= part.shape[0]:
        beside[:], across[:] = 0.0, 0.0
        return
    straight, diagonal = flows[0], flows[1]
    here = mass[y + 1, 1:-1]
    share = part[y]
    for x in range(share.shape[0]):
        given = here[x] * share[x]
        beside[x + 1], across[x + 1] = given * straight, given * diagonal


@kernel
def _arriving(mass, is_open):
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
    beside, across = sent[0], sent[1]
    _send(mass, part, flows, first - 1, sent)
    _send(mass, part, flows, first, sent)
    for y in range(first, last):
        _send(mass, part, flows, y + 1, sent)
        above, level, below = (y + 2) % 3, y % 3, (y + 1) % 3
        a, b, c = across[above, :width], beside[above, 1 : width + 1], across[above, 2 : width + 2]
        d, e = beside[level, :width], beside[level, 2 : width + 2]
        f, g, h = across[below, :width], beside[below, 1 : width + 1], across[below, 2 : width + 2]
        own, stay, bits = mass[y + 1, 1 : width + 1], keep[y], ins[y]
        new = out[y + 1, 1 : width + 1]
        for x in range(width):
            arcs, here = np.int32(bits[x]), own[x] * stay[x]
            here = here + _arriving(a[x], arcs & np.int32(1))
            here = here + _arriving(b[x], arcs & np.int32(2))
            here = here + _arriving(c[x], arcs & np.int32(4))
            here = here + _arriving(d[x], arcs & np.int32(8))
            here = here + _arriving(e[x], arcs & np.int32(16))
            here = here + _arriving(f[x], arcs & np.int32(32))
            here = here + _arriving(g[x], arcs & np.int32(64))
            here = here + _arriving(h[x], arcs & np.int32(128))
            new[x] = here * scale


@kernel("f8[:,::1], f4[:,:,::1], f8[:,::1], f8, i8, i8, out f8[:,::1]")
def drift_grid(keep, shares, mass, scale, first, last, out):
    """Take the same step with a probability for each cell and neighbor: the part `shares[k]` (8,
    height, width) of the mass at `AROUND[k]` arrives in a cell.
    """
    width = keep.shape[1]
    for y in range(first, last):
        a, b, c = mass[y, :width], mass[y, 1 : width + 1], mass[y, 2 : width + 2]
        d, own, e = mass[y + 1, :width], mass[y + 1, 1 : width + 1], mass[y + 1, 2 : width + 2]
        f, g, h = mass[y + 2, :width], mass[y + 2, 1 : width + 1], mass[y + 2, 2 : width + 2]
        first_of, second, third, fourth = shares[0, y], shares[1, y], shares[2, y], shares[3, y]
        fifth, sixth, seventh, eighth = shares[4, y], shares[5, y], shares[6, y], shares[7, y]
        stay = keep[y]
        new = out[y + 1, 1 : width + 1]
        for x in range(width):
            here = own[x] * stay[x]
            here = here + a[x] * first_of[x]
            here = here + b[x] * second[x]
            here = here + c[x] * third[x]
            here = here + d[x] * fourth[x]
            here = here + e[x] * fifth[x]
            here = here + f[x] * sixth[x]
            here = here + g[x] * seventh[x]
            here = here + h[x] * eighth[x]
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
