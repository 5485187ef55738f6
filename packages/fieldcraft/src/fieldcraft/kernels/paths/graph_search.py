"""Shortest paths between two vertices of a graph.

Scratch is reused by later searches and not cleared: `stamp` marks the vertices that this search has
found (twice its number) and settled (one more).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.agents.mesh_moving import orientation
from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.kernels.shared.heap import longer, pop, push

__all__ = ["FoundVertices", "PathGraph", "pull", "scratch", "search"]


class PathGraph(NamedTuple):
    """The arcs that end in vertex v, from `starts[v]` up to `starts[v + 1]`, with both ends.

    `sizes` are their costs, or half their lengths if `cost` has a number for each vertex; it has
    length 1 if all cost the same.
    """

    starts: Ints
    origins: NDArray[np.int32]
    ends: NDArray[np.int32]
    sizes: Floats
    cost: Floats


class FoundVertices(NamedTuple):
    """Of each vertex the least cost to the goal, the arc there, and the mark of its search. The
    last entry of `stamp` is that of the last search.
    """

    dist: Floats
    came: Ints
    stamp: Ints


def scratch(vertices):
    """Return scratch for one search at a time."""
    found = FoundVertices(
        dist=np.empty(vertices),
        came=np.empty(vertices, dtype=np.int64),
        stamp=np.zeros(vertices + 1, dtype=np.int64),
    )
    return [np.empty(vertices, dtype=np.int64), found, [np.empty(256), np.empty(256, np.int64)]]


@kernel(forceinline=True)
def _bound(places, v, start, scale):
    """Return a lower bound of the cost of all paths between two vertices."""
    total = 0.0
    for a in range(places.shape[1]):
        total += (places[v, a] - places[start, a]) * (places[v, a] - places[start, a])
    return scale * math.sqrt(total)


@kernel
def _go_on(graph, walls, places, scale, start, turn, size, found, keys, cells):
    """Search backwards from the goal until the heap is full. Return (size of the heap, the number
    of arcs that do not fit, 0 if there is no path, or -1 at the start).
    """
    starts = graph.starts
    origins = graph.origins
    sizes = graph.sizes
    cost = graph.cost
    dist = found.dist
    came = found.came
    stamp = found.stamp
    even = cost.shape[0] == 1
    while size > 0:
        v = cells[0]
        first = starts[v]
        last = starts[v + 1]
        if size + (last - first) > keys.shape[0]:
            return size, last - first
        size = pop(keys, cells, size, True)
        if stamp[v] != turn:
            continue
        stamp[v] = turn + 1
        if v == start:
            return size, -1
        d = dist[v]
        for arc in range(first, last):
            n = np.int64(origins[arc])
            weight = sizes[arc]
            if not even:
                weight = sizes[arc] * (cost[n] + cost[v])
            total = d + weight
            if total <= d:  # a step so short that it is lost in rounding
                total = np.nextafter(d, np.inf)
            known = dist[n] if stamp[n] >= turn else np.inf
            if not walls[n] and total < known:
                dist[n] = total
                came[n] = arc
                stamp[n] = turn
                key = total + _bound(places, n, start, scale)
                size = push(keys, cells, size, key, n, True)
    return size, 0


@kernel(
    "PathGraph(i8[::1], i4[::1], i4[::1], f8[::1], f8[::1]), b1[::1], f8[:,::1], f8, i8, i8,"
    " out i8[::1], FoundVertices(out f8[::1], out i8[::1], out i8[::1]), out f8[::1], out i8[::1]",
)
def _search(graph, walls, places, scale, start, goal, path, found, keys, cells):
    """See `search`; the heap, which may have grown, is returned as well."""
    ends = graph.ends
    dist = found.dist
    came = found.came
    stamp = found.stamp
    turn = stamp[-1] + 2
    stamp[-1] = turn
    dist[goal] = 0.0
    came[goal] = -1
    stamp[goal] = turn
    keys[0] = _bound(places, goal, start, scale)
    cells[0] = goal
    size = np.int64(1)
    while True:
        size, more = _go_on(graph, walls, places, scale, start, turn, size, found, keys, cells)
        if more <= 0:
            break
        least = 2 * keys.shape[0] + more
        keys = longer(keys, least)
        cells = longer(cells, least)
    if more == 0:
        return 0, np.inf, keys, cells
    path[0] = start
    count = 1
    while came[path[count - 1]] >= 0:
        path[count] = ends[came[path[count - 1]]]
        count += 1
    return count, dist[start], keys, cells


def search(graph, walls, places, scale, start, goal, scratch):
    """Find the cheapest path from one vertex to another; return the number of its vertices, 0 for
    no path, and its cost.

    `scratch` comes from `scratch()`, and its first array receives the vertices of the path.
    """
    path, found, heap = scratch
    count, total, *heap[:] = _search(graph, walls, places, scale, start, goal, path, found, *heap)
    return count, total


@kernel
def _cross(portals, portal, last, x, y, to_x, to_y, at):
    """Write where a segment crosses the portals between two bends."""
    for i in range(portal + 1, last):
        lx = portals[i, 0]
        ly = portals[i, 1]
        ex = portals[i, 2] - lx
        ey = portals[i, 3] - ly
        dx = to_x - x
        dy = to_y - y
        area = dx * ey - dy * ex
        size = ex * ex + ey * ey
        if area != 0:
            share = min(max(((lx - x) * dy - (ly - y) * dx) / area, 0.0), 1.0)
        elif size > 0:  # the segment is parallel to the portal, or a point
            share = min(max(((x - lx) * ex + (y - ly) * ey) / size, 0.0), 1.0)
        else:
            share = 0.0
        at[i, 0] = lx + share * ex
        at[i, 1] = ly + share * ey


@kernel("f8[:,::1], f8, f8, f8, f8, out f8[:,::1], out b1[::1]")
def pull(portals, ax, ay, bx, by, at, bends):
    """Pull a string taut from a to b through portals (M, 4), (left x, y, right x, y): write where
    it crosses each to `at` (M, 2), and whether it bends there to `bends`.
    """
    many = portals.shape[0]
    # The funnel: its apex, where the string bent last, and its sides, each with its portal.
    px, py = ax, ay
    lx, ly = ax, ay
    rx, ry = ax, ay
    portal = -1
    left_portal = -1
    right_portal = -1
    bends[:] = False
    i = 0
    while i <= many:
        left_is_apex = lx == px and ly == py
        right_is_apex = rx == px and ry == py
        # Whether the string bends at the left or the right side of the funnel.
        turned_left = False
        turned_right = False
        if i == many:
            turned_left = not left_is_apex and orientation(px, py, lx, ly, bx, by) > 0
            turned_right = (
                not turned_left and not right_is_apex and orientation(px, py, rx, ry, bx, by) < 0
            )
        else:
            if orientation(px, py, rx, ry, portals[i, 2], portals[i, 3]) >= 0:
                if right_is_apex or orientation(px, py, lx, ly, portals[i, 2], portals[i, 3]) < 0:
                    rx = portals[i, 2]
                    ry = portals[i, 3]
                    right_portal = i
                else:
                    turned_left = True
            if not turned_left and orientation(px, py, lx, ly, portals[i, 0], portals[i, 1]) <= 0:
                if left_is_apex or orientation(px, py, rx, ry, portals[i, 0], portals[i, 1]) > 0:
                    lx = portals[i, 0]
                    ly = portals[i, 1]
                    left_portal = i
                else:
                    turned_right = True
        if turned_left or turned_right:
            # The search goes on behind the bend, with a new funnel.
            if turned_left:
                tx, ty, corner = lx, ly, left_portal
            else:
                tx, ty, corner = rx, ry, right_portal
            _cross(portals, portal, corner, px, py, tx, ty, at)
            at[corner, 0] = tx
            at[corner, 1] = ty
            bends[corner] = True
            px, py = tx, ty
            lx, ly = tx, ty
            rx, ry = tx, ty
            portal = corner
            left_portal = corner
            right_portal = corner
            i = corner
        i += 1
    _cross(portals, portal, many, px, py, bx, by, at)
