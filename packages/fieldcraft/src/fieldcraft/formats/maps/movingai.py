"""MovingAI `.map` and `.scen` files, the formats of the benchmark for grid-based pathfinding."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import map_file, parsing, read_bytes
from fieldcraft.space import Grid, Terrain
from fieldcraft.space.grid.grid import MAX_CELLS

__all__ = ["MOBILITIES", "Scenarios", "load_movingai", "load_scenarios"]

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
    if (at := cells.find(_UNKNOWN)) >= 0:
        row, column = divmod(at, width)
        letter = chr(body[row * (width + 1) + column])
        raise BadMapFile(
            f"The letters of a map are {' '.join(_LETTERS)}",
            got=f"{letter!r} on line {_FIRST_ROW + row} of {name}, column {column + 1}",
            remedy="Replace it",
        )
    return np.frombuffer(cells, dtype=np.uint8).reshape(height, width)


_KIND = "scenario file"
_MAX_BYTES = 2**24


@dataclass(frozen=True, eq=False)
class Scenarios:
    """Problems on one map and the lengths of their shortest paths.

    `map_name` is the last part of the path that the file names, `width` and `height` are the map's.
    `starts` and `goals` (N, 2) are world positions on the map as `load_map` loads it: the centers
    of cells where all coordinates of the file are whole numbers, else the coordinates themselves,
    as in Polyanya's files for meshes. `lengths` (N,) are the lengths in the file, and `precision`
    (N,) the unit of their last place. `buckets` (N,) group problems of similar length.
    """

    map_name: str
    width: int
    height: int
    starts: NDArray[np.float64]
    goals: NDArray[np.float64]
    lengths: NDArray[np.float64]
    precision: NDArray[np.float64]
    buckets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)


def load_scenarios(path: str | os.PathLike[str]) -> Scenarios:
    """Return the problems of a MovingAI or Polyanya `.scen` file.

    MovingAI's lengths are for steps to 8 neighbors that cut no corners, on maps loaded with
    `neighbors=8, mobility="any"`. Columns are separated by tabs or spaces.

    Parameters
    ----------
    path : path_like
        The file, of at most 16 MB.

    Raises
    ------
    BadMapFile
        For a file that is no such file, is cut off, has problems on several maps or off their map,
        or no problem at all. The message names the line.
    """
    file = checks.path("path", path)
    text = read_bytes(file, _MAX_BYTES, "Cut it into several files").decode("latin-1")
    head, *lines = text.split("\n")
    if head.split() not in (["version", "1"], ["version", "1.0"]):
        raise BadMapFile(
            "A .scen file begins with its version, 1",
            got=f"line 1 of {file.name}: {head[:60]!r}",
            remedy="Write the line: version 1",
        )
    rows = list[tuple[str, list[float], list[str]]]()
    for number, line in enumerate(lines, start=2):
        with parsing(f"line {number} of {file.name}", _KIND):
            if words := line.split():
                rows.append(_row(words))
                if rows[-1][0] != rows[0][0] or rows[-1][1][1:3] != rows[0][1][1:3]:
                    raise ValueError(f"a problem on another map, {rows[-1][0]!r:.60}")
    if not rows:
        got = f"none in {file.name}"
        raise BadMapFile("A .scen file has a problem", got=got, remedy="Export it again")
    values = np.array([row for _, row, _ in rows])
    has_fractions = any("." in word for _, _, words in rows for word in words[:4])
    centers = 0.0 if has_fractions else 0.5
    return Scenarios(
        map_name=rows[0][0],
        width=int(values[0, 1]),
        height=int(values[0, 2]),
        starts=values[:, 3:5] + centers,
        goals=values[:, 5:7] + centers,
        lengths=values[:, 7],
        precision=_precision(values[:, 7], [words[4] for _, _, words in rows]),
        buckets=values[:, 0].astype(np.int64),
    )


def _row(words: list[str]) -> tuple[str, list[float], list[str]]:
    """Return the map of a problem, its numbers, and the texts of its ends and its length."""
    if len(words) < 9:
        raise ValueError(f"{len(words)} columns in place of 9")
    name = re.split(r"[/\\]", " ".join(words[1:-7]))[-1]  # names may have spaces
    row = [float(word) for word in (words[0], *words[-7:])]
    _, width, height, start_x, start_y, goal_x, goal_y, length = row
    on_map = start_x < width and goal_x < width and start_y < height and goal_y < height
    if not (on_map and all(0 <= number < 2**53 for number in (*row, length))):
        raise ValueError("numbers below 0, too large, or off the map")
    return name, row, words[-5:]


def _precision(lengths: NDArray[np.float64], written: list[str]) -> NDArray[np.float64]:
    """Return the unit of the last place of each length.

    Files have either a fixed number of decimals or of significant digits; in the second case
    trailing zeros are left out, so the longest number determines it.
    """
    decimals = 0
    significant = 0
    for word in written:
        mantissa = re.split("[eE]", word)[0]
        decimals = max(decimals, len(mantissa.partition(".")[2]))
        significant = max(significant, len(mantissa.replace(".", "").lstrip("0")))
    magnitude = np.floor(np.log10(np.maximum(lengths, 1e-3)))
    return np.asarray(np.maximum(10.0**-decimals, 10.0 ** (magnitude + 1 - significant)))
