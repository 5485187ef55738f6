"""The questions that this room asks of an influence map, which stands above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from fieldcraft.layer import Layer
from fieldcraft.space import Space

__all__ = ["Layered"]


@runtime_checkable
class Layered(Protocol):
    """Layers by name on one space: a `fieldcraft.InfluenceMap`."""

    @property
    def space(self) -> Space:
        """The space that it lies on."""
        ...

    @property
    def layers(self) -> Mapping[str, Layer]:
        """The layers by name."""
        ...

    @property
    def add_layer(self) -> Callable[..., Layer]:
        """Add a layer."""
        ...
