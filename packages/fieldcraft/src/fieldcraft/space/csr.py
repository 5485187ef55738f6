"""Lists of lists in two arrays (compressed sparse rows): where each row starts, and all entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Ints, read_only

NO_CELLS: Ints = read_only(np.empty(0, dtype=np.int64))


def starts_of(numbers: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """Return the index at which each number from 0 to `count - 1` begins in a sorted list, and the
    length of the list: (count + 1,).
    """
    return np.append(0, np.cumsum(np.bincount(numbers, minlength=count)))


def runs(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the concatenated ranges from `starts[i]` to `starts[i] + counts[i]`."""
    firsts = np.cumsum(counts) - counts
    return np.asarray(
        np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(starts - firsts, counts)
    )
