"""Values that fade with time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_steps import listed_steps, next_cell
from fieldcraft.kernels.shared.step_lists import (
    END_STEPS,
    LINKED_STEPS_1,
    LINKED_STEPS_8,
    EndSteps,
    LinkedSteps,
)

__all__ = [
    "TILE",
    "TILE_COLUMNS",
    "TILE_ROWS",
    "EndSteps",
    "LinkedSteps",
    "diffuse",
    "mark",
    "scratch",
    "show",
    "slots",
    "spread_marks",
]

TILE_ROWS = 16
TILE_COLUMNS = 64
TILE = (TILE_ROWS, TILE_COLUMNS)
_LN2 = 0.6931471805599453
SERIES = tuple(
    2.0**0.5 * _LN2**n / float(np.prod(np.arange(1, n + 1, dtype=np.float64))) for n in range(14)
)


def slots(cells: NDArray[np.int64], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the tile of each cell, and its index in the flattened moments."""
    rows, columns = np.divmod(cells, width)
    tiles = rows // TILE_ROWS * -(-width // TILE_COLUMNS) + columns // TILE_COLUMNS
    return tiles, (tiles * TILE_ROWS + rows % TILE_ROWS) * TILE_COLUMNS + columns % TILE_COLUMNS


_ZERO = np.float32(0)
_NONE = np.int32(0)
_C0, _C1, _C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12, _C13 = SERIES


@kernel("i8[::1], i4[::1], i8, i8, out i4[:,:,::1], out u2[::1], out i8[::1]")
def mark(cells, moments, width, count, ends, active, listed):
    """Set the moment at which each cell reaches 0 to at least the given one; return the number of
    listed tiles.
    """
    across = (width + TILE_COLUMNS - 1) // TILE_COLUMNS
    for i in range(cells.shape[0]):
        y = cells[i] // width
        x = cells[i] - y * width
        tile = y // TILE_ROWS * across + x // TILE_COLUMNS
        j = y % TILE_ROWS
        k = x % TILE_COLUMNS
        if active[tile] == 0:
            ends[tile] = 0
            listed[count] = tile
            count += 1
        if moments[i] > ends[tile, j, k]:
            ends[tile, j, k] = moments[i]
        active[tile] |= np.uint16(1 << j)
    return count


@kernel
def _halving(row, now, half, low, most, shown):
    """Write the values of a row, which halve in each `half` of time and are `low` when they end;
    `row` holds when. They are at most `most`, and 0 after the end.

    Return 0 if all are 0. 2 to the power of what is left is made of its whole part, as the exponent
    of a float64, and of a series for the rest.
    """
    alive = np.int32(0)
    for x in range(shown.shape[0]):
        left = np.int32(row[x] - now)
        left = left if left > 0 else _NONE
        alive |= left
        power = np.float64(left) / half
        exponent = np.floor(power)
        part = power - exponent - 0.5
        result = ((((_C13 * part + _C12) * part + _C11) * part + _C10) * part + _C9) * part + _C8
        result = ((((result * part + _C7) * part + _C6) * part + _C5) * part + _C4) * part + _C3
        result = ((result * part + _C2) * part + _C1) * part + _C0
        size = np.int64((np.int64(exponent) + np.int64(1023)) << np.int64(52)).view(np.float64)
        v = np.float32(low * (result * size))
        v = v if v < most else most
        shown[x] = v if left > 0 else _ZERO
    return alive


@kernel("i4[:,:,::1], i8, f8, f8, f8, f4, i8, i8, out f4[:,::1], out u2[::1], out i8[::1]")
def show(ends, now, rate, half, low, most, first, last, values, active, listed):
    """Write the values of the tiles listed[first:last]; return the number of tiles that are not 0.
    These come first in that part afterwards.
    """
    height, width = values.shape
    across = (width + TILE_COLUMNS - 1) // TILE_COLUMNS
    instant = np.int32(now)
    end = first
    moments = ends.reshape(-1)
    shown = values.reshape(-1)
    for i in range(first, last):
        tile = listed[i]
        top = tile // across * TILE_ROWS
        left = tile % across * TILE_COLUMNS
        right = min(left + TILE_COLUMNS, width)
        rows = np.int64(active[tile])
        still = np.int64(0)
        for j in range(min(TILE_ROWS, height - top)):
            if rows >> j & 1 == 0:
                continue
            if half != 0.0:
                alive = _halving(
                    ends[tile, j], instant, half, low, most, values[top + j, left:right]
                )
            else:
                # Unsigned places need no look at whether they are negative, and slices would cost
                # more than a row.
                alive = np.int32(0)
                here = np.uint64((tile * TILE_ROWS + j) * TILE_COLUMNS)
                there = np.uint64((top + j) * width + left)
                for x in range(right - left):
                    remaining = np.int32(moments[here + np.uint64(x)] - instant)
                    remaining = remaining if remaining > 0 else _NONE
                    alive |= remaining
                    shown[there + np.uint64(x)] = np.float32(np.float64(remaining) * rate)
            if alive != 0:
                still |= 1 << j
        active[tile] = still
        if still != 0:
            listed[end] = tile
            end += 1
    return end - first


Scratch = tuple[NDArray[np.float64], NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]


def scratch(cells: int) -> Scratch:
    """Return scratch for `spread_marks`: arrived amounts, waiting flags, the queue, cells found."""
    return (
        np.zeros(cells),
        np.zeros(cells, dtype=np.uint8),
        np.empty(cells, dtype=np.int64),
        np.empty(cells, dtype=np.int64),
    )


@kernel
def _arrive(cell, amount, arrived, waiting, queue, found, tail, count, left):
    """Note an amount that arrives in a cell; return the end of the queue, the number of cells
    found, and the number of waiting cells.
    """
    if amount > arrived[cell]:
        if arrived[cell] == 0.0:
            found[count] = cell
            count += 1
        arrived[cell] = amount
        if waiting[cell] == 0:
            waiting[cell] = 1
            queue[tail] = cell
            tail = tail + 1 if tail + 1 < queue.shape[0] else 0
            left += 1
    return tail, count, left


@kernel(
    f"none, {LINKED_STEPS_1}, f8[::1], i8[::1], f8[::1], f8, out f8[::1], out u1[::1], out i8[::1],"
    " out i8[::1]",
    f"none, {LINKED_STEPS_8}, f8[::1], i8[::1], f8[::1], f8, out f8[::1], out u1[::1], out i8[::1],"
    " out i8[::1]",
    f"{END_STEPS}, none, f8[::1], i8[::1], f8[::1], f8, out f8[::1], out u1[::1], out i8[::1],"
    " out i8[::1]",
)
def spread_marks(arcs, grid, losses, cells, amounts, cut, arrived, waiting, queue, found):
    """Write the cells that marks reach to `found` and what arrives in each to `arrived`; return
    how many. The caller clears `arrived`.

    One of `arcs` and `grid` is None, see `distance_steps.next_cell`; `losses` are those of arcs or
    of steps. Cells wait in a queue and are processed again when more arrives: the strongest arrival
    is the same in any order.
    """
    head, tail, count, left = 0, 0, 0, 0
    for i in range(cells.shape[0]):
        tail, count, left = _arrive(
            cells[i], amounts[i], arrived, waiting, queue, found, tail, count, left
        )
    while left > 0:
        cell = queue[head]
        head = head + 1 if head + 1 < queue.shape[0] else 0
        left -= 1
        waiting[cell] = 0
        first, last = listed_steps(arcs, grid, cell)
        for k in range(first, last):
            there, arriving = next_cell(arcs, grid, cell, k), arrived[cell] * losses[k]
            if there >= 0 and arriving >= cut:
                tail, count, left = _arrive(
                    there, arriving, arrived, waiting, queue, found, tail, count, left
                )
    return count


@kernel(
    "i8[::1], i4[::1], f8[::1], f8[::1], f4[::1], i8[::1], out f8[::1], out u1[::1], out i8[::1],"
    " out f8[::1]"
)
def diffuse(starts, ends, shares, keeps, values, cells, held, seen, found, amounts):
    """Write the cells that values diffuse into to `found`, and the new value of each to `amounts`;
    return their number.

    `held` and `seen` (N,) are 0, and 0 again afterwards.
    """
    count = 0
    for i in range(cells.shape[0]):
        found[count] = cells[i]
        seen[cells[i]] = 1
        count += 1
    for i in range(cells.shape[0]):
        value = np.float64(values[cells[i]])
        for k in range(starts[cells[i]], starts[cells[i] + 1]):
            there = np.int64(ends[k])
            if seen[there] == 0:
                seen[there] = 1
                found[count] = there
                count += 1
            held[there] += shares[k] * value
    for i in range(count):
        cell = found[i]
        amounts[i] = keeps[cell] * np.float64(values[cell]) + held[cell]
        held[cell], seen[cell] = 0.0, 0
    return count
