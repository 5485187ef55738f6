"""Walking on convex polygons, spelled out: the specification of `fieldcraft.kernels.mesh_moving`.

The corners of polygon p are `rings` (R, 2) from `starts[p]` up to `starts[p + 1]`, going round with the inside on the left. Its
portals, pieces of sides behind which another polygon lies, are those from `gates[p]` up to `gates[p + 1]`: they lead to `behind`
and `sides` has (ux, uy, vx, vy), with the inside of p on the left. Those that are `shut` are as good as none. Those that are `leaps`
lead over a gap.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.moving import SIDE_COS, SIDE_LENGTH, SIDE_SIN

__all__ = ["avoid", "corridor", "heights", "locate", "move", "straight"]

RIM = 1e-9
"""How far beyond its ends a portal can still be passed, in shares of it."""
APART = 1e-3
"""How far apart, in shares of a portal, the two sides may lie that it joins."""
INWARDS = 1e-6
"""How far who ends on the rim of a polygon is taken towards its middle, in shares of the way."""
SLIDES = 16
"""How often one slides in a move before it ends."""
IDLE = 8
"""How many polygons one passes without getting anywhere, round a corner that rounding makes endless, before a move ends."""
NEXT_TO_NOTHING = 1e-12
"""What may be left of a straight way that has arrived, in shares of the coordinates."""

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[float, float]


def move(
    starts: Ints, rings: Wide, middles: Wide, gates: Ints, behind: NDArray[np.int32], sides: Wide, shut: NDArray[np.bool_],
    leaps: NDArray[np.bool_], wanted: Ints, polygons: Ints, points: Wide, shifts: Wide, first: int, last: int, out: Wide, ends: Ints,
) -> None:  # fmt: skip
    """Walk each of `points` (N, 2), which are in `polygons`, along its shift: into `out` (N, 2) and `ends`, the polygons then.

    Who is beside the polygon begins at the nearest point of it. What is left of a shift at a side without a way through goes on along
    that side, until it would lead back. Where several doors lie in one place, the first counts, but before all that to `wanted`, a
    polygon for each or none at all; then other leaps don't count. A leap is made whole, to the nearest point behind the gap, and its
    length is taken off the shift.
    """
    for i in range(first, last):
        polygon = int(polygons[i])
        ring = _ring(starts, rings, polygon)
        x, y = _inside(ring, *points[i].tolist())
        dx, dy = shifts[i].tolist()
        way, slides, idle, slid = (dx, dy), 0, 0, -1
        while dx != 0 or dy != 0:
            side, share = _exit(ring, x, y, dx, dy, slid)
            x, y = x + share * dx, y + share * dy
            if side < 0:
                break
            dx, dy = (1 - share) * dx, (1 - share) * dy
            (ux, uy), (vx, vy) = ring[side], ring[(side + 1) % len(ring)]
            through = _through(gates, behind, sides, shut, leaps, wanted, polygon, x, y, vx - ux, vy - uy)
            if through >= 0:
                polygon = int(behind[through])
                ring, slid = _ring(starts, rings, polygon), -1
                if leaps[through]:
                    px, py = _inside(ring, x, y)
                    whole = math.sqrt(dx * dx + dy * dy)
                    left = max(whole - math.sqrt((px - x) * (px - x) + (py - y) * (py - y)), 0.0) / whole if whole > 0 else 0.0
                    x, y, dx, dy = px, py, left * dx, left * dy
                idle = 0 if share > RIM else idle + 1
                if idle > IDLE:
                    break
                continue
            ex, ey = vx - ux, vy - uy
            along = (dx * ex + dy * ey) / (ex * ex + ey * ey)
            dx, dy, slid, slides = along * ex, along * ey, side, slides + 1
            if dx * way[0] + dy * way[1] <= 0 or slides > SLIDES:
                break
        out[i] = _off_rim(ring, *_inside(ring, x, y), *middles[polygon].tolist())
        ends[i] = polygon


def avoid(
    starts: Ints, rings: Wide, gates: Ints, behind: NDArray[np.int32], sides: Wide, shut: NDArray[np.bool_], leaps: NDArray[np.bool_],
    wanted: Ints, polygons: Ints, points: Wide, velocities: Wide, ahead: float, first: int, last: int, out: Wide,
) -> None:  # fmt: skip
    """The change of velocity away from rims `ahead` of each of `points` (N, 2), into `out` (N, 2): as `moving.avoid` on grids."""
    ground = (starts, rings, gates, behind, sides, shut, leaps, wanted)
    for i in range(first, last):
        polygon = int(polygons[i])
        x, y = _inside(_ring(starts, rings, polygon), *points[i].tolist())
        vx, vy = velocities[i].tolist()
        speed = math.sqrt(vx * vx + vy * vy)
        out[i] = 0.0
        if speed == 0:
            continue
        hx, hy = vx / speed, vy / speed
        side = ahead * SIDE_LENGTH
        t, nx, ny = _feel(*ground, polygon, x, y, hx * ahead, hy * ahead)
        lt, lx, ly = _feel(*ground, polygon, x, y, (hx * SIDE_COS - hy * SIDE_SIN) * side, (hy * SIDE_COS + hx * SIDE_SIN) * side)
        rt, rx, ry = _feel(*ground, polygon, x, y, (hx * SIDE_COS + hy * SIDE_SIN) * side, (hy * SIDE_COS - hx * SIDE_SIN) * side)
        turn = 1 - t if lt >= rt else t - 1
        out[i, 0] = (nx * (1 - t) + lx * (1 - lt) + rx * (1 - rt) - hy * turn) * speed
        out[i, 1] = (ny * (1 - t) + ly * (1 - lt) + ry * (1 - rt) + hx * turn) * speed


def _feel(
    starts: Ints, rings: Wide, gates: Ints, behind: NDArray[np.int32], sides: Wide, shut: NDArray[np.bool_], leaps: NDArray[np.bool_],
    wanted: Ints, polygon: int, x: float, y: float, dx: float, dy: float,
) -> tuple[float, float, float]:  # fmt: skip
    """How far a straight line gets, as a part of it, and which way the side that ends it faces (0, 0 if none does)."""
    left, idle = 1.0, 0
    while True:
        ring = _ring(starts, rings, polygon)
        side, share = _exit(ring, x, y, dx * left, dy * left, -1)
        if side < 0:
            return 1.0, 0.0, 0.0
        x, y = x + share * dx * left, y + share * dy * left
        left = (1 - share) * left
        (ux, uy), (vx, vy) = ring[side], ring[(side + 1) % len(ring)]
        through = _through(gates, behind, sides, shut, leaps, wanted, polygon, x, y, vx - ux, vy - uy)
        idle = 0 if share > RIM else idle + 1
        if through < 0 or idle > IDLE:
            length = math.sqrt((vx - ux) * (vx - ux) + (vy - uy) * (vy - uy))
            return 1 - left, (uy - vy) / length, (vx - ux) / length
        polygon = int(behind[through])


def straight(
    starts: Ints, rings: Wide, gates: Ints, behind: NDArray[np.int32], sides: Wide, shut: NDArray[np.bool_], leaps: NDArray[np.bool_],
    wanted: Ints, polygon: int, x: float, y: float, to_x: float, to_y: float, way: Ints,
) -> int:  # fmt: skip
    """The polygons straight on from a place in one of them to another place, into `way`. Returns how many: 0 if something bars the way."""
    dx, dy = to_x - x, to_y - y
    nothing = NEXT_TO_NOTHING * (1 + abs(x) + abs(y) + abs(to_x) + abs(to_y))
    count, idle = 1, 0
    way[0] = polygon
    while True:
        ring = _ring(starts, rings, polygon)
        side, share = _exit(ring, x, y, dx, dy, -1)
        x, y, dx, dy = x + share * dx, y + share * dy, (1 - share) * dx, (1 - share) * dy
        if side < 0 or abs(dx) + abs(dy) <= nothing:
            return count
        (ux, uy), (vx, vy) = ring[side], ring[(side + 1) % len(ring)]
        through = _through(gates, behind, sides, shut, leaps, wanted, polygon, x, y, vx - ux, vy - uy)
        idle = 0 if share > RIM else idle + 1
        if through < 0 or count == len(way) or idle > IDLE:
            return 0
        polygon = int(behind[through])
        way[count] = polygon
        count += 1


def corridor(
    starts: Ints, rings: Wide, middles: Wide, gates: Ints, behind: NDArray[np.int32], sides: Wide, shut: NDArray[np.bool_],
    leaps: NDArray[np.bool_], way: Ints, doors: Wide, stood: Ints, beyond: Ints,
) -> int:  # fmt: skip
    """The doors from each of the polygons of a way to the next, (left x, y, right x, y): into `doors`. Returns how many.

    Of several doors between two polygons, the one nearest to that before. A leap lands in a second door, which has no width. One stands
    in the polygons `stood` at the doors, and `beyond` lie those behind them.
    """
    x, y = middles[way[0]].tolist()
    count = 0
    for here, there in zip(way[:-1].tolist(), way[1:].tolist(), strict=True):
        door, best = -1, math.inf
        for portal in range(int(gates[here]), int(gates[here + 1])):
            if behind[portal] == there and not shut[portal]:
                mx, my = ((sides[portal, :2] + sides[portal, 2:]) / 2 - (x, y)).tolist()
                if mx * mx + my * my < best:
                    door, best = portal, mx * mx + my * my
        ux, uy, vx, vy = sides[door].tolist()
        x, y = (ux + vx) / 2, (uy + vy) / 2
        doors[count] = vx, vy, ux, uy
        stood[count], beyond[count] = (here if leaps[door] else there), there
        count += 1
        if leaps[door]:
            x, y = _inside(_ring(starts, rings, there), x, y)
            doors[count] = x, y, x, y
            stood[count] = beyond[count] = there
            count += 1
    return count


def heights(fans: Ints, triangles: Ints, corners: Wide, polygons: Ints, places: Wide, out: Wide) -> None:
    """The heights of places (N, 2) on their polygons, into `out` (N,).

    The triangles of polygon p are those from `fans[p]` up to `fans[p + 1]`, (T, 3) numbers of `corners` (C, 3).
    """
    for i, polygon in enumerate(polygons.tolist()):
        x, y = places[i].tolist()
        best, height = -math.inf, 0.0
        for number in range(int(fans[polygon]), int(fans[polygon + 1])):
            (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[triangles[number]].tolist()
            doubled = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            if doubled == 0:
                continue
            second = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / doubled
            third = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / doubled
            least = min(1 - second - third, second, third)
            if least > best:
                best, height = least, (1 - second - third) * az + second * bz + third * cz
        out[i] = height


def locate(
    low: Wide, side: float, across: int, starts: Ints, binned: Ints, triangles: Ints, corners: Wide, points: Wide, tall: bool, limit: float,
    rim: float, first: int, last: int, found: Ints, shares: Wide, off: Wide,
) -> None:  # fmt: skip
    """The triangle straight below or above each of the points, the nearest in height, then the lowest number; see `Mesh.locate`.

    `binned` from `starts[k]` up to `starts[k + 1]` are the triangles that reach into square k of the plane, `across` in a row, of a
    `side` from `low` on. -1 where there is none at most `limit` off. `tall` says that points have a height.
    """
    for i in range(first, last):
        x, y = float(points[i, 0]), float(points[i, 1])
        found[i], off[i] = -1, math.inf
        shares[i] = 0.0
        column, row = (x - low[0]) / side, (y - low[1]) / side
        if not (-1 <= column < across + 1 and -1 <= row < across + 1):
            continue
        square = min(max(math.floor(row), 0), across - 1) * across + min(max(math.floor(column), 0), across - 1)
        for number in sorted(binned[starts[square] : starts[square + 1]].tolist()):
            a, b, c = corners[triangles[number]].tolist()
            doubled = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            second = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / doubled
            third = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / doubled
            one = 1 - second - third
            if one < -rim or second < -rim or third < -rim:
                continue
            height = abs(one * a[2] + second * b[2] + third * c[2] - float(points[i, 2])) if tall else 0.0
            if height <= limit and height < off[i]:
                found[i], off[i] = number, height
                shares[i] = one, second, third


def _ring(starts: Ints, rings: Wide, polygon: int) -> list[Pair]:
    return [(x, y) for x, y in rings[starts[polygon] : starts[polygon + 1]].tolist()]


def _inside(ring: list[Pair], x: float, y: float) -> Pair:
    """A point, or the nearest on the rim if it is outside."""
    outside = False
    best, bx, by = math.inf, x, y
    for (ux, uy), (vx, vy) in zip(ring, ring[1:] + ring[:1], strict=True):
        ex, ey = vx - ux, vy - uy
        outside = outside or ex * (y - uy) - ey * (x - ux) < 0
        size = ex * ex + ey * ey
        share = min(max(((x - ux) * ex + (y - uy) * ey) / size, 0.0), 1.0) if size > 0 else 0.0
        px, py = ux + share * ex, uy + share * ey
        away = (px - x) * (px - x) + (py - y) * (py - y)
        if away < best:
            best, bx, by = away, px, py
    return (bx, by) if outside else (x, y)


def _exit(ring: list[Pair], x: float, y: float, dx: float, dy: float, slid: int) -> tuple[int, float]:
    """The side, but the one that is slid along, that a shift leaves a polygon by, and after which share; -1 and 1 where it ends inside."""
    side, share = -1, 1.0
    for k, (ux, uy) in enumerate(ring):
        if k == slid:
            continue
        vx, vy = ring[(k + 1) % len(ring)]
        ex, ey = vx - ux, vy - uy
        into = dx * ey - dy * ex
        if into > 0:
            gone = max(((ux - x) * ey - (uy - y) * ex) / into, 0.0)
            if gone < share:
                side, share = k, gone
    return side, share


def _through(
    gates: Ints, behind: NDArray[np.int32], sides: Wide, shut: NDArray[np.bool_], leaps: NDArray[np.bool_], wanted: Ints,
    polygon: int, x: float, y: float, ex: float, ey: float,
) -> int:  # fmt: skip
    """The portal that lies in a place on a side which runs along (ex, ey), or -1."""
    found = -1
    for portal in range(int(gates[polygon]), int(gates[polygon + 1])):
        if shut[portal]:
            continue
        ux, uy, vx, vy = sides[portal].tolist()
        px, py = vx - ux, vy - uy
        size = px * px + py * py
        if px * ex + py * ey <= 0:
            continue
        share = ((x - ux) * px + (y - uy) * py) / size
        off = abs(px * (y - uy) - py * (x - ux)) / size
        if -RIM <= share <= 1 + RIM and off <= APART:
            if len(wanted) == 0 or behind[portal] == wanted[polygon]:
                return portal
            if found < 0 and not leaps[portal]:
                found = portal
    return found


def _off_rim(ring: list[Pair], x: float, y: float, mx: float, my: float) -> Pair:
    """A place, a hair nearer to the middle if it is on the rim."""
    for k, (ux, uy) in enumerate(ring):
        vx, vy = ring[(k + 1) % len(ring)]
        ex, ey = vx - ux, vy - uy
        if ex * (y - uy) - ey * (x - ux) <= INWARDS * (ex * (my - uy) - ey * (mx - ux)):
            return x + INWARDS * (mx - x), y + INWARDS * (my - y)
    return x, y
