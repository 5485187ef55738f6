"""One pass over the layers of all teams, and what is read from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import frozen
from fieldcraft.layer import Layer, RadialLayer
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Space

__all__ = ["Strongest", "Survey", "Surveyed"]

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]

_WORK_PER_THREAD = 500_000  # cells times teams that pay for waking a thread; changes no value


class Strongest:
    """The strongest single source of a radial layer in each cell, following what the layer
    shows.
    """

    def __init__(self, layer: Layer) -> None:
        if not isinstance(layer, RadialLayer):
            raise InvalidValue(
                'by="source" compares the sources of layers with fc.Radial',
                got=f"layer {layer.name!r} with {type(layer.propagation).__name__}",
                remedy='Use by="total", or give the teams fc.Radial(...)',
            )
        self._layer = layer

    @property
    def values(self) -> Floats:
        """float32 of shape (height, width)."""
        return self._layer.strongest


class Survey:
    """Totals and leaders over the maps of all teams, kept until a layer changes. Arrays of shape
    (height, width).
    """

    def __init__(self, layers: Sequence[Layer], by: str) -> None:
        self._by = by
        self._layers = tuple(layers)
        self._strongest = [Strongest(layer) for layer in layers] if by == "source" else []
        self._together: Operand = reduce(
            add, self._layers[1:], self._layers[0]
        )  # refuses layers of different cells
        self.guard = layers[0]._guard
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
        """The cells that all layers share; a wall where all have one."""
        return self._together.space

    @property
    def total(self) -> Floats:
        """The sum of all presences."""
        self.look()
        return frozen(self._total)

    @property
    def contested(self) -> Floats:
        """Twice the sum of all presences but the strongest."""
        self.look()
        return frozen(self._contested)

    @property
    def leader(self) -> Numbers:
        """The number of the strongest team, or `NOBODY`."""
        self.look()
        view = self._leader.view()
        view.flags.writeable = False
        return view

    def lead(self, margin: float, neutral: int) -> Numbers:
        """The number of the strongest team where it is ahead by `margin`, else `neutral`."""
        with self.guard:
            owner = np.empty(self._leader.shape, dtype=np.int32)
            flat = owner.reshape(-1)
            maps = self._maps()
            self._over(
                maps,
                lambda bases, first, last: (
                    kernels.teams.lead,
                    (bases, first, last, np.float32(margin), np.int32(neutral), flat),
                ),
            )
            owner.flags.writeable = False
            return owner

    def presence(self, number: int) -> Floats:
        """How strong one team is in each cell."""
        with self.guard:
            return np.abs(self._maps_of(number))

    def look(self) -> None:
        """Survey the layers if one has changed since the last time."""
        with self.guard:
            seen = tuple(layer.version for layer in self._layers)
            if seen == self._seen:
                return
            self._seen = None
            maps = self._maps()
            total: Floats = self._total.reshape(-1)
            contested: Floats = self._contested.reshape(-1)
            leader: Numbers = self._leader.reshape(-1)
            self._over(
                maps,
                lambda bases, first, last: (
                    kernels.teams.survey,
                    (bases, first, last, total, contested, leader),
                ),
            )
            self._seen = seen
            self.version += 1

    def _maps(self) -> list[Floats]:
        return [
            np.ascontiguousarray(self._maps_of(number), dtype=np.float32).reshape(-1)
            for number in range(len(self._layers))
        ]

    def _maps_of(self, number: int) -> Floats:
        return self._strongest[number].values if self._strongest else self._layers[number].values

    def _over(
        self, maps: list[Floats], call: Callable[[NDArray[np.int64], int, int], pool.Call]
    ) -> None:
        bases = np.array([values.__array_interface__["data"][0] for values in maps], dtype=np.int64)
        cells = self._leader.size
        bands = pool.bands(cells, cells * len(maps) // _WORK_PER_THREAD, align=16)
        pool.run([call(bases, first, last) for first, last in bands])


class Surveyed(Operand):
    """A map of a survey, under a name, for expressions to read."""

    def __init__(self, survey: Survey, name: str, column: str) -> None:
        self._survey = survey
        self._guard = survey.guard
        self._column = column
        self.name = name

    @property
    def space(self) -> Space:  # type: ignore[override]
        """The space that its values lie on."""
        return self._survey.space

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        self._survey.look()
        return self._survey.version

    @property
    def values(self) -> Floats:
        """The values now: a read-only float32 view of shape (height, width), valid until the next
        change.
        """
        column: Floats = getattr(self._survey, self._column)
        return column
