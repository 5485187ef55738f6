"""Navigation meshes and other walkable ground as triangles, `.obj` files."""

from __future__ import annotations

import logging
import math
import os
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps.reading import map_file, parsing, read_bytes
from fieldcraft.space import Graph

__all__ = ["load_obj", "weld"]

_log = logging.getLogger(__name__)

Floats = NDArray[np.float64]
_KIND = "level"
_MAX_BYTES = 2**27
_MAX_PARTS = 2**22
_FARTHEST = 1e9


def load_obj(
    path: str | os.PathLike[str],
    *,
    mobility: str = "ground",
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
    checks.choice("up", up, ("y", "z"))
    slope = checks.not_negative("max_slope", max_slope)
    if slope >= 90:
        got = f"max_slope={max_slope!r}"
        raise InvalidValue("max_slope is below 90 degrees", got=got, remedy="Pass 45, say")
    corners, triangles = _read(file.name, read_bytes(file, _MAX_BYTES, "Cut it into several"))
    if up == "y":
        corners = np.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], axis=1)
    normals = _normals(corners[triangles])
    lengths = np.sqrt((normals * normals).sum(axis=1))
    least = math.cos(math.radians(slope)) - 1e-9
    walkable = triangles[(lengths > 0) & (normals[:, 2] >= lengths * least)]
    _report_dropped(file.name, lengths, normals[:, 2], lengths * least, slope)
    used, numbers = np.unique(walkable, return_inverse=True)
    tolerance = float(np.ptp(corners, axis=0).max()) * 1e-5
    places, walkable = weld(corners[used], numbers.reshape(-1, 3), tolerance)
    if not len(walkable):
        raise BadMapFile(
            "A level has walkable ground",
            got=f"{len(triangles):,} triangles, none up to {slope:g} degrees, in {file.name}",
            remedy=f'Try up="{"z" if up == "y" else "y"}", or a larger max_slope',
        )
    with parsing(file.name, _KIND):
        return Graph.from_polygons(places, walkable, max_height=max_height, y_up=True)


def _report_dropped(name: str, lengths: Floats, ups: Floats, least: Floats, slope: float) -> None:
    """Log how many triangles are left out, and why."""
    flat = int(np.count_nonzero(lengths == 0))
    down = int(np.count_nonzero((lengths > 0) & (ups < 0)))
    steep = int(np.count_nonzero((lengths > 0) & (ups >= 0) & (ups < least)))
    if flat + down + steep:
        _log.warning(
            "%s: %d of %d triangles are left out: %d steeper than max_slope=%g degrees, %d that"
            " face down, %d without area",
            name,
            flat + down + steep,
            len(lengths),
            steep,
            slope,
            down,
            flat,
        )


def _normals(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])


def _read(name: str, raw: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the corners (C, 3) and triangles (T, 3) of an OBJ; faces are cut into fans."""
    corners: list[list[bytes]] = []
    triangles: list[tuple[int, int, int]] = []
    lines_of: list[int] = []
    lines = raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").splitlines()
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            words = line.split()
            if words[:1] == [b"v"]:
                corners.append(words[1:4])
            elif words[:1] == [b"f"]:
                first, *others = _ring(words[1:], len(corners))
                triangles += [(first, second, third) for second, third in pairwise(others)]
                lines_of += [number] * (len(others) - 1)
            if len(corners) + len(triangles) > _MAX_PARTS:
                raise ValueError(f"more than {_MAX_PARTS:,} corners and triangles")
        places = np.array(corners, dtype="S64").reshape(-1, 3).astype(np.float64)
        if not triangles or not (np.abs(places) <= _FARTHEST).all():
            raise ValueError(f"no faces, or corners beyond {_FARTHEST:g}")
    except ValueError as error:
        raise BadMapFile(
            "An OBJ has corners of three numbers, and faces of three numbers of corners or more",
            got=f"{error} up to line {number} of {name}"[:300],
            remedy="Export it again",
        ) from None
    fans = np.array(triangles, dtype=np.int64)
    normals = _normals(places[fans])
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


def weld(
    corners: NDArray[np.float64], triangles: NDArray[np.int64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return corners and triangles with corners at most `tolerance` apart joined, without triangles
    that have lost a corner.

    Corners that are joined by a chain of such distances become the one with the lowest number.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if not len(corners):
        return corners, triangles[:0]
    near = cKDTree(corners).query_pairs(tolerance, output_type="ndarray")
    joined = coo_array((np.ones(len(near), dtype=np.int8), near.T), shape=(len(corners),) * 2)
    _, groups = connected_components(joined, directed=False)
    _, first = np.unique(groups, return_index=True)
    order = np.argsort(first)
    rank = np.argsort(order)
    welded = rank[groups][triangles]
    a, b, c = welded.T
    return corners[first[order]], welded[(a != b) & (b != c) & (c != a)]
