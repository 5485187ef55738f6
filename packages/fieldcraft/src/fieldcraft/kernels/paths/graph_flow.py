"""Directions between the vertices of a graph, and over the polygons of a mesh."""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.agents.mesh_moving import orientation, portal_between
from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.polygons import POLYGONS, Polygons

__all__ = ["Polygons", "lead", "lead_through", "point"]

MARGIN = 0.05
"""Distance to the ends of a portal at which an agent passes it, in shares of its width."""
NEAR = 1e-4
"""Distance to a portal below which an agent is in it, in shares of its width."""
TURNING = 0.05
"""Distance to the end of an edge at which an agent turns to the next one, in shares of the edge's
length.
"""
AHEAD = 32
"""Number of portals to look ahead."""


@kernel
def _off(places, start, end, points, i):
    """Return the squared distance of a point from the straight line between two vertices."""
    axes = places.shape[1]
    square = 0.0
    dot = 0.0
    for a in range(axes):
        along = places[end, a] - places[start, a]
        square += along * along
        dot += (points[i, a] - places[start, a]) * along
    share = 0.0
    if square > 0:
        share = min(max(dot / square, 0.0), 1.0)
    total = 0.0
    for a in range(axes):
        gap = (points[i, a] - places[start, a]) - share * (places[end, a] - places[start, a])
        total += gap * gap
    return total


@kernel("i4[::1], b1[::1], b1[::1], f8[:,::1], i8[::1], out i8[::1], out i8[::1], out f4[:,::1]")
def point(ends, closed, walls, places, vertices, taken, following, vectors):
    """Write the next vertex of each of the vertices, and the unit vector to it, after the arcs
    `taken`; blocked arcs are removed.
    """
    axes = places.shape[1]
    for i in range(vertices.shape[0]):
        v = vertices[i]
        arc = taken[v]
        if arc >= 0 and (closed[arc] or walls[ends[arc]]):
            arc = taken[v] = -1
        end = np.int64(ends[arc]) if arc >= 0 else np.int64(-1)
        following[v] = end
        length = 0.0
        for a in range(axes):
            vectors[v, a] = 0.0
            if end >= 0:
                length += (places[end, a] - places[v, a]) * (places[end, a] - places[v, a])
        length = math.sqrt(length)
        if length > 0:
            for a in range(axes):
                vectors[v, a] = (places[end, a] - places[v, a]) / length


@kernel(
    "i8[::1], i4[::1], f8[:,::1], i8[::1], i8[::1], b1[::1], f8[:,::1], i8[::1], f8, i8, i8, out"
    " f8[:,::1]"
)
def lead(
    starts, origins, places, taken, following, goals, points, vertices, arrived, first, last, out
):
    """Write the unit vectors to walk in from the points [first, last) with these nearest vertices.

    `taken` and `following` are the arc and the vertex to take from each vertex, -1 for none,
    `goals` the vertices of goals. Of the arcs of the field out of a vertex and into it, the agent
    follows the one nearest to the point to its end; the one out of the vertex if they are equally
    near. An arc into the vertex is left a little before its end, at `TURNING`: an agent whose step
    ends behind the vertex, on another arc that leads back to it, would never leave otherwise. Next
    to a goal the agent walks to the goal itself, and nearer than `arrived` it stays.
    """
    axes = places.shape[1]
    turning = TURNING * TURNING
    for i in range(first, last):
        vertex = vertices[i]
        aim = np.int64(-1)
        best = np.inf
        rest = 0.0
        for a in range(axes):
            gap = points[i, a] - places[vertex, a]
            rest += gap * gap
        if goals[vertex]:
            aim = vertex
            best = rest
        elif following[vertex] >= 0:
            aim = following[vertex]
            best = _off(places, vertex, aim, points, i)
        if aim >= 0:
            for arc in range(starts[vertex], starts[vertex + 1]):
                if taken[origins[arc]] == arc:
                    origin = np.int64(origins[arc])
                    length = 0.0
                    for a in range(axes):
                        gap = places[vertex, a] - places[origin, a]
                        length += gap * gap
                    if rest <= turning * length:
                        continue
                    off = _off(places, origin, vertex, points, i)
                    if off < best:
                        aim = vertex
                        best = off
        length = 0.0
        for a in range(axes):
            out[i, a] = 0.0
            if aim >= 0:
                length += (places[aim, a] - points[i, a]) * (places[aim, a] - points[i, a])
        length = math.sqrt(length)
        at_goal = goals[vertex] and aim == vertex and length <= arrived
        if length > 0 and not at_goal:
            for a in range(axes):
                out[i, a] = (places[aim, a] - points[i, a]) / length


@kernel
def _squared_off(ux, uy, vx, vy, x, y):
    """Return the squared distance of a place from the line between two others."""
    ex = vx - ux
    ey = vy - uy
    size = ex * ex + ey * ey
    share = 0.0
    if size > 0:
        share = min(max(((x - ux) * ex + (y - uy) * ey) / size, 0.0), 1.0)
    px = x - ux - share * ex
    py = y - uy - share * ey
    return px * px + py * py


@kernel
def _aim(mesh, middles, following, polygon, x, y):
    """Return where an agent at (x, y) in a polygon walks to, see `lead_through`."""
    sides = mesh.sides
    # The funnel in which the string is: its left and its right side, once a portal has opened it.
    lx, ly = 0.0, 0.0
    rx, ry = 0.0, 0.0
    is_open = False
    # The direction at a right angle to the portal that the agent is in.
    nx, ny = 0.0, 0.0
    # Where the string leads to.
    fx, fy = x, y
    here = polygon
    for passed in range(AHEAD):
        then = following[here]
        portal = portal_between(mesh, here, then, fx, fy) if then >= 0 else -1
        if portal < 0:
            own = here if then < 0 else then
            fx = middles[own, 0]
            fy = middles[own, 1]
            break
        # An agent that leaves through a portal from u to v has v on the left, if left is y turned
        # towards -x.
        ux = sides[portal, 0]
        uy = sides[portal, 1]
        vx = sides[portal, 2]
        vy = sides[portal, 3]
        margin_x = MARGIN * (vx - ux)
        margin_y = MARGIN * (vy - uy)
        ux = ux + margin_x
        uy = uy + margin_y
        vx = vx - margin_x
        vy = vy - margin_y
        fx = (ux + vx) / 2
        fy = (uy + vy) / 2
        width = (vx - ux) * (vx - ux) + (vy - uy) * (vy - uy)  # squared
        if passed == 0 and _squared_off(ux, uy, vx, vy, x, y) <= NEAR * NEAR * width:
            nx = vy - uy
            ny = ux - vx
        elif not is_open:
            lx, ly = vx, vy
            rx, ry = ux, uy
            is_open = True
        else:
            # The new portal narrows the funnel, or is beyond a bend of it.
            if orientation(x, y, rx, ry, ux, uy) >= 0:
                if orientation(x, y, lx, ly, ux, uy) > 0:
                    fx, fy = lx, ly
                    break
                rx, ry = ux, uy
            if orientation(x, y, lx, ly, vx, vy) <= 0:
                if orientation(x, y, rx, ry, vx, vy) < 0:
                    fx, fy = rx, ry
                    break
                lx, ly = vx, vy
        here = then
    if is_open:
        if orientation(x, y, rx, ry, fx, fy) < 0:
            fx, fy = rx, ry
        elif orientation(x, y, lx, ly, fx, fy) > 0:
            fx, fy = lx, ly
    if (nx != 0 or ny != 0) and (fx - x) * nx + (fy - y) * ny <= 0:
        fx, fy = x + nx, y + ny
    return fx, fy


@kernel(f"{POLYGONS}, f8[:,::1], i8[::1], b1[::1], f8[:,::1], i8[::1], f8, i8, i8, out f8[:,::1]")
def lead_through(mesh, middles, following, goals, points, polygons, arrived, first, last, out):
    """Write the unit vectors (x, y) to walk in from the points [first, last) in `polygons`.

    A string is pulled taut through the next `AHEAD` portals, each narrowed by `MARGIN`, to the
    middle of the last polygon or portal; an agent walks to its first bend. An agent in a portal
    pulls it through the portals behind, and leaves at a right angle if it leads back. In a goal,
    and where no portal leads on, an agent walks to the middle of the polygon; nearer to the middle
    of a goal than `arrived` it stays.
    """
    for i in range(first, last):
        polygon = polygons[i]
        x = points[i, 0]
        y = points[i, 1]
        for a in range(out.shape[1]):
            out[i, a] = 0.0
        if following[polygon] < 0 and not goals[polygon]:
            continue
        ax, ay = _aim(mesh, middles, following, polygon, x, y)
        length = math.sqrt((ax - x) * (ax - x) + (ay - y) * (ay - y))
        at_goal = following[polygon] < 0 and length <= arrived
        if length > 0 and not at_goal:
            out[i, 0] = (ax - x) / length
            out[i, 1] = (ay - y) / length
