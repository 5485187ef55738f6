"""Areas that meet at narrow places: a search that joins cells in the order of the widths of steps,
and bridges of graphs.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.shared.heap import pop, push

__all__ = ["across", "bridges", "extend", "flood"]


@kernel
def _root(parents, cell):
    """Return the number of the area that a cell belongs to so far."""
    while parents[cell] != cell:
        parents[cell] = parents[parents[cell]]
        cell = parents[cell]
    return cell


@kernel("i8[::1], i8[::1], f8[::1], f8, out i8[::1], out f8[::1], out b1[::1]")
def flood(origins, ends, widths, narrowing, parents, peaks, between):
    """Join the cells at both ends of each step, the widest step first, unless it is narrow: less
    than `narrowing` times as wide as both areas at their widest.

    `parents` holds the cells' own numbers, and at the end the number of the area of each; `peaks`
    are the widths of cells, and become those of areas. `between` becomes True for narrow steps.
    """
    for k in range(origins.shape[0]):
        a = _root(parents, origins[k])
        b = _root(parents, ends[k])
        if a == b:
            continue
        if widths[k] < narrowing * min(peaks[a], peaks[b]):
            between[k] = True
            continue
        low, high = min(a, b), max(a, b)
        parents[high] = low
        peaks[low] = max(peaks[a], peaks[b])
    for cell in range(parents.shape[0]):
        parents[cell] = _root(parents, np.int64(cell))


@kernel(
    "i8[::1], i4[::1], f8[::1], out i8[::1], out f8[::1], (out f8[::1], out i4[::1])",
)
def extend(starts, ends, lengths, areas, distances, heap):
    """Give cells without an area, -2, that of the nearest cell which has one, by the lengths of
    steps; of equally near ones the area with the lower number.

    `distances` hold infinity; `heap` has room for all steps.
    """
    keys, cells = heap
    size = np.int64(0)
    for cell in range(areas.shape[0]):
        if areas[cell] < 0:
            continue
        distances[cell] = 0.0
        for k in range(starts[cell], starts[cell + 1]):
            if areas[ends[k]] == -2:
                size = push(keys, cells, size, 0.0, np.int32(cell), True)
                break
    while size > 0:
        away = keys[0]
        nearest = np.int64(cells[0])
        size = pop(keys, cells, size, True)
        if away > distances[nearest]:
            continue
        for k in range(starts[nearest], starts[nearest + 1]):
            there = np.int64(ends[k])
            farther = away + lengths[k]
            if farther < distances[there]:
                distances[there] = farther
                areas[there] = areas[nearest]
                size = push(keys, cells, size, farther, ends[k], True)
            elif farther == distances[there] and away < farther:
                areas[there] = min(areas[there], areas[nearest])


@kernel("i8[::1], i4[::1], out b1[::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1]")
def bridges(starts, ends, found, order, low, stack, nexts):
    """Mark the arcs of bridges: edges without which their ends would not be connected.

    Arcs come in pairs, one in each direction, and no two join the same cells. `order` holds -1;
    `low`, `stack` and `nexts` are scratch with a number per cell.
    """
    count = np.int64(0)
    size = starts.shape[0] - 1
    for root in range(size):
        if order[root] >= 0:
            continue
        depth = np.int64(0)
        stack[0] = root
        order[root] = low[root] = count
        count += 1
        nexts[root] = starts[root]
        while depth >= 0:
            v = stack[depth]
            if nexts[v] < starts[v + 1]:
                n = np.int64(ends[nexts[v]])
                nexts[v] += 1
                if order[n] < 0:
                    depth += 1
                    stack[depth] = n
                    order[n] = low[n] = count
                    count += 1
                    nexts[n] = starts[n]
                elif depth == 0 or n != stack[depth - 1]:
                    low[v] = min(low[v], order[n])
            else:
                depth -= 1
                if depth >= 0:
                    u = stack[depth]
                    low[u] = min(low[u], low[v])
                    if low[v] > order[u]:
                        for k in range(starts[u], starts[u + 1]):
                            if ends[k] == v:
                                found[k] = True
                        for k in range(starts[v], starts[v + 1]):
                            if ends[k] == u:
                                found[k] = True


@kernel
def _blocked(walls, y, x, wrap):
    """Return whether a cell is a wall or off the map."""
    height, width = walls.shape
    if wrap & WRAP_X != 0:
        x %= width
    if wrap & WRAP_Y != 0:
        y %= height
    return y < 0 or y >= height or x < 0 or x >= width or walls[y, x]


@kernel("b1[:,::1], i8[::1], f8[::1], i8, out f8[::1]")
def across(walls, cells, clearances, wrap, out):
    """Write the distance from the nearest blocked cell to the nearest one on the other side of each
    of `cells`, over the cell, in cells from center to center.

    `clearances` are the distances to the nearest blocked cell. Where there is none on the other
    side within three times of it, the width is twice as far.
    """
    width = walls.shape[1]
    for k in range(cells.shape[0]):
        row = cells[k] // width
        column = cells[k] - row * width
        reach = np.int64(3.0 * clearances[k]) + 3
        best = np.inf
        near_y, near_x = 0.0, 0.0
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                away = np.float64(dy * dy + dx * dx)
                if away < best and _blocked(walls, row + dy, column + dx, wrap):
                    best, near_y, near_x = away, np.float64(dy), np.float64(dx)
        other = np.inf
        out[k] = 2.0 * clearances[k]
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                away = np.float64(dy * dy + dx * dx)
                if away >= other or not _blocked(walls, row + dy, column + dx, wrap):
                    continue
                turn = dy * near_y + dx * near_x
                if turn < -0.5 * np.sqrt(away * best):
                    other = away
                    out[k] = np.sqrt((dy - near_y) ** 2 + (dx - near_x) ** 2)
