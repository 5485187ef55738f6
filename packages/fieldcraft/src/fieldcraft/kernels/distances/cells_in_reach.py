"""The cells within a limit of a start: Dijkstra's search, which reads no costs beyond it."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_steps import listed_steps, neighbor, next_cell
from fieldcraft.kernels.shared.heap import pop, push

__all__ = ["reach", "reach_many"]


@kernel
def _over(d, v, n, length, cost, enter, lowest, highest):
    """Return the distance of n over a step from v: infinite into a wall, -1 for an invalid cost."""
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


@kernel(forceinline=True)
def _end(arcs, grid, cost, cell, step):
    """Return the cell that a step out of a cell enters, -1 where there is none, and its length."""
    end, length = np.int64(-1), np.inf
    if arcs is not None:
        end, length = np.int64(arcs[1][step]), arcs[2][step]
    if grid is not None:
        links, steps, lengths, width, height, wrap, guarded = grid
        dx, dy, offset = steps[step, 0], steps[step, 1], steps[step, 2]
        end, length = (
            next_cell(None, (links, steps, width, height, wrap), cell, step),
            lengths[step],
        )
        if end >= 0 and guarded and abs(dx) == 1 and abs(dy) == 1:
            across = neighbor(cell, dx, np.int64(0), dx, width, height, wrap)
            down = neighbor(cell, np.int64(0), dy, offset - dx, width, height, wrap)
            if cost[across] == np.inf or cost[down] == np.inf:
                end = np.int64(-1)
    return end, length


@kernel(
    "(i8[::1], i4[::1], f8[::1]), none, f4[::1], b1, f8, f8, f8, i8, out f8[::1], out i4[::1],"
    " out f8[::1], out i4[::1], out i8[::1], out i8[::1]",
    "(i8[::1], i4[::1], f8[::1]), none, f8[::1], b1, f8, f8, f8, i8, out f8[::1], out i4[::1],"
    " out f8[::1], out i4[::1], out i8[::1], out i8[::1]",
    "none, (u1[::1], i8[:,::1], f8[::1], i8, i8, b1, b1), f4[::1], b1, f8, f8, f8, i8, out f8[::1],"
    " out i4[::1], out f8[::1], out i4[::1], out i8[::1], out i8[::1]",
    "none, (u1[::1], i8[:,::1], f8[::1], i8, i8, b1, b1), f8[::1], b1, f8, f8, f8, i8, out f8[::1],"
    " out i4[::1], out f8[::1], out i4[::1], out i8[::1], out i8[::1]",
    "none, (u8[::1], i8[:,::1], f8[::1], i8, i8, b1, b1), f4[::1], b1, f8, f8, f8, i8, out f8[::1],"
    " out i4[::1], out f8[::1], out i4[::1], out i8[::1], out i8[::1]",
    "none, (u8[::1], i8[:,::1], f8[::1], i8, i8, b1, b1), f8[::1], b1, f8, f8, f8, i8, out f8[::1],"
    " out i4[::1], out f8[::1], out i4[::1], out i8[::1], out i8[::1]",
)
def reach(
    arcs,
    grid,
    cost,
    enter,
    limit,
    lowest,
    highest,
    most,
    dist,
    came,
    keys,
    cells,
    found,
    sizes,
):
    """Continue a search for cells within `limit`, by at most `most` cells; return -1, or the first
    cell with an invalid cost.

    One of `arcs` and `grid` is None. `arcs` is (starts, ends, lengths): the arcs out of cell v are
    `starts[v]` up to `starts[v + 1]`. `grid` is (links, steps, lengths, width, height, wrap,
    guarded), see `distance_steps`; with `guarded` no diagonal passes a cell of infinite cost.
    `cost` has one number per cell, or one for all; `enter` charges a step by the cell that it ends
    in, else by the mean of both. `dist` is infinite for cells that are not reached; `came` holds
    the cell before each. `keys` and `cells` are a heap, at first of the start; `found` are the
    cells in reach, by distance and then by number; `sizes` are the numbers of cells found and in
    the heap. A search that ends before `most` cells, with cells in the heap left, needs longer
    arrays.
    """
    count, size = sizes[0], sizes[1]
    end, bad = min(count + most, found.shape[0]), np.int64(-1)
    while size > 0 and count < end and bad < 0:
        d, v = keys[0], np.int64(cells[0])
        first, last = listed_steps(arcs, grid, v)
        if size + last - first > keys.shape[0]:
            break
        size = pop(keys, cells, size, True)
        if d > dist[v]:
            continue
        found[count] = v
        count += 1
        for step in range(first, last):
            n, length = _end(arcs, grid, cost, v, step)
            if n < 0:
                continue
            s = _over(d, v, n, length, cost, enter, lowest, highest)
            if s < 0:
                bad = n
                break
            if s <= limit and s < dist[n]:
                dist[n], came[n] = s, v
                size = push(keys, cells, size, s, np.int32(n), True)
    sizes[0], sizes[1] = count, size
    return bad


@kernel(
    "(i8[::1], i4[::1], f8[::1]), none, f4[::1], i8[::1], b1, f8, f8, f8, i8, out i8[::1], "
    "(out i8[::1], out f8[::1], out i8[::1]), (out f8[::1], out i4[::1], out f8[::1], out "
    "i4[::1], out i8[::1])",
    "(i8[::1], i4[::1], f8[::1]), none, f8[::1], i8[::1], b1, f8, f8, f8, i8, out i8[::1], "
    "(out i8[::1], out f8[::1], out i8[::1]), (out f8[::1], out i4[::1], out f8[::1], out "
    "i4[::1], out i8[::1])",
    "none, (u1[::1], i8[:,::1], f8[::1], i8, i8, b1, b1), f4[::1], i8[::1], b1, f8, f8, f8, "
    "i8, out i8[::1], (out i8[::1], out f8[::1], out i8[::1]), (out f8[::1], out i4[::1], "
    "out f8[::1], out i4[::1], out i8[::1])",
    "none, (u1[::1], i8[:,::1], f8[::1], i8, i8, b1, b1), f8[::1], i8[::1], b1, f8, f8, f8, "
    "i8, out i8[::1], (out i8[::1], out f8[::1], out i8[::1]), (out f8[::1], out i4[::1], "
    "out f8[::1], out i4[::1], out i8[::1])",
    "none, (u8[::1], i8[:,::1], f8[::1], i8, i8, b1, b1), f4[::1], i8[::1], b1, f8, f8, f8, "
    "i8, out i8[::1], (out i8[::1], out f8[::1], out i8[::1]), (out f8[::1], out i4[::1], "
    "out f8[::1], out i4[::1], out i8[::1])",
    "none, (u8[::1], i8[:,::1], f8[::1], i8, i8, b1, b1), f8[::1], i8[::1], b1, f8, f8, f8, "
    "i8, out i8[::1], (out i8[::1], out f8[::1], out i8[::1]), (out f8[::1], out i4[::1], "
    "out f8[::1], out i4[::1], out i8[::1])",
)
def reach_many(
    arcs,
    grid,
    cost,
    starts,
    enter,
    limit,
    lowest,
    highest,
    first,
    counts,
    reached,
    scratch,
):
    """Search for the cells within `limit` of each of the cells `starts`, from number `first` on;
    return how many are done, and the first cell with an invalid cost, or -1.

    Write how many cells each reaches into `counts`, and into `reached` (cells, distances, the cell
    before each) one after the other, what those before `first` reach included. See `reach` for the
    other arguments. `scratch` is (dist, came, keys, cells, sizes); `dist` is infinite before and
    after. Without an invalid cost, fewer are done than there are where `reached` or the heap of
    `keys` and `cells` are too short.
    """
    found, distances, before = reached
    dist, came, keys, cells, sizes = scratch
    at = np.int64(0)
    for i in range(first):
        at += counts[i]
    for i in range(first, starts.shape[0]):
        start = starts[i]
        own = np.float64(cost[min(start, cost.shape[0] - 1)])
        if not own >= lowest:
            return i, start
        keys[0], cells[0], dist[start], came[start] = 0.0, np.int32(start), 0.0, np.int32(start)
        sizes[0], sizes[1] = 0, 1
        rest = found[at:]
        most = np.int64(rest.shape[0])
        bad = reach(
            arcs,
            grid,
            cost,
            enter,
            limit,
            lowest,
            highest,
            most,
            dist,
            came,
            keys,
            cells,
            rest,
            sizes,
        )
        count, left = sizes[0], sizes[1]
        for k in range(left):
            dist[cells[k]] = np.inf
        for k in range(at, at + count):
            cell = found[k]
            distances[k], before[k] = dist[cell], np.int64(came[cell])
        for k in range(at, at + count):
            dist[found[k]] = np.inf
        if bad >= 0 or left > 0:
            return i, bad
        counts[i] = count
        at += count
    return np.int64(starts.shape[0]), np.int64(-1)
