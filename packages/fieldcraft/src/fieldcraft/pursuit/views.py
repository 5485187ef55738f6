"""Which cells are meant, as a mask."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Space

__all__ = ["checked_mask"]


def checked_mask(space: Space, mask: ArrayLike, name: str) -> NDArray[np.bool_]:
    """Bool in the space's shape, or `InvalidValue`."""
    given = checks.array(name, mask)
    if given.dtype != np.bool_ or given.shape != space.shape:
        raise InvalidValue(
            f"{name} is bool in the space's shape",
            got=f"{given.dtype} of shape {given.shape}",
            remedy=f"Pass shape {space.shape}",
        )
    return given
