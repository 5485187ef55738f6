"""Passes: calculations over a whole map that read other cells than their own, or call a function.
An expression has one in place of a tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.values import map_operations
from fieldcraft.space import Grid, Space, checked_space, grid_of
from fieldcraft.values.ground import Ground

Floats = NDArray[np.float32]

_WORK_PER_THREAD = 400_000  # cells times cells added up that pay for waking a thread
_LARGEST = float(map_operations.LARGEST)
_LEAST = float(np.finfo(np.float32).tiny)


class Pass(ABC):
    """A calculation of all values of a map from those of another."""

    @abstractmethod
    def evaluate(self, values: Floats, ground: Ground, out: Floats) -> None:
        """Compute all values into `out`, which has the cells of `ground`."""


class Smoothing(Pass):
    """The mean of the open cells around each cell."""

    def __init__(self, cells: int) -> None:
        self._cells = cells
        self._counts: Floats | None = None
        self._walls_version: tuple[int, ...] | None = None

    def evaluate(self, values: Floats, ground: Ground, out: Floats) -> None:
        """See `Pass.evaluate`."""
        version = ground.walls_version
        if self._counts is None or self._walls_version != version:
            walls = ground.walls
            if not len(walls):
                walls = np.zeros(out.size, np.uint8)
            is_open = (walls == 0).astype(np.float32).reshape(out.shape)
            counts = np.empty(out.shape, dtype=np.float32)
            self._box(is_open, np.ones(out.shape, dtype=np.float32), ground, counts)
            self._counts = counts * is_open
            self._walls_version = version
        self._box(values, self._counts, ground, out)

    def _box(self, values: Floats, counts: Floats, ground: Ground, out: Floats) -> None:
        wrap = grid_of(ground.spaces[0], "smooth()").wrap_flags
        height = len(values)
        work = values.size * (4 * self._cells + 2)
        bands = pool.bands(height, min(1 + work // _WORK_PER_THREAD, height // (4 * self._cells)))
        inputs = read_only(np.ascontiguousarray(values)), counts, self._cells, wrap
        pool.run([(kernels.values.compose.box, (*inputs, *band, out)) for band in bands])


class Refining(Pass):
    """A map read on finer cells, or on another kind of cells: each cell reads the one that contains
    its center.
    """

    def __init__(self, own: Space, space: Space) -> None:
        checked_space(space, "A map is read on the cells of")
        if isinstance(own, Grid) and isinstance(space, Grid) and space.cell_size > own.cell_size:
            raise InvalidValue(
                "A map is read on cells of its own size or finer ones",
                got=f"cells of {own.cell_size:g} on cells of {space.cell_size:g}",
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

    def evaluate(self, values: Floats, ground: Ground, out: Floats) -> None:
        """See `Pass.evaluate`."""
        flat = out.reshape(-1)
        np.take(values.reshape(-1), self._cells, out=flat, mode="clip")
        if len(ground.walls):
            flat[ground.walls != 0] = 0


class FunctionPass(Pass):
    """The results of a function of the values of a map; each depends on its own cell alone."""

    def __init__(self, function: Callable[[Floats], ArrayLike]) -> None:
        self._function = function

    def evaluate(self, values: Floats, ground: Ground, out: Floats) -> None:
        """See `Pass.evaluate`."""
        out.reshape(-1)[:] = self.results(values.reshape(-1), ground.walls)

    def results(self, values: Floats, walls: NDArray[np.uint8]) -> Floats:
        """Return the results for some values; 0 in walls."""
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
        fits = np.abs(found) <= map_operations.LARGEST
        if not fits.all():
            wrong = int(np.argmin(fits))
            raise InvalidValue(
                "The results of a curve are finite float32 numbers",
                got=f"{given[wrong]} for {values[wrong]:g}",
                remedy="Clamp the values first, or the results with np.clip",
            )
        return found


def powers(exponent: float) -> FunctionPass:
    """Return a map to any power: 0 where that is no number, as of negative values; the largest
    float32 where it is beyond.
    """
    return FunctionPass(partial(_power, exponent=exponent))


def exponentials(base: float) -> FunctionPass:
    """Return a number to the power of a map."""
    return FunctionPass(partial(_exponential, base=checks.positive("The base of a power", base)))


def roots() -> FunctionPass:
    """Return the square root of a map; 0 where it is negative."""
    return FunctionPass(_root)


def logarithms() -> FunctionPass:
    """Return the natural logarithm of a map; that of 1e-38 where it is smaller."""
    return FunctionPass(_log)


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
