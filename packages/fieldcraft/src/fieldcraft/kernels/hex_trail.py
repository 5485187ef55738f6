"""Trails on hexagons.

In offset coordinates the six neighbors of a cell are among the eight around it, in the order of
cells; a byte says which. Only at the
rim of a torus that order is another one: there a list is asked.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.stamps import SCALE

__all__ = ["AROUND", "mix", "room", "update"]

SHARE = 1 / 7
"""What a cell keeps of its own and gives to each of its six neighbors."""
AROUND = {
    (-1, -1): 1,
    (0, -1): 2,
    (1, -1): 4,
    (-1, 0): 8,
    (1, 0): 16,
    (-1, 1): 32,
    (0, 1): 64,
    (1, 1): 128,
}
"""The bit of each neighbor (columns, rows) away."""

_ZERO = np.float32(0)
_NONE = np.uint8(0)
_UP_LEFT, _UP, _UP_RIGHT, _LEFT, _RIGHT, _DOWN_LEFT, _DOWN, _DOWN_RIGHT = (
    np.uint8(bit) for bit in AROUND.values()
)


def room(width):
    """Scratch for one thread."""
    return np.zeros((3, width + 2)), np.zeros(width)


@kernel(inline="never")
def _enter(source, wrap, row):
    width = source.shape[0]
    for x in range(width):
        row[x + 1] = source[x]
    row[0] = np.float64(source[width - 1]) if wrap else 0.0
    row[width + 1] = np.float64(source[0]) if wrap else 0.0


@kernel(inline="never")
def _mean_of_row(up, here, down, links, missing, mean):
    for x in range(mean.shape[0]):
        bits = links[x]
        a, b, c = up[x], up[x + 1], up[x + 2]
        d, own, e = here[x], here[x + 1], here[x + 2]
        f, g, h = down[x], down[x + 1], down[x + 2]
        total = (a if np.uint8(bits & _UP_LEFT) != _NONE else 0.0) + 0.0
        total += b if np.uint8(bits & _UP) != _NONE else 0.0
        total += c if np.uint8(bits & _UP_RIGHT) != _NONE else 0.0
        total += d if np.uint8(bits & _LEFT) != _NONE else 0.0
        total += e if np.uint8(bits & _RIGHT) != _NONE else 0.0
        total += f if np.uint8(bits & _DOWN_LEFT) != _NONE else 0.0
        total += g if np.uint8(bits & _DOWN) != _NONE else 0.0
        total += h if np.uint8(bits & _DOWN_RIGHT) != _NONE else 0.0
        mean[x] = SHARE * ((own + total) + np.float64(missing[x]) * own)


@kernel
def _row(source, exchanges, wrap, listed, y, first, rows, mean):
    """The means of a row, into `mean`, after those of the row before; returns the next cell of the
    rim.
    """
    links, missing, rim, starts, beside = exchanges
    height, width = source.shape
    for t in range(y - 1 if y == first else y + 1, y + 2):
        row = rows[t % 3]
        if wrap:
            _enter(source[t % height], wrap, row)
        elif 0 <= t < height:
            _enter(source[t], wrap, row)
        else:
            row[:] = 0.0
    _mean_of_row(rows[(y - 1) % 3], rows[y % 3], rows[(y + 1) % 3], links[y], missing[y], mean)
    while listed < rim.shape[0] and rim[listed] < (y + 1) * width:
        cell = rim[listed]
        if cell >= y * width:
            total = 0.0
            for k in range(starts[cell], starts[cell + 1]):
                total += np.float64(source[beside[k] // width, beside[k] % width])
            own = np.float64(source[y, cell - y * width])
            mean[cell - y * width] = SHARE * (
                (own + total) + np.float64(missing[y, cell - y * width]) * own
            )
        listed += 1
    return listed


@kernel(inline="never")
def _finish(mean, closed, gain, floor, inflow, out):
    for x in range(out.shape[0]):
        v = np.float32(gain * mean[x] + np.float64(inflow[x]) / SCALE)
        out[x] = _ZERO if (closed[x] != 0) | (abs(v) < floor) else v
        inflow[x] = 0


@kernel(
    "f4[:,::1], (u1[:,::1], u1[:,::1], i8[::1], i8[::1], i4[::1]), b1, i8, i8, out f8[:,::1], (out"
    " f8[:,::1], out f8[::1])",
    "f8[:,::1], (u1[:,::1], u1[:,::1], i8[::1], i8[::1], i4[::1]), b1, i8, i8, out f8[:,::1], (out"
    " f8[:,::1], out f8[::1])",
)
def mix(source, exchanges, wrap, first, last, mean, room):
    """The means of the rows [first, last), each over a cell and those that it exchanges with.

    `exchanges` are (links, missing, rim, starts, beside). `links` (height, width) are the bits of
    `AROUND`; `missing` how many shares of its own a cell keeps besides. `beside` lists for each
    cell those that it exchanges with, from `starts` on; the cells of `rim`, ascending, go by this
    list.
    """
    listed, (rows, along) = 0, room
    for y in range(first, last):
        listed = _row(source, exchanges, wrap, listed, y, first, rows, along)
        for x in range(along.shape[0]):
            mean[y, x] = along[x]


@kernel(
    "f4[:,::1], (u1[:,::1], u1[:,::1], i8[::1], i8[::1], i4[::1]), u1[:,::1], b1, f8, f4, i8, i8,"
    " out i8[:,::1], out f4[:,::1], (out f8[:,::1], out f8[::1])",
    "f8[:,::1], (u1[:,::1], u1[:,::1], i8[::1], i8[::1], i4[::1]), u1[:,::1], b1, f8, f4, i8, i8,"
    " out i8[:,::1], out f4[:,::1], (out f8[:,::1], out f8[::1])",
)
def update(source, exchanges, closed, wrap, gain, floor, first, last, inflow, values, room):
    """The rows [first, last) after an update whose last means are those of `source`; their inflow
    is used up.

    `closed` (height, width) is not 0 where walls are. Else as `mix`.
    """
    listed, (rows, along) = 0, room
    for y in range(first, last):
        listed = _row(source, exchanges, wrap, listed, y, first, rows, along)
        _finish(along, closed[y], gain, floor, inflow[y], values[y])
