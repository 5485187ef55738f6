"""Spread, fast: the same bits as `fieldcraft.kernels.reference.spread`.

All kernels work in place. `wave_*` update whole bands of rows, several steps in one pass: level `l` of the wave is the
map after `l` steps, it follows level `l - 1` at the distance that a step reaches, and only a ring of rows per level is
kept, so that the steps in between never leave the cache. `tiles_*` update only the tiles in which something can change.
The `plain` kernels serve four neighbours, exponential decay and values of one sign; the `any` kernels everything.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["TILE_COLUMNS", "TILE_ROWS", "margin", "settle", "tiles_any", "tiles_plain", "wave_any", "wave_plain"]

TILE_ROWS = 16
TILE_COLUMNS = 32
_ZERO = np.float32(0)


def margin(reach: int) -> int:
    """The padding on both sides of a scratch row: a whole number of 64-byte lines."""
    return -(-reach // 16) * 16


# Rows ---------------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _copy(row, out):  # type: ignore[no-untyped-def]
    for x in range(out.shape[0]):
        out[x] = row[x]


@njit(nogil=True, cache=True, inline="never")
def _row_plain(above, below, left, here, right, frozen, out, weight, momentum, floor):  # type: ignore[no-untyped-def]
    for x in range(out.shape[0]):
        a = above[x]
        b = below[x]
        t = a if a > b else b
        c = left[x]
        t = t if t > c else c
        c = right[x]
        t = t if t > c else c
        t = t * weight
        old = here[x]
        v = old + momentum * (t - old)
        larger = v if v > t else t
        v = v if larger >= floor else _ZERO
        out[x] = old if frozen[x] != 0 else v


@njit(nogil=True, cache=True, inline="never")
def _gather(emitted, links, mask, loss, exponent, signed, strongest, weakest):  # type: ignore[no-untyped-def]
    if exponent == 0:
        for x in range(links.shape[0]):
            n = emitted[x] * loss
            n = n if links[x] & mask != 0 else _ZERO
            strongest[x] = n if n > strongest[x] else strongest[x]
        if signed:
            for x in range(links.shape[0]):
                n = emitted[x] * loss
                n = n if links[x] & mask != 0 else _ZERO
                weakest[x] = n if n < weakest[x] else weakest[x]
    else:
        for x in range(links.shape[0]):
            n = emitted[x] - loss
            n = n if links[x] & mask != 0 else _ZERO
            strongest[x] = n if n > strongest[x] else strongest[x]
        if signed:
            for x in range(links.shape[0]):
                n = emitted[x] + loss
                n = n if links[x] & mask != 0 else _ZERO
                weakest[x] = n if n < weakest[x] else weakest[x]


@njit(nogil=True, cache=True, inline="never")
def _update(old, strongest, weakest, frozen, out, exponent, momentum, keep, floor):  # type: ignore[no-untyped-def]
    for x in range(out.shape[0]):
        t = strongest[x] if strongest[x] >= -weakest[x] else weakest[x]
        strongest[x] = t
    if exponent >= 2:
        for x in range(out.shape[0]):
            strongest[x] = _power(strongest[x], exponent)
    if keep < 0:
        for x in range(out.shape[0]):
            o = old[x]
            t = strongest[x]
            v = o + momentum * (t - o)
            v = v if (abs(v) >= floor) | (abs(t) >= floor) else _ZERO
            out[x] = o if frozen[x] != 0 else v
    else:
        for x in range(out.shape[0]):
            o = old[x]
            t = strongest[x]
            kept = keep * o + _ZERO
            rising = o + momentum * (t - o)
            falling = t if abs(t) >= abs(kept) else kept
            v = falling if abs(t) < abs(o) else rising
            v = v if (abs(v) >= floor) | (abs(t) >= floor) else _ZERO
            out[x] = o if frozen[x] != 0 else v


@njit(nogil=True, cache=True)
def _root(value, exponent):  # type: ignore[no-untyped-def]
    size = abs(value)
    if exponent == 2:
        result = np.sqrt(size)
    elif size > 0:
        wide = np.float64(size)
        guess = np.int64(wide.view(np.int64) // 3 + 0x2A9F789300000000).view(np.float64)
        for _ in range(4):
            guess = guess - (guess * guess * guess - wide) / (3.0 * guess * guess)
        result = np.float32(guess)
    else:
        result = _ZERO
    return result if value >= 0 else -result


@njit(nogil=True, cache=True)
def _power(value, exponent):  # type: ignore[no-untyped-def]
    size = abs(value)
    raised = size * size if exponent == 2 else size * size * size
    return raised if value >= 0 else -raised


@njit(nogil=True, cache=True)
def _emit(values, emitted, exponent):  # type: ignore[no-untyped-def]
    for x in range(values.shape[0]):
        emitted[x] = _root(values[x], exponent)


@njit(nogil=True, cache=True)
def _close_ring(row, width, pad, reach, wrap):  # type: ignore[no-untyped-def]
    """Fill the columns beside a scratch row: from the other side on a torus, else with 0."""
    for j in range(1, reach + 1):
        row[pad - j] = row[pad + (width - j) % width] if wrap else _ZERO
        row[pad + width - 1 + j] = row[pad + (j - 1) % width] if wrap else _ZERO


# Waves over bands of rows -------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def wave_plain(values, frozen, above, below, first, last, count, weight, momentum, floor, ring):  # type: ignore[no-untyped-def]
    """`count` steps of the rows [first, last), in place.

    `above` and `below` are copies of the up to `count` rows beside the band, as they were before; fewer mean that the
    map ends there. `ring` is scratch of shape (count, 3, width + 2 * margin(1)) whose margins are 0.
    """
    pad = 16
    width = values.shape[1]
    low = first - above.shape[0]
    high = last + below.shape[0]
    nothing = np.zeros(width, np.float32)
    for t in range(low, high + count):
        if t < high:
            entering = ring[0, (t - low) % 3, pad : pad + width]
            if t < first:
                _copy(above[t - low], entering)
            elif t < last:
                _copy(values[t], entering)
            else:
                _copy(below[t - last], entering)
        for level in range(1, count + 1):
            y = t - level
            if y < max(low, first - count + level) or y >= min(high, last + count - level):
                continue
            i = y - low
            up = ring[level - 1, (i + 2) % 3, pad : pad + width] if y > low else nothing
            down = ring[level - 1, (i + 1) % 3, pad : pad + width] if y + 1 < high else nothing
            row = ring[level - 1, i % 3]
            left = row[pad - 1 : pad + width - 1]
            here = row[pad : pad + width]
            right = row[pad + 1 : pad + width + 1]
            out = values[y] if level == count else ring[level, i % 3, pad : pad + width]
            _row_plain(up, down, left, here, right, frozen[y], out, weight, momentum, floor)


@njit(nogil=True, cache=True)
def wave_any(  # type: ignore[no-untyped-def]
    values,
    frozen,
    links,
    masks,
    steps,
    losses,
    exponent,
    signed,
    above,
    below,
    first,
    last,
    count,
    momentum,
    keep,
    floor,
    wrap,
    ring,
    emitted,
):
    """`count` steps of the rows [first, last), in place, for any neighbourhood, falloff and sign.

    `above` and `below` hold up to `count * reach` rows each. `ring` and `emitted` are scratch of shape (count,
    2 * reach + 1, width + 2 * margin(reach)); `emitted` is only used for exponents above 1.
    """
    height, width = values.shape
    rows = ring.shape[1]
    reach = rows // 2
    pad = (ring.shape[2] - width) // 2
    low = first - above.shape[0]
    high = last + below.shape[0]
    strongest = np.empty(width, np.float32)
    weakest = np.empty(width, np.float32)
    source = emitted if exponent >= 2 else ring
    for t in range(low, high + count * reach):
        if t < high:
            entering = ring[0, (t - low) % rows]
            if t < first:
                _copy(above[t - low], entering[pad : pad + width])
            elif t < last:
                _copy(values[t], entering[pad : pad + width])
            else:
                _copy(below[t - last], entering[pad : pad + width])
            _close_ring(entering, width, pad, reach, wrap)
            if exponent >= 2:
                _emit(entering, emitted[0, (t - low) % rows], exponent)
        for level in range(1, count + 1):
            y = t - level * reach
            if y < max(low, first - (count - level) * reach) or y >= min(high, last + (count - level) * reach):
                continue
            on_map = y % height
            strongest[:] = 0
            weakest[:] = 0
            for k in range(steps.shape[0]):
                before = y - steps[k, 1]
                if low <= before < high:
                    start = pad - steps[k, 0]
                    row = source[level - 1, (before - low) % rows, start : start + width]
                    _gather(row, links[on_map], masks[k], losses[k], exponent, signed, strongest, weakest)
            here = ring[level - 1, (y - low) % rows, pad : pad + width]
            if level == count:
                _update(here, strongest, weakest, frozen[on_map], values[y], exponent, momentum, keep, floor)
            else:
                row = ring[level, (y - low) % rows]
                _update(here, strongest, weakest, frozen[on_map], row[pad : pad + width], exponent, momentum, keep, floor)
                _close_ring(row, width, pad, reach, wrap)
                if exponent >= 2:
                    _emit(row, emitted[level, (y - low) % rows], exponent)


# Tiles --------------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _load(values, opening, top, left, rows, columns, reach, pad, wrap, block):  # type: ignore[no-untyped-def]
    """Copy a tile and what surrounds it into `block`; `opening` holds the first rows as they were before the step."""
    height, width = values.shape
    inside = left >= reach and left + columns + reach <= width
    for j in range(rows + 2 * reach):
        y = top - reach + j
        if wrap:
            y = y % height
        if y < 0 or y >= height:
            block[j, pad - reach : pad + columns + reach] = 0
            continue
        row = opening[y] if wrap and y < opening.shape[0] else values[y]
        if inside:
            for i in range(columns + 2 * reach):
                block[j, pad - reach + i] = row[left - reach + i]
        else:
            for i in range(columns + 2 * reach):
                x = left - reach + i
                if wrap:
                    x = x % width
                block[j, pad - reach + i] = row[x] if 0 <= x < width else _ZERO


@njit(nogil=True, cache=True)
def _store(values, new, top, left, rows, columns, reach, wrap, awake, band_awake):  # type: ignore[no-untyped-def]
    """Write a tile back and wake every tile that its changed cells can reach."""
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
    _wake(values.shape, top + j0 - reach, top + j1 + reach, left + i0 - reach, left + i1 + reach, wrap, awake, band_awake)
    awake[top // TILE_ROWS, left // TILE_COLUMNS] = 1
    band_awake[top // TILE_ROWS] = 1


@njit(nogil=True, cache=True)
def _wake(shape, y0, y1, x0, x1, wrap, awake, band_awake):  # type: ignore[no-untyped-def]
    """Wake the tiles of the rows y0 to y1 and columns x0 to x1, both included, which may lie beyond the rim."""
    height, width = shape
    if wrap:
        for y in range(y0, y1 + 1):
            if y == y0 or (y % height) % TILE_ROWS == 0:
                for x in range(x0, x1 + 1):
                    if x == x0 or (x % width) % TILE_COLUMNS == 0:
                        awake[(y % height) // TILE_ROWS, (x % width) // TILE_COLUMNS] = 1
                        band_awake[(y % height) // TILE_ROWS] = 1
        return
    for ty in range(max(y0, 0) // TILE_ROWS, min(y1, height - 1) // TILE_ROWS + 1):
        band_awake[ty] = 1
        for tx in range(max(x0, 0) // TILE_COLUMNS, min(x1, width - 1) // TILE_COLUMNS + 1):
            awake[ty, tx] = 1


@njit(nogil=True, cache=True)
def wake(cells, width, height, reach, wrap, awake, band_awake):  # type: ignore[no-untyped-def]
    """Wake every tile that a change of `cells` can reach."""
    for cell in cells:
        y, x = divmod(cell, width)
        _wake((height, width), y - reach, y + reach, x - reach, x + reach, wrap, awake, band_awake)


@njit(nogil=True, cache=True)
def _store_band(values, new, pending, counts, slot, ty, reach, wrap, awake, band_awake):  # type: ignore[no-untyped-def]
    height, width = values.shape
    top = ty * TILE_ROWS
    rows = min(TILE_ROWS, height - top)
    for p in range(counts[slot]):
        left = pending[slot, p] * TILE_COLUMNS
        columns = min(TILE_COLUMNS, width - left)
        _store(values, new[slot, p], top, left, rows, columns, reach, wrap, awake, band_awake)
    counts[slot] = 0


@njit(nogil=True, cache=True)
def _turn(awake, band_awake, next_awake, next_band):  # type: ignore[no-untyped-def]
    """Make the tiles woken during a step those of the next one; the number of them."""
    total = 0
    for ty in range(awake.shape[0]):
        if band_awake[ty] != 0 or next_band[ty] != 0:
            for tx in range(awake.shape[1]):
                total += next_awake[ty, tx]
                awake[ty, tx] = next_awake[ty, tx]
                next_awake[ty, tx] = 0
            band_awake[ty] = next_band[ty]
            next_band[ty] = 0
    return total


@njit(nogil=True, cache=True)
def tiles_plain(  # type: ignore[no-untyped-def]
    values, frozen, weight, momentum, floor, count, most, awake, band_awake, next_awake, next_band, new, pending, counts
):
    """Up to `count` steps of the tiles that are awake, in place; stops early above `most` awake tiles.

    Returns (steps made, tiles awake now). Tiles that changed, and those that their changed cells reach, are awake for
    the next step. `new` is scratch of shape (2, tiles across, TILE_ROWS, TILE_COLUMNS), `pending` and `counts` likewise.
    """
    height, width = values.shape
    block = np.zeros((TILE_ROWS + 2, TILE_COLUMNS + 32), np.float32)
    made = 0
    total = 1
    while made < count and total > 0:
        for ty in range(awake.shape[0] + 1):
            slot = ty % 2
            if ty < awake.shape[0] and band_awake[ty] != 0:
                top = ty * TILE_ROWS
                rows = min(TILE_ROWS, height - top)
                for tx in range(awake.shape[1]):
                    if awake[ty, tx] == 0:
                        continue
                    left = tx * TILE_COLUMNS
                    columns = min(TILE_COLUMNS, width - left)
                    _load(values, values, top, left, rows, columns, 1, 16, False, block)
                    out = new[slot, counts[slot]]
                    for j in range(rows):
                        row = block[j + 1]
                        up = block[j, 16 : 16 + columns]
                        down = block[j + 2, 16 : 16 + columns]
                        left_of = row[15 : 15 + columns]
                        here = row[16 : 16 + columns]
                        right_of = row[17 : 17 + columns]
                        still = frozen[top + j, left : left + columns]
                        _row_plain(up, down, left_of, here, right_of, still, out[j, :columns], weight, momentum, floor)
                    pending[slot, counts[slot]] = tx
                    counts[slot] += 1
            if ty > 0:
                _store_band(values, new, pending, counts, 1 - slot, ty - 1, 1, False, next_awake, next_band)
        total = _turn(awake, band_awake, next_awake, next_band)
        made += 1
        if total > most:
            break
    return made, total


@njit(nogil=True, cache=True)
def tiles_any(  # type: ignore[no-untyped-def]
    values,
    frozen,
    links,
    masks,
    steps,
    losses,
    exponent,
    signed,
    reach,
    momentum,
    keep,
    floor,
    wrap,
    count,
    most,
    awake,
    band_awake,
    next_awake,
    next_band,
    new,
    pending,
    counts,
):
    """`tiles_plain` for any neighbourhood, falloff and sign; `new` has room for as many bands as a step reaches, and one."""
    height, width = values.shape
    pad = -(-reach // 16) * 16
    lag = new.shape[0] - 1
    block = np.zeros((TILE_ROWS + 2 * reach, TILE_COLUMNS + 2 * pad), np.float32)
    emitted = np.zeros(block.shape, np.float32)
    source = emitted if exponent >= 2 else block
    strongest = np.empty(TILE_COLUMNS, np.float32)
    weakest = np.empty(TILE_COLUMNS, np.float32)
    opening = np.empty((min(reach, height) if wrap else 0, width), np.float32)
    made = 0
    total = 1
    while made < count and total > 0:
        if wrap:
            opening[:] = values[: opening.shape[0]]
        for ty in range(awake.shape[0] + lag):
            slot = ty % (lag + 1)
            if ty < awake.shape[0] and band_awake[ty] != 0:
                top = ty * TILE_ROWS
                rows = min(TILE_ROWS, height - top)
                for tx in range(awake.shape[1]):
                    if awake[ty, tx] == 0:
                        continue
                    left = tx * TILE_COLUMNS
                    columns = min(TILE_COLUMNS, width - left)
                    _load(values, opening, top, left, rows, columns, reach, pad, wrap, block)
                    if exponent >= 2:
                        for j in range(rows + 2 * reach):
                            _emit(block[j], emitted[j], exponent)
                    out = new[slot, counts[slot]]
                    for j in range(rows):
                        strongest[:] = 0
                        weakest[:] = 0
                        arrive = links[top + j, left : left + columns]
                        for k in range(steps.shape[0]):
                            start = pad - steps[k, 0]
                            row = source[j + reach - steps[k, 1], start : start + columns]
                            _gather(row, arrive, masks[k], losses[k], exponent, signed, strongest, weakest)
                        _update(
                            block[j + reach, pad : pad + columns],
                            strongest,
                            weakest,
                            frozen[top + j, left : left + columns],
                            out[j, :columns],
                            exponent,
                            momentum,
                            keep,
                            floor,
                        )
                    pending[slot, counts[slot]] = tx
                    counts[slot] += 1
            if ty >= lag:
                _store_band(values, new, pending, counts, (ty - lag) % (lag + 1), ty - lag, reach, wrap, next_awake, next_band)
        total = _turn(awake, band_awake, next_awake, next_band)
        made += 1
        if total > most:
            break
    return made, total


# The fixed point ----------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _before(values, a, b):  # type: ignore[no-untyped-def]
    """Whether cell `a` is settled before cell `b`: the stronger first, of equals the positive, of those the lower id."""
    va = values[a]
    vb = values[b]
    if abs(va) != abs(vb):
        return abs(va) > abs(vb)
    if va != vb:
        return va > vb
    return a < b


@njit(nogil=True, cache=True)
def _rise(values, heap, place, i):  # type: ignore[no-untyped-def]
    cell = heap[i]
    while i > 0:
        parent = (i - 1) // 2
        if not _before(values, cell, heap[parent]):
            break
        heap[i] = heap[parent]
        place[heap[i]] = i
        i = parent
    heap[i] = cell
    place[cell] = i


@njit(nogil=True, cache=True)
def _pop(values, heap, place, size):  # type: ignore[no-untyped-def]
    top = heap[0]
    cell = heap[size - 1]
    size -= 1
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and _before(values, heap[child + 1], heap[child]):
            child += 1
        if not _before(values, heap[child], cell):
            break
        heap[i] = heap[child]
        place[heap[i]] = i
        i = child
    if size > 0:
        heap[i] = cell
        place[cell] = i
    place[top] = -2
    return top


@njit(nogil=True, cache=True)
def settle(values, frozen, links, masks, steps, losses, exponent, floor, wrap):  # type: ignore[no-untyped-def]
    """Put every cell at its fixed point, in place: Dijkstra's search from the frozen cells, the strongest first."""
    height, width = values.shape
    flat = values.reshape(-1)
    fixed = frozen.reshape(-1)
    arrive = links.reshape(-1)
    place = np.full(flat.shape[0], -1, np.int32)
    heap = np.empty(flat.shape[0], np.int32)
    size = 0
    for cell in range(flat.shape[0]):
        if fixed[cell] == 0:
            flat[cell] = 0
        elif flat[cell] != 0:
            heap[size] = cell
            size += 1
            _rise(flat, heap, place, size - 1)
    while size > 0:
        cell = _pop(flat, heap, place, size)
        size -= 1
        y, x = divmod(cell, width)
        value = flat[cell]
        emitted = abs(_root(value, exponent)) if exponent >= 2 else abs(value)
        for k in range(steps.shape[0]):
            ny = y + steps[k, 1]
            nx = x + steps[k, 0]
            if wrap:
                ny = ny % height
                nx = nx % width
            elif ny < 0 or ny >= height or nx < 0 or nx >= width:
                continue
            there = ny * width + nx
            if fixed[there] != 0 or arrive[there] & masks[k] == 0:
                continue
            # A power of a root may lie a little above the value, so a negative cell can be done before its positive equal comes.
            if place[there] == -2 and exponent < 2:
                continue
            rest = emitted * losses[k] if exponent == 0 else emitted - losses[k]
            if rest <= 0:
                continue
            if exponent >= 2:
                rest = _power(rest, exponent)
            if rest < floor or rest == 0:
                continue
            if value < 0:
                rest = -rest
            old = flat[there]
            if abs(rest) > abs(old) or (abs(rest) == abs(old) and rest > old):
                flat[there] = rest
                if place[there] < 0:
                    heap[size] = there
                    size += 1
                    _rise(flat, heap, place, size - 1)
                else:
                    _rise(flat, heap, place, place[there])
