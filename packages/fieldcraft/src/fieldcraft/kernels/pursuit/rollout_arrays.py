"""What kernels of rollouts take: landmarks and particles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Floats, Ints

__all__ = ["LANDMARK_PATHS", "WALKERS", "LandmarkPaths", "Walkers"]

LANDMARK_PATHS = "LandmarkPaths(u2[:,::1], f4[:,::1], f8[:,::1])"
WALKERS = "Walkers(out i8[::1], out i8[::1], out f8[::1], out i8[::1])"
"""The types of the classes in declarations of kernels."""


class LandmarkPaths(NamedTuple):
    """Paths to K landmarks: the step out of each cell to each of them, `rollout_steps.NOWHERE` for
    none, and the distance, (K, N).
    """

    links: NDArray[np.uint16]
    away: NDArray[np.float32]
    onwards: Floats
    """From each landmark, the cumulative probabilities of the next one, (K, K)."""


class Walkers(NamedTuple):
    """Particles (M,): their cells, the landmarks that they go to (-1 for one that stays), how far
    they are past their cells, and their last moves, in numbers of cells.
    """

    cells: Ints
    goals: Ints
    credit: Floats
    moves: Ints
