"""The changes of radial sources, and a few of them worked off in one call:
`tests/oracles/changes`, fast.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.radial import SCALE, TILE_COLUMNS, TILE_ROWS, _whole

__all__ = ["patch", "take"]


@kernel(
    "i8[::1], (out b1[::1], b1[::1], i8[::1], f4[::1], i8[::1]), (out i8[::1], out f8[::1], out"
    " i8[::1]), out i8[::1], (out i8[::1], out f8[::1], out i8[::1]), (out i8[::1], out f8[::1],"
    " out i8[::1])",
)
def take(numbers, columns, held, rows, old, new):
    """Let the map hold what stands in the changed rows of the sources; returns how many differ:
    (rows, old, new).

    `numbers` is the footprint of each shape, and `columns` are (changed, alive, cells, strengths,
    shapes) of the sources. `rows` receives those that differ, `old` what was held of them and `new`
    what is held now, without those of strength 0; like `held` they are (cells, strengths, shapes).
    """
    changed, alive, cells, strengths, shapes = columns
    held_cells, held_strengths, held_shapes = held
    old_cells, old_strengths, old_shapes = old
    new_cells, new_strengths, new_shapes = new
    count, off, on = 0, 0, 0
    for i in range(changed.shape[0]):
        if not changed[i]:
            continue
        changed[i] = False
        number = numbers[shapes[i]]
        strength = np.float64(strengths[i]) if alive[i] else 0.0
        if cells[i] == held_cells[i] and strength == held_strengths[i] and number == held_shapes[i]:
            continue
        rows[count] = i
        count += 1
        if held_strengths[i] != 0:
            old_cells[off], old_strengths[off] = held_cells[i], held_strengths[i]
            old_shapes[off] = held_shapes[i]
            off += 1
        if strength != 0:
            new_cells[on], new_strengths[on], new_shapes[on] = cells[i], strength, number
            on += 1
        held_cells[i], held_strengths[i], held_shapes[i] = cells[i], strength, number
    return count, off, on


@kernel
def _is_free(before, row, column, r):
    y0, y1 = max(row - r, 0), min(row + r + 1, before.shape[0] - 1)
    x0, x1 = max(column - r, 0), min(column + r + 1, before.shape[1] - 1)
    return before[y1, x1] - before[y0, x1] - before[y1, x0] + before[y0, x0] == 0


@kernel
def _redraw(sums, values, walls, stale, row, column, tables, start, r, strength):
    """Add a footprint to the sums and show them where it lies."""
    height, width = sums.shape
    y0, y1 = max(row - r, 0), min(row + r + 1, height)
    x0, x1 = max(column - r, 0), min(column + r + 1, width)
    of = start + (y0 - row + r) * (2 * r + 1) + x0 - column + r
    for y in range(y0, y1):
        out = sums[y, x0:x1]
        shown, wall = values[y, x0:x1], walls[y, x0:x1]
        share = tables[of : of + x1 - x0]
        for x in range(x1 - x0):
            total = out[x] + _whole(strength * share[x])
            out[x] = total
            value = np.float32(np.float64(total) * (1.0 / SCALE))
            shown[x] = np.float32(0) if wall[x] else value
        of += 2 * r + 1
    _mark(stale, row, column, r, height, width)


@kernel
def _is_shift(number, held, strength, alive, before, first_chords):
    """Whether a source has only moved, and its footprint is flat."""
    return (
        alive
        and number == held
        and before != 0
        and np.float64(strength) == before
        and first_chords[number] >= 0
    )


@kernel
def _raise(sums, values, walls, first, end, amount):
    """Add an amount to the cells [first, end) of a flat map, and show them."""
    for i in range(np.uint64(first), np.uint64(end)):
        total = sums[i] + amount
        sums[i] = total
        values[i] = np.float32(0) if walls[i] else np.float32(np.float64(total) * (1.0 / SCALE))


@kernel
def _mark(stale, row, column, r, height, width):
    for ty in range(max(row - r, 0) // TILE_ROWS, (min(row + r + 1, height) - 1) // TILE_ROWS + 1):
        for tx in range(
            max(column - r, 0) // TILE_COLUMNS, (min(column + r + 1, width) - 1) // TILE_COLUMNS + 1
        ):
            stale[ty, tx] = 1


@kernel
def _shift(sums, values, walls, stale, old, new, chords, first, r, amount):
    """Move a flat footprint from a cell to another: only what one of the two covers alone is
    written.
    """
    height, width = sums.shape
    total, shown, wall = sums.reshape(-1), values.reshape(-1), walls.reshape(-1)
    old_row, old_column, row, column = old // width, old % width - r, new // width, new % width - r
    for y in range(max(min(old_row, row) - r, 0), min(max(old_row, row) + r + 1, height)):
        j, k = y - old_row + r, y - row + r
        a0 = a1 = b0 = b1 = 0
        if 0 <= j <= 2 * r:
            a0, a1 = (
                max(old_column + chords[first + j, 0], 0),
                min(old_column + chords[first + j, 1], width),
            )
        if 0 <= k <= 2 * r:
            b0, b1 = (
                max(column + chords[first + k, 0], 0),
                min(column + chords[first + k, 1], width),
            )
        at = y * width
        if a0 >= a1 or b0 >= b1 or a1 <= b0 or b1 <= a0:
            if a0 < a1:
                _raise(total, shown, wall, at + a0, at + a1, -amount)
            if b0 < b1:
                _raise(total, shown, wall, at + b0, at + b1, amount)
            continue
        if a0 != b0:
            _raise(
                total,
                shown,
                wall,
                at + min(a0, b0),
                at + max(a0, b0),
                -amount if a0 < b0 else amount,
            )
        if a1 != b1:
            _raise(
                total,
                shown,
                wall,
                at + min(a1, b1),
                at + max(a1, b1),
                amount if a1 < b1 else -amount,
            )
    _mark(stale, old_row, old_column + r, r, height, width)
    _mark(stale, row, column + r, r, height, width)


@kernel(
    "(i8[::1], f8[::1], i8[::1], i8[::1]), (i8[:,::1], i8[::1]), b1[:,::1], i4[:,::1], i8, (out"
    " b1[::1], b1[::1], i8[::1], f4[::1], i8[::1]), (out i8[::1], out f8[::1], out i8[::1]), out"
    " i8[:,::1], out f4[:,::1], out u1[:,::1]",
)
def patch(prints, flat, walls, before, most, columns, held, sums, values, stale):
    """Let the map hold, and show, what stands in the changed rows of the sources; off a torus.

    `prints` are (numbers, tables, starts, reaches): the footprint of each shape, and the tables of
    footprints. `flat` are (chords, first chords): first and end of each row of flat footprints, and
    where those of each begin, -1 for those that are not flat: such a one is moved at its rim.
    `before` counts the walls above and left of each corner, (height + 1, width + 1); empty where
    walls don't matter. `columns` are (changed, alive, cells, strengths, shapes) of the sources, and
    `held` (cells, strengths, shapes) what the sums hold of each row. Returns False, and has changed
    nothing, if a footprint meets a wall or more than `most` cells would be touched, those at rims
    not counted.
    """
    (numbers, tables, starts, reaches), (chords, first_chords) = prints, flat
    changed, alive, cells, strengths, shapes = columns
    held_cells, held_strengths, held_shapes = held
    width = sums.shape[1]
    work = 0
    rows = changed.shape[0]
    for i in range(rows):
        if not changed[i]:
            continue
        number = numbers[shapes[i]]
        if (
            _is_shift(
                number, held_shapes[i], strengths[i], alive[i], held_strengths[i], first_chords
            )
            and before.shape[0] == 0
        ):
            continue
        for side in range(2):
            strength = (
                held_strengths[i] if side == 0 else (np.float64(strengths[i]) if alive[i] else 0.0)
            )
            if strength != 0:
                cell = held_cells[i] if side == 0 else cells[i]
                r = reaches[held_shapes[i]] if side == 0 else reaches[number]
                work += (2 * r + 1) * (2 * r + 1)
                if work > most or (
                    before.shape[0] > 0 and not _is_free(before, cell // width, cell % width, r)
                ):
                    return False
    for i in range(rows):
        if not changed[i]:
            continue
        changed[i] = False
        number = numbers[shapes[i]]
        strength = np.float64(strengths[i]) if alive[i] else 0.0
        if cells[i] == held_cells[i] and strength == held_strengths[i] and number == held_shapes[i]:
            continue
        if _is_shift(
            number, held_shapes[i], strengths[i], alive[i], held_strengths[i], first_chords
        ):
            r = reaches[number]
            first = first_chords[number]
            share = tables[starts[number] + r * (2 * r + 1) + r]
            _shift(
                sums,
                values,
                walls,
                stale,
                held_cells[i],
                cells[i],
                chords,
                first,
                r,
                _whole(strength * SCALE * share),
            )
            held_cells[i] = cells[i]
            continue
        if held_strengths[i] != 0:
            held, row, column = held_shapes[i], held_cells[i] // width, held_cells[i] % width
            _redraw(
                sums,
                values,
                walls,
                stale,
                row,
                column,
                tables,
                starts[held],
                reaches[held],
                -held_strengths[i] * SCALE,
            )
        if strength != 0:
            row, column = cells[i] // width, cells[i] % width
            _redraw(
                sums,
                values,
                walls,
                stale,
                row,
                column,
                tables,
                starts[number],
                reaches[number],
                strength * SCALE,
            )
        held_cells[i], held_strengths[i], held_shapes[i] = cells[i], strength, number
    return True
