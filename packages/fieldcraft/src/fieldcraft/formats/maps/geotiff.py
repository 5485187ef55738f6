"""Landscapes: GeoTIFF files, read and written by rasterio with their transform and reference
system.
"""

from __future__ import annotations

import math
import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, InvalidValue, needs
from fieldcraft.base.files import Staging, file_size, target_of
from fieldcraft.formats.maps.reading import map_file, parsing
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.grid.grid import MAX_CELLS

__all__ = ["Raster", "load_geotiff", "read_geotiff", "save_geotiff"]


class Raster(NamedTuple):
    """One band of a GeoTIFF: a grid, the value of each cell, and the reference system."""

    space: Grid
    """Cells as large as the pixels, y up, in the units of `crs`; cells without data are walls."""
    values: NDArray[np.float32]
    """The band, (height, width) float32; 0 where there are no data."""
    crs: str
    """The reference system as "EPSG:32633" or WKT; "" where the file names none."""


def load_geotiff(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: str = "ground",
    band: int = 1,
    window: tuple[int, int, int, int] | None = None,
) -> Grid:
    """Return the grid of a GeoTIFF; `read_geotiff` returns its values as well.

    Parameters
    ----------
    path, neighbors, band, window
        As for `read_geotiff`.
    mobility : {"ground", "air"}
        With "ground" cells without data are walls, with "air" none is.
    """
    file = map_file(path, mobility, ("ground", "air"))
    space = read_geotiff(file, neighbors=neighbors, band=band, window=window).space
    return space if mobility == "ground" else space.with_walls(None)


def read_geotiff(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 8,
    band: int = 1,
    window: tuple[int, int, int, int] | None = None,
) -> Raster:
    """Return a band of a GeoTIFF as a grid and its values: elevation, cost, density.

    Positions on the grid are coordinates of the file's reference system, as in other files of that
    system.

    Parameters
    ----------
    path : path_like
        The file.
    neighbors : int or array_like, optional
        As for `Grid`.
    band : int, optional
        1 for the first.
    window : tuple of int, optional
        (column, row, width, height) of a part, in pixels from the upper left; by default all.

    Raises
    ------
    BadMapFile
        For a file that isn't such a raster, has pixels that are not square or not north up, no such
        band, or more than 2**28 cells.
    MissingLibrary
        Without rasterio.
    """
    file, number = checks.path("path", path), checks.integer("band", band, minimum=1)
    sides = None if window is None else _window(window)
    rasterio = _rasterio("Reading a GeoTIFF")
    file_size(file, "A map", BadMapFile)
    with parsing(file.name, "GeoTIFF"), rasterio.open(file, driver="GTiff") as raster:
        column, row, width, height = sides or (0, 0, raster.width, raster.height)
        t = raster.transform
        if t.b or t.d or t.a <= 0 or not math.isclose(t.a, -t.e, rel_tol=1e-9):
            raise ValueError("pixels that are not square, or north that is not up; use gdalwarp")
        if number > raster.count or width * height > MAX_CELLS:
            raise ValueError(f"band={number} of {raster.count}, window={width} x {height} cells")
        if column + width > raster.width or row + height > raster.height:
            raise ValueError(f"{window} of {raster.width} x {raster.height} pixels")
        part = rasterio.windows.Window(column, row, width, height)
        found = raster.read(number, window=part, masked=True)
        crs = raster.crs.to_string() if raster.crs else ""
        low = t.f - raster.height * t.a + (raster.height - row - height) * t.a
    values = np.ma.getdata(found).astype(np.float32)
    walls = np.ma.getmaskarray(found) | ~np.isfinite(values)
    values[walls] = 0
    origin = (t.c + column * t.a, low)
    space = Grid(cell_size=t.a, origin=origin, y_up=True, walls=walls, neighbors=neighbors)
    return Raster(space, values, crs)


def save_geotiff(
    path: str | os.PathLike[str], values: ArrayLike, space: Grid, *, crs: str = ""
) -> None:
    """Write values on a grid as a GeoTIFF of one float32 band; walls become no data (NaN).

    The file is written in full, or not at all.

    Parameters
    ----------
    path : path_like
        The file.
    values : layer, expression or array_like
        An array has shape (height, width).
    space : Grid
        The grid of the values.
    crs : str, optional
        As in `Raster`.

    Raises
    ------
    InvalidValue
        For values of another shape, a space that is no grid, or a reference system that rasterio
        doesn't know.
    BadMapFile
        If the file can't be written.
    MissingLibrary
        Without rasterio.
    """
    file = target_of("path", path)
    grid_of(space, "A GeoTIFF", remedy="Pass layer.space of a layer on a grid")
    cells = checks.shaped("values", getattr(values, "values", values), space.shape, "biuf")
    rasterio = _rasterio("Writing a GeoTIFF")
    with np.errstate(over="ignore"):
        cells = np.where(space.walls, np.nan, cells).astype(np.float32)
    left, size = space.origin[0], space.cell_size
    top = space.origin[1] + size * space.height
    try:
        reference = rasterio.crs.CRS.from_user_input(crs) if checks.text("crs", crs) else None
    except (rasterio.errors.CRSError, ValueError) as error:
        got, remedy = f"{crs!r}: {error}", 'Pass "EPSG:32633", say'
        raise InvalidValue("crs is a reference system", got=got, remedy=remedy) from None
    with Staging(file.parent, [file.name]) as staging:
        try:
            with rasterio.open(
                staging.part(file.name),
                "w",
                driver="GTiff",
                height=space.height,
                width=space.width,
                count=1,
                dtype="float32",
                crs=reference,
                transform=rasterio.transform.Affine(size, 0, left, 0, -size, top),
                nodata=math.nan,
                compress="deflate",
            ) as raster:
                raster.write(cells if space.y_up else cells[::-1], 1)
        except (OSError, rasterio.errors.RasterioError) as error:
            raise BadMapFile(
                "A GeoTIFF needs a path that can be written",
                got=f"{path}: {error}",
                remedy="Choose another path",
            ) from None
        staging.commit()


def _window(window: object) -> list[int]:
    """Return a checked window: column, row, width, height."""
    parts = checks.sequence("window", window)
    if len(parts) != 4:
        rule = "window is (column, row, width, height) in pixels"
        raise InvalidValue(rule, got=f"{window!r:.80}", remedy="Pass four whole numbers")
    return [checks.integer("window", part, minimum=k // 2) for k, part in enumerate(parts)]


def _rasterio(feature: str) -> Any:
    with needs("rasterio", "gis", feature):
        import rasterio
        import rasterio.windows
    return rasterio
