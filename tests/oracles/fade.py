"""Fading, spelled out: the specification of `fieldcraft.kernels.fade`.

A cell holds the moment at which it will have faded to 0, so that time passes without touching any
cell. The moments of a map are kept tile by tile, (tiles, TILE_ROWS, TILE_COLUMNS), int32, 0 for
never; only tiles that are listed hold any beyond now, in the rows whose bits are set in `active`.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "TILE_COLUMNS",
    "TILE_ROWS",
    "bleed",
    "bleed_along",
    "exp2",
    "mark",
    "seep",
    "show",
    "slots",
]

TILE_ROWS = 16
TILE_COLUMNS = 64
_LN2 = 0.6931471805599453
SERIES = tuple(
    2.0**0.5 * _LN2**n / float(np.prod(np.arange(1, n + 1, dtype=np.float64))) for n in range(14)
)


def exp2(power: NDArray[np.float64]) -> NDArray[np.float64]:
    """2 to this power, for 0 to 1000: the same additions and products everywhere, where libraries
    differ in the last bit.
    """
    whole = np.floor(power)
    part = power - whole - 0.5
    result = np.full_like(power, SERIES[-1])
    for factor in SERIES[-2::-1]:
        result = result * part + factor
    return np.asarray(result * ((whole.astype(np.int64) + 1023) << 52).view(np.float64))


def slots(cells: NDArray[np.int64], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tile of each cell, and its place in the flattened moments."""
    rows, columns = np.divmod(cells, width)
    tiles = rows // TILE_ROWS * -(-width // TILE_COLUMNS) + columns // TILE_COLUMNS
    return tiles, (tiles * TILE_ROWS + rows % TILE_ROWS) * TILE_COLUMNS + columns % TILE_COLUMNS


def mark(
    ends: NDArray[np.int32],
    width: int,
    cells: NDArray[np.int64],
    moments: NDArray[np.int32],
    active: NDArray[np.uint16],
    listed: NDArray[np.int64],
    count: int,
) -> int:
    """Let these cells fade no earlier than these moments; returns how many tiles are listed now.

    A tile that is listed anew may have moments of long ago, which count from another epoch: it
    begins with none.
    """
    tiles, places = slots(cells, width)
    for tile, row in zip(tiles.tolist(), (cells // width % TILE_ROWS).tolist(), strict=True):
        if not active[tile]:
            ends[tile] = 0
            listed[count] = tile
            count += 1
        active[tile] |= np.uint16(1 << row)
    np.maximum.at(ends.reshape(-1), places, moments)
    return count


def show(
    ends: NDArray[np.int32],
    now: int,
    rate: float,
    half: float,
    low: float,
    most: np.float32,
    values: NDArray[np.float32],
    active: NDArray[np.uint16],
    listed: NDArray[np.int64],
    first: int,
    last: int,
) -> int:
    """Write what the tiles listed[first:last] read now; how many of them still hold anything. These
    come first in that part then.

    With `half` 0 a cell reads `rate` times what is left until its moment, else `low * 2**(left /
    half)`, at most `most`; 0 from its moment on.
    """
    across = -(-values.shape[1] // TILE_COLUMNS)
    kept = first
    for tile in listed[first:last].tolist():
        top, left = tile // across * TILE_ROWS, tile % across * TILE_COLUMNS
        shown = values[top : top + TILE_ROWS, left : left + TILE_COLUMNS]
        left_over = np.maximum(
            ends[tile, : shown.shape[0], : shown.shape[1]] - np.int32(now), np.int32(0)
        )
        if half == 0:
            shown[:] = (left_over * rate).astype(np.float32)
        else:
            reading = (low * exp2(left_over / half)).astype(np.float32)
            shown[:] = np.where(left_over > 0, np.minimum(reading, most), np.float32(0))
        active[tile] = sum(1 << row for row in np.flatnonzero(left_over.any(axis=1)).tolist())
        if active[tile]:
            listed[kept] = tile
            kept += 1
    return kept - first


def bleed(
    links: NDArray[np.unsignedinteger],
    masks: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    losses: NDArray[np.float64],
    cells: NDArray[np.int64],
    amounts: NDArray[np.float64],
    cut: float,
    wrap: bool,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cells that marks reach and the strongest that arrives in each, ascending by cell; what
    falls below `cut` goes no further.

    Each step k keeps `losses[k]` of what it carries.
    """
    height, width = links.shape
    best: dict[int, float] = {}
    heap: list[tuple[float, int]] = []
    for cell, amount in zip(cells.tolist(), amounts.tolist(), strict=True):
        if amount > best.get(cell, 0.0):
            best[cell] = amount
            heapq.heappush(heap, (-amount, cell))
    while heap:
        amount, cell = heapq.heappop(heap)
        row, column = divmod(cell, width)
        for k, (dx, dy) in enumerate(steps.tolist()):
            y, x = row + dy, column + dx
            if wrap:
                y, x = y % height, x % width
            arriving = -amount * float(losses[k])
            if (
                not (0 <= y < height and 0 <= x < width)
                or not links[y, x] & masks[k]
                or arriving < cut
            ):
                continue
            if arriving > best.get(y * width + x, 0.0):
                best[y * width + x] = arriving
                heapq.heappush(heap, (-arriving, y * width + x))
    found = sorted(best)
    return np.array(found, dtype=np.int64), np.array([best[cell] for cell in found])


def bleed_along(
    starts: NDArray[np.integer[Any]],
    ends: NDArray[np.integer[Any]],
    losses: NDArray[np.float64],
    cells: NDArray[np.int64],
    amounts: NDArray[np.float64],
    cut: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """`bleed` on a graph: the steps `starts[v]` to `starts[v + 1]` lead from vertex v to `ends`,
    each keeps its part of `losses`.
    """
    best: dict[int, float] = {}
    heap: list[tuple[float, int]] = []
    for cell, amount in zip(cells.tolist(), amounts.tolist(), strict=True):
        if amount > best.get(cell, 0.0):
            best[cell] = amount
            heapq.heappush(heap, (-amount, cell))
    while heap:
        amount, cell = heapq.heappop(heap)
        for k in range(int(starts[cell]), int(starts[cell + 1])):
            arriving, there = -amount * float(losses[k]), int(ends[k])
            if arriving >= cut and arriving > best.get(there, 0.0):
                best[there] = arriving
                heapq.heappush(heap, (-arriving, there))
    found = sorted(best)
    return np.array(found, dtype=np.int64), np.array([best[cell] for cell in found])


def seep(
    starts: NDArray[np.int64],
    ends: NDArray[np.int32],
    shares: NDArray[np.float64],
    keeps: NDArray[np.float64],
    values: NDArray[np.float32],
    cells: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cells that values have seeped into, and what each then holds.

    `cells` are those with a value, ascending: each keeps `keeps[cell]` of it, and every step k that
    leaves it brings `shares[k]` of it to `ends[k]`. The cells found come in the order in which they
    are met.
    """
    held = dict.fromkeys(cells.tolist(), 0.0)
    for cell in cells.tolist():
        value = float(values[cell])
        for k in range(int(starts[cell]), int(starts[cell + 1])):
            there = int(ends[k])
            held[there] = held.get(there, 0.0) + float(shares[k]) * value
    found = np.array(list(held), dtype=np.int64)
    return found, keeps[found] * values[found].astype(np.float64) + np.array(list(held.values()))
