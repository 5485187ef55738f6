"""What kernels of sight over polygons take: portals, viewers, targets and lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Bytes, Floats, Ints

__all__ = [
    "SIGHT_PORTALS",
    "SIGHT_TARGETS",
    "SIGHT_VIEWERS",
    "Line",
    "SightPortals",
    "SightTargets",
    "SightViewers",
]

SIGHT_PORTALS = "SightPortals(i8[::1], i4[::1], i8[:,::1], u1[::1])"
SIGHT_VIEWERS = "SightViewers(i8[::1], f8[:,::1], i8[:,::1], f8[::1], f8[:,::1])"
SIGHT_TARGETS = "SightTargets(i8[::1], f8[:,::1], i8[:,::1])"
"""The types of the classes in declarations of kernels."""


class SightPortals(NamedTuple):
    """Portals, those of polygon p from `starts[p]` up to `starts[p + 1]`."""

    starts: Ints
    ends: NDArray[np.int32]
    """The polygon behind each portal."""
    fine: Ints
    """(ux, uy, vx, vy) in whole numbers: from u to v, with the inside of p on the left."""
    flags: Bytes
    """`sees.OPEN`, `sees.CLOSED`, or `sees.BLOCKED` if the polygon behind is a wall, so that only a
    line that ends there enters.
    """


class SightViewers(NamedTuple):
    """Viewers (V,) in `cells`, at positions `points` (V, 2 or 3), and there at `places` (V, 2) in
    whole numbers.
    """

    cells: Ints
    points: Floats
    places: Ints
    limits: Floats
    """The squares of the largest distances, in world units."""
    cones: Floats
    """See `visible.NO_CONES`."""


class Line(NamedTuple):
    """A line from a point to another, in world units or in whole numbers."""

    from_x: float
    from_y: float
    to_x: float
    to_y: float


class SightTargets(NamedTuple):
    """Targets (T,) in `cells`, at positions `points` (T, 2 or 3), and there at `places` (T, 2) in
    whole numbers.
    """

    cells: Ints
    points: Floats
    places: Ints
