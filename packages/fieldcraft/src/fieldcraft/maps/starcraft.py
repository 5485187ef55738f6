"""StarCraft II grids as NumPy `.npz` archives."""

from __future__ import annotations

import io
import math
import os
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile
from fieldcraft.maps.reading import map_file, read_bytes
from fieldcraft.space.grid import Grid

__all__ = ["GRIDS", "MOBILITIES", "load_starcraft"]

GRIDS = ("pathing", "placement")
MOBILITIES = ("ground", "air")

# The largest map of the game has 256 x 256 cells.
_MAX_CELLS = 2**22
_MAX_UNITS = 2**16
_MAX_BYTES = 2**24
_MAX_MEMBERS = 1000
_MAX_HEADER = 4096
# (columns, rows) that a resource covers, by its number in unit_resource.
_FOOTPRINTS = {1: (2, 1), 2: (3, 3)}
_REMEDY = (
    "Write it with numpy.savez_compressed(path, pathing=..., placement=...), uint8 arrays indexed"
    " [y, x] with y upwards"
)


def load_starcraft(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: str = "ground",
    grid: str = "pathing",
    resources: bool = False,
) -> Grid:
    """The grid of a StarCraft II map: one cell of size 1 per game cell, `y_up=True`, so that
    positions stay the game's own.

    The archive holds `pathing` and `placement`, whole numbers or bool of shape (height, width)
    indexed [y, x] with y upwards (row 0 is the south edge), as `game_info.pathing_grid.data_numpy`
    has them; row 0 of the grid's arrays is the north edge.

    - `mobility`: "ground" (walls are where the array is 0) or "air" (no walls).
    - `grid`: "pathing", where a ground unit can walk, or "placement", where a building can stand.
    - `resources`: whether mineral fields (2 x 1 cells) and geysers (3 x 3) are walls too, from the
      arrays `unit_xy`, shape (N, 2), and `unit_resource`, shape (N,): 0 none, 1 minerals, 2 gas.
      The game's own pathing has them cut out only where the recording player saw them, around the
      first town hall. False leaves the array as it is.

    Raises
    ------
    BadMapFile
        For a damaged archive, arrays that are missing or of the wrong type or shape, and more than
        2**22 cells.
    """
    file = map_file(path, mobility, MOBILITIES)
    checks.choice("grid", grid, GRIDS)
    checks.flag("resources", resources)
    archive = _Archive(file)
    values = archive.array(grid, "biu", (None, None), _MAX_CELLS)
    if not values.size:
        raise BadMapFile(
            "A map has at least one cell",
            got=f"shape {values.shape} for {grid!r} in {file.name}",
            remedy=_REMEDY,
        )
    walls = (values == 0)[::-1]
    height, width = walls.shape
    if resources:
        units = archive.array("unit_xy", "fiu", (None, 2), 2 * _MAX_UNITS)
        kinds = archive.array("unit_resource", "iu", (len(units),), _MAX_UNITS)
        _stamp(file, walls[::-1], units, kinds)
    return Grid(
        width, height, y_up=True, walls=walls if mobility == "ground" else None, neighbors=neighbors
    )


def _stamp(
    file: Path, walls: NDArray[np.bool_], units: NDArray[np.generic], kinds: NDArray[np.generic]
) -> None:
    """Make walls, indexed [y, x] with y upwards, of what the resources cover."""
    height, width = walls.shape
    for kind, (columns, rows) in _FOOTPRINTS.items():
        for x, y in units[kinds == kind].astype(np.float64):
            if not (0 <= x <= width and 0 <= y <= height):
                raise BadMapFile(
                    "The resources of a map lie on it",
                    got=f"one at ({x:g}, {y:g}) in {file.name}",
                    remedy="Mend unit_xy, or pass resources=False",
                )
            left, bottom = round(x - columns / 2), round(y - rows / 2)
            walls[max(bottom, 0) : bottom + rows, max(left, 0) : left + columns] = True


class _Archive:
    """The arrays of an `.npz` file, each checked against its claims before it is unpacked."""

    def __init__(self, file: Path) -> None:
        self._file = file
        data = read_bytes(
            file,
            _MAX_BYTES,
            "A StarCraft II map is far smaller: keep only its arrays in the archive",
        )
        if data.count(b"PK\x01\x02") > _MAX_MEMBERS:
            raise BadMapFile(
                f"An .npz archive has at most {_MAX_MEMBERS} arrays",
                got=f"more in {file.name}",
                remedy=_REMEDY,
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._members = {
                info.filename.removesuffix(".npy"): info for info in self._zip.infolist()
            }
        except (
            Exception
        ) as error:  # zipfile lets many kinds of exception through on damaged directories
            raise BadMapFile(
                "An .npz file is a zip archive of arrays",
                got=f"{file.name}: {error}",
                remedy=_REMEDY,
            ) from None

    def array(
        self, name: str, kinds: str, shape: tuple[int | None, ...], most: int
    ) -> NDArray[np.generic]:
        """The array `name` if its dtype is one of `kinds`, its shape fits (None for any) and it has
        at most `most` items.
        """
        try:
            info = self._members[name]
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"compression {info.compress_type}")
            with self._zip.open(info) as member:
                dtype, found, fortran = _npy_header(member)
                fits = len(found) == len(shape) and all(
                    wanted in (None, side) and side >= 0
                    for wanted, side in zip(shape, found, strict=True)
                )
                if not fits or dtype.kind not in kinds or math.prod(found) > most:
                    raise ValueError(f"{dtype} of shape {found}")
                count = math.prod(found) * dtype.itemsize
                body = member.read(count + 1)
            if len(body) != count:
                came = "more" if len(body) > count else f"{len(body):,}"
                raise ValueError(f"{came} than its {count:,} bytes")
        except Exception as error:  # a damaged archive raises errors of many kinds
            axes = ", ".join("any" if side is None else str(side) for side in shape)
            raise BadMapFile(
                f"This archive holds a whole array {name!r} of whole numbers (positions may be"
                f" floats), of shape ({axes}), of at most {most:,} items",
                got=f"{type(error).__name__}: {' '.join(str(error).split())[:200]} in"
                f" {self._file.name}",
                remedy=_REMEDY,
            ) from None
        return np.frombuffer(body, dtype=dtype).reshape(found, order="F" if fortran else "C")


def _npy_header(member: IO[bytes]) -> tuple[np.dtype[np.generic], tuple[int, ...], bool]:
    """Dtype, shape, and whether the items are in Fortran order."""
    version = np.lib.format.read_magic(member)
    if version != (1, 0):  # numpy writes a later one only for headers above 64 KB
        raise ValueError(f"version {version} of the .npy format is not read")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(member, max_header_size=_MAX_HEADER)
    return dtype, shape, fortran
