"""Values of maps as labeled arrays of xarray, and back."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.labeled_arrays import coordinates, rounding, unlabeled

if TYPE_CHECKING:
    from fieldcraft.values.operand import Operand

__all__ = ["from_xarray", "to_xarray"]

_log = logging.getLogger(__name__)


def to_xarray(values: Operand, *, name: str | None = None, crs: str = "") -> Any:
    """Return the values of a map on a grid as a live, read-only `DataArray` of dims ("y", "x").

    Coordinates are the centers of cells in world units. `.plot()`,
    `.sel(x=3, y=4, method="nearest")`, `.to_netcdf(path)` and `.to_dataset().to_zarr(path)` work.

    Parameters
    ----------
    values : layer, expression or DistanceMap
        The map.
    name : str, optional
        Name of the array; that of the map if absent.
    crs : str, optional
        Coordinate reference system, stored in the attributes.

    Raises
    ------
    InvalidValue
        For a map on another space than a grid.
    MissingLibrary
        Without xarray.
    """
    space = grid_of(
        getattr(values, "space", None),
        "A table of rows and columns",
        remedy="Pass a layer on a grid",
    )
    with needs("xarray", "gis", "to_xarray"):
        import xarray
    height, width = space.shape
    x = space.origin[0] + (np.arange(width) + 0.5) * space.cell_size
    y = space.origin[1] + (np.arange(height) + 0.5) * space.cell_size
    if space.y_up:
        y = y[::-1]
    if name is None:
        label = values.name
    else:
        label = checks.text("name", name)
    attributes = {}
    if checks.text("crs", crs):
        attributes["crs"] = crs
    return xarray.DataArray(
        values.values, dims=("y", "x"), coords={"y": y, "x": x}, name=label, attrs=attributes
    )


def from_xarray(array: Any, *, neighbors: int | ArrayLike = 4) -> tuple[Grid, NDArray[np.float32]]:
    """Return the grid of a DataArray of dims y and x, and its values in the order of the grid's
    cells.

    Coordinates are the centers of cells and may ascend or descend; the grid has `y_up=True`
    where those of y descend, so that row 0 is the top of the picture either way. A layer takes a
    DataArray as well: `layer.write(array)` puts its rows in order by their coordinates. If the
    units of the coordinates are degrees, so are distances, and a warning on the logger
    `fieldcraft.formats.adapters.xarray` says so.

    Raises
    ------
    InvalidValue
        For other dims, and for coordinates that are not evenly spaced with square cells.

    Examples
    --------
    >>> import xarray
    >>> from fieldcraft.formats.adapters.xarray import from_xarray
    >>> coords = {"y": [3.0, 1.0], "x": [1.0, 3.0, 5.0]}
    >>> heights = xarray.DataArray([[1, 2, 3], [4, 5, 6]], dims=("y", "x"), coords=coords)
    >>> grid, values = from_xarray(heights)
    >>> grid.origin, grid.cell_size, grid.y_up
    ((0.0, 0.0), 2.0, True)
    """
    dims = getattr(array, "dims", None)
    coords = getattr(array, "coords", {})
    if not isinstance(dims, tuple) or set(dims) != {"y", "x"} or not set(dims) <= set(coords):
        raise InvalidValue(
            "A labeled map is a DataArray with the dims y and x, and coordinates",
            got=f"{type(array).__name__} with dims {dims}",
            remedy="Rename the dims, and add coordinates with assign_coords",
        )
    for name in ("y", "x"):
        coordinates(array, name)
    array = array.sortby("x")
    x = coordinates(array, "x")
    y = coordinates(array, "y")
    size = _cell_size(x, y)
    tolerance = size / 100 + max(rounding(array, "x"), rounding(array, "y"))
    downwards = len(y) > 1 and y[1] < y[0]
    if downwards:
        rows = y[::-1]
    else:
        rows = y
    if size <= 0 or not (_is_even(x, size, tolerance) and _is_even(rows, size, tolerance)):
        raise InvalidValue(
            "The coordinates of a labeled map are evenly spaced, as far apart in x as in y",
            got=f"steps of {_steps(x)} in x and {_steps(rows)} in y",
            remedy="Interpolate it onto coordinates that are, with array.interp(x=..., y=...)",
        )
    _warn_of_degrees(array)
    grid = Grid(
        len(x),
        len(y),
        cell_size=size,
        origin=(float(x[0]) - size / 2, float(rows[0]) - size / 2),
        y_up=bool(downwards),
        neighbors=neighbors,
    )
    return grid, np.asarray(unlabeled(grid, array), dtype=np.float32)


def _cell_size(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the distance between neighbors on the axis with more coordinates.

    It is that of the ends, shared out: single steps are rounded, and rounding adds up.
    """
    if len(x) >= len(y):
        longer = x
    else:
        longer = y
    if len(longer) < 2:
        return 1.0
    return float(abs(longer[-1] - longer[0]) / (len(longer) - 1))


def _is_even(ascending: NDArray[np.float64], size: float, tolerance: float) -> bool:
    """Return whether coordinates are multiples of a step from the first."""
    even = ascending[0] + size * np.arange(len(ascending))
    return bool(np.allclose(ascending, even, rtol=0, atol=tolerance))


def _steps(ascending: NDArray[np.float64]) -> str:
    """Describe the steps between coordinates."""
    steps = np.diff(ascending)
    if len(steps):
        return f"{steps.min():g} to {steps.max():g}"
    return "none"


def _warn_of_degrees(array: Any) -> None:
    """Log that distances on a map are degrees, if the units of its coordinates say so."""
    units = {str(array.coords[name].attrs.get("units", "")) for name in ("y", "x")}
    if any(each.startswith("degree") for each in units):
        _log.warning(
            "The coordinates of %s are in degrees, and so are distances, radii and path lengths on "
            "its grid; a degree of longitude is shorter than one of latitude. Reproject it for "
            "distances in meters, with array.rio.reproject of rioxarray, say.",
            array.name or "the array",
        )
