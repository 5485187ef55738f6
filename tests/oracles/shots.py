"""Line stamps, spelled out: the specification of `fieldcraft.kernels.sight.shot_cells`.

A shot flies straight from one point to another. Points are pairs of odd whole numbers in units of
which a cell holds `UNITS`, so that a point never lies on the edge of a cell and every cell has its
center among them.

A shot stops where it enters a wall or leaves the map, and where it has touched corners of walls on
both of its sides: the rule of `fieldcraft.kernels.reference.visible`. The wall that it starts in
doesn't stop it. It acts on the open cells that it crosses up to there, and on those whose center
lies within half its width of that way, unless the straight line from the center to the nearest
point of the way is stopped. Where along the way a cell is passed is the point nearest its center.

Over ground of different heights the way is a line in space, and level ground above it stops it as a
wall would, but not in the cells at its two ends.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["LONGEST", "NO_HEIGHTS", "UNITS", "WIDEST", "shot", "units"]

UNITS = 4094
LONGEST = 2**18  # cells from start to end, so that products of two lengths fit 64 bits
WIDEST = 2**10  # cells on each side

NO_HEIGHTS: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)
_SHARE = UNITS * UNITS / 2

_Point = tuple[int, int]
_Ground = tuple[NDArray[np.float32], float, float]
"""Heights (height, width), and the height of a line at its start and at its end."""


def units(cells: float) -> int:
    """The nearest point to a coordinate in cells, within the same cell."""
    whole = math.floor(cells)
    half = UNITS // 2
    return whole * UNITS + 2 * min(math.floor((cells - whole) * half), half - 1) + 1


def shot(
    walls: NDArray[np.uint8],
    start_row: int,
    start_column: int,
    end_row: int,
    end_column: int,
    half_width: float,
    wrap: int,
    heights: NDArray[np.float32] = NO_HEIGHTS,
    eye: float = 0.0,
) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """The cells that a shot acts on, ascending, where along the way each is passed, and where the
    shot stops.

    `walls` (height, width), not 0 where a wall stands; the points in units, the start on the map;
    `half_width` in units; `heights` (height, width) or `NO_HEIGHTS`, above which the shot is by
    `eye` at both ends, and in cells beside it. Shares of the way from start (0) to end (1). Where a shot on a torus
    passes a cell several times, the first counts.
    """
    height, width = walls.shape
    start, end = (start_row, start_column), (end_row, end_column)
    dy, dx = end_row - start_row, end_column - start_column
    above = (0.0, 0.0)
    ground = None
    if heights.size:
        above = (_eye(heights, start, eye), _eye(heights, end, eye))
        ground = (heights, *above)
    number, whole, crossed = _way(walls, start, end, wrap, ground, end_stops=True)
    stop = float(number) / float(whole)
    near = {cell: _along(cell, start, dy, dx, stop) for cell in crossed}
    if half_width > 0:
        reach = int(half_width / UNITS + 0.5 + 1e-9)
        rows, columns = [y for y, _ in crossed], [x for _, x in crossed]
        for y in range(min(rows) - reach, max(rows) + reach + 1):
            for x in range(min(columns) - reach, max(columns) + reach + 1):
                in_rows = wrap & WRAP_Y or 0 <= y < height
                in_columns = wrap & WRAP_X or 0 <= x < width
                if (y, x) not in near and in_rows and in_columns:
                    along = _along((y, x), start, dy, dx, stop)
                    high = above[0] + along * (above[1] - above[0])
                    if _is_beside(
                        walls,
                        heights,
                        eye,
                        high,
                        (y, x),
                        (start_row + along * dy, start_column + along * dx),
                        half_width,
                        wrap,
                    ):
                        near[y, x] = along
    first: dict[int, float] = {}
    for (y, x), along in near.items():
        cell = (y % height) * width + x % width
        if walls[y % height, x % width] == 0:
            first[cell] = min(along, first.get(cell, along))
    cells = sorted(first)
    return (
        np.array(cells, dtype=np.int64),
        np.array([first[cell] for cell in cells], dtype=np.float64),
        stop,
    )


def _eye(heights: NDArray[np.float32], point: _Point, eye: float) -> float:
    """The height of an eye above a point."""
    height, width = heights.shape
    return float(heights[point[0] // UNITS % height, point[1] // UNITS % width]) + eye


def _way(
    walls: NDArray[np.uint8],
    start: _Point,
    end: _Point,
    wrap: int,
    ground: _Ground | None,
    *,
    end_stops: bool,
) -> tuple[int, int, list[_Point]]:
    """Where the way stops, out of what number, and the cells that it crosses up to there: (row,
    column), a torus unrolled.

    Points of the way are numbered from 0 to `whole`, so that every crossing of a grid line has a
    whole number.
    """
    height, width = walls.shape
    dy, dx = end[0] - start[0], end[1] - start[1]
    wy, wx = max(abs(dy), 1), max(abs(dx), 1)
    whole = wy * wx
    (y0, y1), (x0, x1) = (sorted((a // UNITS, b // UNITS)) for a, b in zip(start, end, strict=True))
    # The first cell off the map ends the way.
    if not wrap & WRAP_Y:
        y0, y1 = max(y0, -1), min(y1, height)
    if not wrap & WRAP_X:
        x0, x1 = max(x0, -1), min(x1, width)
    y, x = np.meshgrid(np.arange(y0, y1 + 1), np.arange(x0, x1 + 1), indexing="ij")
    enter_y, leave_y = _between(y, start[0], dy, wx, whole)
    enter_x, leave_x = _between(x, start[1], dx, wy, whole)
    enter, leave = np.maximum(enter_y, enter_x), np.minimum(leave_y, leave_x)
    crosses, touches = enter < leave, enter == leave

    on_map = np.ones(y.shape, dtype=np.bool_)
    if not wrap & WRAP_Y:
        on_map &= (y >= 0) & (y < height)
    if not wrap & WRAP_X:
        on_map &= (x >= 0) & (x < width)
    wall = on_map & (walls[y % height, x % width] != 0)
    free = (y == start[0] // UNITS) & (x == start[1] // UNITS)
    last = (y == end[0] // UNITS) & (x == end[1] // UNITS)
    where, blocks = _where_ground_is_above(y % height, x % width, enter, leave, ground, whole)
    blocks &= on_map & ~free & ~last
    if not end_stops:
        free |= last
    side = (y * UNITS + UNITS // 2 - start[0]) * dx - (x * UNITS + UNITS // 2 - start[1]) * dy
    hit = enter[crosses & (wall | ~on_map) & ~free].min(initial=whole)
    below = where[crosses & blocks].min(initial=whole)
    left = enter[touches & (wall | blocks) & (side > 0)].min(initial=whole)
    right = enter[touches & (wall | blocks) & (side < 0)].min(initial=whole)
    stop = min(int(hit), int(below), max(int(left), int(right)))
    passed = crosses & (enter < stop)
    return stop, whole, list(zip(y[passed].tolist(), x[passed].tolist(), strict=True))


def _where_ground_is_above(
    y: NDArray[np.int64],
    x: NDArray[np.int64],
    enter: NDArray[np.int64],
    leave: NDArray[np.int64],
    ground: _Ground | None,
    whole: int,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The first point in each cell in which the level ground is above the line, and whether there
    is one.
    """
    if ground is None:
        return enter, np.zeros(enter.shape, dtype=np.bool_)
    heights, start, end = ground
    where = enter.copy()
    blocks = np.zeros(enter.shape, dtype=np.bool_)
    for index in np.ndindex(*enter.shape):
        top = float(heights[y[index], x[index]])

        def under(number: int, top: float = top) -> float:
            far = float(number) / _SHARE
            return (start - top) * (float(whole) / _SHARE - far) + (end - top) * far

        first, last = int(enter[index]), int(leave[index])
        if first > last:
            continue
        if under(first) < 0:
            blocks[index] = True
        elif under(last) < 0:
            blocks[index] = True
            descent = math.floor((start - top) / (start - end) * float(whole))
            where[index] = min(max(descent, first), last)
    return where, blocks


def _between(
    cell: NDArray[np.int64], start: int, d: int, other: int, whole: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Between which points the way lies in these rows, or columns."""
    if d == 0:
        return np.zeros_like(cell), np.full_like(cell, whole)
    near, far = (
        (cell * UNITS - start, (cell + 1) * UNITS - start)
        if d > 0
        else (start - (cell + 1) * UNITS, start - cell * UNITS)
    )
    return (near * other).clip(min=0), (far * other).clip(max=whole)


def _along(cell: _Point, start: _Point, dy: int, dx: int, stop: float) -> float:
    """The share of the way nearest a cell's center."""
    squared = dy * dy + dx * dx
    if squared == 0:
        return 0.0
    dot = (cell[0] * UNITS + UNITS // 2 - start[0]) * dy + (
        cell[1] * UNITS + UNITS // 2 - start[1]
    ) * dx
    return max(0.0, min(stop, float(dot) / float(squared)))


def _is_beside(
    walls: NDArray[np.uint8],
    heights: NDArray[np.float32],
    eye: float,
    high: float,
    cell: _Point,
    near: tuple[float, float],
    half_width: float,
    wrap: int,
) -> bool:
    """Whether a cell's center lies within half the width of a point of the way, with nothing
    between.
    """
    center = (cell[0] * UNITS + UNITS // 2, cell[1] * UNITS + UNITS // 2)
    away_y, away_x = center[0] - near[0], center[1] - near[1]
    if away_y * away_y + away_x * away_x > half_width * half_width * (1 + 1e-9):
        return False
    target = (2 * math.floor(near[0] / 2) + 1, 2 * math.floor(near[1] / 2) + 1)
    ground = None
    if heights.size:
        ground = (heights, _eye(heights, center, eye), high)
    stop, whole, _ = _way(walls, center, target, wrap, ground, end_stops=False)
    return stop == whole
