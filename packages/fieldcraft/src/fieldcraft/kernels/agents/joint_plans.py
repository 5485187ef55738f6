"""What kernels of agents that step together take: ground, agents, and scratch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Bools, Floats, Ints

__all__ = [
    "GOAL_DISTANCES",
    "IMPROVE_SCRATCH",
    "OCCUPANTS",
    "PIBT_SCRATCH",
    "PLANNERS",
    "STEP_COSTS",
    "GoalDistances",
    "ImproveScratch",
    "Occupants",
    "PIBTScratch",
    "Planners",
    "StepCosts",
]

STEP_COSTS = "StepCosts(i8[::1], i4[::1], f4[::1], i8)"
GOAL_DISTANCES = "GoalDistances(f4[:,::1], i8[:,::1], i4[:,::1])"
PLANNERS = f"Planners({GOAL_DISTANCES}, i8[::1], i8[::1], b1[::1])"
OCCUPANTS = "Occupants(out i4[::1], out i4[::1])"
PIBT_SCRATCH = (
    "PIBTScratch(out i4[::1], out i8[::1], out i8[::1], out i4[::1], out f4[::1], out i8[::1])"
)
IMPROVE_SCRATCH = (
    "ImproveScratch(out i2[::1], out f8[::1], out i8[::1], out f8[::1], out f8[::1],"
    " out i4[:,::1], out b1[::1])"
)
"""The types of the classes in declarations of kernels."""


class StepCosts(NamedTuple):
    """The steps out of cell v from `starts[v]` up to `starts[v + 1]`, with their ends and costs.

    `width` is that of a grid, on which no two agents take both diagonals of a rectangle; 0 for
    other spaces.
    """

    starts: Ints
    ends: NDArray[np.int32]
    costs: NDArray[np.float32]
    width: int


class GoalDistances(NamedTuple):
    """Distances to goals by row: `left[row]` has a number for each cell.

    Where there are `spans`, row r has the distances of few cells, in the `table` from `spans[r, 0]`
    to `spans[r, 1]`; all others are inf.
    """

    left: NDArray[np.float32]
    spans: Ints
    table: NDArray[np.int32]


class Planners(NamedTuple):
    """Agents: distances to goals, the row of each agent (-1 for no goal), the cell of its goal or
    -1, and whether it stays where it is.
    """

    distances: GoalDistances
    rows: Ints
    goals: Ints
    pinned: Bools


class Occupants(NamedTuple):
    """The agent in each cell before and after a step; all -1 outside of a call."""

    now: NDArray[np.int32]
    after: NDArray[np.int32]


class PIBTScratch(NamedTuple):
    """Scratch of a step: the stack of agents that push each other, for each of them the next option
    and the end of its options, and the options with their distances and random numbers.
    """

    stack: NDArray[np.int32]
    nexts: Ints
    lasts: Ints
    options: NDArray[np.int32]
    near: NDArray[np.float32]
    ties: Ints


class ImproveScratch(NamedTuple):
    """Scratch of improvements: the turn in which each state was settled, a heap of keys and nodes,
    the cost of each plan, and the costs and plans of a group, and which agents are in it.
    """

    seen: NDArray[np.int16]
    keys: Floats
    nodes: Ints
    plan_costs: Floats
    new_costs: Floats
    saved_plans: NDArray[np.int32]
    inside: Bools
