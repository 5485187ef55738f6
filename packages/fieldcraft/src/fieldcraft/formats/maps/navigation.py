"""Navigation files of games and of Recast, as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import map_file, numbers, parsing, read_json
from fieldcraft.formats.maps.triangles import weld
from fieldcraft.space import Graph, Mesh

__all__ = ["load_counterstrike", "load_quake", "load_recast"]

_COUNTERSTRIKE = "Counter-Strike navigation file"
_LINKS = ("connections", "ladders_above", "ladders_below")
_QUAKE = "Quake navigation file"
_RECAST = "Recast mesh"
_UNUSED = 65535


def load_counterstrike(
    path: str | os.PathLike[str], *, mobility: Mobility = "ground", max_height: float | None = None
) -> Graph:
    """Return the directed graph of a navigation file, in game units, z up.

    Each area is a vertex at its center, with its polygon in `mesh` and its id in `labels`. Each
    connection is an edge, as long as the straight line between the centers; ladders count as
    connections.

    The file is the JSON of awpy: `{"areas": {id: {"corners": [{"x", "y", "z"}, ...], "connections":
    [id, ...], "ladders_above": [...], "ladders_below": [...]}}}`.

    Parameters
    ----------
    path : path_like
        The file.
    mobility : {"ground"}
        There is no other.
    max_height : float, optional
        As for `Graph`.

    Raises
    ------
    BadMapFile
        For anything else, and for connections to areas that don't exist.
    """
    file = map_file(path, mobility, ("ground",), max_height)
    content = read_json(file, _COUNTERSTRIKE)
    with parsing(file.name, _COUNTERSTRIKE):
        areas = content["areas"]
        index = {int(label): number for number, label in enumerate(areas)}
        if len(index) < len(areas):
            raise ValueError("two areas with one id")
        corners = list[list[float]]()
        polygons = []
        edges = []
        for number, area in enumerate(areas.values()):
            ring = [[corner[axis] for axis in "xyz"] for corner in area["corners"]]
            polygons.append(range(len(corners), len(corners) + len(ring)))
            corners += ring
            edges += [(number, index[end]) for key in _LINKS for end in area.get(key, [])]
        mesh = Mesh(numbers(corners, 3), [list(polygon) for polygon in polygons])
        pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
        offsets = mesh.centers[pairs[:, 0]] - mesh.centers[pairs[:, 1]]
        lengths = np.maximum(np.sqrt((offsets**2).sum(axis=1)), 1e-9)
        return Graph(
            mesh.centers,
            pairs,
            lengths,
            True,
            max_height=max_height,
            mesh=mesh,
            labels=list(index),
            y_up=True,
        )


def load_quake(
    path: str | os.PathLike[str],
    *,
    mobility: Mobility = "ground",
    max_height: float | None = None,
    link_types: Iterable[int] | None = None,
) -> Graph:
    """Return the directed graph of a `.navjson` file, in game units, z up.

    Each node is a vertex, in the file's order, and each link an edge. A link without its
    counterpart has one direction: drops, jumps. The length of a link with a traversal is the length
    of the line through its points, else the straight distance; a first point of exactly (0, 0, 0)
    is ignored. Lifts and teleporters are edges like any other.

    Parameters
    ----------
    path : path_like
        The file.
    mobility : {"ground"}
        There is no other.
    max_height : float, optional
        As for `Graph`; levels have floors above each other, and players are 56 units high.
    link_types : iterable of int, optional
        The Type numbers to include, all by default. In the files seen, 0 is ordinary, 1 a jump over
        a gap, 2 a teleporter, 3 mostly a drop, 5 a step up, 6 a lift; the format's authors document
        none.

    Raises
    ------
    InvalidValue
        For wrong options.
    BadMapFile
        For anything else, and for links that end at no node.
    """
    file = map_file(path, mobility, ("ground",), max_height)
    if link_types is None:
        wanted = None
    else:
        listed = checks.sequence("link_types", link_types)
        wanted = {checks.integer("link_types", number) for number in listed}
    content = read_json(file, _QUAKE)
    with parsing(file.name, _QUAKE):
        nodes = content["Nodes"]
        places = numbers([node["Origin"] for node in nodes], 3)
        number_at = {tuple(place): number for number, place in enumerate(places.tolist())}
        if len(number_at) < len(places):
            raise ValueError("two nodes in one place")
        edges = []
        lengths = []
        for start, node in enumerate(nodes):
            links = [each for each in node["Links"] if wanted is None or each["Type"] in wanted]
            targets = numbers([each["Target"] for each in links], 3)
            for link, end in zip(links, targets, strict=True):
                edges.append((start, number_at[tuple(end.tolist())]))
                lengths.append(_length(places[start], link, end))
        return Graph(
            places,
            np.array(edges, dtype=np.int64).reshape(-1, 2),
            np.array(lengths, dtype=np.float64),
            True,
            max_height=max_height,
            y_up=True,
        )


def _length(start: NDArray[np.float64], link: dict[str, Any], end: NDArray[np.float64]) -> float:
    """Return the length of a link, through the points of its traversal."""
    points = numbers(link.get("Traversal") or [], 3)
    if len(points) and not points[0].any():
        points = points[1:]
    steps = np.diff(np.array([start, *points, end]), axis=0)
    return float(np.sqrt((steps**2).sum(axis=1)).sum())


def load_recast(
    path: str | os.PathLike[str], *, mobility: Mobility = "ground", max_height: float | None = None
) -> Graph:
    """Return the graph of a poly-mesh or a detail mesh: a vertex for each polygon or triangle,
    edges between neighbors that share a side.

    A poly-mesh has `vertices` (whole numbers in voxels), `polygons` (slots of corner numbers, 65535
    for unused ones), `max_vertices_per_polygon`, `aabb`, `cell_size` and `cell_height`; a detail
    mesh has `vertices` (world), `triangles` and `meshes`. Recast has y up: positions become
    (x, -z, y), z up.

    Parameters
    ----------
    path : path_like
        The file.
    mobility : {"ground"}
        There is no other.
    max_height : float, optional
        As for `Graph`.

    Raises
    ------
    BadMapFile
        For anything else.
    """
    file = map_file(path, mobility, ("ground",), max_height)
    content = read_json(file, _RECAST)
    with parsing(file.name, _RECAST):
        polygons: Any
        if "meshes" in content:
            corners, polygons = _details(content)
        else:
            corners, polygons = _polygons(content)
        places = np.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], axis=1)
        return Graph.from_polygons(places, polygons, max_height=max_height, y_up=True)


def _polygons(content: dict[str, Any]) -> tuple[NDArray[np.float64], list[list[int]]]:
    """Return the corners (C, 3) and polygons of a poly-mesh."""
    voxels = numbers(content["vertices"], 3, integer=True)
    low = numbers([content["aabb"]["min"]], 3)[0]
    wide, high = numbers([[content["cell_size"], content["cell_height"]]], 2)[0].tolist()
    if min(wide, high) <= 0:
        raise ValueError(f"cells of {wide} by {high}")
    slots = content["max_vertices_per_polygon"]
    flat = content["polygons"]
    rows = numbers([flat[k : k + slots] for k in range(0, len(flat), slots)], slots, integer=True)
    polygons = [[corner for corner in row if corner != _UNUSED] for row in rows.tolist()]
    return low + voxels * (wide, high, wide), polygons


def _details(content: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the corners (C, 3) and triangles (T, 3) of a detail mesh."""
    corners = numbers(content["vertices"], 3)
    triangles = numbers(content["triangles"], 3, integer=True)
    first = np.full(len(triangles), -1, dtype=np.int64)
    keys = ("base_vertex_index", "vertex_count", "base_triangle_index", "triangle_count")
    for part in content["meshes"]:
        found = numbers([[part[key] for key in keys]], 4, integer=True)
        base, count, start, size = found[0].tolist()
        mine = triangles[start : start + size]
        if (
            min(base, start) < 0
            or base + count > len(corners)
            or len(mine) < size
            or (mine >= count).any()
        ):
            raise ValueError(f"a part outside of the mesh, {part!r:.90}")
        first[start : start + size] = base
    if (first < 0).any() or (triangles < 0).any():
        raise ValueError("a triangle that belongs to no part")
    # Parts have corners of their own; those of neighbors lie in the same places.
    return weld(corners, triangles + first[:, np.newaxis], 1e-4)
