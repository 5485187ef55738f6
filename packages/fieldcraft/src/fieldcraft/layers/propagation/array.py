"""Arrays of the user as layers: only writing and stamps change them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import clock
from fieldcraft.layers.propagation.propagation import Propagation, StampedField
from fieldcraft.layers.propagation.trail.accumulator import MOST_AMOUNT, Accumulator
from fieldcraft.layers.propagation.trail.rasters import Raster
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Space


@dataclass(frozen=True)
class ArrayValues(Propagation):
    """The propagation of layers without one: values stay as written and stamped."""

    _layer_kind = "array"
    _verb = "contains stamps"
    _largest, _smallest = MOST_AMOUNT, -MOST_AMOUNT

    def _field(self, space: Space, every: float) -> ArrayField:
        """Return an array of zeros in the shape of the space."""
        return ArrayField(space, every)


class ArrayField(StampedField):
    """An array, and the exact sums behind it after the first stamp. Walls have values as well."""

    at_once = True
    has_wall_values = True
    remainder_is = "the array it carries"

    def __init__(self, space: Space, every: float) -> None:
        self.space = space
        self._every = clock.ticks("every", every, minimum=1)
        self._timed = np.zeros((3, 0), dtype=np.int64)
        """Cells, what stamps for a time have added to their sums, and how many ticks are left."""
        self.values: NDArray[np.float32] = np.zeros(space.shape, dtype=np.float32)
        self._sums: Accumulator | None = None

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values; see `Field.write`."""
        self.values[:] = values
        self._sums, self._timed = None, self._timed[:, :0]

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Set the values of cells; see `Field.put`."""
        self.values.reshape(-1)[cells] = values
        self._sums, self._timed = None, self._timed[:, ~np.isin(self._timed[0], cells)]

    def stamp(self, raster: Raster, amounts: NDArray[np.float64], blend: str) -> None:
        """Blend stamps into the array at once; see `StampedField.stamp`."""
        sums = Accumulator.of(self.values) if self._sums is None else self._sums
        sums.reserve(amounts, raster.peak)
        raster.draw(sums, amounts, blend)
        self._show(sums)

    def stamp_for(self, seconds: float, raster: Raster, amounts: NDArray[np.float64]) -> None:
        """Add stamps that are removed exactly after this time."""
        left = clock.ticks("seconds", seconds, minimum=1)
        sums = Accumulator.of(self.values) if self._sums is None else self._sums
        before = sums.sums.copy()
        self.stamp(raster, amounts, "add")
        assert self._sums is not None
        added = (self._sums.sums - before).reshape(-1)
        cells = np.flatnonzero(added)
        more = np.stack([cells, added[cells], np.full(len(cells), left)])
        self._timed = np.concatenate([self._timed, more], axis=1)

    def _show(self, sums: Accumulator) -> None:
        sums.publish(self.values.reshape(sums.shape))
        self._sums = sums

    def feed(self, sources: Sources) -> None:
        """Do nothing: there are no sources."""

    def tune(self, propagation: Any, every: float) -> None:
        """Take steps of another length."""
        self._every = clock.ticks("every", every, minimum=1)

    def run(self, count: int) -> None:
        """Subtract the stamps with a time that ends within `count` steps."""
        if not self._timed.shape[1]:
            return
        self._timed[2] -= count * self._every
        over = self._timed[2] <= 0
        if over.any():
            sums = Accumulator.of(self.values) if self._sums is None else self._sums
            np.subtract.at(sums.sums.reshape(-1), self._timed[0, over], self._timed[1, over])
            sums.touch(self._timed[0, over])
            self._timed = self._timed[:, ~over]
            self._show(sums)

    def settle(self) -> None:
        """Do nothing: nothing changes by itself."""

    def state(self) -> dict[str, NDArray[Any]]:
        """The array, and the sums behind it if it was stamped; see `Field.state`."""
        state: dict[str, NDArray[Any]] = {"values": self.values}
        if self._sums is not None:
            state["sums"] = self._sums.sums.reshape(self.values.shape)
        if self._timed.shape[1]:
            state["timed"] = self._timed
        return state

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Continue from a state; see `Field.restore`."""
        self.values[:] = state["values"]
        if "sums" in state:
            sums = state["sums"]
            if sums.dtype != np.int64 or sums.shape != self.values.shape:
                raise ValueError(f"sums of {sums.dtype} and shape {sums.shape}")
            self._sums = Accumulator(self.values.shape)
            self._sums.restore(sums)
        if "timed" in state:
            timed = state["timed"]
            if (
                timed.dtype != np.int64
                or timed.ndim != 2
                or len(timed) != 3
                or not ((timed[0] >= 0) & (timed[0] < len(self.space))).all()
                or not (np.abs(timed[1]) < 2**62).all()
            ):
                raise ValueError(f"stamps for a time of {timed.dtype} and shape {timed.shape}")
            self._timed = timed.copy()
