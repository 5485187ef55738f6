"""Radial footprints on grids: which cells a source acts on, and how far each is."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["LENGTH_SCALE", "connected", "offset", "path", "straight"]

LENGTH_SCALE = float(1 << 24)


def offset(here: int, there: int, size: int, wraps: int) -> int:
    """The signed steps from one column (or row) to another: the short way round on a torus,
    forwards on a tie.
    """
    away = there - here
    return (away + (size - 1) // 2) % size - (size - 1) // 2 if wraps else away


def straight(shape: tuple[int, int], cell: int, radius: float, wrap: int) -> dict[int, int]:
    """Cells within a radius (in cells), walls included, and their squared distance."""
    height, width = shape
    row, column = divmod(cell, width)
    found = {}
    for y in range(height):
        for x in range(width):
            dx = offset(column, x, width, wrap & WRAP_X)
            dy = offset(row, y, height, wrap & WRAP_Y)
            if dx * dx + dy * dy <= radius * radius:
                found[y * width + x] = dx * dx + dy * dy
    return found


def connected(
    links: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    cell: int,
    radius: float,
    wrap: int,
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
    wrap: int,
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


def _neighbors(
    links: NDArray[np.unsignedinteger], steps: NDArray[np.int64], cell: int, wrap: int
) -> list[tuple[int, int]]:
    height, width = links.shape
    row, column = divmod(cell, width)
    found = []
    for k, (dx, dy) in enumerate(steps.tolist()):
        y, x = row + dy, column + dx
        if wrap & WRAP_X:
            x %= width
        if wrap & WRAP_Y:
            y %= height
        if 0 <= y < height and 0 <= x < width and int(links[y, x]) >> k & 1:
            found.append((y * width + x, k))
    return found
