"""What is seen, as it is given: a mask or cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import AnySpace

__all__ = ["cells_of", "checked_mask"]


def checked_mask(space: AnySpace, mask: ArrayLike, name: str) -> NDArray[np.bool_]:
    """Bool in the space's shape, or `InvalidValue`."""
    given = checks.array(name, mask)
    if given.dtype != np.bool_ or given.shape != space.shape:
        raise InvalidValue(
            f"{name} is bool in the space's shape", got=f"{given.dtype} of shape {given.shape}", remedy=f"Pass shape {space.shape}"
        )
    return given


def cells_of(space: AnySpace, view: ArrayLike, name: str) -> NDArray[np.int64]:
    """The cells of a mask or of a list of them, maybe with repeats; `InvalidValue` or `OutsideMap` for anything else."""
    given = checks.array(name, view)
    if given.dtype == np.bool_:
        return np.flatnonzero(checked_mask(space, given, name))
    if given.size and (given.dtype.kind not in "iu" or int(given.min()) < 0 or int(given.max()) >= len(space)):
        space.position_of(given)  # says what is no cell
    return given.astype(np.int64).reshape(-1)
