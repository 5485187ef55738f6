"""MovingAI `.scen` files: shortest-path problems with known answers, for the maps of
`fieldcraft.maps.movingai`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile
from fieldcraft.maps.reading import read_bytes

__all__ = ["MAX_BYTES", "Scenarios", "load_scenarios"]

MAX_BYTES = 2**26
_COLUMNS = 9
_SMALL = 9  # digits of a whole number
_WHOLE = re.compile(r"\d{1,9}\Z", re.ASCII)
_COORDINATE = re.compile(r"\d{1,9}(?:\.\d{0,20})?\Z", re.ASCII)
_LENGTH = re.compile(r"\d{1,15}(?:\.(\d{0,20}))?(?:[eE][+-]?\d{1,2})?\Z", re.ASCII)
_REMEDY = (
    "Such a file begins with the line: version 1; then come lines of bucket, map, width, height,"
    " start x, start y, goal x, goal y, length"
)


@dataclass(frozen=True, eq=False)
class Scenarios:
    """Problems on one map and the lengths of their shortest paths.

    `map_name` is the last part of the path that the file names, `width` and `height` are the map's.
    `starts` and `goals` (N, 2) are world positions on the map as `load_map` loads it: the centers
    of cells where all coordinates of the file are whole numbers, else the coordinates themselves,
    as Polyanya's files for meshes have them. `lengths` (N,) are those that the file lists, and
    `precision` (N,) the unit of their last place. `buckets` (N,) group problems of similar length.
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

    MovingAI's lengths are those of steps to 8 neighbors that cut no corners, and hold on maps
    loaded with `neighbors=8, mobility="any"`. Columns are separated by tabs or spaces. Raises
    `BadMapFile`, naming the line, for a file that is no such file, is cut off, has problems on
    several maps or off their map, no problem at all, or more than 64 MiB.
    """
    file = checks.path("path", path)
    text = read_bytes(file, MAX_BYTES, "Cut it into several files").decode("latin-1")
    lines = text.split("\n")
    words = lines[0].split()
    if len(words) != 2 or words[0] != "version" or words[1] not in ("1", "1.0"):
        raise BadMapFile(
            "A .scen file begins with its version, 1",
            got=f"line 1 of {file.name}: {_shown(lines[0])}",
            remedy=_REMEDY,
        )
    rows = [(number, line) for number, line in enumerate(lines[1:], start=2) if line.strip()]
    if not rows:
        raise BadMapFile(
            "A .scen file has at least one problem", got=f"none in {file.name}", remedy=_REMEDY
        )
    buckets = np.empty(len(rows), dtype=np.int64)
    ends = np.empty((len(rows), 2, 2))
    centers = 0.5
    lengths = np.empty(len(rows))
    digits = []
    common: tuple[str, str, str] | None = None
    for i, (number, line) in enumerate(rows):
        named, values, listed = _row(file, number, line)
        if common is None:
            common = named
        elif named != common:
            raise BadMapFile(
                f"All problems of a file are on one map, here {' '.join(common)}",
                got=f"line {number} of {file.name}: {_shown(line)}",
                remedy="Write one file per map",
            )
        buckets[i], ends[i] = int(values[0]), np.array(values[3:], dtype=np.float64).reshape(2, 2)
        centers = 0.0 if "." in "".join(values[3:]) else centers
        lengths[i] = float(listed)
        digits.append(listed)
    assert common is not None
    name, width, height = common
    precision = _precision(lengths, digits)
    starts, goals = (ends[:, k] + centers for k in range(2))
    return Scenarios(name, int(width), int(height), starts, goals, lengths, precision, buckets)


def _row(file: Path, number: int, line: str) -> tuple[tuple[str, str, str], list[str], str]:
    """(map, width, height), the numbers of a line, and the length, as they are written."""
    # The name of a map may hold spaces.
    parts = line.split(None, 1)
    words = [parts[0], *parts[1].rsplit(None, _COLUMNS - 2)] if len(parts) == 2 else parts
    where = f"line {number} of {file.name}: {_shown(line)}"
    if len(words) != _COLUMNS:
        raise BadMapFile(
            f"A problem has {_COLUMNS} columns",
            got=where,
            remedy="Mend the line; the file may be cut off. " + _REMEDY,
        )
    values = [words[0], *words[2:8]]
    if not (all(map(_WHOLE.match, values[:3])) and all(map(_COORDINATE.match, values[3:]))):
        raise BadMapFile(
            f"Buckets and sizes are whole numbers, starts and goals are numbers of at least 0, of"
            f" up to {_SMALL} digits",
            got=where,
            remedy=_REMEDY,
        )
    if not _LENGTH.match(words[8]):
        raise BadMapFile("The length of a way is a number of at least 0", got=where, remedy=_REMEDY)
    _, width, height, start_x, start_y, goal_x, goal_y = map(float, values)
    if not (start_x < width and goal_x < width and start_y < height and goal_y < height):
        raise BadMapFile(
            f"Starts and goals lie on the map of {width:g} x {height:g}",
            got=where,
            remedy="Mend the line or the size",
        )
    return (re.split(r"[/\\]", words[1].strip())[-1], words[2], words[3]), values, words[8]


def _precision(lengths: NDArray[np.float64], written: list[str]) -> NDArray[np.float64]:
    """The unit of the last place of each length.

    A file has either so many decimals or so many significant digits; in the second case zeros at
    the end are left out, so that only the longest number tells.
    """
    decimals = significant = 0
    for word in written:
        mantissa = re.split("[eE]", word)[0]
        decimals = max(decimals, len(mantissa.partition(".")[2]))
        significant = max(significant, len(mantissa.replace(".", "").lstrip("0")))
    magnitude = np.floor(np.log10(np.maximum(lengths, 1e-3)))
    return np.asarray(np.maximum(10.0**-decimals, 10.0 ** (magnitude + 1 - significant)))


def _shown(line: str) -> str:
    text = line.strip("\r\n")
    return repr(text[:60]) + (" ..." if len(text) > 60 else "")
