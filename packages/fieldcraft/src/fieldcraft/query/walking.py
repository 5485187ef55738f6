"""Searches on foot: which of the cells around an agent it can walk to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import frozen
from fieldcraft.propagation.on_grid.footprints import Scratch
from fieldcraft.propagation.on_grid.walks import strides
from fieldcraft.query.ground import crowd
from fieldcraft.space import Grid

__all__ = ["best_on_foot"]

_CELLS_PER_THREAD = 5_000  # cells to walk over that pay for waking a thread


def best_on_foot(
    space: Grid,
    values: NDArray[np.float32],
    closed: NDArray[np.uint8],
    sign: np.float32,
    places: NDArray[np.float64],
    walk: float,
    reach2: float,
    spacing2: float,
    cells: NDArray[np.int64],
) -> None:
    """Fill `cells` (N, k) with the best ones that a walk of at most `walk` world units reaches; see
    `query.best`.
    """
    length = checks.positive("walk", walk) / space.cell_size * (1 + 1e-9)
    steps, lengths = strides(space)
    links = frozen(space.links())
    starts = np.asarray(space.cell_at(places * space.cell_size + space.origin, outside="clamp"))
    limit = int(min(length, 1e9) * kernels.radial.LENGTH_SCALE)
    reach = min(int(length), max(space.shape) - 1)
    anything = np.full(
        (-(-space.height // kernels.best.TILE), -(-space.width // kernels.best.TILE)),
        np.inf,
        dtype=np.float32,
    )
    function = kernels.best_on_foot.best_on_foot

    def call(first: int, last: int) -> pool.Call:
        scratch = Scratch(reach, len(space), lengths)
        return function, (
            values,
            closed,
            anything,
            sign,
            places,
            starts,
            links,
            space.link_masks,
            steps,
            lengths,
            limit,
            reach2,
            spacing2,
            space.y_up,
            space.wrap,
            first,
            last,
            cells,
            np.ones_like(closed),
            scratch.best,
            scratch.seen,
            scratch.heads,
            scratch.node_cells,
            scratch.node_next,
            scratch.state,
            scratch.cells,
            scratch.distances,
        )

    crowd(call, len(places), _CELLS_PER_THREAD // min(2 * reach * reach + 1, len(space)) + 1)
