"""The units of work, each of which fits into 0.25 ms with room to spare on a slow machine, and the
radii of footprints in cells.
"""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNIT_SEARCHED", "UNIT_STAMPED", "Found", "finished", "whole_radius"]

UNIT_SEARCHED = 2_000
"""Cells searched in a unit."""
UNIT_STAMPED = 20_000
"""Cells added in a unit."""
Found = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The cells of a footprint and their weights."""


def finished(search: Generator[int, None, Found]) -> Found:
    """The answer of a search, all of its units made."""
    while True:
        try:
            next(search)
        except StopIteration as done:
            found: Found = done.value
            return found


def whole_radius(radius: float) -> float:
    """A radius in cells, a whole number where it is one to a billionth: so that a radius of 0.3 on
    cells of 0.1 reaches three.
    """
    whole = round(radius)
    return float(whole) if math.isclose(radius, whole, rel_tol=1e-9) else radius
