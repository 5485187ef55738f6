"""Plans: the programs of the kernel that compute an expression."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.kernels.values import map_operations
from fieldcraft.values.tree import BEYOND, CODES, RANGED, Node

if TYPE_CHECKING:
    from fieldcraft.values.calculation import Calculation, Sample

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
