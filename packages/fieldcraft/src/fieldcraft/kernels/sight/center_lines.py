"""Lines from the center of a cell to those of others, as lists of cells.

The library imports this file, and no file of kernels, when it is imported.
"""

from __future__ import annotations

from typing import NamedTuple

from fieldcraft.kernels.shared.arrays import Bytes, Floats, Ints

__all__ = ["CENTER_LINES", "CenterLines"]

CENTER_LINES = "CenterLines(i8[:,::1], i8[::1], i8[:,::1], u1[::1], f8[:,::1])"
"""The type of `CenterLines` in declarations of kernels."""


class CenterLines(NamedTuple):
    """Lines to cells that are `offsets` (N, 2) rows and columns away; the cells of line i are those
    from `starts[i]` up to `starts[i + 1]`, without the two at its ends.
    """

    offsets: Ints
    starts: Ints
    cells: Ints
    """How many rows and columns the cells of all lines are away, (M, 2)."""
    kinds: Bytes
    """Whether a line passes through a cell, or touches a corner of it on one side."""
    crossings: Floats
    """Where a line enters and leaves each cell, or touches its corner, (M, 2): whole numbers out of
    twice its rows times its columns, each at least 1.
    """
