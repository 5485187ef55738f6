"""Carried: an array of the user's own, which nothing changes but writing and stamps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import clock
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

    _layer_kind = "array"
    _verb = "holds stamps"
    _largest, _smallest = MOST_AMOUNT, -MOST_AMOUNT

    def _field(self, space: Space, every: float) -> CarriedField:
        """An array of zeros in the shape of the space."""
        return CarriedField(space, every)


class CarriedField(StampedField):
    """An array, and the exact sums behind it once it was stamped. Walls hold values as other cells
    do.
    """

    at_once = True
    holds_walls = True
    remainder_is = "the array it carries"

    def __init__(self, space: Space, every: float) -> None:
        self.space = space
        self._every = clock.ticks("every", every, minimum=1)
        self._lasting = np.zeros((3, 0), dtype=np.int64)
        """Cells, what stamps for a time have added to their sums, and how many ticks are left."""
        self.values: NDArray[np.float32] = np.zeros(space.shape, dtype=np.float32)
        self._canvas: Canvas | None = None

    def write(self, values: NDArray[np.float32]) -> None:
        """Carry these values; see `Field.write`."""
        self.values[:] = values
        self._canvas = None
        self._lasting = self._lasting[:, :0]

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Give cells these values; see `Field.put`."""
        self.values.reshape(-1)[cells] = values
        self._canvas = None
        self._lasting = self._lasting[:, ~np.isin(self._lasting[0], cells)]

    def stamp(self, blots: Blots, amounts: NDArray[np.float64], blend: str) -> None:
        """Put stamps on the array, to be seen at once; see `StampedField.stamp`."""
        canvas = Canvas.of(self.space, self.values) if self._canvas is None else self._canvas
        canvas.book(amounts, blots.peak)
        blots.put(canvas, amounts, blend)
        canvas.publish(self.values)
        self._canvas = canvas

    def stamp_for(self, seconds: float, blots: Blots, amounts: NDArray[np.float64]) -> None:
        """Add stamps that are taken off again, to the bit, when so much time has passed."""
        left = clock.ticks("seconds", seconds, minimum=1)
        before = 0 if self._canvas is None else self._canvas.sums.copy()
        if self._canvas is None:
            before = Canvas.of(self.space, self.values).sums
        self.stamp(blots, amounts, "add")
        assert self._canvas is not None
        added = (self._canvas.sums - before).reshape(-1)
        cells = np.flatnonzero(added)
        more = np.stack([cells, added[cells], np.full(len(cells), left)])
        self._lasting = np.concatenate([self._lasting, more], axis=1)

    def feed(self, sources: Sources) -> None:
        """Take notice of nothing: there are no sources."""

    def tune(self, propagation: Any, every: float) -> None:
        """Go on as it is, in steps of another length."""
        self._every = clock.ticks("every", every, minimum=1)

    def run(self, count: int) -> None:
        """Let the time of so many steps pass: stamps whose time is over go."""
        if not self._lasting.shape[1]:
            return
        self._lasting[2] -= count * self._every
        over = self._lasting[2] <= 0
        if over.any():
            canvas = Canvas.of(self.space, self.values) if self._canvas is None else self._canvas
            canvas.add(self._lasting[0, over], -self._lasting[1, over])
            canvas.publish(self.values)
            self._canvas, self._lasting = canvas, self._lasting[:, ~over]

    def settle(self) -> None:
        """Stay as it is."""

    def state(self) -> dict[str, NDArray[Any]]:
        """The array, and the sums behind it if it was stamped; see `Field.state`."""
        state: dict[str, NDArray[Any]] = {"values": self.values}
        if self._canvas is not None:
            state["sums"] = self._canvas.sums
        if self._lasting.shape[1]:
            state["lasting"] = self._lasting
        return state

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        self.values[:] = state["values"]
        if "sums" in state:
            sums = state["sums"]
            if sums.dtype != np.int64 or sums.shape != self.values.shape:
                raise ValueError(f"sums of {sums.dtype} and shape {sums.shape}")
            self._canvas = Canvas(self.space)
            self._canvas.restore(sums)
        if "lasting" in state:
            lasting = state["lasting"]
            if (
                lasting.dtype != np.int64
                or lasting.ndim != 2
                or len(lasting) != 3
                or not ((lasting[0] >= 0) & (lasting[0] < len(self.space))).all()
                or not (np.abs(lasting[1]) < 2**62).all()
            ):
                raise ValueError(f"stamps for a time of {lasting.dtype} and shape {lasting.shape}")
            self._lasting = lasting.copy()
