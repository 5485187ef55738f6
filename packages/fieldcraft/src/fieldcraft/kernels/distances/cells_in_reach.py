"""The cells within a limit of a start: Dijkstra's search, which reads no costs beyond it."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_steps import listed_steps, neighbor, next_cell
from fieldcraft.kernels.distances.reach_arrays import (
    ReachedCells,
    ReachGrid,
    ReachRule,
    ReachScratch,
)
from fieldcraft.kernels.shared.heap import pop, push
from fieldcraft.kernels.shared.step_lists import OUT_STEPS, OutSteps

__all__ = [
    "OutSteps",
    "ReachGrid",
    "ReachRule",
    "ReachScratch",
    "ReachedCells",
    "reach",
    "reach_many",
]

_GRID_1 = "ReachGrid(u1[::1], i8[:,::1], f8[::1], i8, i8, b1, b1)"
_GRID_8 = "ReachGrid(u8[::1], i8[:,::1], f8[::1], i8, i8, b1, b1)"
_RULE = "ReachRule(b1, f8, f8, f8)"
_FOUND = "out f8[::1], out i4[::1], out f8[::1], out i4[::1], out i8[::1], out i8[::1]"
_ALL = (
    "out i8[::1], ReachedCells(out i8[::1], out f8[::1], out i8[::1]),"
    " ReachScratch(out f8[::1], out i4[::1], out f8[::1], out i4[::1], out i8[::1])"
)


@kernel
def _over(d, v, n, length, cost, rule):
    """Return the distance of n over a step from v: infinite into a wall, -1 for an invalid cost."""
    if cost.shape[0] == 1:
        return d + length * np.float64(cost[0])
    price = np.float64(cost[n])
    if price == np.inf:
        return np.inf
    if not rule.lowest <= price <= rule.highest:
        return -1.0
    if rule.enter:
        return d + length * price
    return d + (length * 0.5) * (np.float64(cost[v]) + price)


@kernel(forceinline=True)
def _end(arcs, grid, cost, cell, step):
    """Return the cell that a step out of a cell enters, -1 where there is none, and its length."""
    end, length = np.int64(-1), np.inf
    if arcs is not None:
        end, length = np.int64(arcs.ends[step]), arcs.lengths[step]
    if grid is not None:
        steps = grid.steps
        dx, dy, offset = steps[step, 0], steps[step, 1], steps[step, 2]
        end = next_cell(None, grid, cell, step)
        length = grid.lengths[step]
        if end >= 0 and grid.guarded and abs(dx) == 1 and abs(dy) == 1:
            none = np.int64(0)
            across = neighbor(cell, dx, none, dx, grid.width, grid.height, grid.wrap)
            down = neighbor(cell, none, dy, offset - dx, grid.width, grid.height, grid.wrap)
            if cost[across] == np.inf or cost[down] == np.inf:
                end = np.int64(-1)
    return end, length


@kernel(
    f"{OUT_STEPS}, none, f4[::1], {_RULE}, i8, {_FOUND}",
    f"{OUT_STEPS}, none, f8[::1], {_RULE}, i8, {_FOUND}",
    f"none, {_GRID_1}, f4[::1], {_RULE}, i8, {_FOUND}",
    f"none, {_GRID_1}, f8[::1], {_RULE}, i8, {_FOUND}",
    f"none, {_GRID_8}, f4[::1], {_RULE}, i8, {_FOUND}",
    f"none, {_GRID_8}, f8[::1], {_RULE}, i8, {_FOUND}",
)
def reach(
    arcs,
    grid,
    cost,
    rule,
    most,
    dist,
    came,
    keys,
    cells,
    found,
    sizes,
):
    """Continue a search for the cells in reach, by at most `most` cells; return -1, or the first
    cell with an invalid cost.

    One of `arcs`, which are `OutSteps`, and `grid` is None. `cost` has one number per cell, or one
    for all. `dist` is infinite for cells that are not reached; `came` holds
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
            s = _over(d, v, n, length, cost, rule)
            if s < 0:
                bad = n
                break
            if s <= rule.limit and s < dist[n]:
                dist[n], came[n] = s, v
                size = push(keys, cells, size, s, np.int32(n), True)
    sizes[0], sizes[1] = count, size
    return bad


@kernel(
    f"{OUT_STEPS}, none, f4[::1], i8[::1], {_RULE}, i8, {_ALL}",
    f"{OUT_STEPS}, none, f8[::1], i8[::1], {_RULE}, i8, {_ALL}",
    f"none, {_GRID_1}, f4[::1], i8[::1], {_RULE}, i8, {_ALL}",
    f"none, {_GRID_1}, f8[::1], i8[::1], {_RULE}, i8, {_ALL}",
    f"none, {_GRID_8}, f4[::1], i8[::1], {_RULE}, i8, {_ALL}",
    f"none, {_GRID_8}, f8[::1], i8[::1], {_RULE}, i8, {_ALL}",
)
def reach_many(
    arcs,
    grid,
    cost,
    starts,
    rule,
    first,
    counts,
    reached,
    scratch,
):
    """Search for the cells in reach of each of the cells `starts`, from number `first` on; return
    how many are done, and the first cell with an invalid cost, or -1.

    Write how many cells each reaches into `counts`, and into `reached` these cells one after the
    other, what those before `first` reach included. See `reach` for the other arguments. Without
    an invalid cost, fewer are done than there are where `reached` or the heap of `scratch` are too
    short.
    """
    found = reached.cells
    distances = reached.distances
    before = reached.before
    dist = scratch.dist
    came = scratch.came
    keys = scratch.keys
    cells = scratch.cells
    sizes = scratch.sizes
    at = np.int64(0)
    for i in range(first):
        at += counts[i]
    for i in range(first, starts.shape[0]):
        start = starts[i]
        own = np.float64(cost[min(start, cost.shape[0] - 1)])
        if not own >= rule.lowest:
            return i, start
        keys[0], cells[0], dist[start], came[start] = 0.0, np.int32(start), 0.0, np.int32(start)
        sizes[0], sizes[1] = 0, 1
        rest = found[at:]
        most = np.int64(rest.shape[0])
        bad = reach(arcs, grid, cost, rule, most, dist, came, keys, cells, rest, sizes)
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
