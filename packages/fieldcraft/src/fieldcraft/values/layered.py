"""Layers by name on one space, as formulas and questions read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from fieldcraft.space import Space
from fieldcraft.values.operand import Operand


@runtime_checkable
class Layered(Protocol):
    """Layers by name on one space: a `fieldcraft.InfluenceMap`."""

    @property
    def space(self) -> Space:
        """The space of the layers."""
        ...

    @property
    def layers(self) -> Mapping[str, Operand]:
        """The layers by name."""
        ...
