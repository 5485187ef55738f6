"""Expressions that look beyond their own cell, and therefore keep their values instead of being computed along."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.compose.engine import Segments
from fieldcraft.compose.expression import Expression
from fieldcraft.compose.ground import Ground
from fieldcraft.compose.writing import Written
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.kernels import pool
from fieldcraft.kernels.reference import compose as reference
from fieldcraft.space import Grid, grid_of

__all__ = ["Refined", "Smoothed"]

Floats = NDArray[np.float32]

_WORK_PER_THREAD = 400_000  # cells times cells added up that pay for waking a thread


class Kept(Expression):
    """An expression that others read instead of computing it along."""

    def __init__(self, source: Expression, ground: Ground, written: Written) -> None:
        super().__init__(None, ground, written)
        self._maps = (source,)
        self._source = source

    def fill(self, out: Floats, where: Segments) -> None:
        """Compute the cells of the segments `where` only, into the contiguous float32 array `out`."""
        _ = self.values
        super().fill(out, where)


class Smoothed(Kept):
    """The mean over the open cells around each cell."""

    def __init__(self, source: Expression, cells: int) -> None:
        super().__init__(source, source.ground, Written("smooth", (source, cells)))
        self._cells = cells
        self._counts: Floats | None = None
        self._counts_stamp: list[int] | None = None

    def _evaluate(self, out: Floats) -> None:
        if self._counts is None or self._counts_stamp != self.ground.stamp:
            height, width = self.ground.shape
            walls = self.ground.walls.reshape(height, width) if len(self.ground.walls) else np.zeros((height, width), dtype=np.uint8)
            counts = np.empty((height, width), dtype=np.float32)
            self._box((walls == 0).astype(np.float32), np.ones((height, width), dtype=np.float32), counts)
            counts[walls != 0] = 0
            self._counts, self._counts_stamp = counts, self.ground.stamp
        self._box(self._source.values, self._counts, out)

    def _box(self, values: Floats, counts: Floats, out: Floats) -> None:
        wrap = grid_of(self.ground.spaces[0], "smooth()").wrap
        if not kernels.compiled():
            out[:] = reference.box(values, counts, self._cells, wrap)
            return
        height = len(values)
        work = values.size * (4 * self._cells + 2)
        bands = max(1, min(pool.threads(), 1 + work // _WORK_PER_THREAD, height // (4 * self._cells)))
        values = np.ascontiguousarray(values).view()
        values.flags.writeable = False  # one type of array for the kernel, whether it came from a layer or from here
        edges = [height * band // bands for band in range(bands + 1)]
        pool.run([(kernels.compose.box, (values, counts, self._cells, wrap, edges[i], edges[i + 1], out)) for i in range(bands)])


class Refined(Kept):
    """A map on coarser cells, read on finer ones."""

    def __init__(self, source: Expression, space: Grid) -> None:
        coarse = grid_of(source.space, "on()")
        if not isinstance(space, Grid):
            raise InvalidValue(
                "A map is read on the cells of a space", got=type(space).__name__, remedy="Pass the space of the other layer"
            )
        if space.cell_size > coarse.cell_size:
            raise InvalidValue(
                "A map is read on cells of its own size or finer ones",
                got=f"cells of {coarse.cell_size:g} to read on cells of {space.cell_size:g}",
                remedy="Turn it round: coarse.on(fine.space)",
            )
        try:
            columns = np.asarray(coarse.cell_at(space.position_of(np.arange(space.width))))
            rows = np.asarray(coarse.cell_at(space.position_of(np.arange(space.height) * space.width)))
        except OutsideMap as error:
            raise InvalidValue(
                "A map is read on a space that lies within its own",
                got=f"{error.got}, a cell of {space!r} that is off {coarse!r}",
                remedy="Use the space of a layer of the same influence map",
            ) from None
        super().__init__(source, Ground((space,)), Written("on", (source,)))
        self._columns = columns % coarse.width
        self._rows = rows // coarse.width

    def _evaluate(self, out: Floats) -> None:
        np.take(self._source.values[:, self._columns], self._rows, axis=0, out=out, mode="clip")
        if len(self.ground.walls):
            out.reshape(-1)[self.ground.walls != 0] = 0
