"""Stamps put on a map of whole numbers, spelled out: the specification of
`fieldcraft.kernels.trail.stamp_sums`.

What a stamp adds to a cell is rounded to a multiple of 2**-24, so that sums do not depend on their
order. `dirty` says of each tile which of its rows were written to, a bit each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = [
    "ADD",
    "ALL_ROWS",
    "MAX",
    "REPLACE",
    "SCALE",
    "TILE_COLUMNS",
    "TILE_ROWS",
    "blit",
    "drain",
    "publish",
    "scatter",
]

SCALE = float(1 << 24)
TILE_ROWS = 8
TILE_COLUMNS = 32
ALL_ROWS = (1 << TILE_ROWS) - 1
ADD, MAX, REPLACE = 0, 1, 2


def blit(
    places: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]],
    amounts: NDArray[np.float64],
    prints: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]],
    blend: int,
    wrap: int,
    top: int,
    bottom: int,
    sums: NDArray[np.int64],
    dirty: NDArray[np.uint8],
) -> None:
    """Put stamps around cells, as far as they touch the rows [top, bottom).

    `rows`, `columns` of the cells, which may lie off the map, what lies there of a stamp is left
    out, or goes round on a torus. `downs`, `rights` in [0, 1) are shares of a cell by which each
    stamp is moved, its weights divided among the cells that it then covers. `amounts` are times
    SCALE. Stamp k has (start, height, width, first_row, first_column) = shapes[k]: its weights,
    with a margin of 0 around them, begin at `tables[start]`; the first of them lies `first_row` and
    `first_column` from the cell.
    """
    (rows, columns, downs, rights), (tables, shapes, which) = places, prints
    map_height, map_width = sums.shape
    for i, number in enumerate(which.tolist()):
        start, height, width, first_row, first_column = shapes[number].tolist()
        table = tables[start : start + (height + 2) * (width + 2)].reshape(height + 2, width + 2)
        down, right, amount = float(downs[i]), float(rights[i]), float(amounts[i])
        far, near = (1 - down) * amount, down * amount
        for j in range(height + 1):
            for k in range(width + 1):
                weight = (1 - right) * far * table[j + 1, k + 1] + right * far * table[j + 1, k]
                weight = weight + (
                    (1 - right) * near * table[j, k + 1] + right * near * table[j, k]
                )
                y, x = int(rows[i]) + first_row + j, int(columns[i]) + first_column + k
                if wrap & WRAP_X:
                    x %= map_width
                if wrap & WRAP_Y:
                    y %= map_height
                if not (top <= y < bottom and 0 <= x < map_width):
                    continue
                sums[y, x] = _blended(int(sums[y, x]), int(np.rint(weight)), blend)
                dirty[y // TILE_ROWS, x // TILE_COLUMNS] |= 1 << y % TILE_ROWS


def scatter(
    cells: NDArray[np.int64],
    amounts: NDArray[np.float64],
    blend: int,
    sums: NDArray[np.int64],
    dirty: NDArray[np.uint8],
) -> None:
    """Blend amounts, times SCALE, into cells, in their order."""
    for cell, new in zip(cells.tolist(), np.rint(amounts).astype(np.int64).tolist(), strict=True):
        row, column = divmod(cell, sums.shape[1])
        sums[row, column] = _blended(int(sums[row, column]), new, blend)
        dirty[row // TILE_ROWS, column // TILE_COLUMNS] |= 1 << row % TILE_ROWS


def _blended(old: int, new: int, blend: int) -> int:
    if blend == ADD:
        return old + new
    if blend == MAX:
        return max(new, old, key=lambda value: (abs(value), value))
    return new or old


def publish(
    sums: NDArray[np.int64],
    walls: NDArray[np.bool_] | None,
    first: int,
    last: int,
    dirty: NDArray[np.uint8],
    values: NDArray[np.float32],
) -> None:
    """Turn the dirty rows of tiles of the tile rows [first, last) into float32, 0 on walls; they are
    clean then.
    """
    for band, tile in np.argwhere(dirty[first:last]).tolist():
        columns = np.s_[tile * TILE_COLUMNS : (tile + 1) * TILE_COLUMNS]
        for row in range(TILE_ROWS):
            if not dirty[first + band, tile] >> row & 1:
                continue
            y = (first + band) * TILE_ROWS + row
            values[y, columns] = (sums[y, columns] / SCALE).astype(np.float32)
            if walls is not None:
                values[y, columns][walls[y, columns]] = 0
    dirty[first:last] = 0


def drain(sums: NDArray[np.int64], dirty: NDArray[np.uint8], values: NDArray[np.float32]) -> None:
    """Turn all sums into float32 and begin anew with none."""
    values[:] = (sums / SCALE).astype(np.float32)
    sums[:] = 0
    dirty[:] = 0
