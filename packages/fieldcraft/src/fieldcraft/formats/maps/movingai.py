"""MovingAI `.map` files, the maps of the benchmark for grid-based pathfinding."""

from __future__ import annotations

import os
import re

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import map_file, read_bytes
from fieldcraft.space import Grid, Terrain
from fieldcraft.space.grid.grid import MAX_CELLS

__all__ = ["MOBILITIES", "load_movingai"]

_NAMES = ("solid", "ground", "swamp", "trees", "water")
_SOLID, _GROUND, _SWAMP, _TREES, _WATER = range(5)
_LETTERS = {
    "@": _SOLID,
    "O": _SOLID,
    ".": _GROUND,
    "G": _GROUND,
    "S": _SWAMP,
    "T": _TREES,
    "W": _WATER,
}
_UNKNOWN = 255
_CLASS_OF = bytes(_LETTERS.get(chr(code), _UNKNOWN) for code in range(256))
_SIDE = rb"(height|width)[ \t]+(\d{1,12})[ \t]*\r?\n"
_HEADER = re.compile(rb"type[ \t]+octile[ \t]*\r?\n" + _SIDE + _SIDE + rb"map[ \t]*\r?\n")
_FIRST_ROW = 5  # the line on which the rows begin

# Groups of classes by mobility. Classes in no group are walls, and no step leads from one group to
# another.
MOBILITIES: dict[str, tuple[tuple[int, ...], ...]] = {
    "ground": ((_GROUND, _SWAMP),),
    "trees": ((_TREES,),),
    "water": ((_WATER,),),
    "amphibious": ((_GROUND, _SWAMP, _WATER),),
    "any": ((_GROUND, _SWAMP), (_TREES,), (_WATER,)),
    "air": ((_SOLID, _GROUND, _SWAMP, _TREES, _WATER),),
}


def load_movingai(
    path: str | os.PathLike[str], *, neighbors: int | ArrayLike = 4, mobility: Mobility = "ground"
) -> Grid:
    """Return the grid of a MovingAI `.map` file: one cell of size 1 per letter, row 0 at the top,
    y downwards.

    Its `terrain` has the classes solid (`@ O`), ground (`. G`), swamp (`S`), trees (`T`) and water
    (`W`). `mobility` determines the steps between classes:

    - "ground": ground and swamp; everything else is a wall.
    - "trees" or "water": that class only. Refused on a map that has none.
    - "amphibious": ground, swamp and water, and from one to the other.
    - "any": ground and swamp, trees, and water are three worlds; each is open, no step leads from
      one to another. The benchmark's path lengths follow this rule.
    - "air": no walls.

    Parameters
    ----------
    path : path_like
        The file; lines end in LF or CRLF, and the last needs no end.
    neighbors : int or array_like, optional
        As for `Grid`.
    mobility : str, optional
        See above.

    Raises
    ------
    BadMapFile
        For a file that is not such a map, differs from its header, or has more than 2**28 cells.
    InvalidValue
        For a mobility that the map does not offer.
    """
    file = map_file(path, mobility, tuple(MOBILITIES))
    raw = read_bytes(file, 2 * MAX_CELLS, "Cut it into several maps")
    found = _HEADER.match(raw)
    if found:
        sides = {found[1]: int(found[2]), found[3]: int(found[4])}
    else:
        sides = {}
    if not found or len(sides) < 2 or not 0 < sides[b"width"] * sides[b"height"] <= MAX_CELLS:
        raise BadMapFile(
            "A .map file begins with the lines: type octile, height H, width W, map, for at most"
            f" {MAX_CELLS:,} cells",
            got=f"{raw[:60].decode('latin-1')!r} in {file.name}",
            remedy="Correct the header; H rows of W letters follow it",
        )
    classes = _classes(raw[found.end() :], sides[b"width"], sides[b"height"], file.name)
    if mobility in _NAMES[_TREES:] and not (classes == _NAMES.index(mobility)).any():
        raise InvalidValue(
            f"Mobility {mobility!r} needs a map with {mobility}",
            got=f"{file.name}, which has none",
            remedy='Pass "ground", "amphibious", "any" or "air"',
        )
    enter = np.zeros((len(_NAMES), len(_NAMES)), dtype=np.bool_)
    for group in MOBILITIES[mobility]:
        enter[np.ix_(group, group)] = True
    height, width = classes.shape
    return Grid(width, height, terrain=Terrain(classes, enter, _NAMES), neighbors=neighbors)


def _classes(rows: bytes, width: int, height: int, name: str) -> NDArray[np.uint8]:
    """Return the class of the terrain of each cell, (height, width)."""
    body = rows.replace(b"\r\n", b"\n").rstrip(b"\r\n") + b"\n"
    codes = np.frombuffer(body, dtype=np.uint8)
    count = min(len(codes) // (width + 1), height)
    ends = codes[: count * (width + 1)].reshape(count, width + 1) == ord("\n")
    wrong = np.flatnonzero(~ends[:, width] | ends[:, :width].any(axis=1))
    if len(wrong) or len(codes) != height * (width + 1):
        if len(wrong):
            row = int(wrong[0])
        else:
            row = count
        raise BadMapFile(
            f"A map has {height} rows of {width} letters, as its header says",
            got=f"another row on line {_FIRST_ROW + row} of {name}, row {row} from 0",
            remedy="Correct the row or the header; the file may be cut off",
        )
    cells = body.translate(_CLASS_OF, b"\n")
    unknown = cells.find(_UNKNOWN)
    if unknown >= 0:
        row, column = divmod(unknown, width)
        letter = chr(body[row * (width + 1) + column])
        raise BadMapFile(
            f"The letters of a map are {' '.join(_LETTERS)}",
            got=f"{letter!r} on line {_FIRST_ROW + row} of {name}, column {column + 1}",
            remedy="Replace it",
        )
    return np.frombuffer(cells, dtype=np.uint8).reshape(height, width)
