"""The map of a recipe, from its table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fieldcraft import checks
from fieldcraft.maps import KINDS, MAZE_ALGORITHMS
from fieldcraft.maps.formats import FORMATS
from fieldcraft.recipe.document import RecipeFile
from fieldcraft.recipe.parts import MapPart
from fieldcraft.settings import (
    Count,
    Fraction,
    Pair,
    Positive,
    Size,
    Table,
    Text,
    one_of,
    refused,
)
from fieldcraft.space.hex_grid import ORIENTATIONS

__all__ = ["MAP_KINDS", "FileKeys", "read_map"]


def _neighbors(name: str, value: Any) -> Any:
    steps = value if isinstance(value, list) else []
    if steps and all(isinstance(step, list) and len(step) == 2 for step in steps):
        return [[checks.whole(name, part, minimum=-64) for part in step] for step in steps]
    if isinstance(value, bool) or value not in (4, 8):
        raise refused("neighbors is 4, 8, or a list of [dx, dy] steps", value, "Write 8, say")
    return value


def _rectangles(name: str, value: Any) -> list[list[float]]:
    if not isinstance(value, list) or any(
        not isinstance(each, list) or len(each) != 4 for each in value
    ):
        raise refused(f"{name} is a list of [x, y, x, y], two opposite corners each", value)
    return [[checks.finite(name, number) for number in each] for each in value]


@dataclass(frozen=True)
class FileKeys:
    """The keys of a map from a file, beside those of its loader."""

    neighbors: Annotated[Any, _neighbors] = 4
    mobility: Text = "ground"


@dataclass(frozen=True)
class _EmptyKeys:
    width: Size
    height: Size
    cell_size: Positive = 1
    origin: Pair = (0, 0)
    walls: Annotated[Any, _rectangles] = ()
    y_up: bool = False
    neighbors: Annotated[Any, _neighbors] = 4


@dataclass(frozen=True)
class _GeneratedKeys:
    width: Size
    height: Size
    cell_size: Positive = 1
    seed: Count = 0
    y_up: bool = False
    neighbors: Annotated[Any, _neighbors] = 4


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
    origin: Pair = (0, 0)
    walls: Annotated[Any, _rectangles] = ()
    wrap: bool = False
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
    chosen = [key for key in ("file", "generate", "kind") if key in table]
    path = None
    generated = [*MAP_KINDS][:-1]
    kind = table.take("generate", Annotated[str, one_of(generated)])
    kind = kind or table.take("kind", Literal["hex"])
    if len(chosen) != 1:
        got = " and ".join(chosen) or "neither"
        table.add(
            "",
            f"A map has either a file or generate. Got {got}. Write file ="
            f' "..." or generate = one of {", ".join(generated)}, or kind = "hex".',
        )
        return None
    if "file" in table:
        path = table.take("file", Annotated[Any, file.resolve])
        options = table.values(FileKeys)
        for key in {key for format_ in FORMATS for key in format_.options} - {*options}:
            if key in table:
                options[key] = table.take(key, Any)
    elif kind is None:
        return None
    else:
        table.take("file", Text)
        options = table.values(MAP_KINDS[kind])
    table.finish()
    return MapPart(path, kind, options)
