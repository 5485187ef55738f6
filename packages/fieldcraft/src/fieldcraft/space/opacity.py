"""Opaque cells: which cells hide what is behind them, whether or not they are walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.interruption import atomic
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.cells import checked_cells

if TYPE_CHECKING:
    from fieldcraft.space.space import Space

_AS_WALLS = 0
_OPAQUE = 1
_TRANSPARENT = 2
"""Codes of cells; `_AS_WALLS` for those that hide if they are walls."""


def set_opaque(space: Space, cells: ArrayLike, opaque: bool | None) -> None:
    """See `Space.set_opaque`."""
    space._check_hides()
    code = _AS_WALLS
    if opaque is not None:
        if checks.flag("opaque", opaque):
            code = _OPAQUE
        else:
            code = _TRANSPARENT
    codes = _codes(space).copy()
    codes[checked_cells(space, cells)] = code
    _set_codes(space, codes)


def _codes(space: Space) -> NDArray[np.uint8]:
    codes = space.opacity_codes
    if codes is None:
        return np.zeros(len(space), dtype=np.uint8)
    return codes


@atomic
def _set_codes(space: Space, codes: NDArray[np.uint8]) -> None:
    changed = np.flatnonzero(_codes(space) != codes)
    if len(changed):
        space._changes.add(changed)
        space.opacity_codes = codes


def match_opacity(space: Space, opaque: NDArray[np.bool_]) -> None:
    """Make exactly these cells opaque, bool in the space's shape."""
    codes = np.where(opaque == space.walls, _AS_WALLS, np.where(opaque, _OPAQUE, _TRANSPARENT))
    _set_codes(space, codes.astype(np.uint8).reshape(-1))


@cached_until_walls_change
def opaque_of(space: Space) -> NDArray[np.bool_]:
    """See `Space.opaque`; the walls themselves where both are the same."""
    walls = space.walls
    codes = space.opacity_codes
    if codes is None:
        return walls
    opaque = np.where(codes == _AS_WALLS, walls.reshape(-1), codes == _OPAQUE).reshape(space.shape)
    if (opaque == walls).all():
        return walls
    return read_only(opaque)
