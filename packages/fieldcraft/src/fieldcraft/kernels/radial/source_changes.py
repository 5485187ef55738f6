"""Changes of sources that a radial layer follows."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.radial.radial_arrays import Emissions
from fieldcraft.kernels.trail.stamp_sums import (
    FOOTPRINT_TABLES,
    FootprintTables,
    publish,
    shape_of,
    stamp,
)
from fieldcraft.kernels.trail.stamp_units import ADD, SCALE

__all__ = ["Emissions", "FootprintTables", "follow", "take"]

_WRITTEN = "Emissions(out i8[::1], out f8[::1], out i8[::1])"


@kernel(
    f"i8[::1], b1[::1], i8[::1], f4[::1], out b1[::1], {_WRITTEN}, out i8[::1], {_WRITTEN}",
)
def take(numbers, alive, cells, strengths, changed, applied, rows, jobs):
    """Update `applied` from the changed rows of the sources.

    Return how many rows differ, how many of these were applied before, and how many jobs there are.

    Parameters
    ----------
    numbers : ndarray
        The footprints of the rows.
    alive, cells, strengths, changed : ndarray
        Columns of the sources; `changed` is all False afterwards.
    applied : Emissions
        The rows as the sums hold them.
    rows : ndarray
        Receives the rows that differ.
    jobs : Emissions
        Receives, like `applied`, what was applied of these rows with negative strengths, and then
        what is applied now; nothing of strength 0.
    """
    applied_cells = applied.cells
    applied_strengths = applied.strengths
    applied_numbers = applied.numbers
    job_cells = jobs.cells
    job_strengths = jobs.strengths
    job_numbers = jobs.numbers
    differing = 0
    count = 0
    for i in range(changed.shape[0]):
        if not changed[i]:
            continue
        changed[i] = False
        strength = np.float64(strengths[i]) if alive[i] else 0.0
        if (
            cells[i] == applied_cells[i]
            and strength == applied_strengths[i]
            and numbers[i] == applied_numbers[i]
        ):
            continue
        rows[differing] = i
        differing += 1
        if applied_strengths[i] != 0:
            job_cells[count], job_strengths[count] = applied_cells[i], -applied_strengths[i]
            job_numbers[count] = applied_numbers[i]
            count += 1
        applied_cells[i], applied_strengths[i], applied_numbers[i] = cells[i], strength, numbers[i]
    removed = count
    for i in rows[:differing]:
        if applied_strengths[i] != 0:
            job_cells[count], job_strengths[count] = applied_cells[i], applied_strengths[i]
            job_numbers[count] = applied_numbers[i]
            count += 1
    return differing, removed, count


@kernel
def _add(cell, strength, number, footprints, wrap, sums, dirty):
    """Add a footprint around a cell to the sums."""
    row, column = divmod(cell, sums.shape[1])
    place = (row, column, 0.0, 0.0)
    shape = shape_of(footprints.shapes, number)
    stamp(
        place, strength * SCALE, footprints.weights, shape, ADD, wrap, 0, sums.shape[0], sums, dirty
    )


@kernel(
    f"none, i8[::1], b1[::1], i8[::1], f4[::1], {FOOTPRINT_TABLES}, i8, out b1[::1], {_WRITTEN},"
    " out i8[:,::1], out u1[:,::1], out f4[:,::1]",
    f"b1[:,::1], i8[::1], b1[::1], i8[::1], f4[::1], {FOOTPRINT_TABLES}, i8, out b1[::1],"
    f" {_WRITTEN}, out i8[:,::1], out u1[:,::1], out f4[:,::1]",
)
def follow(
    walls,
    numbers,
    alive,
    cells,
    strengths,
    footprints,
    wrap,
    changed,
    applied,
    sums,
    dirty,
    values,
):
    """Bring `applied`, the sums and their values up to date with the changed rows of the sources.

    It is `take`, `blit` and `publish` in one call, for sources whose footprints are all drawn from
    tables. See `take` for the columns.
    """
    applied_cells = applied.cells
    applied_strengths = applied.strengths
    applied_numbers = applied.numbers
    for i in range(changed.shape[0]):
        if not changed[i]:
            continue
        changed[i] = False
        strength = np.float64(strengths[i]) if alive[i] else 0.0
        cell, number = applied_cells[i], applied_numbers[i]
        before = applied_strengths[i]
        if cells[i] == cell and strength == before and numbers[i] == number:
            continue
        if before != 0:
            _add(cell, -before, number, footprints, wrap, sums, dirty)
        if strength != 0:
            _add(cells[i], strength, numbers[i], footprints, wrap, sums, dirty)
        applied_cells[i], applied_strengths[i], applied_numbers[i] = cells[i], strength, numbers[i]
    publish(sums, walls, 0, dirty.shape[0], dirty, values)
