"""Straight lines over polygons, and between the cells of a grid, spelled out: the specification of `fieldcraft.kernels.sees`.

A line runs over a mesh from polygon to polygon through portals: pieces of their sides behind which another polygon lies. It
may touch corners on one side of it, not on both. So it is drawn twice, moved by nothing to the left and by nothing to the right, and one
of the two must arrive. Corners and the ends of lines are whole numbers below 2**30, so that no rounding ever decides.

Portals of polygon p are those from `starts[p]` up to `starts[p + 1]`; they lead to `ends`, and `fine` has (ux, uy, vx, vy): from u
to v, with the inside of p on the left. `shut` says OPEN, BLOCKED where the polygon behind is, so that only a line that ends
there gets in, or CLOSED.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BLOCKED",
    "CLOSED",
    "INWARDS",
    "NO_FACINGS",
    "OPEN",
    "between",
    "between_cells",
    "look_cells",
    "look_places",
    "look_round",
    "scratch",
    "settle",
    "sweep",
]

OPEN, BLOCKED, CLOSED = 0, 1, 2
NO_FACINGS: NDArray[np.float64] = np.zeros((0, 2))
INWARDS = 1e-3  # how far places are moved from the rim of their polygon to its middle, in shares of the way
_STACK = 64  # polygons still to be looked at; more lie side by side only where floors share a side

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
Ends = NDArray[np.int32]
Flags = NDArray[np.uint8]


def settle(starts: Cells, rings: Floats, centers: Floats, cells: Cells, points: Floats, places: Floats) -> None:
    """Where points (N, 2) stand in their polygons: in them as they are, else on the nearest side; then a little to the middle.

    The corners of polygon p are `rings` (R, 2) from `starts[p]` up to `starts[p + 1]`, going round with the inside on the left.
    """
    for i, cell in enumerate(cells.tolist()):
        x, y = points[i, :2].tolist()
        ring = rings[starts[cell] : starts[cell + 1]].tolist()
        inside = True
        best, bx, by = math.inf, x, y
        for (ux, uy), (vx, vy) in zip(ring, ring[1:] + ring[:1], strict=True):
            dx, dy = vx - ux, vy - uy
            if dx * (y - uy) - dy * (x - ux) < 0:
                inside = False
            size = dx * dx + dy * dy
            share = 0.0
            if size > 0:
                share = min(max(((x - ux) * dx + (y - uy) * dy) / size, 0.0), 1.0)
            px, py = ux + share * dx, uy + share * dy
            away = (px - x) * (px - x) + (py - y) * (py - y)
            if away < best:
                best, bx, by = away, px, py
        if inside:
            bx, by = x, y
        places[i, 0] = bx + (centers[cell, 0] - bx) * INWARDS
        places[i, 1] = by + (centers[cell, 1] - by) * INWARDS


def _walk(
    starts: Cells, ends: Ends, fine: Cells, shut: Flags, first: int, ax: int, ay: int, goal: int, bx: int, by: int, left: bool
) -> tuple[bool, bool]:  # fmt: skip
    """Whether the line from a in polygon `first` arrives in polygon `goal` at b, moved by nothing to one side.

    And whether it touched a corner, so that the other side may be another matter.
    """
    stack = [first]
    touched = False
    for _ in range(4 * len(starts) + _STACK):
        if not stack:
            return False, touched
        here = stack.pop()
        if here == goal:
            return True, touched
        for portal in range(int(starts[here]), int(starts[here + 1])):
            end = int(ends[portal])
            if shut[portal] == CLOSED or (shut[portal] == BLOCKED and end != goal):
                continue
            ux, uy, vx, vy = fine[portal].tolist()
            to_u = (bx - ax) * (uy - ay) - (by - ay) * (ux - ax)
            to_v = (bx - ax) * (vy - ay) - (by - ay) * (vx - ax)
            touched = touched or to_u == 0 or to_v == 0
            u_is_left = to_u > 0 or (to_u == 0 and not left)
            v_is_left = to_v > 0 or (to_v == 0 and not left)
            if u_is_left or not v_is_left or (vx - ux) * (by - uy) - (vy - uy) * (bx - ux) >= 0:
                continue
            if len(stack) < _STACK:
                stack.append(end)
    return False, touched


def between(
    starts: Cells, ends: Ends, fine: Cells, shut: Flags, one: int, ax: int, ay: int, other: int, bx: int, by: int
) -> bool:  # fmt: skip
    """Whether places a and b in two polygons see each other."""
    if one == other:
        return True
    seen, touched = _walk(starts, ends, fine, shut, one, ax, ay, other, bx, by, True)
    if not seen and touched:
        seen, _ = _walk(starts, ends, fine, shut, one, ax, ay, other, bx, by, False)
    return seen


def scratch() -> tuple[()]:
    """The scratch that `between` needs."""
    return ()


def look_places(
    starts: Cells, ends: Ends, fine: Cells, shut: Flags, has_mesh: bool,
    cells: Cells, points: Floats, places: Cells, limits: Floats, facings: Floats, narrow: float,
    goals: Cells, aims: Floats, spots: Cells, own: bool, first: int, last: int, seen: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Which of the aims (T, 2 or 3) the viewers [first, last) see, into `seen` (V, T).

    Viewers are in `cells` (V,) at `points` (V, 2 or 3), and `places` (V, 2) is where their lines begin; `goals`, `aims` and
    `spots` say the same of what is looked at. `limits` (V,) are squared distances, `facings` (V, 2) unit vectors or `NO_FACINGS`;
    then only what lies in a direction whose cosine is at least `narrow` is seen. With `own`, so is a viewer's own cell.
    """
    for v in range(first, last):
        for t in range(len(goals)):
            if own and goals[t] == cells[v]:
                seen[v, t] = True
                continue
            squared = 0.0
            for axis in range(points.shape[1]):
                away = float(aims[t, axis] - points[v, axis])
                squared += away * away
            seen[v, t] = (
                squared <= limits[v]
                and (not len(facings) or squared == 0 or _in_cone(facings[v], narrow, aims[t, 0] - points[v, 0], aims[t, 1] - points[v, 1]))
                and (
                    not has_mesh
                    or between(
                        starts, ends, fine, shut, int(cells[v]), int(places[v, 0]), int(places[v, 1]),
                        int(goals[t]), int(spots[t, 0]), int(spots[t, 1]),
                    )
                )
            )  # fmt: skip


def _in_cone(facing: Floats, narrow: float, dx: float, dy: float) -> bool:
    return bool(facing[0] * dx + facing[1] * dy >= narrow * math.sqrt(dx * dx + dy * dy))


def look_round(
    starts: Cells, ends: Ends, fine: Cells, shut: Flags, middles: Cells, walls: NDArray[np.bool_], positions: Floats, scale: float,
    cells: Cells, points: Floats, places: Cells, limits: Floats, facings: Floats, narrow: float,
    first: int, last: int, counts: NDArray[np.int32],
) -> None:  # fmt: skip
    """Add 1 to `counts` (N,) for each open polygon whose middle a viewer of [first, last) sees: `look_places` from all to all.

    `positions` (N, 2 or 3) are those of the vertices, `scale` says how many of the whole numbers make a world unit.
    """
    free = np.flatnonzero(~walls)
    seen = np.zeros((last, len(free)), dtype=np.bool_)
    look_places(
        starts, ends, fine, shut, True, cells, points, places, limits, facings, narrow,
        free, positions[free], middles[free], True, first, last, seen,
    )  # fmt: skip
    counts[free] += seen[first:last].sum(axis=0, dtype=np.int32)


def sweep(
    starts: Cells, ends: Ends, sides: Floats, shut: Flags, corners: Cells, rings: Floats,
    first: int, ax: float, ay: float, bx: float, by: float, left: bool, passed: Cells, leaves: Floats,
) -> tuple[int, bool]:  # fmt: skip
    """The polygons that a line from a in polygon `first` to b runs over, moved by nothing to one side; all in world units.

    `passed` (most,) receives them, `leaves` (most,) the share of the line at which it leaves each, 1 where it ends. Returns how
    many they are, and whether something stopped the line before its end. `corners` and `rings` are those of `settle`. Where
    several polygons lie behind a piece of a side, the line goes on over the first.
    """
    here = first
    for count in range(len(passed)):
        passed[count] = here
        leaves[count] = _leaves(corners, rings, here, ax, ay, bx, by)
        if leaves[count] >= 1:
            leaves[count] = 1.0
            return count + 1, False
        following = -1
        for portal in range(int(starts[here]), int(starts[here + 1])):
            ux, uy, vx, vy = sides[portal].tolist()
            to_u, to_v = _turn(ax, ay, bx, by, ux, uy), _turn(ax, ay, bx, by, vx, vy)
            u_is_left = to_u > 0 or (to_u == 0 and not left)
            v_is_left = to_v > 0 or (to_v == 0 and not left)
            if not u_is_left and v_is_left and shut[portal] == OPEN:
                following = int(ends[portal])
                break
        if following < 0:
            return count + 1, True
        here = following
    return len(passed), True


def _turn(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Above 0 where c lies to the left of the line from a to b, seen with y upwards."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def _leaves(corners: Cells, rings: Floats, cell: int, ax: float, ay: float, bx: float, by: float) -> float:
    """The share of the line from a to b at which it leaves a polygon."""
    first, last = int(corners[cell]), int(corners[cell + 1])
    share = math.inf
    for k in range(first, last):
        ux, uy = rings[k].tolist()
        vx, vy = rings[k + 1 if k + 1 < last else first].tolist()
        turn = (vx - ux) * (by - ay) - (vy - uy) * (bx - ax)
        if turn < 0:
            share = min(share, _turn(ux, uy, vx, vy, ax, ay) / -turn)
    return max(share, 0.0)


def between_cells(walls: NDArray[np.uint8], row: int, column: int, dy: int, dx: int) -> bool:
    """Whether the centers of two cells of a grid see each other; see `fieldcraft.kernels.reference.visible`.

    `walls` (height, width); the second cell lies `dy` rows and `dx` columns away, over the seam of a torus if that leads off.
    """
    height, width = walls.shape
    down, right = 1 if dy > 0 else -1, 1 if dx > 0 else -1
    ay, ax = abs(dy), abs(dx)
    i = j = 0
    beside_rows = beside_columns = False
    while i < ax or j < ay:
        to_column, to_row = (2 * i + 1) * ay, (2 * j + 1) * ax
        if to_column == to_row:
            beside_columns = beside_columns or walls[(row + j * down) % height, (column + (i + 1) * right) % width] != 0
            beside_rows = beside_rows or walls[(row + (j + 1) * down) % height, (column + i * right) % width] != 0
            if beside_rows and beside_columns:
                return False
        if to_column <= to_row:
            i += 1
        if to_row <= to_column:
            j += 1
        if (i < ax or j < ay) and walls[(row + j * down) % height, (column + i * right) % width]:
            return False
    return True


def look_cells(
    walls: NDArray[np.uint8], wrap: bool, cells: Cells, limits: Cells, facings: Floats, narrow: float,
    goals: Cells, first: int, last: int, seen: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Which of the cells `goals` (T,) the viewers [first, last), in `cells` (V,), see into `seen` (V, T).

    The rest as in `fieldcraft.kernels.reference.visible.field_of_view`, but walls are seen as if they were open.
    """
    height, width = walls.shape
    for v in range(first, last):
        row, column = divmod(int(cells[v]), width)
        for t in range(len(goals)):
            goal_row, goal_column = divmod(int(goals[t]), width)
            dy, dx = goal_row - row, goal_column - column
            if wrap:
                dy, dx = (dy + height // 2) % height - height // 2, (dx + width // 2) % width - width // 2
            found = False
            for y in {dy, -dy} if wrap and 2 * abs(dy) == height else {dy}:
                for x in {dx, -dx} if wrap and 2 * abs(dx) == width else {dx}:
                    squared = y * y + x * x
                    if squared > limits[v] or found:
                        continue
                    if squared and len(facings) and not facings[v, 0] * x + facings[v, 1] * y >= narrow * math.sqrt(squared):
                        continue
                    found = between_cells(walls, row, column, y, x)
            seen[v, t] = found
