"""Kinds of propagation, by what their layers take, and the one place where a field is chosen.

A propagation is a frozen dataclass. Each of its fields declares the values that it takes, with the
functions of `fieldcraft.propagation.settings`:

    rate: float = field(default=0.5, metadata=number("Part that a cell gives away.", high=1.0))

`settings.declared(kind)` returns these declarations by name, as `settings.Setting`: kind, range,
choices, unit, default, and one sentence about each. Recipes, the lab's controls, messages and the
documentation read them from there, so that a new propagation needs its own files and one row in
`fieldcraft.propagation.PROPAGATIONS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import ClassVar, Protocol

from fieldcraft import checks
from fieldcraft.propagation.accumulator import MOST_AMOUNT
from fieldcraft.propagation.field import Field
from fieldcraft.space import Space

__all__ = [
    "Device",
    "Gathering",
    "Propagation",
    "Radiating",
    "Remembering",
    "Spreading",
    "field_on",
]


class Propagation(ABC):
    """How influence moves from cell to cell: the settings from which each layer makes its field.

    A propagation is a frozen dataclass that inherits from `Spreading`, `Radiating`, `Remembering`
    or `Gathering`, which determines the kind of its layers.
    """

    _layer_kind: ClassVar[str]
    _takes_sources: ClassVar[bool] = False
    _verb: ClassVar[str]
    """What such a layer does, for messages: "spreads"."""
    _largest: ClassVar[float] = checks.LARGEST
    """The largest strength or amount on such a layer."""
    _smallest: ClassVar[float] = -checks.LARGEST
    _replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Settings that replace others, which then are not given."""

    def __post_init__(self) -> None:
        for setting in fields(self):  # type: ignore[arg-type]
            object.__setattr__(
                self,
                setting.name,
                setting.metadata["check"](setting.name, getattr(self, setting.name)),
            )

    @property
    def _default_strength(self) -> float:
        """The strength of a source without one."""
        return 1.0

    def _value_range(self, low: float, high: float) -> tuple[float, float] | None:
        """Return the range of the values that strengths from `low` to `high`, which include 0,
        make; None if it is not known.
        """
        return low, high

    @abstractmethod
    def _field(self, space: Space, every: float) -> Field:
        """Return values of this kind on a space, all 0; `every` is the interval in seconds."""


class Spreading(Propagation):
    """A propagation of sources and deposits, whose values change by themselves."""

    _layer_kind = "spread"
    _takes_sources = True
    _verb = "spreads"


class Radiating(Propagation):
    """A propagation of sources with radii and falloffs, which determine all values; its fields are
    `RadiatingField`.
    """

    _layer_kind = "radial"
    _takes_sources = True
    _verb = "radiates"


class Remembering(Propagation):
    """A propagation of marks, which fade; its fields are `RememberingField`."""

    _layer_kind = "memory"
    _verb = "fades"
    _smallest = 0.0


class Gathering(Propagation):
    """A propagation of stamps and deposits, which accumulate; its fields are `GatheringField`."""

    _layer_kind = "trail"
    _verb = "is a trail"
    _largest, _smallest = MOST_AMOUNT, -MOST_AMOUNT

    def _value_range(self, low: float, high: float) -> None:
        """Return None: sums of stamps have no known range."""
        return


class Device(Protocol):
    """Hardware with fields of its own."""

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Return values of a propagation on this device; raises `InvalidValue` for a propagation
        that it does not support.
        """

    def carrier(self, field: Field) -> str:
        """Return the name of the device that a field is on."""


def field_on(device: Device | None, propagation: Propagation, space: Space, every: float) -> Field:
    """Return the field of a new layer, from the device or from the propagation."""
    if device is None:
        return propagation._field(space, every)
    return device.field(propagation, space, every)
