"""Diffusion: cells offer shares of their values to their neighbors."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["AROUND", "exchange", "exchange_listed", "exchange_weighted"]

AROUND = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1))
"""The neighbors of a cell, (columns, rows) away, in the order in which they are added up."""

_ZERO = np.float32(0)
_NONE = np.uint8(0)


@kernel
def _row(above, here, below, bits, masks, given, through, keep, floor, values):
    """Take one step of a row; `above`, `here` and `below` are rows of offers with a rim. The rest
    is as in `exchange`.
    """
    a, b, c, d, e, f, g, h = masks
    for x in range(values.shape[0]):
        some = bits[x]
        came = _ZERO
        came += above[x] if np.uint8(some & a) != _NONE else _ZERO
        came += above[x + 1] if np.uint8(some & b) != _NONE else _ZERO
        came += above[x + 2] if np.uint8(some & c) != _NONE else _ZERO
        came += here[x] if np.uint8(some & d) != _NONE else _ZERO
        came += here[x + 2] if np.uint8(some & e) != _NONE else _ZERO
        came += below[x] if np.uint8(some & f) != _NONE else _ZERO
        came += below[x + 1] if np.uint8(some & g) != _NONE else _ZERO
        came += below[x + 2] if np.uint8(some & h) != _NONE else _ZERO
        if through.shape[0] > 0:
            came *= through[x]
        new = keep * ((values[x] - np.float32(given[x]) * here[x + 1]) + came)
        values[x] = _ZERO if abs(new) < floor else new


@kernel(
    "f4[:,::1], u1[:,::1], u1[::1], u1[:,::1], f4[:,::1], f4, f4, i8, i8, out f4[:,::1]",
    "f4[:,::1], u1[:,::1], u1[::1], f4[:,::1], f4[:,::1], f4, f4, i8, i8, out f4[:,::1]",
)
def exchange(offers, links, masks, given, through, keep, floor, first, last, values):
    """Take one step of the rows [first, last) of a grid, in place.

    `offers` (height + 2, width + 2) is the share that each cell offers each neighbor, with a rim.
    `links` (height, width) and `masks` (8,) hold which neighbors of `AROUND` reach a cell. `given`
    is the number of shares that leave a cell, and `through` the part of arriving shares that enters
    it; of shape (height, 0) if all of them enter. Values smaller than `floor` become 0.
    """
    few = (
        masks[0],
        masks[1],
        masks[2],
        masks[3],
        masks[4],
        masks[5],
        masks[6],
        masks[7],
    )
    for y in range(first, last):
        above, here, below = offers[y], offers[y + 1], offers[y + 2]
        _row(above, here, below, links[y], few, given[y], through[y], keep, floor, values[y])


@kernel("i8[::1], i4[::1], f4[::1], f4[::1], f4[::1], f4, f4, i8, i8, out f4[::1]")
def exchange_listed(starts, origins, offers, given, through, keep, floor, first, last, values):
    """Take one step of the cells [first, last) of any space, in place.

    What arrives in cell v comes from `origins[starts[v]:starts[v + 1]]`; the rest as in `exchange`.
    """
    for v in range(first, last):
        came = _ZERO
        for k in range(starts[v], starts[v + 1]):
            came += offers[origins[k]]
        if through.shape[0] > 0:
            came *= through[v]
        new = keep * ((values[v] - given[v] * offers[v]) + came)
        values[v] = _ZERO if abs(new) < floor else new


@kernel("i8[::1], i4[::1], f4[::1], f4[::1], f4[::1], f4, f4, i8, i8, out f4[::1]")
def exchange_weighted(starts, origins, parts, before, stays, keep, floor, first, last, values):
    """Take one step of the cells [first, last) of any space from the values `before`.

    The part `stays[v]` of the value of cell v stays, and what arrives in it is the part `parts[k]`
    of the value of cell `origins[k]`, for k in `starts[v]:starts[v + 1]`. Values smaller than
    `floor` become 0.
    """
    for v in range(first, last):
        came = _ZERO
        for k in range(starts[v], starts[v + 1]):
            came += parts[k] * before[origins[k]]
        new = keep * (stays[v] * before[v] + came)
        values[v] = _ZERO if abs(new) < floor else new
