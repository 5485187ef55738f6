"""Spread over bands of rows.

All kernels work in place. `wave_*` update whole bands of rows, several steps in one pass: level `l`
of the wave is the map after `l` steps, it follows level `l - 1` at the distance that a step
reaches, and only a ring of rows per level is kept, so that the steps in between never leave the
cache. The `near` kernels serve 4 and 8 neighbors, values of one sign that fall by momentum, and
ground without terrain; the `any` kernels everything.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X
from fieldcraft.kernels.spread.spread_cells import (
    attenuate,
    close_ring,
    emit,
    gather,
    on_lines,
    update,
)
from fieldcraft.kernels.spread.spread_cells import copy as copy_row
from fieldcraft.kernels.spread.spread_records import (
    ANY_GROUND_1,
    ANY_GROUND_8,
    ANY_RULE,
    AnyGround,
    AnyRule,
    NearRule,
)
from fieldcraft.kernels.spread.vectors import ROWS, wave

__all__ = ["ROWS", "AnyGround", "AnyRule", "NearRule", "margin", "wave_any", "wave_near"]

_ZERO = np.float32(0)


def margin(reach: int) -> int:
    """Return the padding on both sides of a scratch row: a whole number of 64-byte lines."""
    return -(-reach // 16) * 16


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
    "u1[:,::1], NearRule(f4, none, none, f4, f4, i8), i8, i8, i8, out f4[:,::1], out f4[:,::1], out"
    " f4[:,::1], out f4[:,::1]",
    "u1[:,::1], NearRule(f4, f4, none, f4, f4, i8), i8, i8, i8, out f4[:,::1], out f4[:,::1], out"
    " f4[:,::1], out f4[:,::1]",
    "u1[:,::1], NearRule(f4, none, i8, f4, f4, i8), i8, i8, i8, out f4[:,::1], out f4[:,::1], out"
    " f4[:,::1], out f4[:,::1]",
    "u1[:,::1], NearRule(f4, f4, i8, f4, f4, i8), i8, i8, i8, out f4[:,::1], out f4[:,::1], out"
    " f4[:,::1], out f4[:,::1]",
)
def wave_near(ground, rule, first, last, count, values, above, below, scratch):
    """Take `count` steps of the rows [first, last), in place, for 4 or 8 neighbors.

    `ground` (height, width) has the bits of `fieldcraft.kernels.spread.spread_rows`. `above` and
    `below`
    are copies of the up to `count` rows beside the band, as they were before; fewer mean that the
    map ends there. `scratch` has `ROWS` rows for each level and a last one, each with room for 16
    values beside it, which are 0: level `l` holds the rows that have made `l` steps.
    """
    straight, diagonal, power, momentum, floor, wrap = rule
    height, width = values.shape
    skew, eight = _loss(diagonal)
    wave(
        ground,
        height,
        width,
        straight,
        skew,
        eight,
        _or_none(power),
        momentum,
        floor,
        1 if wrap & WRAP_X != 0 else 0,
        first,
        last,
        count,
        above.shape[0],
        below.shape[0],
        values,
        above,
        below,
        scratch,
        scratch.shape[0],
        scratch.shape[1],
    )


@kernel(
    f"{ANY_GROUND_1}, f4[:,::1], f4[:,::1], {ANY_RULE}, i8, i8, i8, out f4[:,::1],"
    " out f4[:,:,::1], out f4[:,:,::1]",
    f"{ANY_GROUND_8}, f4[:,::1], f4[:,::1], {ANY_RULE}, i8, i8, i8, out f4[:,::1],"
    " out f4[:,:,::1], out f4[:,:,::1]",
)
def wave_any(ground, above, below, rule, first, last, count, values, ring, roots):
    """Take `count` steps of the rows [first, last), in place, for any neighborhood, falloff and
    sign.

    `above` and `below` hold up to `count * reach` rows each. `ring` and `roots`
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
            close_ring(entering, width, pad, reach, wrap & WRAP_X != 0)
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
                close_ring(row, width, pad, reach, wrap & WRAP_X != 0)
                if exponent >= 2:
                    emit(row, roots[level, (y - low) % rows], exponent)
