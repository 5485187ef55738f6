"""Regions of a map of values, spelled out: the specification of `fieldcraft.kernels.regions`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracles.peaks import Bools, Floats, Ints, Links, Wide, beside, middle

__all__ = ["label", "measure"]


def label(
    values: Floats,
    walls: Bools,
    links: Links,
    moves: Ints,
    masks: Links,
    ends: Bools,
    threshold: float,
    wrap: bool,
    labels: NDArray[np.int32],
    queue: Ints,
    columns: Ints,
    rows: Ints,
) -> tuple[int, int]:
    """Number the joined cells above the threshold from 1 on, by their first cell, in `labels`;
    (regions, cells in them).

    `queue` gets the cells region by region, `columns` and `rows` where they lie without the jump
    across the rim of a torus.
    """
    width = values.shape[1]
    flat, number = values.reshape(-1), labels.reshape(-1)
    count = size = 0
    for cell in np.flatnonzero((values > threshold) & ~walls).tolist():
        if number[cell]:
            continue
        count += 1
        number[cell] = count
        region = [(cell, cell % width, cell // width)]
        for here, x, y in region:
            for there, dx, dy in beside(walls, links, moves, masks, ends, here, wrap):
                if not number[there] and flat[there] > threshold:
                    number[there] = count
                    region.append((there, x + dx, y + dy))
        (
            queue[size : size + len(region)],
            columns[size : size + len(region)],
            rows[size : size + len(region)],
        ) = zip(*region, strict=True)
        size += len(region)
    return count, size


def measure(
    values: Floats,
    labels: NDArray[np.int32],
    queue: Ints,
    columns: Ints,
    rows: Ints,
    size: int,
    cells: Ints,
    totals: Wide,
    tops: Ints,
    middles: Ints,
) -> None:
    """Of each region its number of cells, sum, highest cell (of equals the lowest) and middle cell;
    `tops` holds -1.
    """
    flat, number = values.reshape(-1), labels.reshape(-1)
    for region in range(len(cells)):
        own = np.flatnonzero(number == region + 1)
        cells[region] = len(own)
        for cell in own:
            totals[region] += flat[cell]
        tops[region] = own[np.argmax(flat[own])]
        here = number[queue[:size]] == region + 1
        middles[region] = middle(
            list(
                zip(
                    queue[:size][here].tolist(),
                    columns[:size][here],
                    rows[:size][here],
                    strict=True,
                )
            )
        )
