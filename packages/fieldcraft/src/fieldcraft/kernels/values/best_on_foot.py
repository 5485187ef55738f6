"""The best cells within walking distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.radial import radial_search
from fieldcraft.kernels.radial.radial_arrays import WALK_SCRATCH, LinkedGrid, WalkScratch
from fieldcraft.kernels.radial.radial_search import GRID_1, GRID_8
from fieldcraft.kernels.shared.arrays import Ints
from fieldcraft.kernels.values import best as choices
from fieldcraft.kernels.values.best_rule import BEST_RULE, BestRule

__all__ = ["BestRule", "FootScratch", "LinkedGrid", "WalkScratch", "best_on_foot"]

_SCRATCH = f"FootScratch(out i8[::1], out i8[::1], {WALK_SCRATCH})"


class FootScratch(NamedTuple):
    """Scratch of a search by walking distance, and the cells that it finds with their distances."""

    cells: Ints
    distances: Ints
    walks: WalkScratch


# With the type of the argument: a kernel is compiled again for a literal number.
_NOT_TAKING = np.bool_(False)


@kernel(
    f"f4[:,::1], f4[:,::1], u1[:,::1], f8[:,::1], i8[::1], {GRID_1}, f8[:,::1], {BEST_RULE}, f8,"
    f" i8, i8, i8, out i8[:,::1], out u1[:,::1], {_SCRATCH}",
    f"f4[:,::1], f4[:,::1], u1[:,::1], f8[:,::1], i8[::1], {GRID_8}, f8[:,::1], {BEST_RULE}, f8,"
    f" i8, i8, i8, out i8[:,::1], out u1[:,::1], {_SCRATCH}",
)
def best_on_foot(
    values,
    bounds,
    closed,
    places,
    starts,
    ground,
    draws,
    rule,
    share,
    limit,
    first,
    last,
    out,
    beyond,
    scratch,
):
    """Write the best cells of the agents [first, last) as `best.best` does, among the cells within
    a walk of `limit` from each agent's start; with draws as `best.best_within` does.

    `limit` is in 1 / LENGTH_SCALE cells. `draws` has no rows for the best cells themselves.
    `beyond` is scratch like `closed`, all 1 before and after.

    More than 12 arguments: it takes those of `best`, those of `best_within`, and those of a search
    by walking distance.
    """
    flat = closed.reshape(-1)
    open_to = beyond.reshape(-1)
    cells = scratch.cells
    for i in range(first, last):
        mark = 2 * (i - first + 1)
        found = radial_search.path(
            ground, None, starts[i], limit, mark, cells, scratch.distances, scratch.walks
        )
        for k in range(found):
            open_to[cells[k]] = flat[cells[k]]
        if draws.shape[0] == 0:
            choices.best(values, bounds, places, rule, _NOT_TAKING, i, i + 1, out, beyond)
        else:
            choices.best_within(
                values, places, draws, rule, share, _NOT_TAKING, i, i + 1, out, beyond
            )
        for k in range(found):
            open_to[cells[k]] = 1
