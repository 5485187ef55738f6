"""From a tree to programs of the kernel."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.compose import engine
from fieldcraft.compose.engine import Engine, Layout, Program, Segments
from fieldcraft.compose.tree import BEYOND, CODES, RANGED, Node
from fieldcraft.kernels import operations

__all__ = ["Calculation", "Plan", "calculation_of"]

Floats = NDArray[np.float32]

_MAP_BOUND = 1e3 * checks.LARGEST  # layers hold values up to LARGEST; the rest is room
_BOUND = 0.999 * float(
    operations.LARGEST
)  # what keeps below it, rounding included, is not held back


_MOST_FREE = 4  # engines that a plan keeps for the next expression of its structure

Part = tuple[str, tuple[int, ...], Any, float | None]
"""A node of a tree, with the numbers of its inputs in place of them: its kind, inputs, payload and
bound. The payload of a map or an array is its number among the sources, that of a number its bytes.
"""


@dataclass(frozen=True)
class _Step:
    """A node among its distinct likes: `inputs` are numbers of earlier steps, `level` how many
    passes must come first.

    `bound` is a magnitude that its values don't pass.
    """

    kind: str
    inputs: tuple[int, ...]
    payload: Any
    bound: float
    level: int


class Plan:
    """How expressions of one structure are computed: one program per pass over the map.

    All but the last pass look for the ranges that `normalize` and `invert` need. Equal parts of the
    tree are computed once per pass, and where the last pass goes on from what the one before looked
    at, that is kept in the result meanwhile.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.free: list[Engine] = []  # of expressions that are gone
        self._steps: list[_Step] = []
        self._known: dict[object, int] = {}
        numbers: list[int] = []
        for kind, inputs, payload, bound in parts:
            numbers.append(self._number(kind, tuple(numbers[i] for i in inputs), payload, bound))
        target, steps = numbers[-1], self._steps
        sources = [index for index, step in enumerate(steps) if step.kind in ("map", "array")]
        sources.sort(key=lambda index: steps[index].payload)
        constants = [
            index
            for index, step in enumerate(steps)
            if step.kind == "number" or step.kind in RANGED
        ]
        self._row = {index: row for row, index in enumerate(sources + constants, start=1)}
        self._first_register = 1 + len(self._row)
        self._registers = 0
        self.ranged = [
            (row, steps[index])
            for row, index in enumerate(constants)
            if steps[index].kind in RANGED
        ]
        self.passes: list[tuple[Program, list[int]]] = []
        for level in range(1, steps[target].level + 1):
            looked_at = list(
                dict.fromkeys(step.inputs[0] for _, step in self.ranged if step.level == level)
            )
            self.passes.append((self._program(looked_at, result=None), looked_at))
        self.last = self._program([target], result=target)
        self.keeping = self._kept(target)
        self.layout = Layout(len(sources), len(constants), self._registers)
        self.programs = [*(program for program, _ in self.passes), self.last, *self.keeping]
        self.constants = np.zeros(len(constants), dtype=np.float32)
        for row, index in enumerate(constants):
            if steps[index].kind == "number":
                self.constants[row] = np.frombuffer(steps[index].payload, dtype=np.float32)[0]

    def _kept(self, target: int) -> tuple[Program, ...]:
        """The last look for ranges and the last pass, so that the first keeps what saves the second
        most; nothing where nothing is saved.
        """
        best: tuple[Program, ...] = ()
        for index in self.passes[-1][1] if self.passes else ():
            if index not in self._row:
                last = self._program([target], result=target, kept=index)
                if len(last.instructions) < len((best[1] if best else self.last).instructions):
                    best = self._program(self.passes[-1][1], result=None, kept=index), last
        return best

    def _number(self, kind: str, inputs: tuple[int, ...], payload: Any, bound: float | None) -> int:
        key = (kind, inputs, payload)
        if key not in self._known:
            level = max((self._steps[i].level for i in inputs), default=0) + (kind in RANGED)
            most = self._bound(kind, inputs, payload) if bound is None else bound
            self._steps.append(_Step(*self._fused(kind, inputs), payload, most, level))
            number = len(self._steps) - 1
            beyond = kind in BEYOND and not most < _BOUND
            self._known[key] = self._hold(number) if beyond else number
        return self._known[key]

    def _fused(self, kind: str, inputs: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """A sum or difference with a product in it as one operation, so that both maps come from
        memory side by side.
        """
        if kind in ("add", "subtract"):
            first, second = inputs
            if self._steps[second].kind == "multiply":
                return ("multiply_add" if kind == "add" else "subtract_multiply"), (
                    *self._steps[second].inputs,
                    first,
                )
            if self._steps[first].kind == "multiply":
                return f"multiply_{kind}", (*self._steps[first].inputs, second)
        return kind, inputs

    def _hold(self, index: int) -> int:
        """A step that keeps what another may lead beyond float32 within it."""
        limits = tuple(
            self._number("number", (), np.float32(sign * operations.LARGEST).tobytes(), None)
            for sign in (-1, 1)
        )
        self._steps.append(
            _Step(
                "clamp", (index, *limits), None, float(operations.LARGEST), self._steps[index].level
            )
        )
        return len(self._steps) - 1

    def _bound(self, kind: str, inputs: tuple[int, ...], payload: Any) -> float:
        bounds = [self._steps[index].bound for index in inputs]
        if kind == "number":
            return abs(float(np.frombuffer(payload, dtype=np.float32)[0]))
        if kind in ("array", "map"):
            return checks.LARGEST if kind == "array" else _MAP_BOUND
        if kind in ("add", "subtract"):
            return bounds[0] + bounds[1]
        if kind == "multiply":
            return bounds[0] * bounds[1]
        if kind == "divide":
            divisor = self._steps[inputs[1]]
            return (
                bounds[0] / divisor.bound
                if divisor.kind == "number" and divisor.bound > 0
                else float("inf")
            )
        if kind in ("clamp", "where"):
            return max(bounds[1], bounds[2])
        if kind in ("less", "less_equal", "equal", "unequal"):
            return 1.0
        if kind == "exp":
            return 1e27
        return min(2 * bounds[0], float(operations.LARGEST)) if kind == "span" else max(bounds)

    def _program(
        self, targets: list[int], *, result: int | None, kept: int | None = None
    ) -> Program:
        """Instructions that compute the targets, and look for their ranges unless one is the
        result.

        What is `kept` is left in the place of the result, or found there.
        """
        known = self._row if kept is None or result is None else {**self._row, kept: 0}
        needed: set[int] = set()
        waiting = list(targets)
        while waiting:
            index = waiting.pop()
            if index not in needed and index not in known:
                needed.add(index)
                waiting += self._steps[index].inputs
        order = sorted(needed)
        last_use = {each: index for index in order for each in self._steps[index].inputs}
        program: list[tuple[int, int, int, int, int]] = []
        row = dict(known)
        free: list[int] = []
        used = 0
        for index in order:
            step = self._steps[index]
            if index == (kept if result is None else result) and kept not in step.inputs:
                row[index] = 0
            elif free:
                row[index] = free.pop()
            else:
                row[index] = self._first_register + used
                used += 1
            a, b, c = ([row[each] for each in step.inputs] * 3)[:3]
            program.append((CODES[step.kind], row[index], a, b, c))
            # Freed only now: a loop whose result lies over an operand does not become a vector
            # loop.
            free += [
                row[each]
                for each in dict.fromkeys(step.inputs)
                if each in needed and last_use[each] == index and each not in targets
            ]
        self._registers = max(self._registers, used)
        if result is None:
            program += [
                (operations.RANGE, slot, row[index], 0, 0) for slot, index in enumerate(targets)
            ]
        elif row[result] != 0:
            program.append((operations.COPY, 0, row[result], row[result], row[result]))
        writes = result is not None or kept is not None
        return Program(
            np.array(program, dtype=np.int64), len(targets) if result is None else 0, writes
        )


_plan_of = functools.lru_cache(maxsize=256)(Plan)


def calculation_of(root: Node) -> tuple[Calculation, list[Any], tuple[Any, ...]]:
    """Return what computes a tree, the maps and arrays that it reads, and the maps alone. Trees of
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
        size = len(waiting)
        for each in node.inputs:
            if id(each) not in numbers:
                waiting += (each,)
        if len(waiting) > size:
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
                maps += (payload,) if node.kind == "map" else ()
            payload = places[id(payload)]
        numbers[id(node)] = len(parts)
        inputs = tuple(map(numbers.__getitem__, map(id, node.inputs)))
        parts.append((node.kind, inputs, payload, node.bound))
    plan = _plan_of(tuple(parts))
    return Calculation(plan, plan.constants.copy()), sources, tuple(maps)


@dataclass(eq=False)
class Calculation:
    """The plan of one expression, with the ranges that were found last."""

    plan: Plan
    constants: Floats
    _engine: Engine | None = None

    def evaluate(self, out: Floats, sources: Sequence[Floats], walls: NDArray[np.uint8]) -> None:
        """Compute all cells into the contiguous array `out`.

        `sources` are the values of maps and arrays, contiguous; `walls` is uint8 by cell, or empty.
        """
        tied, plan = self._tied(walls, engine.whole(out.size)), self.plan
        tied.tie(sources, out)
        if plan.passes:
            self._look(tied, plan.keeping[0] if plan.keeping else plan.passes[-1][0])
        tied.run(plan.keeping[1] if plan.keeping else plan.last)

    def fill(
        self, out: Floats, sources: Sequence[Floats], walls: NDArray[np.uint8], where: Segments
    ) -> None:
        """Compute the cells of the segments `where` into the contiguous array `out`, by the ranges
        found last.
        """
        tied = self._tied(walls, where)
        tied.tie(sources, out)
        tied.run(self.plan.last)

    def find_ranges(self, sources: Sequence[Floats], walls: NDArray[np.uint8], cells: int) -> None:
        """Pass over all `cells` for the ranges."""
        tied = self._tied(walls, engine.whole(cells))
        tied.tie(sources, None)
        self._look(tied, self.plan.passes[-1][0])

    def _look(self, tied: Engine, last_look: Program) -> None:
        programs = [*(program for program, _ in self.plan.passes[:-1]), last_look]
        for level, program in enumerate(programs, start=1):
            found, looked_at = tied.run(program), self.plan.passes[level - 1][1]
            for row, step in self.plan.ranged:
                if step.level == level:
                    low, high = found[looked_at.index(step.inputs[0])]
                    self.constants[row] = _of_range(step.kind, low, high)

    def _tied(self, walls: NDArray[np.uint8], where: Segments) -> Engine:
        if self._engine is not None and self._engine.fits(walls, where):
            return self._engine
        if len(where) > 1:
            return self._new(walls, where)
        try:
            tied = self.plan.free.pop()
        except IndexError:
            tied = self._new(walls, where)
        if not tied.fits(walls, where):
            tied = self._new(walls, where)
        tied.constants[:] = self.constants
        self._engine, self.constants = tied, tied.constants
        return tied

    def _new(self, walls: NDArray[np.uint8], where: Segments) -> Engine:
        return Engine(self.plan.programs, self.plan.layout, self.constants, walls, where)

    def __del__(self) -> None:
        if self._engine is not None and len(self.plan.free) < _MOST_FREE:
            self._engine.tie((), None)
            self.plan.free.append(self._engine)


def _of_range(kind: str, low: float, high: float) -> float:
    """One of `RANGED` from the smallest and largest value; 0 where no cell is open."""
    if low > high:
        return 0.0
    if kind == "low":
        return low + 0.0  # of 0 and -0 either may have come
    if kind == "high":
        return high + 0.0
    if kind == "peak":
        return max(abs(low), abs(high))
    return min(high - low, float(operations.LARGEST))
