"""fieldcraft's own waypoint graphs: JSON with vertices and edges, easy to write by hand."""

from __future__ import annotations

import os

import numpy as np

from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import map_file, numbers, parsing, read_json
from fieldcraft.space import Graph

__all__ = ["load_waypoints"]

_KIND = "waypoint graph"
_KEYS = {"vertices", "edges", "directed", "blocked", "names", "max_height", "y_up", "about"}


def load_waypoints(
    path: str | os.PathLike[str], *, mobility: Mobility = "ground", max_height: float | None = None
) -> Graph:
    """Return the graph of a JSON file of this form:

    `{"vertices": [[x, y], ...] or [[x, y, z], ...], "edges": [[from, to] or [from, to, length],
    ...]}`

    It may also have `"directed": true` (one-way edges), `"blocked": [vertex, ...]`, `"names":
    [text, ...]`, `"max_height": number` and `"y_up": true`, as for `Graph`, and `"about"`, which is
    ignored. Edges without a length are as long as the straight line.

    Parameters
    ----------
    path : path_like
        The file.
    mobility : {"ground", "air"}
        With "air" no vertex is blocked.
    max_height : float, optional
        Replaces the value in the file.

    Raises
    ------
    BadMapFile
        For anything else.
    """
    file = map_file(path, mobility, ("ground", "air"), max_height)
    content = read_json(file, _KIND)
    with parsing(file.name, _KIND):
        unknown = sorted(set(content) - _KEYS)
        if unknown:
            raise ValueError(f"an unknown key {unknown[0]!r}")
        vertices = content["vertices"]
        edges = content["edges"]
        is_3d = bool(vertices) and len(vertices[0]) == 3
        places = numbers(vertices, 3 if is_3d else 2)
        pairs = numbers([edge[:2] for edge in edges], 2, integer=True)
        if len(pairs) and not 0 <= pairs.min() <= pairs.max() < len(places):
            raise ValueError(f"edges between other than {len(places)} vertices")
        lengths = np.sqrt(((places[pairs[:, 0]] - places[pairs[:, 1]]) ** 2).sum(axis=1))
        given = [index for index, edge in enumerate(edges) if len(edge) > 2]
        lengths[given] = numbers([edges[index][2:] for index in given], 1)[:, 0]
        blocked = numbers([[each] for each in content.get("blocked", [])], 1, integer=True)[:, 0]
        return Graph(
            places,
            pairs,
            lengths,
            content.get("directed", False),
            blocked=blocked if mobility == "ground" else None,
            max_height=content.get("max_height") if max_height is None else max_height,
            labels=content.get("names"),
            y_up=content.get("y_up", False),
        )
