"""What kernels of any-angle paths take: portals, blocks, and scratch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Floats, Ints

__all__ = [
    "KNOWN_TURNS",
    "PATH_PORTALS",
    "PORTAL_BLOCKS",
    "RAY_QUEUE",
    "KnownTurns",
    "PathPortals",
    "PortalBlocks",
    "RayQueue",
]

PATH_PORTALS = "PathPortals(i8[::1], i4[::1], f8[:,::1], i8[:,::1], i8[::1])"
PORTAL_BLOCKS = "PortalBlocks(i8[::1], i8[::1], i8[::1])"
KNOWN_TURNS = "KnownTurns(out f8[::1], out i8[::1], out f8[::1], out i8[::1], out i8[::1])"
RAY_QUEUE = "RayQueue(out f8[:,::1], out i8[:,::1], out f8[::1], out i8[::1])"
"""The types of the classes in declarations of kernels."""


class PathPortals(NamedTuple):
    """The open portals of polygon p, from `starts[p]` up to `starts[p + 1]`."""

    starts: Ints
    behind: NDArray[np.int32]
    """The polygon behind each portal."""
    sides: Floats
    """The ends (ux, uy, vx, vy), from u to v with the polygon on the left."""
    turns: Ints
    """The numbers of the corners at u and v, -1 where no shortest path turns."""
    within: Ints
    """The block of each portal."""


class PortalBlocks(NamedTuple):
    """For each polygon the block between it and the root of its tree, -1 for roots; for each block
    the polygon at its upper end; for each polygon the number of blocks above it.
    """

    above: Ints
    heads: Ints
    depths: Ints


class KnownTurns(NamedTuple):
    """What searches have found: the length of the shortest path to each corner, and the number of
    the search that found it; the same for paths that pass a portal exactly at its end; and the
    number of the search that may enter a block. The last entry of `stamp` counts searches.
    """

    reached: Floats
    stamp: Ints
    passed: Floats
    runs_at: Ints
    allowed: Ints


class RayQueue(NamedTuple):
    """Nodes, and a heap of their keys and numbers.

    `places` are the root of each node, the length of the path there, its left end and direction,
    its right end and direction, and the least length of a path over it. `links` are the corners at
    root, left and right, the portal, the polygon behind it, the polygon before it, and the node
    before it.
    """

    places: Floats
    links: Ints
    keys: Floats
    cells: Ints
