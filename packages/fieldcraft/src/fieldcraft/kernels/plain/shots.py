"""Line stamps, called as the compiled kernels are; see `fieldcraft.kernels.reference.shots`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import shots as reference
from fieldcraft.kernels.reference.shots import LONGEST, UNITS, WIDEST, units

__all__ = ["LONGEST", "UNITS", "WIDEST", "room", "shot", "units"]


def room(
    shape: tuple[int, ...], _crossings: int, _half_width: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Arrays for the cells of a shot, and where each is passed."""
    return np.zeros(shape[0] * shape[1], dtype=np.int64), np.zeros(shape[0] * shape[1])


def shot(
    walls: NDArray[np.uint8],
    y0: int,
    x0: int,
    y1: int,
    x1: int,
    half_width: float,
    wrap: bool,
    cells: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> tuple[int, float]:
    """Write the cells that a shot acts on and where along the way each is passed; returns (count,
    where it stops).
    """
    found, passed, stop = reference.shot(walls, y0, x0, y1, x1, half_width, wrap)
    cells[: len(found)], shares[: len(found)] = found, passed
    return len(found), stop
