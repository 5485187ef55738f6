"""Trails, fast: the same bits as `fieldcraft.kernels.reference.trail`, in place.

Rows are summed up along themselves as they enter, and these sums are kept for as many rows as the blur is high. Cells near walls
can't use such sums. What one of them exchanges with is, in each row of the blur, a run of cells to both sides of its own column, as long as
the shortest open run of all rows from its own to that one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fieldcraft.kernels.reference.blit import SCALE, TILE_COLUMNS, TILE_ROWS

__all__ = ["SCALE", "TILE_COLUMNS", "TILE_ROWS", "Plan", "plan", "room", "update"]

Plan = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint64], NDArray[np.int8], NDArray[np.int8], NDArray[np.floating[Any]]]
"""What `plan` says of a map."""

_ZERO = np.float32(0)
_BIT = np.uint64(1)
_SECOND = np.uint64(2)
_THIRD = np.uint64(4)
_3 = np.uint64(3)
_6 = np.uint64(6)
_GAP = 32  # columns that are better done along with those beside them than skipped


class Room(NamedTuple):
    """Scratch for one thread."""

    raw: NDArray[np.float32]
    """Rows as they were, with margins."""
    sums: NDArray[np.floating[Any]]
    """Their sums along themselves."""
    blurred: NDArray[np.floating[Any]]
    holds: NDArray[np.uint8]
    """Which of the rows hold anything."""
    listed: NDArray[np.int64]
    """The tiles where something comes in."""
    lefts: NDArray[np.int8]
    rights: NDArray[np.int8]
    """How far each column exchanges in each row of the blur."""
    along: NDArray[np.floating[Any]]
    lacking: NDArray[np.floating[Any]]


def room(width: int, reach: int, dtype: Any) -> Room:
    """Scratch for one thread, for weights of this type."""
    side = 2 * reach + 1
    return Room(
        np.zeros((side, width + 2 * reach), np.float32), np.zeros((side, width), dtype), np.zeros(width, dtype), np.zeros(side, np.uint8),
        np.zeros(width // TILE_COLUMNS + 1, np.int64), np.zeros((side, width), np.int8), np.zeros((side, width), np.int8),
        np.zeros(width, dtype), np.zeros(width, dtype),
    )  # fmt: skip


@njit(nogil=True, cache=True, inline="never")
def _along_three(row, sums):  # type: ignore[no-untyped-def]
    for x in range(sums.shape[0]):
        sums[x] = (row[x] + row[x + 1]) + row[x + 2]


@njit(nogil=True, cache=True, inline="never")
def _along(row, weights, sums):  # type: ignore[no-untyped-def]
    weight = weights[0]
    for x in range(sums.shape[0]):
        sums[x] = weight * row[x]
    for k in range(1, weights.shape[0]):
        weight = weights[k]
        shifted = row[k : k + sums.shape[0]]
        for x in range(sums.shape[0]):
            sums[x] += weight * shifted[x]


@njit(nogil=True, cache=True, inline="never")
def _across_three(up, here, down, gain, floor, out):  # type: ignore[no-untyped-def]
    for x in range(out.shape[0]):
        v = np.float32(gain * np.float64((up[x] + here[x]) + down[x]) + 0.0)
        out[x] = v if abs(v) >= floor else _ZERO


@njit(nogil=True, cache=True, inline="never")
def _finish(blurred, gain, floor, out):  # type: ignore[no-untyped-def]
    for x in range(out.shape[0]):
        v = np.float32(gain * np.float64(blurred[x]) + 0.0)
        out[x] = v if abs(v) >= floor else _ZERO


@njit(nogil=True, cache=True)
def _taken(row, x, mask):  # type: ignore[no-untyped-def]
    """Three cells of a row, those that the mask has."""
    left = row[x] if mask & _BIT != 0 else _ZERO
    middle = row[x + 1] if mask & _SECOND != 0 else _ZERO
    right = row[x + 2] if mask & _THIRD != 0 else _ZERO
    return (left + middle) + right


@njit(nogil=True, cache=True, inline="never")
def _some_of_three(up, here, down, columns, masks, missing, gain, conserves, floor, inflow, out):  # type: ignore[no-untyped-def]
    """The cells of a row with walls or the rim within a blur of 3 x 3."""
    for k in range(columns.shape[0]):
        x = np.uint64(columns[k])
        mask = masks[k]
        blurred = (_taken(up, x, mask) + _taken(here, x, mask >> _3)) + _taken(down, x, mask >> _6)
        if conserves:
            blurred = blurred + missing[k] * here[x + _BIT]
        v = np.float32(gain * np.float64(blurred) + np.float64(inflow[x]) / SCALE)
        out[x] = v if abs(v) >= floor else _ZERO


@njit(nogil=True, cache=True)
def _runs(walls, reach, wrap):  # type: ignore[no-untyped-def]
    """How many cells to the left and to the right of each are open, up to `reach`; -1 in walls."""
    height, width = walls.shape
    lefts = np.empty((height, width), np.int8)
    rights = np.empty((height, width), np.int8)
    begin = -reach if wrap else 0
    for y in range(height):
        run = -1
        for x in range(begin, width):
            run = -1 if walls[y, x % width] else min(run + 1, reach)
            if x >= 0:
                lefts[y, x] = run
        run = -1
        for x in range(begin, width):
            run = -1 if walls[y, (width - 1 - x) % width] else min(run + 1, reach)
            if x >= 0:
                rights[y, width - 1 - x] = run
    return lefts, rights


@njit(nogil=True, cache=True)
def _near(lefts, rights, reach, wrap):  # type: ignore[no-untyped-def]
    """Which open cells have walls or the rim within the blur."""
    height, width = lefts.shape
    beside = np.empty((height, width), np.bool_)
    near = np.empty((height, width), np.bool_)
    for y in range(height):
        for x in range(width):
            beside[y, x] = (lefts[y, x] < reach) | (rights[y, x] < reach)
    for y in range(height):
        here = near[y]
        here[:] = False
        for n in range(-reach, reach + 1):
            row = (y + n) % height if wrap else y + n
            if row < 0 or row >= height:
                here[:] = True
            else:
                for x in range(width):
                    here[x] |= beside[row, x]
        for x in range(width):
            here[x] &= lefts[y, x] >= 0
    return near


@njit(nogil=True, cache=True)
def _span(columns, k, end):  # type: ignore[no-untyped-def]
    """Up to where columns[k:end] lie close together."""
    k += 1
    while k < end and columns[k] - columns[k - 1] <= _GAP:
        k += 1
    return k


@njit(nogil=True, cache=True)
def _reach_out(runs, y, left, right, wrap, found):  # type: ignore[no-untyped-def]
    """How far the columns [left, right) of row y exchange to one side, in each row of the blur: as far as the shortest run until there."""
    height = runs.shape[0]
    reach = found.shape[0] // 2
    found[reach, left:right] = runs[y, left:right]
    for way in (-1, 1):
        for n in range(1, reach + 1):
            row = y + way * n
            if wrap:
                row %= height
            before, here = found[reach + way * (n - 1)], found[reach + way * n]
            if row < 0 or row >= height:
                here[left:right] = -1
            else:
                own = runs[row]
                for x in range(left, right):
                    here[x] = min(before[x], own[x])


@njit(nogil=True, cache=True, inline="never")
def _gather(row, weights, lefts, rights, total):  # type: ignore[no-untyped-def]
    """The sums along a row of what each column exchanges with there; returns whether that is anything."""
    reach = weights.shape[0] // 2
    none = weights[0] * _ZERO
    most_left = np.int8(-1)
    most_right = np.int8(-1)
    for x in range(total.shape[0]):
        most_left = max(most_left, lefts[x])
        most_right = max(most_right, rights[x])
        total[x] = none
    for i in range(reach - most_left, reach + most_right + 1):
        weight = weights[i]
        shifted = row[i : i + total.shape[0]]
        away = np.int8(abs(i - reach))
        reaches = lefts if i < reach else rights
        for x in range(total.shape[0]):
            total[x] += weight * shifted[x] if reaches[x] >= away else none
    return most_left >= 0


@njit(nogil=True, cache=True)
def _some(raw, y, first, weights, lefts, rights, total, blurred):  # type: ignore[no-untyped-def]
    """The blurred sums of the columns from `first` on in row y, as far as they exchange."""
    side = weights.shape[0]
    blurred[:] = weights[0] * _ZERO
    for j in range(side):
        row = raw[(y + j - side // 2 + side) % side, first : first + side - 1 + total.shape[0]]
        if _gather(row, weights, lefts[j], rights[j], total):
            for x in range(total.shape[0]):
                blurred[x] += weights[j] * total[x]


@njit(nogil=True, cache=True, inline="never")
def _let_in(blurred, lacking, own, inflow, gain, conserves, floor, out):  # type: ignore[no-untyped-def]
    """Values from blurred sums: what a cell does not exchange stays with it if the blur conserves, and what comes in is added."""
    for x in range(out.shape[0]):
        kept = blurred[x] + lacking[x] * own[x] if conserves and lacking[x] > 0 else blurred[x]
        v = np.float32(gain * np.float64(kept) + np.float64(inflow[x]) / SCALE)
        out[x] = v if abs(v) >= floor else _ZERO


@njit(nogil=True, cache=True)
def _weigh(starts, columns, lefts, rights, weights, wrap, found_lefts, found_rights, lacking, masks, missing):  # type: ignore[no-untyped-def]
    """Fill in `masks` (for a blur of 3) and `missing`."""
    side = weights.shape[0]
    reach = side // 2
    for y in range(lefts.shape[0]):
        k = starts[y]
        while k < starts[y + 1]:
            stop = _span(columns, k, starts[y + 1])
            left, right = columns[k], columns[stop - 1] + 1
            _reach_out(lefts, y, left, right, wrap, found_lefts)
            _reach_out(rights, y, left, right, wrap, found_rights)
            lack = lacking[left:right]
            lack[:] = weights[0] * _ZERO
            for j in range(side):
                for i in range(side):
                    away = np.int8(abs(i - reach))
                    reaches = found_lefts[j, left:right] if i < reach else found_rights[j, left:right]
                    weight = weights[j] * weights[i]
                    for x in range(lack.shape[0]):
                        lack[x] += weights[0] * _ZERO if reaches[x] >= away else weight
            for n in range(k, stop):
                x = columns[n]
                missing[n] = lacking[x]
                if side == 3:
                    for j in range(3):
                        masks[n] |= np.uint64(found_lefts[j, x] >= 1) << np.uint64(j * 3)
                        masks[n] |= np.uint64(found_lefts[j, x] >= 0) << np.uint64(j * 3 + 1)
                        masks[n] |= np.uint64(found_rights[j, x] >= 1) << np.uint64(j * 3 + 2)
            k = stop


def plan(walls: NDArray[np.bool_], weights: NDArray[np.floating[Any]], wrap: bool) -> Plan:
    """The open cells that have walls or the rim within the blur.

    Row y has the cells of `starts[y]` to `starts[y + 1]`. Of each: its column; for a blur of 3 a mask of those that it exchanges with, a
    bit for each, row by row; last the weight of those that it does not exchange with. Before that stand how many cells to the left and to
    the right of each cell of the map are open, as far as the blur goes; -1 in walls.
    """
    reach = len(weights) // 2
    lefts, rights = _runs(walls, reach, wrap)
    rows, found = np.nonzero(_near(lefts, rights, reach, wrap))
    starts, columns = np.searchsorted(rows, np.arange(len(walls) + 1)).astype(np.int64), found.astype(np.int32)
    scratch = room(walls.shape[1], reach, weights.dtype)
    masks, missing = np.zeros(len(rows), dtype=np.uint64), np.zeros(len(rows), dtype=weights.dtype)
    _weigh(starts, columns, lefts, rights, weights, wrap, scratch.lefts, scratch.rights, scratch.lacking, masks, missing)
    return starts, columns, masks, lefts, rights, missing


@njit(nogil=True, cache=True, inline="never")
def _wall_up(closed, row):  # type: ignore[no-untyped-def]
    for x in range(row.shape[0]):
        row[x] = _ZERO if closed[x] != 0 else row[x]


@njit(nogil=True, cache=True)
def _enter(source, raw, reach, wrap):  # type: ignore[no-untyped-def]
    """Copy a row between its margins; returns whether it holds anything."""
    width = source.shape[0]
    holds = np.int32(0)
    inner = raw[reach : reach + width]
    for x in range(width):
        v = source[x]
        holds |= np.int32(v != _ZERO)
        inner[x] = v
    if wrap:
        for k in range(1, reach + 1):
            raw[reach - k] = source[(width - k) % width]
            raw[reach + width - 1 + k] = source[(k - 1) % width]
    return holds


@njit(nogil=True, cache=True)
def update(  # type: ignore[no-untyped-def]
    values, inflow, dirty, closed, starts, columns, masks, open_left, open_right, missing, weights, ones, gain, conserves, floor, wrap,
    above, below, first, last, raw, sums, blurred, holds, listed, lefts, rights, along, lacking,
):  # fmt: skip
    """One update of the rows [first, last), whole tiles of the inflow, which is 0 afterwards.

    `above` and `below` are copies of the `reach` rows beside the band as they were before, or 0 off the map. `closed` says of each row
    whether it has walls: their cells are not in `columns` and are set to 0. `ones` says that all weights are 1. `dirty` tells which
    rows of which tiles of the inflow hold anything.
    """
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
            holds[slot] = _enter(above[t - first + reach], raw[slot], reach, wrap)
        elif t < last:
            holds[slot] = _enter(values[t], raw[slot], reach, wrap)
        else:
            holds[slot] = _enter(below[t - last], raw[slot], reach, wrap)
        if holds[slot] != 0:
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
        of_row = y % TILE_ROWS
        tiles = 0
        for tile in range(dirty.shape[1]):
            listed[tiles] = tile
            tiles += (dirty[band, tile] >> of_row) & 1
        fed = tiles > 0
        quiet = True
        for k in range(side):
            quiet = quiet and holds[k] == 0
        if quiet and not fed:
            continue
        up = sums[(y + side - 1) % side]
        level = sums[y % side]
        down = sums[(y + 1) % side]
        if not three:
            for k in range(side):
                weight = weights[k]
                row = sums[(y + k - reach + side) % side]
                if k == 0:
                    for x in range(width):
                        blurred[x] = weight * row[x]
                else:
                    for x in range(width):
                        blurred[x] += weight * row[x]
        if three:
            _across_three(up, level, down, gain, floor, values[y])
        else:
            _finish(blurred, gain, floor, values[y])
        if fed:
            # Unsigned places need no look at whether they are negative, and slices would cost more than a tile's row.
            for i in range(tiles):
                x0 = listed[i] * TILE_COLUMNS
                place = np.uint64(y * width)
                above_place = np.uint64((y + side - 1) % side * width)
                own_place = np.uint64(y % side * width)
                below_place = np.uint64((y + 1) % side * width)
                for k in range(x0, min(x0 + TILE_COLUMNS, width)):
                    at = np.uint64(k)
                    if three:
                        total = np.float64((flat_sums[above_place + at] + flat_sums[own_place + at]) + flat_sums[below_place + at])
                    else:
                        total = np.float64(blurred[at])
                    v = np.float32(gain * total + np.float64(flat_inflow[place + at]) / SCALE)
                    flat_values[place + at] = v if abs(v) >= floor else _ZERO
        begin = starts[y]
        end = starts[y + 1]
        if three and begin < end:
            # The margins are 0, so that where only the rim is near all may be taken.
            _some_of_three(
                raw[(y + side - 1) % side], raw[y % side], raw[(y + 1) % side], columns[begin:end], masks[begin:end], missing[begin:end],
                gain, conserves, floor, inflow[y], values[y],
            )  # fmt: skip
            begin = end
        while begin < end:
            stop = _span(columns, begin, end)
            left, right = columns[begin], columns[stop - 1] + 1
            _reach_out(open_left, y, left, right, wrap, lefts)
            _reach_out(open_right, y, left, right, wrap, rights)
            here = blurred[left:right]
            _some(raw, y, left, weights, lefts[:, left:right], rights[:, left:right], along[left:right], here)
            lacking[left:right] = weights[0] * _ZERO
            for k in range(begin, stop):
                lacking[columns[k]] = missing[k]
            own = raw[y % side, left + reach : right + reach]
            _let_in(here, lacking[left:right], own, inflow[y, left:right], gain, conserves, floor, values[y, left:right])
            begin = stop
        if closed[y, 0] != 0:
            _wall_up(closed[y, 1:], values[y])
        if fed:
            for i in range(tiles):
                place = np.uint64(y * width + listed[i] * TILE_COLUMNS)
                for k in range(min(TILE_COLUMNS, width - listed[i] * TILE_COLUMNS)):
                    flat_inflow[place + np.uint64(k)] = 0
