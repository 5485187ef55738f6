"""What kernels of meshes take: polygons with their portals, and triangles by place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Bools, Floats, Ints

__all__ = ["POLYGONS", "TRIANGLE_BINS", "Polygons", "TriangleBins"]

POLYGONS = "Polygons(i8[::1], f8[:,::1], i8[::1], i4[::1], f8[:,::1], b1[::1], b1[::1])"
TRIANGLE_BINS = "TriangleBins(f8[::1], f8, i8, i4[::1], i4[::1], i4[:,::1])"
"""The types of the classes in declarations of kernels."""


class Polygons(NamedTuple):
    """Convex polygons, and the portals between them.

    The corners of polygon p are `rings` (R, 2) from `starts[p]` up to `starts[p + 1]`, in the order
    that has the inside on the left. Its portals, parts of sides with another polygon behind, are
    those from `gates[p]` up to `gates[p + 1]`.
    """

    starts: Ints
    rings: Floats
    gates: Ints
    behind: NDArray[np.int32]
    """The polygon that a portal leads to."""
    sides: Floats
    """The ends of portals, (ux, uy, vx, vy), with the inside of p on the left."""
    blocked: Bools
    """The portals that cannot be passed."""
    leaps: Bools
    """The portals over a gap."""


class TriangleBins(NamedTuple):
    """Triangles by squares of the plane.

    Those that reach into square k are `triangles` from `starts[k]` up to `starts[k + 1]`, in
    ascending order. Squares have a `side` in world units, begin at `low` (x, y), and are `across`
    in a row and a column. The arrays are narrow, so that more of a mesh fits into a fast cache.
    """

    low: Floats
    side: float
    across: int
    starts: NDArray[np.int32]
    triangles: NDArray[np.int32]
    corners: NDArray[np.int32]
    """The numbers of the corners of all triangles, (T, 3)."""
