"""Where endless steps of Spread lead, strongest cells first."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.spread_cells import power, root

__all__ = ["SEED", "begin", "offer", "passed_on", "pop", "settle"]

SEED = np.uint8(4)
"""The flag of a cell that keeps its value unless something stronger arrives."""

_ZERO = np.float32(0)


@kernel
def _before(values, a, b):
    """Whether cell `a` is settled before cell `b`: the stronger first, of equals the positive, of
    those the lower id.
    """
    va, vb = values[a], values[b]
    if abs(va) != abs(vb):
        return abs(va) > abs(vb)
    if va != vb:
        return va > vb
    return a < b


@kernel
def rise(values, heap, place, i):
    """Let the cell at a place of the heap rise to where it belongs."""
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
def pop(values, heap, place, size):
    """Take the strongest cell off the heap."""
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
def passed_on(value, emitted, loss, through, exponent, floor):
    """The influence that a value, of which so much is `emitted`, leaves behind a step with this
    loss; 0 if it is below the floor.
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
def offer(values, heap, place, size, there, rest):
    """Let influence arrive in a cell; returns the size of the heap."""
    if rest == 0:
        return size
    old = values[there]
    if abs(rest) > abs(old) or (abs(rest) == abs(old) and rest > old):
        values[there] = rest
        if place[there] < 0:
            heap[size] = there
            size += 1
            rise(values, heap, place, size - 1)
        else:
            rise(values, heap, place, place[there])
    return size


@kernel
def begin(values, blocked, heap, place):
    """Put the blocked cells and the seeds on the heap, and 0 into all others; returns its size."""
    size = np.int64(0)
    for cell in range(values.shape[0]):
        if blocked[cell] == 0:
            values[cell] = 0
        elif values[cell] != 0:
            heap[size] = cell
            size += 1
            rise(values, heap, place, size - 1)
    return size


@kernel(
    "(u1[:,::1], u1[:,::1], u1[::1], f4[:,::1], i8[:,::1], f4[::1]), i8, f4, b1, out f4[:,::1]",
    "(u1[:,::1], u8[:,::1], u8[::1], f4[:,::1], i8[:,::1], f4[::1]), i8, f4, b1, out f4[:,::1]",
)
def settle(ground, exponent, floor, wrap, values):
    """Put every cell at its fixed point, in place: Dijkstra's search from the blocked cells and the
    seeds, the strongest first. `ground` is that of `spread.wave_any`.
    """
    blocked, links, masks, through, steps, losses = ground
    height, width = values.shape
    flat = values.reshape(-1)
    fixed = blocked.reshape(-1)
    arrive = links.reshape(-1)
    crossing = through.reshape(-1)
    open_ground = np.float32(1) if exponent == 0 else _ZERO
    place, heap = np.full(flat.shape[0], -1, np.int32), np.empty(flat.shape[0], np.int32)
    size = begin(flat, fixed, heap, place)
    while size > 0:
        cell = pop(flat, heap, place, size)
        size -= 1
        y, x = divmod(cell, width)
        value = flat[cell]
        emitted = abs(root(value, exponent)) if exponent >= 2 else abs(value)
        for k in range(steps.shape[0]):
            ny, nx = y + steps[k, 1], x + steps[k, 0]
            if wrap:
                ny, nx = ny % height, nx % width
            elif ny < 0 or ny >= height or nx < 0 or nx >= width:
                continue
            there = ny * width + nx
            # A power of a root may lie a little above the value, so a negative cell can be done
            # before its positive equal comes.
            is_done = fixed[there] & ~SEED != 0 or (place[there] == -2 and exponent < 2)
            if is_done or arrive[there] & masks[k] == 0:
                continue
            barrier = crossing[there] if crossing.shape[0] > 0 else open_ground
            rest = passed_on(value, emitted, losses[k], barrier, exponent, floor)
            size = offer(flat, heap, place, size, there, rest)
