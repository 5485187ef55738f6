"""Walking among walls, spelled out: the specification of `fieldcraft.kernels.moving`.

Places are counted in cells from the origin, rows so that y grows with them. `bars` are
`space.passages`. Within a cell a walker may be wherever it keeps `near` to barred sides and
corners, so that a cell at a time is all that has to be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CLEARANCE",
    "SIDE_COS",
    "SIDE_LENGTH",
    "SIDE_SIN",
    "SLACK",
    "WALL",
    "avoid",
    "drive",
    "move",
    "rays",
]

CLEARANCE = 1e-6
"""What even a point keeps to walls, in cells."""
SLACK = 1e-24
"""The squared cosine up to which a move along a corner does not count as one into it."""
SIDE_COS, SIDE_SIN, SIDE_LENGTH = math.sqrt(0.75), 0.5, 0.5
"""The feelers to both sides: how they are turned, and how long they are beside the one ahead."""
WALL = 255
EAST, WEST, NORTH, SOUTH = 1, 2, 4, 8
CORNERS = ((16, 1.0, 1.0), (32, 0.0, 1.0), (64, 1.0, 0.0), (128, 0.0, 0.0))

Wide = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Place = tuple[int, int, float, float]


def move(
    bars: Bytes,
    points: Wide,
    shifts: Wide,
    x0: float,
    y0: float,
    size: float,
    wrap: bool,
    near: float,
    first: int,
    last: int,
    wrong: Ints,
    out: Wide,
) -> None:
    """Walk each of `points` (N, 2) along its shift, into `out` (N, 2), all in world units; `near`
    in cells.

    A point off the map or not finite goes into `wrong[0]`, one in a wall into `wrong[1]`; neither
    is served.
    """
    for i, place in _places(
        bars, points[first:last], x0, y0, size, wrap, wrong[:1], np.arange(first, last)
    ):
        if bars[place[1], place[0]] == WALL:
            wrong[1] = i
            continue
        dx, dy = (shifts[i] / size).tolist()
        end, passed, _ = _walk(bars, place, dx, dy, near)
        out[i] = _arrival(bars, points[i].tolist(), place, end, passed, x0, y0, size)


def avoid(
    bars: Bytes,
    quiet: Bytes,
    points: Wide,
    velocities: Wide,
    x0: float,
    y0: float,
    size: float,
    wrap: bool,
    ahead: float,
    first: int,
    last: int,
    wrong: Ints,
    out: Wide,
) -> None:
    """The change of velocity away from walls `ahead` (in cells) of each of `points`, into `out` (N,
    2); a wrong point into `wrong[0]`.

    0 for who stands still or in a wall. `quiet` cells are those around which nothing is barred as
    far as `ahead`: it is 0 there too.
    """
    out[first:last] = 0
    for i, place in _places(
        bars, points[first:last], x0, y0, size, wrap, wrong[:1], np.arange(first, last)
    ):
        if bars[place[1], place[0]] != WALL:
            out[i] = _away(bars, place, float(velocities[i, 0]), float(velocities[i, 1]), ahead)


def drive(
    bars: Bytes,
    quiet: Bytes,
    points: Wide,
    order: Ints,
    velocities: Wide,
    wishes: Wide,
    pushes: Wide,
    x0: float,
    y0: float,
    size: float,
    wrap: bool,
    near: float,
    ahead: float,
    gains: Wide,
    most_force: Wide,
    most_speed: Wide,
    dt: float,
    first: int,
    last: int,
    wrong: Ints,
    places: Wide,
    speeds: Wide,
) -> None:
    """One step of a crowd: forces, velocities, moves.

    `points`, `wishes` (wanted velocities, or directions if `gains[0]` says so) and `pushes` (N, 2)
    are in the order of `order`, whose entries say where an agent stands in `velocities`,
    `most_force`, `most_speed` and in `places` and `speeds`, which are written.
    """
    follows, response, apart, avoiding = gains.tolist()
    for k, place in _places(
        bars, points[first:last], x0, y0, size, wrap, wrong[:1], np.arange(first, last), order
    ):
        i = int(order[k])
        if bars[place[1], place[0]] == WALL:
            wrong[1] = i
            continue
        vx, vy = velocities[i].tolist()
        top = float(most_speed[i])
        scale = top if follows else 1.0
        push = apart * top
        x_force = (float(wishes[k, 0]) * scale - vx) * response + float(pushes[k, 0]) * push
        y_force = (float(wishes[k, 1]) * scale - vy) * response + float(pushes[k, 1]) * push
        if avoiding > 0:
            ax, ay = _away(bars, place, vx, vy, ahead)
            x_force += ax * avoiding
            y_force += ay * avoiding
        x_force, y_force = _limited(x_force, y_force, float(most_force[i]))
        vx, vy = _limited(vx + x_force * dt, vy + y_force * dt, top)
        end, passed, touched = _walk(bars, place, vx * dt / size, vy * dt / size, near)
        places[i] = _arrival(bars, points[k].tolist(), place, end, passed, x0, y0, size)
        if touched:
            vx = ((passed[0] + end[2]) - place[2]) * size / dt
            vy = ((passed[1] + end[3]) - place[3]) * size / dt
        speeds[i] = vx, vy


def _places(
    bars: Bytes,
    points: Wide,
    x0: float,
    y0: float,
    size: float,
    wrap: bool,
    wrong: Ints,
    numbers: Ints,
    order: Ints | None = None,
) -> Iterator[tuple[int, Place]]:
    """The column, row, and place in the cell of each point; one that has none goes into `wrong`."""
    height, width = bars.shape
    for k, (x, y) in zip(numbers.tolist(), points.tolist(), strict=True):
        u, v = (x - x0) / size, (y - y0) / size
        if not (0 <= u < width and 0 <= v < height) and not (
            wrap and math.isfinite(u) and math.isfinite(v)
        ):
            wrong[0] = k if order is None else order[k]
            continue
        column, row = float(np.floor(u)), float(np.floor(v))
        yield k, (int(column % width), int(row % height), u - column, v - row)


def _walk(
    bars: Bytes, place: Place, dx: float, dy: float, near: float
) -> tuple[Place, tuple[int, int], bool]:
    """From a place in a cell along a displacement, along walls where they bar the way.

    Returns the place at the end, the columns and rows passed on the way, and whether a wall was
    touched.
    """
    height, width = bars.shape
    c, r, fx, fy = place
    passed_x = passed_y = 0
    touched = False
    for _ in range(16 + 4 * int(abs(dx) + abs(dy))):
        barred = int(bars[r, c])
        # How far one may go in this cell; who is beyond already may stay.
        east = max(1 - near if barred & EAST else 1.0, fx)
        west = min(near if barred & WEST else 0.0, fx)
        north = max(1 - near if barred & NORTH else 1.0, fy)
        south = min(near if barred & SOUTH else 0.0, fy)
        tx = ((east if dx > 0 else west) - fx) / dx if dx else math.inf
        ty = ((north if dy > 0 else south) - fy) / dy if dy else math.inf
        t, corner = min(tx, ty), None
        for bit, vx, vy in CORNERS:
            when = _when(fx - vx, fy - vy, dx, dy, near) if barred & bit else math.inf
            if when < t:
                t, corner = when, (vx, vy)
        part, left = (1.0, 0.0) if t >= 1 else (t, 1 - t)
        fx_after = min(max(fx + part * dx, west), east)
        fy_after = min(max(fy + part * dy, south), north)
        if t >= 1:
            fx, fy = fx_after, fy_after
            break
        if corner is not None:
            fx, fy = fx_after, fy_after
            dx, dy = _along(fx - corner[0], fy - corner[1], dx * left, dy * left)
            touched = True
        elif tx <= ty:
            fx, fy = east if dx > 0 else west, fy_after
            dy *= left
            if barred & (EAST if dx > 0 else WEST):
                dx, touched = 0.0, True
            else:
                step = 1 if dx > 0 else -1
                fx = 0.0 if dx > 0 else 1.0
                dx *= left
                passed_x += step
                c = (c + step) % width
        else:
            fx, fy = fx_after, north if dy > 0 else south
            dx *= left
            if barred & (NORTH if dy > 0 else SOUTH):
                dy, touched = 0.0, True
            else:
                step = 1 if dy > 0 else -1
                fy = 0.0 if dy > 0 else 1.0
                dy *= left
                passed_y += step
                r = (r + step) % height
        if dx == 0 and dy == 0:
            break
    # The far sides belong to the next cells.
    if fx == 1 and not bars[r, c] & EAST:
        fx, passed_x, c = 0.0, passed_x + 1, (c + 1) % width
    if fy == 1 and not bars[r, c] & NORTH:
        fy, passed_y, r = 0.0, passed_y + 1, (r + 1) % height
    return (c, r, fx, fy), (passed_x, passed_y), touched


def _when(ex: float, ey: float, dx: float, dy: float, near: float) -> float:
    """The part of a displacement after which a walker at (ex, ey) from a corner is `near` to it;
    infinite if it never is.
    """
    a, b, ee = dx * dx + dy * dy, ex * dx + ey * dy, ex * ex + ey * ey
    if b >= 0 or b * b <= SLACK * (a * ee):
        return math.inf
    k = ee - near * near
    if k <= 0:
        return 0.0
    inside = b * b - a * k
    return k / (math.sqrt(inside) - b) if inside > 0 else math.inf


def _along(ex: float, ey: float, dx: float, dy: float) -> tuple[float, float]:
    """The part of a displacement at (ex, ey) from a corner that is left: its part across that
    direction.
    """
    ee = ex * ex + ey * ey
    if ee == 0:
        return 0.0, 0.0
    share = (dx * ex + dy * ey) / ee
    return dx - share * ex, dy - share * ey


def _arrival(
    bars: Bytes,
    point: list[float],
    start: Place,
    end: Place,
    passed: tuple[int, int],
    x0: float,
    y0: float,
    size: float,
) -> tuple[float, float]:
    """The world position of a place; a coordinate along which nothing moved stays as it was."""
    height, width = bars.shape
    x, y = point
    on_map = 0 <= (x - x0) / size < width and 0 <= (y - y0) / size < height
    return (
        x if on_map and passed[0] == 0 and end[2] == start[2] else _world(end[0], end[2], x0, size),
        y if on_map and passed[1] == 0 and end[3] == start[3] else _world(end[1], end[3], y0, size),
    )


def _world(index: int, part: float, start: float, size: float) -> float:
    """The world coordinate of a place in a column or row: one that lies in it again when it is read
    back.
    """
    found = start + (index + part) * size
    shrink = 2.0**-52
    while math.floor((found - start) / size) != index:
        part = 0.5 + (part - 0.5) * (1 - shrink)
        shrink *= 4
        found = start + (index + part) * size
    return found


def _limited(x: float, y: float, most: float) -> tuple[float, float]:
    length = math.sqrt(x * x + y * y)
    return (x * (most / length), y * (most / length)) if length > most else (x, y)


def _away(bars: Bytes, place: Place, vx: float, vy: float, ahead: float) -> tuple[float, float]:
    """The change of velocity away from walls ahead; `ahead` in cells.

    Three feelers: one ahead, two to the sides. One that ends at a wall after a part `t` pushes away
    from the wall's side by `1 - t` times the speed, and that ahead also across the velocity, to the
    side where the feeler is freer (the left if equal).
    """
    speed = math.sqrt(vx * vx + vy * vy)
    if speed == 0:
        return 0.0, 0.0
    hx, hy = vx / speed, vy / speed
    side = ahead * SIDE_LENGTH
    t, nx, ny = _feel(bars, place, hx * ahead, hy * ahead)
    lt, lx, ly = _feel(
        bars, place, (hx * SIDE_COS - hy * SIDE_SIN) * side, (hy * SIDE_COS + hx * SIDE_SIN) * side
    )
    rt, rx, ry = _feel(
        bars, place, (hx * SIDE_COS + hy * SIDE_SIN) * side, (hy * SIDE_COS - hx * SIDE_SIN) * side
    )
    turn = 1 - t if lt >= rt else t - 1
    x = nx * (1 - t) + lx * (1 - lt) + rx * (1 - rt) - hy * turn
    y = ny * (1 - t) + ly * (1 - lt) + ry * (1 - rt) + hx * turn
    return x * speed, y * speed


def _feel(bars: Bytes, place: Place, dx: float, dy: float) -> tuple[float, float, float]:
    """How far a straight line gets, as a part of it, and which way the side that ends it faces (0,
    0 if none does).
    """
    height, width = bars.shape
    c, r, fx, fy = place
    start_x, start_y = 1 - fx if dx > 0 else fx, 1 - fy if dy > 0 else fy
    per_x, per_y = 1 / abs(dx) if dx else math.inf, 1 / abs(dy) if dy else math.inf
    across = along = 0
    while True:
        tx = (start_x + across) * per_x if dx else math.inf
        ty = (start_y + along) * per_y if dy else math.inf
        if not (tx < 1 or ty < 1):
            return 1.0, 0.0, 0.0
        if tx <= ty:
            if bars[r, c] & (EAST if dx > 0 else WEST):
                return tx, -1.0 if dx > 0 else 1.0, 0.0
            c = (c + (1 if dx > 0 else -1)) % width
            across += 1
        else:
            if bars[r, c] & (NORTH if dy > 0 else SOUTH):
                return ty, 0.0, -1.0 if dy > 0 else 1.0
            r = (r + (1 if dy > 0 else -1)) % height
            along += 1


def rays(
    bars: Bytes,
    points: Wide,
    directions: Wide,
    x0: float,
    y0: float,
    size: float,
    wrap: bool,
    reach: float,
    first: int,
    last: int,
    wrong: Ints,
    out: Wide,
) -> None:
    """How far each of `points` sees along `directions` (K, 2), as a part of `reach` (in cells),
    into `out` (N, K); 0 from within a wall.
    """
    for i, place in _places(
        bars, points[first:last], x0, y0, size, wrap, wrong[:1], np.arange(first, last)
    ):
        for k, (x, y) in enumerate(directions.tolist()):
            out[i, k] = (
                0.0
                if bars[place[1], place[0]] == WALL
                else _feel(bars, place, x * reach, y * reach)[0]
            )
