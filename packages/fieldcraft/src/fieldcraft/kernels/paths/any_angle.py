"""Shortest paths over convex polygons.

A node is a row of `RayQueue.places` and of `RayQueue.links`. Scratch is reused by later searches
and not cleared: numbers of searches say what is valid. The next node is stored beside the heap:
most nodes have one successor, which is the next one.
"""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.paths.any_angle_arrays import (
    KNOWN_TURNS,
    PATH_PORTALS,
    PORTAL_BLOCKS,
    RAY_QUEUE,
    KnownTurns,
    PathPortals,
    PortalBlocks,
    RayQueue,
)
from fieldcraft.kernels.paths.any_angle_blocks import allow
from fieldcraft.kernels.shared.heap import longer, pop, push, replace_first

__all__ = ["KnownTurns", "PathPortals", "PortalBlocks", "RayQueue", "scratch", "search"]

EDGE_ON = 1e-12
"""The sine of the angle at which a portal is seen edge on: its ends are in one line with the root.
"""
ON_RIM = 1e-9
"""The same for the start, which may be on the rim of its polygon."""
EQUAL = 1 + 1e-11
"""Paths whose lengths differ by less than this factor count as equally long."""
RX, RY, GONE, LX, LY, LEFT_X, LEFT_Y, EX, EY, RIGHT_X, RIGHT_Y, LENGTH = range(12)
"""The columns of `RayQueue.places`: root and length of the path to it, left end and the direction
to it, right end and the direction to it, and the least length of a path over the node.
"""
TURN, LEFT_TURN, RIGHT_TURN, PORTAL, POLYGON, CAME, BEFORE = range(7)
"""The columns of `RayQueue.links`: the corners at root, left and right end, the portal, the polygon
behind it, the polygon before it, and the node before it.
"""
NODES, WAITING, NEXT = range(3)
"""What is counted in a search: its nodes, those in the heap, and the node beside the heap, or -1.
"""
_PER_PORTAL = 3  # nodes at most: straight on, and turning at the left and the right end


def scratch(corners, portals, blocks):
    """Return scratch for one search at a time, for a mesh with this number of corners to turn at,
    of portals and of blocks.
    """
    known = KnownTurns(
        reached=np.empty(corners),
        stamp=np.zeros(corners + 1, dtype=np.int64),
        passed=np.empty(2 * portals),
        runs_at=np.zeros(2 * portals, dtype=np.int64),
        allowed=np.zeros(blocks, dtype=np.int64),
    )
    queue = RayQueue(
        places=np.empty((256, 12)),
        links=np.empty((256, 7), dtype=np.int64),
        keys=np.empty(256),
        cells=np.empty(256, dtype=np.int64),
    )
    return [known, queue]


@kernel(forceinline=True)
def _distance(ax, ay, bx, by):
    """Return the straight distance of two places."""
    return math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))


@kernel(forceinline=True)
def _edge_on(facing, ux, uy, vx, vy, rx, ry, sine):
    """Return whether a place r sees a portal from u to v edge on: the sine of the angle between the
    portal and the line from u to r is at most `sine`. `facing` is their cross product.
    """
    ex, ey, dx, dy = vx - ux, vy - uy, rx - ux, ry - uy
    return facing * facing <= sine * sine * ((ex * ex + ey * ey) * (dx * dx + dy * dy))


@kernel(forceinline=True)
def _between(ux, uy, vx, vy, one, other):
    """Return the place on the line from u to v at which a cross product is 0 that is `one` at u and
    `other` at v.
    """
    share = one / (one - other)
    return ux + share * (vx - ux), uy + share * (vy - uy)


@kernel
def _ahead(rx, ry, lx, ly, ex, ey, x, y):
    """Return the least distance from a root r through a portal, with its left end at l and its
    right end at e, to the goal (x, y); one on the near side is mirrored at the portal.
    """
    along_x = ex - lx
    along_y = ey - ly
    size = along_x * along_x + along_y * along_y
    off = along_x * (y - ly) - along_y * (x - lx)
    if off < 0 and size > 0:
        x = x + 2 * off * along_y / size
        y = y - 2 * off * along_x / size
    if (lx - rx) * (y - ry) - (ly - ry) * (x - rx) > 0:
        return _distance(rx, ry, lx, ly) + _distance(lx, ly, x, y)
    if (ex - rx) * (y - ry) - (ey - ry) * (x - rx) < 0:
        return _distance(rx, ry, ex, ey) + _distance(ex, ey, x, y)
    return _distance(rx, ry, x, y)


@kernel(forceinline=True)
def _add(starts, root, left, right, crossing, end, goal, queue, counts):
    """Add a node to the queue, unless its portal leads only back.

    `root` is (x, y, corner, length of the path), `left` and `right` are (x, y, corner, direction x,
    direction y), and `crossing` is (portal, polygon behind, polygon before, node before).
    """
    places, links, keys, cells = queue
    portal, polygon, came, before = crossing
    if polygon == end or starts[polygon + 1] - starts[polygon] > 1:
        n = counts[NODES]
        size = counts[WAITING]
        rx, ry, turn, gone = root
        lx, ly, left_turn, left_x, left_y = left
        ex, ey, right_turn, right_x, right_y = right
        places[n, RX] = rx
        places[n, RY] = ry
        places[n, GONE] = gone
        places[n, LX] = lx
        places[n, LY] = ly
        places[n, LEFT_X] = left_x
        places[n, LEFT_Y] = left_y
        places[n, EX] = ex
        places[n, EY] = ey
        places[n, RIGHT_X] = right_x
        places[n, RIGHT_Y] = right_y
        links[n, TURN] = turn
        links[n, LEFT_TURN] = left_turn
        links[n, RIGHT_TURN] = right_turn
        links[n, PORTAL] = portal
        links[n, POLYGON] = polygon
        links[n, CAME] = came
        links[n, BEFORE] = before
        length = gone + _ahead(rx, ry, lx, ly, ex, ey, goal[0], goal[1])
        places[n, LENGTH] = length
        counts[NODES] = n + 1
        # The shorter of this node and the one beside the heap is the next; the other one waits.
        later = n
        rest = counts[NEXT]
        if rest < 0 or length < places[rest, LENGTH]:
            counts[NEXT] = n
            later = rest
        if later >= 0:
            counts[WAITING] = push(keys, cells, size, places[later, LENGTH], later, True)


@kernel(forceinline=True)
def _turns_at(reached, stamp, run, turn, gone):
    """Return whether a path may turn at a corner: whether it is as short there as any known
    path.
    """
    known = reached[turn] if turn >= 0 and stamp[turn] == run else np.inf
    if turn < 0 or gone > known * EQUAL:
        return False
    reached[turn] = min(gone, known)
    stamp[turn] = run
    return True


@kernel
def _begin(mesh, start, end, at, goal, run, known, queue, counts):
    """Add the nodes of all portals of the first polygon.

    A portal that the start is on is passed at once; one in line with it is passed at its nearer
    end; all others are seen from the start.
    """
    starts = mesh.starts
    behind = mesh.behind
    sides = mesh.sides
    turns = mesh.turns
    within = mesh.within
    reached = known.reached
    stamp = known.stamp
    allowed = known.allowed
    rx, ry = at
    nowhere = np.int64(-1)
    for portal in range(starts[start], starts[start + 1]):
        if allowed[within[portal]] != run:
            continue
        ux = sides[portal, 0]
        uy = sides[portal, 1]
        vx = sides[portal, 2]
        vy = sides[portal, 3]
        facing = (vx - ux) * (ry - uy) - (vy - uy) * (rx - ux)
        along_x = vx - ux
        along_y = vy - uy
        size = along_x * along_x + along_y * along_y
        share = (rx - ux) * along_x + (ry - uy) * along_y
        cx, cy, turn, gone, seen = rx, ry, nowhere, 0.0, 1.0
        if facing <= 0 or _edge_on(facing, ux, uy, vx, vy, rx, ry, ON_RIM):
            if 0 <= share <= size:
                seen = 0.0
            else:
                to_u = _distance(rx, ry, ux, uy)
                to_v = _distance(rx, ry, vx, vy)
                if to_u <= to_v:
                    cx, cy, turn, gone = ux, uy, turns[portal, 0], to_u
                else:
                    cx, cy, turn, gone = vx, vy, turns[portal, 1], to_v
                if not _turns_at(reached, stamp, run, turn, gone):
                    continue
        left = vx, vy, turns[portal, 1], seen * (vx - cx), seen * (vy - cy)
        right = ux, uy, turns[portal, 0], seen * (ux - cx), seen * (uy - cy)
        crossing = np.int64(portal), np.int64(behind[portal]), start, nowhere
        _add(starts, (cx, cy, turn, gone), left, right, crossing, end, goal, queue, counts)


@kernel(forceinline=True)
def _expand(mesh, end, goal, run, number, known, queue, counts):
    """Add the nodes behind a node: through the portals of the polygon that it leads into, straight
    on from its root, and turning at its left and right end.
    """
    starts, behind, sides, turns, within = mesh
    reached, stamp, passed, runs_at, allowed = known
    places, links, _, _ = queue
    nowhere = np.int64(-1)
    rx = places[number, RX]
    ry = places[number, RY]
    gone = places[number, GONE]
    lx = places[number, LX]
    ly = places[number, LY]
    ex = places[number, EX]
    ey = places[number, EY]
    # The directions from the root to the left and the right end.
    lwx = places[number, LEFT_X]
    lwy = places[number, LEFT_Y]
    rwx = places[number, RIGHT_X]
    rwy = places[number, RIGHT_Y]
    root = links[number, TURN]
    left = links[number, LEFT_TURN]
    right = links[number, RIGHT_TURN]
    polygon = links[number, POLYGON]
    came = links[number, CAME]
    left_gone = gone + _distance(rx, ry, lx, ly) if left >= 0 else 0.0
    right_gone = gone + _distance(rx, ry, ex, ey) if right >= 0 else 0.0
    at_left = (lx != rx or ly != ry) and _turns_at(reached, stamp, run, left, left_gone)
    at_right = (ex != rx or ey != ry) and _turns_at(reached, stamp, run, right, right_gone)
    for portal in range(starts[polygon], starts[polygon + 1]):
        if behind[portal] == came or allowed[within[portal]] != run:
            continue
        ux = sides[portal, 0]
        uy = sides[portal, 1]
        vx = sides[portal, 2]
        vy = sides[portal, 3]
        # How far the ends of the portal are to the left of the rays through both ends of the node.
        u_left = lwx * (uy - ry) - lwy * (ux - rx)
        v_left = lwx * (vy - ry) - lwy * (vx - rx)
        u_right = rwx * (uy - ry) - rwy * (ux - rx)
        v_right = rwx * (vy - ry) - rwy * (vx - rx)
        for hand in range(3):  # from the root, at the left end, at the right end
            # The root of the new node.
            cx, cy, corner, walked = rx, ry, root, gone
            if hand == 1:
                if not at_left or (u_left <= 0 and v_left <= 0):
                    continue
                cx, cy, corner, walked = lx, ly, left, left_gone
            elif hand == 2:
                if not at_right or (u_right >= 0 and v_right >= 0):
                    continue
                cx, cy, corner, walked = ex, ey, right, right_gone
            cut_left = False
            cut_right = False
            at_u = cx == ux and cy == uy
            at_v = cx == vx and cy == vy
            if at_u or at_v:
                slot = 2 * portal + np.int64(at_v)
                if runs_at[slot] == run and walked * EQUAL >= passed[slot]:
                    continue
                passed[slot] = walked
                runs_at[slot] = run
            else:
                facing = (vx - ux) * (cy - uy) - (vy - uy) * (cx - ux)
                if _edge_on(facing, ux, uy, vx, vy, cx, cy, EDGE_ON):
                    # The path goes along the portal, over its nearer end.
                    to_u = _distance(cx, cy, ux, uy)
                    to_v = _distance(cx, cy, vx, vy)
                    if to_u <= to_v:
                        is_between = u_left <= 0 <= u_right
                        cx, cy, corner, walked = ux, uy, turns[portal, 0], walked + to_u
                    else:
                        is_between = v_left <= 0 <= v_right
                        cx, cy, corner, walked = vx, vy, turns[portal, 1], walked + to_v
                    if hand == 0 and not is_between:
                        continue
                    if not _turns_at(reached, stamp, run, corner, walked):
                        continue
                elif facing < 0:
                    continue
                elif hand == 0:
                    if (u_left >= 0 and (lwx != 0 or lwy != 0)) or (
                        v_right <= 0 and (rwx != 0 or rwy != 0)
                    ):
                        continue
                    cut_left = v_left > 0
                    cut_right = u_right < 0
                elif hand == 1:
                    cut_right = u_left < 0
                else:
                    cut_left = v_right > 0
            # The ends of the new node: those of the portal, or where a ray cuts it.
            to_lx, to_ly, left_turn, left_x, left_y = vx, vy, turns[portal, 1], vx - cx, vy - cy
            to_ex, to_ey, right_turn, right_x, right_y = ux, uy, turns[portal, 0], ux - cx, uy - cy
            if cut_left:
                if hand == 0:
                    one, other, left_x, left_y = u_left, v_left, lwx, lwy
                else:
                    one, other, left_x, left_y = u_right, v_right, rwx, rwy
                to_lx, to_ly = _between(ux, uy, vx, vy, one, other)
                left_turn = nowhere
            if cut_right:
                if hand == 1:
                    one, other, right_x, right_y = u_left, v_left, lwx, lwy
                else:
                    one, other, right_x, right_y = u_right, v_right, rwx, rwy
                to_ex, to_ey = _between(ux, uy, vx, vy, one, other)
                right_turn = nowhere
            crossing = np.int64(portal), np.int64(behind[portal]), polygon, number
            _add(
                starts,
                (cx, cy, corner, walked),
                (to_lx, to_ly, left_turn, left_x, left_y),
                (to_ex, to_ey, right_turn, right_x, right_y),
                crossing,
                end,
                goal,
                queue,
                counts,
            )


@kernel(forceinline=True)
def _is_next(places, keys, cells, counts):
    """Return whether the node beside the heap comes before all nodes in it."""
    number = counts[NEXT]
    if number < 0 or counts[WAITING] == 0:
        return number >= 0
    length = places[number, LENGTH]
    return length < keys[0] or (length == keys[0] and number < cells[0])


@kernel(forceinline=True)
def _take(places, keys, cells, counts, is_next):
    """Remove the next node."""
    other = counts[NEXT]
    counts[NEXT] = -1
    if is_next:
        return
    if other >= 0:
        replace_first(keys, cells, counts[WAITING], places[other, LENGTH], other, True)
    else:
        counts[WAITING] = pop(keys, cells, counts[WAITING], True)


@kernel
def _go_on(mesh, end, goal, run, known, queue, counts):
    """Search until the scratch is full. Return (the node at the goal or -1, the number of nodes
    that do not fit), -1 at the end.
    """
    starts = mesh.starts
    reached = known.reached
    places = queue.places
    links = queue.links
    keys = queue.keys
    cells = queue.cells
    while counts[NEXT] >= 0 or counts[WAITING] > 0:
        is_next = _is_next(places, keys, cells, counts)
        number = counts[NEXT] if is_next else cells[0]
        polygon, turn = links[number, POLYGON], links[number, TURN]
        if polygon == end:
            return number, np.int64(-1)
        most = _PER_PORTAL * (starts[polygon + 1] - starts[polygon])
        if counts[NODES] + most > keys.shape[0]:
            return np.int64(-1), most
        _take(places, keys, cells, counts, is_next)
        if turn < 0 or places[number, GONE] <= reached[turn] * EQUAL:
            _expand(mesh, end, goal, run, number, known, queue, counts)
    return np.int64(-1), np.int64(-1)


@kernel(f"{PATH_PORTALS}, {PORTAL_BLOCKS}, i8, i8, (f8, f8), (f8, f8), {KNOWN_TURNS}, {RAY_QUEUE}")
def _search(mesh, blocks, start, end, at, goal, known, queue):
    """See `search`; the queue, which may have grown, is returned as well."""
    starts = mesh.starts
    stamp = known.stamp
    allowed = known.allowed
    places = queue.places
    links = queue.links
    keys = queue.keys
    cells = queue.cells
    run = stamp[-1] + 1
    stamp[-1] = run
    counts = np.zeros(3, np.int64)
    counts[NEXT] = -1
    more = np.int64(-1)
    if allow(blocks, start, end, run, allowed):
        more = _PER_PORTAL * (starts[start + 1] - starts[start])
    number = np.int64(-1)
    begun = False
    while more >= 0:
        if counts[NODES] + more > keys.shape[0]:
            size = 2 * keys.shape[0] + more
            more_places = np.empty((size, 12), np.float64)
            more_places[: keys.shape[0]] = places
            places = more_places
            more_links = np.empty((size, 7), np.int64)
            more_links[: keys.shape[0]] = links
            links = more_links
            keys = longer(keys, size)
            cells = longer(cells, size)
        queue = RayQueue(places, links, keys, cells)
        if not begun:
            _begin(mesh, start, end, at, goal, run, known, queue, counts)
            begun = True
        number, more = _go_on(mesh, end, goal, run, known, queue, counts)
    length = np.inf
    count = np.int64(0)
    if number >= 0:
        length = places[number, LENGTH]
        at_node = number
        while at_node >= 0:
            at_node = links[at_node, BEFORE]
            count += 1
    path = np.empty(count, np.int64)
    for i in range(count - 1, -1, -1):
        path[i] = links[number, PORTAL]
        number = links[number, BEFORE]
    return path, length, (places, links, keys, cells)


def search(mesh, blocks, start, goal, ends, scratch):
    """Return the portals on the shortest path from a place in polygon `start` to one in polygon
    `goal`, and its length, infinite for no path.

    `mesh` are `PathPortals`, `blocks` are `PortalBlocks`, `ends` are both places, and `scratch`
    comes from `scratch()`.
    """
    at, aim = ends
    if start == goal:
        return np.empty(0, dtype=np.int64), _distance(*at, *aim)
    path, length, queue = _search(mesh, blocks, start, goal, at, aim, *scratch)
    scratch[1] = RayQueue(*queue)
    return path, length
