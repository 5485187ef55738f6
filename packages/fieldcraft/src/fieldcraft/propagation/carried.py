"""Carried: an array of the user's own, which nothing changes but writing and stamps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.propagation.canvas import MOST_AMOUNT, Blots, Canvas
from fieldcraft.propagation.field import StampedField
from fieldcraft.propagation.kinds import Propagation
from fieldcraft.sources import Sources
from fieldcraft.space import Space

__all__ = ["Carried", "CarriedField"]


@dataclass(frozen=True)
class Carried(Propagation):
    """The stand-in of a propagation on layers without one: values stay as they were written and
    stamped.
    """

    layer = "array"
    does = "holds stamps"
    most, least = MOST_AMOUNT, -MOST_AMOUNT

    def field(self, space: Space, every: float) -> CarriedField:
        """An array of zeros in the shape of the space."""
        return CarriedField(space)


class CarriedField(StampedField):
    """An array, and the exact sums behind it once it was stamped. Walls hold values as other cells
    do.
    """

    at_once = True
    holds_walls = True
    remainder_is = "the array it carries"

    def __init__(self, space: Space) -> None:
        self.space = space
        self.values: NDArray[np.float32] = np.zeros(space.shape, dtype=np.float32)
        self._canvas: Canvas | None = None

    def write(self, values: NDArray[np.float32]) -> None:
        """Carry these values; see `Field.write`."""
        self.values[:] = values
        self._canvas = None

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Give cells these values; see `Field.put`."""
        self.values.reshape(-1)[cells] = values
        self._canvas = None

    def stamp(self, blots: Blots, amounts: NDArray[np.float64], blend: str) -> None:
        """Put stamps on the array, to be seen at once; see `StampedField.stamp`."""
        canvas = Canvas.of(self.space, self.values) if self._canvas is None else self._canvas
        canvas.book(amounts, blots.peak)
        blots.put(canvas, amounts, blend)
        canvas.publish(self.values)
        self._canvas = canvas

    def feed(self, sources: Sources) -> None:
        """Take notice of nothing: there are no sources."""

    def tune(self, propagation: Any, every: float) -> None:
        """Go on as it is: nothing depends on time."""

    def run(self, count: int) -> None:
        """Let the time of so many steps pass: nothing changes."""

    def settle(self) -> None:
        """Stay as it is."""

    def state(self) -> dict[str, NDArray[Any]]:
        """The array, and the sums behind it if it was stamped; see `Field.state`."""
        return (
            {"values": self.values}
            if self._canvas is None
            else {"values": self.values, "sums": self._canvas.sums}
        )

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        self.values[:] = state["values"]
        if "sums" in state:
            sums = state["sums"]
            if sums.dtype != np.int64 or sums.shape != self.values.shape:
                raise ValueError(f"sums of {sums.dtype} and shape {sums.shape}")
            self._canvas = Canvas(self.space)
            self._canvas.restore(sums)
