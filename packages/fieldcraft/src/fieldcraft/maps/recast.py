"""Navigation meshes that Recast has built, dumped as JSON."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.maps.json_document import Document, built, read_document
from fieldcraft.maps.obj import weld
from fieldcraft.maps.reading import map_file
from fieldcraft.space import Graph

__all__ = ["load_recast"]

_KIND = "Recast mesh"
_UNUSED = 65535


def load_recast(
    path: str | os.PathLike[str], *, mobility: str = "ground", max_height: float | None = None
) -> Graph:
    """The graph of a poly-mesh (a vertex per polygon) or a detail mesh (a vertex per triangle),
    where sides are shared.

    A poly-mesh has `vertices` (whole numbers in voxels), `polygons` (slots of corner numbers, 65535
    for unused ones), `max_vertices_per_polygon`, `aabb`, `cell_size` and `cell_height`; a detail
    mesh has `vertices` (world), `triangles` and `meshes`. Neighbours are worked out from the sides.
    Recast has y up: the world comes as (x, -z, y), z up, as for meshes. `max_height` as for
    `Graph`.

    Raises
    ------
    BadMapFile
        For anything else.
    """
    file = map_file(path, mobility, ("ground",))
    return from_document(read_document(file, _KIND), max_height)


def from_document(document: Document, max_height: float | None) -> Graph:
    """The graph that a document describes."""
    corners, polygons = _details(document) if "meshes" in document.content else _polygons(document)
    places = np.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], axis=1)
    return built(
        document.name, _KIND, places, polygons, polygons=True, max_height=max_height, y_up=True
    )


def _polygons(document: Document) -> tuple[NDArray[np.float64], list[list[int]]]:
    content = document.content
    voxels = document.numbers(
        document.entry(content, "vertices", list, "The top"), 3, "The vertices", whole=True
    )
    slots = document.entry(content, "max_vertices_per_polygon", int, "The top")
    flat = document.numbers(
        [[slot] for slot in document.entry(content, "polygons", list, "The top")],
        1,
        "The polygons",
        whole=True,
    )[:, 0]
    if not 3 <= slots <= 64 or len(flat) % slots:
        document.refuse(
            f"The polygons of a {_KIND} have as many slots each, 3 to 64",
            f"{slots} slots and {len(flat)} numbers",
        )
    low = document.numbers(
        [document.entry(document.entry(content, "aabb", dict, "The top"), "min", list, "The box")],
        3,
        "The corners",
    )[0]
    wide, high = (
        float(document.entry(content, key, (int, float), "The top"))
        for key in ("cell_size", "cell_height")
    )
    if not (0 < wide <= checks.LARGEST and 0 < high <= checks.LARGEST):
        document.refuse(f"The cells of a {_KIND} have a size", f"{wide} and {high}")
    polygons = [
        [corner for corner in row if corner != _UNUSED] for row in flat.reshape(-1, slots).tolist()
    ]
    return low + voxels * (wide, high, wide), polygons


def _details(document: Document) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    content = document.content
    corners = document.numbers(
        document.entry(content, "vertices", list, "The top"), 3, "The vertices"
    )
    triangles = document.numbers(
        document.entry(content, "triangles", list, "The top"), 3, "The triangles", whole=True
    )
    owners = np.full(len(triangles), -1, dtype=np.int64)
    first = np.zeros(len(triangles), dtype=np.int64)
    for mesh in document.entry(content, "meshes", list, "The top"):
        keys = ("base_vertex_index", "vertex_count", "base_triangle_index", "triangle_count")
        base, count, start, size = (document.entry(mesh, key, int, "A part") for key in keys)
        mine = triangles[start : start + size] if start >= 0 and size >= 0 else triangles[:0]
        if (
            min(base, count, start, size) < 0
            or start + size > len(triangles)
            or base + count > len(corners)
            or (mine >= count).any()
        ):
            document.refuse(f"The parts of a {_KIND} lie within it", f"{mesh!r}"[:90])
        owners[start : start + size], first[start : start + size] = base, base
    if (owners < 0).any() or (triangles < 0).any():
        document.refuse(
            f"Each triangle of a {_KIND} belongs to a part",
            f"triangle {int(np.flatnonzero(owners < 0)[:1].sum())}",
        )
    # Each part has corners of its own; those of neighbours lie in the same places.
    return weld(corners, triangles + first[:, np.newaxis], 1e-4)
