"""Straight lines over polygons, and between the cells of a grid.

A line crosses a mesh from polygon to polygon through portals: parts of their sides with another
polygon behind. It may touch corners on one side of it, not on both. So it is drawn twice, shifted
infinitesimally to the left and to the right, and one of the two must arrive. Corners and the ends
of lines are whole numbers below 2**30, so that no rounding ever decides.
"""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.agents.mesh_moving import orientation
from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.shared.heap import pop, push
from fieldcraft.kernels.sight.shot_cells import UNITS, pass_cells
from fieldcraft.kernels.sight.sight_lines import (
    SIGHT_PORTALS,
    SIGHT_TARGETS,
    SIGHT_VIEWERS,
    Line,
    SightPortals,
    SightTargets,
    SightViewers,
)

__all__ = [
    "BLOCKED",
    "CLOSED",
    "INWARDS",
    "OPEN",
    "STACK",
    "Line",
    "SightPortals",
    "SightTargets",
    "SightViewers",
    "between",
    "count_seen",
    "sees_cells",
    "sees_places",
    "sweep",
]

OPEN, BLOCKED, CLOSED = 0, 1, 2
INWARDS = 1e-3
"""Shift of places from the rim of their polygon to its middle, in shares of the distance."""
STACK = 64  # waiting polygons; more are side by side only where floors share a side
# how often polygons may come, on average, before a view is given up; in polygons that are not
# convex it may go in circles
_TURNS = 16
_SECTORS = 64  # pieces of a view that are joined at once


@kernel
def _walk(mesh, first, ax, ay, goal, bx, by, left, stack):
    """Return whether the line from a in polygon `first`, shifted infinitesimally to one side,
    arrives in polygon `goal` at b.

    Also return whether it touched a corner, so that the result for the other side may differ.
    """
    starts = mesh.starts
    ends = mesh.ends
    fine = mesh.fine
    flags = mesh.flags
    stack[0] = first
    height = 1
    touched = False
    for _ in range(4 * len(starts) + STACK):
        if height == 0:
            return False, touched
        height -= 1
        here = stack[height]
        if here == goal:
            return True, touched
        for portal in range(starts[here], starts[here + 1]):
            end = ends[portal]
            if flags[portal] != OPEN and (flags[portal] == CLOSED or end != goal):
                continue
            ux, uy, vx, vy = fine[portal, 0], fine[portal, 1], fine[portal, 2], fine[portal, 3]
            to_u = (bx - ax) * (uy - ay) - (by - ay) * (ux - ax)
            to_v = (bx - ax) * (vy - ay) - (by - ay) * (vx - ax)
            touched = touched or to_u == 0 or to_v == 0
            u_is_left = to_u > 0 or (to_u == 0 and not left)
            v_is_left = to_v > 0 or (to_v == 0 and not left)
            if u_is_left or not v_is_left or (vx - ux) * (by - uy) - (vy - uy) * (bx - ux) >= 0:
                continue
            if height < STACK:
                stack[height] = end
                height += 1
    return False, touched


@kernel(f"{SIGHT_PORTALS}, i8, i8, i8, i8, i8, i8, out i8[::1]")
def between(mesh, one, ax, ay, other, bx, by, stack):
    """Return whether places a and b in two polygons see each other."""
    if one == other:
        return True
    seen, touched = _walk(mesh, one, ax, ay, other, bx, by, True, stack)
    if not seen and touched:
        seen, touched = _walk(mesh, one, ax, ay, other, bx, by, False, stack)
    return seen


@kernel(forceinline=True)
def _key(starts, fine, here, ax, ay):
    """Return the distance of the portals through which a polygon is seen: the farthest of their
    middles, squared.
    """
    farthest = 0.0
    for portal in range(starts[here], starts[here + 1]):
        ux = fine[portal, 0] - ax
        uy = fine[portal, 1] - ay
        vx = fine[portal, 2] - ax
        vy = fine[portal, 3] - ay
        if ux * vy - uy * vx <= 0:
            x, y = 0.5 * float(ux + vx), 0.5 * float(uy + vy)
            farthest = max(farthest, x * x + y * y)
    return farthest


@kernel(forceinline=True)
def _joined(sectors, count):
    """Join sectors that share an end; return the number of sectors."""
    i = 0
    while i < count:
        lx, ly = sectors[i, 2], sectors[i, 3]
        other = -1
        for j in range(count):
            if (
                j != i
                and lx * sectors[j, 1] - ly * sectors[j, 0] == 0
                and lx * sectors[j, 0] + ly * sectors[j, 1] > 0
            ):
                other = j
                break
        if other < 0:
            i += 1
            continue
        sectors[i, 2], sectors[i, 3] = sectors[other, 2], sectors[other, 3]
        count -= 1
        for part in range(4):
            sectors[other, part] = sectors[count, part]
        if i == count:
            i = other
    return count


@kernel
def _given_up(here, size, waiting, nodes):
    """Reset the scratch of a view; return -1."""
    first, pool, following = waiting
    for k in range(size):
        first[nodes[k]] = 0
    first[here] = following[0] = 0
    pool[0, 0] = 1
    return -1


@kernel
def _fan(mesh, middles, cell, ax, ay, reach, mark, found, marks, waiting, heap, sectors):
    """Write the polygons with a middle that a place sees to `found`; return their number, or -1 if
    the view has too many parts.

    A view consists of sectors: the directions, ends included, that pass all portals up to a
    polygon. A sector of a single direction is dropped, since that is a line between a corner on its
    left and one on its right. Polygons are processed one after the other, the nearer first, so that
    most have been reached through all their sides by then, and their sectors can be joined: a
    corner between two of them is no wall's. `reach` is squared; portals farther away are ignored.

    `waiting` are (first, pool, following): `first` (P,) has the sectors that wait for a polygon, as
    indices from 1 on into `pool` and `following`, 0 for none. Free entries are listed from
    `following[0]` on; unused ones begin at `pool[0, 0]`.
    """
    starts = mesh.starts
    ends = mesh.ends
    fine = mesh.fine
    flags = mesh.flags
    first, pool, following = waiting
    keys, nodes = heap
    free = following[0]
    unused = pool[0, 0]
    found[0] = cell
    marks[cell] = mark
    total = size = 1
    keys[0], nodes[0] = 0.0, cell
    is_unbounded = True
    for _ in range(_TURNS * len(starts)):
        if size == 0:
            following[0], pool[0, 0] = free, unused
            return total
        here = nodes[0]
        size = pop(keys, nodes, size, False)
        count = 1
        if is_unbounded:
            for part in range(4):
                sectors[0, part] = 0
        else:
            count = 0
            while first[here] > 0 and count < _SECTORS:
                k = first[here]
                for part in range(4):
                    sectors[count, part] = pool[k, part]
                count += 1
                first[here] = following[k]
                following[k] = free
                free = k
            if first[here] > 0:
                size = push(keys, nodes, size, 0.0, here, False)
            count = _joined(sectors, count)
        for i in range(count):
            rx, ry, lx, ly = sectors[i, 0], sectors[i, 1], sectors[i, 2], sectors[i, 3]
            if here < len(middles) and marks[here] != mark:
                wx, wy = middles[here, 0] - ax, middles[here, 1] - ay
                if rx * wy - ry * wx >= 0 and wx * ly - wy * lx >= 0:
                    marks[here] = mark
                    found[total] = here
                    total += 1
            for portal in range(starts[here], starts[here + 1]):
                if flags[portal] != OPEN:
                    continue
                ux = fine[portal, 0] - ax
                uy = fine[portal, 1] - ay
                vx = fine[portal, 2] - ax
                vy = fine[portal, 3] - ay
                if ux * vy - uy * vx <= 0:
                    continue  # from here it is seen from behind
                sx, sy, dx, dy = float(ux), float(uy), float(vx - ux), float(vy - uy)
                if not is_unbounded:
                    if ux * ry - uy * rx > 0:
                        ux, uy = rx, ry
                    if lx * vy - ly * vx > 0:
                        vx, vy = lx, ly
                    if ux * vy - uy * vx <= 0:
                        continue
                if (
                    sx * sx + sy * sy > reach
                    and (sx + dx) * (sx + dx) + (sy + dy) * (sy + dy) > reach
                ):
                    share = min(max(-(sx * dx + sy * dy) / (dx * dx + dy * dy), 0.0), 1.0)
                    sx, sy = sx + share * dx, sy + share * dy
                    if sx * sx + sy * sy > reach:
                        continue
                end = ends[portal]
                if free > 0:
                    k = free
                    free = following[k]
                elif unused < len(following):
                    k = unused
                    unused += 1
                else:
                    return _given_up(here, size, waiting, nodes)
                if first[end] == 0:
                    key = _key(starts, fine, end, ax, ay)
                    size = push(keys, nodes, size, key, end, False)
                following[k] = first[end]
                first[end] = k
                pool[k, 0], pool[k, 1], pool[k, 2], pool[k, 3] = ux, uy, vx, vy
        is_unbounded = False
    return _given_up(cell, size, waiting, nodes)


@kernel(forceinline=True)
def _is_near(points, limits, cones, v, target_points, t):
    """Return whether a target is within the limit and the cone of a viewer."""
    squared = 0.0
    for axis in range(points.shape[1]):
        away = target_points[t, axis] - points[v, axis]
        squared += away * away
    if squared > limits[v] or len(cones) == 0 or squared == 0:
        return squared <= limits[v]
    dx = target_points[t, 0] - points[v, 0]
    dy = target_points[t, 1] - points[v, 1]
    return cones[v, 0] * dx + cones[v, 1] * dy >= cones[v, 2] * math.sqrt(dx * dx + dy * dy)


@kernel(
    f"{SIGHT_PORTALS}, i8[:,::1], b1[::1], f8[:,::1], {SIGHT_VIEWERS}, f8, i8, i8, out i4[::1]",
)
def count_seen(mesh, middles, walls, positions, viewers, scale, first, last, counts):
    """Add 1 to `counts` (N,) for each open polygon with a middle that a viewer of [first, last)
    sees: `sees_places` from all to all.

    `positions` (N, 2 or 3) are the positions of the vertices,
    `scale` is the number of whole units in a world unit.
    """
    starts = mesh.starts
    ends = mesh.ends
    cells = viewers.cells
    points = viewers.points
    places = viewers.places
    limits = viewers.limits
    cones = viewers.cones
    count = len(middles)
    line = np.empty(STACK, dtype=np.int64)
    marks = np.zeros(count, dtype=np.int64)
    found = np.empty(count, dtype=np.int64)
    pool = np.empty((len(ends) + STACK, 4), dtype=np.int64)
    following = np.empty(len(ends) + STACK, dtype=np.int64)
    following[0] = 0
    pool[0, 0] = 1
    waiting = np.zeros(len(starts), dtype=np.int64), pool, following
    heap = np.empty(len(starts) + STACK), np.empty(len(starts) + STACK, dtype=np.int64)
    sectors = np.empty((_SECTORS, 4), dtype=np.int64)
    for v in range(first, last):
        ax, ay = places[v, 0], places[v, 1]
        # A place is up to two whole units from its position, and INWARDS of a polygon.
        reach = (math.sqrt(limits[v]) * scale * (1 + 1e-6) + 4.0) ** 2
        total = _fan(
            mesh, middles, cells[v], ax, ay, reach, v + 1, found, marks, waiting, heap, sectors
        )
        walked = total < 0
        if walked:
            total = count
        for i in range(total):
            end = found[i]
            if walked:
                end = i
            if walls[end]:
                continue
            if end != cells[v]:
                if not _is_near(points, limits, cones, v, positions, end):
                    continue
                if walked and not between(
                    mesh, cells[v], ax, ay, end, middles[end, 0], middles[end, 1], line
                ):
                    continue
            counts[end] += 1


@kernel(
    f"{SIGHT_PORTALS}, {SIGHT_VIEWERS}, {SIGHT_TARGETS}, b1, b1, i8, i8, out b1[:,::1]",
)
def sees_places(mesh, viewers, targets, own, pairs, first, last, seen):
    """Write which of the targets the viewers [first, last) see to `seen` (V, T); with `pairs`,
    whether each sees the target of its own number: (V, 1).

    With `own` a viewer sees all targets in its own cell, in any direction.
    """
    cells = viewers.cells
    points = viewers.points
    places = viewers.places
    limits = viewers.limits
    cones = viewers.cones
    goals = targets.cells
    target_points = targets.points
    spots = targets.places
    stack = np.empty(STACK, dtype=np.int64)
    for v in range(first, last):
        for k in range(seen.shape[1]):
            t = k
            if pairs:
                t = v
            is_seen = own and goals[t] == cells[v]
            if not is_seen and _is_near(points, limits, cones, v, target_points, t):
                x, y = spots[t, 0], spots[t, 1]
                is_seen = len(mesh.starts) <= 1 or between(
                    mesh, cells[v], places[v, 0], places[v, 1], goals[t], x, y, stack
                )
            seen[v, k] = is_seen


@kernel
def _leaves(corners, rings, cell, line):
    """Return the share of a line at which it leaves a polygon."""
    ax, ay, bx, by = line.from_x, line.from_y, line.to_x, line.to_y
    first, last = corners[cell], corners[cell + 1]
    share = math.inf
    for k in range(first, last):
        after = k + 1 if k + 1 < last else first
        ux, uy, vx, vy = rings[k, 0], rings[k, 1], rings[after, 0], rings[after, 1]
        turn = (vx - ux) * (by - ay) - (vy - uy) * (bx - ax)
        if turn < 0:
            share = min(share, orientation(ux, uy, vx, vy, ax, ay) / -turn)
    return max(share, 0.0)


@kernel(
    f"{SIGHT_PORTALS}, i8[::1], f8[:,::1], i8, Line(f8, f8, f8, f8), Line(i8, i8, i8, i8), b1,"
    " out i8[::1], out f8[::1]"
)
def sweep(mesh, corners, rings, first, line, aim, left, passed, leaves):
    """Write the polygons that a line from a in polygon `first` to b crosses, shifted
    infinitesimally to one side.

    `line` is in world units, and `aim` the same line, or its beginning, in whole numbers: they
    determine the portals that it passes.
    `passed` (most,) receives the polygons, `leaves` (most,) the share of the line at which it
    leaves each, 1 at its end. Returns the number of polygons, and whether something stopped the
    line before its end. `corners` and `rings` are those of `mesh_moving.nearest`. If several
    polygons are behind a part of a side, the line continues over the first.
    """
    starts = mesh.starts
    ends = mesh.ends
    fine = mesh.fine
    flags = mesh.flags
    here = first
    for count in range(len(passed)):
        passed[count] = here
        leaves[count] = _leaves(corners, rings, here, line)
        if leaves[count] >= 1:
            leaves[count] = 1.0
            return count + 1, False
        following = -1
        for portal in range(starts[here], starts[here + 1]):
            ux, uy, vx, vy = fine[portal, 0], fine[portal, 1], fine[portal, 2], fine[portal, 3]
            to_u = orientation(aim.from_x, aim.from_y, aim.to_x, aim.to_y, ux, uy)
            to_v = orientation(aim.from_x, aim.from_y, aim.to_x, aim.to_y, vx, vy)
            u_is_left = to_u > 0 or (to_u == 0 and not left)
            v_is_left = to_v > 0 or (to_v == 0 and not left)
            if not u_is_left and v_is_left and flags[portal] == OPEN:
                following = ends[portal]
                break
        if following < 0:
            return count + 1, True
        here = following
    return len(passed), True


@kernel(forceinline=True)
def _nearest_image(away, size):
    """Return a difference of rows or columns, at most `size` - 1, the short way around an axis that
    wraps: from -(size // 2) on.
    """
    half = size // 2
    if away >= size - half:
        return away - size
    if away < -half:
        return away + size
    return away


@kernel
def _sees_cell(walls, heights, eye, wrap, cell, goal, limit, cones, v):
    """Return whether viewer v in a cell sees another cell; the wall in that cell does not hide
    it.
    """
    height, width = walls.shape
    row = cell // width
    column = cell - row * width
    goal_row = goal // width
    start_y = row * UNITS + UNITS // 2
    start_x = column * UNITS + UNITS // 2
    dy = goal_row - row
    dx = goal - goal_row * width - column
    # A cell half around an axis is seen if it is seen either way.
    down = 1
    across = 1
    if wrap & WRAP_Y != 0:
        dy = _nearest_image(dy, height)
        if 2 * abs(dy) == height:
            down = 2
    if wrap & WRAP_X != 0:
        dx = _nearest_image(dx, width)
        if 2 * abs(dx) == width:
            across = 2
    squared = dy * dy + dx * dx
    if squared > limit:
        return False
    for image in range(down * across):
        y = -dy if image % down else dy
        x = -dx if image // down else dx
        if squared > 0 and len(cones):
            least = cones[v, 2] * math.sqrt(float(squared))
            if not cones[v, 0] * x + cones[v, 1] * y >= least:
                continue
        end_y = start_y + y * UNITS
        end_x = start_x + x * UNITS
        if heights.shape[0] > 0:
            start = np.float64(heights[row, column]) + eye
            end = np.float64(heights[goal_row, goal - goal_row * width]) + eye
            ground = heights, start, end
            _, where, length = pass_cells(
                walls, ground, start_y, start_x, end_y, end_x, wrap, False, None
            )
        else:
            _, where, length = pass_cells(
                walls, None, start_y, start_x, end_y, end_x, wrap, False, None
            )
        if where == length:
            return True
    return False


@kernel(
    "u1[:,::1], f4[:,::1], i8[::1], i8[::1], f8[:,::1], i8[::1], f8, i8, b1, i8, i8, out b1[:,::1]",
)
def sees_cells(walls, heights, cells, limits, cones, goals, eye, wrap, pairs, first, last, seen):
    """Write which of the cells `goals` (T,) the viewers [first, last), in `cells` (V,), see to
    `seen` (V, T); with `pairs`, whether each sees the goal of its own number: (V, 1).

    The rest as in `kernels.sight.visible.field_of_view`, but walls are seen as if they were open.
    """
    for v in range(first, last):
        for t in range(seen.shape[1]):
            goal = goals[t]
            if pairs:
                goal = goals[v]
            seen[v, t] = _sees_cell(walls, heights, eye, wrap, cells[v], goal, limits[v], cones, v)
