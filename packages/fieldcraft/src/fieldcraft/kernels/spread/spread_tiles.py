"""Spread in the tiles of a grid that can change.

Only active tiles are updated, in place; they activate the tiles beside them. `near` and `any` are
those of `fieldcraft.kernels.spread.spread_steps`.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.spread.spread_cells import attenuate, emit, gather, on_lines, update
from fieldcraft.kernels.spread.spread_records import (
    ANY_GROUND_1,
    ANY_GROUND_8,
    ANY_RULE,
    TILE_ACTIVITY,
    TILE_SCRATCH,
    AnyGround,
    AnyRule,
    NearRule,
    TileActivity,
    TileScratch,
)
from fieldcraft.kernels.spread.spread_rows import BLOCKED, near

__all__ = [
    "TILE_COLUMNS",
    "TILE_ROWS",
    "AnyGround",
    "AnyRule",
    "NearRule",
    "TileActivity",
    "TileScratch",
    "activate",
    "pin",
    "tiles_any",
    "tiles_near",
]

TILE_ROWS = 16
TILE_COLUMNS = 32
_REST = f"i8, i8, out f4[:,::1], {TILE_ACTIVITY}, {TILE_SCRATCH}"
_ZERO = np.float32(0)
_WALL = np.uint8(1)
_PINNED = np.uint8(2)
_LISTED = np.uint8(8)
_BLOCKED = np.uint8(BLOCKED)


@kernel
def _load(values, opening, top, left, rows, columns, reach, pad, wrap, block):
    """Copy a tile and the cells around it into `block`; `opening` holds the first rows as they were
    before the step.
    """
    height, width = values.shape
    inside = left >= reach and left + columns + reach <= width
    for j in range(rows + 2 * reach):
        y = top - reach + j
        if wrap & WRAP_Y != 0:
            y = y % height
        if y < 0 or y >= height:
            block[j, pad - reach : pad + columns + reach] = 0
            continue
        row = opening[y] if y < opening.shape[0] else values[y]
        if inside:
            for i in range(columns + 2 * reach):
                block[j, pad - reach + i] = row[left - reach + i]
        else:
            for i in range(columns + 2 * reach):
                x = left - reach + i
                if wrap & WRAP_X != 0:
                    x = x % width
                block[j, pad - reach + i] = row[x] if 0 <= x < width else _ZERO


@kernel
def _store(values, new, top, left, rows, columns, reach, wrap, active, bands):
    """Write a tile back, and activate every tile that its changed cells can reach."""
    any_row = np.zeros(TILE_ROWS, np.int32)
    any_column = np.zeros(TILE_COLUMNS, np.int32)
    changed = False
    for j in range(rows):
        row = values[top + j, left : left + columns]
        differs = np.int32(0)
        for i in range(columns):
            d = np.int32(row[i] != new[j, i])
            differs |= d
            any_column[i] |= d
            row[i] = new[j, i]
        any_row[j] = differs
        changed = changed or differs != 0
    if not changed:
        return
    j0 = 0
    while any_row[j0] == 0:
        j0 += 1
    j1 = rows - 1
    while any_row[j1] == 0:
        j1 -= 1
    i0 = 0
    while any_column[i0] == 0:
        i0 += 1
    i1 = columns - 1
    while any_column[i1] == 0:
        i1 -= 1
    _activate(
        values.shape,
        top + j0 - reach,
        top + j1 + reach,
        left + i0 - reach,
        left + i1 + reach,
        wrap,
        active,
        bands,
    )
    active[top // TILE_ROWS, left // TILE_COLUMNS] = 1
    bands[top // TILE_ROWS] = 1


@kernel
def _activate(shape, y0, y1, x0, x1, wrap, active, bands):
    """Activate the tiles of the rows y0 to y1 and columns x0 to x1, both included, which may be
    beyond the rim.
    """
    height, width = shape
    if wrap != 0:
        if wrap & WRAP_Y == 0:
            y0, y1 = max(y0, 0), min(y1, height - 1)
        if wrap & WRAP_X == 0:
            x0, x1 = max(x0, 0), min(x1, width - 1)
        for y in range(y0, y1 + 1):
            if y == y0 or (y % height) % TILE_ROWS == 0:
                for x in range(x0, x1 + 1):
                    if x == x0 or (x % width) % TILE_COLUMNS == 0:
                        active[(y % height) // TILE_ROWS, (x % width) // TILE_COLUMNS] = 1
                        bands[(y % height) // TILE_ROWS] = 1
        return
    for ty in range(max(y0, 0) // TILE_ROWS, min(y1, height - 1) // TILE_ROWS + 1):
        bands[ty] = 1
        for tx in range(max(x0, 0) // TILE_COLUMNS, min(x1, width - 1) // TILE_COLUMNS + 1):
            active[ty, tx] = 1


@kernel("i8[::1], i8, i8, i8, i8, out u1[:,::1], out u1[::1]")
def activate(cells, width, height, reach, wrap, active, bands):
    """Activate every tile that a change of `cells` can reach."""
    for cell in cells:
        y, x = divmod(cell, width)
        _activate((height, width), y - reach, y + reach, x - reach, x + reach, wrap, active, bands)


@kernel
def _mark(near_ground, blocked, place):
    """Mark a place in the ground of kernels for 4 or 8 neighbors, if there is any, as blocked or
    open.
    """
    if near_ground.size > 0:
        near_ground[place] &= ~_BLOCKED
        if blocked[place] != 0:
            near_ground[place] |= _BLOCKED


@kernel("i8[::1], i8[::1], f4[::1], b1, out u1[::1], out u1[::1], out f4[::1], out i8[::1]")
def pin(before, places, strengths, pins, blocked, near_ground, values, changed):
    """Set places to the strengths of their sources, and release the places `before`.

    Serves grids and graphs. With `pins` the flags in `blocked`, and in `near_ground` unless it is
    empty, mark the pinned places. A wall without a source becomes 0. `changed` receives the places
    that have lost their source or change their value; returns their number.
    """
    count = 0
    for place in places:
        blocked[place] |= _LISTED
    for place in before:
        blocked[place] &= ~_PINNED
        if blocked[place] & _LISTED == 0:
            changed[count] = place
            count += 1
            if blocked[place] == _WALL:
                values[place] = 0
            _mark(near_ground, blocked, place)
    for i in range(len(places)):
        place = places[i]
        blocked[place] &= ~_LISTED
        if pins:
            blocked[place] |= _PINNED
        _mark(near_ground, blocked, place)
        strength = strengths[i] + _ZERO  # -0 would make bits depend on which kernel ran
        if values[place] != strength:
            changed[count] = place
            count += 1
        values[place] = strength
    return count


@kernel
def _store_band(values, new, pending, counts, slot, ty, reach, wrap, active, bands):
    """Write the pending tiles of a row of tiles back, see `_store`."""
    height, width = values.shape
    top = ty * TILE_ROWS
    rows = min(TILE_ROWS, height - top)
    for p in range(counts[slot]):
        left = pending[slot, p] * TILE_COLUMNS
        columns = min(TILE_COLUMNS, width - left)
        _store(values, new[slot, p], top, left, rows, columns, reach, wrap, active, bands)
    counts[slot] = 0


@kernel
def _turn(active, bands, next_active, next_bands):
    """Replace the active tiles of a step by those of the next one; returns their number."""
    total = 0
    for ty in range(active.shape[0]):
        if bands[ty] != 0 or next_bands[ty] != 0:
            for tx in range(active.shape[1]):
                total += next_active[ty, tx]
                active[ty, tx] = next_active[ty, tx]
                next_active[ty, tx] = 0
            bands[ty] = next_bands[ty]
            next_bands[ty] = 0
    return total


@kernel
def _opening(values, reach, wrap):
    """Return an array for copies of the first rows, which are beside the last ones if rows wrap."""
    height, width = values.shape
    rows = 0
    if wrap & WRAP_Y != 0:
        rows = min(reach, height)
    return np.empty((rows, width), np.float32)


@kernel
def _copy_first_rows(values, opening):
    """Copy the first rows of the map, see `_opening`."""
    for y in range(opening.shape[0]):
        for x in range(opening.shape[1]):
            opening[y, x] = values[y, x]


@kernel
def _band_near(ground, rule, values, opening, ty, slot, active, block, new, pending, counts):
    """Compute the active tiles of a row of tiles into `new`, for 4 or 8 neighbors."""
    straight, diagonal, power, momentum, floor, wrap = rule
    height, width = values.shape
    pad = 16
    around = block.reshape(-1)
    fixed = ground.reshape(-1)
    results = new.reshape(-1)
    stride = np.uint64(block.shape[1])
    top = ty * TILE_ROWS
    rows = min(TILE_ROWS, height - top)
    for tx in range(active.shape[1]):
        if active[ty, tx] == 0:
            continue
        left = tx * TILE_COLUMNS
        columns = min(TILE_COLUMNS, width - left)
        _load(values, opening, top, left, rows, columns, 1, pad, wrap, block)
        out = np.uint64((slot * active.shape[1] + counts[slot]) * TILE_ROWS * TILE_COLUMNS)
        for j in range(rows):
            up = np.uint64(j) * stride + np.uint64(pad)
            here = up + stride
            near(
                around,
                up,
                here,
                here + stride,
                fixed,
                np.uint64((top + j) * width + left),
                results,
                out + np.uint64(j * TILE_COLUMNS),
                np.uint64(columns),
                straight,
                diagonal,
                power,
                momentum,
                floor,
            )
        pending[slot, counts[slot]] = tx
        counts[slot] += 1


@kernel(
    f"u1[:,::1], NearRule(f4, f4, i8, f4, f4, i8), {_REST}",
    f"u1[:,::1], NearRule(f4, f4, none, f4, f4, i8), {_REST}",
    f"u1[:,::1], NearRule(f4, none, i8, f4, f4, i8), {_REST}",
    f"u1[:,::1], NearRule(f4, none, none, f4, f4, i8), {_REST}",
)
def tiles_near(ground, rule, count, most, values, activity, scratch):
    """Take up to `count` steps of the active tiles, in place; stops early above `most` active
    tiles.

    Returns (steps made, tiles active now). Tiles that changed, and tiles that their changed
    cells reach, are active in the next step. `ground` is that of `spread.wave_near`.
    """
    active, bands, next_active, next_bands = activity
    new, pending, counts = scratch
    wrap = rule.wrap
    lag = new.shape[0] - 1
    down = TILE_ROWS + 2
    across = TILE_COLUMNS + 32
    block = on_lines(down * across).reshape((down, across))
    block[:] = 0
    opening = _opening(values, 1, wrap)
    made = 0
    total = 1
    while made < count and total > 0:
        _copy_first_rows(values, opening)
        for ty in range(active.shape[0] + lag):
            slot = ty % (lag + 1)
            if ty < active.shape[0] and bands[ty] != 0:
                _band_near(
                    ground, rule, values, opening, ty, slot, active, block, new, pending, counts
                )
            if ty >= lag:
                old = ty - lag
                free = old % (lag + 1)
                _store_band(
                    values, new, pending, counts, free, old, 1, wrap, next_active, next_bands
                )
        total = _turn(active, bands, next_active, next_bands)
        made += 1
        if total > most:
            break
    return made, total


@kernel
def _tile_any(ground, rule, reach, pad, top, left, rows, columns, block, roots, extremes, new):
    """Compute a tile into `new`, from the tile and the cells around it in `block`."""
    blocked, links, masks, through, steps, losses = ground
    exponent, signed, momentum, keep, floor, _ = rule
    strongest = extremes[:TILE_COLUMNS]
    weakest = extremes[TILE_COLUMNS:]
    source = block
    if exponent >= 2:
        source = roots
        for j in range(rows + 2 * reach):
            emit(block[j], roots[j], exponent)
    for j in range(rows):
        strongest[:] = 0
        weakest[:] = 0
        arrive = links[top + j, left : left + columns]
        for k in range(steps.shape[0]):
            start = pad - steps[k, 0]
            row = source[j + reach - steps[k, 1], start : start + columns]
            gather(row, arrive, masks[k], losses[k], exponent, signed, strongest, weakest)
        if through.shape[1] > 0:
            attenuate(strongest, weakest, through[top + j, left : left + columns], exponent)
        update(
            block[j + reach, pad : pad + columns],
            strongest,
            weakest,
            blocked[top + j, left : left + columns],
            new[j, :columns],
            exponent,
            momentum,
            keep,
            floor,
        )


@kernel(
    f"{ANY_GROUND_1}, {ANY_RULE}, i8, {_REST}",
    f"{ANY_GROUND_8}, {ANY_RULE}, i8, {_REST}",
)
def tiles_any(ground, rule, reach, count, most, values, activity, scratch):
    """Take up to `count` steps of the active tiles, in place, as `tiles_near` does; `reach` is the
    longest step in cells.
    """
    active, bands, next_active, next_bands = activity
    new, pending, counts = scratch
    height, width = values.shape
    wrap = rule.wrap
    lag = new.shape[0] - 1
    pad = -(-reach // 16) * 16
    down = TILE_ROWS + 2 * reach
    across = TILE_COLUMNS + 2 * pad
    block = on_lines(down * across).reshape((down, across))
    block[:] = 0
    roots = on_lines(down * across).reshape((down, across))
    roots[:] = 0
    extremes = on_lines(2 * TILE_COLUMNS)
    opening = _opening(values, reach, wrap)
    made = 0
    total = 1
    while made < count and total > 0:
        _copy_first_rows(values, opening)
        for ty in range(active.shape[0] + lag):
            slot = ty % (lag + 1)
            if ty < active.shape[0] and bands[ty] != 0:
                top = ty * TILE_ROWS
                rows = min(TILE_ROWS, height - top)
                for tx in range(active.shape[1]):
                    if active[ty, tx] == 0:
                        continue
                    left = tx * TILE_COLUMNS
                    columns = min(TILE_COLUMNS, width - left)
                    _load(values, opening, top, left, rows, columns, reach, pad, wrap, block)
                    result = new[slot, counts[slot]]
                    _tile_any(
                        ground,
                        rule,
                        reach,
                        pad,
                        top,
                        left,
                        rows,
                        columns,
                        block,
                        roots,
                        extremes,
                        result,
                    )
                    pending[slot, counts[slot]] = tx
                    counts[slot] += 1
            if ty >= lag:
                old = ty - lag
                free = old % (lag + 1)
                _store_band(
                    values, new, pending, counts, free, old, reach, wrap, next_active, next_bands
                )
        total = _turn(active, bands, next_active, next_bands)
        made += 1
        if total > most:
            break
    return made, total
