"""Lines of sight between cells of a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.space.sight.viewers import SightHeights

_PAIRS_PER_THREAD = 2_000


def sees_cells(
    opaque: NDArray[np.bool_],
    wrap: int,
    viewers: NDArray[np.int64],
    cells: NDArray[np.int64],
    limits: NDArray[np.int64],
    cones: NDArray[np.float64],
    *,
    pairs: bool = False,
    heights: SightHeights | None = None,
) -> NDArray[np.bool_]:
    """Return which cells (T,) of a grid the viewers in cells (V,) see, (V, T), or with `pairs` each
    its own, (V, 1). The two cells at the ends of a line never block it.
    """
    ground = kernels.sight.visible.NO_HEIGHTS
    eye = 0.0
    if heights is not None:
        ground, eye = heights
    seen = np.zeros((len(viewers), 1 if pairs else len(cells)), dtype=np.bool_)
    common = (opaque.view(np.uint8), ground, eye, viewers, limits, cones, cells, wrap, pairs)
    parts = pool.bands(len(viewers), seen.size // _PAIRS_PER_THREAD)
    pool.run([(kernels.sight.sees.sees_cells, (*common, low, high, seen)) for low, high in parts])
    return seen
