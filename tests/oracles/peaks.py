"""Peaks of a map of values, spelled out: the specification of `fieldcraft.kernels.peaks`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["beside", "middle", "peaks"]

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Links = NDArray[np.unsignedinteger]


def peaks(
    values: Floats,
    walls: Bools,
    links: Links,
    moves: Ints,
    masks: Links,
    ends: Bools,
    threshold: float,
    wrap: bool,
    out: Ints,
) -> int:
    """The cells above the threshold beside which nothing is higher, into `out`; how many. Of a
    plateau, the middle one.

    Cells lie beside each other if one of the `moves` (columns, rows) leads from one to the other:
    move `m` is open where `masks[m]` is set in the `links` of the cell in which it ends, if
    `ends[m]`, or else in those of the cell it leaves.
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
            for there, dx, dy in beside(walls, links, moves, masks, ends, here, wrap):
                top = top and bool(flat[there] <= flat[cell])
                if flat[there] == flat[cell] and there not in seen:
                    seen.add(there)
                    plateau.append((there, x + dx, y + dy))
        if top:
            found.append(middle(plateau))
    out[: len(found)] = found
    return len(found)


def beside(
    walls: Bools, links: Links, moves: Ints, masks: Links, ends: Bools, cell: int, wrap: bool
) -> Iterator[tuple[int, int, int]]:
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


def middle(cells: list[tuple[int, int, int]]) -> int:
    """Of (cell, column, row), the cell nearest to the mean, of equals the lowest."""
    mean_x = sum(int(x) for _, x, _ in cells) / len(cells)
    mean_y = sum(int(y) for _, _, y in cells) / len(cells)
    return min(
        ((x - mean_x) * (x - mean_x) + (y - mean_y) * (y - mean_y), cell) for cell, x, y in cells
    )[1]
