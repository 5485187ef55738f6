"""Expressions that read other cells than their own, or apply a function: others read their values
instead of computing them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.compose.expression import Expression, Ground
from fieldcraft.compose.tree import Written
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.kernels import operations, pool
from fieldcraft.kernels.arrays import read_only
from fieldcraft.space import Grid, Space, checked_space, grid_of

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_WORK_PER_THREAD = 400_000  # cells times cells added up that pay for waking a thread
_LARGEST = float(operations.LARGEST)
_LEAST = float(np.finfo(np.float32).tiny)


class Separate(Expression):
    """An expression that others read instead of computing it along."""

    def __init__(self, source: Expression, ground: Ground, written: Written) -> None:
        super().__init__(None, ground, written)
        self._maps = (source,)
        self._source = source

    def values_at(self, cells: Ints) -> Floats:
        """See `Expression.values_at`; all values are computed."""
        return self.values.reshape(-1)[cells]


class Smoothed(Separate):
    """The mean of the open cells around each cell."""

    def __init__(self, source: Expression, cells: int) -> None:
        super().__init__(source, source.ground, Written("smooth", (source, cells)))
        self._cells = cells
        self._counts: Floats | None = None
        self._walls_version: tuple[int, ...] | None = None

    def _evaluate(self, out: Floats) -> None:
        version = self.ground.walls_version
        if self._counts is None or self._walls_version != version:
            walls = self.ground.walls if len(self.ground.walls) else np.zeros(out.size, np.uint8)
            is_open = (walls == 0).astype(np.float32).reshape(out.shape)
            counts = np.empty(out.shape, dtype=np.float32)
            self._box(is_open, np.ones(out.shape, dtype=np.float32), counts)
            self._counts, self._walls_version = counts * is_open, version
        self._box(self._source.values, self._counts, out)

    def _box(self, values: Floats, counts: Floats, out: Floats) -> None:
        wrap = grid_of(self.ground.spaces[0], "smooth()").wrap
        height = len(values)
        work = values.size * (4 * self._cells + 2)
        bands = pool.bands(height, min(1 + work // _WORK_PER_THREAD, height // (4 * self._cells)))
        inputs = read_only(np.ascontiguousarray(values)), counts, self._cells, wrap
        pool.run([(kernels.compose.box, (*inputs, *band, out)) for band in bands])


class Refined(Separate):
    """A map read on finer cells, or on another kind of cells: each reads the cell that contains its
    center.
    """

    def __init__(self, source: Expression, space: Space) -> None:
        own = source.space
        checked_space(space, "A map is read on the cells of")
        if isinstance(own, Grid) and isinstance(space, Grid):
            coarse, fine = grid_of(own, "on()"), grid_of(space, "on()")
            if fine.cell_size > coarse.cell_size:
                raise InvalidValue(
                    "A map is read on cells of its own size or finer ones",
                    got=f"cells of {coarse.cell_size:g} on cells of {fine.cell_size:g}",
                    remedy="Read the coarse one: coarse.on(fine.space)",
                )
        try:
            self._cells = np.asarray(own.cell_at(space.positions[:, : own.dimensions]))
        except OutsideMap as error:
            raise InvalidValue(
                "A map is read on a space within its own",
                got=f"{error.got}, a cell of {space!r} that is off {own!r}",
                remedy="Use the space of a layer of the same influence map",
            ) from None
        super().__init__(source, Ground((space,)), Written("on", (source,)))

    def _evaluate(self, out: Floats) -> None:
        flat = out.reshape(-1)
        np.take(self._source.values.reshape(-1), self._cells, out=flat, mode="clip")
        if len(self.ground.walls):
            flat[self.ground.walls != 0] = 0


class Mapped(Separate):
    """The results of a function of the values of a map."""

    def __init__(
        self, source: Expression, function: Callable[[Floats], ArrayLike], written: Written
    ) -> None:
        super().__init__(source, source.ground, written)
        self._function = function

    def values_at(self, cells: Ints) -> Floats:
        """See `Expression.values_at`."""
        walls = self.ground.walls
        return self._results(self._source.values_at(cells), walls[cells] if len(walls) else walls)

    def _evaluate(self, out: Floats) -> None:
        out.reshape(-1)[:] = self._results(self._source.values.reshape(-1), self.ground.walls)

    def _results(self, values: Floats, walls: NDArray[np.uint8]) -> Floats:
        with np.errstate(all="ignore"):
            given = np.asarray(self._function(values.copy()))
        if given.shape != values.shape or given.dtype.kind not in "iufb":
            raise InvalidValue(
                "A function used as a curve returns one number for each value of an array",
                got=f"{given.dtype} of shape {given.shape} for {values.shape}",
                remedy="Write it with NumPy's functions, which take whole arrays",
            )
        found = given.astype(np.float32)
        if len(walls):
            found[walls != 0] = 0
        fits = np.abs(found) <= operations.LARGEST
        if not fits.all():
            wrong = int(np.argmin(fits))
            raise InvalidValue(
                "The results of a curve are finite float32 numbers",
                got=f"{given[wrong]} for {values[wrong]:g}",
                remedy="Clamp the values first, or the results with np.clip",
            )
        return found


def powered(source: Expression, exponent: float) -> Mapped:
    """Return a map to any power: 0 where that is no number, as of negative values; the largest
    float32 where it is beyond.
    """
    return Mapped(source, partial(_power, exponent=exponent), Written("power", (source, exponent)))


def exponential(base: float, source: Expression) -> Mapped:
    """Return a number to the power of a map."""
    above = checks.positive("The base of a power", base)
    return Mapped(source, partial(_exponential, base=above), Written("power", (base, source)))


def rooted(source: Expression) -> Mapped:
    """Return the square root of a map; 0 where it is negative."""
    return Mapped(source, _root, Written("sqrt", (source,)))


def logarithm(source: Expression) -> Mapped:
    """Return the natural logarithm of a map; that of 1e-38 where it is smaller."""
    return Mapped(source, _log, Written("log", (source,)))


def _power(values: Floats, exponent: float) -> NDArray[Any]:
    found = np.power(values.astype(np.float64), exponent)
    found[~np.isfinite(found) & ~(np.isinf(found) & (values != 0))] = 0
    return np.clip(found, -_LARGEST, _LARGEST)


def _exponential(values: Floats, base: float) -> NDArray[Any]:
    return np.clip(np.power(base, values.astype(np.float64)), 0, _LARGEST)


def _root(values: Floats) -> NDArray[Any]:
    return np.sqrt(np.maximum(values, np.float32(0)))


def _log(values: Floats) -> NDArray[Any]:
    return np.log(np.maximum(values, np.float32(_LEAST)))
