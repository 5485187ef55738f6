"""The polygons between the ends of a path in the tree of blocks: a shortest path can pass no other.

Polygons that are connected by one polygon only are split there into blocks. A path that leaves a
convex polygon for a block returns to the same polygon, and the straight line between both places is
inside it: so a shortest path enters only the blocks between its ends, and each of them once. Blocks
are found as in Tarjan, "Depth-first search and linear graph algorithms" (1972).
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.paths.any_angle_arrays import PORTAL_BLOCKS, PortalBlocks

__all__ = ["PortalBlocks", "allow", "blocks"]


@kernel("i8[::1], i4[::1], i8[::1], i8[::1]")
def blocks(starts, behind, first, beside):
    """Return the blocks of the polygons with these portals, see
    `fieldcraft.kernels.paths.any_angle.search`. The polygons that a portal joins to polygon p are
    `beside[first[p]]` up to `first[p + 1]`.

    Returns for each polygon (P,) the block between it and the root of its tree, -1 for roots; for
    each block the polygon at its upper end; for each polygon (P,)
    the number of blocks above it; and for each portal (K,) its block.
    """
    count = starts.shape[0] - 1
    above = np.full(count, -1, np.int64)
    heads = np.empty(count, np.int64)
    depths = np.zeros(count, np.int64)
    found = np.full(count, -1, np.int64)
    low = np.empty(count, np.int64)
    parents = np.full(count, -1, np.int64)
    order = np.empty(count, np.int64)
    path = np.empty(count, np.int64)
    waiting = np.empty(count, np.int64)
    at = first[:-1].copy()
    seen, many = 0, 0
    for root in range(count):
        if found[root] >= 0:
            continue
        found[root], low[root], order[seen] = seen, seen, root
        seen += 1
        path[0], steps, left = root, 1, 0
        while steps > 0:
            here = path[steps - 1]
            if at[here] < first[here + 1]:
                there = beside[at[here]]
                at[here] += 1
                if found[there] < 0:
                    found[there], low[there], order[seen], parents[there] = seen, seen, there, here
                    seen += 1
                    path[steps], waiting[left] = there, there
                    steps += 1
                    left += 1
                elif there != parents[here]:
                    low[here] = min(low[here], found[there])
                continue
            steps -= 1
            parent = parents[here]
            if parent >= 0:
                low[parent] = min(low[parent], low[here])
                if low[here] >= found[parent]:
                    heads[many] = parent
                    member = np.int64(-1)
                    while member != here:
                        left -= 1
                        member = waiting[left]
                        above[member] = many
                    many += 1
    for i in range(count):
        here = order[i]
        if above[here] >= 0:
            depths[here] = depths[heads[above[here]]] + 1
    within = np.empty(behind.shape[0], np.int64)
    for here in range(count):
        for portal in range(starts[here], starts[here + 1]):
            there = behind[portal]
            within[portal] = above[here] if found[here] > found[there] else above[there]
    return above, heads[:many].copy(), depths, within


@kernel(f"{PORTAL_BLOCKS}, i8, i8, i8, out i8[::1]")
def allow(blocks, start, goal, run, allowed):
    """Write `run` into `allowed` for each block between two polygons; return whether they are
    connected.
    """
    above = blocks.above
    heads = blocks.heads
    depths = blocks.depths
    here, there = start, goal
    while here != there:
        if depths[here] < depths[there]:
            here, there = there, here
        block = above[here]
        if block < 0:
            return False
        allowed[block] = run
        here = heads[block]
    return True
