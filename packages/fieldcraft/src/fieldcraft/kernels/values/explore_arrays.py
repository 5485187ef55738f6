"""What the kernel of explorers takes: their rule, and scratch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fieldcraft.kernels.shared.arrays import Ints

__all__ = ["EXPLORE_RULE", "EXPLORE_SCRATCH", "ExploreRule", "ExploreScratch"]

EXPLORE_RULE = "ExploreRule(i8, b1, f4, i8)"
EXPLORE_SCRATCH = "ExploreScratch(out i8[::1], out i8[::1], out i8[::1], out i8[::1])"
"""The types of the classes in declarations of kernels."""


class ExploreRule(NamedTuple):
    """How far an explorer sees, in steps; whether it searches on beyond that, and for values up to
    which; and the key of random numbers.
    """

    reach: int
    searches_frontier: bool
    limit: np.float32
    key: int


class ExploreScratch(NamedTuple):
    """The last explorer that reached a cell, its first step on the way there, the cells in the
    order of the search, and the number of explorers so far.
    """

    reached: Ints
    came_by: Ints
    queue: Ints
    before: Ints
