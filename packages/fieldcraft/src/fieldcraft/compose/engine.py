"""Runs programs of the kernel over cells, on several threads where that pays."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import aligned

__all__ = ["Engine", "Layout", "Program", "segments", "whole"]

Floats = NDArray[np.float32]
Segments = NDArray[np.int64]

_instructions = attrgetter("instructions")
# A scheduler's constants: none of them changes a value.
_WORK_PER_THREAD = 2_000_000  # cells times instructions that pay for waking a thread


@dataclass(frozen=True, eq=False)
class Program:
    """Instructions of the kernel, how many ranges they look for, and whether they write a
    result.
    """

    instructions: NDArray[np.int64]
    ranges: int
    writes: bool


@dataclass(frozen=True)
class Layout:
    """Which rows a program's table has after row 0, the result: so many maps and arrays, constants,
    registers.
    """

    sources: int
    constants: int
    registers: int


@functools.lru_cache(maxsize=64)
def whole(cells: int) -> Segments:
    """All cells of a map: the same array for the same number."""
    return segments(np.zeros(1, np.int64), np.zeros(1, np.int64), np.full(1, cells, np.int64))


def segments(
    starts: NDArray[np.int64], places: NDArray[np.int64], counts: NDArray[np.int64]
) -> Segments:
    """Runs of cells, shape (S, 3): `counts` cells from `starts` on, whose results go to `places`
    on.
    """
    return np.ascontiguousarray(np.stack([starts, places, counts], axis=1), dtype=np.int64)


class Engine:
    """Programs tied to the cells that they compute, so that running them again costs little.

    `constants` may be changed between two runs. `walls` is uint8 by cell, not 0 for a wall, or
    empty.
    """

    def __init__(
        self,
        programs: Sequence[Program],
        layout: Layout,
        constants: Floats,
        walls: NDArray[np.uint8],
        where: Segments,
    ) -> None:
        self._layout = layout
        self.constants = constants
        self._walls = walls
        self._where = where
        self._threads = pool.threads()
        self._sources: Sequence[Floats] = ()
        self._out: Floats | None = None
        cells = int(where[:, 2].sum())
        work = cells * max(map(len, map(_instructions, programs)))
        most = min(1 + work // _WORK_PER_THREAD, cells // kernels.compose.BLOCK)
        parts = _split(where, pool.shares(most)) if most > 1 else [where]
        longest = int(where[:, 2].max(initial=0))
        block = min(kernels.compose.BLOCK, max(16, -(-longest // 16) * 16))
        stride = block + 16
        first_fixed, fixed = 1 + layout.sources, layout.constants + layout.registers
        self._scratch = aligned(len(parts) * fixed * stride)
        bases = self._bases = np.zeros((len(parts), first_fixed + fixed), dtype=np.int64)
        offsets = 4 * stride * np.arange(len(parts) * fixed).reshape(len(parts), fixed)
        bases[:, first_fixed:] = self._scratch.__array_interface__["data"][0] + offsets
        self._prepared: dict[Program, tuple[list[pool.Call], Floats]] = {}
        for program in programs:
            moves = np.full(first_fixed + fixed, kernels.compose.FIXED, dtype=np.int64)
            moves[0] = kernels.compose.RESULT if program.writes else kernels.compose.FIXED
            moves[1:first_fixed] = kernels.compose.MAP
            ranges = np.zeros((len(parts), program.ranges, 2), dtype=np.int32)
            calls: list[pool.Call] = []
            for base, part, found in zip(bases, parts, ranges, strict=True):
                inputs = program.instructions, base, moves, constants, walls, part, block, found
                calls.append((kernels.compose.evaluate, inputs))
            self._prepared[program] = calls, ranges.view(np.float32)

    def fits(self, walls: NDArray[np.uint8], where: Segments) -> bool:
        """Whether this is tied to these cells, and to as many threads as there may be now."""
        return self._walls is walls and self._where is where and self._threads == pool.threads()

    def tie(self, sources: Sequence[Floats], out: Floats | None) -> None:
        """Take the arrays that the next runs read and write, contiguous float32.

        `sources` have one value per cell of the map; without `out` only programs that don't write
        can be run.
        """
        self._sources, self._out = sources, out
        bases = self._bases
        for row, values in enumerate(sources, start=1):
            bases[:, row] = values.__array_interface__["data"][0]
        if out is not None:
            bases[:, 0] = out.__array_interface__["data"][0]

    def run(self, program: Program) -> list[tuple[float, float]]:
        """Run a program; gives the (smallest, largest) value of each range on open ground, (inf,
        -inf) where no cell is open.
        """
        calls, ranges = self._prepared[program]
        if len(calls) == 1:
            kernel, arguments = calls[0]
            kernel(*arguments)
        else:
            pool.run(calls)
        if not program.ranges:
            return []
        bands = ranges.tolist()
        return [
            (min(band[slot][0] for band in bands), max(band[slot][1] for band in bands))
            for slot in range(program.ranges)
        ]


def _split(where: Segments, parts: int) -> list[Segments]:
    """The same cells in about even parts."""
    if parts == 1:
        return [where]
    if len(where) == 1:
        start, place, count = where[0].tolist()
        edges = [count * part // parts // 16 * 16 for part in range(parts)] + [count]
        return [
            np.array([[start + first, place + first, last - first]], dtype=np.int64)
            for first, last in pairwise(edges)
        ]
    edges = [len(where) * part // parts for part in range(parts + 1)]
    return [where[first:last] for first, last in pairwise(edges)]
