"""Arrays of the user as layers: only writing and stamps change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import StampBlend
from fieldcraft.kernels.trail.stamp_units import SCALE
from fieldcraft.layers.propagation.accumulator import (
    MOST_AMOUNT,
    MOST_SUM,
    Accumulator,
    in_units,
)
from fieldcraft.layers.propagation.propagation import Propagation, StampedField
from fieldcraft.layers.propagation.trail.rasters import Raster
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Space


@dataclass(frozen=True)
class ArrayValues(Propagation):
    """The propagation of layers without one: values stay as written and stamped."""

    layer_kind = "array"
    _verb = "contains stamps"
    _largest = MOST_AMOUNT
    _smallest = -MOST_AMOUNT

    def field(self, space: Space, every: float) -> ArrayField:
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
        self._written: NDArray[np.float32] | None = None
        """The array without stamps, if it has numbers that sums cannot hold: it shows where the sum
        is that of its number.
        """

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values; see `Field.write`."""
        self.values[:] = values
        self._sums = None
        self._written = None
        self._timed = self._timed[:, :0]

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Set the values of cells; see `Field.put`."""
        timed = self._timed[:, ~np.isin(self._timed[0], cells)]
        largest = float(np.abs(values).max(initial=0))
        if largest > MOST_SUM / 2 and timed.shape[1]:
            raise InvalidValue(
                f"Values of a layer with stamps for a time are at most {MOST_SUM / 2:g} in size",
                got=f"{largest:g}",
                remedy="Count in larger units",
            )
        self._timed = timed
        if self._sums is not None and largest > MOST_SUM / 2:
            self._sums = None
            self._written = None
        elif self._sums is not None:
            if self._written is None and _are_finer(values):
                self._written = self.values.copy()
            if self._written is not None:
                self._written.reshape(-1)[cells] = values
            self._sums.set(cells, values)
        self.values.reshape(-1)[cells] = values

    def stamp(self, raster: Raster, amounts: NDArray[np.float64], blend: StampBlend) -> None:
        """Blend stamps into the array at once; see `StampedField.stamp`."""
        if self._sums is None:
            sums = Accumulator.of(self.values)
        else:
            sums = self._sums
        sums.reserve(amounts, raster.peak)
        raster.draw(sums, amounts, blend)
        self._show(sums)

    def stamp_for(self, seconds: float, raster: Raster, amounts: NDArray[np.float64]) -> None:
        """Add stamps that are removed exactly after this time."""
        left = clock.ticks("seconds", seconds, minimum=1)
        if self._sums is None:
            sums = Accumulator.of(self.values)
        else:
            sums = self._sums
        before = sums.sums.copy()
        self.stamp(raster, amounts, "add")
        assert self._sums is not None
        added = (self._sums.sums - before).reshape(-1)
        cells = np.flatnonzero(added)
        more = np.stack([cells, added[cells], np.full(len(cells), left)])
        self._timed = np.concatenate([self._timed, more], axis=1)

    def _show(self, sums: Accumulator) -> None:
        """Write the sums to the values, once stamps have changed them."""
        if self._sums is None and _are_finer(self.values):
            self._written = self.values.copy()
        self._sums = sums
        sums.publish(self.values.reshape(sums.shape))
        if self._written is not None:
            as_written = sums.sums.reshape(self.values.shape) == in_units(self._written)
            np.copyto(self.values, self._written, where=as_written)

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
            sums = self._sums
            assert sums is not None
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
        if self._written is not None:
            state["written"] = self._written
        if self._timed.shape[1]:
            state["timed"] = self._timed
        return state

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Continue from a state; see `Field.restore`."""
        self.values[:] = state["values"]
        if "sums" in state:
            sums = state["sums"]
            if sums.dtype != np.int64 or sums.shape != self.values.shape:
                raise ValueError(f"sums of {sums.dtype} and shape {sums.shape}")
            self._sums = Accumulator(self.values.shape)
            self._sums.restore(sums)
        if "written" in state:
            written = state["written"]
            if written.dtype != np.float32 or written.shape != self.values.shape:
                raise ValueError(f"an array of {written.dtype} and shape {written.shape}")
            if not (np.abs(written) <= MOST_SUM).all() or self._sums is None:
                raise ValueError("an array without the sums of its stamps")
            self._written = written.copy()
        if "timed" in state:
            if self._sums is None:
                raise ValueError("stamps for a time without sums")
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


def _are_finer(values: NDArray[np.float32]) -> bool:
    """Return whether any of these values is not a whole number of the units of sums."""
    return bool(((in_units(values) / SCALE).astype(np.float32) != values).any())
