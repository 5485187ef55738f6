"""The best cells that can be walked to."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels import best as spots
from fieldcraft.kernels import radial
from fieldcraft.kernels.declare import kernel

__all__ = ["best_on_foot"]

# Of these types as other kernels pass them: those called are compiled anew for each number that
# stands in the code.
_ALL = np.int64(np.iinfo(np.int64).max)
_NOT_TAKING = np.bool_(False)


@kernel(
    "f4[:,::1], f4[:,::1], u1[:,::1], f8[:,::1], i8[::1], (u1[:,::1], u1[::1], i8[:,::1], b1),"
    " i8[::1], (i8, b1, f4, (f8, f8), i8, i8), out i8[:,::1], out u1[:,::1], (out i8[::1], out"
    " i8[::1], out i8[::1], (out i8[:,::1], out i8[:,::1], out i8[::1], out i8[::1], out i8[::1]))",
    "f4[:,::1], f4[:,::1], u1[:,::1], f8[:,::1], i8[::1], (u8[:,::1], u8[::1], i8[:,::1], b1),"
    " i8[::1], (i8, b1, f4, (f8, f8), i8, i8), out i8[:,::1], out u1[:,::1], (out i8[::1], out"
    " i8[::1], out i8[::1], (out i8[:,::1], out i8[:,::1], out i8[::1], out i8[::1], out i8[::1]))",
)
def best_on_foot(
    values, bounds, closed, places, starts, ground, lengths, how, out, beyond, scratch
):
    """`best.best` for the agents [first, last) among the cells to which a walk leads from each
    one's start.

    `ground` and `lengths` are those of `radial.path`, and `how` is (limit of the walk, y_up, sign,
    squares, first, last). `beyond` is scratch like `closed`, all 1 before and after, and `scratch`
    (cells, distances, state, scratch of `radial.path`).
    """
    limit, y_up, sign, squares, first, last = how
    wrap, (cells, gone, state, of_paths) = ground[3], scratch
    shut, open_to = closed.reshape(-1), beyond.reshape(-1)
    for i in range(first, last):
        state[:] = 0
        mark = 2 * (i - first + 1)
        radial.path(
            ground, lengths, None, starts[i], limit, mark, _ALL, cells, gone, state, of_paths
        )
        found = state[1]
        for k in range(found):
            open_to[cells[k]] = shut[cells[k]]
        axes = y_up, wrap
        spots.best(values, bounds, places, axes, sign, squares, _NOT_TAKING, i, i + 1, out, beyond)
        for k in range(found):
            open_to[cells[k]] = 1
