"""Checks of arrays for layers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Space
from fieldcraft.space.cells import cell_array
from fieldcraft.space.labeled_arrays import unlabeled


def checked_values(values: ArrayLike, space: Space, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return values for a layer as float32; refuses other shapes, NaN, infinity and large ones."""
    array = checks.shaped("Values", unlabeled(space, values), shape, "iufb")
    with np.errstate(over="ignore"):
        narrow = array.astype(np.float32) + np.float32(0)
    fits = np.abs(narrow) <= np.float32(checks.LARGEST)
    if not fits.all():
        index, place = checks.first(~fits)
        raise InvalidValue(
            f"Values are finite and at most {checks.LARGEST:g} in size",
            got=f"{array[index]} at {place}",
            remedy="Replace NaN, infinity and larger numbers before the call",
        )
    return narrow


def checked_resistance(resistance: ArrayLike, space: Space) -> NDArray[np.float32]:
    """Return a resistance as float32; refuses other shapes, NaN, infinity and negative numbers."""
    array = cell_array(space, "Resistances", resistance, "iufb")
    fits = (array >= 0) & (array <= checks.LARGEST)
    if not fits.all():
        index, where = checks.first(~fits)
        raise InvalidValue(
            f"Resistances are between 0 and {checks.LARGEST:g}",
            got=f"{array[index]} at {where}",
            remedy="Block cells for good by walls",
        )
    return np.array(array, dtype=np.float32, order="C")


def checked_out(out: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return an array that values can be copied to, or raise `InvalidValue`."""
    got = type(out).__name__
    if isinstance(out, np.ndarray):
        if out.shape == shape and out.dtype == np.float32 and out.flags.writeable:
            return out
        got = f"{out.dtype} of shape {out.shape}{'' if out.flags.writeable else ', read-only'}"
    raise InvalidValue(
        f"out is a writable float32 array of shape {shape}",
        got=got,
        remedy="Pass np.empty(map.space.shape, np.float32), or leave it out",
    )
