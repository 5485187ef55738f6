"""Spread over bands of rows.

All kernels work in place. `wave_*` update whole bands of rows, several steps in one pass: level `l`
of the wave is the map after `l` steps, it follows level `l - 1` at the distance that a step
reaches, and only a ring of rows per level is kept, so that the steps in between never leave the
cache. The `near` kernels serve 4 and 8 neighbors, values of one sign that fall by momentum, and
ground without terrain; the `any` kernels everything.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.llvm import floats_at
from fieldcraft.kernels.spread_cells import attenuate, close_ring, emit, gather, on_lines, update
from fieldcraft.kernels.spread_cells import copy as copy_row
from fieldcraft.kernels.turns import claim
from fieldcraft.kernels.vectors import step_row, step_three_rows

__all__ = ["margin", "wave_any", "wave_bands", "wave_near"]

_ZERO = np.float32(0)
BLOCK = 3
"""The rows that are stepped at once."""


def margin(reach: int) -> int:
    """Return the padding on both sides of a scratch row: a whole number of 64-byte lines."""
    return -(-reach // 16) * 16


@kernel
def _row(y, low, first, last, width, over, map_, under):
    """Return the address of a row of a band or of the copies beside it."""
    if y < first:
        return over + 4 * width * (y - low)
    if y < last:
        return map_ + 4 * width * y
    return under + 4 * width * (y - last)


@kernel
def _ground(y, height, width, base):
    """Return the address of the ground of a row, which may be beyond the rim of a torus."""
    on_map = y + height if y < 0 else y - height if y >= height else y
    return base + width * on_map


@kernel
def _or_none(value):
    """Return a number for C functions, 0 for None."""
    if value is None:
        return 0
    return value


@kernel
def _loss(value):
    """Return a loss for C functions, 0 for None, and whether it is one."""
    if value is None:
        return _ZERO, 0
    return value, 1


@kernel(
    "u1[:,::1], (f4, f4, i8, f4, f4, b1), i8, i8, i8, out f4[:,::1], out f4[:,::1], out"
    " f4[:,::1], out f4[:,::1]",
    "u1[:,::1], (f4, f4, none, f4, f4, b1), i8, i8, i8, out f4[:,::1], out f4[:,::1], out"
    " f4[:,::1], out f4[:,::1]",
    "u1[:,::1], (f4, none, i8, f4, f4, b1), i8, i8, i8, out f4[:,::1], out f4[:,::1], out"
    " f4[:,::1], out f4[:,::1]",
    "u1[:,::1], (f4, none, none, f4, f4, b1), i8, i8, i8, out f4[:,::1], out f4[:,::1], out"
    " f4[:,::1], out f4[:,::1]",
)
def wave_near(ground, rule, first, last, count, values, above, below, scratch):
    """Take `count` steps of the rows [first, last), in place, for 4 or 8 neighbors.

    `rule` is (straight, diagonal, power, momentum, floor, wrap), those of `spread_rows.near`.
    `ground` (height, width) has the bits of `fieldcraft.kernels.spread_rows`. `above` and `below`
    are copies of the up to `count` rows beside the band, as they were before, and are overwritten;
    fewer mean that the map ends there. `scratch` has at least `count + 1` rows: for each level the
    row above its next block as it was before the level's step, and a row of 0.

    All levels share the map's memory: level `l` goes behind level `l - 1`, so that what it finds is
    what that has left.
    """
    straight, diagonal, power, momentum, floor, wrap = rule
    height, width = values.shape
    low, high = first - above.shape[0], last + below.shape[0]
    done = np.empty(count + 1, np.int64)
    done[0] = high
    for level in range(1, count + 1):
        done[level] = max(low, first - count + level)
    map_, base, olds = values.ctypes.data, ground.ctypes.data, scratch.ctypes.data
    over, under = above.ctypes.data, below.ctypes.data
    skew, eight = _loss(diagonal)
    root = _or_none(power)
    stride = 4 * scratch.shape[1]
    nothing = olds + (scratch.shape[0] - 1) * stride
    entered = low
    while done[count] < last:
        entered += BLOCK
        for level in range(1, count + 1):
            begin, end = max(low, first - count + level), min(high, last + count - level)
            ready = (
                min(entered, end)
                if level == 1
                else min(done[level - 1] - (done[level - 1] < high), end)
            )
            y = done[level]
            old = olds + (level - 1) * stride
            while y < ready and (y + BLOCK <= ready or ready == end):
                if y == begin:
                    above_it = (
                        _row(y - 1, low, first, last, width, over, map_, under)
                        if y > low
                        else nothing
                    )
                    copy_row(floats_at(above_it, width), floats_at(old, width))
                if y + BLOCK <= ready:
                    a = _row(y, low, first, last, width, over, map_, under)
                    b = _row(y + 1, low, first, last, width, over, map_, under)
                    c = _row(y + 2, low, first, last, width, over, map_, under)
                    down = (
                        _row(y + 3, low, first, last, width, over, map_, under)
                        if y + 3 < high
                        else nothing
                    )
                    step_three_rows(
                        old,
                        a,
                        b,
                        c,
                        down,
                        _ground(y, height, width, base),
                        _ground(y + 1, height, width, base),
                        _ground(y + 2, height, width, base),
                        width,
                        straight,
                        skew,
                        eight,
                        root,
                        momentum,
                        floor,
                        wrap,
                    )
                    y += BLOCK
                else:
                    here = _row(y, low, first, last, width, over, map_, under)
                    down = (
                        _row(y + 1, low, first, last, width, over, map_, under)
                        if y + 1 < high
                        else nothing
                    )
                    step_row(
                        old,
                        here,
                        down,
                        _ground(y, height, width, base),
                        width,
                        straight,
                        skew,
                        eight,
                        root,
                        momentum,
                        floor,
                        wrap,
                    )
                    y += 1
            done[level] = y


@kernel(
    "u1[:,::1], i8[::1], (f4, f4, i8, f4, f4, b1), i8, i8, out f4[:,::1], out f4[:,:,::1],"
    " out i8[::1], out f4[:,::1]",
    "u1[:,::1], i8[::1], (f4, f4, none, f4, f4, b1), i8, i8, out f4[:,::1], out f4[:,:,::1],"
    " out i8[::1], out f4[:,::1]",
    "u1[:,::1], i8[::1], (f4, none, i8, f4, f4, b1), i8, i8, out f4[:,::1], out f4[:,:,::1],"
    " out i8[::1], out f4[:,::1]",
    "u1[:,::1], i8[::1], (f4, none, none, f4, f4, b1), i8, i8, out f4[:,::1], out f4[:,:,::1],"
    " out i8[::1], out f4[:,::1]",
)
def wave_bands(ground, bounds, rule, start, count, values, edges, claims, scratch):
    """Take `count` steps of bands of rows, in place: of the bands that no other thread with this
    call takes, from band `start` on.

    `bounds` are the rows where the bands begin and where the last one ends. `edges` (bounds, 2 *
    count, width) is a copy of the rows around each of them as they were before, those before it
    first; what lies beyond the map is not read. `claims` holds a 0 for each band. Else as
    `wave_near`.
    """
    wrap = rule[5]
    bands = bounds.shape[0] - 1
    for turn in range(bands):
        band = (start + turn) % bands
        if claim(claims, band):
            above = edges[band, : count if wrap or band > 0 else 0]
            below = edges[band + 1, count : 2 * count if wrap or band + 1 < bands else count]
            first, last = bounds[band], bounds[band + 1]
            wave_near(ground, rule, first, last, count, values, above, below, scratch)


@kernel(
    "(u1[:,::1], u1[:,::1], u1[::1], f4[:,::1], i8[:,::1], f4[::1]), f4[:,::1], f4[:,::1], (i8, b1,"
    " f4, f4, f4, b1), i8, i8, i8, out f4[:,::1], out f4[:,:,::1], out f4[:,:,::1]",
    "(u1[:,::1], u8[:,::1], u8[::1], f4[:,::1], i8[:,::1], f4[::1]), f4[:,::1], f4[:,::1], (i8, b1,"
    " f4, f4, f4, b1), i8, i8, i8, out f4[:,::1], out f4[:,:,::1], out f4[:,:,::1]",
)
def wave_any(ground, above, below, rule, first, last, count, values, ring, roots):
    """Take `count` steps of the rows [first, last), in place, for any neighborhood, falloff and
    sign.

    `ground` is (blocked, links, masks, through, steps, losses), and `rule` (exponent, signed,
    momentum, keep, floor, wrap). `through` (height, width) is how cells attenuate what arrives in
    them, or (1, 0). `above` and `below` hold up to `count * reach` rows each. `ring` and `roots`
    are scratch of shape (count, 2 * reach + 1, width + 2 * margin(reach)); `roots` is only used
    for exponents above 1.
    """
    blocked, links, masks, through, steps, losses = ground
    exponent, signed, momentum, keep, floor, wrap = rule
    height, width = values.shape
    rows = ring.shape[1]
    reach = rows // 2
    pad = (ring.shape[2] - width) // 2
    low, high = first - above.shape[0], last + below.shape[0]
    strongest, weakest = on_lines(width), on_lines(width)
    source = roots if exponent >= 2 else ring
    for t in range(low, high + count * reach):
        if t < high:
            entering = ring[0, (t - low) % rows]
            if t < first:
                copy_row(above[t - low], entering[pad : pad + width])
            elif t < last:
                copy_row(values[t], entering[pad : pad + width])
            else:
                copy_row(below[t - last], entering[pad : pad + width])
            close_ring(entering, width, pad, reach, wrap)
            if exponent >= 2:
                emit(entering, roots[0, (t - low) % rows], exponent)
        for level in range(1, count + 1):
            y = t - level * reach
            if y < max(low, first - (count - level) * reach) or y >= min(
                high, last + (count - level) * reach
            ):
                continue
            on_map = y % height
            strongest[:], weakest[:] = 0, 0
            for k in range(steps.shape[0]):
                before = y - steps[k, 1]
                if low <= before < high:
                    start = pad - steps[k, 0]
                    row = source[level - 1, (before - low) % rows, start : start + width]
                    gather(
                        row,
                        links[on_map],
                        masks[k],
                        losses[k],
                        exponent,
                        signed,
                        strongest,
                        weakest,
                    )
            if through.shape[1] > 0:
                attenuate(strongest, weakest, through[on_map], exponent)
            here = ring[level - 1, (y - low) % rows, pad : pad + width]
            row = ring[min(level, count - 1), (y - low) % rows]
            update(
                here,
                strongest,
                weakest,
                blocked[on_map],
                values[y] if level == count else row[pad : pad + width],
                exponent,
                momentum,
                keep,
                floor,
            )
            if level < count:
                close_ring(row, width, pad, reach, wrap)
                if exponent >= 2:
                    emit(row, roots[level, (y - low) % rows], exponent)
