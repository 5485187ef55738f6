"""Landscapes: GeoTIFF files, read and written by rasterio with their transform and reference
system.
"""

from __future__ import annotations

import contextlib
import math
import os
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, InvalidValue, needs
from fieldcraft.base.files import file_size, target_of
from fieldcraft.base.staging import Staging
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import map_file, parsing
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.grid.grid import MAX_CELLS

__all__ = ["Raster", "load_geotiff", "read_geotiff", "save_geotiff"]

_OBLONG = 0.02  # how much longer one side of a pixel that counts as square may be


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
    mobility: Mobility = "ground",
    band: int = 1,
    window: tuple[int, int, int, int] | None = None,
    degrees: bool = False,
) -> Grid:
    """Return the grid of a GeoTIFF; `read_geotiff` returns its values as well.

    Parameters
    ----------
    path, neighbors, band, window, degrees
        As for `read_geotiff`.
    mobility : {"ground", "air"}
        With "ground" cells without data are walls, with "air" none is.
    """
    file = map_file(path, mobility, ("ground", "air"))
    space = read_geotiff(file, neighbors=neighbors, band=band, window=window, degrees=degrees).space
    if mobility == "ground":
        return space
    return space.with_walls(None)


def read_geotiff(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 8,
    band: int = 1,
    window: tuple[int, int, int, int] | None = None,
    degrees: bool = False,
) -> Raster:
    """Return a band of a GeoTIFF as a grid and its values: elevation, cost, density.

    Positions on the grid are coordinates of the file's reference system, as in other files of that
    system. Where pixels are not quite square, cells have the mean of their sides, and are at most
    half a pixel off.

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
    degrees : bool, optional
        Read a raster whose system counts degrees, with distances, radii and path lengths in
        degrees. A degree of longitude is shorter than one of latitude, so cells as wide as high in
        degrees are not square on the ground.

    Raises
    ------
    BadMapFile
        For a file that isn't such a raster, a picture without a georeference, pixels that are not
        north up or so far from square that a cell would be more than half a pixel off, for one in
        degrees without `degrees`, and for a band, a window or a size that it doesn't have.
    MissingLibrary
        Without rasterio.
    """
    file = checks.path("path", path)
    number = checks.integer("band", band, minimum=1)
    in_degrees = checks.flag("degrees", degrees)
    chosen = checks.optional(_part)("window", window)
    rasterio = _rasterio("Reading a GeoTIFF")
    file_size(file, "A map", BadMapFile)
    with (
        parsing(file.name, "GeoTIFF"),
        _without_warning(rasterio),
        rasterio.open(file, driver="GTiff") as raster,
    ):
        column, row, width, height = chosen or (0, 0, raster.width, raster.height)
        _check_part(raster, file.name, number, (column, row, width, height))
        pixel_width, pixel_height = _pixel_sides(raster, file.name)
        cell_size = _cell_size(pixel_width, pixel_height, width, height, file.name)
        part = rasterio.windows.Window(column, row, width, height)
        found = raster.read([number], window=part, masked=True)[0]
        if raster.crs:
            crs = raster.crs.to_string()
        else:
            crs = ""
        transform = raster.transform
        below = raster.height - row - height
        bottom = transform.f - raster.height * pixel_height + below * pixel_height
        # Cells and pixels have a common center; the corners differ where pixels are not square.
        left = transform.c + column * pixel_width + (pixel_width - cell_size) * width / 2
        low = bottom + (pixel_height - cell_size) * height / 2
        if raster.crs and raster.crs.is_geographic and not in_degrees:
            top = bottom + height * pixel_height
            _refuse_degrees(file.name, max(abs(bottom), abs(top)))
    values = np.ma.getdata(found).astype(np.float32)
    walls = np.ma.getmaskarray(found) | ~np.isfinite(values)
    values[walls] = 0
    space = Grid(
        cell_size=cell_size,
        origin=(left, low),
        y_up=True,
        walls=walls,
        neighbors=neighbors,
    )
    return Raster(space, values, crs)


@contextlib.contextmanager
def _without_warning(rasterio: Any) -> Iterator[None]:
    """Ignore the warning about a raster without a georeference, which is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        yield


def _check_part(raster: Any, name: str, band: int, window: tuple[int, int, int, int]) -> None:
    """Refuse a band or a window that a raster does not have, and more cells than a grid has."""
    column, row, width, height = window
    if band > raster.count:
        raise BadMapFile(
            f"The bands of this GeoTIFF are 1 to {raster.count}",
            got=f"band={band} of {name}",
            remedy="Pass one of these",
        )
    if column + width > raster.width or row + height > raster.height:
        raise BadMapFile(
            f"A window lies on the {raster.width} x {raster.height} pixels of its GeoTIFF",
            got=f"window={window} of {name}",
            remedy="Pass (column, row, width, height) of a part",
        )
    if width * height > MAX_CELLS:
        raise BadMapFile(
            f"A grid has at most {MAX_CELLS:,} cells",
            got=f"{width} x {height} pixels of {name}",
            remedy="Pass window= for a part of it",
        )


def _pixel_sides(raster: Any, name: str) -> tuple[float, float]:
    """Return the width and height of the pixels of a raster whose rows run from north to south."""
    transform = raster.transform
    if transform.is_identity:
        points, _ = raster.gcps
        if points:
            raise BadMapFile(
                "A GeoTIFF says where its pixels are by a transform",
                got=f"{len(points)} ground control points in {name}",
                remedy="Warp it with gdalwarp, which makes a transform of them",
            )
        raise BadMapFile(
            "A GeoTIFF has a georeference: it says where its pixels are",
            got=f"a TIFF picture without one, {name}",
            remedy=(
                "Save it as PNG, and load that as a picture; or add a georeference with"
                " gdal_translate -a_ullr LEFT TOP RIGHT BOTTOM"
            ),
        )
    if transform.b or transform.d:
        raise BadMapFile(
            "The rows of a GeoTIFF run from west to east",
            got=f"rows turned by {math.degrees(math.atan2(transform.d, transform.a)):g} degrees,"
            f" {name}",
            remedy="Turn it north up with gdalwarp",
        )
    if transform.a <= 0 or transform.e >= 0:
        raise BadMapFile(
            "The rows of a GeoTIFF run from west to east, the first in the north",
            got=f"steps of ({transform.a:g}, {transform.e:g}) per column and row in {name}",
            remedy="Turn it north up with gdalwarp",
        )
    return transform.a, -transform.e


def _cell_size(
    pixel_width: float, pixel_height: float, columns: int, rows: int, name: str
) -> float:
    """Return the size of square cells that replace pixels about a common center.

    Real rasters have pixels that are square but for rounding, or for the whole number of pixels on
    a side. A cell may be half a pixel from its own pixel.
    """
    size = (pixel_width + pixel_height) / 2
    shift = max(
        abs(pixel_width - size) * columns / 2 / pixel_width,
        abs(pixel_height - size) * rows / 2 / pixel_height,
    )
    if shift > 0.5 or abs(pixel_width - pixel_height) > _OBLONG * size:
        raise BadMapFile(
            f"The pixels of a GeoTIFF are square, to {_OBLONG:.0%} and so that no cell is more than"
            " half a pixel from its own",
            got=f"pixels of {pixel_width:.9g} x {pixel_height:.9g} and cells {shift:.1f} pixels off"
            f" in {name}",
            remedy=f"Resample it with gdalwarp -tr {size:.6g} {size:.6g}, or pass window= for a"
            " smaller part",
        )
    return size


def _refuse_degrees(name: str, latitude: float) -> None:
    """Refuse a raster in degrees; `latitude` is the farthest from the equator."""
    share = 100 * math.cos(math.radians(min(latitude, 90.0)))
    raise BadMapFile(
        "The reference system of a GeoTIFF counts meters or feet, since cells are square on the"
        " ground",
        got=f"{name} in degrees: at latitude {latitude:.1f} a degree of longitude is only"
        f" {share:.0f} % as long as one of latitude",
        remedy="Reproject it: gdalwarp -t_srs EPSG:32633 in.tif out.tif, with the UTM zone of the"
        " place; or pass degrees=True for distances in degrees",
    )


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
    left = space.origin[0]
    size = space.cell_size
    top = space.origin[1] + size * space.height
    try:
        if checks.text("crs", crs):
            reference = rasterio.crs.CRS.from_user_input(crs)
        else:
            reference = None
    except (rasterio.errors.CRSError, ValueError) as error:
        got = f"{crs!r}: {error}"
        remedy = 'Pass "EPSG:32633", say'
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


def _part(name: str, window: object) -> tuple[int, int, int, int]:
    """Return a checked window: column, row, width, height."""
    parts = checks.sequence(name, window)
    if len(parts) != 4:
        rule = f"{name} is (column, row, width, height) in pixels"
        raise InvalidValue(rule, got=f"{window!r:.80}", remedy="Pass four whole numbers")
    column = checks.integer(name, parts[0])
    row = checks.integer(name, parts[1])
    width = checks.integer(name, parts[2], minimum=1)
    height = checks.integer(name, parts[3], minimum=1)
    return column, row, width, height


def _rasterio(feature: str) -> Any:
    with needs("rasterio", "gis", feature):
        import rasterio
        import rasterio.windows
    return rasterio
