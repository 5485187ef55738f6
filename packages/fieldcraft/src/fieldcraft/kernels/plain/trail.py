"""Trails, called as the compiled kernels are; see `fieldcraft.kernels.reference.trail`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import trail as reference

__all__ = ["room", "update"]

Floats = NDArray[np.float32]


def room(_width: int, _reach: int, _kind: Any) -> tuple[()]:
    """No scratch."""
    return ()


def update(
    values: Floats,
    inflow: NDArray[np.int64],
    _dirty: NDArray[np.uint8],
    closed: NDArray[np.uint8],
    weights: NDArray[np.floating[Any]],
    _is_mean: bool,
    gain: float,
    conserves: bool,
    floor: np.float32,
    wrap: bool,
    above: Floats,
    below: Floats,
    first: int,
    last: int,
) -> None:
    """One update of the rows [first, last), in place; their inflow is used up. `above` and `below`
    are the rows beside them.
    """
    height, reach = len(values), len(above)
    rows = np.arange(first - reach, last + reach)
    on_map = (rows >= 0) & (rows < height) | wrap
    walls = (closed[rows % height, 1:] != 0) | ~on_map[:, np.newaxis]
    tall = np.concatenate([above, values[first:last], below])
    coming = np.zeros(tall.shape, dtype=np.int64)
    coming[reach : len(rows) - reach] = inflow[first:last]
    new = reference.update(tall, coming, walls, weights, gain, conserves, floor, wrap)
    values[first:last] = new[reach : len(rows) - reach]
    inflow[first:last] = 0
