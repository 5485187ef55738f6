"""The settings of `Spread` as its fields read them."""

from __future__ import annotations

from typing import Literal, Protocol

from fieldcraft.base.words import Loss
from fieldcraft.layers.propagation.propagation import Field
from fieldcraft.space import Space


class SpreadSettings(Protocol):
    """What fields read of a `Spread`, which builds them; its docstring explains each setting."""

    @property
    def decay(self) -> float:
        """The loss per world unit of distance."""

    @property
    def momentum(self) -> float:
        """The part of the way to its new value that a cell goes at a step."""

    @property
    def falloff(self) -> Loss:
        """The curve by which influence falls with distance."""

    @property
    def exponent(self) -> int:
        """0 for an exponential falloff, else the p of `(v ** (1/p) - decay * d) ** p`."""

    @property
    def half_life(self) -> float | None:
        """Seconds in which a cell without support halves."""

    @property
    def floor(self) -> float:
        """The magnitude below which values become 0."""

    @property
    def stack(self) -> Literal["max", "sum"]:
        """How several sources in one cell combine."""

    @property
    def pin(self) -> bool:
        """Whether the cell of a source always has the source's strength."""

    def field(self, space: Space, every: float) -> Field:
        """Return values with these settings on a space, all 0."""
