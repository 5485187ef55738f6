"""fieldcraft's own waypoint graphs: JSON with vertices and edges, easy to write by hand and by
other tools.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps.json_document import Document, built, read_document
from fieldcraft.maps.reading import map_file
from fieldcraft.space import Graph

__all__ = ["load_waypoints", "save_waypoints"]

_KIND = "waypoint graph"
_KEYS = ("vertices", "edges", "directed", "blocked", "names", "max_height", "y_up", "about")


def load_waypoints(
    path: str | os.PathLike[str], *, mobility: str = "ground", max_height: float | None = None
) -> Graph:
    """The graph of a JSON file of this form:

    `{"vertices": [[x, y], ...] or [[x, y, z], ...], "edges": [[from, to] or [from, to, length],
    ...]}`

    and optionally `"directed": true` (edges lead one way), `"blocked": [vertex, ...]`, `"names":
    [text, ...]`, `"max_height": number` and `"y_up": true`, as for `Graph`, and `"about"`, which is
    not read. Edges without a length are as long as the straight line.

    `mobility`: "ground" (blocked vertices are walls) or "air" (none are). `max_height` stands in
        for that of the file.

    Raises
    ------
    BadMapFile
        For anything else.
    """
    file = map_file(path, mobility, ("ground", "air"))
    return from_document(read_document(file, _KIND), mobility, max_height)


def from_document(document: Document, mobility: str, max_height: float | None) -> Graph:
    """The graph that a document describes."""
    content = document.content
    unknown = sorted(set(content) - set(_KEYS))
    if unknown:
        document.refuse(f"A {_KIND} has {', '.join(_KEYS)}", f"{unknown[0]!r}"[:60])
    vertices = document.entry(content, "vertices", list, "The top")
    axes = 3 if vertices and isinstance(vertices[0], list) and len(vertices[0]) == 3 else 2
    places = document.numbers(vertices, axes, "The vertices")
    edges = document.entry(content, "edges", list, "The top")
    with_length = [
        index for index, edge in enumerate(edges) if isinstance(edge, list) and len(edge) == 3
    ]
    pairs = document.numbers(
        [edge[:2] if isinstance(edge, list) and len(edge) in (2, 3) else edge for edge in edges],
        2,
        "The edges",
        whole=True,
    )
    lengths = None
    if with_length:
        lengths = _straight(document, places, pairs)
        sizes = document.numbers(
            [[edges[index][2]] for index in with_length], 1, "The lengths of edges"
        )
        lengths[with_length] = sizes[:, 0]
    directed = (
        document.entry(content, "directed", bool, "The top") if "directed" in content else False
    )
    blocked = document.entry(content, "blocked", list, "The top") if "blocked" in content else []
    walls = document.numbers(
        [[vertex] for vertex in blocked], 1, "The blocked vertices", whole=True
    )[:, 0]
    names = document.entry(content, "names", list, "The top") if "names" in content else None
    if names is not None and not all(isinstance(name, str) for name in names):
        document.refuse(f"The names of a {_KIND} are texts", f"{names!r}"[:60])
    if max_height is None and content.get("max_height") is not None:
        max_height = document.entry(content, "max_height", (int, float), "The top")
        if not 0 <= max_height < np.inf:
            document.refuse(f"The max_height of a {_KIND} is at least 0", f"{max_height}")
    y_up = document.entry(content, "y_up", bool, "The top") if "y_up" in content else False
    settings: dict[str, Any] = {"labels": names, "max_height": max_height, "y_up": y_up}
    return built(
        document.name,
        _KIND,
        places,
        pairs,
        lengths,
        directed,
        blocked=walls if mobility == "ground" else None,
        **settings,
    )


def _straight(document: Document, places: Any, pairs: Any) -> Any:
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= len(places)):
        bad = pairs[((pairs < 0) | (pairs >= len(places))).any(axis=1)][0]
        document.refuse(
            f"The edges of a {_KIND} lie between its {len(places)} vertices", f"{bad.tolist()}"
        )
    return np.sqrt(((places[pairs[:, 0]] - places[pairs[:, 1]]) ** 2).sum(axis=1))


def save_waypoints(path: str | os.PathLike[str], graph: Graph) -> None:
    """Write a graph as `load_waypoints` reads it: with blocked vertices, and names that are texts;
    without meshes, the squares of a grid, and closed edges.

    Raises
    ------
    InvalidValue
        For a graph with edges that are closed.
    BadMapFile
        If the path can't be written.
    """
    if not isinstance(graph, Graph):
        raise InvalidValue(
            "save_waypoints() takes a graph",
            got=type(graph).__name__,
            remedy="Pass grid.to_graph() for a grid",
        )
    if len(graph.blocked_edges):
        raise InvalidValue(
            "A waypoint file has no closed edges",
            got=f"{len(graph.blocked_edges)} of them",
            remedy="Open them, or save the map with imap.save()",
        )
    edges = [
        [*pair, length]
        for pair, length in zip(graph.edges.tolist(), graph.lengths.tolist(), strict=True)
    ]
    content: dict[str, Any] = {"vertices": graph.positions.tolist(), "edges": edges}
    content |= {
        "directed": graph.directed,
        "blocked": np.flatnonzero(graph.walls).tolist(),
        "y_up": graph.y_up,
    }
    if graph.max_height is not None:
        content["max_height"] = graph.max_height
    if graph.labels is not None and all(isinstance(label, str) for label in graph.labels):
        content["names"] = list(graph.labels)
    try:
        checks.path("path", path).write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    except OSError as error:
        raise BadMapFile(
            "A waypoint graph goes to a path that can be written",
            got=f"{path}: {error.strerror}",
            remedy="Choose another path",
        ) from None
