"""Searches for the cell with the least knowledge."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_steps import listed_steps, next_cell
from fieldcraft.kernels.shared.step_lists import (
    END_STEPS,
    LINKED_STEPS_1,
    LINKED_STEPS_8,
    EndSteps,
    LinkedSteps,
)
from fieldcraft.kernels.values.explore_arrays import (
    EXPLORE_RULE,
    EXPLORE_SCRATCH,
    ExploreRule,
    ExploreScratch,
)

__all__ = ["EndSteps", "ExploreRule", "ExploreScratch", "LinkedSteps", "explore", "scratch"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)
_THIRD = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)


def scratch(cells: int) -> ExploreScratch:
    """Return scratch for one thread.

    It is reused without clearing: explorers are distinguished by their number.
    """
    return ExploreScratch(
        reached=np.zeros(cells, dtype=np.int64),
        came_by=np.empty(cells, dtype=np.int64),
        queue=np.empty(cells, dtype=np.int64),
        before=np.zeros(1, dtype=np.int64),
    )


@kernel
def _mix(number):
    """Return a number of 64 bits with its bits mixed, by the finalizer of SplitMix64."""
    number = (number ^ (number >> _30)) * _SECOND
    number = (number ^ (number >> _27)) * _THIRD
    return number ^ (number >> _31)


@kernel
def _draw(key, first, second):
    """Return 64 random bits of a key and two counters, by SplitMix64 (Steele, Lea, Flood 2014)."""
    inner = _mix(np.uint64(key) + (np.uint64(first) + _ONE) * _GOLDEN)
    return _mix(inner + (np.uint64(second) + _ONE) * _GOLDEN)


@kernel(
    f"none, {LINKED_STEPS_1}, f4[::1], i8[::1], {EXPLORE_RULE}, i8, i8, out b1[::1], out i8[::1],"
    f" out i8[::1], {EXPLORE_SCRATCH}",
    f"none, {LINKED_STEPS_8}, f4[::1], i8[::1], {EXPLORE_RULE}, i8, i8, out b1[::1], out i8[::1],"
    f" out i8[::1], {EXPLORE_SCRATCH}",
    f"{END_STEPS}, none, f4[::1], i8[::1], {EXPLORE_RULE}, i8, i8, out b1[::1], out i8[::1],"
    f" out i8[::1], {EXPLORE_SCRATCH}",
)
def explore(arcs, grid, values, starts, rule, first, last, taken, next_cells, targets, scratch):
    """Write the next cell of each of the explorers [first, last), and the cell that it heads for;
    its start for both if it stays.

    One of `arcs` and `grid` is None, see `distance_steps.next_cell`. With `taken` (N,), which marks
    the cells of others, explorers keep off these; it is empty if they do not.
    """
    sight = rule.reach
    searches = rule.searches_frontier
    unknown = rule.limit
    key = rule.key
    reached = scratch.reached
    came_by = scratch.came_by
    queue = scratch.queue
    before = scratch.before
    for agent in range(first, last):
        start = starts[agent]
        keeps_off = False
        if taken.shape[0] > 0:
            begin, end = listed_steps(arcs, grid, start)
            for k in range(begin, end):
                there = next_cell(arcs, grid, start, k)
                keeps_off = keeps_off or (there >= 0 and there != start and not taken[there])
        before[0] += 1
        explorer = before[0]
        reached[start] = explorer
        queue[0] = start
        head, tail, depth = 0, 1, 0
        best, best_value = np.int64(-1), np.float32(np.inf)
        while head < tail:
            depth += 1
            beyond = depth > sight
            if beyond and (not searches or (best >= 0 and best_value <= unknown)):
                break
            ring = tail
            found, found_value, found_bits = np.int64(-1), np.float32(np.inf), np.uint64(0)
            while head < ring:
                cell = queue[head]
                head += 1
                begin, end = listed_steps(arcs, grid, cell)
                for k in range(begin, end):
                    there = next_cell(arcs, grid, cell, k)
                    if there < 0:
                        continue
                    if reached[there] == explorer or (keeps_off and cell == start and taken[there]):
                        continue
                    reached[there] = explorer
                    came_by[there] = there if cell == start else came_by[cell]
                    queue[tail] = there
                    tail += 1
                    value = values[there]
                    if beyond:
                        if value > unknown:
                            continue
                        value = np.float32(-np.inf)
                    if found < 0 or value <= found_value:
                        bits = _draw(key, agent, there)
                        if (
                            found < 0
                            or value < found_value
                            or bits < found_bits
                            or (bits == found_bits and there < found)
                        ):
                            found, found_value, found_bits = there, value, bits
            if found >= 0 and (best < 0 or found_value < best_value):
                best, best_value = found, found_value
            if beyond and found >= 0:
                break
        next_cells[agent] = start if best < 0 else came_by[best]
        targets[agent] = start if best < 0 else best
        if taken.shape[0] > 0:
            taken[next_cells[agent]] = True
