"""Spread: the specification of its kernels, for one step and for where endless steps lead.

All arithmetic is float32 and in the order written here; only the cube root is taken in float64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.layers.propagation import Spread

__all__ = ["arriving", "decayed", "moved", "settled", "spread", "targets"]

Floats = NDArray[np.float32]


def spread(
    values: Floats,
    frozen: NDArray[np.uint8],
    links: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    losses: Floats,
    exponent: int,
    momentum: np.float32,
    keep: np.float32,
    floor: np.float32,
    wrap: int,
    through: Floats | None = None,
) -> Floats:
    """One update of every cell from the values before it.

    `values` (height, width); `frozen` is not 0 where a cell keeps its value (walls, sources); bit
    `k` of `links` says whether influence arrives by `steps[k]` = (columns, rows). `exponent` 0
    multiplies by `losses[k]` on the way, p > 0 subtracts `losses[k]` from the p-th root. `keep`
    below 0 falls by momentum, else by that factor per update. `through` (height, width) is how the
    cells attenuate what arrives in them.
    """
    target = targets(values, links, steps, losses, exponent, wrap, through)
    return np.where(frozen != 0, values, moved(values, target, momentum, keep, floor))


def moved(
    values: Floats, target: Floats, momentum: np.float32, keep: np.float32, floor: np.float32
) -> Floats:
    """The values after one update towards what arrives."""
    after = values + momentum * (target - values)
    if keep >= 0:
        kept = keep * values + np.float32(0)
        falling = np.abs(target) < np.abs(values)
        after = np.where(falling, np.where(np.abs(target) >= np.abs(kept), target, kept), after)
    quiet = (np.abs(after) < floor) & (np.abs(target) < floor)
    return np.where(quiet, np.float32(0), after)


def targets(
    values: Floats,
    links: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    losses: Floats,
    exponent: int,
    wrap: int,
    through: Floats | None = None,
) -> Floats:
    """The influence that arrives in each cell: the strongest of its neighbors, weakened by the way;
    of equals the positive one.
    """
    emitted = root(values, exponent)
    strongest, weakest = np.zeros_like(values), np.zeros_like(values)
    for k, (dx, dy) in enumerate(steps):
        arriving = shifted(emitted, int(dx), int(dy), wrap)
        arrives = (links >> links.dtype.type(k)) & links.dtype.type(1) != 0
        high = arriving * losses[k] if exponent == 0 else arriving - losses[k]
        low = arriving * losses[k] if exponent == 0 else arriving + losses[k]
        strongest = np.where(arrives & (high > strongest), high, strongest)
        weakest = np.where(arrives & (low < weakest), low, weakest)
    strongest, weakest = attenuated(strongest, weakest, through, exponent)
    return power(np.where(strongest >= -weakest, strongest, weakest), exponent)


def attenuated(
    strongest: Floats, weakest: Floats, through: Floats | None, exponent: int
) -> tuple[Floats, Floats]:
    """The influence that cells let in of what arrives: a factor of it for exponent 0, else an
    amount less of its root.
    """
    if through is None:
        return strongest, weakest
    if exponent == 0:
        return strongest * through, weakest * through
    return np.maximum(strongest - through, np.float32(0)), np.minimum(
        weakest + through, np.float32(0)
    )


def shifted(values: Floats, dx: int, dy: int, wrap: int) -> Floats:
    """For each cell, the value one step (dx, dy) earlier; 0 off the map."""
    if wrap == WRAP_X + WRAP_Y:
        return np.roll(values, (dy, dx), axis=(0, 1))
    if wrap & WRAP_X:
        return shifted(np.roll(values, dx, axis=1), 0, dy, 0)
    if wrap & WRAP_Y:
        return shifted(np.roll(values, dy, axis=0), dx, 0, 0)
    height, width = values.shape
    moved = np.zeros_like(values)
    if abs(dy) < height and abs(dx) < width:
        moved[max(dy, 0) : height + min(dy, 0), max(dx, 0) : width + min(dx, 0)] = values[
            max(-dy, 0) : height + min(-dy, 0), max(-dx, 0) : width + min(-dx, 0)
        ]
    return moved


def root(values: Floats, exponent: int) -> Floats:
    """The `exponent`-th root with the sign kept; the values themselves for exponents 0 and 1."""
    if exponent <= 1:
        return values
    size = np.abs(values)
    if exponent == 2:
        return np.asarray(np.copysign(np.sqrt(size), values))
    wide = size.astype(np.float64)
    # Newton from a third of the bits: the same four divisions everywhere, where a library's cbrt
    # differs by platform.
    guess: NDArray[np.float64] = (wide.view(np.int64) // 3 + 0x2A9F7893_00000000).view(np.float64)
    for _ in range(4):
        guess = guess - (guess * guess * guess - wide) / (3.0 * guess * guess)
    return np.asarray(np.copysign(np.where(size > 0, guess, 0.0).astype(np.float32), values))


def power(values: Floats, exponent: int) -> Floats:
    """The inverse of `root`."""
    if exponent <= 1:
        return values
    size = np.abs(values)
    raised = size * size if exponent == 2 else size * size * size
    return np.asarray(np.copysign(raised, values))


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
    np.maximum.at(strongest, ends, high + np.float32(0))  # no negative zeros
    np.minimum.at(weakest, ends, low)
    return power(np.where(strongest >= -weakest, strongest, weakest), exponent)


def settled(
    values: Floats, frozen: NDArray[np.uint8], targets: Callable[[Floats], Floats], floor: float
) -> Floats:
    """The fixed point that what the frozen cells hold leads to, from a map that is else empty.

    `targets` says what arrives in each cell. First how strong each cell becomes, then which cells
    are positive: those that a positive neighbor makes as strong as they are. Done at once, signs
    could chase each other for ever where nothing weakens on the way.
    """
    held = frozen != 0
    none = np.float32(0)
    size = np.where(held, np.abs(values), none)
    while True:
        arriving = targets(size)
        stronger = np.where(held, size, np.where(arriving < floor, none, arriving))
        if np.array_equal(stronger, size):
            break
        size = stronger
    positive = held & (values > 0)
    while True:
        arriving = targets(np.where(positive, size, none))
        more = positive | (~held & (size > 0) & (arriving == size))
        if np.array_equal(more, positive):
            return np.where(positive | (size == 0), size, -size)
        positive = more


def decayed(spread: Spread, distances: ArrayLike, strength: float) -> NDArray[np.float64]:
    """The value at world distances along a path from a lone source, once settled."""
    away = np.asarray(distances, dtype=np.float64)
    if spread.falloff == "exponential":
        left = abs(strength) * np.exp(-spread.decay * away)
    else:
        p = {"linear": 1, "quadratic": 2, "cubic": 3}[spread.falloff]
        left = np.maximum(abs(strength) ** (1 / p) - spread.decay * away, 0) ** p
    return np.copysign(np.where((left < spread.floor) & (away > 0), 0.0, left), strength)
