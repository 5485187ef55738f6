"""Trails on hexagons, called as the compiled kernels are; see
`fieldcraft.kernels.reference.hex_trail`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import hex_trail as reference

__all__ = ["mix", "room", "update"]


def room(_width: int) -> tuple[()]:
    """No scratch."""
    return ()


def mix(
    source: NDArray[np.floating[Any]],
    _links: NDArray[np.uint8],
    missing: NDArray[np.uint8],
    _rim: NDArray[np.int64],
    starts: NDArray[np.int64],
    beside: NDArray[np.int32],
    _wrap: bool,
    first: int,
    last: int,
    mean: NDArray[np.float64],
) -> None:
    """The means of the rows [first, last)."""
    found = reference.mixed(
        source.reshape(-1).astype(np.float64), starts, beside, missing.reshape(-1)
    )
    mean[first:last] = found.reshape(source.shape)[first:last]


def update(
    source: NDArray[np.floating[Any]],
    _links: NDArray[np.uint8],
    missing: NDArray[np.uint8],
    _rim: NDArray[np.int64],
    starts: NDArray[np.int64],
    beside: NDArray[np.int32],
    _wrap: bool,
    first: int,
    last: int,
    closed: NDArray[np.uint8],
    gain: float,
    floor: np.float32,
    inflow: NDArray[np.int64],
    values: NDArray[np.float32],
) -> None:
    """The rows [first, last) after an update whose last means are those of `source`; their inflow
    is used up.
    """
    found = reference.mixed(
        source.reshape(-1).astype(np.float64), starts, beside, missing.reshape(-1)
    ).reshape(source.shape)
    values[first:last] = reference.updated(found, closed != 0, gain, floor, inflow)[first:last]
    inflow[first:last] = 0
