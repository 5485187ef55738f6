"""Calculations: plans of expressions with the memory to run them, which the next ones reuse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import address, aligned
from fieldcraft.kernels.values import map_operations
from fieldcraft.values.expression_plan import Plan, Program

_WORK_PER_THREAD = 2_000_000  # cells times instructions that pay for waking a thread
_MOST_FREE = 4  # calculations that a plan keeps
_MOST_KEPT = 65_536  # cells of a sample that a plan keeps
_LEAST_SAMPLE = 128  # cells that a sample has memory for

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
        self._walls = walls
        self._cells = cells
        self._threads = pool.threads()
        programs = [*(program for program, _ in plan.passes), plan.last]
        work = cells * max(len(program.instructions) for program in programs)
        most = min(1 + work // _WORK_PER_THREAD, cells // kernels.values.compose.BLOCK)
        bands = pool.bands(cells, most, 16)
        block = _block(cells)
        stride = block + 16
        moving = 1 + plan.sources
        fixed = len(plan.constants) + plan.registers
        self._scratch = aligned(len(bands) * fixed * stride)
        bases = self._bases = np.zeros((len(bands), moving + fixed), dtype=np.int64)
        offsets = 4 * stride * np.arange(len(bands) * fixed).reshape(len(bands), fixed)
        bases[:, moving:] = address(self._scratch) + offsets
        self._calls: dict[Program, tuple[list[pool.Call], Floats]] = {}
        for program in programs:
            ranges = np.zeros((len(bands), program.ranges, 2), dtype=np.int32)
            calls: list[pool.Call] = []
            for base, band, found in zip(bases, bands, ranges, strict=True):
                inputs = program.instructions, base, self.constants, walls
                numbers = moving, program.ranges == 0, block, *band
                calls.append((kernels.values.compose.evaluate, (*inputs, *numbers, found)))
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
            self._bases[:, 0] = address(out)
        for row, values in enumerate(sources, start=1):
            self._bases[:, row] = address(values)
        calls, ranges = self._calls[program]
        if len(calls) == 1:
            kernel, arguments = calls[0]
            kernel(*arguments)
        else:
            pool.run(calls)
        return ranges


def _block(cells: int) -> int:
    """Return how many cells are computed at once."""
    return min(kernels.values.compose.BLOCK, max(16, -(-cells // 16) * 16))


class Lease:
    """A calculation that one expression uses, and that the plan keeps for the next one."""

    def __init__(self, plan: Plan, walls: Walls, cells: int) -> None:
        calculation = None
        if plan.free:
            calculation = plan.free.pop()
        if calculation is None or not calculation.fits(walls, cells):
            calculation = Calculation(plan, walls, cells)
        calculation.constants[:] = plan.constants
        self.calculation = calculation

    def __del__(self) -> None:
        free = self.calculation.plan.free
        if len(free) < _MOST_FREE:
            free.append(self.calculation)


class Sample:
    """A plan with memory for about `cells` cells of a map, wherever they are, and at least for
    these.
    """

    def __init__(self, plan: Plan, cells: int, has_walls: bool) -> None:
        # A few sizes, so that memory fits the next cells too, and few places are computed in vain.
        step = max(1 << max(cells, 1).bit_length() >> 4, 1)
        size = max(_LEAST_SAMPLE, -(-cells // step) * step)
        self.size = size
        self._walls = np.zeros(size if has_walls else 0, dtype=np.uint8)
        self._calculation = Calculation(plan, self._walls, size)
        self._values = [np.zeros(size, dtype=np.float32) for _ in range(plan.sources)]
        self._result = np.zeros(size, dtype=np.float32)
        self._threads = pool.threads()

    def fits(self, cells: int, has_walls: bool) -> bool:
        """Whether it has memory for so many cells, and not for far more."""
        is_size = cells <= self.size <= max(_LEAST_SAMPLE, 4 * cells)
        has_same_walls = has_walls == (len(self._walls) > 0)
        return is_size and has_same_walls and self._threads == pool.threads()

    def values(
        self,
        sources: Sequence[Floats],
        walls: Walls,
        constants: NDArray[np.float32],
        cells: NDArray[np.int64] | int,
    ) -> Floats:
        """Return the values of at most `size` cells, (N,); see `values_of_some`.

        All `size` places are computed; what the cells before left behind is finite.
        """
        if isinstance(cells, int):
            count = cells
            for source, values in zip(sources, self._values, strict=True):
                values[:count] = source
            if len(walls):
                self._walls[:count] = walls
        else:
            count = len(cells)
            for source, values in zip(sources, self._values, strict=True):
                source.reshape(-1).take(cells, out=values[:count])
            if len(walls):
                walls.take(cells, out=self._walls[:count])
        calculation = self._calculation
        calculation.constants[:] = constants
        calculation.run(calculation.plan.last, self._values, self._result)
        return self._result[:count].copy()


def values_of_some(
    plan: Plan,
    sources: Sequence[Floats],
    walls: Walls,
    constants: NDArray[np.float32],
    cells: NDArray[np.int64] | int,
) -> Floats:
    """Return the values of some cells, (N,), by a sample that the plan keeps for the next ones.

    `sources` and `walls` are those of the map, and `cells` the ids of cells; or `sources` and
    `walls` are those of the cells only, (N,), and `cells` is their number.
    """
    has_walls = len(walls) > 0
    count = cells if isinstance(cells, int) else len(cells)
    try:
        sample = plan.free_samples.pop()
    except IndexError:
        sample = None
    if sample is None or not sample.fits(count, has_walls):
        sample = Sample(plan, count, has_walls)
    found = sample.values(sources, walls, constants, cells)
    if sample.size <= _MOST_KEPT and len(plan.free_samples) < _MOST_FREE:
        plan.free_samples.append(sample)
    return found


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
    return min(high - low, float(map_operations.LARGEST))
