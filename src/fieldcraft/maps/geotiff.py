"""Landscapes: GeoTIFF files, read by rasterio with their transform and reference system, whole or a window of them."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue, MissingLibrary
from fieldcraft.files import Staging
from fieldcraft.maps.image import MOBILITIES
from fieldcraft.maps.reading import file_size
from fieldcraft.space import Grid, grid_of

__all__ = ["Raster", "load_geotiff", "read_geotiff", "save_geotiff"]

_MAX_CELLS = 2**28


class Raster(NamedTuple):
    """One band of a GeoTIFF: the ground it lies on, what it says of each cell, and where on Earth that is."""

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
    """The grid of a GeoTIFF; `read_geotiff` gives its values as well.

    - `mobility`: "ground" (cells without data are walls) or "air" (no walls).
    - `band`: which band says where data are, 1 for the first.
    - `window`: (column, row, width, height) of a piece, in pixels from the upper left; the whole if not given.

    Raises as `read_geotiff`.
    """
    checks.choice("mobility", mobility, MOBILITIES)
    space = read_geotiff(path, neighbors=neighbors, band=band, window=window).space
    return space if mobility == "ground" else space.with_walls(None)


def read_geotiff(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 8,
    band: int = 1,
    window: tuple[int, int, int, int] | None = None,
) -> Raster:
    """A band of a GeoTIFF as a grid and its values: elevation, cost, density.

    Positions on the grid are coordinates of the file's reference system, so that points of other files in it fit as they are.
    Arguments as for `load_geotiff`. Raises `BadMapFile` for a file that isn't such a raster, has pixels that are not square or not
    north up, no such band, or more than 2^28 cells (take a window), and `MissingLibrary` without rasterio.
    """
    file = checks.path("path", path)
    band = checks.whole("band", band, minimum=1)
    piece = None if window is None else _window(window)
    rasterio = _rasterio("Reading a GeoTIFF")
    file_size(file)
    try:
        with rasterio.open(file, driver="GTiff") as raster:
            return _read(rasterio, raster, file, neighbors, band, piece)
    except (BadMapFile, InvalidValue):
        raise
    except Exception as error:  # GDAL raises whatever it stumbles over
        raise BadMapFile(
            "A landscape is a whole GeoTIFF", got=f"{file.name}: {str(error)[:200]}", remedy="Export it again; the file may be cut off"
        ) from None


def save_geotiff(path: str | os.PathLike[str], values: ArrayLike, space: Grid, *, crs: str = "") -> None:
    """Write values on a grid (a layer, an expression, an array of shape (height, width)) as a GeoTIFF of one float32 band.

    Walls are written as no data (NaN). `crs` as in `Raster`. The file is whole or not written. Raises `InvalidValue` for values of
    another shape, a space that is no grid or a reference system that rasterio doesn't know, `MissingLibrary` without rasterio.
    """
    file = checks.path("path", path)
    grid_of(space, "A GeoTIFF", remedy="Pass layer.space of a layer on a grid")
    shown = checks.array("Values", getattr(values, "values", values))
    if shown.shape != space.shape or shown.dtype.kind not in "biuf":
        raise InvalidValue(
            f"Values have the shape of the grid, {space.shape}", got=f"{shown.dtype} of shape {shown.shape}", remedy="Pass values on it"
        )
    rasterio = _rasterio("Writing a GeoTIFF")
    with np.errstate(over="ignore"):
        cells = np.where(space.walls, np.nan, shown).astype(np.float32)
    left, low = space.origin
    size = space.cell_size
    transform = rasterio.transform.Affine(size, 0, left, 0, -size, low + size * space.height)
    try:
        reference = rasterio.crs.CRS.from_user_input(crs) if checks.text("crs", crs) else None
    except (rasterio.errors.CRSError, ValueError) as error:
        raise InvalidValue("crs is a reference system", got=f"{crs!r}: {error}", remedy='Pass "EPSG:32633", say') from None
    with Staging(file.parent, [file.name]) as staging:
        try:
            with rasterio.open(
                staging.part(file.name), "w", driver="GTiff", height=space.height, width=space.width, count=1, dtype="float32",
                crs=reference, transform=transform, nodata=math.nan, compress="deflate",
            ) as raster:  # fmt: skip
                raster.write(cells if space.y_up else cells[::-1], 1)
        except (OSError, rasterio.errors.RasterioError) as error:
            raise BadMapFile("A GeoTIFF goes to a disk with room", got=f"{path}: {error}", remedy="Choose another path") from None
        staging.commit()


def _read(
    rasterio: Any, raster: Any, file: Path, neighbors: int | ArrayLike, band: int, window: tuple[int, int, int, int] | None
) -> Raster:
    if band > raster.count:
        raise BadMapFile("A band is one of the file's", got=f"band={band} of {raster.count} in {file.name}", remedy="Pass 1 for the first")
    column, row, width, height = window or (0, 0, raster.width, raster.height)
    if column + width > raster.width or row + height > raster.height:
        raise BadMapFile(
            "A window lies on the raster", got=f"{window} of {raster.width} x {raster.height} pixels", remedy="Pass a piece inside of it"
        )
    if width * height > _MAX_CELLS:
        raise BadMapFile(
            f"A raster has at most {_MAX_CELLS:,} cells", got=f"{width} x {height} in {file.name}", remedy="Pass window=(column, row, w, h)"
        )
    t = raster.transform
    if t.b or t.d or t.a <= 0 or not math.isclose(t.a, -t.e, rel_tol=1e-9):
        raise BadMapFile(
            "Pixels are square, and north is up",
            got=f"{t.a:g} x {-t.e:g}, turned by {t.b:g} and {t.d:g}, in {file.name}",
            remedy="Warp it first: gdalwarp -tr SIZE SIZE",
        )
    read = raster.read(band, window=rasterio.windows.Window(column, row, width, height), masked=True)
    values = np.ma.getdata(read).astype(np.float32)
    walls = np.ma.getmaskarray(read) | ~np.isfinite(values)
    values[walls] = 0
    origin = (t.c + column * t.a, t.f - (row + height) * t.a)
    space = Grid(width, height, cell_size=t.a, origin=origin, y_up=True, walls=walls, neighbors=neighbors)
    return Raster(space, values, raster.crs.to_string() if raster.crs else "")


def _window(window: object) -> tuple[int, int, int, int]:
    parts = checks.sequence("window", window)
    if len(parts) != 4:
        raise InvalidValue("window is (column, row, width, height) in pixels", got=repr(window)[:80], remedy="Pass four whole numbers")
    column, row, width, height = (checks.whole("window", part) for part in parts)
    return column, row, checks.whole("the width of a window", width, minimum=1), checks.whole("its height", height, minimum=1)


def _rasterio(feature: str) -> Any:
    try:
        import rasterio
        import rasterio.windows
    except ImportError:
        raise MissingLibrary("rasterio", "gis", feature) from None
    return rasterio
