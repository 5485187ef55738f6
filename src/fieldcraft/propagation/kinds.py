"""Kinds of propagation, by what feeds their layers, and the one place where a field is chosen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar, Protocol

from fieldcraft.propagation.field import Field
from fieldcraft.space import AnySpace

__all__ = ["Device", "Gathering", "Propagation", "Radiating", "Remembering", "Spreading", "field_on"]


class Propagation(ABC):
    """How influence gets from cell to cell: settings that don't change, of which a field is made for each layer.

    `layer` names the kind of layer that such a field is for, by what feeds it: see `Spreading`, `Radiating`, `Remembering`,
    `Gathering`. A propagation is a frozen dataclass that inherits from one of these.
    """

    layer: ClassVar[str]

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """The names of its settings."""
        made: Any = cls
        return tuple(field.name for field in fields(made))

    def settings(self) -> dict[str, Any]:
        """Its settings by name."""
        return {name: getattr(self, name) for name in self.parameters()}

    @abstractmethod
    def field(self, space: AnySpace, every: float) -> Field:
        """Values of this propagation on a space, all 0, that are updated `every` so many seconds."""


class Spreading(Propagation):
    """A propagation of sources and deposits, whose values live on by themselves."""

    layer = "spread"


class Radiating(Propagation):
    """A propagation of sources with radii and falloffs, whose values are what the sources say; its fields are `RadiatingField`."""

    layer = "radial"


class Remembering(Propagation):
    """A propagation of marks, which fade; its fields are `RememberingField`."""

    layer = "memory"


class Gathering(Propagation):
    """A propagation of what agents leave behind: stamps and deposits; its fields are `GatheringField`."""

    layer = "trail"


class Device(Protocol):
    """Hardware that carries fields of its own."""

    def field(self, propagation: Propagation, space: AnySpace, every: float) -> Field:
        """Values of a propagation on this device; raises `InvalidValue` for a propagation that it does not carry."""
        ...

    def carrier(self, field: Field) -> str:
        """What carries a field, in words."""
        ...


def field_on(device: Device | None, propagation: Propagation, space: AnySpace, every: float) -> Field:
    """The field of a new layer: that of the device, or of the propagation itself. The only place where a field is chosen."""
    return propagation.field(space, every) if device is None else device.field(propagation, space, every)
