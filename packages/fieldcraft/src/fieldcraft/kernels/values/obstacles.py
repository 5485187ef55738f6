"""What blocks steps between cells of a grid, as kernels of values between cells take it."""

from __future__ import annotations

from typing import NamedTuple

from fieldcraft.kernels.shared.arrays import Bools, Bytes

__all__ = ["OBSTACLES", "Obstacles"]

OBSTACLES = "Obstacles(b1[:,::1], b1, u1[:,::1], b1[:,::1], b1)"
"""The type of `Obstacles` in declarations of kernels."""


class Obstacles(NamedTuple):
    """Walls (height, width), and classes of ground that may not be entered from each other."""

    walls: Bools
    bare: bool
    """Whether nothing blocks any step."""
    classes: Bytes
    """The class of ground of each cell, (height, width)."""
    both: Bools
    """Which two classes may be entered from each other."""
    kinds: bool
    """Whether classes block more than walls do."""
