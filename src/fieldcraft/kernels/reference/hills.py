"""Hills and countries of a map of values, spelled out: the specification of `fieldcraft.kernels.hills`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["label", "measure", "peaks"]

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Links = NDArray[np.unsignedinteger]


def peaks(
    values: Floats, walls: Bools, links: Links, moves: Ints, masks: Links, ends: Bools, threshold: float, wrap: bool, out: Ints
) -> int:
    """The cells above the threshold beside which nothing is higher, into `out`; how many. Of a plateau, the middle one.

    Cells lie beside each other if one of the `moves` (columns, rows) leads from one to the other: move `m` is open where
    `masks[m]` is set in the `links` of the cell in which it ends, if `ends[m]`, or else in those of the cell it leaves.
    """
    flat = values.reshape(-1)
    seen: set[int] = set()
    found = []
    for cell in np.flatnonzero((values > threshold) & ~walls).tolist():
        if cell in seen:
            continue
        plateau = [(cell, cell % values.shape[1], cell // values.shape[1])]
        seen.add(cell)
        top = True
        for here, x, y in plateau:
            for there, dx, dy in _beside(walls, links, moves, masks, ends, here, wrap):
                top = top and bool(flat[there] <= flat[cell])
                if flat[there] == flat[cell] and there not in seen:
                    seen.add(there)
                    plateau.append((there, x + dx, y + dy))
        if top:
            found.append(_middle(plateau))
    out[: len(found)] = found
    return len(found)


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
    """Number the joined cells above the threshold from 1 on, by their first cell, in `labels`; (regions, cells in them).

    `queue` gets the cells region by region, `columns` and `rows` where they lie without the jump across the rim of a torus.
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
            for there, dx, dy in _beside(walls, links, moves, masks, ends, here, wrap):
                if not number[there] and flat[there] > threshold:
                    number[there] = count
                    region.append((there, x + dx, y + dy))
        queue[size : size + len(region)], columns[size : size + len(region)], rows[size : size + len(region)] = zip(*region, strict=True)
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
    """Of each region its number of cells, sum, highest cell (of equals the lowest) and middle cell; `tops` holds -1."""
    flat, number = values.reshape(-1), labels.reshape(-1)
    for region in range(len(cells)):
        own = np.flatnonzero(number == region + 1)
        cells[region] = len(own)
        for cell in own:
            totals[region] += flat[cell]
        tops[region] = own[np.argmax(flat[own])]
        here = number[queue[:size]] == region + 1
        middles[region] = _middle(list(zip(queue[:size][here].tolist(), columns[:size][here], rows[:size][here], strict=True)))


def _beside(walls: Bools, links: Links, moves: Ints, masks: Links, ends: Bools, cell: int, wrap: bool) -> Iterator[tuple[int, int, int]]:
    """The open cells that a move joins to a cell, each with (columns, rows) to it."""
    height, width = walls.shape
    y, x = divmod(cell, width)
    for (dx, dy), mask, end in zip(moves.tolist(), masks, ends, strict=True):
        ny, nx = y + dy, x + dx
        if wrap:
            ny, nx = ny % height, nx % width
        elif not (0 <= ny < height and 0 <= nx < width):
            continue
        if not walls[ny, nx] and links[(ny, nx) if end else (y, x)] & mask:
            yield ny * width + nx, dx, dy


def _middle(cells: list[tuple[int, int, int]]) -> int:
    """Of (cell, column, row), the cell nearest to the mean, of equals the lowest."""
    mean_x = sum(int(x) for _, x, _ in cells) / len(cells)
    mean_y = sum(int(y) for _, _, y in cells) / len(cells)
    return min(((x - mean_x) * (x - mean_x) + (y - mean_y) * (y - mean_y), cell) for cell, x, y in cells)[1]
