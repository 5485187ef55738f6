"""Regions of a map of values."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_steps import neighbor
from fieldcraft.kernels.values.peaks import middle

__all__ = ["label", "measure"]


@kernel(
    "f4[:,::1], b1[:,::1], u1[:,::1], i8[:,::1], u1[::1], b1[::1], f8, b1, out i4[:,::1], out"
    " i8[::1], out i8[::1], out i8[::1]",
    "f4[:,::1], b1[:,::1], u8[:,::1], i8[:,::1], u8[::1], b1[::1], f8, b1, out i4[:,::1], out"
    " i8[::1], out i8[::1], out i8[::1]",
    error_model="numpy",
)
def label(values, walls, links, moves, masks, ends, threshold, wrap, labels, queue, columns, rows):
    """Number the connected cells above the threshold from 1 on, by their first cell, in `labels`;
    return (regions, cells in them).

    `queue` receives the cells region by region, `columns` and `rows` their places without the jump
    across the rim of a torus.
    """
    height, width = values.shape
    flat = values.reshape(-1)
    wall = walls.reshape(-1)
    link = links.reshape(-1)
    number = labels.reshape(-1)
    count, size = 0, 0
    for cell in range(flat.shape[0]):
        if wall[cell] or number[cell] != 0 or not flat[cell] > threshold:
            continue
        count += 1
        number[cell] = count
        queue[size], columns[size], rows[size] = cell, cell % width, cell // width
        i = size
        size += 1
        while i < size:
            here = queue[i]
            for m in range(moves.shape[0]):
                dx, dy = moves[m, 0], moves[m, 1]
                there = neighbor(here, dx, dy, dy * width + dx, width, height, wrap)
                if (
                    there < 0
                    or number[there] != 0
                    or wall[there]
                    or not flat[there] > threshold
                    or link[there if ends[m] else here] & masks[m] == 0
                ):
                    continue
                number[there] = count
                queue[size], columns[size] = there, columns[i] + dx
                rows[size] = rows[i] + dy
                size += 1
            i += 1
    return count, size


@kernel(
    "f4[:,::1], i4[:,::1], i8[::1], i8[::1], i8[::1], i8, out i8[::1], out f8[::1], out i8[::1],"
    " out i8[::1]"
)
def measure(values, labels, queue, columns, rows, size, cells, totals, tops, middles):
    """Write the number of cells, the sum, the highest cell (of equals the lowest) and the middle
    cell of each region; `cells` and `totals` hold 0 at first.
    """
    flat = values.reshape(-1)
    number = labels.reshape(-1)
    for cell in range(flat.shape[0]):
        region = number[cell] - 1
        if region >= 0:
            cells[region] += 1
            totals[region] += flat[cell]
            if cells[region] == 1 or flat[cell] > flat[tops[region]]:
                tops[region] = cell
    first = np.int64(0)
    while first < size:
        region = number[queue[first]] - 1
        middles[region] = middle(queue, columns, rows, first, first + cells[region])
        first += cells[region]
