"""The best cells within walking distance."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.radial import radial_search
from fieldcraft.kernels.values import best as choices

__all__ = ["best_on_foot"]

# With the type of the argument: a kernel is compiled again for a literal number.
_NOT_TAKING = np.bool_(False)


@kernel(
    "f4[:,::1], f4[:,::1], u1[:,::1], f8[:,::1], i8[::1], (u1[:,::1], u1[::1], i8[:,::1], b1),"
    " i8[::1], (f8, f8[:,::1]), (i8, b1, f4, (f8, f8), i8, i8), out i8[:,::1],"
    " out u1[:,::1], (out i8[::1], out i8[::1], (out i8[:,::1], out i8[:,::1], out i8[::1], out"
    " i8[::1], out i8[::1]))",
    "f4[:,::1], f4[:,::1], u1[:,::1], f8[:,::1], i8[::1], (u8[:,::1], u8[::1], i8[:,::1], b1),"
    " i8[::1], (f8, f8[:,::1]), (i8, b1, f4, (f8, f8), i8, i8), out i8[:,::1],"
    " out u1[:,::1], (out i8[::1], out i8[::1], (out i8[:,::1], out i8[:,::1], out i8[::1], out"
    " i8[::1], out i8[::1]))",
)
def best_on_foot(
    values, bounds, closed, places, starts, ground, lengths, draw, limits, out, beyond, scratch
):
    """Write the best cells of the agents [first, last) as `best.best` does, among the cells within
    a walk from each agent's start; with draws as `best.best_within` does.

    `ground` and `lengths` are those of `radial_search.path`, and `limits` are (longest walk, y_up,
    sign, squares, first, last). `draw` is (share, draws), without rows for none. `beyond` is
    scratch like `closed`, all 1 before and after, and `scratch` is (cells, distances, scratch of
    `radial_search.path`).
    """
    limit, y_up, sign, squares, first, last = limits
    share, draws = draw
    wrap, (cells, gone, of_paths) = ground[3], scratch
    flat, open_to = closed.reshape(-1), beyond.reshape(-1)
    for i in range(first, last):
        mark = 2 * (i - first + 1)
        found = radial_search.path(
            ground, lengths, None, starts[i], limit, mark, cells, gone, of_paths
        )
        for k in range(found):
            open_to[cells[k]] = flat[cells[k]]
        axes = y_up, wrap
        if draws.shape[0] == 0:
            choices.best(
                values, bounds, places, axes, sign, squares, _NOT_TAKING, i, i + 1, out, beyond
            )
        else:
            choices.best_within(
                values,
                places,
                draws,
                axes,
                sign,
                squares,
                share,
                _NOT_TAKING,
                i,
                i + 1,
                out,
                beyond,
            )
        for k in range(found):
            open_to[cells[k]] = 1
