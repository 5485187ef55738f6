"""Navigation meshes and other walkable ground as triangles, `.obj` files."""

from __future__ import annotations

import logging
import os
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import BadMapFile
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import decimals, map_file, read_bytes
from fieldcraft.formats.maps.triangles import Slopes, face_normals, ground_of
from fieldcraft.space import Graph

__all__ = ["load_obj"]

_log = logging.getLogger(__name__)

_MAX_BYTES = 2**27
_MAX_PARTS = 2**22
_FARTHEST = 1e9


def load_obj(
    path: str | os.PathLike[str],
    *,
    mobility: Mobility = "ground",
    up: str = "y",
    max_slope: float = 45.0,
    max_height: float | None = None,
) -> Graph:
    """Return the walkable ground of a `.obj` file: a vertex in the middle of each triangle.

    Triangles count if they face up, by the order of their corners, and are no steeper than
    `max_slope`; a warning on the logger `fieldcraft.formats.maps.obj` says how many do not. A
    navigation mesh was made for a slope already: pass `max_slope=89.9` for all of it. An edge joins
    triangles that share a side; corners closer than a hundred-thousandth of the file's size are
    one, and `Graph.from_polygons` joins what touches. Convex faces with more corners are cut into
    triangles.

    World units are the units of the file, positions (x, y, z) with z up.

    Parameters
    ----------
    path : path_like
        The file, of at most 128 MB.
    mobility : {"ground"}
        There is no other.
    up : {"y", "z"}
        The axis that is up in the file; y-up geometry is turned: (x, -z, y).
    max_slope : float, optional
        Degrees, below 90.
    max_height : float, optional
        As for `Graph`.

    Raises
    ------
    InvalidValue
        For wrong options.
    BadMapFile
        For a damaged file, for faces that are not convex, and where nothing is walkable.
    """
    file = map_file(path, mobility, ("ground",), max_height)
    slopes = Slopes(up, max_slope)
    corners, triangles = _read(file.name, read_bytes(file, _MAX_BYTES, "Cut it into several"))
    return ground_of(file.name, corners, triangles, slopes, max_height, _log)


def _read(name: str, raw: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the corners (C, 3) and triangles (T, 3) of an OBJ; faces are cut into fans."""
    coordinates: list[bytes] = []
    count = 0
    triangles: list[tuple[int, int, int]] = []
    lines_of: list[int] = []
    lines = raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").splitlines()
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            words = line.split()
            if words[:1] == [b"v"]:
                if len(words) < 4:
                    raise ValueError(f"a corner of {len(words) - 1} numbers")
                coordinates += words[1:4]
                count += 1
            elif words[:1] == [b"f"]:
                first, *others = _ring(words[1:], count)
                triangles += [(first, second, third) for second, third in pairwise(others)]
                lines_of += [number] * (len(others) - 1)
            if count + len(triangles) > _MAX_PARTS:
                raise ValueError(f"more than {_MAX_PARTS:,} corners and triangles")
        places = decimals(coordinates, 3)
        if not triangles or not (np.abs(places) <= _FARTHEST).all():
            raise ValueError(f"no faces, or corners beyond {_FARTHEST:g}")
    except ValueError as error:
        raise BadMapFile(
            "An OBJ has corners of three numbers, and faces of three numbers of corners or more",
            got=f"{error} up to line {number} of {name}"[:300],
            remedy="Export it again",
        ) from None
    fans = np.array(triangles, dtype=np.int64)
    normals = face_normals(places[fans])
    owners = np.array(lines_of)
    turned = (owners[1:] == owners[:-1]) & ((normals[1:] * normals[:-1]).sum(axis=1) < 0)
    if turned.any():
        raise BadMapFile(
            "The faces of an OBJ are convex",
            got=f"one that is not, in line {owners[1:][turned][0]} of {name}",
            remedy="Triangulate the mesh before you export it",
        )
    return places, fans


def _ring(words: list[bytes], count: int) -> list[int]:
    """Return the corners of a face, numbers from 0 to `count`; in the file -1 is the last."""
    found = [int(word.split(b"/")[0]) for word in words]
    ring = [index - 1 if index > 0 else count + index for index in found]
    if len(ring) < 3 or min(ring) < 0 or max(ring) >= count:
        raise ValueError(f"a face with the corners {found!r:.80} of {count}")
    return ring
