"""The rule for ranges, with the rounding of the positions of a space."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.ranges import farthest_within, nearest_beyond
from fieldcraft.space.cached import cached
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.space import Space

_Lengths = TypeVar("_Lengths", float, NDArray[np.float64])


@cached
def largest_coordinate(space: Space) -> float:
    """Return the largest coordinate of a space in size."""
    return float(np.abs(space.extent).max())


def within_range(space: Space, distance: _Lengths) -> _Lengths:
    """Return the largest measured straight distance that is within a range, in world units."""
    return farthest_within(distance, largest_coordinate(space))


def at_spacing(space: Space, distance: float) -> float:
    """Return the smallest measured straight distance that keeps a spacing, in world units; not
    below 0.
    """
    if distance == 0:  # the usual spacing
        return 0.0
    return max(nearest_beyond(distance, largest_coordinate(space)), 0.0)


def squared_spacing(space: Space, distance: float) -> float:
    """Return the square of `at_spacing`; infinite for more than 1e154."""
    least = at_spacing(space, distance)
    return least * least  # `least**2` raises OverflowError in place of infinity


def within_walk(space: Space, distance: float) -> float:
    """Return the longest measured path that is within a range; `distance` in world units or times a
    cost.
    """
    return farthest_within(distance) * (1.0 + _rounding_of_steps(space))


def at_walk(space: Space, distance: float) -> float:
    """Return the shortest measured path that is at least as long as a range; see `within_walk`."""
    return max(nearest_beyond(distance) * (1.0 - _rounding_of_steps(space)), 0.0)


@cached
def _rounding_of_steps(space: Space) -> float:
    """Return the rounding of a path as a share of its length: each step of a graph is measured
    between two positions, while a grid counts its steps.
    """
    if isinstance(space, Grid):
        return 0.0
    lengths = graph_of(space).topology.lengths
    if not len(lengths):
        return 0.0
    step = float(np.median(lengths))
    if step > 0:
        return farthest_within(0.0, largest_coordinate(space)) / step
    return 0.0
