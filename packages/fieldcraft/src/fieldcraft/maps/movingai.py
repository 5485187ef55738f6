"""MovingAI `.map` files, the format of the benchmark for grid-based pathfinding."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps.reading import file_size, map_file, read_bytes
from fieldcraft.space.grid import MAX_CELLS, Grid
from fieldcraft.space.neighborhood import Terrain

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
_CLASS_OF = bytes(_LETTERS.get(chr(code), 255) for code in range(256))
_UNKNOWN = b"\xff"
_SIDE = rb"(height|width)[ \t]+(\d{1,12})[ \t]*\r?\n"
_HEADER = re.compile(rb"type[ \t]+octile[ \t]*\r?\n" + _SIDE + _SIDE + rb"map[ \t]*\r?\n")

# Each mobility: groups of classes. What is in no group is a wall, and no step leads from one group
# to another.
MOBILITIES: dict[str, tuple[tuple[int, ...], ...]] = {
    "ground": ((_GROUND, _SWAMP),),
    "trees": ((_TREES,),),
    "water": ((_WATER,),),
    "amphibious": ((_GROUND, _SWAMP, _WATER),),
    "any": ((_GROUND, _SWAMP), (_TREES,), (_WATER,)),
    "air": ((_SOLID, _GROUND, _SWAMP, _TREES, _WATER),),
}

_HEADER_BYTES = 1024
_FIRST_ROW = 5  # the line on which the rows begin
_BLANKS = 64  # so many line ends may follow the last row
_REMEDY = (
    "Such a map begins with the lines: type octile, height H, width W, map; then come H rows of W"
    " letters"
)


def load_movingai(
    path: str | os.PathLike[str], *, neighbors: int | ArrayLike = 4, mobility: str = "ground"
) -> Grid:
    """The grid of a MovingAI `.map` file: one cell of size 1 per letter, row 0 at the top, y
    downwards.

    Its `terrain` has the classes solid (`@ O`), ground (`. G`), swamp (`S`), trees (`T`) and water
    (`W`). `mobility` says which may be entered from which:

    - "ground": ground and swamp; everything else is a wall.
    - "trees" or "water": that class only. Refused on a map that has none.
    - "amphibious": ground, swamp and water, and from one to the other.
    - "any": ground and swamp, trees, and water are three worlds; each is open, no step leads from
      one to another. This is the rule by which the benchmark's path lengths were found.
    - "air": no walls.

    Lines end in LF or CRLF, and the last needs no end. Raises `BadMapFile` for a file that is not
    such a map, does not hold what its header says, or has more than 2**28 cells, and `InvalidValue`
    for a mobility that it does not offer.
    """
    file = map_file(path, mobility, tuple(MOBILITIES))
    width, height, start = _header(file)
    # Two bytes end a line at most.
    limit = start + height * (width + 2) + _BLANKS
    remedy = f"The header says {width} x {height} letters: remove what follows the last row"
    cells = _cells(file, read_bytes(file, limit, remedy, start=start), width, height)
    offered = [
        name for name in MOBILITIES if name not in ("trees", "water") or _NAMES.index(name) in cells
    ]
    if mobility not in offered:
        raise InvalidValue(
            f"Mobility {mobility!r} needs a map with {mobility}",
            got=f"{file.name}, which has none",
            remedy=f"This map offers: {', '.join(offered)}",
        )
    classes = np.frombuffer(cells, dtype=np.uint8).reshape(height, width)
    return Grid(
        width, height, terrain=Terrain(classes, _table(mobility), _NAMES), neighbors=neighbors
    )


def _table(mobility: str) -> NDArray[np.bool_]:
    enter = np.zeros((len(_NAMES), len(_NAMES)), dtype=np.bool_)
    for group in MOBILITIES[mobility]:
        enter[np.ix_(group, group)] = True
    return enter


def _header(file: Path) -> tuple[int, int, int]:
    """Width, height, and the offset of the first row."""
    file_size(file)
    with file.open("rb") as stream:
        head = stream.read(_HEADER_BYTES)
    found = _HEADER.match(head)
    if found is None or found[1] == found[3] or not int(found[2]) or not int(found[4]):
        raise BadMapFile(
            "A .map file begins with its type, height and width",
            got=f"{head[:60].decode('latin-1')!r} in {file.name}",
            remedy=_REMEDY,
        )
    sides = {found[1]: int(found[2]), found[3]: int(found[4])}
    width, height = sides[b"width"], sides[b"height"]
    if width * height > MAX_CELLS:
        raise BadMapFile(
            f"A map has at most {MAX_CELLS:,} cells",
            got=f"{width} x {height} in the header of {file.name}",
            remedy="Cut it into several maps",
        )
    return width, height, found.end()


def _cells(file: Path, rows: bytes, width: int, height: int) -> bytes:
    """The class of the terrain of each cell."""
    body = rows.replace(b"\r\n", b"\n").rstrip(b"\r\n") + b"\n"
    codes = np.frombuffer(body, dtype=np.uint8)
    count = min(len(codes) // (width + 1), height)
    ends = codes[: count * (width + 1)].reshape(count, width + 1) == ord("\n")
    wrong = np.flatnonzero(~ends[:, width] | ends[:, :width].any(axis=1))
    if len(wrong) or len(codes) != height * (width + 1):
        row = int(wrong[0]) if len(wrong) else count
        raise BadMapFile(
            f"A map has {height} rows of {width} letters, as its header says",
            got=f"something else on line {_FIRST_ROW + row} of {file.name}, row {row} from 0",
            remedy="Mend the row or the header; the file may be cut off",
        )
    cells = body.translate(_CLASS_OF, b"\n")
    if (at := cells.find(_UNKNOWN)) >= 0:
        row, column = divmod(at, width)
        letter = chr(body[row * (width + 1) + column])
        raise BadMapFile(
            f"The letters of a map are {' '.join(_LETTERS)}",
            got=f"{letter!r} on line {_FIRST_ROW + row} of {file.name}, column {column + 1}",
            remedy="Replace it",
        )
    return cells
