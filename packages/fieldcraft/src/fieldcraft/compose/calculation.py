"""Calculations: the programs of a plan over the cells of a map, on several threads where that
pays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.compose.plan import Plan, Program
from fieldcraft.kernels import operations, pool
from fieldcraft.kernels.arrays import aligned

__all__ = ["Calculation", "Lease"]

_WORK_PER_THREAD = 2_000_000  # cells times instructions that pay for waking a thread
_MOST_FREE = 4  # calculations that a plan keeps

Floats = NDArray[np.float32]
Walls = NDArray[np.uint8]


class Calculation:
    """A plan with scratch for some cells, so that computing them again costs little.

    `walls` is uint8 by cell, not 0 for a wall, or empty. `constants` are those of the plan with the
    ranges that were found last.
    """

    def __init__(self, plan: Plan, walls: Walls, cells: int) -> None:
        self.plan = plan
        self.constants = plan.constants.copy()
        self._walls, self._cells, self._threads = walls, cells, pool.threads()
        programs = [*(program for program, _ in plan.passes), plan.last]
        work = cells * max(len(program.instructions) for program in programs)
        most = min(1 + work // _WORK_PER_THREAD, cells // kernels.compose.BLOCK)
        bands = pool.bands(cells, most, 16)
        block = min(kernels.compose.BLOCK, max(16, -(-cells // 16) * 16))
        stride = block + 16
        moving, fixed = 1 + plan.sources, len(plan.constants) + plan.registers
        self._scratch = aligned(len(bands) * fixed * stride)
        bases = self._bases = np.zeros((len(bands), moving + fixed), dtype=np.int64)
        offsets = 4 * stride * np.arange(len(bands) * fixed).reshape(len(bands), fixed)
        bases[:, moving:] = self._scratch.__array_interface__["data"][0] + offsets
        self._calls: dict[Program, tuple[list[pool.Call], Floats]] = {}
        for program in programs:
            ranges = np.zeros((len(bands), program.ranges, 2), dtype=np.int32)
            calls: list[pool.Call] = []
            for base, band, found in zip(bases, bands, ranges, strict=True):
                inputs = program.instructions, base, self.constants, walls
                numbers = moving, program.ranges == 0, block, *band
                calls.append((kernels.compose.evaluate, (*inputs, *numbers, found)))
            self._calls[program] = calls, ranges.view(np.float32)

    def fits(self, walls: Walls, cells: int) -> bool:
        """Whether this computes these cells, on as many threads as there may be now."""
        return self._walls is walls and self._cells == cells and self._threads == pool.threads()

    def find_ranges(self, sources: Sequence[Floats]) -> None:
        """Find the ranges that the result depends on."""
        for program, ranged in self.plan.passes:
            found = self.run(program, sources).tolist()
            for row, kind, slot in ranged:
                low = min(band[slot][0] for band in found)
                high = max(band[slot][1] for band in found)
                self.constants[row] = _of_range(kind, low, high)

    def run(self, program: Program, sources: Sequence[Floats], out: Floats | None = None) -> Floats:
        """Run a program: write all cells into the contiguous array `out`, or return the ranges
        (bands, ranges, 2) of open cells, (inf, -inf) where there is none. `sources` are the values
        of maps and arrays, contiguous float32.
        """
        if out is not None:
            self._bases[:, 0] = out.__array_interface__["data"][0]
        for row, values in enumerate(sources, start=1):
            self._bases[:, row] = values.__array_interface__["data"][0]
        calls, ranges = self._calls[program]
        if len(calls) == 1:
            kernel, arguments = calls[0]
            kernel(*arguments)
        else:
            pool.run(calls)
        return ranges


class Lease:
    """A calculation that one expression uses, and that the plan keeps for the next one."""

    def __init__(self, plan: Plan, walls: Walls, cells: int) -> None:
        free = plan.free.pop() if plan.free else None
        if free is None or not free.fits(walls, cells):
            free = Calculation(plan, walls, cells)
        free.constants[:] = plan.constants
        self.calculation = free

    def __del__(self) -> None:
        free = self.calculation.plan.free
        if len(free) < _MOST_FREE:
            free.append(self.calculation)


def _of_range(kind: str, low: float, high: float) -> float:
    """Return one of `RANGED` from the smallest and largest value; 0 where no cell is open."""
    if low > high:
        return 0.0
    if kind == "low":
        return low + 0.0  # of 0 and -0 either may have come
    if kind == "high":
        return high + 0.0
    if kind == "peak":
        return max(abs(low), abs(high))
    return min(high - low, float(operations.LARGEST))
