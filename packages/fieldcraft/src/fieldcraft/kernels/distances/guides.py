"""Distances to the goals of single agents: rows of all cells, and tables of few cells.

A table is a range of rows (cell, distance in units of 1 / `UNITS`), with the cell -1 in empty rows.
A cell is in the row that `_place_of` returns or in the next free one; four consecutive cells are
stored together.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["UNITS", "against", "looked_up", "store", "surround"]

UNITS = 1024.0
_MOST = 2147483647.0
_SPREAD = np.int64(0x9E3779B1)
_LOWER = (np.int64(1) << np.int64(32)) - np.int64(1)


@kernel(forceinline=True)
def _place_of(cell, size):
    """Return the row of a table of `size` rows at which the search for a cell begins."""
    place = ((((cell >> 2) * _SPREAD) & _LOWER) * size >> 32) + (cell & 3)
    return place if place < size else place - size


@kernel(forceinline=True)
def looked_up(cell, low, high, table):
    """Return the distance of a cell in the rows from `low` to `high`, inf if it is not there."""
    size = high - low
    if size < 4:
        return np.float32(np.inf)
    place = _place_of(cell, size)
    while table[low + place, 0] >= 0:
        if table[low + place, 0] == cell:
            return np.float32(table[low + place, 1] / UNITS)
        place += 1
        if place == size:
            place = 0
    return np.float32(np.inf)


@kernel("f4[:,::1], i4[::1], i4[::1], f8[:,::1], f8, out f8[::1]")
def against(flow, begins, ends, along, weight, factors):
    """Write the factor by which the cost of each step grows: 1, and `weight` times the flow against
    it.

    `flow` (N, d) is a vector for each cell; the flow along a step is the mean of its two cells, in
    the direction `along` (A, d).
    """
    for arc in range(begins.shape[0]):
        total = 0.0
        for axis in range(along.shape[1]):
            both = np.float64(flow[begins[arc], axis]) + np.float64(flow[ends[arc], axis])
            total += both * along[arc, axis]
        factors[arc] = 1.0 + weight * max(-0.5 * total, 0.0)


@kernel("(i8[::1], i4[::1], f8[::1]), i8[::1], i8, out f8[::1], out i4[::1]")
def surround(into, path, width, dist, found):
    """Write the cells up to `width` steps beside a path into `found`, and their distances to its
    end along the path into `dist`, all inf before. Return their number.

    `into` is (starts, origins, lengths): the steps by the cell that they end in. Steps along the
    path have length 1.
    """
    starts, origins, lengths = into
    count = np.int64(0)
    for k in range(path.shape[0]):
        cell = path[k]
        if dist[cell] == np.inf:
            found[count] = cell
            count += 1
        dist[cell] = path.shape[0] - 1.0 - k
    first = np.int64(0)
    for _ring in range(width):
        last = count
        for k in range(first, last):
            cell = np.int64(found[k])
            for arc in range(starts[cell], starts[cell + 1]):
                other = np.int64(origins[arc])
                away = dist[cell] + lengths[arc]
                if dist[other] == np.inf:
                    found[count] = other
                    count += 1
                if away < dist[other]:
                    dist[other] = away
        first = last
    return count


@kernel("i4[::1], out f8[::1], out i4[:,::1]")
def store(cells, dist, table):
    """Write the distances of cells into a table with more rows than cells, and inf into `dist`."""
    table[:, 0] = -1
    size = np.int64(table.shape[0])
    for k in range(cells.shape[0]):
        cell = np.int64(cells[k])
        place = _place_of(cell, size)
        while table[place, 0] >= 0:
            place += 1
            if place == size:
                place = 0
        table[place, 0], table[place, 1] = cell, np.int64(min(dist[cell] * UNITS + 0.5, _MOST))
        dist[cell] = np.inf
