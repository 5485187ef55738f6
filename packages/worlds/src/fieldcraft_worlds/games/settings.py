"""Settings of games: frozen dataclasses with declared ranges, and sliders.

Settings files, checks, sliders and the tuner read the types and metadata of their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft_worlds.games.slider import Slider, Tune

_MOST = 1_000_000.0
T = TypeVar("T")


@dataclass(frozen=True)
class Number:
    """A check that accepts numbers from `low` to `high`; `above` and `below` exclude the ends."""

    low: float = 0.0
    high: float = _MOST
    above: bool = False
    below: bool = False

    def __call__(self, name: str, value: object) -> float:
        """Return the value as a float, or raise `InvalidValue`."""
        given = checks.finite(name, value)
        if given < self.low or (self.above and given == self.low):
            if self.above:
                rule = f"{name} is above {self.low:g}"
            else:
                rule = f"{name} is at least {self.low:g}"
        elif given > self.high or (self.below and given == self.high):
            if self.below:
                rule = f"{name} is below {self.high:,.10g}"
            else:
                rule = f"{name} is at most {self.high:,.10g}"
        else:
            return given
        raise InvalidValue(rule, got=f"{name}={given:g}", remedy="Pass another number")


@dataclass(frozen=True)
class Integer:
    """A check that accepts whole numbers from `low` to `high`, only odd ones if `odd`."""

    low: int = 0
    high: int = int(_MOST)
    odd: bool = False

    def __call__(self, name: str, value: object) -> int:
        """Return the value as an int, or raise `InvalidValue`."""
        given = checks.integer(name, value, minimum=self.low)
        if given > self.high or (self.odd and given % 2 == 0):
            rule = f"at most {self.high:,}"
            if self.odd:
                rule = f"odd, {rule}"
            raise InvalidValue(
                f"{name} is {rule}",
                got=f"{name}={given}",
                remedy="Pass another whole number",
            )
        return given


def _damage(name: str, value: object) -> tuple[float, float]:
    """Return a pair of least and greatest damage."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise InvalidValue(
            f"{name} is (least, greatest)", got=repr(value), remedy="Pass a pair such as (3.0, 7.0)"
        )
    check = Number()
    least = check(f"the least {name}", value[0])
    greatest = check(f"the greatest {name}", value[1])
    if least > greatest:
        raise InvalidValue(
            f"The least {name} is at most the greatest", got=repr(value), remedy="Swap them"
        )
    return least, greatest


Positive = Annotated[float, Number(above=True)]
Amount = Annotated[float, Number()]
Share = Annotated[float, Number(high=1.0)]
Turn = Annotated[float, Number(high=180.0, below=True)]
Speed = Annotated[float, Number(high=1_000.0, above=True)]
Count = Annotated[int, Integer()]
Size = Annotated[int, Integer(1)]
Rate = Annotated[int, Integer(1, 1_000)]
Damage = Annotated[tuple[float, float], _damage]


class CheckedSettings:
    """A base of settings: raises `InvalidValue` for a value that a field does not accept."""

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, hint in field_types(kind).items():
            value = getattr(self, name)
            if get_origin(hint) is Annotated:
                get_args(hint)[1](name, value)
            elif hint is bool:
                checks.flag(name, value)
            elif isinstance(hint, type) and is_dataclass(hint) and type(value) is not hint:
                raise InvalidValue(
                    f"{name} is {hint.__name__}",
                    got=type(value).__name__,
                    remedy=f"Pass {hint.__name__}(...)",
                )


class Paced(CheckedSettings):
    """A base of settings that have a `rate`, steps a second."""

    rate: Rate

    def steps(self, seconds: float) -> int:
        """Return how many steps a time takes, at least 1."""
        return max(1, round(seconds * self.rate))


@cache
def field_types(kind: Any) -> Mapping[str, Any]:
    """Return the type of each field of a dataclass."""
    hints = get_type_hints(kind, include_extras=True)
    return {each.name: hints[each.name] for each in fields(kind)}


def slider(text: str, low: float, high: float, step: float = 0.0) -> dict[str, Any]:
    """Return the metadata of a field that has a slider; see `Slider`."""
    return {"slider": (text, low, high, step)}


def sliders_in(kind: Any) -> tuple[Slider, ...]:
    """Return the sliders of a class of settings, in the order of its fields."""
    return tuple(
        Slider(each.name, *each.metadata["slider"])
        for each in fields(kind)
        if "slider" in each.metadata
    )


def tuned(settings: T, order: Tune) -> T:
    """Return settings with one number set; raises `UnknownName` or `InvalidValue`."""
    kind: Any = type(settings)
    hints = field_types(kind)
    if order.name not in hints:
        raise UnknownName("tuning", order.name, hints)
    value = checks.finite(order.name, order.value)
    changed: Any = {order.name: value}
    if get_args(hints[order.name])[:1] == (int,) and value.is_integer():
        changed[order.name] = int(value)
    return replace(settings, **changed)  # type: ignore[type-var]
