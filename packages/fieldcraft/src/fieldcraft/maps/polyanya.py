"""Navigation meshes of the Polyanya search, `.mesh` files."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import BadMapFile
from fieldcraft.maps.json_document import built
from fieldcraft.maps.reading import map_file, read_bytes
from fieldcraft.space import Graph

__all__ = ["load_polyanya"]

_KIND = "Polyanya mesh"
_MAX_BYTES = 2**27
_MAX_PARTS = 2**22


def load_polyanya(path: str | os.PathLike[str], *, mobility: str = "ground") -> Graph:
    """The graph of a `.mesh` file, version 2: a vertex in the middle of each convex polygon, an
    edge where two share a side.

    World units are those of the file, y downwards as in the maps that such meshes are made of.
    `mesh` of the graph has the polygons in the file's order. Neighbors are found by the sides that
    polygons share, not read from the file.

    Raises
    ------
    BadMapFile
        For anything else: another version, numbers that are none, counts that don't fit the file.
    """
    file = map_file(path, mobility, ("ground",))
    raw = read_bytes(file, _MAX_BYTES, "Cut the mesh into several")
    words = raw.split(maxsplit=2)
    if len(words) < 3 or words[0] != b"mesh" or words[1] != b"2":
        raise _bad("A Polyanya mesh begins with 'mesh' and version 2", f"{raw[:20]!r}", file.name)
    numbers = _numbers(words[2], file.name)
    counts = _whole(numbers[:2], file.name)
    if len(counts) < 2 or counts.min() < 0 or counts.max() > _MAX_PARTS:
        raise _bad(
            f"A {_KIND} says how many corners and polygons it has, up to {_MAX_PARTS:,}",
            f"{numbers[:2].tolist()}",
            file.name,
        )
    corners, at = _corners(numbers, int(counts[0]), file.name)
    rings = _polygons(numbers, at, int(counts[1]), file.name)
    return built(file.name, _KIND, corners, rings, polygons=True)


def _numbers(text: bytes, name: str) -> NDArray[np.float64]:
    try:
        numbers = np.array(text.split(), dtype="S32").astype(np.float64)
    except ValueError as error:
        raise _bad(f"A {_KIND} is made of numbers", str(error)[:80], name) from None
    if not np.isfinite(numbers).all():
        raise _bad(
            f"The numbers of a {_KIND} are finite", f"{numbers[~np.isfinite(numbers)][0]}", name
        )
    return numbers


def _whole(numbers: NDArray[np.float64], name: str) -> NDArray[np.int64]:
    if (np.abs(numbers) > 2**31).any() or (numbers != np.floor(numbers)).any():
        wrong = numbers[(np.abs(numbers) > 2**31) | (numbers != np.floor(numbers))]
        raise _bad(
            f"Counts and numbers of corners of a {_KIND} are whole, and at most 2,147,483,648",
            f"{wrong[0]:,.12g}",
            name,
        )
    return numbers.astype(np.int64)


def _corners(
    numbers: NDArray[np.float64], count: int, name: str
) -> tuple[NDArray[np.float64], int]:
    """The corners, (count, 2), and where the polygons begin."""
    corners = np.empty((min(count, len(numbers)), 2))
    at = 2
    for index in range(count):
        if at + 3 > len(numbers):
            raise _bad(f"A {_KIND} has as many corners as it says", f"{index} of {count:,}", name)
        corners[index] = numbers[at : at + 2]
        around = numbers[at + 2]
        if not 0 <= around <= len(numbers):
            raise _bad(
                f"A corner of a {_KIND} says how many polygons are round it",
                f"{around:g} at corner {index}",
                name,
            )
        at += 3 + int(around)
    return corners, at


def _polygons(
    numbers: NDArray[np.float64], at: int, count: int, name: str
) -> list[NDArray[np.int64]]:
    """The corners of the polygons; what lies across their sides is left out."""
    rings = []
    for index in range(count):
        size = int(numbers[at]) if at < len(numbers) and numbers[at] >= 0 else -1
        end = at + 1 + 2 * size
        if size < 0 or end > len(numbers):
            raise _bad(f"A {_KIND} has as many polygons as it says", f"{index} of {count:,}", name)
        rings.append(_whole(numbers[at + 1 : at + 1 + size], name))
        at = end
    if at != len(numbers):
        raise _bad(
            f"A {_KIND} ends after its last polygon", f"{len(numbers) - at:,} more numbers", name
        )
    return rings


def _bad(rule: str, got: str, name: str) -> BadMapFile:
    return BadMapFile(rule, got=f"{got} in {name}", remedy="Export the mesh again")
