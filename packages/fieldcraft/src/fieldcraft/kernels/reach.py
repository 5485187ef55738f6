"""The cells that agents reach within a limit: Dijkstra's search that touches nothing beyond it."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.heap import TWICE, longer, sift_down_in_order, sift_up_in_order

__all__ = ["reach"]


@kernel
def _cuts_corner(here, there, width, wrap, cost):
    """Whether a diagonal step on a grid passes a cell of infinite cost."""
    height = cost.shape[0] // width
    row, column = here // width, here % width
    down, across = there // width - row, there % width - column
    if wrap:
        down = (down + height // 2) % height - height // 2
        across = (across + width // 2) % width - width // 2
    if abs(down) != 1 or abs(across) != 1:
        return False
    beside = row * width + (column + across) % width
    below = (row + down) % height * width + column
    return cost[beside] == np.inf or cost[below] == np.inf


@kernel(
    "(i8[::1], i4[::1], f8[::1], i8, b1), f4[::1], b1, i8, f8, f8, f8, out f8[::1], out i4[::1]",
    "(i8[::1], i4[::1], f8[::1], i8, b1), f8[::1], b1, i8, f8, f8, f8, out f8[::1], out i4[::1]",
)
def reach(edges, cost, enter, start, limit, lowest, highest, dist, came):
    """Return the cells within `limit` of a start, by distance and then by number, and -1; or none
    and the first cell met whose cost is not valid.

    `edges` is (starts, ends, lengths, width, wrap). The steps that leave cell v are `starts[v]` up
    to `starts[v + 1]`. `width` is that of a grid, else 0. `cost` has one number per cell, or one
    for all; `enter` charges a step by the cell that it ends in, else by the mean of both. `dist` is
    infinite before and holds the distances of the cells afterwards, which the caller sets back;
    `came` holds the cell each was reached from.
    """
    starts, ends, lengths, width, wrap = edges
    even = cost.shape[0] == 1
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
            if even:
                s = d + lengths[arc] * cost[0]
            else:
                price = np.float64(cost[n])
                if price == np.inf or (width > 0 and _cuts_corner(v, n, width, wrap, cost)):
                    continue
                if not lowest <= price <= highest:
                    bad = n
                    break
                if enter:
                    s = d + lengths[arc] * price
                else:
                    s = d + (lengths[arc] * 0.5) * (np.float64(cost[v]) + price)
            if s <= limit and s < dist[n]:
                dist[n], came[n] = s, v
                if size == keys.shape[0]:
                    keys, cells = longer(keys, TWICE), longer(cells, TWICE)
                keys[size], cells[size] = s, n
                size += 1
                sift_up_in_order(keys, cells, size - 1)
    return found[:count].copy(), bad
