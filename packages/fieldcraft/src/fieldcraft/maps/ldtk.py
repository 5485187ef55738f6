"""Levels of the LDtk editor, `.ldtk` files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.errors import BadMapFile, InvalidValue, UnknownName
from fieldcraft.maps.json_document import Document, read_document
from fieldcraft.maps.objects import objects_by_name
from fieldcraft.maps.reading import map_file
from fieldcraft.space import Grid
from fieldcraft.space.grid import MAX_CELLS

__all__ = ["load_ldtk"]

_KIND = "LDtk project"


def load_ldtk(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: str = "ground",
    level: str | None = None,
    wall_values: Iterable[int] | None = None,
) -> Grid:
    """The grid of one level: its first IntGrid layer from the top, in pixels, y downwards.

    - `level`: its identifier; the first level if absent.
    - `wall_values`: the values of the IntGrid that are walls; by default all but 0.
    - `mobility`: "ground", or "air" for no walls.

    Entities come as `objects` of the grid, by identifier. Levels in files of their own are not
    read. Raises `BadMapFile` for anything else, and `UnknownName` for a level that is not there.
    """
    file = map_file(path, mobility, ("ground", "air"))
    if wall_values is not None and not np.iterable(wall_values):
        raise InvalidValue(
            "wall_values are whole numbers", got=repr(wall_values)[:60], remedy="Pass [1, 2], say"
        )
    document = read_document(file, _KIND)
    levels = document.entry(document.content, "levels", list, "The top")
    names = [document.entry(each, "identifier", str, "A level") for each in levels]
    if not levels or (level is not None and level not in names):
        raise UnknownName("level", str(level), names)
    chosen = levels[0 if level is None else names.index(level)]
    layers = document.entry(chosen, "layerInstances", list, "A level in the same file")
    found = [layer for layer in layers if _kind(document, layer) == "IntGrid"]
    if not found:
        raise BadMapFile(
            "A level has an IntGrid layer, which tells where walls are",
            got=f"none in level {names[0] if level is None else level!r} of {file.name}",
            remedy="Add one in LDtk",
        )
    width, height, size = (
        document.entry(found[0], key, int, "A layer") for key in ("__cWid", "__cHei", "__gridSize")
    )
    rows = [[value] for value in document.entry(found[0], "intGridCsv", list, "A layer")]
    values = document.numbers(rows, 1, "The cells", whole=True)
    if min(width, height, size) < 1 or len(values) != width * height or len(values) > MAX_CELLS:
        document.refuse("An IntGrid has a value per cell", f"{len(values)} for {width} x {height}")
    walls = values != 0 if wall_values is None else np.isin(values, list(wall_values))
    grid = Grid(
        width,
        height,
        cell_size=size,
        walls=walls.reshape(height, width) if mobility == "ground" else None,
        neighbors=neighbors,
    )
    grid.objects = objects_by_name(_entities(document, layers))
    return grid


def _kind(document: Document, layer: Any) -> str:
    return str(document.entry(layer, "__type", str, "A layer"))


def _entities(
    document: Document, layers: list[Any]
) -> Iterable[tuple[str, tuple[float, float], dict[str, Any]]]:
    """Name, center and fields of each entity."""
    for layer in layers:
        if _kind(document, layer) != "Entities":
            continue
        for entity in document.entry(layer, "entityInstances", list, "A layer"):
            corner, pivot = (
                document.numbers([document.entry(entity, key, list, "An entity")], 2, key)[0]
                for key in ("px", "__pivot")
            )
            size = [
                document.entry(entity, key, (int, float), "An entity")
                for key in ("width", "height")
            ]
            x, y = (corner + (0.5 - pivot) * size).tolist()
            fields = document.entry(entity, "fieldInstances", list, "An entity")
            pairs = [
                (document.entry(each, "__identifier", str, "A field"), each) for each in fields
            ]
            name = document.entry(entity, "__identifier", str, "An entity")
            yield name, (x, y), {key: each.get("__value") for key, each in pairs}
