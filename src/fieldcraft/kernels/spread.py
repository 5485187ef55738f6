"""Spread over bands of rows, fast: the same bits as `fieldcraft.kernels.reference.spread`.

All kernels work in place. `wave_*` update whole bands of rows, several steps in one pass: level `l` of the wave is the
map after `l` steps, it follows level `l - 1` at the distance that a step reaches, and only a ring of rows per level is
kept, so that the steps in between never leave the cache.
The `near` kernels serve 4 and 8 neighbours, values of one sign that fall by momentum, and ground without terrain; the `any`
kernels everything.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.spread_cells import attenuate, close_ring, emit, gather, update
from fieldcraft.kernels.spread_cells import copy as copy_row
from fieldcraft.kernels.spread_rows import copy, near, near_apart, wrap_around

__all__ = ["margin", "step_near", "wave_any", "wave_near"]


def margin(reach: int) -> int:
    """The padding on both sides of a scratch row: a whole number of 64-byte lines."""
    return -(-reach // 16) * 16


@kernel(
    "out f4[:,::1], u1[:,::1], u8[::1], f4[:,::1], f4[:,::1], i8, i8, f4, f4, i8, f4, f4, b1, out f4[:,::1]",
    "out f4[:,::1], u1[:,::1], u8[::1], f4[:,::1], f4[:,::1], i8, i8, f4, f4, none, f4, f4, b1, out f4[:,::1]",
    "out f4[:,::1], u1[:,::1], u8[::1], f4[:,::1], f4[:,::1], i8, i8, f4, none, i8, f4, f4, b1, out f4[:,::1]",
    "out f4[:,::1], u1[:,::1], u8[::1], f4[:,::1], f4[:,::1], i8, i8, f4, none, none, f4, f4, b1, out f4[:,::1]",
)
def step_near(values, ground, starts, above, below, first, last, straight, diagonal, power, momentum, floor, wrap, ring):
    """One step of the rows [first, last), in place: `wave_near` with a count of 1, without what more steps need.

    `above` and `below` (1, width) are copies of the rows beside the band, 0 beyond the map; `ring` has 6 rows.
    """
    width = np.uint64(values.shape[1])
    stride = np.uint64(ring.shape[1])
    pad = np.uint64(16)
    flat, fixed, scratch = values.reshape(-1), ground.reshape(-1), ring.reshape(-1)
    over = np.uint64(4) * stride + pad
    under = np.uint64(5) * stride + pad
    copy(above.reshape(-1), np.uint64(0), scratch, over, width)
    copy(below.reshape(-1), np.uint64(0), scratch, under, width)
    if wrap:
        wrap_around(scratch, over, width)
        wrap_around(scratch, under, width)
    rows = last - first
    for t in range(rows + 2):
        # A row is copied a turn before it is needed: reading across what was just written would stall.
        if t < rows:
            entering = np.uint64(t & 3) * stride + pad
            copy(flat, starts[first + t], scratch, entering, width)
            if wrap:
                wrap_around(scratch, entering, width)
        row = t - 2
        if row >= 0:
            here = np.uint64(row & 3) * stride + pad
            up = np.uint64((row + 3) & 3) * stride + pad if row > 0 else over
            down = np.uint64((row + 1) & 3) * stride + pad if row + 1 < rows else under
            at = starts[first + row]
            near(scratch, up, here, down, fixed, at, flat, at, width, straight, diagonal, power, momentum, floor)


@kernel(
    "out f4[:,::1], u1[:,::1], u8[::1], f4[:,::1], f4[:,::1], i8, i8, i8, f4, f4, i8, f4, f4, b1, out f4[:,::1]",
    "out f4[:,::1], u1[:,::1], u8[::1], f4[:,::1], f4[:,::1], i8, i8, i8, f4, f4, none, f4, f4, b1, out f4[:,::1]",
    "out f4[:,::1], u1[:,::1], u8[::1], f4[:,::1], f4[:,::1], i8, i8, i8, f4, none, i8, f4, f4, b1, out f4[:,::1]",
    "out f4[:,::1], u1[:,::1], u8[::1], f4[:,::1], f4[:,::1], i8, i8, i8, f4, none, none, f4, f4, b1, out f4[:,::1]",
)
def wave_near(values, ground, starts, above, below, first, last, count, straight, diagonal, power, momentum, floor, wrap, ring):
    """`count` steps of the rows [first, last), in place, for 4 neighbours, or 8 where `diagonal` is not None.

    `ground` (height, width) has the bits of `fieldcraft.kernels.spread_rows`; `starts` (height,) says where each row begins
    in flat memory (were it worked out here, the compiler would test once for all rows whether any overlap, and give up).
    `above` and `below` are copies of the up to `count` rows beside the band, as they were before; fewer mean that the map
    ends there. `ring` is scratch of 4 rows a step and two more, each with a margin on both sides; margins and the last row are 0.
    """
    width = np.uint64(values.shape[1])
    stride = np.uint64(ring.shape[1])
    pad = np.uint64(16)
    flat, fixed, scratch = values.reshape(-1), ground.reshape(-1), ring.reshape(-1)
    over, under = above.reshape(-1), below.reshape(-1)
    nothing = np.uint64(ring.shape[0] - 1) * stride + pad
    low = first - above.shape[0]
    rows = last + below.shape[0] - low
    for t in range(rows + 2 * count):
        # A row is copied a turn before it is needed: reading across what was just written would stall.
        if t < rows:
            entering = np.uint64(t & 3) * stride + pad
            y = low + t
            if y < first:
                copy(over, np.uint64(t) * width, scratch, entering, width)
            elif y < last:
                copy(flat, starts[y], scratch, entering, width)
            else:
                copy(under, np.uint64(y - last) * width, scratch, entering, width)
            if wrap:
                wrap_around(scratch, entering, width)
        for level in range(1, count + 1):
            row = t - 2 * level
            y = low + row
            if row < 0 or row >= rows or y < first - count + level or y >= last + count - level:
                continue
            before = np.uint64(4 * level - 4) * stride + pad
            here = before + np.uint64(row & 3) * stride
            up = before + np.uint64((row + 3) & 3) * stride if row > 0 else nothing
            down = before + np.uint64((row + 1) & 3) * stride if row + 1 < rows else nothing
            on_map = y if y >= 0 else y + values.shape[0]
            on_map = on_map if on_map < values.shape[0] else on_map - values.shape[0]
            at = starts[on_map]
            if level == count:
                near_apart(
                    scratch, up, here, down, fixed, at, flat, at, width,
                    straight, diagonal, power, momentum, floor,
                )  # fmt: skip
            else:
                to = np.uint64(4 * level) * stride + pad + np.uint64(row & 3) * stride
                near_apart(
                    scratch, up, here, down, fixed, at, scratch, to, width,
                    straight, diagonal, power, momentum, floor,
                )  # fmt: skip
                if wrap:
                    wrap_around(scratch, to, width)


@kernel(
    "out f4[:,::1], u1[:,::1], u1[:,::1], u1[::1], f4[:,::1], i8[:,::1], f4[::1], i8, b1, f4[:,::1], f4[:,::1], i8, i8, i8, f4, f4, "
    "f4, b1, out f4[:,:,::1], out f4[:,:,::1]",
    "out f4[:,::1], u1[:,::1], u8[:,::1], u8[::1], f4[:,::1], i8[:,::1], f4[::1], i8, b1, f4[:,::1], f4[:,::1], i8, i8, i8, f4, f4, "
    "f4, b1, out f4[:,:,::1], out f4[:,:,::1]",
)
def wave_any(
    values,
    frozen,
    links,
    masks,
    through,
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

    `through` (height, width) is how cells attenuate what arrives in them, or (1, 0). `above` and `below` hold up to
    `count * reach` rows each. `ring` and `emitted` are scratch of shape (count, 2 * reach + 1, width + 2 * margin(reach));
    `emitted` is only used for exponents above 1.
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
                copy_row(above[t - low], entering[pad : pad + width])
            elif t < last:
                copy_row(values[t], entering[pad : pad + width])
            else:
                copy_row(below[t - last], entering[pad : pad + width])
            close_ring(entering, width, pad, reach, wrap)
            if exponent >= 2:
                emit(entering, emitted[0, (t - low) % rows], exponent)
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
                    gather(row, links[on_map], masks[k], losses[k], exponent, signed, strongest, weakest)
            if through.shape[1] > 0:
                attenuate(strongest, weakest, through[on_map], exponent)
            here = ring[level - 1, (y - low) % rows, pad : pad + width]
            if level == count:
                update(here, strongest, weakest, frozen[on_map], values[y], exponent, momentum, keep, floor)
            else:
                row = ring[level, (y - low) % rows]
                update(here, strongest, weakest, frozen[on_map], row[pad : pad + width], exponent, momentum, keep, floor)
                close_ring(row, width, pad, reach, wrap)
                if exponent >= 2:
                    emit(row, emitted[level, (y - low) % rows], exponent)
