"""Movement on convex polygons, `Polygons`. A move reads only the sides and portals on its path."""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.agents.moving import SIDE_LENGTH, SIDE_SIN, pushed_away, turned
from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.polygons import (
    POLYGONS,
    TRIANGLE_BINS,
    Polygons,
    TriangleBins,
)

__all__ = [
    "Polygons",
    "TriangleBins",
    "avoid",
    "corridor",
    "heights",
    "locate",
    "move",
    "nearest",
    "orientation",
    "portal_between",
]

RIM = 1e-9
"""Length beyond the ends of a portal in which it can be passed, relative to the portal."""
APART = 1e-3
"""Largest gap between the two sides that a portal joins, relative to the portal."""
INWARDS = 1e-6
"""Shift of an end on the rim of a polygon towards its middle, relative to the distance."""
SLIDES = 16
"""Most slides along sides in one move."""
IDLE = 8
"""Most polygons passed without progress: rounding can make a walk around a corner endless."""
_NONE = np.int64(-1)
_OUTSIDE = 1e-6
"""A point that is outside of a triangle by such a share of it is so whatever rounding says."""


@kernel(forceinline=True)
def orientation(ax, ay, bx, by, cx, cy):
    """Return a number above 0 if c is to the left of the line from a to b, with y upwards."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@kernel(forceinline=True)
def _side(rings, begin, end, k):
    """Return the corner at which a side of a polygon begins, and the vector along it."""
    other = k + 1 if k + 1 < end else begin
    ux = rings[k, 0]
    uy = rings[k, 1]
    return ux, uy, rings[other, 0] - ux, rings[other, 1] - uy


@kernel
def _inside(rings, begin, end, x, y):
    """Return a point, or the nearest point of the rim if it is outside."""
    outside = False
    best = np.inf
    bx = x
    by = y
    for k in range(begin, end):
        ux, uy, ex, ey = _side(rings, begin, end, k)
        outside = outside or ex * (y - uy) - ey * (x - ux) < 0
        size = ex * ex + ey * ey
        share = 0.0
        if size > 0:
            share = min(max(((x - ux) * ex + (y - uy) * ey) / size, 0.0), 1.0)
        px = ux + share * ex
        py = uy + share * ey
        away = (px - x) * (px - x) + (py - y) * (py - y)
        if away < best:
            best = away
            bx = px
            by = py
    if outside:
        return bx, by
    return x, y


@kernel("i8[::1], f8[:,::1], i8[::1], f8[:,::1], out f8[:,::1]")
def nearest(starts, rings, polygons, points, out):
    """Write the nearest places of polygons to points (N, 2) into `out` (N, 2)."""
    for i in range(polygons.shape[0]):
        x, y = _inside(
            rings, starts[polygons[i]], starts[polygons[i] + 1], points[i, 0], points[i, 1]
        )
        out[i, 0], out[i, 1] = x, y


@kernel
def _exit(rings, begin, end, x, y, dx, dy, slid):
    """Return the side at which a shift leaves a polygon, other than the one slid along, and after
    which share of the shift; -1 and 1 where it ends inside.
    """
    side = -1
    share = 1.0
    for k in range(begin, end):
        if k == slid:
            continue
        ux, uy, ex, ey = _side(rings, begin, end, k)
        into = dx * ey - dy * ex
        if into > 0:
            gone = max(((ux - x) * ey - (uy - y) * ex) / into, 0.0)
            if gone < share:
                side = k
                share = gone
    return side, share


@kernel
def _is_wanted(wanted, polygon, there):
    """Return whether an agent may go from a polygon on to the polygon `there`: `wanted` is the next
    polygon from each; None or an empty array allow all.
    """
    if wanted is None:
        return True
    return wanted.shape[0] == 0 or there == wanted[polygon]


@kernel
def _through(mesh, wanted, polygon, x, y, ex, ey):
    """Return the portal in a place on a side along (ex, ey), or -1: the first to the wanted
    polygon, else the first that is no leap.
    """
    gates = mesh.gates
    behind = mesh.behind
    sides = mesh.sides
    blocked = mesh.blocked
    leaps = mesh.leaps
    found = -1
    for portal in range(gates[polygon], gates[polygon + 1]):
        if blocked[portal]:
            continue
        ux = sides[portal, 0]
        uy = sides[portal, 1]
        px = sides[portal, 2] - ux
        py = sides[portal, 3] - uy
        if px * ex + py * ey <= 0:
            continue
        size = px * px + py * py
        share = ((x - ux) * px + (y - uy) * py) / size
        off = abs(px * (y - uy) - py * (x - ux)) / size
        if -RIM <= share <= 1 + RIM and off <= APART:
            if _is_wanted(wanted, polygon, behind[portal]):
                return portal
            if found < 0 and not leaps[portal]:
                found = portal
    return found


@kernel
def _off_border(rings, begin, end, x, y, mx, my):
    """Return a place, slightly nearer to the middle if it is on the rim."""
    for k in range(begin, end):
        ux, uy, ex, ey = _side(rings, begin, end, k)
        if ex * (y - uy) - ey * (x - ux) <= INWARDS * (ex * (my - uy) - ey * (mx - ux)):
            return x + INWARDS * (mx - x), y + INWARDS * (my - y)
    return x, y


@kernel(
    f"{POLYGONS}, f8[:,::1], i8[::1], i8[::1], f8[:,::1], f8[:,::1], i8, i8, out f8[:,::1],"
    " out i8[::1]",
)
def move(mesh, middles, wanted, polygons, points, shifts, first, last, out, ends):
    """Walk each of `points` (N, 2), which are in `polygons`, along its shift: into `out` (N, 2) and
    `ends`, the last polygons.

    A point beside its polygon starts at the nearest point of it. At a side without a portal the
    rest of a shift continues along that side, until it would lead back. Of several portals in one
    place the one to `wanted` (a polygon for each polygon, or empty) comes first, then the first;
    with `wanted`, other leaps are not made. A leap goes to the nearest point behind the gap, and
    its length is subtracted from the shift.
    """
    starts = mesh.starts
    rings = mesh.rings
    behind = mesh.behind
    leaps = mesh.leaps
    for i in range(first, last):
        polygon = polygons[i]
        begin = starts[polygon]
        end = starts[polygon + 1]
        x, y = _inside(rings, begin, end, points[i, 0], points[i, 1])
        # What is left of the shift, and the whole of it.
        dx = shifts[i, 0]
        dy = shifts[i, 1]
        wanted_x = dx
        wanted_y = dy
        slides = 0
        idle = 0
        slid = _NONE
        while dx != 0 or dy != 0:
            side, share = _exit(rings, begin, end, x, y, dx, dy, slid)
            x = x + share * dx
            y = y + share * dy
            if side < 0:
                break
            dx = (1 - share) * dx
            dy = (1 - share) * dy
            _, _, ex, ey = _side(rings, begin, end, side)
            portal = _through(mesh, wanted, polygon, x, y, ex, ey)
            if portal >= 0:
                polygon = np.int64(behind[portal])
                begin = starts[polygon]
                end = starts[polygon + 1]
                slid = _NONE
                if leaps[portal]:
                    px, py = _inside(rings, begin, end, x, y)
                    leap = math.sqrt((px - x) * (px - x) + (py - y) * (py - y))
                    length = math.sqrt(dx * dx + dy * dy)
                    left = 0.0
                    if length > 0:
                        left = max(length - leap, 0.0) / length
                    x = px
                    y = py
                    dx = left * dx
                    dy = left * dy
                idle = 0 if share > RIM else idle + 1
                if idle > IDLE:
                    break
                continue
            # Slide along the side, unless that leads back.
            along = (dx * ex + dy * ey) / (ex * ex + ey * ey)
            dx = along * ex
            dy = along * ey
            slid = side
            slides += 1
            if dx * wanted_x + dy * wanted_y <= 0 or slides > SLIDES:
                break
        x, y = _inside(rings, begin, end, x, y)
        x, y = _off_border(rings, begin, end, x, y, middles[polygon, 0], middles[polygon, 1])
        out[i, 0] = x
        out[i, 1] = y
        ends[i] = polygon


@kernel
def _feel(mesh, polygon, x, y, dx, dy):
    """Return the share of a straight line up to a side without a portal, and the direction that
    this side faces (0, 0 if there is none).
    """
    starts = mesh.starts
    rings = mesh.rings
    behind = mesh.behind
    left = 1.0
    idle = 0
    while True:
        begin = starts[polygon]
        end = starts[polygon + 1]
        side, share = _exit(rings, begin, end, x, y, dx * left, dy * left, _NONE)
        if side < 0:
            return 1.0, 0.0, 0.0
        x = x + share * dx * left
        y = y + share * dy * left
        left = (1 - share) * left
        _, _, ex, ey = _side(rings, begin, end, side)
        portal = _through(mesh, None, polygon, x, y, ex, ey)
        idle = 0 if share > RIM else idle + 1
        if portal < 0 or idle > IDLE:
            length = math.sqrt(ex * ex + ey * ey)
            return 1 - left, (0.0 - ey) / length, ex / length
        polygon = np.int64(behind[portal])


@kernel(
    f"{POLYGONS}, i8[::1], f8[:,::1], f8[:,::1], f8, i8, i8, out f8[:,::1]",
)
def avoid(mesh, polygons, points, velocities, ahead, first, last, out):
    """Write the change of velocity away from rims `ahead` of each of `points` (N, 2) into `out`
    (N, 2), as `moving.avoid` on grids.
    """
    starts = mesh.starts
    rings = mesh.rings
    for i in range(first, last):
        polygon = polygons[i]
        x, y = _inside(rings, starts[polygon], starts[polygon + 1], points[i, 0], points[i, 1])
        vx = velocities[i, 0]
        vy = velocities[i, 1]
        speed = math.sqrt(vx * vx + vy * vy)
        out[i, 0] = 0.0
        out[i, 1] = 0.0
        if speed == 0:
            continue
        hx = vx / speed
        hy = vy / speed
        straight_on = _feel(mesh, polygon, x, y, hx * ahead, hy * ahead)
        gx, gy = turned(hx, hy, SIDE_SIN, ahead * SIDE_LENGTH)
        left = _feel(mesh, polygon, x, y, gx, gy)
        gx, gy = turned(hx, hy, -SIDE_SIN, ahead * SIDE_LENGTH)
        right = _feel(mesh, polygon, x, y, gx, gy)
        out[i, 0], out[i, 1] = pushed_away(hx, hy, speed, straight_on, left, right)


@kernel
def portal_between(mesh, polygon, then, x, y):
    """Return the open portal from a polygon to another with the middle nearest to a place, or
    -1.
    """
    gates = mesh.gates
    behind = mesh.behind
    sides = mesh.sides
    blocked = mesh.blocked
    found = -1
    best = np.inf
    for portal in range(gates[polygon], gates[polygon + 1]):
        if behind[portal] == then and not blocked[portal]:
            mx = (sides[portal, 0] + sides[portal, 2]) / 2 - x
            my = (sides[portal, 1] + sides[portal, 3]) / 2 - y
            square = mx * mx + my * my
            if square < best:
                found = portal
                best = square
    return found


@kernel(
    f"{POLYGONS}, f8[:,::1], i8[::1], out f8[:,::1], out i8[::1], out i8[::1]",
)
def corridor(mesh, middles, path, portals, stood, beyond):
    """Write the portals from each of the polygons of a path to the next, (left x, y, right x, y),
    to the array; return their number.

    Of several portals between two polygons the one nearest to the last counts. A leap lands in a
    second portal without width. `stood` are the polygons in front of the portals, `beyond` those
    behind them.
    """
    starts = mesh.starts
    rings = mesh.rings
    sides = mesh.sides
    leaps = mesh.leaps
    x = middles[path[0], 0]
    y = middles[path[0], 1]
    count = 0
    for i in range(path.shape[0] - 1):
        here = path[i]
        there = path[i + 1]
        portal = portal_between(mesh, here, there, x, y)
        ux = sides[portal, 0]
        uy = sides[portal, 1]
        vx = sides[portal, 2]
        vy = sides[portal, 3]
        x = (ux + vx) / 2
        y = (uy + vy) / 2
        portals[count, 0] = vx
        portals[count, 1] = vy
        portals[count, 2] = ux
        portals[count, 3] = uy
        stood[count] = there
        if leaps[portal]:
            stood[count] = here
        beyond[count] = there
        count += 1
        if leaps[portal]:
            x, y = _inside(rings, starts[there], starts[there + 1], x, y)
            portals[count, 0] = x
            portals[count, 1] = y
            portals[count, 2] = x
            portals[count, 3] = y
            stood[count] = there
            beyond[count] = there
            count += 1
    return count


@kernel("i8[::1], i8[:,::1], f8[:,::1], i8[::1], f8[:,::1], out f8[::1]")
def heights(fans, triangles, corners, polygons, places, out):
    """Write the heights of places (N, 2) on their polygons into `out` (N,).

    The triangles of polygon p are those from `fans[p]` up to `fans[p + 1]`, (T, 3) numbers of
    `corners` (C, 3).
    """
    for i in range(polygons.shape[0]):
        x = places[i, 0]
        y = places[i, 1]
        best = -np.inf
        height = 0.0
        for number in range(fans[polygons[i]], fans[polygons[i] + 1]):
            a = corners[triangles[number, 0]]
            b = corners[triangles[number, 1]]
            c = corners[triangles[number, 2]]
            # The shares of the corners in the place, by areas.
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            if area == 0:
                continue
            second = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
            third = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
            first = 1 - second - third
            least = min(first, second, third)
            if least > best:
                best = least
                height = first * a[2] + second * b[2] + third * c[2]
        out[i] = height


@kernel(
    f"{TRIANGLE_BINS}, f8[:,::1], f8[:,::1], f8, f8, i8, i8, out i8[::1],"
    " out f8[:,::1], out f8[::1]",
)
def locate(bins, corners, points, highest, margin, first, last, found, shares, off):
    """Find the triangle straight below or above each of the points, the nearest in height, then the
    lowest number; see `Mesh.locate`.

    -1 where there is none at most `highest` off. A point may be outside of its triangle by a share
    of `margin`, which is less than `_OUTSIDE`.
    """
    low = bins.low
    side = bins.side
    across = bins.across
    starts = bins.starts
    binned = bins.triangles
    triangles = bins.corners
    tall = corners.shape[1] == 3
    for i in range(first, last):
        x = points[i, 0]
        y = points[i, 1]
        found[i] = -1
        off[i] = np.inf
        shares[i, 0] = 0.0
        shares[i, 1] = 0.0
        shares[i, 2] = 0.0
        column = (x - low[0]) / side
        row = (y - low[1]) / side
        if not (-1 <= column < across + 1 and -1 <= row < across + 1):
            continue
        down = min(max(math.floor(row), 0), across - 1)
        right = min(max(math.floor(column), 0), across - 1)
        square = down * across + right
        for place in range(starts[square], starts[square + 1]):
            number = np.int64(binned[place])
            a = corners[triangles[number, 0]]
            b = corners[triangles[number, 1]]
            c = corners[triangles[number, 2]]
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            second = (x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])
            third = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
            # Most triangles are left here, by one branch and without a division.
            size = abs(area)
            sign = math.copysign(1.0, area)
            least = min(size - sign * (second + third), sign * second, sign * third)
            if least < -_OUTSIDE * size:
                continue
            second /= area
            third /= area
            one = 1 - second - third
            if one < -margin or second < -margin or third < -margin:
                continue
            height = 0.0
            if tall:
                height = abs(one * a[2] + second * b[2] + third * c[2] - points[i, 2])
            if height <= highest and (height < off[i] or (height == off[i] and number < found[i])):
                found[i] = number
                off[i] = height
                shares[i, 0] = one
                shares[i, 1] = second
                shares[i, 2] = third
                if not tall:
                    break
