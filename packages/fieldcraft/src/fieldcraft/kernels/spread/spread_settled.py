"""The values that endless steps of Spread lead to, strongest cells first."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_steps import listed_steps, next_cell
from fieldcraft.kernels.shared.step_lists import (
    LINKED_STEPS_1,
    LINKED_STEPS_8,
    EndSteps,
    LinkedSteps,
)
from fieldcraft.kernels.spread.spread_cells import power, root

__all__ = ["SEED", "EndSteps", "LinkedSteps", "settle"]

SEED = np.uint8(4)
"""The flag of a cell that keeps its value unless something stronger arrives."""

_ZERO = np.float32(0)


@kernel
def _before(values, a, b):
    """Return whether cell `a` is settled before cell `b`: the stronger first, of equals the
    positive, of those the lower id.
    """
    va, vb = values[a], values[b]
    if abs(va) != abs(vb):
        return abs(va) > abs(vb)
    if va != vb:
        return va > vb
    return a < b


@kernel
def _rise(values, heap, place, i):
    """Move the cell at index `i` of the heap up to its place."""
    cell = heap[i]
    while i > 0:
        parent = (i - 1) // 2
        if not _before(values, cell, heap[parent]):
            break
        heap[i] = heap[parent]
        place[heap[i]] = i
        i = parent
    heap[i] = cell
    place[cell] = i


@kernel
def _pop(values, heap, place, size):
    """Remove and return the strongest cell of the heap."""
    top, cell = heap[0], heap[size - 1]
    size -= 1
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and _before(values, heap[child + 1], heap[child]):
            child += 1
        if not _before(values, heap[child], cell):
            break
        heap[i] = heap[child]
        place[heap[i]] = i
        i = child
    if size > 0:
        heap[i] = cell
        place[cell] = i
    place[top] = -2
    return top


@kernel
def _passed_on(value, emitted, loss, through, exponent, floor):
    """Return the influence of a value with this `emitted` root after a step with this loss; 0 if it
    is below the floor.
    """
    rest = emitted * loss * through if exponent == 0 else emitted - loss - through
    if rest <= 0:
        return _ZERO
    if exponent >= 2:
        rest = power(rest, exponent)
    if rest < floor:
        return _ZERO
    return -rest if value < 0 else rest


@kernel
def _offer(values, heap, place, size, there, rest):
    """Raise the value of a cell to an arriving influence; return the size of the heap."""
    if rest == 0:
        return size
    old = values[there]
    if abs(rest) > abs(old) or (abs(rest) == abs(old) and rest > old):
        values[there] = rest
        if place[there] < 0:
            heap[size] = there
            size += 1
            _rise(values, heap, place, size - 1)
        else:
            _rise(values, heap, place, place[there])
    return size


@kernel
def _begin(values, blocked, heap, place):
    """Push the blocked cells and the seeds onto the heap, and set all others to 0; return its
    size.
    """
    size = np.int64(0)
    for cell in range(values.shape[0]):
        if blocked[cell] == 0:
            values[cell] = 0
        elif values[cell] != 0:
            heap[size] = cell
            size += 1
            _rise(values, heap, place, size - 1)
    return size


@kernel(
    f"none, {LINKED_STEPS_1}, u1[::1], f4[::1], f4[::1], i8, f4, out f4[::1]",
    f"none, {LINKED_STEPS_8}, u1[::1], f4[::1], f4[::1], i8, f4, out f4[::1]",
    "EndSteps(i8[::1], i8[::1]), none, u1[::1], f4[::1], f4[::1], i8, f4, out f4[::1]",
)
def settle(arcs, grid, blocked, through, losses, exponent, floor, values):
    """Set every cell to its fixed point, in place: Dijkstra's search from the blocked cells and the
    seeds, the strongest first.

    One of `arcs` and `grid` is None, see `distance_steps.next_cell`; `losses` are those of arcs or
    of steps. `through` (N,) attenuates what arrives in each cell, or is empty.
    """
    open_ground = np.float32(1) if exponent == 0 else _ZERO
    place, heap = np.full(values.shape[0], -1, np.int32), np.empty(values.shape[0], np.int32)
    size = _begin(values, blocked, heap, place)
    while size > 0:
        cell = np.int64(_pop(values, heap, place, size))
        size -= 1
        value = values[cell]
        emitted = abs(root(value, exponent)) if exponent >= 2 else abs(value)
        first, last = listed_steps(arcs, grid, cell)
        for k in range(first, last):
            there = next_cell(arcs, grid, cell, k)
            # A power of a root may be slightly above the value, so a negative cell can be done
            # before its positive equal comes.
            if there < 0 or blocked[there] & ~SEED != 0 or (place[there] == -2 and exponent < 2):
                continue
            barrier = through[there] if through.shape[0] > 0 else open_ground
            rest = _passed_on(value, emitted, losses[k], barrier, exponent, floor)
            size = _offer(values, heap, place, size, there, rest)
