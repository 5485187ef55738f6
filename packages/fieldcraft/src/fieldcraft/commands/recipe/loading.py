"""The map of a recipe and its recordings: their tables and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from fieldcraft.base import checks, files
from fieldcraft.base.errors import BadTimeline, FieldcraftError, InvalidValue
from fieldcraft.base.settings.dataclasses import (
    Count,
    Fraction,
    Positive,
    Size,
    Table,
    Text,
    one_of,
    refused,
)
from fieldcraft.base.settings.toml import Keys, dotted
from fieldcraft.commands.recipe.recipe_parts import DATA, MapPart, RecipeFile, TimelinePart
from fieldcraft.formats.maps import KINDS, MAZE_ALGORITHMS, load_map
from fieldcraft.formats.maps.formats import FORMATS
from fieldcraft.formats.maps.generate import generate_map
from fieldcraft.formats.recordings.timeline import Timeline
from fieldcraft.space import Grid, HexGrid, Space
from fieldcraft.space.hexagons.hex_grid import ORIENTATIONS
from fieldcraft.space.wrapping import Wrap, checked_wrap


def _neighbors(name: str, value: Any) -> Any:
    steps = value if isinstance(value, list) else []
    if steps and all(isinstance(step, list) and len(step) == 2 for step in steps):
        return [[checks.integer(name, part, minimum=-64) for part in step] for step in steps]
    if isinstance(value, bool) or value not in (4, 8):
        raise refused("neighbors is 4, 8, or a list of [dx, dy] steps", value, "Write 8, say")
    return value


def _wrap(name: str, value: Any) -> Wrap:
    return checked_wrap(value)


Rectangles = tuple[tuple[float, float, float, float], ...]
"""Two opposite corners each, [x, y, x, y]."""


@dataclass(frozen=True)
class FileKeys:
    """The keys of a map from a file, without the keys of its loader."""

    neighbors: Annotated[Any, _neighbors] = 4
    mobility: Text = "ground"


@dataclass(frozen=True)
class _GridKeys:
    width: Size
    height: Size
    cell_size: Positive = 1
    y_up: bool = False
    neighbors: Annotated[Any, _neighbors] = 4


@dataclass(frozen=True)
class _EmptyKeys(_GridKeys):
    origin: tuple[float, float] = (0, 0)
    walls: Rectangles = ()
    wrap: Annotated[Wrap, _wrap] = False


@dataclass(frozen=True)
class _GeneratedKeys(_GridKeys):
    seed: Count = 0


@dataclass(frozen=True)
class _MazeKeys(_GeneratedKeys):
    algorithm: Annotated[str, one_of(MAZE_ALGORITHMS)] = "backtracker"
    loops: Fraction = 0
    corridor: Size = 1


@dataclass(frozen=True)
class _HexKeys:
    columns: Size
    rows: Size
    orientation: Annotated[str, one_of(ORIENTATIONS)] = ORIENTATIONS[0]
    size: Positive = 1
    origin: tuple[float, float] = (0, 0)
    walls: Rectangles = ()
    wrap: Annotated[Wrap, _wrap] = False
    y_up: bool = False


MAP_KINDS: dict[str, type] = {
    **dict.fromkeys(KINDS, _GeneratedKeys),
    "maze": _MazeKeys,
    "empty": _EmptyKeys,
    "hex": _HexKeys,
}
"""The keys of generated maps by their kind."""


def read_map(table: Table, file: RecipeFile) -> MapPart | None:
    """Return the map of a recipe."""
    path = None
    kind = None
    if ("file" in table) == ("generate" in table):
        table.report(
            "",
            'A map has either a file or generate. Write file = "..." or generate = one of'
            f" {', '.join(MAP_KINDS)}.",
        )
        return None
    if "file" in table:
        path = table.get("file", Annotated[Any, file.resolve])
        options = table.values(FileKeys)
        for key in {key for format_ in FORMATS for key in format_.options} - {*options}:
            if key in table:
                options[key] = table.get(key, Any)
    else:
        kind = table.get("generate", Annotated[str, one_of([*MAP_KINDS])])
        if kind is None:
            return None
        options = table.values(MAP_KINDS[kind])
    table.finish()
    return MapPart(path, kind, options)


_EMPTY: dict[str | None, Any] = {"empty": Grid, "hex": HexGrid}


def load_space(part: MapPart, problems: RecipeFile) -> Space | None:
    """Return the map of a recipe; None with the problem reported if there is none."""
    options = dict(part.options)
    try:
        if part.file is not None:
            if not _is_there(part.file, ("map", "file"), problems):
                return None
            loaded: Space = load_map(part.file, **options)
            return loaded
        if part.generate in _EMPTY:
            rectangles = options.pop("walls", None) or ()
            return _walled(_EMPTY[part.generate](**options), rectangles)
        kind: Any = part.generate
        return generate_map(kind, **options)
    except FieldcraftError as error:
        keys: tuple[str, ...] = ("map",)
        if part.file is not None:
            keys = ("map", "file")
        problems.report(keys, f"map: {error}")
        return None


def _walled(grid: Space, rectangles: Sequence[Sequence[float]]) -> Space:
    """Return a map with walls in cells with their center in one of these rectangles, (x, y, x, y)
    each.
    """
    places = grid.positions
    for x0, y0, x1, y1 in rectangles:
        low = np.array([min(x0, x1), min(y0, y1)])
        high = np.array([max(x0, x1), max(y0, y1)])
        grid.set_walls(np.flatnonzero(((places >= low) & (places <= high)).all(axis=1)))
    return grid


def load_timeline(part: TimelinePart, problems: RecipeFile) -> Timeline | None:
    """Return the recording of one part of a recipe; None with the problem reported if it can't be
    read.
    """
    if not _is_there(part.file, (*part.keys, "file"), problems):
        return None
    try:
        timeline = Timeline.read(part.file, half_life=part.half_life)
    except (BadTimeline, InvalidValue) as error:
        problems.report_error((*part.keys, "file"), error)
        return None
    for group in part.layers:
        if group not in timeline.groups:
            known = ", ".join(repr(name) for name in timeline.groups) or "none"
            problems.report_in(
                (*part.keys, "layers"),
                group,
                f"The recording has no group {group!r}. Its groups: {known}. Rename it.",
            )
    return timeline


def _is_there(file: Path, keys: Keys, problems: RecipeFile) -> bool:
    if files.is_there(file):
        return True
    remedy = "Check the path"
    if DATA in str(problems.value(keys)):
        remedy += f"; {DATA} is the folder of --data DIR or of the environment variable"
    problems.report(keys, f"{dotted(keys[:-1])}: There is no file {file}. {remedy}.")
    return False
