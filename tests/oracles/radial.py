"""Radial footprints, spelled out: the specification of `fieldcraft.kernels.radial`.

A footprint is which cells a source acts on and how far each is. Amounts are whole numbers: a
strength times a weight, rounded to a multiple of 2**-24, so that sums do not depend on their order
and subtracting restores exactly.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LENGTH_SCALE",
    "SCALE",
    "TILE_COLUMNS",
    "TILE_ROWS",
    "amount",
    "clear",
    "connected",
    "listed",
    "mark_boxes",
    "path",
    "publish",
    "reaching",
    "scatter",
    "scatter_strongest",
    "stamp",
    "stamp_many",
    "stamp_strongest",
    "straight",
]

Sums = NDArray[np.int64]
Tiles = NDArray[np.uint8]
SCALE = float(1 << 24)
LENGTH_SCALE = float(1 << 24)
TILE_ROWS = 8
TILE_COLUMNS = 16


def amount(strength: float, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The amount that a source adds at cells of these weights, in units of 1 / SCALE: rounded to
    even. `strength` is times SCALE.
    """
    return np.rint(strength * weights).astype(np.int64)


def offset(here: int, there: int, size: int, wrap: bool) -> int:
    """The signed steps from one column (or row) to another: the short way round on a torus,
    forwards on a tie.
    """
    away = there - here
    return (away + (size - 1) // 2) % size - (size - 1) // 2 if wrap else away


def straight(shape: tuple[int, int], cell: int, radius: float, wrap: bool) -> dict[int, int]:
    """Cells within a radius (in cells), walls included, and their squared distance."""
    height, width = shape
    row, column = divmod(cell, width)
    found = {}
    for y in range(height):
        for x in range(width):
            dx, dy = offset(column, x, width, wrap), offset(row, y, height, wrap)
            if dx * dx + dy * dy <= radius * radius:
                found[y * width + x] = dx * dx + dy * dy
    return found


def connected(
    links: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    cell: int,
    radius: float,
    wrap: bool,
) -> dict[int, int]:
    """The cells of `straight` that a walk from the source reaches without leaving the radius."""
    inside = straight(links.shape, cell, radius, wrap)
    found = {cell: 0}
    waiting = [cell]
    while waiting:
        for there, _ in _neighbors(links, steps, waiting.pop(), wrap):
            if there in inside and there not in found:
                found[there] = inside[there]
                waiting.append(there)
    return found


def path(
    links: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    lengths: NDArray[np.int64],
    cell: int,
    limit: int,
    wrap: bool,
    extra: NDArray[np.int64] | None = None,
) -> dict[int, int]:
    """Cells within a walking distance and that distance; lengths are whole numbers of 1 /
    LENGTH_SCALE cells.
    """
    best = {cell: 0}
    heap = [(0, cell)]
    while heap:
        gone, here = heapq.heappop(heap)
        if gone > best[here]:
            continue
        for there, k in _neighbors(links, steps, here, wrap):
            after = gone + int(lengths[k]) + (0 if extra is None else int(extra.reshape(-1)[there]))
            if after <= limit and after < best.get(there, limit + 1):
                best[there] = after
                heapq.heappush(heap, (after, there))
    return best


def stamp(
    weights: NDArray[np.float64],
    cell: int,
    strength: float,
    first: int,
    last: int,
    wrap: bool,
    sums: Sums,
    dirty: Tiles,
) -> None:
    """Add the rows [first, last) of a footprint around a cell."""
    cells, shares = listed(sums.shape, cell, weights, first, last, wrap)
    scatter(cells, shares, strength, 0, sums.size, sums, dirty)


def stamp_many(
    sources: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]],
    prints: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]],
    wrap: bool,
    top: int,
    bottom: int,
    anew: bool,
    sums: Sums,
    dirty: Tiles,
) -> None:
    """Add one whole footprint per cell, to the map's rows [top, bottom), or to all of them on a
    torus; `anew` clears these first.
    """
    if anew:
        sums[top:bottom] = 0
    tables, starts, reaches = prints
    for cell, strength, number in zip(*(column.tolist() for column in sources), strict=True):
        r = int(reaches[number])
        side = 2 * r + 1
        row = cell // sums.shape[1]
        first, last = (0, side) if wrap else (max(0, top - row + r), min(side, bottom - row + r))
        weights = tables[starts[number] : starts[number] + side * side].reshape(side, side)
        stamp(weights, cell, strength, first, last, wrap, sums, dirty)


def stamp_strongest(
    weights: NDArray[np.float64],
    cell: int,
    strength: float,
    first: int,
    last: int,
    wrap: bool,
    sums: Sums,
    dirty: Tiles,
) -> None:
    """`stamp` in dirty tiles only; the strongest magnitude stays, the positive one of equals."""
    cells, shares = listed(sums.shape, cell, weights, first, last, wrap)
    scatter_strongest(cells, shares, strength, 0, sums.size, sums, dirty)


def scatter(
    cells: NDArray[np.int64],
    weights: NDArray[np.float64],
    strength: float,
    first: int,
    last: int,
    sums: Sums,
    dirty: Tiles,
) -> None:
    """Add to the listed cells, those of [first, last) in the list, and mark their tiles."""
    cells = cells[first:last]
    np.add.at(sums.reshape(-1), cells, amount(strength, weights[first:last]))
    dirty[cells // sums.shape[1] // TILE_ROWS, cells % sums.shape[1] // TILE_COLUMNS] = 1


def scatter_strongest(
    cells: NDArray[np.int64],
    weights: NDArray[np.float64],
    strength: float,
    first: int,
    last: int,
    sums: Sums,
    dirty: Tiles,
) -> None:
    """`stamp_strongest` for listed cells."""
    flat = sums.reshape(-1)
    for cell, new in zip(
        cells[first:last].tolist(), amount(strength, weights[first:last]).tolist(), strict=True
    ):
        old = int(flat[cell])
        if dirty[cell // sums.shape[1] // TILE_ROWS, cell % sums.shape[1] // TILE_COLUMNS] and (
            abs(new),
            new,
        ) > (abs(old), old):
            flat[cell] = new


def clear(dirty: Tiles, first: int, last: int, sums: Sums) -> int:
    """Set the dirty tiles of the tile rows [first, last) to 0; how many there were."""
    chosen = np.zeros_like(dirty)
    chosen[first:last] = dirty[first:last]
    sums[_spread_out(chosen, sums.shape)] = 0
    return int(np.count_nonzero(chosen))


def mark_boxes(
    cells: NDArray[np.int64],
    which: NDArray[np.int64],
    reaches: NDArray[np.int64],
    height: int,
    width: int,
    wrap: bool,
    dirty: Tiles,
) -> None:
    """Mark the tiles that footprints of these reaches around these cells may touch."""
    for cell, number in zip(cells.tolist(), which.tolist(), strict=True):
        dirty[_box(cell, int(reaches[number]), height, width, wrap)] = 1


def reaching(
    dirty: Tiles,
    cells: NDArray[np.int64],
    which: NDArray[np.int64],
    reaches: NDArray[np.int64],
    height: int,
    width: int,
    wrap: bool,
    found: NDArray[np.bool_],
) -> None:
    """Whether any tile that a footprint may touch is dirty, one answer per cell, into `found`."""
    for i, (cell, number) in enumerate(zip(cells.tolist(), which.tolist(), strict=True)):
        found[i] = dirty[_box(cell, int(reaches[number]), height, width, wrap)].any()


def publish(
    sums: Sums,
    walls: NDArray[np.bool_],
    dirty: Tiles,
    first: int,
    last: int,
    values: NDArray[np.float32],
) -> int:
    """Turn the dirty tiles of the tile rows [first, last) into float32, 0 on walls; how many there
    were.
    """
    chosen = np.zeros_like(dirty)
    chosen[first:last] = dirty[first:last]
    cells = _spread_out(chosen, sums.shape)
    values[cells] = np.where(walls[cells], np.float32(0), (sums[cells] / SCALE).astype(np.float32))
    return int(np.count_nonzero(chosen))


def listed(
    shape: tuple[int, ...],
    cell: int,
    weights: NDArray[np.float64],
    first: int,
    last: int,
    wrap: bool,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cells that rows of a footprint cover, each once, and their weights."""
    height, width = shape
    row, column = divmod(cell, width)
    r = len(weights) // 2
    cells, found = [], []
    for j in range(first, last):
        for i in range(2 * r + 1):
            y, x = row + j - r, column + i - r
            if (
                wrap
                and offset(row, y % height, height, True) == j - r
                and offset(column, x % width, width, True) == i - r
            ):
                y, x = y % height, x % width
            elif wrap or not (0 <= y < height and 0 <= x < width):
                continue
            cells.append(y * width + x)
            found.append(weights[j, i])
    return np.array(cells, dtype=np.int64), np.array(found)


def _box(cell: int, r: int, height: int, width: int, wrap: bool) -> tuple[NDArray[np.int64], ...]:
    """The tiles over the square of a reach around a cell, as an index."""

    def tiles(middle: int, size: int, tile: int) -> NDArray[np.int64]:
        span = np.arange(middle - r, middle + r + 1)
        return np.unique((span % size if wrap else span[(span >= 0) & (span < size)]) // tile)

    row, column = divmod(cell, width)
    return np.ix_(tiles(row, height, TILE_ROWS), tiles(column, width, TILE_COLUMNS))


def _spread_out(tiles: Tiles, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The cells of marked tiles."""
    return np.repeat(np.repeat(tiles != 0, TILE_ROWS, axis=0), TILE_COLUMNS, axis=1)[
        : shape[0], : shape[1]
    ]


def _neighbors(
    links: NDArray[np.unsignedinteger], steps: NDArray[np.int64], cell: int, wrap: bool
) -> list[tuple[int, int]]:
    height, width = links.shape
    row, column = divmod(cell, width)
    found = []
    for k, (dx, dy) in enumerate(steps.tolist()):
        y, x = row + dy, column + dx
        if wrap:
            y, x = y % height, x % width
        if 0 <= y < height and 0 <= x < width and int(links[y, x]) >> k & 1:
            found.append((y * width + x, k))
    return found
