"""What the search for paths through danger takes: ground, bounds, first steps, and scratch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Bytes, Floats, Ints
from fieldcraft.kernels.shared.step_lists import OUT_STEPS, OutSteps

__all__ = [
    "CELL_BOUNDS",
    "DANGER_GROUND",
    "DANGER_HEAPS",
    "FIRST_STEPS",
    "PATH_NORMS",
    "STATE_COSTS",
    "TIME_STEPS",
    "CellBounds",
    "DangerGround",
    "DangerHeaps",
    "FirstSteps",
    "PathNorms",
    "StateCosts",
    "TimeSteps",
]

DANGER_GROUND = f"DangerGround({OUT_STEPS}, {OUT_STEPS}, f8[:,::1], f8[::1], f4[:,::1], f4[:,::1])"
PATH_NORMS = "PathNorms(i8, f8, f8, f8, f8, f8, f8)"
TIME_STEPS = "TimeSteps(f8, f8, i8)"
FIRST_STEPS = "FirstSteps(i8[::1], f8[::1])"
CELL_BOUNDS = "CellBounds(out f8[::1], out f8[::1], out u1[::1])"
STATE_COSTS = "StateCosts(out f8[::1], out i4[::1], out i4[::1])"
DANGER_HEAPS = "DangerHeaps(out f8[::1], out i8[::1], out i8[::1], out f8[::1], out i8[::1])"
"""The types of the classes in declarations of kernels."""


class DangerGround(NamedTuple):
    """The cells of a space, the steps between them, and what they cost."""

    leaving: OutSteps
    """The steps that leave each cell."""
    entering: OutSteps
    """The steps that enter each cell; their ends are the cells in which they begin."""
    places: Floats
    """The positions of the cells, (N, 2) or (N, 3)."""
    cost: Floats
    """A number for each cell, or one for all."""
    danger: NDArray[np.float32]
    """Damage a second, (time steps, cells)."""
    lowest: NDArray[np.float32]
    """The least danger of each `danger.BLOCK` time steps, (cells, blocks)."""


class PathNorms(NamedTuple):
    """Lower bounds of the lengths of paths and of their time steps.

    Distances are measured straight with `norm` 0, as the sum of both sides with 2, and with 1 as
    the longer side, and the shorter one apart. A path has at least `straight` times the length (and
    `diagonal` times the shorter side), and takes `quick` times as many time steps (and `quicker`).
    `least` is the smallest cost, and `thrift` the least length of a step per time step and pace.
    """

    norm: int
    straight: float
    diagonal: float
    quick: float
    quicker: float
    least: float
    thrift: float


class TimeSteps(NamedTuple):
    """How far an agent walks in a time step, its seconds, and how many time steps a step takes at
    most.
    """

    pace: float
    seconds: float
    longest: int


class FirstSteps(NamedTuple):
    """The cells to which an agent may step first, and the lengths of these steps."""

    ends: Ints
    lengths: Floats


class CellBounds(NamedTuple):
    """Scratch: the least cost of a path on from each cell, infinite before and after a search; the
    least danger of each; whether its bound is final, 0 before and after.
    """

    rest: Floats
    lows: Floats
    closed: Bytes


class StateCosts(NamedTuple):
    """Scratch: the cost of each state, the state before it, and the search in which it was reached;
    the last entry of `turns` counts searches.
    """

    best: Floats
    came: NDArray[np.int32]
    turns: NDArray[np.int32]


class DangerHeaps(NamedTuple):
    """Scratch: the keys and cells of the heap of bounds, as many numbers as cells, and the keys and
    states of the heap of the search. Heaps that it is too short for grow.
    """

    bound_keys: Floats
    bound_cells: Ints
    touched: Ints
    keys: Floats
    states: Ints
