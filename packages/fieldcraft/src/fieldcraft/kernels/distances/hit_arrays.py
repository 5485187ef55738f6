"""What kernels of attacks take: maps of the ground, heights and damage."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Floats

__all__ = ["AttackHeights", "AttackMaps", "Damage"]


class AttackMaps(NamedTuple):
    """Walls (height, width), and as one bit per cell, in words of 64, what is opaque and what is
    closed.

    Maps of bits have so many rows and columns around the map as attacks are long. `opaque` goes on
    there along axes that wrap. `closed` are walls, and what is off the map along other axes.
    """

    walls: NDArray[np.bool_]
    opaque: NDArray[np.uint64]
    closed: NDArray[np.uint64]


class AttackHeights(NamedTuple):
    """The heights of the ground, the same but infinite where it is opaque, and eyes above it. Both
    have so many rows and columns around the map as attacks are long.
    """

    ground: NDArray[np.float32]
    tops: NDArray[np.float32]
    eye: float


class Damage(NamedTuple):
    """Damage to each cell: the sum over all agents, the largest of one agent, and the number of the
    last agent that hits it.
    """

    total: Floats
    most: Floats
    last: NDArray[np.int32]
