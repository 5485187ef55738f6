"""MovingAI and Polyanya `.scen` files: problems on a map, and lengths of their shortest paths."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile
from fieldcraft.formats.maps.reading import parsing, read_bytes

__all__ = ["Scenarios", "load_scenarios"]

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
            words = line.split()
            if words:
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
