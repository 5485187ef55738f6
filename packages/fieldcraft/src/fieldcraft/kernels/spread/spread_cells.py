"""The step of Spread in cells and rows of cells, for the kernels of maps and graphs."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = [
    "attenuate",
    "close_ring",
    "copy",
    "emit",
    "gather",
    "on_lines",
    "power",
    "root",
    "update",
]

_ZERO = np.float32(0)


@kernel
def on_lines(count):
    """Return scratch of `count` values that begins on a cache line; rows that begin elsewhere take
    up to half as long again.
    """
    memory = np.empty(count + 16, np.float32)
    start = (-memory.ctypes.data >> 2) & 15
    return memory[start : start + count]


@kernel
def copy(row, out):
    """Copy a row."""
    for x in range(out.shape[0]):
        out[x] = row[x]


@kernel
def gather(roots, links, mask, loss, exponent, signed, strongest, weakest):
    """Update the strongest and the weakest arrival in a row by one step."""
    for x in range(links.shape[0]):
        n = roots[x] * loss if exponent == 0 else roots[x] - loss
        n = n if links[x] & mask != 0 else _ZERO
        strongest[x] = n if n > strongest[x] else strongest[x]
    if signed:
        for x in range(links.shape[0]):
            n = roots[x] * loss if exponent == 0 else roots[x] + loss
            n = n if links[x] & mask != 0 else _ZERO
            weakest[x] = n if n < weakest[x] else weakest[x]


@kernel
def attenuate(strongest, weakest, through, exponent):
    """Attenuate what arrives in a row of cells: by a factor for exponent 0, else by an amount of
    its root; not at all if empty.
    """
    if exponent == 0:
        for x in range(through.shape[0]):
            strongest[x], weakest[x] = strongest[x] * through[x], weakest[x] * through[x]
    else:
        for x in range(through.shape[0]):
            high = strongest[x] - through[x]
            low = weakest[x] + through[x]
            strongest[x] = high if high > 0 else _ZERO
            weakest[x] = low if low < 0 else _ZERO


@kernel
def update(old, strongest, weakest, blocked, out, exponent, momentum, keep, floor):
    """Move a row towards the strongest of what arrives; pinned cells stay."""
    for x in range(out.shape[0]):
        t = strongest[x] if strongest[x] >= -weakest[x] else weakest[x]
        strongest[x] = t
    if exponent >= 2:
        for x in range(out.shape[0]):
            strongest[x] = power(strongest[x], exponent)
    if keep < 0:
        for x in range(out.shape[0]):
            o = old[x]
            t = strongest[x]
            v = o + momentum * (t - o)
            v = v if (abs(v) >= floor) | (abs(t) >= floor) else _ZERO
            out[x] = o if blocked[x] != 0 else v
    else:
        for x in range(out.shape[0]):
            o = old[x]
            t = strongest[x]
            decayed = keep * o + _ZERO
            rising = o + momentum * (t - o)
            falling = t if abs(t) >= abs(decayed) else decayed
            v = falling if abs(t) < abs(o) else rising
            v = v if (abs(v) >= floor) | (abs(t) >= floor) else _ZERO
            out[x] = o if blocked[x] != 0 else v


@kernel
def root(value, exponent):
    """Return a value before it falls off: its root for quadratic and cubic falloff."""
    size = abs(value)
    if exponent == 2:
        result = np.sqrt(size)
    elif size > 0:
        wide = np.float64(size)
        estimate = np.int64(wide.view(np.int64) // 3 + 0x2A9F789300000000).view(np.float64)
        for _ in range(4):
            estimate = estimate - (estimate * estimate * estimate - wide) / (
                3.0 * estimate * estimate
            )
        result = np.float32(estimate)
    else:
        result = _ZERO
    return result if value >= 0 else -result


@kernel
def power(value, exponent):
    """Return the inverse of `root`."""
    size = abs(value)
    raised = size * size if exponent == 2 else size * size * size
    return raised if value >= 0 else -raised


@kernel
def emit(values, roots, exponent):
    """Write the `root` of each value of a row."""
    for x in range(values.shape[0]):
        roots[x] = root(values[x], exponent)


@kernel
def close_ring(row, width, pad, reach, wrap):
    """Fill the columns beside a scratch row: from the other side if they wrap, else with 0."""
    for j in range(1, reach + 1):
        row[pad - j] = row[pad + (width - j) % width] if wrap else _ZERO
        row[pad + width - 1 + j] = row[pad + (j - 1) % width] if wrap else _ZERO
