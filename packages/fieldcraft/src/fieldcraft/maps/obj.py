"""Navigation meshes and other walkable ground as triangles, `.obj` files."""

from __future__ import annotations

import math
import os
import re

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps.json_document import built
from fieldcraft.maps.reading import map_file, read_bytes
from fieldcraft.space import Graph, Mesh

__all__ = ["load_obj", "weld"]

_MAX_BYTES = 2**27
_MAX_CORNERS = 2**22
_MAX_FACES = 2**22
_FARTHEST = 1e9
_FACE = re.compile(rb"-?\d{1,10}")


def load_obj(
    path: str | os.PathLike[str],
    *,
    mobility: str = "ground",
    up: str = "y",
    max_slope: float = 45.0,
    max_height: float | None = None,
) -> Graph:
    """The walkable ground of a `.obj` file: a vertex in the middle of each triangle.

    Triangles count if they face up, by the order of their corners, and are no steeper than
    `max_slope` degrees. An edge joins those that share a side; corners closer than a
    hundred-thousandth of the file's size are one. Convex faces with more corners are cut into
    triangles.

    World units are those of the file, positions (x, y, z) with z up; `up` says what is up in the
    file, "y" or "z", and y-up geometry is turned: (x, -z, y). `max_height` as for `Graph`.

    Raises
    ------
    InvalidValue
        For options that are wrong.
    BadMapFile
        For a damaged file, for faces that are not convex, and where nothing is walkable.
    """
    file = map_file(path, mobility, ("ground",))
    checks.choice("up", up, ("y", "z"))
    slope = checks.not_negative("max_slope", max_slope)
    if slope >= 90:
        raise InvalidValue(
            "max_slope is below 90 degrees",
            got=f"max_slope={max_slope!r}",
            remedy="Pass an angle such as 45",
        )
    corners, triangles = _read(file.name, read_bytes(file, _MAX_BYTES, "Cut it into several"))
    if up == "y":
        corners = np.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], axis=1)
    normals = _normals(corners[triangles])
    lengths = np.sqrt((normals * normals).sum(axis=1))
    least = math.cos(math.radians(slope)) - 1e-9
    walkable = triangles[(lengths > 0) & (normals[:, 2] >= lengths * least)]
    tolerance = float(np.ptp(corners, axis=0).max()) * 1e-5 if len(corners) else 0.0
    used, numbers = np.unique(walkable, return_inverse=True)
    corners, walkable = weld(corners[used], numbers.reshape(-1, 3), tolerance)
    if not len(walkable):
        raise BadMapFile(
            "A level has ground that one can stand on",
            got=f"{len(triangles):,} triangles, none up to {slope:g} degrees, in {file.name}",
            remedy=f'Try up="{"z" if up == "y" else "y"}", or a larger max_slope',
        )
    mesh = Mesh(corners, walkable)
    pairs, lengths = mesh.neighbors()
    return built(
        file.name,
        "level",
        mesh.centers,
        pairs,
        lengths,
        mesh=mesh,
        max_height=max_height,
        y_up=True,
    )


def _normals(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])


def _read(name: str, raw: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The corners (C, 3) and triangles (T, 3) of an OBJ; faces are cut into fans."""
    corners: list[list[bytes]] = []
    triangles: list[tuple[int, int, int]] = []
    faces: list[int] = []

    def refuse(rule: str, got: bytes) -> BadMapFile:
        where = f"{got[:60]!r} in line {number} of {name}"
        return BadMapFile(rule, got=where, remedy="Export it again")

    lines = raw.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").splitlines()
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if words[:1] == [b"v"]:
            if not 4 <= len(words) <= 8 or len(corners) >= _MAX_CORNERS:
                rule = f"A corner has three coordinates; there are at most {_MAX_CORNERS:,}"
                raise refuse(rule, line)
            corners.append(words[1:4])
        if words[:1] != [b"f"]:
            continue
        ring = []
        for word in words[1:]:
            found = _FACE.match(word)
            index = int(found.group()) if found else 0
            if not found or word[found.end() : found.end() + 1] not in (b"", b"/") or not index:
                raise refuse("A face of an OBJ has numbers of corners, from 1 on", word)
            index = index - 1 if index > 0 else len(corners) + index
            if not 0 <= index < len(corners):
                rule = f"A face of an OBJ has corners that stand before it, here {len(corners):,}"
                raise refuse(rule, word)
            ring.append(index)
        if len(ring) < 3 or len(triangles) + len(ring) > _MAX_FACES:
            rule = f"A face of an OBJ has three corners or more; there are at most {_MAX_FACES:,}"
            raise refuse(rule, line)
        triangles += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
        faces += [number] * (len(ring) - 2)
    if not faces:
        raise BadMapFile("A level has faces", got=f"none in {name}", remedy="Export them too")
    try:
        places = np.array(corners, dtype="S64").reshape(-1, 3).astype(np.float64)
    except ValueError as error:
        raise BadMapFile(
            "The coordinates of an OBJ are numbers",
            got=f"{error} in {name}"[:200],
            remedy="Export it again",
        ) from None
    if not (np.abs(places) <= _FARTHEST).all():
        raise BadMapFile(
            "Corners are finite and at most 1e9 in size",
            got=f"others in {name}",
            remedy="Export it in other units",
        )
    fans, lines_of = np.array(triangles, dtype=np.int64), np.array(faces)
    normals = _normals(places[fans])
    same = lines_of[1:] == lines_of[:-1]
    turned = same & ((normals[1:] * normals[:-1]).sum(axis=1) < 0)
    if turned.any():
        raise BadMapFile(
            "The faces of an OBJ are convex",
            got=f"one that is not, in line {lines_of[1:][turned][0]} of {name}",
            remedy="Triangulate the mesh before you export it",
        )
    return places, fans


def weld(
    corners: NDArray[np.float64], triangles: NDArray[np.int64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Corners and triangles with corners at most `tolerance` apart joined, and without triangles
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
