"""The shapes in a recipe, from their tables: falloffs of layers and sources, and stamps."""

from __future__ import annotations

import difflib
import inspect
from functools import reduce
from operator import add
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation import Stamp
from fieldcraft.propagation.settings import curve
from fieldcraft.settings import refused

__all__ = ["SHAPES", "measures_of", "stamp_of"]

SHAPES = ("disc", "ring", "cone", "line", "rectangle", "polygon", "image", "tether")
"""Constructors of `Stamp`."""
_CHANGES = ("times", "scale", "rotation", "at")


def measures_of(shape: str) -> dict[str, bool]:
    """Return the measures of a shape, and whether each is needed."""
    given = inspect.signature(getattr(Stamp, shape)).parameters.values()
    return {each.name: each.default is each.empty for each in given}


def stamp_of(name: str, value: Any) -> Stamp:
    """Return a stamp: from a table with its shape, or a list of such tables, which add up."""
    if isinstance(value, list) and value:
        return reduce(add, [stamp_of(name, part) for part in value])
    if not isinstance(value, dict):
        raise refused(
            f"A {name} is a table with a shape, or a list of them",
            value,
            'Write { shape = "disc", radius = 3 }, say',
        )
    shape = value.get("shape")
    if shape not in SHAPES:
        near = difflib.get_close_matches(str(shape), SHAPES, n=1)
        raise refused(
            f"The shape of a stamp is one of {', '.join(SHAPES)}",
            shape,
            f"Perhaps {near[0]!r} is meant" if near else 'Write shape = "disc", say',
        )
    measures = measures_of(shape)
    missing = [key for key, needed in measures.items() if needed and key not in value]
    known = (*measures, *_CHANGES, "shape")
    unknown = [key for key in value if key not in known]
    if missing or unknown:
        wrong = (
            f"no {' and no '.join(missing)}"
            if missing
            else f"{unknown[0]} = {value[unknown[0]]!r:.40}"
        )
        raise InvalidValue(
            f"A {shape} has {', '.join(measures)}", got=wrong, remedy="Correct the keys"
        )
    given = {key: value[key] for key in measures if key in value}
    if "falloff" in given:
        given["falloff"] = curve("falloff", given["falloff"])
    stamp: Stamp = getattr(Stamp, shape)(**given)
    if "scale" in value:
        stamp = stamp.scaled(value["scale"])
    if "rotation" in value:
        stamp = stamp.rotated(value["rotation"])
    if "at" in value:
        stamp = stamp.moved(*checks.pair("at", value["at"]))
    return stamp * value["times"] if "times" in value else stamp
