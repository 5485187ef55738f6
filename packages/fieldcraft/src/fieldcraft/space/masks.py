"""Cells as they are given: ids, or a mask of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

if TYPE_CHECKING:
    from fieldcraft.space.protocol import Space

__all__ = ["ids_or_mask"]


def ids_or_mask(space: Space, cells: ArrayLike) -> NDArray[Any]:
    """Cells as an array, those of a mask counted out.

    Raises `InvalidValue` for a tuple that looks like a position, and for masks of another shape.
    """
    if (
        isinstance(cells, tuple)
        and len(cells) == space.dimensions
        and all(isinstance(each, (int, np.integer)) for each in cells)
    ):
        raise InvalidValue(
            "Cells are whole numbers, one for each cell, and a tuple looks like a position",
            got=repr(cells),
            remedy=(
                f"Pass space.cell_at({cells!r}) for the cell there, or the list {list(cells)} for"
                " these cells"
            ),
        )
    given = checks.array("Cells", cells)
    if given.dtype != np.bool_ or given.shape == ():
        return given
    if given.shape != space.shape:
        hint = (
            " (it looks like [x, y]: transpose it)"
            if given.ndim > 1 and given.shape == space.shape[::-1]
            else ""
        )
        raise InvalidValue(
            "A mask of cells is bool in the space's shape",
            got=f"shape {given.shape}{hint}",
            remedy=f"Pass shape {space.shape}, or the cells themselves",
        )
    return np.flatnonzero(given)
