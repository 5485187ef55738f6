"""Where somebody may be, fast: `fieldcraft.kernels.reference.belief`."""

from __future__ import annotations

from numba import njit

from fieldcraft.kernels.reference.belief import AROUND

__all__ = ["AROUND", "wander", "wander_grid"]


@njit(nogil=True, cache=True)
def wander(mass, scale, keep, starts, origins, shares, out):  # type: ignore[no-untyped-def]
    """One step over lists of steps: each cell keeps a part of its mass and receives `shares` of that of others."""
    for v in range(mass.shape[0]):
        here = mass[v] * keep[v]
        for arc in range(starts[v], starts[v + 1]):
            here += mass[origins[arc]] * shares[arc]
        out[v] = here * scale


@njit(nogil=True, cache=True)
def _send(mass, part, y, sent):  # type: ignore[no-untyped-def]
    """What each cell of row `y` gives to a neighbour, into a row of `sent` with a rim; 0 beyond the map."""
    row = sent[(y + 3) % 3]
    if y < 0 or y >= part.shape[0]:
        row[:] = 0.0
        return
    here = mass[y + 1, 1:-1]
    share = part[y]
    inner = row[1:-1]
    for x in range(share.shape[0]):
        inner[x] = here[x] * share[x]


@njit(nogil=True, cache=True)
def wander_grid(mass, scale, keep, part, ins, flows, out, first, last, sent):  # type: ignore[no-untyped-def]
    """One step for rows [first, last) of a grid; `sent` is scratch, (3, width + 2), with 0 in its first and last column."""
    width = keep.shape[1]
    f0, f1, f2, f3, f4, f5, f6, f7 = flows[0], flows[1], flows[2], flows[3], flows[4], flows[5], flows[6], flows[7]
    _send(mass, part, first - 1, sent)
    _send(mass, part, first, sent)
    for y in range(first, last):
        _send(mass, part, y + 1, sent)
        above, beside, below = sent[(y + 2) % 3], sent[y % 3], sent[(y + 1) % 3]
        a, b, c = above[:width], above[1 : width + 1], above[2 : width + 2]
        d, e = beside[:width], beside[2 : width + 2]
        f, g, h = below[:width], below[1 : width + 1], below[2 : width + 2]
        own, kept, bits = mass[y + 1, 1 : width + 1], keep[y], ins[y]
        new = out[y + 1, 1 : width + 1]
        for x in range(width):
            way = bits[x]
            here = own[x] * kept[x]
            here += a[x] * f0 if way & 1 else 0.0
            here += b[x] * f1 if way & 2 else 0.0
            here += c[x] * f2 if way & 4 else 0.0
            here += d[x] * f3 if way & 8 else 0.0
            here += e[x] * f4 if way & 16 else 0.0
            here += f[x] * f5 if way & 32 else 0.0
            here += g[x] * f6 if way & 64 else 0.0
            here += h[x] * f7 if way & 128 else 0.0
            new[x] = here * scale
