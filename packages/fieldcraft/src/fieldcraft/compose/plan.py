"""From a tree to programs of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.compose import engine
from fieldcraft.compose.engine import Engine, Layout, Program, Segments
from fieldcraft.compose.tree import BEYOND, CODES, RANGED, Node, number
from fieldcraft.kernels import numpy_compose as operations

__all__ = ["Plan"]

Floats = NDArray[np.float32]

_MAP_BOUND = 1e3 * checks.LARGEST  # layers hold values up to LARGEST; the rest is room
_BOUND = 0.999 * float(
    operations.LARGEST
)  # what keeps below it, rounding included, is not held back


@dataclass(frozen=True)
class _Step:
    """A node among its distinct likes: `inputs` are numbers of earlier steps, `level` how many
    passes must come first.

    `bound` is a magnitude that its values don't pass.
    """

    kind: str
    inputs: tuple[int, ...]
    payload: object
    bound: float
    level: int


class Plan:
    """How an expression is computed: one program per pass over the map.

    All but the last pass look for the ranges that `normalize` and `invert` need. Equal parts of the
    tree are computed once per pass, and where the last pass goes on from what the one before looked
    at, that is kept in the result meanwhile.
    """

    def __init__(self, root: Node) -> None:
        self._steps: list[_Step] = []
        self._known: dict[object, int] = {}
        self._engine: Engine | None = None
        target = self._distinct(root)
        sources = [index for index, step in enumerate(self._steps) if step.kind in ("map", "array")]
        constants = [
            index
            for index, step in enumerate(self._steps)
            if step.kind == "number" or step.kind in RANGED
        ]
        self._row = {index: row for row, index in enumerate(sources + constants, start=1)}
        self._first_register = 1 + len(self._row)
        self._registers = 0
        self.sources = [self._steps[index].payload for index in sources]
        self._ranged = [
            (row, self._steps[index])
            for row, index in enumerate(constants)
            if self._steps[index].kind in RANGED
        ]
        self._passes: list[tuple[Program, list[int]]] = []
        for level in range(1, self._steps[target].level + 1):
            looked_at = list(
                dict.fromkeys(step.inputs[0] for _, step in self._ranged if step.level == level)
            )
            self._passes.append((self._program(looked_at, result=None), looked_at))
        self._last = self._program([target], result=target)
        self._keeping = self._kept(target)
        self._layout = Layout(len(sources), len(constants), self._registers)
        self._constants = np.array(
            [self._steps[i].payload if self._steps[i].kind == "number" else 0 for i in constants],
            dtype=np.float32,
        )

    @property
    def ranges(self) -> bool:
        """Whether values depend on those of the whole map."""
        return bool(self._passes)

    def evaluate(self, out: Floats, sources: Sequence[Floats], walls: NDArray[np.uint8]) -> None:
        """Compute all cells into the contiguous array `out`.

        `sources` are the values of `self.sources`, contiguous; `walls` is uint8 by cell, or empty.
        """
        tied = self._tied(walls, engine.whole(out.size))
        tied.tie(sources, out)
        self._look(tied, self._keeping[0] if self._keeping else None)
        tied.run(self._keeping[1] if self._keeping else self._last)

    def fill(
        self, out: Floats, sources: Sequence[Floats], walls: NDArray[np.uint8], where: Segments
    ) -> None:
        """Compute the cells of the segments `where` into the contiguous array `out`, by the ranges
        found last.
        """
        tied = self._tied(walls, where)
        tied.tie(sources, out)
        tied.run(self._last)

    def find_ranges(self, sources: Sequence[Floats], walls: NDArray[np.uint8], cells: int) -> None:
        """Pass over all `cells` for the ranges."""
        tied = self._tied(walls, engine.whole(cells))
        tied.tie(sources, None)
        self._look(tied, None)

    def _look(self, tied: Engine, last_look: Program | None) -> None:
        for level, (program, looked_at) in enumerate(self._passes, start=1):
            found = tied.run(
                last_look if last_look is not None and level == len(self._passes) else program
            )
            for row, step in self._ranged:
                if step.level == level:
                    self._constants[row] = _of_range(
                        step.kind, *found[looked_at.index(step.inputs[0])]
                    )

    def _tied(self, walls: NDArray[np.uint8], where: Segments) -> Engine:
        if self._engine is not None and self._engine.fits(walls, where):
            return self._engine
        programs = [*(program for program, _ in self._passes), self._last, *(self._keeping or ())]
        new = Engine(programs, self._layout, self._constants, walls, where)
        if len(where) == 1:
            self._engine = new
        return new

    def _kept(self, target: int) -> tuple[Program, Program] | None:
        """The last look for ranges and the last pass, so that the first keeps what saves the second
        most.
        """
        best: tuple[Program, Program] | None = None
        for index in self._passes[-1][1] if self._passes else ():
            if index not in self._row:
                last = self._program([target], result=target, kept=index)
                if len(last.instructions) < len((best[1] if best else self._last).instructions):
                    best = self._program(self._passes[-1][1], result=None, kept=index), last
        return best

    def _distinct(self, root: Node) -> int:
        """Number the distinct nodes of a tree, each after its inputs; the number of the root."""
        numbers: dict[int, int] = {}
        waiting = [root]
        while waiting:
            node = waiting[-1]
            missing = [each for each in node.inputs if id(each) not in numbers]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            numbers[id(node)] = self._number(node, tuple(numbers[id(each)] for each in node.inputs))
        return numbers[id(root)]

    def _number(self, node: Node, inputs: tuple[int, ...]) -> int:
        what = node.payload.tobytes() if node.kind == "number" else id(node.payload)
        key = (node.kind, inputs, what)
        if key not in self._known:
            level = max((self._steps[index].level for index in inputs), default=0) + (
                node.kind in RANGED
            )
            bound = self._bound(node, inputs) if node.bound is None else node.bound
            self._steps.append(_Step(*self._fused(node.kind, inputs), node.payload, bound, level))
            if node.kind in BEYOND and not bound < _BOUND:
                self._known[key] = self._hold(len(self._steps) - 1)
            else:
                self._known[key] = len(self._steps) - 1
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
            self._number(number(sign * float(operations.LARGEST)), ()) for sign in (-1, 1)
        )
        self._steps.append(
            _Step(
                "clamp", (index, *limits), None, float(operations.LARGEST), self._steps[index].level
            )
        )
        return len(self._steps) - 1

    def _bound(self, node: Node, inputs: tuple[int, ...]) -> float:
        bounds = [self._steps[index].bound for index in inputs]
        if node.kind == "number":
            return abs(float(node.payload))
        if node.kind == "array":
            return checks.LARGEST
        if node.kind == "map":
            return _MAP_BOUND
        if node.kind in ("add", "subtract"):
            return bounds[0] + bounds[1]
        if node.kind == "multiply":
            return bounds[0] * bounds[1]
        if node.kind == "divide":
            divisor = self._steps[inputs[1]]
            return (
                bounds[0] / divisor.bound
                if divisor.kind == "number" and divisor.bound > 0
                else float("inf")
            )
        if node.kind in ("clamp", "where"):
            return max(bounds[1], bounds[2])
        if node.kind in ("less", "less_equal", "equal", "unequal"):
            return 1.0
        if node.kind == "exp":
            return 1e27
        return min(2 * bounds[0], float(operations.LARGEST)) if node.kind == "span" else max(bounds)

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
