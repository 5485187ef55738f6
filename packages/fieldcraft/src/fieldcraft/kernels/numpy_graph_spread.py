"""Spread on graphs in NumPy: what serves where nothing is compiled, and what the compiled kernels
are compared with.

Everything is as in `numpy_spread`, along the arcs of a graph.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.numpy_spread import moved, power, root

__all__ = [
    "BLOCK",
    "LANES",
    "arriving",
    "emit",
    "many_plain",
    "some",
    "update",
    "wake",
]

Floats = NDArray[np.float32]
Flags = NDArray[np.uint8]
Whole = NDArray[np.int64]
Short = NDArray[np.int32]
Rows = tuple[Flags, Short, Floats, Whole]
Rule = tuple[bool, int, np.float32, np.float32, np.float32]

_BY_MOMENTUM = np.float32(-1)


_NONE = np.float32(0)

BLOCK = 512
"""Vertices in a block: what is awake or at rest together."""
LANES = 16
"""Vertices in a slice: what the fast kernels look at side by side."""


def arriving(
    values: Floats,
    ends: NDArray[np.int64],
    origins: NDArray[np.integer],
    losses: Floats,
    exponent: int,
    count: int,
) -> Floats:
    """The influence that arrives in each of `count` vertices: the strongest of its neighbors,
    weakened by the way; of equals the positive one. Arcs come in any order from `origins`, which
    have `values`, to `ends`.
    """
    emitted = root(values, exponent)[origins]
    high = emitted * losses if exponent == 0 else emitted - losses
    low = emitted * losses if exponent == 0 else emitted + losses
    strongest, weakest = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.float32)
    np.maximum.at(strongest, ends, high + _NONE)  # no negative zeros
    np.minimum.at(weakest, ends, low)
    return power(np.where(strongest >= -weakest, strongest, weakest), exponent)


def update(
    rows: Rows,
    values: Floats,
    _emitted: Floats,
    rule: Rule,
    first: int,
    last: int,
    new: Floats,
    _strongest: Floats,
    _weakest: Floats,
) -> None:
    """One step of the slices `first` up to `last`, of whatever falloff and sign."""
    (frozen, origins, losses, offsets), (_, exponent, momentum, keep, floor) = rows, rule
    arcs, here = slice(offsets[first], offsets[last]), slice(first * LANES, last * LANES)
    givers = origins[arcs].reshape(-1, LANES).astype(np.int64)
    # Where the arcs of a row come from vertices side by side, its first origin is that of the first
    # one, turned into its complement.
    givers = np.where(givers[:, :1] < 0, ~givers[:, :1] + np.arange(LANES), givers)
    slices = np.repeat(np.arange(last - first), np.diff(offsets[first : last + 1]) // LANES)
    ends = (slices[:, np.newaxis] * LANES + np.arange(LANES)).reshape(-1)
    with np.errstate(over="ignore"):  # where everything is lost
        target = arriving(
            values, ends, givers.reshape(-1), losses[arcs], exponent, (last - first) * LANES
        )
    new[here] = np.where(
        frozen[here] != 0,
        values[here],
        moved(values[here], target, momentum, keep, floor),
    )


def many_plain(
    rows: Rows, momentum: np.float32, floor: np.float32, count: int, values: Floats, new: Floats
) -> None:
    """`count` plain steps of all vertices, from `values` into `new` and back again in turn."""
    rule = (True, 0, momentum, _BY_MOMENTUM, floor)
    for _ in range(count):
        update(rows, values, values, rule, 0, len(rows[3]) - 1, new, values, values)
        values, new = new, values


def some(
    rows: Rows,
    values: Floats,
    emitted: Floats,
    blocks: Whole,
    arcs: tuple[Whole, Short],
    rule: Rule,
    begin: int,
    stop: int,
    new: Floats,
    awake: Flags,
    strongest: Floats,
    weakest: Floats,
) -> None:
    """One step of the blocks `blocks[begin:stop]`; sets those `awake` that can change in the step
    after.
    """
    size = BLOCK // LANES
    for block in blocks[begin:stop].tolist():
        first, last = block * size, min((block + 1) * size, len(rows[3]) - 1)
        update(rows, values, emitted, rule, first, last, new, strongest, weakest)
        here = slice(first * LANES, min(last * LANES, len(arcs[0]) - 1))
        wake(first * LANES + np.flatnonzero(new[here] != values[here]), *arcs, awake)


def emit(_values: Floats, _exponent: int, _first: int, _last: int, _emitted: Floats) -> None:
    """No roots are kept."""


def wake(vertices: Whole, outer: Whole, reaches: Short, awake: Flags) -> None:
    """Wake every block that a change of these vertices can reach."""
    awake[vertices // BLOCK] = 1
    for vertex in vertices.tolist():
        awake[reaches[outer[vertex] : outer[vertex + 1]]] = 1
