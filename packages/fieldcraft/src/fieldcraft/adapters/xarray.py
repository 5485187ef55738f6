"""Labeled arrays: a map's values as an xarray.DataArray with coordinates, which shares their
memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fieldcraft import checks
from fieldcraft.errors import MissingLibrary
from fieldcraft.space import grid_of

if TYPE_CHECKING:
    from fieldcraft.layer.operand import Operand

__all__ = ["to_xarray"]


def to_xarray(values: Operand, *, name: str | None = None, crs: str = "") -> Any:
    """A map on a grid (a layer, an expression, a distance map) as a DataArray of dims ("y", "x"),
    live and read-only.

    Coordinates are the centers of cells in world units; `crs` goes into the attributes. `.plot()`,
    `.sel(x=3, y=4, method="nearest")`, `.to_netcdf(path)` and `.to_dataset().to_zarr(path)` work on
    it as on any other. Raises `MissingLibrary` without xarray, `InvalidValue` for maps that don't
    lie on a grid.
    """
    space = grid_of(
        getattr(values, "space", None),
        "A table of rows and columns",
        remedy="Pass a layer on a grid",
    )
    try:
        import xarray
    except ImportError:
        raise MissingLibrary("xarray", "gis", "to_xarray") from None
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
