"""Levels of the LDtk editor, `.ldtk` and `.ldtkl` files."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, UnknownName
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import (
    Listed,
    file_beside,
    map_file,
    numbers,
    objects_by_name,
    parsing,
    read_json,
)
from fieldcraft.space import Grid

__all__ = ["load_ldtk"]

_KIND = "LDtk project"
_log = logging.getLogger(__name__)


def load_ldtk(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: Mobility = "ground",
    level: str | None = None,
    layer: str | None = None,
    wall_values: Iterable[int] | None = None,
) -> Grid:
    """Return the grid of one level, in pixels of the level, y downwards.

    Walls come from one IntGrid layer. An offset of this layer is the `origin` of the grid. Entities
    become `objects` of the grid, by identifier.

    If no `layer` is named and several have walls, the uppermost of them is taken, and a warning on
    the logger `fieldcraft.formats.maps.ldtk` lists them. If none has walls, the whole level is
    open, and a warning says so, unless a layer is named.

    Parameters
    ----------
    path : path_like
        The project, with one world or several, with its levels inside or in files of their own; or
        one such file of a level, `.ldtkl`.
    neighbors : int or array_like, optional
        As for `Grid`.
    mobility : {"ground", "air"}
        With "air" there are no walls.
    level : str, optional
        The identifier of the level, or of its world and the level as "World/Level"; by default the
        first.
    layer : str, optional
        The identifier of the IntGrid layer; by default the uppermost that has walls.
    wall_values : iterable of int, optional
        The values of the IntGrid that are walls; by default all but 0.

    Raises
    ------
    BadMapFile
        For a file that is no such project, a level without an IntGrid layer, and a level of which
        several worlds have one.
    UnknownName
        For a level or an IntGrid layer that is not in it.
    """
    file = map_file(path, mobility, ("ground", "air"))
    blocked = checks.optional(checks.sequence)("wall_values", wall_values)
    named = checks.optional(checks.text)("level", level)
    wanted = checks.optional(checks.text)("layer", layer)
    content = read_json(file, _KIND)
    with parsing(file.name, _KIND):
        chosen = _level(content, file, named)
        layers = chosen["layerInstances"]
        source, walls = _walls(layers, file, chosen["identifier"], wanted, blocked)
        size = checks.integer("__gridSize", source["__gridSize"], minimum=1)
        origin = _offset(source)
        objects = objects_by_name(_entities(layers))
    grid = Grid(
        walls=walls & (mobility == "ground"),
        cell_size=size,
        origin=origin,
        neighbors=neighbors,
    )
    grid.objects = objects
    return grid


def _level(content: dict[str, Any], file: Path, wanted: str | None) -> dict[str, Any]:
    """Return the entries of a level, from its own file if it has one; by default of the first."""
    worlds: list[dict[str, Any]]
    if "layerInstances" in content:  # the file of a level
        worlds = [{"identifier": "", "levels": [content]}]
    else:
        several = content.get("worlds") or []
        worlds = [{"identifier": "", "levels": content["levels"]}, *several]
    levels = [(world["identifier"], level) for world in worlds for level in world["levels"]]
    if not levels:
        raise BadMapFile(
            "An LDtk project has a level",
            got=f"none in {file.name}",
            remedy="Add a level in LDtk, and save the project",
        )
    fitting = levels
    if wanted is not None:
        fitting = [
            (world, level)
            for world, level in levels
            if wanted in (level["identifier"], f"{world}/{level['identifier']}")
        ]
        if not fitting:
            raise UnknownName("level", wanted, {level["identifier"] for _, level in levels})
        if len(fitting) > 1:
            names = ", ".join(repr(f"{world}/{level['identifier']}") for world, level in fitting)
            raise BadMapFile(
                "The name of a level says which one is meant",
                got=f"{wanted!r}, which {len(fitting)} levels of {file.name} have",
                remedy=f"Pass one of {names}, or rename a level in LDtk",
            )
    chosen: dict[str, Any] = fitting[0][1]
    if chosen["layerInstances"] is None:
        chosen = read_json(file_beside(file, chosen["externalRelPath"]), _KIND)
    return chosen


def _walls(
    layers: Sequence[dict[str, Any]],
    file: Path,
    level: str,
    wanted: str | None,
    blocked: Sequence[Any] | None,
) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """Return the IntGrid layer that makes walls, and the walls, (height, width)."""
    candidates = [each for each in layers if each["__type"] == "IntGrid"]
    if not candidates:
        names = ", ".join(repr(each["__identifier"]) for each in layers[:12]) or "none"
        raise BadMapFile(
            "Walls of an LDtk level are on an IntGrid layer",
            got=f"level {level!r} in {file.name} with the layers: {names}",
            remedy="Add an IntGrid layer in LDtk, or pass level= for another level",
        )
    if wanted is not None:
        known = [each["__identifier"] for each in candidates]
        if wanted not in known:
            raise UnknownName("IntGrid layer", wanted, known)
        candidates = [candidates[known.index(wanted)]]
    walls = [_layer_walls(each, file, blocked) for each in candidates]
    filled = [place for place, each in enumerate(walls) if each.any()]
    if filled:
        chosen = filled[0]
    else:
        chosen = 0
    if len(filled) > 1:
        names = ", ".join(repr(candidates[place]["__identifier"]) for place in filled)
        _log.warning(
            "Several IntGrid layers of level %r in %s have walls: %s. The uppermost is taken. "
            "Pass layer= to choose.",
            level,
            file.name,
            names,
        )
    elif not filled and wanted is None:
        _log.warning(
            "Nothing in level %r of %s makes walls, so all its cells are open. Its IntGrid layers: "
            "%s. Pass layer= or wall_values=, or ignore this if it is intended.",
            level,
            file.name,
            ", ".join(repr(each["__identifier"]) for each in candidates[:12]),
        )
    return candidates[chosen], walls[chosen]


def _layer_walls(
    layer: dict[str, Any], file: Path, blocked: Sequence[Any] | None
) -> NDArray[np.bool_]:
    """Return which cells of an IntGrid layer are walls, (height, width)."""
    if "intGridCsv" not in layer and "intGrid" in layer:
        raise BadMapFile(
            "An LDtk project was saved by LDtk 0.8 or later",
            got=f"an older one in {file.name}",
            remedy="Open it in a current LDtk, and save it",
        )
    width = checks.integer("__cWid", layer["__cWid"], minimum=1)
    height = checks.integer("__cHei", layer["__cHei"], minimum=1)
    values = numbers([layer["intGridCsv"]], width * height, integer=True).reshape(height, width)
    if blocked is None:
        return np.asarray(values != 0)
    return np.isin(values, blocked)


def _offset(layer: dict[str, Any]) -> tuple[float, float]:
    """Return how far a layer is moved on its level, in pixels."""
    given = [[layer.get("__pxTotalOffsetX", 0), layer.get("__pxTotalOffsetY", 0)]]
    x, y = numbers(given, 2)[0].tolist()
    return x, y


def _entities(layers: Sequence[dict[str, Any]]) -> Iterator[Listed]:
    """Yield the identifier, center and fields of each entity."""
    for layer in layers:
        if layer["__type"] != "Entities":
            continue
        offset = _offset(layer)
        for entity in layer["entityInstances"]:
            corner, pivot = numbers([entity["px"], entity["__pivot"]], 2)
            size = numbers([[entity["width"], entity["height"]]], 2)[0]
            x, y = (corner + offset + (0.5 - pivot) * size).tolist()
            given = entity["fieldInstances"]
            fields = {each["__identifier"]: each.get("__value") for each in given}
            yield str(entity["__identifier"]), (x, y), fields
