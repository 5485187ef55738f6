"""The orders that change a world in the lab. They are frozen, logged, and applied again after time
has gone back.

Each field declares its check, which applies to orders from pages, files and programs alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue

__all__ = [
    "ORDERS",
    "Deposit",
    "Move",
    "Order",
    "Paint",
    "Place",
    "Remove",
    "Strengthen",
    "Tune",
    "checked",
    "position",
    "word",
]

_LONGEST_TEXT = 200
_MOST_POINTS = 256

Check = Callable[[str, Any], Any]


def checked(check: Check) -> dict[str, Check]:
    """Return the metadata of a field with a check."""
    return {"check": check}


def word(name: str, value: Any) -> str:
    """Return a name of a layer or a setting."""
    text = checks.text(name, value)
    if not 0 < len(text) <= _LONGEST_TEXT:
        raise InvalidValue(
            f"{name} has 1 to {_LONGEST_TEXT} letters",
            got=f"{len(text)}",
            remedy="Pass the name of a layer",
        )
    return text


def number(name: str, value: Any) -> float:
    """Return a finite number of at most 1e30 in size."""
    found = checks.finite(name, value)
    if abs(found) > checks.LARGEST:
        raise InvalidValue(
            f"{name} is at most {checks.LARGEST:g} in size",
            got=f"{name}={found:g}",
            remedy="Pass a smaller one",
        )
    return found


def position(name: str, value: Any) -> tuple[float, ...]:
    """Return a world position, (x, y) or (x, y, z)."""
    if not isinstance(value, (tuple, list)) or len(value) not in (2, 3):
        raise InvalidValue(
            f"{name} is (x, y) or (x, y, z)",
            got=f"{name}={value!r}"[:80],
            remedy="Pass two numbers",
        )
    return tuple(number(name, part) for part in value)


def positions(name: str, value: Any) -> tuple[tuple[float, ...], ...]:
    """Return world positions, such as those of a brush stroke."""
    if not isinstance(value, (tuple, list)) or not 1 <= len(value) <= _MOST_POINTS:
        raise InvalidValue(
            f"{name} are 1 to {_MOST_POINTS} positions",
            got=f"{name}={value!r}"[:80],
            remedy="Pass a list of (x, y)",
        )
    return tuple(position(name, part) for part in value)


Value = float | int | str | bool | tuple[float, ...] | None


def setting(name: str, value: Any) -> Value:
    """Return a value of a setting: a number, a text, a boolean, a vector, or None."""
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        return word(name, value)
    if isinstance(value, (tuple, list)):
        return position(name, value)
    if type(value) is int:
        return checks.integer(name, value, minimum=-(2**53), maximum=2**53)
    return number(name, value)


def integer(name: str, value: Any) -> int:
    """Return a whole number of at least 0, such as the id of a source."""
    return checks.integer(name, value, maximum=2**53)


def radius(name: str, value: Any) -> float:
    """Return a radius in world units, 0 for one cell."""
    return checks.not_negative(name, number(name, value))


@dataclass(frozen=True)
class Order:
    """A change of a world; its fields are checked when it is created."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = each.metadata["check"](each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, value)


@dataclass(frozen=True)
class Tune(Order):
    """Set a parameter of the propagation of a layer, or its interval `every`."""

    layer: str = field(metadata=checked(word))
    name: str = field(metadata=checked(word))
    value: Value = field(metadata=checked(setting))


@dataclass(frozen=True)
class Place(Order):
    """Add a source on the nearest open cell."""

    layer: str = field(metadata=checked(word))
    position: tuple[float, ...] = field(metadata=checked(position))
    strength: float = field(metadata=checked(number))


@dataclass(frozen=True)
class Move(Order):
    """Move a source to the nearest open cell; a source with a path leaves the path for good."""

    layer: str = field(metadata=checked(word))
    source: int = field(metadata=checked(integer))
    position: tuple[float, ...] = field(metadata=checked(position))


@dataclass(frozen=True)
class Strengthen(Order):
    """Set the strength of a source."""

    layer: str = field(metadata=checked(word))
    source: int = field(metadata=checked(integer))
    strength: float = field(metadata=checked(number))


@dataclass(frozen=True)
class Remove(Order):
    """Remove a source."""

    layer: str = field(metadata=checked(word))
    source: int = field(metadata=checked(integer))


@dataclass(frozen=True)
class Deposit(Order):
    """Deposit an amount on a layer once."""

    layer: str = field(metadata=checked(word))
    position: tuple[float, ...] = field(metadata=checked(position))
    amount: float = field(metadata=checked(number))


@dataclass(frozen=True)
class Paint(Order):
    """Block or open cells along a stroke: those of its positions, and those with centers within
    `radius`.
    """

    stroke: tuple[tuple[float, ...], ...] = field(metadata=checked(positions))
    radius: float = field(default=0.0, metadata=checked(radius))
    blocked: bool = field(default=True, metadata=checked(checks.flag))


ORDERS: tuple[type[Order], ...] = (Tune, Place, Move, Strengthen, Remove, Deposit, Paint)
"""The orders of worlds with layers. Other worlds have orders of their own."""
