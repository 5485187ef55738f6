"""MovingAI `.map` files, the format of the benchmark for grid-based pathfinding."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps.reading import file_size, read_bytes
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
_KNOWN = "".join(_LETTERS).encode() + b"\r\n"

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
_BLOCK = 2**20
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
    file = checks.path("path", path)
    checks.choice("mobility", mobility, tuple(MOBILITIES))
    file_size(file)
    width, height, start = _header(file)
    # Two bytes end a line at most.
    limit = start + height * (width + 2) + _BLANKS
    rows = read_bytes(
        file,
        limit,
        f"The header says {width} x {height} letters: remove what follows the last row",
        start=start,
    )
    _check_rows(file, rows, width, height)
    _check_letters(file, rows)
    cells = rows.translate(_CLASS_OF, b"\r\n")
    del rows
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
    with file.open("rb") as stream:
        head = stream.read(_HEADER_BYTES)
    if not head:
        raise BadMapFile(
            "A .map file begins with its type, height and width",
            got=f"{file.name}, which is empty",
            remedy=_REMEDY,
        )
    lines = head.split(b"\n", _FIRST_ROW - 1)
    found: dict[bytes, bytes] = {}
    for number, line in enumerate(lines[: _FIRST_ROW - 1], start=1):
        words = line.split()
        if words == [b"map"] and number == _FIRST_ROW - 1:
            return (*_sides(file, found), sum(len(line) + 1 for line in lines[: _FIRST_ROW - 1]))
        if (
            len(words) != 2
            or words[0] not in (b"type", b"width", b"height")
            or words[0] in found
            or (number == 1) != (words[0] == b"type")
        ):
            raise BadMapFile(
                "A .map file begins with its type, height and width",
                got=f"line {number} of {file.name}: {_shown(line)}",
                remedy=_REMEDY,
            )
        if words[0] == b"type" and words[1] != b"octile":
            raise BadMapFile(
                "The type of a .map file is octile",
                got=f"line {number} of {file.name}: {_shown(line)}",
                remedy="Other types are not read",
            )
        found[words[0]] = words[1]
    raise BadMapFile(
        "A .map file begins with its type, height and width",
        got=f"the end of {file.name} on line {len(lines)}",
        remedy=_REMEDY,
    )


def _sides(file: Path, found: dict[bytes, bytes]) -> tuple[int, int]:
    sides = []
    for name in (b"width", b"height"):
        word = found[name]
        if not (word.isdigit() and len(word) <= 12 and int(word) >= 1):
            raise BadMapFile(
                f"The {name.decode()} is a whole number of at least 1",
                got=f"{_shown(word)} in {file.name}",
                remedy=_REMEDY,
            )
        sides.append(int(word))
    width, height = sides
    if width * height > MAX_CELLS:
        raise BadMapFile(
            f"A map has at most {MAX_CELLS:,} cells",
            got=f"{width} x {height} in the header of {file.name}",
            remedy="Cut it into several maps",
        )
    return width, height


def _check_rows(file: Path, rows: bytes, width: int, height: int) -> None:
    """Raise `BadMapFile` unless `rows` are `height` lines of `width` bytes. Looks at one block at a
    time.
    """
    tail = rows[-_BLANKS:]
    codes = np.frombuffer(rows, dtype=np.uint8)[: len(rows) - len(tail) + len(tail.rstrip(b"\r\n"))]
    done, begin = 0, 0
    for start in range(0, len(codes), _BLOCK):
        ends = np.flatnonzero(codes[start : start + _BLOCK] == ord("\n")) + start
        if start + _BLOCK >= len(codes):
            ends = np.append(ends, len(codes))
        if not len(ends):
            continue
        begins = np.concatenate(([begin], ends[:-1] + 1))
        lengths = ends - begins
        lengths -= (lengths > 0) & (codes[ends - 1] == ord("\r"))
        wrong = np.flatnonzero(lengths[: height - done] != width)
        if len(wrong):
            row = done + int(wrong[0])
            raise BadMapFile(
                f"Every row has as many letters as the header says, {width}",
                got=(
                    f"{lengths[wrong[0]]} on line {_FIRST_ROW + row} of {file.name}, row {row}"
                    " counted from 0"
                ),
                remedy="Mend the row or the header; the file may be cut off",
            )
        done += len(ends)
        begin = int(ends[-1]) + 1
        if done > height:
            break
    if done != height:
        came = f"only {done}" if done < height else f"more, on line {_FIRST_ROW + height}"
        raise BadMapFile(
            f"A map has as many rows as the header says, {height}",
            got=f"{came} in {file.name}",
            remedy="Mend the rows or the header",
        )


def _check_letters(file: Path, rows: bytes) -> None:
    for start in range(0, len(rows), _BLOCK):
        if rows[start : start + _BLOCK].translate(None, _KNOWN):
            break
    else:
        if rows.count(b"\r") == rows.count(b"\r\n") + rows.endswith(b"\r"):
            return
    wrong = re.compile(rb"[^%s]|\r(?!\n|\Z)" % re.escape(_KNOWN)).search(rows)
    at = wrong.start() if wrong else 0
    line = rows.count(b"\n", 0, at)
    raise BadMapFile(
        f"The letters of a map are {' '.join(_LETTERS)}",
        got=(
            f"{_shown(rows[at : at + 1])} on line {_FIRST_ROW + line} of {file.name}, column"
            f" {at - rows.rfind(bytes([10]), 0, at)}"
        ),
        remedy="Replace it",
    )


def _shown(line: bytes) -> str:
    text = line.strip(b"\r\n")
    return repr(text[:40].decode("latin-1")) + (" ..." if len(text) > 40 else "")
