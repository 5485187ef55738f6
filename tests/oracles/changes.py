"""The changes of radial sources, spelled out: the specification of `fieldcraft.kernels.changes`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracles import radial

__all__ = ["patch", "take"]

Whole = NDArray[np.int64]


def take(
    changed: NDArray[np.bool_],
    alive: NDArray[np.bool_],
    cells: Whole,
    strengths: NDArray[np.float32],
    shapes: Whole,
    numbers: Whole,
    held_cells: Whole,
    held_strengths: NDArray[np.float64],
    held_shapes: Whole,
    rows: Whole,
    old_cells: Whole,
    old_strengths: NDArray[np.float64],
    old_shapes: Whole,
    new_cells: Whole,
    new_strengths: NDArray[np.float64],
    new_shapes: Whole,
) -> tuple[int, int, int]:
    """Let the map hold what stands in the changed rows, and list what differs: the rows, what was
    held, what is held now.
    """
    named = np.flatnonzero(changed)
    changed[named] = False
    now = np.where(alive[named], strengths[named], np.float32(0)).astype(np.float64)
    found = numbers[shapes[named]]
    differs = (
        (cells[named] != held_cells[named])
        | (now != held_strengths[named])
        | (found != held_shapes[named])
    )
    named, now, found = named[differs], now[differs], found[differs]
    old, new = named[held_strengths[named] != 0], now != 0
    rows[: len(named)] = named
    old_cells[: len(old)], old_strengths[: len(old)], old_shapes[: len(old)] = (
        held_cells[old],
        held_strengths[old],
        held_shapes[old],
    )
    count = int(np.count_nonzero(new))
    new_cells[:count], new_strengths[:count], new_shapes[:count] = (
        cells[named[new]],
        now[new],
        found[new],
    )
    held_cells[named], held_strengths[named], held_shapes[named] = cells[named], now, found
    return len(named), len(old), count


def patch(
    changed: NDArray[np.bool_],
    alive: NDArray[np.bool_],
    cells: Whole,
    strengths: NDArray[np.float32],
    shapes: Whole,
    numbers: Whole,
    held_cells: Whole,
    held_strengths: NDArray[np.float64],
    held_shapes: Whole,
    sums: Whole,
    values: NDArray[np.float32],
    walls: NDArray[np.bool_],
    stale: NDArray[np.uint8],
    before: NDArray[np.int32],
    tables: NDArray[np.float64],
    starts: Whole,
    reaches: Whole,
    chords: Whole,
    first_chords: Whole,
    most: int,
) -> bool:
    """Take off what is held of the changed rows, put on what stands there now, and show it; False
    and nothing done where walls are near.
    """
    jobs, work = [], 0
    rows = np.flatnonzero(changed)
    now = np.where(alive[rows], strengths[rows], np.float32(0)).astype(np.float64)
    for row, strength in zip(rows, now, strict=True):
        held, number = int(held_shapes[row]), int(numbers[shapes[row]])
        moves_only = (
            held == number and held_strengths[row] == strength != 0 and first_chords[number] >= 0
        )
        if not (moves_only and not len(before)):
            work += sum(
                (2 * int(reaches[shape]) + 1) ** 2
                for shape, size in ((held, held_strengths[row]), (number, strength))
                if size != 0
            )
        jobs.append((int(held_cells[row]), -float(held_strengths[row]), int(held_shapes[row])))
        jobs.append((int(cells[row]), float(strength), int(numbers[shapes[row]])))
    jobs = [job for job in jobs if job[1] != 0]
    if work > most:
        return False
    width = sums.shape[1]
    for cell, _, number in jobs:
        r, (row, column) = int(reaches[number]), divmod(cell, width)
        if (
            len(before)
            and walls[max(row - r, 0) : row + r + 1, max(column - r, 0) : column + r + 1].any()
        ):
            return False
    dirty = np.zeros_like(stale)
    for cell, strength, number in jobs:
        r = int(reaches[number])
        weights = tables[starts[number] : starts[number] + (2 * r + 1) ** 2].reshape(
            2 * r + 1, 2 * r + 1
        )
        radial.stamp(sums, dirty, cell, weights, strength * radial.SCALE, 0, 2 * r + 1, False)
    radial.publish(sums, walls, dirty, values, 0, len(dirty))
    stale |= dirty
    held_cells[rows], held_strengths[rows], held_shapes[rows] = (
        cells[rows],
        now,
        numbers[shapes[rows]],
    )
    changed[rows] = False
    return True
