"""What kernels of distance maps take: goals, queues, and scratch of repairs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Ints

__all__ = ["BUCKET_QUEUE", "BucketQueue", "Changes", "RepairScratch", "SearchSeeds"]

BUCKET_QUEUE = "BucketQueue(out i4[::1], out u4[::1], out i4[::1])"
"""The type of `BucketQueue` in declarations of kernels."""


class SearchSeeds(NamedTuple):
    """Goals and their costs. A search takes them by ascending costs."""

    cells: Ints
    costs: NDArray[Any]


class BucketQueue(NamedTuple):
    """The first waiting cell of each bucket, -1 for none; and for each cell the one before it, plus
    2 (1 for the first of a bucket, 0 for a cell that does not wait), and the one behind it.
    """

    heads: NDArray[np.int32]
    before: NDArray[np.uint32]
    following: NDArray[np.int32]


class RepairScratch(NamedTuple):
    """Scratch of repairs, with a number for each cell and one more; marks are 0 before and
    after.
    """

    marks: NDArray[np.int8]
    cells: Ints
    olds: NDArray[Any]
    stack: NDArray[np.int32]


class Changes(NamedTuple):
    """The cells that a repair has changed, and their old distances; `counts` are their number and
    the largest number, above which the repair is abandoned.
    """

    marks: NDArray[np.int8]
    cells: Ints
    olds: NDArray[Any]
    counts: Ints
