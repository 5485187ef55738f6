"""Navigation areas of Counter-Strike levels, as JSON."""

from __future__ import annotations

import os

import numpy as np

from fieldcraft import checks
from fieldcraft.maps.reading import map_file, numbers, parsing, read_json
from fieldcraft.space import Graph, Mesh

__all__ = ["load_counterstrike"]

_KIND = "Counter-Strike navigation file"
_LINKS = ("connections", "ladders_above", "ladders_below")


def load_counterstrike(
    path: str | os.PathLike[str], *, mobility: str = "ground", max_height: float | None = None
) -> Graph:
    """Return the directed graph of a navigation file, in game units, z up.

    Each area is a vertex at its middle, with its polygon in `mesh` and its id in `labels`. Each
    connection is an edge, as long as the straight line between the middles; ladders count as
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
    file = map_file(path, mobility, ("ground",))
    checks.optional(checks.not_negative)("max_height", max_height)
    content = read_json(file, _KIND)
    with parsing(file.name, _KIND):
        areas = content["areas"]
        index = {int(label): number for number, label in enumerate(areas)}
        if len(index) < len(areas):
            raise ValueError("two areas with one id")
        corners, polygons, edges = list[list[float]](), [], []
        for number, area in enumerate(areas.values()):
            ring = [[corner[axis] for axis in "xyz"] for corner in area["corners"]]
            polygons.append(range(len(corners), len(corners) + len(ring)))
            corners += ring
            edges += [(number, index[end]) for key in _LINKS for end in area.get(key, [])]
        mesh = Mesh(numbers(corners, 3), [list(polygon) for polygon in polygons])
        pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
        way = mesh.centers[pairs[:, 0]] - mesh.centers[pairs[:, 1]]
        lengths = np.maximum(np.sqrt((way**2).sum(axis=1)), 1e-9)
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
