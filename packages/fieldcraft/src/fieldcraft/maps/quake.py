"""Bot navigation of Quake levels, `.navjson` files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.maps.reading import map_file, numbers, parsing, read_json
from fieldcraft.space import Graph

__all__ = ["load_quake"]

_KIND = "Quake navigation file"


def load_quake(
    path: str | os.PathLike[str],
    *,
    mobility: str = "ground",
    max_height: float | None = None,
    link_types: Iterable[int] | None = None,
) -> Graph:
    """Return the directed graph of a `.navjson` file, in game units, z up.

    Each node is a vertex, in the file's order, and each link an edge. A link without its
    counterpart leads one way: drops, jumps. The length of a link with a traversal is that of the
    line through its points, else the straight distance; a first point of exactly (0, 0, 0) is
    ignored. Lifts and teleporters are edges like any other.

    Parameters
    ----------
    path : path_like
        The file.
    mobility : {"ground"}
        There is no other.
    max_height : float, optional
        As for `Graph`; levels have floors above each other, and players are 56 units high.
    link_types : iterable of int, optional
        The Type numbers to take, all by default. In the files seen, 0 is ordinary, 1 a jump over
        a gap, 2 a teleporter, 3 mostly a drop, 5 a step up, 6 a lift; the format's authors
        document none.

    Raises
    ------
    InvalidValue
        For wrong options.
    BadMapFile
        For anything else, and for links that end at no node.
    """
    file = map_file(path, mobility, ("ground",))
    checks.optional(checks.not_negative)("max_height", max_height)
    wanted = None
    if link_types is not None:
        listed = checks.sequence("link_types", link_types)
        wanted = {checks.integer("link_types", number) for number in listed}
    content = read_json(file, _KIND)
    with parsing(file.name, _KIND):
        nodes = content["Nodes"]
        places = numbers([node["Origin"] for node in nodes], 3)
        at = {place: index for index, place in enumerate(map(tuple, places.tolist()))}
        if len(at) < len(places):
            raise ValueError("two nodes in one place")
        edges, lengths = [], []
        for start, node in enumerate(nodes):
            links = [each for each in node["Links"] if wanted is None or each["Type"] in wanted]
            for link, end in zip(
                links, numbers([each["Target"] for each in links], 3), strict=True
            ):
                edges.append((start, at[tuple(end.tolist())]))
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
    points = numbers(link.get("Traversal") or [], 3)
    if len(points) and not points[0].any():
        points = points[1:]
    steps = np.diff(np.array([start, *points, end]), axis=0)
    return float(np.sqrt((steps**2).sum(axis=1)).sum())
