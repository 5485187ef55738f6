"""Settings of propagations: what each field takes is said where the field stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff

__all__ = ["Check", "checked", "curve", "one_evaporation", "one_of", "or_none", "part_kept"]

Check = Callable[[str, Any], Any]
"""A check takes a setting's name and a value, and answers the value as it is kept, or raises
`InvalidValue`.
"""


def checked(check: Check) -> dict[str, Check]:
    """The metadata of a dataclass field whose values a check looks at, in programs and recipes
    alike.
    """
    return {"check": check}


def one_of(words: Sequence[str]) -> Check:
    """A check for one of some words."""
    return lambda name, value: checks.choice(name, value, tuple(words))


def or_none(check: Check) -> Check:
    """A check that lets None pass."""
    return lambda name, value: None if value is None else check(name, value)


def curve(name: str, value: Any) -> Falloff:
    """A falloff: anything that `Falloff.of` takes."""
    return Falloff.of(value)


def one_evaporation(what: str, keep: float | None, half_life: float | None) -> None:
    """Refuse both ways of saying how much evaporates at once."""
    if keep is not None and half_life is not None:
        raise InvalidValue(
            f"{what} by keep or by half_life",
            got=f"keep={keep!r} and half_life={half_life!r}",
            remedy="Pass one",
            about="keep",
        )


def part_kept(keep: float | None, half_life: float | None, every: float, *, usual: float) -> float:
    """The part that stays at an update, with so many seconds between two."""
    if half_life is not None:
        return float(0.5 ** (every / half_life))
    return usual if keep is None else keep
