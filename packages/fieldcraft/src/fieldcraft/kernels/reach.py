"""The cells that agents reach within a limit: Dijkstra's search that touches nothing beyond it."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.heap import TWICE, longer, sift_down_in_order, sift_up_in_order

__all__ = ["on_grid", "reach"]


@kernel
def _over(d, v, n, length, cost, enter, lowest, highest):
    """The distance of n over a step from v: infinite into a wall, -1 for a cost that is not
    valid.
    """
    if cost.shape[0] == 1:
        return d + length * np.float64(cost[0])
    price = np.float64(cost[n])
    if price == np.inf:
        return np.inf
    if not lowest <= price <= highest:
        return -1.0
    if enter:
        return d + length * price
    return d + (length * 0.5) * (np.float64(cost[v]) + price)


@kernel
def _pushed(keys, cells, size, s, n):
    """The heap with another cell."""
    if size == keys.shape[0]:
        keys, cells = longer(keys, TWICE), longer(cells, TWICE)
    keys[size], cells[size] = s, n
    sift_up_in_order(keys, cells, size)
    return keys, cells


@kernel(
    "(i8[::1], i4[::1], f8[::1]), f4[::1], b1, i8, f8, f8, f8, out f8[::1], out i4[::1]",
    "(i8[::1], i4[::1], f8[::1]), f8[::1], b1, i8, f8, f8, f8, out f8[::1], out i4[::1]",
)
def reach(edges, cost, enter, start, limit, lowest, highest, dist, came):
    """Return the cells within `limit` of a start, by distance and then by number, and -1; or none
    and the first cell met whose cost is not valid.

    `edges` is (starts, ends, lengths): the steps that leave cell v are `starts[v]` up to
    `starts[v + 1]`. `cost` has one number per cell, or one for all; `enter` charges a step by the
    cell that it ends in, else by the mean of both. `dist` is infinite before and holds the
    distances of the cells afterwards, which the caller sets back; `came` holds the cell each was
    reached from.
    """
    starts, ends, lengths = edges
    keys, cells = np.empty(64, np.float64), np.empty(64, np.int32)
    found = np.empty(64, np.int64)
    count, size, bad = 0, 1, np.int64(-1)
    keys[0], cells[0], dist[start], came[start] = 0.0, start, 0.0, start
    while size > 0:
        d, v = keys[0], np.int64(cells[0])
        size -= 1
        if size > 0:
            keys[0], cells[0] = keys[size], cells[size]
            sift_down_in_order(keys, cells, size)
        if d > dist[v]:
            continue
        if count == found.shape[0]:
            found = longer(found, TWICE)
        found[count] = v
        count += 1
        if bad >= 0:
            continue
        for arc in range(starts[v], starts[v + 1]):
            n = np.int64(ends[arc])
            s = _over(d, v, n, lengths[arc], cost, enter, lowest, highest)
            if s < 0:
                bad = n
                break
            if s <= limit and s < dist[n]:
                dist[n], came[n] = s, v
                keys, cells = _pushed(keys, cells, size, s, n)
                size += 1
    return found[:count].copy(), bad


@kernel(
    "(u1[::1], i8[:,::1], f8[::1], i8, i8, b1), f4[::1], b1, i8, f8, f8, f8, out f8[::1], out"
    " i4[::1]",
    "(u1[::1], i8[:,::1], f8[::1], i8, i8, b1), f8[::1], b1, i8, f8, f8, f8, out f8[::1], out"
    " i4[::1]",
    "(i8[::1], i8[:,::1], f8[::1], i8, i8, b1), f4[::1], b1, i8, f8, f8, f8, out f8[::1], out"
    " i4[::1]",
    "(i8[::1], i8[:,::1], f8[::1], i8, i8, b1), f8[::1], b1, i8, f8, f8, f8, out f8[::1], out"
    " i4[::1]",
)
def on_grid(moves, cost, enter, start, limit, lowest, highest, dist, came):
    """As `reach`, over the moves of a grid: (moves, steps, lengths, width, height, corners).

    Bit k of `moves` (N,) says whether step k of `steps` (K, 2) may leave a cell; they go over the
    seam of a torus. `corners` says that no diagonal passes a cell of infinite cost.
    """
    table, steps, lengths, width, height, corners = moves
    keys, cells = np.empty(64, np.float64), np.empty(64, np.int32)
    found = np.empty(64, np.int64)
    count, size, bad = 0, 1, np.int64(-1)
    keys[0], cells[0], dist[start], came[start] = 0.0, start, 0.0, start
    guarded = corners and cost.shape[0] > 1
    while size > 0:
        d, v = keys[0], np.int64(cells[0])
        size -= 1
        if size > 0:
            keys[0], cells[0] = keys[size], cells[size]
            sift_down_in_order(keys, cells, size)
        if d > dist[v]:
            continue
        if count == found.shape[0]:
            found = longer(found, TWICE)
        found[count] = v
        count += 1
        if bad >= 0:
            continue
        row, column, leave = v // width, v % width, np.int64(table[v])
        for k in range(steps.shape[0]):
            if (leave >> k) & 1 == 0:
                continue
            dx, dy = steps[k, 0], steps[k, 1]
            across, down = (column + dx) % width, (row + dy) % height
            n = down * width + across
            if (
                guarded
                and abs(dx) == 1
                and abs(dy) == 1
                and (cost[row * width + across] == np.inf or cost[down * width + column] == np.inf)
            ):
                continue
            s = _over(d, v, n, lengths[k], cost, enter, lowest, highest)
            if s < 0:
                bad = n
                break
            if s <= limit and s < dist[n]:
                dist[n], came[n] = s, v
                keys, cells = _pushed(keys, cells, size, s, n)
                size += 1
    return found[:count].copy(), bad
