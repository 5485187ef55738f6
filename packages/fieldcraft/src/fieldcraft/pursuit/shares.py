"""How likely each step out of a cell is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Space

__all__ = ["Shares"]


@dataclass(frozen=True, eq=False)
class Shares:
    """Each step out of a cell is as likely as any other; a longer one than a stride takes several
    intervals on average.

    `keep` (N,) is what a cell keeps at each interval, `part` (N,) what each of its steps has of the
    rest, and `slower` (A,) the share of that which a step of `space.ways` carries on in one
    interval.
    """

    keep: NDArray[np.float64]
    part: NDArray[np.float64]
    slower: NDArray[np.float64]

    @classmethod
    def of(cls, space: Space, stay: float, stride: float) -> Shares:
        """The shares on a space as its walls are now."""
        ways = space.ways
        degree = np.diff(ways.starts)
        part = (1 - stay) / np.maximum(degree, 1)
        slower = np.minimum(stride / ways.lengths, 1.0)
        leaves = np.bincount(ways.origins, weights=slower, minlength=len(space)) * part
        return cls(1 - leaves, part, slower)
