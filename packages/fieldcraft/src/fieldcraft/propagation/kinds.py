"""Kinds of propagation, by what feeds their layers, and the one place where a field is chosen.

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
    """How influence gets from cell to cell: settings that don't change, of which a field is made
    for each layer.

    `layer` names the kind of layer that such a field is for, by what feeds it: see `Spreading`,
    `Radiating`, `Remembering`, `Gathering`. A propagation is a frozen dataclass that inherits from
    one of these.
    """

    _layer_kind: ClassVar[str]
    _takes_sources: ClassVar[bool] = False
    _verb: ClassVar[str]
    """The doing of such a layer in a word or two: "spreads"."""
    _largest: ClassVar[float] = checks.LARGEST
    """The largest size of what is put on such a layer."""
    _smallest: ClassVar[float] = -checks.LARGEST
    _replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Settings that stand in for others, which are not given with them."""

    def __post_init__(self) -> None:
        for setting in fields(self):  # type: ignore[arg-type]
            object.__setattr__(
                self,
                setting.name,
                setting.metadata["check"](setting.name, getattr(self, setting.name)),
            )

    @property
    def _default_strength(self) -> float:
        """The strength of what doesn't name one."""
        return 1.0

    def _value_range(self, low: float, high: float) -> tuple[float, float] | None:
        """The lowest and the highest value that strengths from `low` to `high` make, 0 among both;
        None where nobody knows beforehand.
        """
        return low, high

    @abstractmethod
    def _field(self, space: Space, every: float) -> Field:
        """Values of this propagation on a space, all 0, that are updated `every` so many
        seconds.
        """


class Spreading(Propagation):
    """A propagation of sources and deposits, whose values live on by themselves."""

    _layer_kind = "spread"
    _takes_sources = True
    _verb = "spreads"


class Radiating(Propagation):
    """A propagation of sources with radii and falloffs, whose values are what the sources say; its
    fields are `RadiatingField`.
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
    """A propagation of what agents leave behind: stamps and deposits; its fields are
    `GatheringField`.
    """

    _layer_kind = "trail"
    _verb = "is a trail"
    _largest, _smallest = MOST_AMOUNT, -MOST_AMOUNT

    def _value_range(self, low: float, high: float) -> None:
        """None: how much gathers, nobody knows beforehand."""
        return


class Device(Protocol):
    """Hardware that carries fields of its own."""

    def field(self, propagation: Propagation, space: Space, every: float) -> Field:
        """Values of a propagation on this device; raises `InvalidValue` for a propagation that it
        does not carry.
        """

    def carrier(self, field: Field) -> str:
        """The name of the carrier of a field."""


def field_on(device: Device | None, propagation: Propagation, space: Space, every: float) -> Field:
    """The field of a new layer: that of the device, or of the propagation itself. The only place
    where a field is chosen.
    """
    return (
        propagation._field(space, every)
        if device is None
        else device.field(propagation, space, every)
    )
