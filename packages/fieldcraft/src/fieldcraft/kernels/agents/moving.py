"""Movement among walls.

Places are in cells from the origin; rows grow with y. `blocked` are `space.passages`. Within a cell
an agent may be anywhere that is `clearance` from blocked sides and corners, so that only one cell
at a time matters.

Functions that are called per agent are inlined: passing them an array would count its references,
and two threads would wait for each other to do so.
"""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.agents.crowd_arrays import (
    CROWD_AGENTS,
    CROWD_LIMITS,
    OPEN_GROUND,
    CrowdAgents,
    CrowdLimits,
    OpenGround,
)
from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import GRID_FRAME, WRAP_X, WRAP_Y, GridFrame

__all__ = [
    "CLEARANCE",
    "CrowdAgents",
    "CrowdLimits",
    "GridFrame",
    "OpenGround",
    "avoid",
    "drive",
    "move",
    "pushed_away",
    "turned",
]

CLEARANCE = 1e-6
"""Least distance to walls, even of points, in cells."""
SLACK = 1e-24
"""Squared cosine up to which a move along a corner is not one into it."""
SIDE_COS = math.sqrt(0.75)
SIDE_SIN = 0.5
"""The feelers to both sides are turned by 30 degrees."""
SIDE_LENGTH = 0.5
"""Their length relative to the one straight on."""
WALL = 255

_EAST, _WEST, _NORTH, _SOUTH = 1, 2, 4, 8
_CORNERS = 240


@kernel(error_model="numpy", forceinline=True)
def _over_side(blocked, side, move, left, cell, count, passed):
    """Continue from a side of a cell along one axis, with the part `left` of a move; a move ends at
    a blocked side.

    Return the place in the cell, what is left of the move, the column or row, and the number of
    columns or rows passed.
    """
    if blocked:
        return side, 0.0, cell, passed
    if move > 0:
        return 0.0, move * left, cell + 1 if cell + 1 < count else 0, passed + 1
    return 1.0, move * left, cell - 1 if cell > 0 else count - 1, passed - 1


@kernel(error_model="numpy", forceinline=True)
def _walk(blocked, c, r, fx, fy, dx, dy, clearance):
    """Walk from a place (fx, fy) in the cell of column c and row r along a displacement, and along
    walls that block it.

    Return column, row and place in the cell at the end, the columns and rows passed, and whether a
    wall was touched.
    """
    height, width = blocked.shape
    passed_x = 0
    passed_y = 0
    touched = False
    for _ in range(16 + 4 * np.int64(abs(dx) + abs(dy))):
        # The part of the cell in which the agent may be; it may begin outside of it.
        sides = blocked[r, c]
        east = 1.0 - clearance if sides & _EAST else 1.0
        west = clearance if sides & _WEST else 0.0
        north = 1.0 - clearance if sides & _NORTH else 1.0
        south = clearance if sides & _SOUTH else 0.0
        east = max(east, fx)
        west = min(west, fx)
        north = max(north, fy)
        south = min(south, fy)
        over_x = (east if dx > 0 else west) - fx
        over_y = (north if dy > 0 else south) - fy
        if sides & _CORNERS == 0 and abs(dx) <= abs(over_x) and abs(dy) <= abs(over_y):
            fx = min(max(fx + dx, west), east)
            fy = min(max(fy + dy, south), north)
            break
        # The parts of the displacement after which it meets the sides, and a corner (cx, cy).
        tx = over_x / dx if dx != 0 else np.inf
        ty = over_y / dy if dy != 0 else np.inf
        t = min(tx, ty)
        cx = -1.0
        cy = -1.0
        if sides & _CORNERS:
            squared_move = dx * dx + dy * dy
            for corner in range(4):
                if sides & (16 << corner) == 0:
                    continue
                corner_x = 1.0 - (corner & 1)
                corner_y = 1.0 - (corner >> 1)
                away_x = fx - corner_x
                away_y = fy - corner_y
                along = away_x * dx + away_y * dy  # below 0 for a move towards the corner
                squared_away = away_x * away_x + away_y * away_y
                if along >= 0 or along * along <= SLACK * (squared_move * squared_away):
                    continue
                # The move meets the circle around the corner where this equation in t holds:
                # squared_move * t**2 + 2 * along * t + outside = 0.
                outside = squared_away - clearance * clearance
                root = along * along - squared_move * outside
                when = np.inf
                if outside <= 0:
                    when = 0.0
                elif root > 0:
                    when = outside / (math.sqrt(root) - along)
                if when < t:
                    t = when
                    cx = corner_x
                    cy = corner_y
        if t >= 1.0:
            fx = min(max(fx + dx, west), east)
            fy = min(max(fy + dy, south), north)
            break
        left = 1.0 - t
        if cx >= 0.0:
            # Slide around the corner: only what is at a right angle to the way from it is left.
            fx = min(max(fx + t * dx, west), east)
            fy = min(max(fy + t * dy, south), north)
            dx *= left
            dy *= left
            away_x = fx - cx
            away_y = fy - cy
            squared_away = away_x * away_x + away_y * away_y
            if squared_away > 0:
                share = (dx * away_x + dy * away_y) / squared_away
                dx = dx - share * away_x
                dy = dy - share * away_y
            else:
                dx = 0.0
                dy = 0.0
            touched = True
        elif tx <= ty:
            fy = min(max(fy + t * dy, south), north)
            dy *= left
            side = east if dx > 0 else west
            stops = sides & (_EAST if dx > 0 else _WEST) != 0
            touched = touched or stops
            fx, dx, c, passed_x = _over_side(stops, side, dx, left, c, width, passed_x)
        else:
            fx = min(max(fx + t * dx, west), east)
            dx *= left
            side = north if dy > 0 else south
            stops = sides & (_NORTH if dy > 0 else _SOUTH) != 0
            touched = touched or stops
            fy, dy, r, passed_y = _over_side(stops, side, dy, left, r, height, passed_y)
        if dx == 0.0 and dy == 0.0:
            break
    # The far sides belong to the next cells.
    if fx == 1.0 and blocked[r, c] & _EAST == 0:
        fx, _, c, passed_x = _over_side(False, fx, 1.0, 0.0, c, width, passed_x)
    if fy == 1.0 and blocked[r, c] & _NORTH == 0:
        fy, _, r, passed_y = _over_side(False, fy, 1.0, 0.0, r, height, passed_y)
    return c, r, fx, fy, passed_x, passed_y, touched


@kernel(error_model="numpy")
def _world(index, part, start, size):
    """Return the world coordinate of a place in a column or row, rounded so that it is in that
    column or row.
    """
    found = start + (index + part) * size
    shrink = 2.0**-52
    while np.floor((found - start) / size) != index:
        part = 0.5 + (part - 0.5) * (1.0 - shrink)
        shrink *= 4.0
        found = start + (index + part) * size
    return found


@kernel(error_model="numpy", forceinline=True)
def _cell_of(blocked, x, y, frame):
    """Return the cell of a position, (column, row), the place in it, and whether it is on the map,
    which is optional along axes that wrap. The column is -1 off the map.
    """
    height, width = blocked.shape
    u = (x - frame.left) / frame.size
    v = (y - frame.low) / frame.size
    on_map_x = 0 <= u < width
    on_map_y = 0 <= v < height
    on_map = on_map_x and on_map_y
    wrap = frame.wrap
    may_wrap = (on_map_x or wrap & WRAP_X != 0) and (on_map_y or wrap & WRAP_Y != 0)
    if not on_map and not (may_wrap and np.isfinite(u) and np.isfinite(v)):
        return np.int64(-1), np.int64(-1), 0.0, 0.0, False
    column = np.floor(u)
    row = np.floor(v)
    c = np.int64(column if on_map else column % width)
    r = np.int64(row if on_map else row % height)
    return c, r, u - column, v - row, on_map


@kernel(
    f"u1[:,::1], f8[:,::1], f8[:,::1], {GRID_FRAME}, f8, i8, i8, out i8[::1], out f8[:,::1]",
    error_model="numpy",
)
def move(blocked, points, shifts, frame, clearance, first, last, wrong, out):
    """Walk each of `points` (N, 2) along its shift, into `out` (N, 2), all in world units; the
    clearance in cells.

    A point off the map or not finite goes into `wrong[0]`, one in a wall into `wrong[1]`; neither
    is moved.
    """
    size = frame.size
    for i in range(first, last):
        x = points[i, 0]
        y = points[i, 1]
        c, r, fx, fy, on_map = _cell_of(blocked, x, y, frame)
        if c < 0 or blocked[r, c] == WALL:
            wrong[0 if c < 0 else 1] = i
            continue
        c1, r1, gx, gy, passed_x, passed_y, _ = _walk(
            blocked, c, r, fx, fy, shifts[i, 0] / size, shifts[i, 1] / size, clearance
        )
        # A coordinate that did not change stays as it is, to the bit.
        out[i, 0] = x if on_map and passed_x == 0 and gx == fx else _world(c1, gx, frame.left, size)
        out[i, 1] = y if on_map and passed_y == 0 and gy == fy else _world(r1, gy, frame.low, size)


@kernel(error_model="numpy", forceinline=True)
def _feel(blocked, c, r, fx, fy, dx, dy):
    """Return the share of a straight line up to a blocked side, and the direction that this side
    faces (0, 0 if there is none).
    """
    height, width = blocked.shape
    passed_x = 0.0
    passed_y = 0.0
    step_x = 1.0 / abs(dx)
    step_y = 1.0 / abs(dy)
    # The parts of the line after which it meets the next column and the next row.
    tx = (1.0 - fx if dx > 0 else fx) * step_x if dx != 0 else np.inf
    ty = (1.0 - fy if dy > 0 else fy) * step_y if dy != 0 else np.inf
    while tx < 1.0 or ty < 1.0:
        if tx <= ty:
            if blocked[r, c] & (_EAST if dx > 0 else _WEST):
                return tx, -1.0 if dx > 0 else 1.0, 0.0
            if dx > 0:
                c = c + 1 if c + 1 < width else 0
            else:
                c = c - 1 if c > 0 else width - 1
            passed_x += 1.0
            tx = ((1.0 - fx if dx > 0 else fx) + passed_x) * step_x
        else:
            if blocked[r, c] & (_NORTH if dy > 0 else _SOUTH):
                return ty, 0.0, -1.0 if dy > 0 else 1.0
            if dy > 0:
                r = r + 1 if r + 1 < height else 0
            else:
                r = r - 1 if r > 0 else height - 1
            passed_y += 1.0
            ty = ((1.0 - fy if dy > 0 else fy) + passed_y) * step_y
    return 1.0, 0.0, 0.0


@kernel(error_model="numpy", forceinline=True)
def turned(hx, hy, sine, length):
    """Return a heading turned by 30 degrees to the side of the sign of `sine`, `length` long."""
    return (hx * SIDE_COS - hy * sine) * length, (hy * SIDE_COS + hx * sine) * length


@kernel(error_model="numpy", forceinline=True)
def pushed_away(hx, hy, speed, straight, left, right):
    """Return the change of velocity of an agent with a unit heading and a speed, by the hits of its
    three feelers: each (share of its length, x and y of the direction that the side faces).
    """
    share, nx, ny = straight
    left_share, left_nx, left_ny = left
    right_share, right_nx, right_ny = right
    # Straight at a wall, an agent turns to the side on which the feeler hits later.
    turn = 1.0 - share if left_share >= right_share else share - 1.0
    x = nx * (1.0 - share) + left_nx * (1.0 - left_share) + right_nx * (1.0 - right_share)
    x -= hy * turn
    y = ny * (1.0 - share) + left_ny * (1.0 - left_share) + right_ny * (1.0 - right_share)
    y += hx * turn
    return x * speed, y * speed


@kernel(error_model="numpy", forceinline=True)
def _away(blocked, c, r, fx, fy, vx, vy, speed, ahead):
    """Return the change of velocity away from walls ahead; `ahead` in cells."""
    hx = vx / speed
    hy = vy / speed
    straight = _feel(blocked, c, r, fx, fy, hx * ahead, hy * ahead)
    gx, gy = turned(hx, hy, SIDE_SIN, ahead * SIDE_LENGTH)
    left = _feel(blocked, c, r, fx, fy, gx, gy)
    gx, gy = turned(hx, hy, -SIDE_SIN, ahead * SIDE_LENGTH)
    right = _feel(blocked, c, r, fx, fy, gx, gy)
    return pushed_away(hx, hy, speed, straight, left, right)


@kernel(
    f"{OPEN_GROUND}, f8[:,::1], f8[:,::1], {GRID_FRAME}, f8, i8, i8, out i8[::1], out f8[:,::1]",
    error_model="numpy",
)
def avoid(ground, points, velocities, frame, ahead, first, last, wrong, out):
    """Write the change of velocity away from walls `ahead` (in cells) of each of `points` into
    `out` (N, 2), 0 for agents at rest or in a wall; a wrong point into `wrong[0]`.
    """
    blocked = ground.blocked
    clear = ground.clear
    for i in range(first, last):
        out[i, 0] = 0.0
        out[i, 1] = 0.0
        c, r, fx, fy, _ = _cell_of(blocked, points[i, 0], points[i, 1], frame)
        if c < 0:
            wrong[0] = i
            continue
        vx = velocities[i, 0]
        vy = velocities[i, 1]
        speed = math.sqrt(vx * vx + vy * vy)
        if speed > 0 and clear[r, c] == 0 and blocked[r, c] != WALL:
            out[i, 0], out[i, 1] = _away(blocked, c, r, fx, fy, vx, vy, speed, ahead)


@kernel(
    f"{OPEN_GROUND}, {CROWD_AGENTS}, {CROWD_LIMITS}, {GRID_FRAME}, f8, f8, f8, i8, i8,"
    " out i8[::1], out f8[:,::1], out f8[:,::1]",
    error_model="numpy",
)
def drive(ground, agents, limits, frame, clearance, ahead, dt, first, last, wrong, places, speeds):
    """Take one step of a crowd: forces, velocities, moves; write the new `places` and `speeds`.

    The rest as in `avoid` and `move`.
    """
    blocked = ground.blocked
    clear = ground.clear
    size = frame.size
    points = agents.points
    order = agents.order
    velocities = agents.velocities
    desired = agents.desired
    pushes = agents.pushes
    most_force = limits.forces
    most_speed = limits.speeds
    follows = limits.gains[0] != 0
    response = limits.gains[1]
    separation = limits.gains[2]
    avoidance = limits.gains[3]
    for k in range(first, last):
        i = order[k]
        x = points[k, 0]
        y = points[k, 1]
        c, r, fx, fy, on_map = _cell_of(blocked, x, y, frame)
        if c < 0 or blocked[r, c] == WALL:
            wrong[0 if c < 0 else 1] = i
            continue
        vx = velocities[i, 0]
        vy = velocities[i, 1]
        top = most_speed[i]
        scale = top if follows else 1.0
        push = separation * top
        x_force = (desired[k, 0] * scale - vx) * response + pushes[k, 0] * push
        y_force = (desired[k, 1] * scale - vy) * response + pushes[k, 1] * push
        speed = math.sqrt(vx * vx + vy * vy)
        if avoidance > 0:
            ax = 0.0
            ay = 0.0
            if speed > 0 and clear[r, c] == 0:
                ax, ay = _away(blocked, c, r, fx, fy, vx, vy, speed, ahead)
            x_force += ax * avoidance
            y_force += ay * avoidance
        force = math.sqrt(x_force * x_force + y_force * y_force)
        if force > most_force[i]:
            scale = most_force[i] / force
            x_force *= scale
            y_force *= scale
        vx += x_force * dt
        vy += y_force * dt
        speed = math.sqrt(vx * vx + vy * vy)
        if speed > top:
            scale = top / speed
            vx *= scale
            vy *= scale
        c1, r1, gx, gy, passed_x, passed_y, touched = _walk(
            blocked, c, r, fx, fy, vx * dt / size, vy * dt / size, clearance
        )
        places[i, 0] = (
            x if on_map and passed_x == 0 and gx == fx else _world(c1, gx, frame.left, size)
        )
        places[i, 1] = (
            y if on_map and passed_y == 0 and gy == fy else _world(r1, gy, frame.low, size)
        )
        # An agent that touched a wall has the velocity of its move along the wall.
        speeds[i, 0] = ((passed_x + gx) - fx) * size / dt if touched else vx
        speeds[i, 1] = ((passed_y + gy) - fy) * size / dt if touched else vy
