"""Runs of numbers, as flat lists of lists are walked through."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["runs"]


def runs(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers `starts[i]`, `starts[i] + 1`, ... (`counts[i]` of them) for each i, one after the
    other.
    """
    firsts = np.cumsum(counts) - counts
    return np.asarray(
        np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(starts - firsts, counts)
    )
