"""Searches for the least known cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.declare import kernel

__all__ = ["explore", "scratch"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)
_THIRD = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)


def scratch(cells: int) -> tuple[NDArray[np.int64], ...]:
    """Return scratch for one thread: the explorer that reached a cell last, by which first step,
    the cells in the order in which they are reached, and the number of explorers so far.

    It can be used again as it is: explorers are told apart by their number.
    """
    return (
        np.zeros(cells, dtype=np.int64),
        np.empty(cells, dtype=np.int64),
        np.empty(cells, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def _mix(number):
    number = (number ^ (number >> _30)) * _SECOND
    number = (number ^ (number >> _27)) * _THIRD
    return number ^ (number >> _31)


@kernel
def _draw(key, first, second):
    """Return 64 random bits of a key and two counters, by SplitMix64 (Steele, Lea, Flood 2014)."""
    inner = _mix(np.uint64(key) + (np.uint64(first) + _ONE) * _GOLDEN)
    return _mix(inner + (np.uint64(second) + _ONE) * _GOLDEN)


@kernel(inline="always")
def _step(ground, row, column, k):
    """Return the cell that the k-th step from a cell leads to, or -1."""
    links, masks, steps, wrap, (_, ends) = ground
    if steps.shape[0] == 0:
        return np.int64(ends[k])
    height, width = links.shape
    y, x = row + steps[k, 1], column + steps[k, 0]
    if wrap:
        y, x = y % height, x % width
    if y < 0 or y >= height or x < 0 or x >= width or links[y, x] & masks[k] == 0:
        return np.int64(-1)
    return y * width + x


@kernel(inline="always")
def _steps(ground, cell):
    """Return the numbers of the steps that leave a cell: the first, and the last plus 1."""
    steps, (starts, _) = ground[2], ground[4]
    if steps.shape[0] == 0:
        return starts[cell], starts[cell + 1]
    return np.int64(0), np.int64(steps.shape[0])


@kernel(
    "f4[::1], (u1[:,::1], u1[::1], i8[:,::1], b1, (i8[::1], i4[::1])), i8[::1], (i8, b1, f4, i8),"
    " i8, i8, out b1[::1], out i8[::1], out i8[::1], (out i8[::1], out i8[::1], out i8[::1], out"
    " i8[::1])",
    "f4[::1], (u8[:,::1], u8[::1], i8[:,::1], b1, (i8[::1], i4[::1])), i8[::1], (i8, b1, f4, i8),"
    " i8, i8, out b1[::1], out i8[::1], out i8[::1], (out i8[::1], out i8[::1], out i8[::1], out"
    " i8[::1])",
)
def explore(values, ground, starts, rule, first, last, taken, next_cells, targets, scratch):
    """Write the cell that each of the explorers [first, last) steps to, and the cell that it heads
    for; its start for both if it stays.

    `ground` is (links, masks, steps, wrap, (starts, ends)): without `steps` those of a graph lead
    to `ends`. `rule` is (sight, searches, unknown, key).
    """
    (sight, searches, unknown, key), (reached, came_by, queue, before) = rule, scratch
    width = ground[0].shape[1]
    for agent in range(first, last):
        start = starts[agent]
        keeps_off = False
        if taken.shape[0] > 0:
            begin, end = _steps(ground, start)
            for k in range(begin, end):
                there = _step(ground, start // width, start % width, k)
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
                row = cell // width
                column = cell - row * width
                begin, end = _steps(ground, cell)
                for k in range(begin, end):
                    there = _step(ground, row, column, k)
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
