"""Maps that follow a layer: its values some seconds from now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import clock
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.propagation.propagation import RadiatingField, field_on
from fieldcraft.values.exclusion import Near
from fieldcraft.values.operand import Operand

if TYPE_CHECKING:
    from fieldcraft.layers.layer import Layer


class Forecast(Operand):
    """A layer some seconds from now; made by `Layer.at`. It follows the layer."""

    def __init__(self, layer: Layer, seconds: float) -> None:
        layer.steps.check_forecast(clock.ticks("t", seconds))
        self.layer = layer
        self.seconds = float(seconds)
        self.space = layer.space
        self.name = f"{layer.name} in {self.seconds:g} s"
        self._seen: int | None = None
        self._values = np.zeros(0, dtype=np.float32)

    def __reduce__(self) -> tuple[Any, ...]:
        return Forecast, (self.layer, self.seconds)  # a copied layer counts its versions anew

    def __repr__(self) -> str:
        return f"<{self.name!r}: {self.layer!r}>"

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return version_of_all(self.layer)

    @property
    def values(self) -> NDArray[np.float32]:
        """The values at that time, float32 in the space's shape, read-only."""
        if self._seen != self.version:
            futures = _shared_futures.get()
            if futures is None:
                values = next(values_at(self.layer, [self.seconds]))
            else:
                values = _shared_future(futures, self).values_at(self.seconds)
            self._values = values.copy()
            self._seen = self.version
        return read_only(self._values)

    def source_ids(self, keys: Sequence[object]) -> NDArray[np.int64]:
        """See `Operand.source_ids`."""
        return self.layer.source_ids(keys)

    def values_near(self, near: Near) -> NDArray[np.float32]:
        """See `Operand.values_near`. The layer without a source begins settled, unless its values
        follow from its sources alone.
        """
        found: NDArray[np.float32] = self.values.reshape(-1)[near.cells]
        ids = self.source_ids(near.keys)
        for each in np.unique(ids[ids >= 0]).tolist():
            values = next(values_at(self.layer, [self.seconds], without=each)).reshape(-1)
            rows = ids == each
            found[rows] = values[near.cells[rows]]
        return found


def version_of_all(layer: Layer) -> int:
    """Return a number that changes with everything that the later values of a layer depend on."""
    version = layer.version + layer.steps.later_changes + layer.steps.sources.rows.version
    name = layer.steps.field.barrier
    if name is not None and name in layer.steps.others:
        version += layer.steps.others[name].steps.version
    return version


class _Future:
    """The future of a layer, step by step: each time begins where the last one ended."""

    def __init__(self, layer: Layer, version: int) -> None:
        self.layer = layer
        self.version = version
        self.seconds = 0.0
        self._frames = values_at(layer, self._times())

    def _times(self) -> Iterator[float]:
        while True:
            yield self.seconds

    def values_at(self, seconds: float) -> NDArray[np.float32]:
        """Return the values at a time, not before the last one, valid until the next call."""
        self.seconds = seconds
        return next(self._frames)


_MOST_FUTURES = 4  # of one layer in a block, such as for layer.at(t) and layer.at(t + 1)
_shared_futures: ContextVar[dict[int, list[_Future]] | None] = ContextVar("futures", default=None)


@contextmanager
def shared_futures() -> Iterator[None]:
    """Let forecasts that are read in this block go on from each other.

    Forecasts of one layer at ascending times then take each step of the layer once.
    """
    token = _shared_futures.set({})
    try:
        yield
    finally:
        _shared_futures.reset(token)


def _shared_future(futures: dict[int, list[_Future]], forecast: Forecast) -> _Future:
    """Return the future of a forecast's layer that is nearest before its time; a new one if there
    is none, or if the layer has changed.
    """
    layer = forecast.layer
    version = forecast.version
    known = [each for each in futures.get(id(layer), []) if each.version == version]
    before = [each for each in known if each.seconds <= forecast.seconds]
    if before:
        return max(before, key=lambda each: each.seconds)
    new = _Future(layer, version)
    futures[id(layer)] = [*known, new][-_MOST_FUTURES:]
    return new


def values_at(
    layer: Layer, seconds: Iterable[float], *, without: int | None = None
) -> Iterator[NDArray[np.float32]]:
    """Yield the values of a layer after each of these times, ascending; each array is valid until
    the next. A source that is left out, by its id, has never been there.

    The layer does not change, except that steps that are due are taken first.
    """
    with layer.steps.lock:
        layer.steps.catch_up()
        twin = layer._copied(layer.steps.lock).steps
    twin.others = layer.steps.others
    if without is not None:
        twin.sources.remove([without])
        resistance = twin.field.resistance
        assert layer.propagation is not None
        twin.field = field_on(None, layer.propagation, layer.space, clock.seconds(twin.every))
        twin.field.set_resistance(resistance)
        twin.feed()
        twin.field.settle()
    begun = twin.ticks
    due = twin.due
    every = twin.every
    for each in seconds:
        until = begun + clock.ticks("t", each) + due
        with twin.lock:
            if not isinstance(twin.field, RadiatingField):
                twin.take((until - twin.ticks) // every)
            elif until > twin.ticks:
                # A radial layer is exact at any time, between two updates too.
                twin.every = until - twin.ticks
                twin.sources.expire(until - 1)
                twin.take(1)
            yield twin.values
