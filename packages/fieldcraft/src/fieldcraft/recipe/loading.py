"""Getting the map and the recordings that a recipe names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fieldcraft.errors import BadTimeline, FieldcraftError, InvalidValue
from fieldcraft.files import is_there
from fieldcraft.maps import load_map
from fieldcraft.maps.generate import generate_map
from fieldcraft.recipe.document import DATA, RecipeFile
from fieldcraft.recipe.parts import MapPart, TimelinePart
from fieldcraft.recordings.timeline import Timeline
from fieldcraft.settings_file import Keys, dotted
from fieldcraft.space import Grid, HexGrid, Space

__all__ = ["load_space", "load_timeline"]

_EMPTY: dict[str | None, Any] = {"empty": Grid, "hex": HexGrid}


def load_space(part: MapPart, problems: RecipeFile) -> Space | None:
    """The map of a recipe; None with the problem noted if there is none."""
    options = dict(part.options)
    try:
        if part.file is not None:
            return (
                load_map(part.file, **options)
                if _is_there(part.file, ("map", "file"), problems)
                else None
            )
        if part.generate in _EMPTY:
            rectangles = options.pop("walls", None) or ()
            return _walled(_EMPTY[part.generate](**options), rectangles)
        return generate_map(str(part.generate), **options)
    except FieldcraftError as error:
        problems.add(("map", "file") if part.file is not None else ("map",), f"map: {error}")
        return None


def _walled(grid: Space, rectangles: Sequence[Sequence[float]]) -> Space:
    """The map with walls where the middle of a cell lies in one of these rectangles, (x, y, x, y)
    each.
    """
    places = grid.positions
    for x0, y0, x1, y1 in rectangles:
        low, high = np.array([min(x0, x1), min(y0, y1)]), np.array([max(x0, x1), max(y0, y1)])
        grid.set_walls(np.flatnonzero(((places >= low) & (places <= high)).all(axis=1)))
    return grid


def load_timeline(part: TimelinePart, problems: RecipeFile) -> Timeline | None:
    """The recording of one part of a recipe; None with the problem noted if it can't be read."""
    if not _is_there(part.file, (*part.keys, "file"), problems):
        return None
    try:
        timeline = Timeline.read(part.file, half_life=part.half_life)
    except BadTimeline as error:
        problems.add((*part.keys, "file"), f"{dotted(part.keys)}: {error}")
        return None
    except InvalidValue as error:
        problems.add(part.keys, f"{dotted(part.keys)}: {error}")
        return None
    for group in part.layers:
        if group not in timeline.groups:
            known = ", ".join(repr(name) for name in timeline.groups) or "none"
            problems.add(
                (*part.keys, "layers", group),
                f"{dotted(part.keys)}: The recording has no group {group!r}. Its groups: {known}."
                " Rename it.",
            )
    return timeline


def _is_there(file: Path, keys: Keys, problems: RecipeFile) -> bool:
    if is_there(file):
        return True
    remedy = "Check the path"
    if DATA in str(problems.value(keys)):
        remedy += f"; {DATA} is the folder of --data DIR or of the environment variable"
    problems.add(keys, f"{dotted(keys[:-1])}: There is no file {file}. {remedy}.")
    return False
