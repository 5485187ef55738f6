"""Spread along the arcs of a graph, spelled out: the specification of
`fieldcraft.kernels.graph_spread`.

What arrives in vertex `v` comes along the arcs `starts[v]` to `starts[v + 1]`, from the vertices
`origins`, and loses `losses` on the way. Everything else is as on a grid, see
`fieldcraft.kernels.reference.spread`: all arithmetic is float32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.spread import moved, power, root

__all__ = ["BLOCK", "LANES", "arriving", "moved", "settle", "step", "targets"]

Floats = NDArray[np.float32]
_NONE = np.float32(0)

BLOCK = 512
"""Vertices in a block: what is awake or at rest together."""
LANES = 16
"""Vertices in a slice: what the fast kernels look at side by side."""


def step(
    values: Floats,
    frozen: NDArray[np.uint8],
    starts: NDArray[np.int64],
    origins: NDArray[np.integer],
    losses: Floats,
    exponent: int,
    momentum: np.float32,
    keep: np.float32,
    floor: np.float32,
) -> Floats:
    """One update of every vertex from the values before it, (N,); `frozen` is not 0 where a vertex
    keeps its value.
    """
    target = targets(values, starts, origins, losses, exponent)
    return np.where(frozen != 0, values, moved(values, target, momentum, keep, floor))


def targets(
    values: Floats,
    starts: NDArray[np.int64],
    origins: NDArray[np.integer],
    losses: Floats,
    exponent: int,
) -> Floats:
    """The influence that arrives in each vertex: the strongest of its neighbors, weakened by the
    way; of equals the positive one.
    """
    return arriving(
        values,
        np.repeat(np.arange(len(values)), np.diff(starts)),
        origins,
        losses,
        exponent,
        len(values),
    )


def arriving(
    values: Floats,
    ends: NDArray[np.int64],
    origins: NDArray[np.integer],
    losses: Floats,
    exponent: int,
    count: int,
) -> Floats:
    """`targets` of `count` vertices, by arcs in any order from `origins`, which have `values`, to
    `ends`.
    """
    emitted = root(values, exponent)[origins]
    high = emitted * losses if exponent == 0 else emitted - losses
    low = emitted * losses if exponent == 0 else emitted + losses
    strongest, weakest = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.float32)
    np.maximum.at(strongest, ends, high + _NONE)  # no negative zeros
    np.minimum.at(weakest, ends, low)
    return power(np.where(strongest >= -weakest, strongest, weakest), exponent)


def settle(
    values: Floats,
    frozen: NDArray[np.uint8],
    starts: NDArray[np.int64],
    origins: NDArray[np.integer],
    losses: Floats,
    exponent: int,
    floor: np.float32,
) -> Floats:
    """The fixed point that what the frozen vertices hold leads to, from a map that is else empty.

    First how strong each becomes, then which are positive: those that a positive neighbour makes as
    strong as they are.
    """
    held = frozen != 0
    size = np.where(held, np.abs(values), _NONE)
    while True:
        arriving = targets(size, starts, origins, losses, exponent)
        stronger = np.where(held, size, np.where(arriving < floor, _NONE, arriving))
        if np.array_equal(stronger, size):
            break
        size = stronger
    positive = held & (values > 0)
    while True:
        arriving = targets(np.where(positive, size, _NONE), starts, origins, losses, exponent)
        more = positive | (~held & (size > 0) & (arriving == size))
        if np.array_equal(more, positive):
            return np.where(positive | (size == 0), size, -size)
        positive = more
