"""Bot navigation of Quake levels, `.navjson` files."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.maps.json_document import Document, built, read_document
from fieldcraft.maps.reading import map_file
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
    """The directed graph of a `.navjson` file: a vertex per node, in the file's order, and an edge
    per link, in game units, z up.

    A link without its counterpart leads one way: drops, jumps. A link with a traversal is as long
    as the way over its points, any other as the straight line; a traversal's first point of exactly
    (0, 0, 0) stands for none. Lifts and teleporters are edges like any other, of that length.

    - `max_height`: as for `Graph`; levels have floors above each other, of which a player (56
      units) stands on one.
    - `link_types`: the Type numbers to take, all by default. In the files seen, 0 is ordinary, 1 a
      jump over a gap, 2 a teleporter, 3 mostly a drop, 5 a step up, 6 a lift; the format's makers
      say nothing about them.

    Raises
    ------
    InvalidValue
        For options that are wrong.
    BadMapFile
        For anything else, links to where no node is among them.
    """
    file = map_file(path, mobility, ("ground",))
    if link_types is not None and not np.iterable(link_types):
        raise InvalidValue(
            "link_types are several whole numbers",
            got=f"link_types={link_types!r}",
            remedy="Pass [0, 1], say",
        )
    wanted = (
        None
        if link_types is None
        else {checks.integer("link_types", number) for number in link_types}
    )
    document = read_document(file, _KIND)
    nodes = document.entry(document.content, "Nodes", list, "The top")
    places = document.numbers(
        [document.entry(node, "Origin", list, "A node") for node in nodes], 3, "The origins"
    )
    numbers = {place: index for index, place in enumerate(map(tuple, places.tolist()))}
    if len(numbers) < len(places):
        document.refuse(
            f"The nodes of a {_KIND} stand in different places",
            f"{len(places) - len(numbers)} that share one",
        )
    starts, targets, lengths = [], [], []
    for index, node in enumerate(nodes):
        links = document.entry(node, "Links", list, "A node")
        ends = document.numbers(
            [document.entry(link, "Target", list, "A link") for link in links], 3, "The targets"
        ).tolist()
        for link, end in zip(links, map(tuple, ends), strict=True):
            if wanted is not None and document.entry(link, "Type", int, "A link") not in wanted:
                continue
            if end not in numbers:
                document.refuse(
                    f"Links of a {_KIND} lead to nodes", f"a link of node {index} to {list(end)}"
                )
            starts.append(index)
            targets.append(numbers[end])
            lengths.append(_length(document, places[index], link, np.array(end)))
    edges = np.array([starts, targets], dtype=np.int64).T.reshape(-1, 2)
    return built(
        document.name,
        _KIND,
        places,
        edges,
        np.array(lengths, dtype=np.float64),
        True,
        max_height=max_height,
        y_up=True,
    )


def _length(
    document: Document,
    start: NDArray[np.float64],
    link: dict[str, object],
    end: NDArray[np.float64],
) -> float:
    way = [start]
    if link.get("Traversal") is not None:
        points = document.numbers(
            document.entry(link, "Traversal", list, "A link"), 3, "The points of a traversal"
        )
        way += list(points[1:] if len(points) and not points[0].any() else points)
    return float(np.sqrt((np.diff(np.array([*way, end]), axis=0) ** 2).sum(axis=1)).sum())
