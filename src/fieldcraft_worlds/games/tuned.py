"""The worlds whose states have a tuning, led by sliders and painted with a brush."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from fieldcraft import Grid

__all__ = ["MOST_AMOUNT", "TunedWorld"]

MOST_AMOUNT = 2.0**20
"""The most that may be left in a cell of a trail."""


class TunedWorld:
    """A map, and the mirror of its states: layers that follow from them. States have a `tuning`, a dataclass of numbers with a `brush`."""

    mirror: Any

    def __init__(self, space: Grid, mirror: Any) -> None:
        self._space = space
        self.mirror = mirror

    @property
    def space(self) -> Grid:
        """The map, as it was at the start."""
        return self._space

    @property
    def rate(self) -> int:
        """Steps a second."""
        return int(self.mirror.settings.rate)

    def tuned(self, state: Any) -> Mapping[str, float]:
        """Where each slider stands."""
        return {name: float(value) for name, value in asdict(state.tuning).items()}

    def brush(self, state: Any) -> float:
        """The radius of the brush, world units."""
        return float(state.tuning.brush * self.space.cell_size)
