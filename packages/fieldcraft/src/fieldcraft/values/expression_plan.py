"""Plans: the programs of the kernel that compute an expression, and the memory to run them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import address, aligned
from fieldcraft.kernels.values import map_operations
from fieldcraft.values.tree import BEYOND, CODES, RANGED, Node

_MAP_BOUND = 1e3 * checks.LARGEST  # layers hold values up to LARGEST; the rest is reserve
_BOUND = 0.999 * float(map_operations.LARGEST)  # below it nothing overflows, rounding included

Part = tuple[str, tuple[int, ...], Any, float | None]
"""A node of a tree, with the numbers of its inputs in place of them: its kind, inputs, payload and
bound. The payload of a map or an array is its number among the sources, that of a number its bytes.
"""


@dataclass(frozen=True, eq=False)
class Program:
    """Instructions of the kernel, and the number of ranges that they find: none if they write a
    result.
    """

    instructions: NDArray[np.int64]
    ranges: int


@dataclass(frozen=True)
class _Step:
    """One distinct node: `inputs` are numbers of earlier steps, `level` is how many passes come
    first, and `bound` a magnitude that its values do not exceed.
    """

    kind: str
    inputs: tuple[int, ...]
    payload: Any
    bound: float
    level: int


class Plan:
    """How expressions of one structure are computed: one program per pass over the map.

    `passes` look for the ranges that `normalize` and `invert` need: each is a program, and for
    each of its ranges the rows of constants that follow from it, (row, kind, range). `last`
    computes the result. Equal parts of the tree are computed once per pass.

    A program addresses rows of a table: the result, then `sources` maps and arrays, then
    `constants`, then `registers`.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.free: list[Calculation] = []
        """Calculations of expressions that are gone, for the next ones of this structure."""
        self.free_samples: list[Sample] = []
        """Samples that no thread uses."""
        self._steps: list[_Step] = []
        self._numbers: dict[object, int] = {}
        numbers: list[int] = []
        for kind, inputs, payload, bound in parts:
            numbers.append(self._number(kind, tuple(numbers[i] for i in inputs), payload, bound))
        target = numbers[-1]
        steps = self._steps
        sources = [index for index, step in enumerate(steps) if step.kind in ("map", "array")]
        sources.sort(key=lambda index: steps[index].payload)
        fixed = [i for i, step in enumerate(steps) if step.kind == "number" or step.kind in RANGED]
        self._rows = {index: row for row, index in enumerate(sources + fixed, start=1)}
        self.sources = len(sources)
        self.registers = 0
        self.constants = np.zeros(len(fixed), dtype=np.float32)
        for row, index in enumerate(fixed):
            if steps[index].kind == "number":
                self.constants[row] = np.frombuffer(steps[index].payload, dtype=np.float32)[0]
        self.passes: list[tuple[Program, list[tuple[int, str, int]]]] = []
        for level in range(1, steps[target].level + 1):
            ranged = [
                (row, steps[index].kind, steps[index].inputs[0])
                for row, index in enumerate(fixed)
                if steps[index].kind in RANGED and steps[index].level == level
            ]
            targets = list(dict.fromkeys(source for _, _, source in ranged))
            found = [(row, kind, targets.index(source)) for row, kind, source in ranged]
            self.passes.append((self._program(targets, result=None), found))
        self.last = self._program([target], result=target)

    def _number(self, kind: str, inputs: tuple[int, ...], payload: Any, bound: float | None) -> int:
        """Return the number of the step for a node, a new one unless there is an equal one."""
        key = (kind, inputs, payload)
        if key not in self._numbers:
            level = max((self._steps[i].level for i in inputs), default=0) + (kind in RANGED)
            if bound is None:
                most = self._bound(kind, inputs, payload)
            else:
                most = bound
            self._steps.append(_Step(*self._fused(kind, inputs), payload, most, level))
            number = len(self._steps) - 1
            if kind in BEYOND and not most < _BOUND:
                self._numbers[key] = self._limited(number)
            else:
                self._numbers[key] = number
        return self._numbers[key]

    def _fused(self, kind: str, inputs: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """Return a sum or difference with a product in it as one operation, so that both maps come
        from memory side by side.
        """
        if kind in ("add", "subtract"):
            first, second = inputs
            if self._steps[second].kind == "multiply":
                if kind == "add":
                    fused = "multiply_add"
                else:
                    fused = "subtract_multiply"
                return fused, (*self._steps[second].inputs, first)
            if self._steps[first].kind == "multiply":
                return f"multiply_{kind}", (*self._steps[first].inputs, second)
        return kind, inputs

    def _limited(self, index: int) -> int:
        """Return a step that limits the values of another one to float32."""
        limits = tuple(
            self._number("number", (), np.float32(sign * map_operations.LARGEST).tobytes(), None)
            for sign in (-1, 1)
        )
        largest = float(map_operations.LARGEST)
        level = self._steps[index].level
        self._steps.append(_Step("clamp", (index, *limits), None, largest, level))
        return len(self._steps) - 1

    def _bound(self, kind: str, inputs: tuple[int, ...], payload: Any) -> float:
        bounds = [self._steps[index].bound for index in inputs]
        if kind == "number":
            return abs(float(np.frombuffer(payload, dtype=np.float32)[0]))
        if kind == "array":
            return checks.LARGEST
        if kind == "map":
            return _MAP_BOUND
        if kind in ("add", "subtract"):
            return bounds[0] + bounds[1]
        if kind == "multiply":
            return bounds[0] * bounds[1]
        if kind == "divide":
            divisor = self._steps[inputs[1]]
            if divisor.kind == "number" and divisor.bound > 0:
                return bounds[0] / divisor.bound
            return float("inf")
        if kind in ("clamp", "where"):
            return max(bounds[1], bounds[2])
        if kind in ("less", "less_equal", "equal", "unequal"):
            return 1.0
        if kind == "exp":
            return 1e27
        if kind == "span":
            return min(2 * bounds[0], float(map_operations.LARGEST))
        return max(bounds)

    def _program(self, targets: list[int], *, result: int | None) -> Program:
        """Return instructions that compute the targets: the result, or values whose ranges are
        found.
        """
        needed: set[int] = set()
        waiting = list(targets)
        while waiting:
            index = waiting.pop()
            if index not in needed and index not in self._rows:
                needed.add(index)
                waiting += self._steps[index].inputs
        order = sorted(needed)
        last_use = {each: index for index in order for each in self._steps[index].inputs}
        program: list[tuple[int, int, int, int, int]] = []
        row = dict(self._rows)
        free: list[int] = []
        used = 0
        for index in order:
            step = self._steps[index]
            if index == result:
                row[index] = 0
            elif free:
                row[index] = free.pop()
            else:
                row[index] = 1 + len(self._rows) + used
                used += 1
            # The kernel takes three operands, and reads as many as the operation has.
            a, b, c = ([row[each] for each in step.inputs] * 3)[:3]
            program.append((CODES[step.kind], row[index], a, b, c))
            # Rows are freed only now: a loop with its result over an operand is not vectorized.
            free += [
                row[each]
                for each in dict.fromkeys(step.inputs)
                if each in needed and last_use[each] == index and each not in targets
            ]
        self.registers = max(self.registers, used)
        if result is None:
            program += [
                (map_operations.RANGE, k, row[each], 0, 0) for k, each in enumerate(targets)
            ]
        elif row[result] != 0:
            program.append((map_operations.COPY, 0, row[result], row[result], row[result]))
        ranges = 0
        if result is None:
            ranges = len(targets)
        return Program(np.array(program, dtype=np.int64), ranges)


_plan_of = functools.lru_cache(maxsize=256)(Plan)


def plan_of(root: Node) -> tuple[Plan, list[Any], tuple[Any, ...]]:
    """Return the plan of a tree, the maps and arrays that it reads, and the maps alone. Trees of
    one structure share their plan.
    """
    numbers: dict[int, int] = {}
    parts: list[Part] = []
    places: dict[int, int] = {}
    sources: list[Any] = []
    maps: list[Any] = []
    waiting = [root]
    while waiting:
        node = waiting[-1]
        missing = [each for each in node.inputs if id(each) not in numbers]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        if id(node) in numbers:
            continue
        payload = node.payload
        if node.kind == "number":
            payload = payload.tobytes()
        elif not node.inputs:
            if id(payload) not in places:
                places[id(payload)] = len(sources)
                sources.append(payload)
                if node.kind == "map":
                    maps.append(payload)
            payload = places[id(payload)]
        numbers[id(node)] = len(parts)
        inputs = tuple(map(numbers.__getitem__, map(id, node.inputs)))
        parts.append((node.kind, inputs, payload, node.bound))
    return _plan_of(tuple(parts)), sources, tuple(maps)


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
