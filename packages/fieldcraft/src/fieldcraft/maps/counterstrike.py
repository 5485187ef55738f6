"""Navigation areas of Counter-Strike levels, as JSON."""

from __future__ import annotations

import os

import numpy as np

from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps.json_document import Document, built, read_document
from fieldcraft.maps.reading import map_file
from fieldcraft.space import Graph, Mesh

__all__ = ["load_counterstrike"]

_KIND = "Counter-Strike navigation file"


def load_counterstrike(
    path: str | os.PathLike[str], *, mobility: str = "ground", max_height: float | None = None
) -> Graph:
    """The directed graph of a navigation file: a vertex in the middle of each area, an edge per
    connection, in game units, z up.

    `labels` of the graph are the ids of the areas, its mesh their polygons; an edge is as long as
    the straight line between the middles. Ladders count as connections, up and down. `max_height`
    as for `Graph`.

    The file is the JSON of awpy: `{"areas": {id: {"corners": [{"x", "y", "z"}, ...], "connections":
    [id, ...], "ladders_above": [...], "ladders_below": [...]}}}`. Raises `BadMapFile` for anything
    else, connections to areas that don't exist among them.
    """
    file = map_file(path, mobility, ("ground",))
    return from_document(read_document(file, _KIND), max_height)


def from_document(document: Document, max_height: float | None) -> Graph:
    """The graph that a document describes."""
    areas = document.entry(document.content, "areas", dict, "The top")
    labels = list(areas)
    try:
        numbers = {int(label): index for index, label in enumerate(labels)}
    except ValueError:
        document.refuse(f"The areas of a {_KIND} have whole numbers as ids", f"{labels[:3]!r}"[:60])
    if len(numbers) < len(labels):
        document.refuse(f"The areas of a {_KIND} have different ids", "an id twice")
    corners: list[list[object]] = []
    polygons, pairs = [], []
    for index, (label, area) in enumerate(areas.items()):
        place = f"Area {label}"[:40]
        ring = document.entry(area, "corners", list, place)
        polygons.append(list(range(len(corners), len(corners) + len(ring))))
        corners += [
            [document.entry(corner, axis, (int, float), "A corner") for axis in "xyz"]
            for corner in ring
        ]
        ways = [
            end
            for key in ("connections", "ladders_above", "ladders_below")
            for end in _ids(document, area, key, place)
        ]
        for end in ways:
            if end not in numbers:
                document.refuse(
                    f"Connections of a {_KIND} lead to areas", f"{end} in area {label}"[:60]
                )
            pairs.append((index, numbers[end]))
    places = document.numbers(corners, 3, "The corners")
    try:
        mesh = Mesh(places, polygons)
    except InvalidValue as error:
        raise BadMapFile(
            error.rule, got=f"{error.got} in {document.name}", remedy=f"Mend the {_KIND}"
        ) from None
    edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    lengths = np.sqrt(((mesh.centers[edges[:, 0]] - mesh.centers[edges[:, 1]]) ** 2).sum(axis=1))
    return built(
        document.name,
        _KIND,
        mesh.centers,
        edges,
        np.maximum(lengths, 1e-9),
        True,
        max_height=max_height,
        mesh=mesh,
        labels=list(numbers),
        y_up=True,
    )


def _ids(document: Document, area: dict[str, object], key: str, place: str) -> list[int]:
    listed = document.entry(area, key, list, place) if key in area else []
    if not all(isinstance(end, int) and not isinstance(end, bool) for end in listed):
        document.refuse(f"The {key} of an area are ids", f"{listed!r}"[:60])
    return list(listed)
