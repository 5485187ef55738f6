"""Labeled arrays of xarray, in the order of the cells of a grid."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base.errors import InvalidValue


class Cells(Protocol):
    """What a labeled array is compared with: the parts of a space that say where its cells are."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of maps of the space."""

    @property
    def positions(self) -> NDArray[np.float64]:
        """The centers of all cells, (cells, 2 or 3)."""

    @property
    def extent(self) -> NDArray[np.float64]:
        """The corners of the space, (2, 2 or 3)."""


def unlabeled(space: Cells, values: ArrayLike) -> ArrayLike:
    """Return the values of an `xarray.DataArray` in the order of a grid's cells; anything else
    unchanged.

    Dimensions are matched by name, and rows and columns by their coordinates, if there are any.
    Other dimensions, and coordinates that are not the centers of the grid's cells, raise
    `InvalidValue`; so do coordinates on hexagons, whose centers are not in straight columns.
    """
    labeled: Any = values
    dims = getattr(labeled, "dims", None)
    if not isinstance(dims, tuple) or not hasattr(labeled, "coords") or len(space.shape) != 2:
        return values
    if set(dims) != {"y", "x"}:
        raise InvalidValue(
            "A labeled array has the dims y and x",
            got=f"dims {dims}",
            remedy="Rename them, or pass array.values",
        )
    labeled = labeled.transpose("y", "x")
    centers = space.positions.reshape(*space.shape, 2)
    x = centers[:1, :, 0]
    y = centers[:, :1, 1]
    if (centers[..., 0] != x).any() or (centers[..., 1] != y).any():
        named = [name for name in ("y", "x") if name in labeled.coords]
        if named:
            raise InvalidValue(
                "A labeled array on hexagons has no coordinates, which no straight columns have",
                got=f"coordinates {', '.join(named)}",
                remedy="Pass array.values, with the rows and columns of the hexagons",
            )
        return np.asarray(labeled.values)
    cell_size = float(np.ptp(space.extent[:, 0])) / space.shape[1]
    for name, wanted in (("y", y[:, 0]), ("x", x[0])):
        if name not in labeled.coords:
            continue
        given = coordinates(labeled, name)
        tolerance = cell_size / 100 + rounding(labeled, name)
        if _are_close(given, wanted, tolerance):
            continue
        if not _are_close(given[::-1], wanted, tolerance):
            raise InvalidValue(
                f"The {name} coordinates of a labeled array are the centers of the grid's cells",
                got=f"{len(given)} from {given[:1]} to {given[-1:]}, for {len(wanted)} from"
                f" {wanted[0]:g} to {wanted[-1]:g}",
                remedy="Interpolate it onto these centers with array.interp(x=..., y=...), or pass"
                " array.values",
            )
        labeled = labeled.isel({name: slice(None, None, -1)})
    return np.asarray(labeled.values)


def coordinates(labeled: Any, name: str) -> NDArray[np.float64]:
    """Return the coordinates of a dimension of a labeled array, (N,)."""
    given = np.asarray(labeled.coords[name].values)
    fits = given.dtype.kind in "iuf" and given.ndim == 1 and len(given) > 0
    if not fits or not np.isfinite(given).all():
        raise InvalidValue(
            f"The {name} coordinates of a labeled array are finite numbers, at least one",
            got=f"{given.dtype} of shape {given.shape}, {given.reshape(-1)[:3]}",
            remedy=f"Replace them with assign_coords({name}=...)",
        )
    return given.astype(np.float64)


def rounding(labeled: Any, name: str) -> float:
    """Return how far the type of the coordinates, float32 say, may move them."""
    given = np.asarray(labeled.coords[name].values)
    if given.dtype.kind != "f":
        return 0.0
    return float(np.spacing(np.abs(given).max()))


def _are_close(given: NDArray[np.float64], wanted: NDArray[np.float64], tolerance: float) -> bool:
    return given.shape == wanted.shape and np.allclose(given, wanted, rtol=0, atol=tolerance)
