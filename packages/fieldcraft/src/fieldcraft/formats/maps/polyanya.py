"""Navigation meshes of the Polyanya search, `.mesh` files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import decimals, map_file, parsing, read_bytes
from fieldcraft.space import Graph

__all__ = ["load_polyanya"]

_KIND = "Polyanya mesh"
_MAX_BYTES = 2**25


def load_polyanya(path: str | os.PathLike[str], *, mobility: Mobility = "ground") -> Graph:
    """Return the graph of a `.mesh` file, version 2: a vertex in the middle of each convex polygon,
    an edge where two share a side.

    World units are the units of the file, y downwards as in the benchmark's maps. `mesh` of the
    graph has the polygons in the file's order. Neighbors are polygons that share a side; the
    neighbors in the file are ignored.

    Parameters
    ----------
    path : path_like
        The file, of at most 32 MB.
    mobility : {"ground"}
        There is no other.

    Raises
    ------
    BadMapFile
        For anything else: another version, wrong numbers, counts that don't fit the file.
    """
    file = map_file(path, mobility, ("ground",))
    raw = read_bytes(file, _MAX_BYTES, "Cut the mesh into several")
    with parsing(file.name, _KIND):
        head, version, *words = raw.split()
        if (head, version) != (b"mesh", b"2"):
            raise ValueError("another format than version 2")
        numbers = iter(decimals(words, 1)[:, 0].tolist())
        corner_count, polygon_count = _integers(_take(numbers, 2))
        corners = []
        polygons = []
        for _ in range(corner_count):
            x, y, around = _take(numbers, 3)
            corners.append((x, y))
            _take(numbers, around)  # the polygons around it
        for _ in range(polygon_count):
            sides = _take(numbers, 1)[0]
            polygons.append(_integers(_take(numbers, sides)))
            _take(numbers, sides)  # the polygons beside it
        if next(numbers, None) is not None:
            raise ValueError("numbers after the last polygon")
        return Graph.from_polygons(corners, polygons)


def _take(numbers: Iterator[float], count: float) -> list[float]:
    """Return the next `count` numbers."""
    found = list(islice(numbers, int(count)))
    if len(found) < count:
        raise ValueError(f"{len(found)} numbers at the end in place of {count:g}")
    return found


def _integers(numbers: list[float]) -> list[int]:
    """Return numbers as integers."""
    found = [int(number) for number in numbers]
    if found != numbers:
        raise ValueError(f"{numbers!r:.80} in place of whole numbers")
    return found
