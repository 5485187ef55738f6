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
    "f4[:,::1], u1[:,::1], f4[:,::1], f4, f8[:,::1], i8[::1], u1[:,::1], u1[::1], i8[:,::1],"
    " i8[::1], i8, f8, f8, b1, b1, i8, i8, out i8[:,::1], out u1[:,::1], out i8[:,::1], out"
    " i8[:,::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1]",
    "f4[:,::1], u1[:,::1], f4[:,::1], f4, f8[:,::1], i8[::1], u8[:,::1], u8[::1], i8[:,::1],"
    " i8[::1], i8, f8, f8, b1, b1, i8, i8, out i8[:,::1], out u1[:,::1], out i8[:,::1], out"
    " i8[:,::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1]",
)
def best_on_foot(
    values,
    closed,
    bounds,
    sign,
    places,
    starts,
    links,
    masks,
    steps,
    lengths,
    limit,
    reach2,
    spacing2,
    y_up,
    wrap,
    first,
    last,
    out,
    beyond,
    best,
    seen,
    heads,
    node_cells,
    node_next,
    state,
    cells,
    gone,
):
    """`best.best` for the agents [first, last) among the cells to which a walk of at most `limit`
    leads from each one's start.

    `limit` and `lengths` as in `radial.path`, whose scratch the arrays from `best` on are; `beyond`
    is scratch like `closed`, all 1 before and after.
    """
    shut, open_to = closed.reshape(-1), beyond.reshape(-1)
    for i in range(first, last):
        state[:] = 0
        mark = 2 * (i - first + 1)
        radial.path(
            links,
            masks,
            steps,
            lengths,
            starts[i],
            limit,
            wrap,
            best,
            seen,
            mark,
            heads,
            node_cells,
            node_next,
            state,
            cells,
            gone,
            _ALL,
        )
        found = state[1]
        for k in range(found):
            open_to[cells[k]] = shut[cells[k]]
        spots.best(
            values,
            beyond,
            bounds,
            sign,
            places,
            reach2,
            spacing2,
            _NOT_TAKING,
            y_up,
            wrap,
            i,
            i + 1,
            out,
        )
        for k in range(found):
            open_to[cells[k]] = 1
