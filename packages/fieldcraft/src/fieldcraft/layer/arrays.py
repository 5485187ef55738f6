"""Arrays given to layers: their labels, shapes and limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Grid, Space

__all__ = ["checked_resistance", "checked_values", "unlabeled"]


def unlabeled(values: ArrayLike, space: Space) -> ArrayLike:
    """Return the values of an `xarray.DataArray` in the order of a grid's cells; anything else
    unchanged.

    Dimensions are matched by name, and rows and columns by their coordinates, if there are any.
    Other dimensions, and coordinates that are not the centers of the grid's cells, raise
    `InvalidValue`.
    """
    labeled: Any = values
    dims = getattr(labeled, "dims", None)
    if not isinstance(space, Grid) or not isinstance(dims, tuple) or not hasattr(labeled, "coords"):
        return values
    if set(dims) != {"y", "x"}:
        raise InvalidValue(
            "A labeled array has the dims y and x",
            got=f"dims {dims}",
            remedy="Rename them, or pass array.values",
        )
    labeled = labeled.transpose("y", "x")
    centers = space.positions.reshape(*space.shape, 2)
    for name, wanted in (("y", centers[:, 0, 1]), ("x", centers[0, :, 0])):
        if name not in labeled.coords:
            continue
        given = np.asarray(labeled.coords[name].values, dtype=np.float64)
        tolerance = space.cell_size / 100
        if given.shape == wanted.shape and np.allclose(given, wanted, rtol=0, atol=tolerance):
            continue
        if given.shape != wanted.shape or not np.allclose(
            given[::-1], wanted, rtol=0, atol=tolerance
        ):
            raise InvalidValue(
                f"The {name} coordinates of a labeled array are the centers of the grid's cells",
                got=f"{len(given)} from {given[:1]} to {given[-1:]}, for {len(wanted)} from"
                f" {wanted[0]:g} to {wanted[-1]:g}",
                remedy="Interpolate it with array.interp(x=..., y=...), or pass array.values",
            )
        labeled = labeled.isel({name: slice(None, None, -1)})
    return np.asarray(labeled.values)


def checked_values(values: ArrayLike, space: Space, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return values for a layer as float32; refuses other shapes, NaN, infinity and large ones."""
    array = checks.shaped("Values", unlabeled(values, space), shape, "iufb")
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
    array = checks.shaped("Resistances", unlabeled(resistance, space), space.shape, "iufb")
    fits = (array >= 0) & (array <= checks.LARGEST)
    if not fits.all():
        index, where = checks.first(~fits)
        raise InvalidValue(
            f"Resistances lie in 0 to {checks.LARGEST:g}",
            got=f"{array[index]} at {where}",
            remedy="Block cells for good by walls",
        )
    return np.array(array, dtype=np.float32, order="C")
