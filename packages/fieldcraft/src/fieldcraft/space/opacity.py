"""Opaque cells, which need not be the walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import read_only
from fieldcraft.space.adjacency import cached_until_walls_change
from fieldcraft.space.cells import checked_cells

if TYPE_CHECKING:
    from fieldcraft.space.protocol import Space

__all__ = ["match_opacity", "opaque_of", "sees_cells", "set_opaque"]

_AS_WALLS, _OPAQUE, _TRANSPARENT = range(3)
_PAIRS_PER_THREAD = 2_000


def set_opaque(space: Space, cells: ArrayLike, opaque: bool | None) -> None:
    """See `Space.set_opaque`."""
    if space.sight_grid is None and space.graph.mesh is None:
        raise InvalidValue(
            "Cells are opaque on grids, hexagons and meshes",
            got=f"set_opaque() on {space!r}, where nothing is opaque",
            remedy="Give the graph polygons: fc.Graph.from_polygons",
        )
    code = _AS_WALLS
    if opaque is not None:
        code = _OPAQUE if checks.flag("opaque", opaque) else _TRANSPARENT
    codes = _codes(space).copy()
    codes[checked_cells(space, cells)] = code
    _set_codes(space, codes)


def _codes(space: Space) -> NDArray[np.uint8]:
    codes = space.opacity_codes
    return np.zeros(len(space), dtype=np.uint8) if codes is None else codes


@atomic
def _set_codes(space: Space, codes: NDArray[np.uint8]) -> None:
    changed = np.flatnonzero(_codes(space) != codes)
    if len(changed):
        space._changes.append(read_only(changed))
        space.opacity_codes = codes


def match_opacity(space: Space, opaque: NDArray[np.bool_]) -> None:
    """Make exactly these cells opaque, bool in the space's shape."""
    codes = np.where(opaque == space.walls, _AS_WALLS, np.where(opaque, _OPAQUE, _TRANSPARENT))
    _set_codes(space, codes.astype(np.uint8).reshape(-1))


@cached_until_walls_change
def opaque_of(space: Space) -> NDArray[np.bool_]:
    """See `Space.opaque`; the walls themselves where both are the same."""
    walls, codes = space.walls, space.opacity_codes
    if codes is None:
        return walls
    opaque = np.where(codes == _AS_WALLS, walls.reshape(-1), codes == _OPAQUE).reshape(space.shape)
    return walls if (opaque == walls).all() else read_only(opaque)


def sees_cells(
    opaque: NDArray[np.bool_],
    wrap: bool,
    viewers: NDArray[np.int64],
    cells: NDArray[np.int64],
    limits: NDArray[np.int64],
    facings: NDArray[np.float64],
    min_cosine: float,
    *,
    pairs: bool = False,
) -> NDArray[np.bool_]:
    """Return which cells (T,) of a grid the viewers in cells (V,) see, (V, T), or with `pairs` each
    its own, (V, 1). The two cells at the ends of a line never block it.
    """
    seen = np.zeros((len(viewers), 1 if pairs else len(cells)), dtype=np.bool_)
    common = (opaque.view(np.uint8), viewers, limits, facings, cells, wrap, min_cosine, pairs)
    parts = pool.bands(len(viewers), seen.size // _PAIRS_PER_THREAD)
    pool.run([(kernels.sees.sees_cells, (*common, low, high, seen)) for low, high in parts])
    return seen
