"""What the kernel of steps down a distance map takes: the cost of a step, and results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Bools, Ints

__all__ = ["STEP_CHARGE", "STEP_CHOICES", "StepCharge", "StepChoices"]

STEP_CHARGE = "StepCharge(i8, f8)"
STEP_CHOICES = "StepChoices(out i8[::1], out f4[::1], out b1[::1])"
"""The types of the classes in declarations of kernels."""


class StepCharge(NamedTuple):
    """`step_down.EVEN`, `MEAN` or `AT_ENDS`, and the cost of a unit of length for the first."""

    kind: int
    even: float


class StepChoices(NamedTuple):
    """The cell that each agent steps to, its distance, and whether it is another cell."""

    cells: Ints
    values: NDArray[np.float32]
    moves: Bools
