"""Expressions that look beyond their own cell, or apply a function, and so keep their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.compose.engine import Segments
from fieldcraft.compose.expression import Expression, Written
from fieldcraft.compose.ground import Ground
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.kernels import operations, pool
from fieldcraft.space import Space, checked_space, grid_of

__all__ = ["Mapped", "Refined", "Smoothed", "exponential", "powered", "rooted"]

Floats = NDArray[np.float32]

_WORK_PER_THREAD = 400_000  # cells times cells added up that pay for waking a thread


class Kept(Expression):
    """An expression that others read instead of computing it along."""

    def __init__(self, source: Expression, ground: Ground, written: Written) -> None:
        super().__init__(None, ground, written)
        self._maps = (source,)
        self._source = source

    def fill(self, out: Floats, where: Segments) -> None:
        """Compute the cells of the segments `where` only, into the contiguous float32 array
        `out`.
        """
        _ = self.values
        super().fill(out, where)


class Smoothed(Kept):
    """The mean over the open cells around each cell."""

    def __init__(self, source: Expression, cells: int) -> None:
        super().__init__(source, source.ground, Written("smooth", (source, cells)))
        self._cells = cells
        self._counts: Floats | None = None
        self._counts_stamp: tuple[int, ...] | None = None

    def _evaluate(self, out: Floats) -> None:
        if self._counts is None or self._counts_stamp != self.ground.stamp:
            height, width = self.ground.shape
            walls = (
                self.ground.walls.reshape(height, width)
                if len(self.ground.walls)
                else np.zeros((height, width), dtype=np.uint8)
            )
            counts = np.empty((height, width), dtype=np.float32)
            self._box(
                (walls == 0).astype(np.float32), np.ones((height, width), dtype=np.float32), counts
            )
            counts[walls != 0] = 0
            self._counts, self._counts_stamp = counts, self.ground.stamp
        self._box(self._source.values, self._counts, out)

    def _box(self, values: Floats, counts: Floats, out: Floats) -> None:
        wrap = grid_of(self.ground.spaces[0], "smooth()").wrap
        height = len(values)
        work = values.size * (4 * self._cells + 2)
        bands = pool.bands(height, min(1 + work // _WORK_PER_THREAD, height // (4 * self._cells)))
        values = np.ascontiguousarray(values).view()
        values.flags.writeable = (
            False  # one type of array for the kernel, whether it came from a layer or from here
        )
        pool.run(
            [
                (kernels.compose.box, (values, counts, self._cells, wrap, *band, out))
                for band in bands
            ]
        )


class Refined(Kept):
    """A map on coarser cells, read on finer ones; or on another kind of cells, each of which reads
    the one that its center lies in.
    """

    def __init__(self, source: Expression, space: Space) -> None:
        own = source.space
        checked_space(space, "A map is read on the cells of")
        try:
            self._read = (
                _by_rows(own, space)
                if {"grid"} <= {*own.forms} & {*space.forms}
                else _by_cells(own, space)
            )
        except OutsideMap as error:
            raise InvalidValue(
                "A map is read on a space that lies within its own",
                got=f"{error.got}, a cell of {space!r} that is off {own!r}",
                remedy="Use the space of a layer of the same influence map",
            ) from None
        super().__init__(source, Ground((space,)), Written("on", (source,)))

    def _evaluate(self, out: Floats) -> None:
        self._read(self._source.values, out)
        if len(self.ground.walls):
            out.reshape(-1)[self.ground.walls != 0] = 0


def _by_rows(own: Space, space: Space) -> Callable[[Floats, Floats], None]:
    """The pass that reads the cells of one grid on another, by its columns and rows."""
    coarse, fine = grid_of(own, "on()"), grid_of(space, "on()")
    if fine.cell_size > coarse.cell_size:
        raise InvalidValue(
            "A map is read on cells of its own size or finer ones",
            got=f"cells of {coarse.cell_size:g} to read on cells of {fine.cell_size:g}",
            remedy="Turn it round: coarse.on(fine.space)",
        )
    columns = np.asarray(coarse.cell_at(fine.position_of(np.arange(fine.width)))) % coarse.width
    rows = (
        np.asarray(coarse.cell_at(fine.position_of(np.arange(fine.height) * fine.width)))
        // coarse.width
    )

    def read(values: Floats, out: Floats) -> None:
        np.take(values[:, columns], rows, axis=0, out=out, mode="clip")

    return read


def _by_cells(own: Space, space: Space) -> Callable[[Floats, Floats], None]:
    """The pass that reads the cells of one space on another, by the centers of these."""
    cells = np.asarray(own.cell_at(space.positions[:, : own.dimensions])).reshape(space.shape)

    def read(values: Floats, out: Floats) -> None:
        np.take(values.reshape(-1), cells, out=out, mode="clip")

    return read


_LARGEST = float(operations.LARGEST)


class Mapped(Kept):
    """The answers of a function to the values of a map."""

    def __init__(
        self, source: Expression, answer: Callable[[Floats], ArrayLike], written: Written
    ) -> None:
        super().__init__(source, source.ground, written)
        self._answer = answer

    def fill(self, out: Floats, where: Segments) -> None:
        """Compute the cells of the segments `where` only, into the contiguous float32 array
        `out`.
        """
        self._source.fill(out, where)
        flat = out.reshape(-1)
        counts = where[:, 2]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        places, cells = (
            np.repeat(where[:, 1], counts) + within,
            np.repeat(where[:, 0], counts) + within,
        )
        flat[places] = self._answered(flat[places], cells)

    def _evaluate(self, out: Floats) -> None:
        flat = self._source.values.reshape(-1)
        out.reshape(-1)[:] = self._answered(flat, np.arange(len(flat)))

    def _answered(self, values: Floats, cells: NDArray[np.int64]) -> Floats:
        given = values.copy()
        with np.errstate(all="ignore"):
            answers = np.asarray(self._answer(given))
        if answers.shape != given.shape or answers.dtype.kind not in "iufb":
            raise InvalidValue(
                "A function used as a curve answers an array of values with as many numbers",
                got=f"{answers.dtype} of shape {answers.shape} for {given.shape}",
                remedy="Write it with NumPy's functions, which take whole arrays",
            )
        found = answers.astype(np.float32)
        if len(self.ground.walls):
            found[self.ground.walls[cells] != 0] = 0
        fits = np.abs(found) <= operations.LARGEST
        if not fits.all():
            wrong = int(np.argmin(fits))
            raise InvalidValue(
                "The answers of a curve are finite float32 numbers",
                got=f"{answers[wrong]} for {values[wrong]:g}",
                remedy="Clamp the values first, or the answers with np.clip",
            )
        return found


def powered(source: Expression, exponent: float) -> Mapped:
    """A map to any power: 0 where that is no number, as of negative values; the largest float32
    where it is beyond.
    """
    return Mapped(source, partial(_power, exponent=exponent), Written("power", (source, exponent)))


def exponential(base: float, source: Expression) -> Mapped:
    """A number to the power of a map."""
    above = checks.positive("The base of a power", base)
    return Mapped(source, partial(_exponential, base=above), Written("power", (base, source)))


def rooted(source: Expression) -> Mapped:
    """The square root of a map; 0 where it is negative."""
    return Mapped(source, _root, Written("sqrt", (source,)))


def _power(values: Floats, exponent: float) -> NDArray[Any]:
    found = np.power(values.astype(np.float64), exponent)
    found[~np.isfinite(found) & ~(np.isinf(found) & (values != 0))] = 0
    return np.clip(found, -_LARGEST, _LARGEST)


def _exponential(values: Floats, base: float) -> NDArray[Any]:
    return np.clip(np.power(base, values.astype(np.float64)), 0, _LARGEST)


def _root(values: Floats) -> NDArray[Any]:
    return np.sqrt(np.maximum(values, np.float32(0)))
