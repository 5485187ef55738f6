"""Regions of a map of values."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.peaks import middle
from fieldcraft.kernels.sample import on_map

__all__ = ["label", "measure"]


@kernel(
    "f4[:,::1], b1[:,::1], u1[:,::1], i8[:,::1], u1[::1], b1[::1], f8, b1, out i4[:,::1], out"
    " i8[::1], out i8[::1], out i8[::1]",
    "f4[:,::1], b1[:,::1], u8[:,::1], i8[:,::1], u8[::1], b1[::1], f8, b1, out i4[:,::1], out"
    " i8[::1], out i8[::1], out i8[::1]",
    error_model="numpy",
)
def label(values, walls, links, moves, masks, ends, threshold, wrap, labels, queue, columns, rows):
    """Number the joined cells above the threshold from 1 on, by their first cell, in `labels`;
    (regions, cells in them).

    `queue` gets the cells region by region, `columns` and `rows` where they lie without the jump
    across the rim of a torus.
    """
    height, width = values.shape
    flat = values.reshape(-1)
    wall = walls.reshape(-1)
    link = links.reshape(-1)
    reach = np.abs(moves).max()
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
            y = here // width
            x = here - y * width
            inner = reach <= x < width - reach and reach <= y < height - reach
            for m in range(moves.shape[0]):
                there = here + moves[m, 1] * width + moves[m, 0]
                if not inner:
                    ny = on_map(y + moves[m, 1], height, wrap)
                    nx = on_map(x + moves[m, 0], width, wrap)
                    if ny < 0 or nx < 0:
                        continue
                    there = ny * width + nx
                if (
                    number[there] != 0
                    or wall[there]
                    or not flat[there] > threshold
                    or link[there if ends[m] else here] & masks[m] == 0
                ):
                    continue
                number[there] = count
                queue[size], columns[size] = there, columns[i] + moves[m, 0]
                rows[size] = rows[i] + moves[m, 1]
                size += 1
            i += 1
    return count, size


@kernel(
    "f4[:,::1], i4[:,::1], i8[::1], i8[::1], i8[::1], i8, out i8[::1], out f8[::1], out i8[::1],"
    " out i8[::1]"
)
def measure(values, labels, queue, columns, rows, size, cells, totals, tops, middles):
    """Of each region its number of cells, sum, highest cell (of equals the lowest) and middle cell;
    `tops` holds -1.
    """
    flat = values.reshape(-1)
    number = labels.reshape(-1)
    for cell in range(flat.shape[0]):
        region = number[cell] - 1
        if region >= 0:
            cells[region] += 1
            totals[region] += flat[cell]
            if tops[region] < 0 or flat[cell] > flat[tops[region]]:
                tops[region] = cell
    first = np.int64(0)
    while first < size:
        region = number[queue[first]] - 1
        middles[region] = middle(queue, columns, rows, first, first + cells[region])
        first += cells[region]
