"""A layer some seconds from now, if nothing else changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import clock
from fieldcraft.kernels.arrays import read_only
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation.kinds import RadiatingField

if TYPE_CHECKING:
    from fieldcraft.layer.layer import Layer

__all__ = ["Forecast", "values_at"]


class Forecast(Operand):
    """A layer some seconds from now; made by `Layer.at`. It follows the layer."""

    def __init__(self, layer: Layer, seconds: float) -> None:
        clock.ticks("t", seconds)
        self.layer = layer
        self.seconds = float(seconds)
        self.space = layer.space
        self.name = f"{layer.name} in {self.seconds:g} s"
        self._seen: int | None = None
        self._values = np.zeros(0, dtype=np.float32)

    def __repr__(self) -> str:
        return f"<{self.name!r}: {self.layer!r}>"

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return self.layer.version + self.layer._sources.version

    @property
    def values(self) -> NDArray[np.float32]:
        """The values at that time, float32 in the space's shape, read-only."""
        if self._seen != self.version:
            self._values = next(values_at(self.layer, [self.seconds])).copy()
            self._seen = self.version
        return read_only(self._values)


def values_at(layer: Layer, seconds: Iterable[float]) -> Iterator[NDArray[np.float32]]:
    """Yield the values of a layer after each of these times, ascending; each array is valid until
    the next.

    The layer does not change, except that steps that are due are taken first.
    """
    with layer._lock:
        layer._catch_up()
        twin: Any = type(layer).restored(layer._state(), layer.space, layer._lock)
    twin._others = layer._others
    now, due, every = twin._ticks, twin._due, twin._every
    for each in seconds:
        until = clock.ticks("t", each) + due
        with layer._lock:
            if not isinstance(twin._field, RadiatingField):
                twin._take_steps((now + until - twin._ticks) // every)
            elif now + until > twin._ticks:
                # A radial layer is exact at any time, between two updates too.
                twin._every = now + until - twin._ticks
                twin._sources.expire(now + until - 1)
                twin._take_steps(1)
            yield twin._values
