"""The shapes in a recipe, from their tables: falloffs of layers and sources, and stamps."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import CURVES, Falloff, Ring
from fieldcraft.propagation import Stamp

__all__ = ["SHAPES", "falloff_of", "stamp_of"]


@dataclass(frozen=True)
class _Shape:
    make: Callable[..., Stamp]
    needed: Sequence[str]
    others: Sequence[str] = ()


SHAPES = {
    "disc": _Shape(Stamp.disc, ("radius",), ("falloff",)),
    "ring": _Shape(Stamp.ring, ("inner", "outer"), ("falloff",)),
    "cone": _Shape(Stamp.cone, ("radius", "angle"), ("falloff",)),
    "line": _Shape(Stamp.line, ("length", "width"), ("falloff",)),
    "rectangle": _Shape(Stamp.rectangle, ("width", "height")),
    "polygon": _Shape(Stamp.polygon, ("points",)),
    "image": _Shape(Stamp.image, ("weights", "width")),
    "tether": _Shape(Stamp.tether, ("own_range", "enemy_range"), ("threat",)),
}
_CHANGES = ("times", "scale", "rotation", "at")


def falloff_of(value: Any) -> Falloff:
    """A falloff over a radius: a name, the edges of a ring, or a table of weights."""
    if isinstance(value, dict):
        unknown = [key for key in value if key not in ("inner", "outer")]
        if unknown or "inner" not in value:
            raise InvalidValue(
                "A ring has inner and outer, shares of the radius",
                got=repr(value)[:60],
                remedy="Write { inner = 0.4, outer = 1 }",
            )
        return Falloff.of(
            Ring(
                checks.finite("inner", value["inner"]),
                checks.finite("outer", value.get("outer", 1.0)),
            )
        )
    if isinstance(value, list):
        return Falloff.of([checks.finite("Each weight of falloff", weight) for weight in value])
    if not isinstance(value, str):
        raise InvalidValue(
            f"falloff is one of {', '.join(CURVES)}, a ring or a table of weights",
            got=repr(value)[:60],
            remedy='Write falloff = "linear", { inner = 0.4 } or [1, 0.5, 0], say',
        )
    return Falloff.of(value)


def stamp_of(value: Any) -> Stamp:
    """A stamp: a table with its shape, or a list of such tables that are added."""
    if isinstance(value, list) and value:
        return reduce(add, [stamp_of(part) for part in value])
    if not isinstance(value, dict):
        raise InvalidValue(
            "A stamp is a table with a shape, or a list of them",
            got=repr(value)[:60],
            remedy='Write { shape = "disc", radius = 3 }, say',
        )
    name = value.get("shape")
    shape = SHAPES.get(name) if isinstance(name, str) else None
    if shape is None:
        near = difflib.get_close_matches(str(name), SHAPES, n=1)
        raise InvalidValue(
            f"The shape of a stamp is one of {', '.join(SHAPES)}",
            got=f"shape={name!r}"[:60],
            remedy=f"Perhaps {near[0]!r} is meant" if near else 'Write shape = "disc", say',
        )
    missing = [key for key in shape.needed if key not in value]
    if missing:
        raise InvalidValue(
            f"A {name} has {' and '.join(shape.needed)}",
            got=f"no {' and no '.join(missing)}",
            remedy=f"Write {missing[0]} = ...",
        )
    known = (*shape.needed, *shape.others, *_CHANGES)
    for key in value:
        if key not in known and key != "shape":
            raise InvalidValue(
                f"A {name} has no {key!r}",
                got=f"{key} = {value[key]!r}"[:60],
                remedy=f"Known here: {', '.join(known)}",
            )
    arguments = {key: value[key] for key in (*shape.needed, *shape.others) if key in value}
    if "falloff" in arguments:
        arguments["falloff"] = falloff_of(arguments["falloff"])
    stamp = shape.make(**arguments)
    if "scale" in value:
        stamp = stamp.scaled(value["scale"])
    if "rotation" in value:
        stamp = stamp.rotated(value["rotation"])
    if "at" in value:
        place, single = checks.positions(value["at"])
        if not single:
            raise InvalidValue(
                "at is [x, y], from the center",
                got=repr(value["at"])[:60],
                remedy="Write two numbers",
            )
        stamp = stamp.moved(*place[0].tolist())
    return stamp * value["times"] if "times" in value else stamp
