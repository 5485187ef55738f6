"""Spread on graphs in NumPy: what serves where nothing is compiled, and what the compiled kernels
are compared with.

What arrives in vertex `v` comes along the arcs `starts[v]` to `starts[v + 1]`, from the vertices
`origins`, and loses `losses` on the way. Everything else is as in `numpy_spread`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.numpy_spread import moved, power, root

__all__ = [
    "BLOCK",
    "LANES",
    "arriving",
    "emit",
    "many_plain",
    "settle",
    "settled",
    "some_any",
    "some_plain",
    "spread",
    "targets",
    "update_any",
    "update_plain",
    "wake",
]

Floats = NDArray[np.float32]
Flags = NDArray[np.uint8]
Whole = NDArray[np.int64]
Short = NDArray[np.int32]

_BY_MOMENTUM = np.float32(-1)


_NONE = np.float32(0)

BLOCK = 512
"""Vertices in a block: what is awake or at rest together."""
LANES = 16
"""Vertices in a slice: what the fast kernels look at side by side."""


def spread(
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


def settled(
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


def update_plain(
    values: Floats,
    new: Floats,
    frozen: Flags,
    origins: Short,
    losses: Floats,
    offsets: Whole,
    momentum: np.float32,
    floor: np.float32,
    first: int,
    last: int,
) -> None:
    """One step of the slices `first` up to `last`, from `values` into `new`."""
    update_any(
        values,
        values,
        new,
        frozen,
        origins,
        losses,
        offsets,
        0,
        momentum,
        _BY_MOMENTUM,
        floor,
        first,
        last,
        values,
        values,
    )


def update_any(
    values: Floats,
    _emitted: Floats,
    new: Floats,
    frozen: Flags,
    origins: Short,
    losses: Floats,
    offsets: Whole,
    exponent: int,
    momentum: np.float32,
    keep: np.float32,
    floor: np.float32,
    first: int,
    last: int,
    _strongest: Floats,
    _weakest: Floats,
) -> None:
    """One step of the slices `first` up to `last`, of whatever falloff and sign."""
    arcs, here = slice(offsets[first], offsets[last]), slice(first * LANES, last * LANES)
    rows = origins[arcs].reshape(-1, LANES).astype(np.int64)
    # Where the arcs of a row come from vertices side by side, its first origin is that of the first
    # one, turned into its complement.
    rows = np.where(rows[:, :1] < 0, ~rows[:, :1] + np.arange(LANES), rows)
    slices = np.repeat(np.arange(last - first), np.diff(offsets[first : last + 1]) // LANES)
    ends = (slices[:, np.newaxis] * LANES + np.arange(LANES)).reshape(-1)
    with np.errstate(over="ignore"):  # where everything is lost
        target = arriving(
            values, ends, rows.reshape(-1), losses[arcs], exponent, (last - first) * LANES
        )
    new[here] = np.where(
        frozen[here] != 0,
        values[here],
        moved(values[here], target, momentum, keep, floor),
    )


def many_plain(
    values: Floats,
    new: Floats,
    frozen: Flags,
    origins: Short,
    losses: Floats,
    offsets: Whole,
    momentum: np.float32,
    floor: np.float32,
    count: int,
) -> None:
    """`count` steps of all vertices, from `values` into `new` and back again in turn."""
    for _ in range(count):
        update_plain(
            values, new, frozen, origins, losses, offsets, momentum, floor, 0, len(offsets) - 1
        )
        values, new = new, values


def some_plain(
    values: Floats,
    new: Floats,
    frozen: Flags,
    origins: Short,
    losses: Floats,
    offsets: Whole,
    momentum: np.float32,
    floor: np.float32,
    blocks: Whole,
    begin: int,
    stop: int,
    outer: Whole,
    reaches: Short,
    next_awake: Flags,
) -> None:
    """One step of the blocks `blocks[begin:stop]`; sets `next_awake` of those that can change in
    the step after.
    """

    def update(first: int, last: int) -> None:
        update_plain(values, new, frozen, origins, losses, offsets, momentum, floor, first, last)

    _some(values, new, offsets, blocks[begin:stop], outer, reaches, next_awake, update)


def some_any(
    values: Floats,
    emitted: Floats,
    new: Floats,
    frozen: Flags,
    origins: Short,
    losses: Floats,
    offsets: Whole,
    exponent: int,
    momentum: np.float32,
    keep: np.float32,
    floor: np.float32,
    strongest: Floats,
    weakest: Floats,
    blocks: Whole,
    begin: int,
    stop: int,
    outer: Whole,
    reaches: Short,
    next_awake: Flags,
) -> None:
    """The same with everything that a spread can have."""

    def update(first: int, last: int) -> None:
        update_any(
            values,
            emitted,
            new,
            frozen,
            origins,
            losses,
            offsets,
            exponent,
            momentum,
            keep,
            floor,
            first,
            last,
            strongest,
            weakest,
        )

    _some(values, new, offsets, blocks[begin:stop], outer, reaches, next_awake, update)


def _some(
    values: Floats,
    new: Floats,
    offsets: Whole,
    blocks: Whole,
    outer: Whole,
    reaches: Short,
    next_awake: Flags,
    update: Callable[[int, int], None],
) -> None:
    for block in blocks.tolist():
        first, last = (
            block * (BLOCK // LANES),
            min((block + 1) * (BLOCK // LANES), len(offsets) - 1),
        )
        update(first, last)
        here = slice(first * LANES, min(last * LANES, len(outer) - 1))
        wake(first * LANES + np.flatnonzero(new[here] != values[here]), outer, reaches, next_awake)


def emit(_values: Floats, _emitted: Floats, _exponent: int, _first: int, _last: int) -> None:
    """No roots are kept."""


def wake(vertices: Whole, outer: Whole, reaches: Short, awake: Flags) -> None:
    """Wake every block that a change of these vertices can reach."""
    awake[vertices // BLOCK] = 1
    for vertex in vertices.tolist():
        awake[reaches[outer[vertex] : outer[vertex + 1]]] = 1


def settle(
    values: Floats,
    frozen: Flags,
    starts: Whole,
    ends: Whole,
    losses: Floats,
    exponent: int,
    floor: np.float32,
) -> None:
    """Put every vertex at its fixed point, in place; `starts`, `ends` and `losses` are the arcs by
    the vertex that they leave.
    """
    origins, order = (
        np.repeat(np.arange(len(values)), np.diff(starts)),
        np.argsort(ends, kind="stable"),
    )
    into = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(np.bincount(ends, minlength=len(values)), out=into[1:])
    values[:] = settled(values, frozen, into, origins[order], losses[order], exponent, floor)
