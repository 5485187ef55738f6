"""Labeled arrays on the way in: an `xarray.DataArray` is put in the order of a grid's rows and
columns, or refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.errors import InvalidValue
from fieldcraft.space import Grid, Space

__all__ = ["unlabeled"]


def unlabeled(values: ArrayLike, space: Space) -> ArrayLike:
    """The values of a labeled array in the order of a grid's cells; anything else unchanged.

    Dimensions are matched by name, and rows and columns by their coordinates, where it has them.
    Raises `InvalidValue` for other dimensions and for coordinates that are not the centers of the
    grid's cells.
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
