"""Totals and leaders over the maps of all teams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import address, read_only
from fieldcraft.layers import Layer, RadialLayer
from fieldcraft.space import Space
from fieldcraft.values.exclusion import Near, Removal
from fieldcraft.values.operand import Operand

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]


_WORK_PER_THREAD = 500_000  # cells times teams that pay for waking a thread; changes no value


class Survey:
    """Totals and leaders over the maps of all teams, cached until a layer changes. Arrays have the
    space's shape.
    """

    def __init__(self, layers: Sequence[Layer], by: str) -> None:
        self._by = by
        self._layers = tuple(layers)
        for layer in layers:
            if by == "source" and not isinstance(layer, RadialLayer):
                raise InvalidValue(
                    'by="source" compares the sources of layers with fc.Radial',
                    got=f"layer {layer.name!r} with {type(layer.propagation).__name__}",
                    remedy='Use by="total", or give the teams fc.Radial(...)',
                )
        # Refuses layers of different cells.
        self._sum: Operand = reduce(add, self._layers[1:], self._layers[0])
        self.lock = layers[0].steps.lock
        self.version = 0
        self._seen: tuple[int, ...] | None = None
        shape = layers[0].space.shape
        self._total: Floats = np.empty(shape, dtype=np.float32)
        self._contested: Floats = np.empty(shape, dtype=np.float32)
        self._leader: Numbers = np.empty(shape, dtype=np.int32)

    def __reduce__(self) -> tuple[type[Survey], tuple[tuple[Layer, ...], str]]:
        return Survey, (self._layers, self._by)

    @property
    def space(self) -> Space:
        """The space of its values."""
        return self._sum.space

    @property
    def total(self) -> Floats:
        """The sum of all presences."""
        self.refresh()
        return read_only(self._total)

    @property
    def contested(self) -> Floats:
        """Twice the sum of all presences but the strongest."""
        self.refresh()
        return read_only(self._contested)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of the teams."""
        return self._layers

    @property
    def leader(self) -> Numbers:
        """The number of the strongest team, or -1."""
        self.refresh()
        return read_only(self._leader)

    def lead(self, margin: float) -> Numbers:
        """Return the number of the strongest team where it is ahead by `margin`, else -1."""
        with self.lock:
            owner = np.empty(self._leader.shape, dtype=np.int32)
            self._over(kernels.values.team_sums.lead, (np.float32(margin), owner.reshape(-1)))
            return read_only(owner)

    def presence(self, number: int) -> Floats:
        """Return how strong one team is in each cell."""
        with self.lock:
            return np.abs(self._maps_of(number))

    def refresh(self) -> None:
        """Read the layers again if one has changed."""
        with self.lock:
            seen = tuple(layer.version for layer in self._layers)
            if seen == self._seen:
                return
            self._seen = None
            arrays = self._total, self._contested, self._leader
            self._over(kernels.values.team_sums.survey, tuple(each.reshape(-1) for each in arrays))
            self._seen = seen
            self.version += 1

    def columns_of(self, maps: Iterable[Floats]) -> dict[str, Floats]:
        """Return the totals, contested strengths and leaders over other values of the layers, with
        the same bits as over their own.
        """
        layers = [np.ascontiguousarray(values, np.float32) for values in maps]
        shape = layers[0].shape
        total = np.empty(shape, np.float32)
        contested = np.empty(shape, np.float32)
        leader = np.empty(shape, np.int32)
        kernels.values.team_sums.survey(
            _addresses(layers),
            0,
            leader.size,
            total.reshape(-1),
            contested.reshape(-1),
            leader.reshape(-1),
        )
        return {"total": total, "contested": contested, "leader": leader.astype(np.float32)}

    def leaders_of(self, maps: Iterable[Floats], margin: float) -> Floats:
        """Return the numbers of the strongest teams over other values of the layers; see `lead`."""
        layers = [np.ascontiguousarray(values, np.float32) for values in maps]
        if margin == 0:
            return self.columns_of(layers)["leader"]
        leader = np.empty(layers[0].shape, np.int32)
        kernels.values.team_sums.lead(
            _addresses(layers), 0, leader.size, np.float32(margin), leader.reshape(-1)
        )
        return leader.astype(np.float32)

    def maps_near(self, near: Near) -> list[Floats]:
        """Return the values of each team's map near agents, (N, k); see `Operand.values_near`."""
        if self._by == "source":
            return [cast(RadialLayer, each).strongest_near(near) for each in self._layers]
        return [each.values_near(near) for each in self._layers]

    def _maps_of(self, number: int) -> Floats:
        layer = self._layers[number]
        if self._by == "source" and isinstance(layer, RadialLayer):
            return layer.strongest
        return layer.values

    def _over(self, kernel: Callable[..., None], output: tuple[Any, ...]) -> None:
        """Call a kernel for the maps of all teams, on several threads where that pays."""
        numbers = range(len(self._layers))
        cells = self._leader.size
        maps = [np.ascontiguousarray(self._maps_of(number), np.float32) for number in numbers]
        bases = _addresses(maps)
        bands = pool.bands(cells, cells * len(maps) // _WORK_PER_THREAD, align=16)
        pool.run([(kernel, (bases, *band, *output)) for band in bands])


class Surveyed(Operand):
    """A map of a survey, under a name, for expressions to read."""

    def __init__(self, survey: Survey, name: str, column: str) -> None:
        self._survey = survey
        self._column = column
        self.name = name

    def _own_lock(self) -> SingleThreadLock:
        """See `Operand._own_lock`."""
        return self._survey.lock

    @property
    def space(self) -> Space:  # type: ignore[override]
        """The space that its values lie on."""
        return self._survey.space

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        self._survey.refresh()
        return self._survey.version

    @property
    def values(self) -> Floats:
        """The values now: a read-only float32 view of shape (height, width), valid until the next
        change.
        """
        column: Floats = getattr(self._survey, self._column)
        return column

    @property
    def maps(self) -> tuple[Layer, ...]:
        """The layers of the teams, of which this is computed."""
        return self._survey.layers

    def values_without(self, removal: Removal) -> Floats:
        """See `Operand.values_without`."""
        maps = [layer.values_without(removal) for layer in self.maps]
        return self._survey.columns_of(maps)[self._column]

    def values_near(self, near: Near) -> Floats:
        """See `Operand.values_near`."""
        return self._survey.columns_of(self._survey.maps_near(near))[self._column]


def _addresses(maps: Sequence[Floats]) -> NDArray[np.int64]:
    """Return where the memory of contiguous arrays begins, as kernels take it."""
    return np.array([address(values) for values in maps], dtype=np.int64)
