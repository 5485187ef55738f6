"""The step of Spread in a row of a grid with 4 or 8 neighbors, in one pass over flat memory.

It serves positive values that fall by momentum over ground without terrain, the usual case. A
maximum is taken before the attenuation, which is monotonic: the bits are the same as in the other
order.

Rows are offsets into flat arrays, and unsigned, so that no index can be negative: slices would cost
a count of references each.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["BLOCKED", "OPEN", "near"]

BLOCKED = 128
"""The bit of the ground of a cell that keeps its value: the sign, which vectors are chosen by."""
OPEN = {(1, 1): 64, (-1, 1): 32, (1, -1): 16, (-1, -1): 8}
"""The bit of the ground of a cell that a diagonal step, (columns, rows), may enter."""

_ZERO = np.float32(0)
_ONE = np.uint64(1)
_NONE = np.uint8(0)
_BLOCKED = np.uint8(BLOCKED)
_FROM_UP_LEFT, _FROM_UP_RIGHT, _FROM_DOWN_LEFT, _FROM_DOWN_RIGHT = (
    np.uint8(bit) for bit in OPEN.values()
)


@kernel
def _larger(a, b):
    """Return the larger of two numbers."""
    return a if a > b else b


@kernel
def _straight(flat, up, here, down, x):
    """Return the strongest of the straight neighbors."""
    at = here + x
    return _larger(_larger(flat[up + x], flat[down + x]), _larger(flat[at - _ONE], flat[at + _ONE]))


@kernel
def _diagonal(flat, up, down, x, ground):
    """Return the strongest of the diagonal neighbors with an open step."""
    over, under = up + x, down + x
    a = flat[over - _ONE]
    a = a if np.uint8(ground & _FROM_UP_LEFT) != _NONE else _ZERO
    b = flat[over + _ONE]
    b = b if np.uint8(ground & _FROM_UP_RIGHT) != _NONE else _ZERO
    c = flat[under - _ONE]
    c = c if np.uint8(ground & _FROM_DOWN_LEFT) != _NONE else _ZERO
    d = flat[under + _ONE]
    d = d if np.uint8(ground & _FROM_DOWN_RIGHT) != _NONE else _ZERO
    return _larger(_larger(a, b), _larger(c, d))


@kernel
def _moved(old, target, ground, momentum, floor):
    """Return the value of a cell moved towards its target; a blocked one stays."""
    new = old + momentum * (target - old)
    new = new if _larger(new, target) >= floor else _ZERO
    return old if np.uint8(ground & _BLOCKED) != _NONE else new


@kernel
def _weakened(value, loss, power):
    """Return a value after a step: its root for a falloff by roots."""
    if power is None:
        return value * loss
    return _larger((value if power == 1 else np.sqrt(value)) - loss, _ZERO)


@kernel(forceinline=True)
def near(
    flat, up, here, down, ground, at, out, to, width, straight, diagonal, power, momentum, floor
):
    """Take one step of a row: `up`, `here` and `down` are in `flat`, a margin beside each.

    `straight` and `diagonal` are losses, the latter None for 4 neighbors; `power` is None for
    exponential falloff, else the root that falls off, 1 or 2. The compiler knows which are None:
    each of the four cases is a kernel of its own.
    """
    for x in range(width):
        kind = ground[at + x]
        target = _weakened(_straight(flat, up, here, down, x), straight, power)
        if diagonal is not None:
            skew = _weakened(_diagonal(flat, up, down, x, kind), diagonal, power)
            target = _larger(target, skew)
        if power is not None:
            target = target if power == 1 else target * target
        out[to + x] = _moved(flat[here + x], target, kind, momentum, floor)
