"""Landscapes: GeoTIFF files, read by rasterio with their transform and reference system, whole, a
window, or piece by piece.
"""

from __future__ import annotations

import functools
import math
import os
import threading
from collections.abc import Callable
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

__all__ = ["Raster", "RasterFile", "load_geotiff", "open_geotiff", "read_geotiff", "save_geotiff"]

_MAX_CELLS = 2**28


class Raster(NamedTuple):
    """One band of a GeoTIFF: the ground it lies on, what it says of each cell, and where on Earth
    that is.
    """

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
    - `window`: (column, row, width, height) of a piece, in pixels from the upper left; the whole if
      not given.

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

    Positions on the grid are coordinates of the file's reference system, so that points of other
    files in it fit as they are. Arguments as for `load_geotiff`. Raises `BadMapFile` for a file
    that isn't such a raster, has pixels that are not square or not north up, no such band, or more
    than 2^28 cells (take a window), and `MissingLibrary` without rasterio.
    """
    raster = open_geotiff(path, band=band)
    column, row, width, height = _window(window) if window is not None else (0, 0, *raster.size)
    if column + width > raster.size[0] or row + height > raster.size[1]:
        raise BadMapFile(
            "A window lies on the raster",
            got=f"{window} of {raster.size[0]} x {raster.size[1]} pixels",
            remedy="Pass a piece inside of it",
        )
    if width * height > _MAX_CELLS:
        raise BadMapFile(
            f"A raster has at most {_MAX_CELLS:,} cells",
            got=f"{width} x {height} in {raster.path.name}",
            remedy="Pass window=(column, row, w, h)",
        )
    values, walls = raster.read(slice(row, row + height), slice(column, column + width))
    (left, low), side = raster.ground["origin"], raster.ground["cell_size"]
    origin = (left + column * side, low + (raster.size[1] - row - height) * side)
    space = Grid(
        width, height, cell_size=side, origin=origin, y_up=True, walls=walls, neighbors=neighbors
    )
    return Raster(space, values, raster.crs)


class RasterFile:
    """One band of a GeoTIFF of any size, of which pieces are read when they are asked for; made by
    `open_geotiff`.

    It is what a world in blocks takes: `cluster.World(folder, raster.size, walls=raster.walls,
    **raster.ground)`. Indexed by two slices, of
    rows and of columns, it answers values, float32, 0 where there are no data: so it is a
    `resistance=` or a `cost=` as well. It may be asked by several threads, and be sent to other
    processes that find the file under the same path.
    """

    def __init__(self, path: Path, band: int) -> None:
        self._open(path, band)

    def _open(self, path: Path, band: int) -> None:
        self.path, self.band = path, band
        self._lock = threading.Lock()
        self._raster: Any = None
        with self._lock:
            raster = self._opened()
            self.shape: tuple[int, int] = (raster.height, raster.width)
            """(height, width) in pixels."""
            t = raster.transform
            self.ground: dict[str, Any] = {
                "cell_size": t.a,
                "origin": (t.c, t.f - raster.height * t.a),
                "y_up": True,
            }
            """The arguments of a grid or a world on which positions are coordinates of the file's
            reference system.
            """
            self.crs: str = raster.crs.to_string() if raster.crs else ""
            """The reference system, as in `Raster`."""

    def __repr__(self) -> str:
        return f"<RasterFile {self.path.name}, {self.shape[1]} x {self.shape[0]}, band {self.band}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "band": self.band}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._open(state["path"], state["band"])

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels."""
        return self.shape[1], self.shape[0]

    def __getitem__(self, part: tuple[slice, slice]) -> NDArray[np.float32]:
        return self.read(*part)[0]

    def walls(self, rows: slice, columns: slice) -> NDArray[np.bool_]:
        """The cells of some rows and columns that have no data."""
        return self.read(rows, columns)[1]

    def walls_where(
        self, condition: Callable[[NDArray[np.float32]], Any]
    ) -> Callable[[slice, slice], NDArray[np.bool_]]:
        """A function for `walls=`: cells without data, and those of values that meet a condition,
        `lambda heights: heights > 2500`, say.
        """
        if not callable(condition):
            raise InvalidValue(
                "condition is a function of values",
                got=repr(condition)[:80],
                remedy="Pass lambda heights: heights > 2500",
            )
        return functools.partial(self._walls_where, condition)

    def _walls_where(
        self, condition: Callable[[NDArray[np.float32]], Any], rows: slice, columns: slice
    ) -> NDArray[np.bool_]:
        values, empty = self.read(rows, columns)
        return empty | np.asarray(condition(values), dtype=np.bool_)

    def read(self, rows: slice, columns: slice) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The values of a piece, 0 where there are no data, and the cells without data."""
        (top, bottom), (left, right) = (
            _stretch(rows, self.shape[0]),
            _stretch(columns, self.shape[1]),
        )
        window = _rasterio("Reading a GeoTIFF").windows.Window(
            left, top, right - left, bottom - top
        )
        with self._lock:
            try:
                found = self._opened().read(self.band, window=window, masked=True)
            except Exception as error:  # GDAL raises whatever it stumbles over
                raise _cut_off(self.path, error) from None
        values = np.ma.getdata(found).astype(np.float32)
        walls = np.ma.getmaskarray(found) | ~np.isfinite(values)
        values[walls] = 0
        return values, walls

    def _opened(self) -> Any:
        """The file, open; a fork opens its own."""
        if self._raster is None or self._raster[0] != os.getpid():
            rasterio = _rasterio("Reading a GeoTIFF")
            file_size(self.path)
            try:
                raster = rasterio.open(self.path, driver="GTiff")
            except Exception as error:
                raise _cut_off(self.path, error) from None
            if self.band > raster.count:
                raise BadMapFile(
                    "A band is one of the file's",
                    got=f"band={self.band} of {raster.count} in {self.path.name}",
                    remedy="Pass 1 for the first",
                )
            t = raster.transform
            if t.b or t.d or t.a <= 0 or not math.isclose(t.a, -t.e, rel_tol=1e-9):
                raise BadMapFile(
                    "Pixels are square, and north is up",
                    got=f"{t.a:g} x {-t.e:g}, turned by {t.b:g} and {t.d:g}, in {self.path.name}",
                    remedy="Warp it first: gdalwarp -tr SIZE SIZE",
                )
            self._raster = (os.getpid(), raster)
        return self._raster[1]


def open_geotiff(path: str | os.PathLike[str], *, band: int = 1) -> RasterFile:
    """Open a band of a GeoTIFF of any size, to be read piece by piece: the ground of a
    `cluster.World`.

    Raises as `read_geotiff`, but takes files of any size.
    """
    return RasterFile(checks.path("path", path), checks.integer("band", band, minimum=1))


def save_geotiff(
    path: str | os.PathLike[str], values: ArrayLike, space: Grid, *, crs: str = ""
) -> None:
    """Write values on a grid (a layer, an expression, an array of shape (height, width)) as a
    GeoTIFF of one float32 band.

    Walls are written as no data (NaN). `crs` as in `Raster`. The file is whole or not written.
    Raises `InvalidValue` for values of another shape, a space that is no grid or a reference system
    that rasterio doesn't know, `MissingLibrary` without rasterio.
    """
    file = checks.path("path", path)
    grid_of(space, "A GeoTIFF", remedy="Pass layer.space of a layer on a grid")
    shown = checks.array("Values", getattr(values, "values", values))
    if shown.shape != space.shape or shown.dtype.kind not in "biuf":
        raise InvalidValue(
            f"Values have the shape of the grid, {space.shape}",
            got=f"{shown.dtype} of shape {shown.shape}",
            remedy="Pass values on it",
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
        raise InvalidValue(
            "crs is a reference system", got=f"{crs!r}: {error}", remedy='Pass "EPSG:32633", say'
        ) from None
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
                transform=transform,
                nodata=math.nan,
                compress="deflate",
            ) as raster:
                raster.write(cells if space.y_up else cells[::-1], 1)
        except (OSError, rasterio.errors.RasterioError) as error:
            raise BadMapFile(
                "A GeoTIFF goes to a disk with room",
                got=f"{path}: {error}",
                remedy="Choose another path",
            ) from None
        staging.commit()


def _cut_off(file: Path, error: Exception) -> BadMapFile:
    return BadMapFile(
        "A landscape is a whole GeoTIFF",
        got=f"{file.name}: {str(error)[:200]}",
        remedy="Export it again; the file may be cut off",
    )


def _stretch(part: slice, size: int) -> tuple[int, int]:
    """Where a slice of a raster begins and ends."""
    if not isinstance(part, slice):
        raise InvalidValue(
            "A raster is cut by two slices",
            got=repr(part)[:80],
            remedy="Pass slices of rows and of columns",
        )
    first, last, step = part.indices(size)
    if step != 1 or first >= last:
        raise InvalidValue(
            "A piece of a raster has rows and columns",
            got=repr(part)[:80],
            remedy="Pass slice(first, last)",
        )
    return first, last


def _window(window: object) -> tuple[int, int, int, int]:
    parts = checks.sequence("window", window)
    if len(parts) != 4:
        raise InvalidValue(
            "window is (column, row, width, height) in pixels",
            got=repr(window)[:80],
            remedy="Pass four whole numbers",
        )
    column, row, width, height = (checks.integer("window", part) for part in parts)
    return (
        column,
        row,
        checks.integer("the width of a window", width, minimum=1),
        checks.integer("its height", height, minimum=1),
    )


def _rasterio(feature: str) -> Any:
    try:
        import rasterio
        import rasterio.windows
    except ImportError:
        raise MissingLibrary("rasterio", "gis", feature) from None
    return rasterio
