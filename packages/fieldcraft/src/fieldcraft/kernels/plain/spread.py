"""Spread over bands of rows, called as the compiled kernels are; see
`fieldcraft.kernels.reference.spread`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import spread as reference

__all__ = ["margin", "near", "wave_any", "wave_bands", "wave_near"]

Floats = NDArray[np.float32]
Ground = NDArray[np.uint8]
Whole = NDArray[np.int64]

_STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
_HELD = 3
_OPEN = {(1, 1): 16, (-1, 1): 32, (1, -1): 64, (-1, -1): 128}


def margin(_reach: int) -> int:
    """No padding of scratch rows."""
    return 0


def wave_near(
    values: Floats,
    ground: Ground,
    above: Floats,
    below: Floats,
    first: int,
    last: int,
    count: int,
    straight: np.float32,
    diagonal: np.float32 | None,
    power: int | None,
    momentum: np.float32,
    floor: np.float32,
    wrap: bool,
    _scratch: Floats,
) -> None:
    """`count` steps of the rows [first, last), in place; `above` and `below` are copies of the rows
    beside them.
    """

    def step(tall: Floats, rows: Whole) -> Floats:
        return near(tall, ground[rows], straight, diagonal, power, momentum, floor, wrap)

    _wave(values, above, below, first, last, count, step)


def wave_bands(
    values: Floats,
    ground: Ground,
    edges: Floats,
    bounds: Whole,
    claims: Whole,
    _start: int,
    count: int,
    straight: np.float32,
    diagonal: np.float32 | None,
    power: int | None,
    momentum: np.float32,
    floor: np.float32,
    wrap: bool,
    scratch: Floats,
) -> None:
    """`count` steps of all bands of rows that nobody has claimed, in place."""
    for band in np.flatnonzero(claims == 0):
        claims[band] = 1
        above = edges[band, : count if wrap or band > 0 else 0]
        below = edges[band + 1, count : 2 * count if wrap or band + 2 < len(bounds) else count]
        wave_near(
            values,
            ground,
            above,
            below,
            bounds[band],
            bounds[band + 1],
            count,
            straight,
            diagonal,
            power,
            momentum,
            floor,
            wrap,
            scratch,
        )


def near(
    values: Floats,
    ground: Ground,
    straight: np.float32,
    diagonal: np.float32 | None,
    power: int | None,
    momentum: np.float32,
    floor: np.float32,
    wrap: bool,
) -> Floats:
    """One step for 4 neighbors, or 8; `ground` says which cells are held, and which diagonal steps
    may end there.

    A straight step from a wall brings nothing, since walls hold 0.
    """
    steps, losses = list(_STRAIGHT), [straight] * 4
    links = np.full(values.shape, 15, dtype=np.uint8)
    if diagonal is not None:
        for k, (step, bit) in enumerate(_OPEN.items(), start=4):
            steps.append(step)
            losses.append(diagonal)
            links |= ((ground & bit) != 0).astype(np.uint8) << np.uint8(k)
    held = (ground & np.uint8(_HELD)).astype(np.uint8)
    return reference.step(
        values,
        held,
        links,
        np.array(steps),
        np.array(losses, dtype=np.float32),
        power or 0,
        momentum,
        np.float32(-1),
        floor,
        wrap,
    )


def wave_any(
    values: Floats,
    frozen: Ground,
    links: NDArray[np.unsignedinteger],
    _masks: NDArray[np.unsignedinteger],
    through: Floats,
    steps: Whole,
    losses: Floats,
    exponent: int,
    _signed: bool,
    above: Floats,
    below: Floats,
    first: int,
    last: int,
    count: int,
    momentum: np.float32,
    keep: np.float32,
    floor: np.float32,
    wrap: bool,
    *_scratch: Any,
) -> None:
    """`count` steps of the rows [first, last), in place, for any neighbourhood, falloff and
    sign.
    """

    def step(tall: Floats, rows: Whole) -> Floats:
        let = through[rows] if through.shape[1] else None
        return reference.step(
            tall,
            frozen[rows],
            links[rows],
            steps,
            losses,
            exponent,
            momentum,
            keep,
            floor,
            wrap,
            let,
        )

    _wave(values, above, below, first, last, count, step)


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
