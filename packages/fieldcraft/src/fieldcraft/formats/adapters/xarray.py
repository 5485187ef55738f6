"""Values of maps as labeled arrays of xarray, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.cells import unlabeled

if TYPE_CHECKING:
    from fieldcraft.values.operand import Operand

__all__ = ["from_xarray", "to_xarray"]


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
    x, y = (
        space.origin[axis] + (np.arange(count) + 0.5) * space.cell_size
        for axis, count in enumerate((width, height))
    )
    return xarray.DataArray(
        values.values,
        dims=("y", "x"),
        coords={"y": y[::-1] if space.y_up else y, "x": x},
        name=values.name if name is None else checks.text("name", name),
        attrs={"crs": checks.text("crs", crs)} if crs else {},
    )


def from_xarray(array: Any, *, neighbors: int | ArrayLike = 4) -> tuple[Grid, NDArray[np.float32]]:
    """Return the grid of a DataArray of dims y and x, and its values in the order of the grid's
    cells.

    Coordinates are the centers of cells and may ascend or descend; the grid has `y_up=True`
    where those of y descend, so that row 0 is the top of the picture either way. A layer takes a
    DataArray as well: `layer.write(array)` puts its rows in order by their coordinates.

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
    dims, coords = getattr(array, "dims", None), getattr(array, "coords", {})
    if not isinstance(dims, tuple) or set(dims) != {"y", "x"} or not set(dims) <= set(coords):
        raise InvalidValue(
            "A labeled map is a DataArray with the dims y and x, and coordinates",
            got=f"{type(array).__name__} with dims {dims}",
            remedy="Rename the dims, and add coordinates with assign_coords",
        )
    array = array.sortby("x")
    y, x = (np.asarray(array[name].values, dtype=np.float64) for name in ("y", "x"))
    steps = np.concatenate([np.diff(x), np.abs(np.diff(y))])
    size = float(np.median(steps)) if len(steps) else 1.0
    even = size > 0 and np.allclose(steps, size, rtol=1e-3, atol=0)
    if not even or (not (np.diff(y) < 0).all() and not (np.diff(y) > 0).all()):
        raise InvalidValue(
            "The coordinates of a labeled map are evenly spaced, as far apart in x as in y",
            got=f"steps of {steps.min():g} to {steps.max():g}",
            remedy="Interpolate it with array.interp(x=..., y=...)",
        )
    grid = Grid(
        len(x),
        len(y),
        cell_size=size,
        origin=(float(x[0]) - size / 2, float(y.min()) - size / 2),
        y_up=bool(len(y) > 1 and y[1] < y[0]),
        neighbors=neighbors,
    )
    return grid, np.asarray(unlabeled(grid, array), dtype=np.float32)
