"""Cells that hide what is behind them, which need not be the walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft.kernels import pool
from fieldcraft.space.adjacency import cached_until_walls_change
from fieldcraft.space.cells import checked_cells

if TYPE_CHECKING:
    from fieldcraft.space.protocol import Space

__all__ = ["hide", "hide_as", "opaque_of", "sees_cells", "set_opaque"]

_PAIRS_PER_THREAD = 2_000


def set_opaque(space: Space, cells: ArrayLike, opaque: bool | None) -> None:
    """See `Space.set_opaque`."""
    if space.sight_grid is None and space.graph.mesh is None:
        raise InvalidValue(
            "Cells hide on grids, hexagons and meshes",
            got=f"set_opaque() on {space!r}, where nothing hides",
            remedy="Give the graph polygons: fc.Graph.from_polygons",
        )
    kind = 0 if opaque is None else (1 if checks.flag("opaque", opaque) else 2)
    ids = np.unique(checked_cells(space, cells))
    hides = np.zeros(len(space), dtype=np.uint8) if space.hides is None else space.hides.copy()
    hides[ids] = kind
    hide(space, hides)


@atomic
def hide(space: Space, hides: NDArray[np.uint8] | None) -> None:
    """Set by cell, (N,), what hides: 1 does, 2 does not, 0 if it is a wall."""
    none = np.zeros(len(space), dtype=np.uint8)
    before = none if space.hides is None else space.hides
    changed = np.flatnonzero(before != (none if hides is None else hides))
    if len(changed):
        changed.flags.writeable = False
        space._changes.append(changed)
        space.hides = hides


def hide_as(space: Space, opaque: NDArray[np.bool_]) -> None:
    """Let just these cells hide, in the space's shape."""
    hides = np.where(opaque == space.walls, 0, np.where(opaque, 1, 2)).astype(np.uint8)
    hide(space, hides.reshape(-1))


@cached_until_walls_change
def opaque_of(space: Space) -> NDArray[np.bool_]:
    """See `Space.opaque`; the walls themselves where both are the same."""
    walls = space.walls
    if space.hides is None:
        return walls
    found = np.where(space.hides == 0, walls.reshape(-1), space.hides == 1).reshape(space.shape)
    if (found == walls).all():
        return walls
    found.flags.writeable = False
    return found


def sees_cells(
    opaque: NDArray[np.bool_],
    wrap: bool,
    viewers: NDArray[np.int64],
    cells: NDArray[np.int64],
    limits: NDArray[np.int64],
    facings: NDArray[np.float64],
    narrow: float,
    *,
    pairs: bool = False,
) -> NDArray[np.bool_]:
    """Return which cells (T,) of squares the viewers in cells (V,) see, (V, T); or with `pairs`
    each its own, (V, 1). Neither of the two cells at the ends of a line hides.
    """
    seen = np.zeros((len(viewers), 1 if pairs else len(cells)), dtype=np.bool_)
    common = (opaque.view(np.uint8), viewers, limits, facings, cells, wrap, narrow, pairs)
    parts = pool.bands(len(viewers), seen.size // _PAIRS_PER_THREAD)
    pool.run([(kernels.sees.sees_cells, (*common, low, high, seen)) for low, high in parts])
    return seen
