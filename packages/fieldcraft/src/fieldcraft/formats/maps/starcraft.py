"""StarCraft II grids as NumPy `.npz` archives."""

from __future__ import annotations

import io
import os
import zipfile
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import map_file, parsing, read_bytes
from fieldcraft.space import Grid

__all__ = ["load_starcraft"]

_KIND = "StarCraft II archive"
_MAX_BYTES = 2**24  # the largest map of the game has 256 x 256 cells
# (columns, rows) that a resource covers, by its number in unit_resource
_FOOTPRINTS = {1: (2, 1), 2: (3, 3)}


def load_starcraft(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: Mobility = "ground",
    grid: str = "pathing",
    resources: bool = False,
) -> Grid:
    """Return the grid of a StarCraft II map: one cell of size 1 per game cell, `y_up=True`, so that
    positions are the game's own.

    The archive holds `pathing` and `placement`, whole numbers or bool of shape (height, width)
    indexed [y, x] with y upwards (row 0 is the south edge), as in
    `game_info.pathing_grid.data_numpy`; row 0 of the grid's arrays is the north edge.

    Parameters
    ----------
    path : path_like
        The archive.
    neighbors : int or array_like, optional
        As for `Grid`.
    mobility : {"ground", "air"}
        With "ground" cells are walls where the array is 0, with "air" none is.
    grid : {"pathing", "placement"}
        Where a ground unit can walk, or where a building can stand.
    resources : bool, optional
        Whether mineral fields (2 x 1 cells) and geysers (3 x 3) are walls too, from the arrays
        `unit_xy`, shape (N, 2), and `unit_resource`, shape (N,): 0 none, 1 minerals, 2 gas. In the
        game's own pathing they are walls only where the recording player saw them, around the first
        town hall.

    Raises
    ------
    BadMapFile
        For a damaged archive, and for arrays that are missing, of another type or shape, or larger
        than 16 MB.
    """
    file = map_file(path, mobility, ("ground", "air"))
    name = checks.choice("grid", grid, ("pathing", "placement"))
    checks.flag("resources", resources)
    raw = read_bytes(file, _MAX_BYTES, "Keep only the arrays of the map in the archive")
    with parsing(file.name, _KIND):
        values = _array(raw, name, "biu")
        if values.ndim != 2 or not values.size:
            raise ValueError(f"{name} of shape {values.shape}")
        walls = values == 0
        if resources:
            units = _array(raw, "unit_xy", "fiu")
            kinds = _array(raw, "unit_resource", "iu")
            _add_resources(walls, units, kinds)
    return Grid(walls=walls[::-1] & (mobility == "ground"), y_up=True, neighbors=neighbors)


def _array(raw: bytes, name: str, kinds: str) -> NDArray[Any]:
    """Return an array of an archive if its dtype is one of some kinds."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        member = archive.getinfo(f"{name}.npy")
        if member.file_size > _MAX_BYTES:
            raise ValueError(f"{member.file_size:,} bytes of {name}")
        with archive.open(member) as stream:
            array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    if array.dtype.kind not in kinds:
        raise ValueError(f"{array.dtype} for {name}")
    return array


def _add_resources(walls: NDArray[np.bool_], units: NDArray[Any], kinds: NDArray[Any]) -> None:
    """Make walls, indexed [y, x], of the cells that resources cover."""
    if units.shape != (*kinds.shape, 2) or kinds.ndim != 1:
        raise ValueError(f"unit_xy of shape {units.shape}, unit_resource of {kinds.shape}")
    height, width = walls.shape
    for kind, (columns, rows) in _FOOTPRINTS.items():
        for x, y in units[kinds == kind].astype(np.float64).tolist():
            if not (0 <= x <= width and 0 <= y <= height):
                raise ValueError(f"a resource off the map, at ({x:g}, {y:g})")
            left = round(x - columns / 2)
            bottom = round(y - rows / 2)
            walls[max(bottom, 0) : bottom + rows, max(left, 0) : left + columns] = True
