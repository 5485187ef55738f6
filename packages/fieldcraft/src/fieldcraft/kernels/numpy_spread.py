"""Spread on grids in NumPy: it serves where nothing is compiled, and compiled kernels are compared
with it.

All arithmetic is float32 and in the order written here; only the cube root is taken in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "TILE_COLUMNS",
    "TILE_ROWS",
    "attenuated",
    "moved",
    "near",
    "power",
    "root",
    "shifted",
    "spread",
    "targets",
    "tiles_any",
    "tiles_near",
    "wake",
    "wave_any",
    "wave_near",
]

Floats = NDArray[np.float32]
Ground = NDArray[np.uint8]
Whole = NDArray[np.int64]
Tuned = tuple[np.float32, np.float32 | None, int | None, np.float32, np.float32, bool]
Rule = tuple[int, bool, np.float32, np.float32, np.float32, bool]
Soil = tuple[
    Ground,
    NDArray[np.unsignedinteger],
    NDArray[np.unsignedinteger],
    Floats,
    NDArray[np.int64],
    Floats,
]

_STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
_HELD = 3
_OPEN = {(1, 1): 16, (-1, 1): 32, (1, -1): 64, (-1, -1): 128}

TILE_ROWS = 16
TILE_COLUMNS = 32


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
    wrap: bool,
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
    wrap: bool,
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


def shifted(values: Floats, dx: int, dy: int, wrap: bool) -> Floats:
    """For each cell, the value one step (dx, dy) earlier; 0 off the map."""
    if wrap:
        return np.roll(values, (dy, dx), axis=(0, 1))
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


def wave_near(
    ground: Ground,
    tuned: Tuned,
    first: int,
    last: int,
    count: int,
    values: Floats,
    above: Floats,
    below: Floats,
    _scratch: Floats,
) -> None:
    """`count` steps of the rows [first, last), in place; `above` and `below` are copies of the rows
    beside them.
    """

    def go_on(tall: Floats, rows: Whole) -> Floats:
        return near(tall, ground[rows], tuned)

    _wave(values, above, below, first, last, count, go_on)


def near(values: Floats, ground: Ground, tuned: Tuned) -> Floats:
    """One step for 4 neighbors, or 8; `ground` says which cells are held, and which diagonal steps
    may end there.

    A straight step from a wall brings nothing, since walls hold 0.
    """
    straight, diagonal, power, momentum, floor, wrap = tuned
    steps, losses = list(_STRAIGHT), [straight] * 4
    links = np.full(values.shape, 15, dtype=np.uint8)
    if diagonal is not None:
        for k, (step, bit) in enumerate(_OPEN.items(), start=4):
            steps.append(step)
            losses.append(diagonal)
            links |= ((ground & bit) != 0).astype(np.uint8) << np.uint8(k)
    held = (ground & np.uint8(_HELD)).astype(np.uint8)
    ways = np.array(steps), np.array(losses, dtype=np.float32)
    by_momentum = np.float32(-1)
    return spread(values, held, links, *ways, power or 0, momentum, by_momentum, floor, wrap)


def _any(values: Floats, ground: Soil, rule: Rule, rows: Whole | slice) -> Floats:
    """One step for any neighbourhood, falloff and sign."""
    frozen, links, _, through, steps, losses = ground
    exponent, _, momentum, keep, floor, wrap = rule
    let = through[rows] if through.shape[1] else None
    tuned = (exponent, momentum, keep, floor, wrap)
    return spread(values, frozen[rows], links[rows], steps, losses, *tuned, let)


def wave_any(
    ground: Soil,
    above: Floats,
    below: Floats,
    rule: Rule,
    first: int,
    last: int,
    count: int,
    values: Floats,
    *_scratch: Any,
) -> None:
    """`count` steps of the rows [first, last), in place, for any neighbourhood, falloff and
    sign.
    """

    def go_on(tall: Floats, rows: Whole) -> Floats:
        return _any(tall, ground, rule, rows)

    _wave(values, above, below, first, last, count, go_on)


def _wave(
    values: Floats,
    above: Floats,
    below: Floats,
    first: int,
    last: int,
    count: int,
    step: Callable[[Floats, Whole], Floats],
) -> None:
    """Steps of a band and of the rows beside it, of which each step spoils the outermost."""
    rows = np.arange(first - len(above), last + len(below)) % len(values)
    tall = np.concatenate([above, values[first:last], below])
    for _ in range(count):
        tall = step(tall, rows)
    values[first:last] = tall[len(above) : len(above) + last - first]


def wake(
    cells: Whole, width: int, height: int, reach: int, wrap: bool, awake: Ground, band_awake: Ground
) -> None:
    """Wake every tile that a change of `cells` can reach."""
    rows, columns = np.divmod(cells, width)
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            y, x = rows + dy, columns + dx
            inside = (
                np.ones(len(cells), dtype=np.bool_)
                if wrap
                else (y >= 0) & (y < height) & (x >= 0) & (x < width)
            )
            awake[y[inside] % height // TILE_ROWS, x[inside] % width // TILE_COLUMNS] = 1
    band_awake[:] = awake.any(axis=1)


def tiles_near(
    ground: Ground,
    tuned: Tuned,
    count: int,
    most: int,
    values: Floats,
    wakefulness: tuple[Ground, ...],
    _scratch: tuple[Any, ...],
) -> tuple[int, int]:
    """Up to `count` steps, in place; stops early above `most` awake tiles. Returns (steps made,
    tiles awake now).
    """

    def step() -> Floats:
        return near(values, ground, tuned)

    return _steps(step, 1, tuned[-1], count, most, values, wakefulness)


def tiles_any(
    ground: Soil,
    rule: Rule,
    reach: int,
    count: int,
    most: int,
    values: Floats,
    wakefulness: tuple[Ground, ...],
    _scratch: tuple[Any, ...],
) -> tuple[int, int]:
    """`tiles_near` for any neighbourhood, falloff and sign."""

    def step() -> Floats:
        return _any(values, ground, rule, slice(None))

    return _steps(step, reach, rule[-1], count, most, values, wakefulness)


def _steps(
    step: Callable[[], Floats],
    reach: int,
    wrap: bool,
    count: int,
    most: int,
    values: Floats,
    wakefulness: tuple[Ground, ...],
) -> tuple[int, int]:
    height, width = values.shape
    awake, band_awake = wakefulness[:2]
    made, total = 0, 1
    while made < count and total > 0 and (made == 0 or total <= most):
        new = step()
        changed = np.flatnonzero(new != values)
        values[:], awake[:] = new, 0
        wake(changed, width, height, reach, wrap, awake, band_awake)
        made, total = made + 1, int(np.count_nonzero(awake))
    return made, total
