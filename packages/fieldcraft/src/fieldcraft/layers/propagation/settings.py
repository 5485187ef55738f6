"""Settings of propagations: each dataclass field declares the values that it takes, for checks,
recipes, the lab and the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation.diffuse.drift import Drifts, drift_of
from fieldcraft.layers.sources.falloff import Falloff

Check = Callable[[str, Any], Any]
"""A check takes a setting's name and a value, and returns the value as it is stored, or raises
`InvalidValue`.
"""


@dataclass(frozen=True)
class Setting:
    """The values that a setting takes.

    Parameters
    ----------
    about : str
        One sentence that describes the setting.
    check : Check
        Returns the value as it is stored, or raises `InvalidValue`.
    kind : Literal['number', 'integer', 'choice', 'flag', 'text', 'curve', 'weights', 'vector']
        "number" and "integer" are between `low` and `high`, "choice" is one of `choices`, "flag"
        True or False, "text" a str, "curve" anything that `Falloff.of` takes, "weights" an odd
        width or a sequence of weights, "vector" numbers (x, y) or an array of these for each cell.
    above : bool, optional
        Whether `low` itself is not allowed.
    unit : str, optional
        Of a number: "s", "world units", "1 / world unit", "share", "value", "steps", "cells"; ""
        for none.
    optional : bool, optional
        Whether None is allowed.
    required : bool, optional
        Whether it has no `default`.
    """

    about: str
    check: Check
    kind: Literal["number", "integer", "choice", "flag", "text", "curve", "weights", "vector"]
    low: float = -checks.LARGEST
    high: float = checks.LARGEST
    above: bool = False
    choices: tuple[str, ...] = ()
    unit: str = ""
    optional: bool = False
    required: bool = False
    default: Any = None


def checked(setting: Setting) -> dict[str, Any]:
    """Return the metadata of a dataclass field: "setting" describes it, "check" checks its value.

    The check of an optional setting accepts None.
    """

    def check(name: str, value: Any) -> Any:
        if value is None:
            return None
        return setting.check(name, value)

    return {"setting": setting, "check": check if setting.optional else setting.check}


def declared(propagation: Any) -> dict[str, Setting]:
    """Return what each setting of a propagation, or of its class, takes, by name."""
    return {
        each.name: replace(
            each.metadata["setting"],
            required=each.default is MISSING,
            default=None if each.default is MISSING else each.default,
        )
        for each in fields(propagation)
    }


def values_of(propagation: Any) -> dict[str, Any]:
    """Return the settings of a propagation by name."""
    return {each.name: getattr(propagation, each.name) for each in fields(propagation)}


def number(
    about: str,
    *,
    low: float = 0.0,
    high: float = checks.LARGEST,
    above: bool = False,
    unit: str = "",
    optional: bool = False,
) -> dict[str, Any]:
    """Return the metadata of a number in `low` to `high`; `above` excludes `low`, which is 0."""

    def within(name: str, value: Any) -> float:
        if high == checks.LARGEST:
            return (checks.positive if above else checks.not_negative)(name, value)
        given = checks.finite(name, value)
        if not low <= given <= high:
            raise InvalidValue(
                f"{name} is in [{low:g}, {high:g}]",
                got=f"{name}={value!r}",
                remedy=f"Pass {name} between {low:g} and {high:g}",
            )
        return given

    return checked(Setting(about, within, "number", low, high, above, (), unit, optional))


def integer(about: str, *, low: int = 0, unit: str = "", optional: bool = False) -> dict[str, Any]:
    """Return the metadata of a whole number of at least `low`."""

    def check(name: str, value: Any) -> int:
        return checks.integer(name, value, minimum=low)

    return checked(Setting(about, check, "integer", low, 2**63 - 1, unit=unit, optional=optional))


def choice(about: str, words: Sequence[str]) -> dict[str, Any]:
    """Return the metadata of one of some words."""
    allowed = tuple(words)

    def check(name: str, value: Any) -> Any:
        return checks.choice(name, value, allowed)

    return checked(Setting(about, check, "choice", choices=allowed))


def flag(about: str) -> dict[str, Any]:
    """Return the metadata of True or False."""
    return checked(Setting(about, checks.flag, "flag"))


def text(about: str, *, optional: bool = False) -> dict[str, Any]:
    """Return the metadata of a text."""
    return checked(Setting(about, checks.text, "text", optional=optional))


def vector(about: str, *, unit: str) -> dict[str, Any]:
    """Return the metadata of an optional vector (x, y), or of an array with one for each cell."""
    return checked(Setting(about, drift_of, "vector", unit=unit, optional=True))


def state_of(propagation: Any) -> dict[str, Any]:
    """Return the values of a propagation's settings as plain data."""
    return {
        name: value.state() if isinstance(value, Falloff | Drifts) else value
        for name, value in values_of(propagation).items()
    }


def has_state(propagation: Any, state: Mapping[str, Any]) -> bool:
    """Return whether the settings of a propagation are those of a state."""
    now = state_of(propagation)
    if now.keys() != state.keys():
        return False
    return all(_is_same(value, state[name]) for name, value in now.items())


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values of a setting, as plain data, are equal."""
    if isinstance(one, Mapping) and isinstance(other, Mapping) and "drifts" in one and other:
        return np.array_equal(one["drifts"], other.get("drifts", ()))
    return bool(one == other)


def propagation_of(kind: type[Any], state: Mapping[str, Any]) -> Any:
    """Return the propagation of this kind with the settings of a state."""
    settings: dict[str, Any] = {}
    for name, value in state.items():
        if isinstance(value, Mapping) and "drifts" in value:
            settings[name] = Drifts.restored(value)
        elif isinstance(value, Mapping):
            settings[name] = Falloff.restored(value)
        else:
            settings[name] = value
    return kind(**settings)


def curve(name: str, value: Any) -> Falloff:
    """Return the falloff of a value: anything that `Falloff.of` takes."""
    return Falloff.of(value)


def one_evaporation(what: str, keep: float | None, half_life: float | None) -> None:
    """Raise `InvalidValue` if `keep` and `half_life` are both given."""
    if keep is not None and half_life is not None:
        raise InvalidValue(
            f"{what} by keep or by half_life",
            got=f"keep={keep!r} and half_life={half_life!r}",
            remedy="Pass one",
            about="keep",
        )


def retention(keep: float | None, half_life: float | None, every: float, *, usual: float) -> float:
    """Return the part of a value that is left after an update of `every` seconds."""
    if half_life is not None:
        return float(0.5 ** (every / half_life))
    return usual if keep is None else keep
