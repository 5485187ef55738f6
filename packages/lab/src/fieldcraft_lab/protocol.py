"""The messages of a page, parsed strictly into frozen dataclasses; a wrong message raises a
`FieldcraftError`.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft_lab.orders import ORDERS, Order, checked, integer, number, position, word

MOST_BYTES = 16384
SIDES = ("a", "b")
_MOST_VIEWS = 48
_MOST_FORMULA = 2000
_MOST_QUESTION = 8000
_OVERLAYS = ("contours", "fronts", "flow", "peaks", "regions")


def side(name: str, value: Any) -> str:
    """Return one of the two sides of a fork."""
    chosen: str = checks.choice(name, value, SIDES)
    return chosen


def formula_text(name: str, value: Any) -> str:
    """Return the name of a map, or a formula over maps."""
    text = checks.text(name, value).strip()
    if not 0 < len(text) <= _MOST_FORMULA:
        raise InvalidValue(
            f"{name} has 1 to {_MOST_FORMULA} letters",
            got=f"{len(text)}",
            remedy="Write the name of a map, or a formula",
        )
    return text


def optional_formula(name: str, value: Any) -> str:
    """Return the name of a map, or an empty text for the one that is chosen by itself."""
    if value == "":
        return ""
    return formula_text(name, value)


def optional_moment(name: str, value: Any) -> int | None:
    """Return a moment, or None for the last one."""
    if value is None:
        return None
    return integer(name, value)


def question_text(name: str, value: Any) -> str:
    """Return the text of a file of questions, as TOML."""
    if len(checks.text(name, value)) > _MOST_QUESTION:
        raise InvalidValue(
            f"{name} has at most {_MOST_QUESTION} letters", got=f"{len(value)}", remedy="Shorten it"
        )
    return str(value)


def limits(name: str, value: Any) -> tuple[float, float] | None:
    """Return the values of the end colors, or None for limits that adapt to the values."""
    if value is None:
        return None
    low, high = checks.pair(
        name, tuple(number(name, part) for part in checks.sequence(name, value))
    )
    if not low < high:
        raise InvalidValue(
            f"{name} are low and high", got=f"{low:g}, {high:g}", remedy="Write the lower one first"
        )
    return low, high


def region(name: str, value: Any) -> tuple[float, ...] | None:
    """Return a part of the map, (x, y, x, y), or None for all of it."""
    if value is None:
        return None
    corners = tuple(number(name, part) for part in checks.sequence(name, value))
    if len(corners) != 4 or not (corners[0] < corners[2] and corners[1] < corners[3]):
        raise InvalidValue(
            f"{name} is x, y, x, y of two corners",
            got=str(value)[:80],
            remedy="Write the lower corner first",
        )
    return corners


@dataclass(frozen=True)
class View(Order):
    """A map that a page shows: its name or a formula; of side "a", "b", or "diff", the difference
    of both.
    """

    map: str = field(metadata=checked(formula_text))
    side: str = field(
        default="a",
        metadata=checked(lambda name, value: checks.choice(name, value, (*SIDES, "diff"))),
    )
    limits: tuple[float, float] | None = field(default=None, metadata=checked(limits))
    region: tuple[float, ...] | None = field(default=None, metadata=checked(region))


def views(name: str, value: Any) -> tuple[View, ...]:
    """Return the maps that a page shows."""
    listed = checks.sequence(name, value)
    if len(listed) > _MOST_VIEWS:
        raise InvalidValue(
            f"A page shows at most {_MOST_VIEWS} maps", got=f"{len(listed)}", remedy="Hide some"
        )
    found = []
    for each in listed:
        if isinstance(each, View):
            found.append(each)
        else:
            found.append(_message(View, each, "a map"))
    return tuple(found)


def overlays(name: str, value: Any) -> tuple[str, ...]:
    """Return the drawings over the first map."""
    return tuple(
        checks.choice(name, each, _OVERLAYS)
        for each in checks.sequence(name, value)[: len(_OVERLAYS)]
    )


@dataclass(frozen=True)
class Show(Order):
    """Send these maps from now on, the top one first, and these drawings over the first one."""

    views: tuple[View, ...] = field(metadata=checked(views))
    overlays: tuple[str, ...] = field(default=(), metadata=checked(overlays))


@dataclass(frozen=True)
class Ack(Order):
    """Acknowledge that a frame was drawn."""

    frame: int = field(metadata=checked(integer))


@dataclass(frozen=True)
class Play(Order):
    """Start time."""


@dataclass(frozen=True)
class Pause(Order):
    """Stop time."""


@dataclass(frozen=True)
class Step(Order):
    """Take some steps, and stop."""

    count: int = field(
        default=1,
        metadata=checked(
            lambda name, value: checks.integer(name, value, minimum=1, maximum=10_000)
        ),
    )


@dataclass(frozen=True)
class Speed(Order):
    """Set the speed, in seconds of the world per second."""

    factor: float = field(
        metadata=checked(lambda name, value: checks.positive(name, number(name, value)))
    )


@dataclass(frozen=True)
class Seek(Order):
    """Go to a moment."""

    moment: int = field(metadata=checked(integer))


@dataclass(frozen=True)
class Undo(Order):
    """Undo the last edit."""


@dataclass(frozen=True)
class Redo(Order):
    """Redo the edit that was undone last."""


@dataclass(frozen=True)
class Fork(Order):
    """Copy the world, as side "b"."""


@dataclass(frozen=True)
class Keep(Order):
    """Keep one side of a fork and drop the other."""

    side: str = field(metadata=checked(side))


@dataclass(frozen=True)
class Probe(Order):
    """Request the values at a position, and the sources that contribute to the value of `map`."""

    position: tuple[float, ...] = field(metadata=checked(position))
    map: str = field(metadata=checked(formula_text))
    side: str = field(default="a", metadata=checked(side))


@dataclass(frozen=True)
class Sensitivity(Order):
    """Request the settings and sources that would change the value of a layer at a position."""

    position: tuple[float, ...] = field(metadata=checked(position))
    map: str = field(metadata=checked(formula_text))
    side: str = field(default="a", metadata=checked(side))


@dataclass(frozen=True)
class Best(Order):
    """Request the places near a position where a map is highest, or lowest."""

    position: tuple[float, ...] = field(metadata=checked(position))
    map: str = field(metadata=checked(formula_text))
    radius: float = field(
        metadata=checked(lambda name, value: checks.positive(name, number(name, value)))
    )
    lowest: bool = field(default=False, metadata=checked(checks.flag))
    side: str = field(default="a", metadata=checked(side))


@dataclass(frozen=True)
class Ask(Order):
    """Request the candidates of the first question of a TOML text, asked by an agent at a
    position.
    """

    position: tuple[float, ...] = field(metadata=checked(position))
    text: str = field(metadata=checked(question_text))
    side: str = field(default="a", metadata=checked(side))


@dataclass(frozen=True)
class Export(Order):
    """Export the recipe as text, the session as a file, or a film of it; with `write` overwrite the
    file of the recipe.
    """

    what: str = field(
        metadata=checked(
            lambda name, value: checks.choice(name, value, ("recipe", "session", "gif", "mp4"))
        )
    )
    side: str = field(default="a", metadata=checked(side))
    write: bool = field(default=False, metadata=checked(checks.flag))
    map: str = field(default="", metadata=checked(optional_formula))
    begin: int = field(default=0, metadata=checked(integer))
    end: int | None = field(default=None, metadata=checked(optional_moment))
    size: int = field(
        default=640,
        metadata=checked(lambda name, value: checks.integer(name, value, minimum=64, maximum=1920)),
    )


@dataclass(frozen=True)
class Restore(Order):
    """Undo the last writing of the recipe's file."""

    side: str = field(default="a", metadata=checked(side))


@dataclass(frozen=True)
class Cancel(Order):
    """Cancel the film."""


@dataclass(frozen=True)
class Open(Order):
    """Open another world: a recipe that comes with fieldcraft, or a game."""

    world: str = field(metadata=checked(word))


@dataclass(frozen=True)
class Hello(Order):
    """Request the description of the world."""


_MESSAGES: tuple[type[Order], ...] = (
    *ORDERS,
    Show,
    Ack,
    Play,
    Pause,
    Step,
    Speed,
    Seek,
    Undo,
    Redo,
    Fork,
    Keep,
    Probe,
    Sensitivity,
    Best,
    Ask,
    Export,
    Restore,
    Cancel,
    Open,
    Hello,
)
_KINDS: dict[str, type[Order]] = {kind.__name__.lower(): kind for kind in _MESSAGES}


@dataclass(frozen=True)
class Request:
    """A message of a page with its number, and the side that it addresses, None for both.

    A `joined` order belongs to the same edit as the order before it.
    """

    number: int
    side: str | None
    message: Order
    joined: bool = False


def parse(text: str | bytes, orders: tuple[type, ...] = ORDERS) -> Request:
    """Return the message in a text of a page: a JSON object with `do`, optionally `id`, `to` and
    `joined`, and the fields of that message.

    `orders` are the orders of the world. Raises `InvalidValue` or `UnknownName`.
    """
    if isinstance(text, bytes) or len(text) > MOST_BYTES:
        raise InvalidValue(
            f"A message is a text of at most {MOST_BYTES} letters",
            got=f"{len(text)}",
            remedy="Send less at once",
        )
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(
            "A message is JSON", got=str(error)[:80], remedy='Send {"do": "pause"}'
        ) from None
    if not isinstance(value, dict) or not isinstance(value.get("do"), str):
        raise InvalidValue(
            "A message has a field `do`", got=str(value)[:80], remedy='Send {"do": "pause"}'
        )
    known = {**_KINDS, **{kind.__name__.lower(): kind for kind in orders}}
    name = value.pop("do")
    if name not in known:
        raise UnknownName("message", name[:80], known)
    identity = integer("id", value.pop("id", 0))
    to = value.pop("to", None)
    joined = checks.flag("joined", value.pop("joined", False))
    if to is None:
        addressed = None
    else:
        addressed = side("to", to)
    return Request(identity, addressed, _message(known[name], value, name), joined)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _message(kind: type[Any], value: Any, what: str) -> Any:
    """Return a message of a kind from its fields."""
    if not isinstance(value, dict):
        raise InvalidValue(
            f"{what} is an object", got=str(value)[:80], remedy="Send its fields by name"
        )
    parts = {each.name: each for each in dataclasses.fields(kind)}
    for name in value:
        if name not in parts:
            raise UnknownName(f"field of {what!r}", name[:80], parts)
    for name, part in parts.items():
        if name not in value and part.default is dataclasses.MISSING:
            raise InvalidValue(
                f"{what!r} has {', '.join(parts)}", got=f"no {name}", remedy="Send all of them"
            )
    given = {}
    for name, part in value.items():
        if isinstance(part, list):
            given[name] = tuple(part)
        else:
            given[name] = part
    return kind(**given)
