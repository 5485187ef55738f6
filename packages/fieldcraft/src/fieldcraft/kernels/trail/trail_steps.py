"""Steps of trails.

Rows are summed along themselves when they enter, and these sums are stored for as many rows as the
blur is high. Cells near walls can't use such sums; the cells that they exchange with are in the
`plan` of the map, of `trail_plan`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.trail.stamp_units import SCALE, TILE_COLUMNS, TILE_ROWS
from fieldcraft.kernels.trail.trail_plan import exchanged_runs
from fieldcraft.kernels.trail.trail_records import TRAIL_RULE, TrailPlan, TrailRule, TrailScratch

__all__ = [
    "TrailPlan",
    "TrailRule",
    "TrailScratch",
    "scratch_for",
    "update",
]

_ZERO = np.float32(0)
_ONE = np.uint64(1)
# A mask has a bit for each of 3 x 3 cells, row by row.
_LEFT = np.uint64(1)
_MIDDLE = np.uint64(2)
_RIGHT = np.uint64(4)
_SECOND_ROW = np.uint64(3)
_THIRD_ROW = np.uint64(6)


def scratch_for(width: int, reach: int, dtype: Any) -> TrailScratch:
    """Return scratch for one thread, for weights of this type: old rows with margins; their sums
    along themselves; the blur; which rows are not 0; the tiles with an inflow; the inflow of a row;
    how far a cell exchanges to both sides in each row of the blur.
    """
    side = 2 * reach + 1
    return TrailScratch(
        np.zeros((side, width + 2 * reach), np.float32),
        np.zeros((side, width), dtype),
        np.zeros(width, dtype),
        np.zeros(side, np.uint8),
        np.zeros(width // TILE_COLUMNS + 1, np.int64),
        np.zeros(width),
        np.zeros(side, np.int8),
        np.zeros(side, np.int8),
    )


@kernel
def _along_three(row, sums):
    """Add up three cells along a row with equal weights; the row has a margin of one."""
    for x in range(sums.shape[0]):
        sums[x] = (row[x] + row[x + 1]) + row[x + 2]


@kernel
def _along(row, weights, sums):
    """Add up cells along a row, each times its weight; the row has margins."""
    weight = weights[0]
    for x in range(sums.shape[0]):
        sums[x] = weight * row[x]
    for k in range(1, weights.shape[0]):
        weight = weights[k]
        shifted = row[k : k + sums.shape[0]]
        for x in range(sums.shape[0]):
            sums[x] += weight * shifted[x]


@kernel
def _across_three(up, here, down, gain, floor, out):
    """Write a row of a blur of 3 x 3 from the sums of three rows, see `_finish`."""
    for x in range(out.shape[0]):
        v = np.float32(gain * np.float64((up[x] + here[x]) + down[x]) + 0.0)
        out[x] = v if abs(v) >= floor else _ZERO


@kernel
def _finish(blurred, gain, floor, out):
    """Write a row times `gain`; values smaller than `floor` become 0."""
    for x in range(out.shape[0]):
        v = np.float32(gain * np.float64(blurred[x]) + 0.0)
        out[x] = v if abs(v) >= floor else _ZERO


@kernel
def _taken(row, x, mask):
    """Return the sum of those of three cells of a row that are in the mask."""
    left = row[x] if mask & _LEFT != 0 else _ZERO
    middle = row[x + 1] if mask & _MIDDLE != 0 else _ZERO
    right = row[x + 2] if mask & _RIGHT != 0 else _ZERO
    return (left + middle) + right


@kernel
def _some_of_three(up, here, down, columns, masks, missing, gain, conserves, floor, inflow, out):
    """Write the cells of a row with walls or the rim within a blur of 3 x 3."""
    for k in range(columns.shape[0]):
        x = np.uint64(columns[k])
        mask = masks[k]
        first = _taken(up, x, mask)
        second = _taken(here, x, mask >> _SECOND_ROW)
        third = _taken(down, x, mask >> _THIRD_ROW)
        blurred = (first + second) + third
        if conserves:
            blurred = blurred + missing[k] * here[x + _ONE]
        v = np.float32(gain * np.float64(blurred) + inflow[x])
        out[x] = v if abs(v) >= floor else _ZERO


@kernel
def _near_walls(raw, y, x, weights, open_left, open_right, wrap, lefts, rights):
    """Return the blurred sum of the cells that a cell exchanges with.

    `lefts` and `rights` (side,) are scratch: how far it exchanges in each row of the blur, as far
    as the shortest open run of all rows from its own to that one.
    """
    side = weights.shape[0]
    reach = side // 2
    exchanged_runs(open_left, open_right, y, x, wrap, lefts, rights)
    blurred = weights[0] * _ZERO
    for j in range(side):
        if lefts[j] < 0:
            continue
        row = raw[(y + j - reach + side) % side]
        total = weights[0] * _ZERO
        # Unsigned indices need no look at whether they are negative.
        for i in range(np.uint64(reach - lefts[j]), np.uint64(reach + rights[j] + 1)):
            total += weights[i] * row[np.uint64(x) + i]
        blurred += weights[j] * total
    return blurred


@kernel
def _wall_up(closed, row):
    """Set the cells of a row that are walls to 0."""
    for x in range(row.shape[0]):
        row[x] = _ZERO if closed[x] != 0 else row[x]


@kernel
def _enter(source, raw, reach, wrap):
    """Copy a row between its margins; return whether it is not 0."""
    width = source.shape[0]
    nonzero = np.int32(0)
    inner = raw[reach : reach + width]
    for x in range(width):
        v = source[x]
        nonzero |= np.int32(v != _ZERO)
        inner[x] = v
    if wrap:
        for k in range(1, reach + 1):
            raw[reach - k] = source[(width - k) % width]
            raw[reach + width - 1 + k] = source[(k - 1) % width]
    return nonzero


@kernel
def _across(sums, weights, y, blurred):
    """Add up the rows around row y, each times its weight."""
    side = weights.shape[0]
    reach = side // 2
    for k in range(side):
        weight = weights[k]
        row = sums[(y + k - reach + side) % side]
        if k == 0:
            for x in range(blurred.shape[0]):
                blurred[x] = weight * row[x]
        else:
            for x in range(blurred.shape[0]):
                blurred[x] += weight * row[x]


@kernel(
    "TrailPlan(u1[:,::1], i8[::1], i4[::1], u8[::1], i1[:,::1], i1[:,::1], f4[::1]), f4[::1],"
    f" f4[:,::1], f4[:,::1], u1[:,::1], {TRAIL_RULE}, i8, i8, out f4[:,::1], out i8[:,::1],"
    " TrailScratch(out f4[:,::1], out f4[:,::1], out f4[::1], out u1[::1], out i8[::1],"
    " out f8[::1], out i1[::1], out i1[::1])",
    "TrailPlan(u1[:,::1], i8[::1], i4[::1], u8[::1], i1[:,::1], i1[:,::1], f8[::1]), f8[::1],"
    f" f4[:,::1], f4[:,::1], u1[:,::1], {TRAIL_RULE}, i8, i8, out f4[:,::1], out i8[:,::1],"
    " TrailScratch(out f4[:,::1], out f8[:,::1], out f8[::1], out u1[::1], out i8[::1],"
    " out f8[::1], out i1[::1], out i1[::1])",
)
def update(plan, weights, above, below, dirty, rule, first, last, values, inflow, scratch):
    """One update of the rows [first, last), whole tiles of the inflow, which is 0 afterwards.

    Walls are set to 0. `above` and `below` are copies of the `reach` rows beside the band as they
    were before, or 0 off the map. `dirty` tells which rows of which tiles of the inflow hold
    anything.
    """
    closed, starts, columns, masks, open_left, open_right, missing = plan
    ones, gain, conserves, floor, wrap = rule
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    raw, sums, blurred, nonzero, listed, added, lefts, rights = scratch
    width = values.shape[1]
    side = weights.shape[0]
    reach = side // 2
    three = ones and side == 3
    flat_values = values.reshape(-1)
    flat_inflow = inflow.reshape(-1)
    flat_sums = sums.reshape(-1)
    for t in range(first - reach, last + reach):
        slot = t % side
        if t < first:
            nonzero[slot] = _enter(above[t - first + reach], raw[slot], reach, wrap_x)
        elif t < last:
            nonzero[slot] = _enter(values[t], raw[slot], reach, wrap_x)
        else:
            nonzero[slot] = _enter(below[t - last], raw[slot], reach, wrap_x)
        if nonzero[slot] != 0:
            if three:
                _along_three(raw[slot], sums[slot])
            else:
                _along(raw[slot], weights, sums[slot])
        else:
            sums[slot] = 0.0
        y = t - reach
        if y < first:
            continue
        band = y // TILE_ROWS
        row_of_tile = y % TILE_ROWS
        tiles = 0
        for tile in range(dirty.shape[1]):
            listed[tiles] = tile
            tiles += (dirty[band, tile] >> row_of_tile) & 1
        quiet = tiles == 0
        for k in range(side):
            quiet = quiet and nonzero[k] == 0
        if quiet:
            continue
        # The rows around y are in turn in these places.
        up = (y + side - 1) % side
        here = y % side
        down = (y + 1) % side
        if three:
            _across_three(sums[up], sums[here], sums[down], gain, floor, values[y])
        else:
            _across(sums, weights, y, blurred)
            _finish(blurred, gain, floor, values[y])
        # Unsigned places need no look at whether they are negative, and slices would cost more than
        # a tile's row.
        row = np.uint64(y * width)
        for i in range(tiles):  # in a loop of its own, which waits for all tiles at once
            first_column = np.uint64(listed[i] * TILE_COLUMNS)
            place = row + first_column
            for k in range(min(TILE_COLUMNS, width - listed[i] * TILE_COLUMNS)):
                at = np.uint64(k)
                added[first_column + at] = np.float64(flat_inflow[place + at]) / SCALE
                flat_inflow[place + at] = 0
        for i in range(tiles):
            x0 = listed[i] * TILE_COLUMNS
            up_place = np.uint64(up * width)
            here_place = np.uint64(here * width)
            down_place = np.uint64(down * width)
            for k in range(x0, min(x0 + TILE_COLUMNS, width)):
                at = np.uint64(k)
                if three:
                    total = np.float64(
                        (flat_sums[up_place + at] + flat_sums[here_place + at])
                        + flat_sums[down_place + at]
                    )
                else:
                    total = np.float64(blurred[at])
                v = np.float32(gain * total + added[at])
                flat_values[row + at] = v if abs(v) >= floor else _ZERO
        begin = starts[y]
        end = starts[y + 1]
        if three and begin < end:
            # The margins are 0, so that where only the rim is near all may be taken.
            _some_of_three(
                raw[up],
                raw[here],
                raw[down],
                columns[begin:end],
                masks[begin:end],
                missing[begin:end],
                gain,
                conserves,
                floor,
                added,
                values[y],
            )
            begin = end
        for k in range(begin, end):
            x = columns[k]
            total = _near_walls(raw, y, x, weights, open_left, open_right, wrap_y, lefts, rights)
            if conserves:
                total = total + missing[k] * raw[here, x + reach]
            v = np.float32(gain * np.float64(total) + added[x])
            values[y, x] = v if abs(v) >= floor else _ZERO
        if closed[y, 0] != 0:
            _wall_up(closed[y, 1:], values[y])
        for i in range(tiles):
            first_column = np.uint64(listed[i] * TILE_COLUMNS)
            for k in range(min(TILE_COLUMNS, width - listed[i] * TILE_COLUMNS)):
                added[first_column + np.uint64(k)] = 0.0
