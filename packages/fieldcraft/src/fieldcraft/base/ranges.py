"""One rule for every range, radius, limit and spacing: what is exactly that far away is within it.

Distances are rounded: three steps of 0.1 are not 0.3, and positions far from the origin have fewer
digits behind the point. So each comparison with a range allows for rounding, and all of them by the
two functions here.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

SLACK = 1e-9
"""Distances that differ by less than this share of the range are equal."""

ROUNDING = 2.0**-48
"""Distances that differ by less than this share of the largest coordinate are equal."""

_Lengths = TypeVar("_Lengths", float, NDArray[np.float64])


def farthest_within(distance: _Lengths, coordinate: float = 0.0) -> _Lengths:
    """Return the largest measured distance that is within a range.

    Parameters
    ----------
    distance : float or ndarray
        The range.
    coordinate : float, optional
        The largest coordinate of the positions that distances are measured between; 0 where
        distances are counted in cells.
    """
    return distance * (1.0 + SLACK) + coordinate * ROUNDING


def nearest_beyond(distance: _Lengths, coordinate: float = 0.0) -> _Lengths:
    """Return the smallest measured distance that is at least as long as a range.

    The arguments are those of `farthest_within`.
    """
    return distance * (1.0 - SLACK) - coordinate * ROUNDING
