"""Kinds of propagation, by what feeds their layers, and the one place where a field is chosen.

A propagation is a frozen dataclass. Each of its fields declares the values that it takes, with the
functions of `fieldcraft.propagation.settings`:

    rate: float = field(default=0.5, metadata=number("Part that a cell gives away.", high=1.0))

`Propagation.declared()` returns these declarations by name, as `settings.Setting`: kind, range,
choices, unit, default, and one sentence about each. Recipes, the lab's controls, messages and the
documentation read them from there, so that a new propagation needs its own files and one row in
`fieldcraft.propagation.PROPAGATIONS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from typing import Any, ClassVar, Protocol

from fieldcraft import checks
from fieldcraft.propagation.canvas import MOST_AMOUNT
from fieldcraft.propagation.field import Field
from fieldcraft.propagation.settings import Setting
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

    layer: ClassVar[str]
    takes_sources: ClassVar[bool] = False
    does: ClassVar[str]
    """The doing of such a layer in a word or two: "spreads"."""
    most: ClassVar[float] = checks.LARGEST
    """The largest size of what is put on such a layer."""
    least: ClassVar[float] = -checks.LARGEST
    stands_in: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Settings that stand in for others, which are not given with them."""

    def __post_init__(self) -> None:
        for setting in fields(self):  # type: ignore[arg-type]
            object.__setattr__(
                self,
                setting.name,
                setting.metadata["check"](setting.name, getattr(self, setting.name)),
            )

    @property
    def usual(self) -> float:
        """The strength of what doesn't name one."""
        return 1.0

    def span(self, low: float, high: float) -> tuple[float, float] | None:
        """The lowest and the highest value that strengths from `low` to `high` make, 0 among both;
        None where nobody knows beforehand.
        """
        return low, high

    @classmethod
    def declared(cls) -> dict[str, Setting]:
        """Return what each setting takes, by name."""
        made: Any = cls
        return {
            each.name: replace(each.metadata["setting"], required=True)
            if each.default is MISSING
            else replace(each.metadata["setting"], default=each.default)
            for each in fields(made)
        }

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """The names of its settings."""
        return tuple(cls.declared())

    def settings(self) -> dict[str, Any]:
        """Its settings by name."""
        return {name: getattr(self, name) for name in self.parameters()}

    @abstractmethod
    def field(self, space: Space, every: float) -> Field:
        """Values of this propagation on a space, all 0, that are updated `every` so many
        seconds.
        """


class Spreading(Propagation):
    """A propagation of sources and deposits, whose values live on by themselves."""

    layer = "spread"
    takes_sources = True
    does = "spreads"


class Radiating(Propagation):
    """A propagation of sources with radii and falloffs, whose values are what the sources say; its
    fields are `RadiatingField`.
    """

    layer = "radial"
    takes_sources = True
    does = "radiates"


class Remembering(Propagation):
    """A propagation of marks, which fade; its fields are `RememberingField`."""

    layer = "memory"
    does = "fades"
    least = 0.0


class Gathering(Propagation):
    """A propagation of what agents leave behind: stamps and deposits; its fields are
    `GatheringField`.
    """

    layer = "trail"
    does = "is a trail"
    most, least = MOST_AMOUNT, -MOST_AMOUNT

    def span(self, low: float, high: float) -> None:
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
        propagation.field(space, every)
        if device is None
        else device.field(propagation, space, every)
    )
