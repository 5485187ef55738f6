"""Levels of the LDtk editor, `.ldtk` files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import UnknownName
from fieldcraft.formats.maps.reading import (
    Listed,
    map_file,
    numbers,
    objects_by_name,
    parsing,
    read_json,
)
from fieldcraft.space import Grid

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
    """Return the grid of one level: its first IntGrid layer from the top, in pixels, y downwards.

    Entities become `objects` of the grid, by identifier. Levels in files of their own are not read.

    Parameters
    ----------
    path : path_like
        The project.
    neighbors : int or array_like, optional
        As for `Grid`.
    mobility : {"ground", "air"}
        With "air" there are no walls.
    level : str, optional
        The identifier of the level; by default the first.
    wall_values : iterable of int, optional
        The values of the IntGrid that are walls; by default all but 0.

    Raises
    ------
    BadMapFile
        For a file that is no such project, or a level without an IntGrid layer.
    UnknownName
        For a level that is not in it.
    """
    file = map_file(path, mobility, ("ground", "air"))
    blocked = None if wall_values is None else checks.sequence("wall_values", wall_values)
    content = read_json(file, _KIND)
    with parsing(file.name, _KIND):
        levels = {each["identifier"]: each for each in content["levels"][::-1]}
        name = content["levels"][0]["identifier"] if level is None else level
        if name not in levels:
            raise UnknownName("level", name, levels)
        layers = levels[name]["layerInstances"]
        layer = next((each for each in layers if each["__type"] == "IntGrid"), None)
        if layer is None:
            raise ValueError(f"no IntGrid layer in level {name!r}")
        keys = ("__cWid", "__cHei", "__gridSize")
        width, height, size = (checks.integer(key, layer[key], minimum=1) for key in keys)
        values = numbers([layer["intGridCsv"]], width * height, integer=True).reshape(height, width)
        objects = objects_by_name(_entities(layers))
    walls = values != 0 if blocked is None else np.isin(values, blocked)
    grid = Grid(walls=walls & (mobility == "ground"), cell_size=size, neighbors=neighbors)
    grid.objects = objects
    return grid


def _entities(layers: list[Any]) -> Iterator[Listed]:
    """Name, center and fields of each entity."""
    for layer in layers:
        for entity in layer["entityInstances"] if layer["__type"] == "Entities" else ():
            corner, pivot = numbers([entity["px"], entity["__pivot"]], 2)
            size = numbers([[entity["width"], entity["height"]]], 2)[0]
            x, y = (corner + (0.5 - pivot) * size).tolist()
            given = entity["fieldInstances"]
            fields = {each["__identifier"]: each.get("__value") for each in given}
            yield str(entity["__identifier"]), (x, y), fields
