"""Values of a recipe that are more than a number or a word: positions, colors, stamps."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings.dataclasses import refused
from fieldcraft.layers.propagation import Stamp
from fieldcraft.layers.propagation.settings import curve
from fieldcraft.view.palettes import parse_color

SHAPES = ("disc", "ring", "cone", "line", "image", "tether")
"""Constructors of `Stamp`."""


def measures_of(shape: str) -> dict[str, bool]:
    """Return the measures of a shape, and whether each is needed."""
    given = inspect.signature(getattr(Stamp, shape)).parameters.values()
    return {each.name: each.default is each.empty for each in given}


def stamp_of(name: str, value: Any) -> Stamp:
    """Return a stamp from a table with its shape and measures."""
    if not isinstance(value, dict):
        remedy = 'Write { shape = "disc", radius = 3 }, say'
        raise refused(f"A {name} is a table with a shape", value, remedy)
    shape: Any = value.get("shape")
    checks.choice("shape", shape, SHAPES)
    measures = measures_of(shape)
    wrong = [f"no {key}" for key, needed in measures.items() if needed and key not in value]
    wrong += [f"{key} = {value[key]!r:.40}" for key in value.keys() - {*measures, "shape"}]
    if wrong:
        raise InvalidValue(
            f"A {shape} has {', '.join(measures)}",
            got=" and ".join(wrong),
            remedy="Correct the keys",
        )
    given = {key: value[key] for key in measures if key in value}
    if "falloff" in given:
        given["falloff"] = curve("falloff", given["falloff"])
    stamp: Stamp = getattr(Stamp, shape)(**given)
    return stamp


def position(name: str, value: object) -> tuple[float, ...]:
    """Return a position: [x, y], or [x, y, z]."""
    if not isinstance(value, list) or len(value) not in (2, 3):
        raise refused(f"{name} is [x, y], or [x, y, z] on 3D maps", value, "Write the numbers")
    return tuple(checks.finite(name, number) for number in value)


def path(name: str, value: object) -> tuple[tuple[float, ...], ...]:
    """Return the points of a path, (seconds, x, y) or (seconds, x, y, z)."""
    rows = value if isinstance(value, list) else []
    if not rows or any(not isinstance(row, list) or len(row) not in (3, 4) for row in rows):
        raise refused(f"{name} is a list of [seconds, x, y]", value)
    path = tuple(tuple(checks.finite(name, number) for number in row) for row in rows)
    if len({len(row) for row in path}) > 1:
        raise refused(f"All points of {name} have as many numbers", value)
    if any(later[0] <= earlier[0] for earlier, later in itertools.pairwise(path)):
        raise refused(f"The seconds of a {name} rise from point to point", value, "Sort the points")
    return path


def names(name: str, value: object) -> tuple[str, ...]:
    """Return different names."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value or [0]):
        raise refused(f"{name} is a list of names", value, 'Write ["one", "two"]')
    if len(set(value)) != len(value):
        raise refused(f"The names in {name} differ", value)
    return tuple(value)


def rotation(name: str, value: object) -> float | str:
    """Return degrees, or "heading"."""
    if isinstance(value, str) and value != "heading":
        raise refused('rotation is degrees, or "heading"', value, "Write rotation = 90")
    if isinstance(value, str):
        return "heading"
    return checks.finite(name, value)


def _range(name: str, value: object) -> tuple[float, float]:
    if isinstance(value, list) and len(value) == 2:
        low = checks.finite(name, value[0])
        high = checks.finite(name, value[1])
        if low < high:
            return low, high
    raise refused(f"{name} is [lowest, highest], with lowest below highest", value)


def limits(name: str, value: object) -> Any:
    """Return the lowest and highest value, or such pairs by name."""
    if isinstance(value, dict):
        return {key: _range(f"limits of {key}", pair) for key, pair in value.items()}
    return _range(name, value)


def colors(name: str, value: object) -> tuple[str, ...]:
    """Return a list of colors, one for each thing."""
    if not isinstance(value, list):
        raise refused(f"{name} is a list of colors", value, 'Write ["#3fa7f5"], say')
    for color in value:
        parse_color(color)
    return tuple(value)


def floors(name: str, value: object) -> int | list[float]:
    """Return a number of floors, or the heights between them."""
    if not isinstance(value, list):
        return checks.integer(name, value, minimum=1)
    heights = [checks.finite(name, each) for each in value]
    if len(heights) < 2 or any(after <= before for before, after in itertools.pairwise(heights)):
        raise refused("floors are heights, ascending", value, "Write [0, 4, 8], say, or how many")
    return heights
