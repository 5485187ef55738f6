"""Spread over bands of rows, fast: the same bits as `fieldcraft.kernels.reference.spread`.

All kernels work in place. `wave_*` update whole bands of rows, several steps in one pass: level `l` of the wave is the
map after `l` steps, it follows level `l - 1` at the distance that a step reaches, and only a ring of rows per level is
kept, so that the steps in between never leave the cache.
The `plain` kernels serve four neighbours, exponential decay and values of one sign; the `any` kernels everything.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.spread_cells import close_ring, copy, emit, gather, row_plain, update

__all__ = ["margin", "wave_any", "wave_plain"]


def margin(reach: int) -> int:
    """The padding on both sides of a scratch row: a whole number of 64-byte lines."""
    return -(-reach // 16) * 16


@kernel
def wave_plain(values, frozen, above, below, first, last, count, weight, momentum, floor, ring):
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
                copy(above[t - low], entering)
            elif t < last:
                copy(values[t], entering)
            else:
                copy(below[t - last], entering)
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
            row_plain(up, down, left, here, right, frozen[y], out, weight, momentum, floor)


@kernel
def wave_any(
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
                copy(above[t - low], entering[pad : pad + width])
            elif t < last:
                copy(values[t], entering[pad : pad + width])
            else:
                copy(below[t - last], entering[pad : pad + width])
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
            here = ring[level - 1, (y - low) % rows, pad : pad + width]
            if level == count:
                update(here, strongest, weakest, frozen[on_map], values[y], exponent, momentum, keep, floor)
            else:
                row = ring[level, (y - low) % rows]
                update(here, strongest, weakest, frozen[on_map], row[pad : pad + width], exponent, momentum, keep, floor)
                close_ring(row, width, pad, reach, wrap)
                if exponent >= 2:
                    emit(row, emitted[level, (y - low) % rows], exponent)
