"""What the kernel of steps of trails takes: the plan of a map, a rule, and scratch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Bytes, Floats, Ints

__all__ = ["TRAIL_RULE", "TrailPlan", "TrailRule", "TrailScratch"]

TRAIL_RULE = "TrailRule(b1, f8, b1, f4, i8)"
"""The type of `TrailRule` in declarations of kernels."""


class TrailPlan(NamedTuple):
    """The walls of a map, after a column that says which rows have any; and the cells near walls,
    with what they exchange: see `trail_plan.plan`.
    """

    closed: Bytes
    starts: Ints
    columns: NDArray[np.int32]
    masks: NDArray[np.uint64]
    open_left: NDArray[np.int8]
    open_right: NDArray[np.int8]
    missing: NDArray[np.floating[Any]]


class TrailRule(NamedTuple):
    """Whether all weights of the blur are 1, the factor of a step, whether the blur conserves what
    walls keep back, the floor, and the axes along which the grid wraps: see `grid_frame.WRAP_X`.
    """

    ones: bool
    gain: float
    conserves: bool
    floor: np.float32
    wrap: int


class TrailScratch(NamedTuple):
    """Scratch of one thread: see `trail_steps.scratch_for`."""

    raw: NDArray[np.float32]
    sums: NDArray[np.floating[Any]]
    blurred: NDArray[np.floating[Any]]
    nonzero: Bytes
    listed: Ints
    added: Floats
    lefts: NDArray[np.int8]
    rights: NDArray[np.int8]
