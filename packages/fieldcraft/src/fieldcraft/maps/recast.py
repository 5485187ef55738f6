"""Navigation meshes that Recast has built, dumped as JSON."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.maps.obj import weld
from fieldcraft.maps.reading import map_file, numbers, parsing, read_json
from fieldcraft.space import Graph

__all__ = ["load_recast"]

_KIND = "Recast mesh"
_UNUSED = 65535


def load_recast(
    path: str | os.PathLike[str], *, mobility: str = "ground", max_height: float | None = None
) -> Graph:
    """Return the graph of a poly-mesh or a detail mesh: a vertex for each polygon or triangle,
    edges between those that share a side.

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
    file = map_file(path, mobility, ("ground",))
    checks.optional(checks.not_negative)("max_height", max_height)
    content = read_json(file, _KIND)
    with parsing(file.name, _KIND):
        corners, polygons = _details(content) if "meshes" in content else _polygons(content)
        places = np.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], axis=1)
        return Graph.from_polygons(places, polygons, max_height=max_height, y_up=True)


def _polygons(content: dict[str, Any]) -> tuple[NDArray[np.float64], list[list[int]]]:
    """Return the corners (C, 3) and polygons of a poly-mesh."""
    voxels = numbers(content["vertices"], 3, whole=True)
    low = numbers([content["aabb"]["min"]], 3)[0]
    wide, high = numbers([[content["cell_size"], content["cell_height"]]], 2)[0].tolist()
    if min(wide, high) <= 0:
        raise ValueError(f"cells of {wide} by {high}")
    slots = content["max_vertices_per_polygon"]
    flat = content["polygons"]
    rows = numbers([flat[k : k + slots] for k in range(0, len(flat), slots)], slots, whole=True)
    polygons = [[corner for corner in row if corner != _UNUSED] for row in rows.tolist()]
    return low + voxels * (wide, high, wide), polygons


def _details(content: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the corners (C, 3) and triangles (T, 3) of a detail mesh."""
    corners = numbers(content["vertices"], 3)
    triangles = numbers(content["triangles"], 3, whole=True)
    first = np.full(len(triangles), -1, dtype=np.int64)
    keys = ("base_vertex_index", "vertex_count", "base_triangle_index", "triangle_count")
    for part in content["meshes"]:
        base, count, start, size = numbers([[part[key] for key in keys]], 4, whole=True)[0].tolist()
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
