"""Lists of cells that wait, one per bucket of distances, through places that are given back and
taken again.
"""

from __future__ import annotations

from fieldcraft.kernels.declare import kernel

__all__ = ["shelve"]


@kernel
def shelve(cell, bucket, heads, nodes, following, free, used):
    """Put a cell in front of the list of `heads[bucket]`.

    `nodes` holds the cells and `following` the next place of each list, or of those given back, the
    first of which is `free`, or -1; places from `used` on are new. The caller sees to it that there
    is one. Returns (free, used).
    """
    if free >= 0:
        node = free
        free = following[node]
    else:
        node = used
        used += 1
    nodes[node], following[node] = cell, heads[bucket]
    heads[bucket] = node
    return free, used
