"""Sight, spelled out: the specification of `fieldcraft.kernels.sight.visible`.

A line of sight joins the centers of two cells. It is cut by a wall whose inside it crosses, and by
two walls of which
one touches it with a corner on its left and the other on its right, at the same point or not: sight
is a beam that may graze what stands on one side of it, but does not squeeze through a gap of no
width. The cells at its two ends don't cut it. Nothing in this depends on which end is called the
first, so sight is symmetric.

With heights, ground that rises above the line somewhere in a cell cuts it as a wall there would.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["NO_FACINGS", "NO_HEIGHTS", "extents", "field_of_view", "sight_cells", "squared_reach"]

NO_HEIGHTS: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)
NO_FACINGS: NDArray[np.float64] = np.zeros((0, 2))

_FARTHEST = 2.0**29
Offsets = NDArray[np.int64]
Mask = NDArray[np.bool_]


def squared_reach(radius: float) -> int:
    """The largest squared distance between two cells' centers that lies within `radius`, both in
    cells.

    A billionth is forgiven, so that a radius of 0.3 on cells of 0.1 reaches three cells.
    """
    return int(min(radius, _FARTHEST) ** 2 * (1 + 1e-9))


def extents(
    shape: tuple[int, ...], row: int, column: int, limit: int, wrap: int
) -> tuple[int, int, int, int]:
    """How many cells up, down, left and right can lie within reach.

    On a torus each cell is looked for along the shortest way; at half the map's size there are two,
    and both count.
    """
    reach = math.isqrt(limit)
    height, width = shape
    rows = (min(reach, row), min(reach, height - 1 - row))
    columns = (min(reach, column), min(reach, width - 1 - column))
    if wrap & WRAP_Y:
        rows = (min(reach, height // 2),) * 2
    if wrap & WRAP_X:
        columns = (min(reach, width // 2),) * 2
    return (*rows, *columns)


def sight_cells(
    walls: NDArray[np.uint8],
    heights: NDArray[np.float32],
    eye: float,
    row: int,
    column: int,
    limit: int,
    wrap: int,
    lit: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cells seen from a cell, ascending, and their squared distances in cells.

    `walls` (height, width), not 0 where a wall stands; `heights` (height, width) or `NO_HEIGHTS`;
    `limit` is the largest squared distance. Only open cells count, with `lit` also the walls of
    which a part is seen. The cell itself is seen.
    """
    return _cells(walls, heights, eye, row, column, limit, wrap, lit, 0.0, 0.0, -2.0)


def field_of_view(
    walls: NDArray[np.uint8],
    heights: NDArray[np.float32],
    eye: float,
    sources: NDArray[np.int64],
    limits: NDArray[np.int64],
    facings: NDArray[np.float64],
    narrow: float,
    wrap: int,
    lit: bool,
    counts: NDArray[np.int32],
) -> None:
    """Add 1 to `counts` (height, width) wherever a source sees, once per source.

    `facings` (N, 2) are unit vectors (columns, rows), or `NO_FACINGS`; then a source sees only
    offsets whose cosine to its facing is at least `narrow`, and its own cell.
    """
    for i, cell in enumerate(sources.tolist()):
        row, column = divmod(cell, walls.shape[1])
        fx, fy = facings[i].tolist() if len(facings) else (0.0, 0.0)
        seen, _ = _cells(
            walls,
            heights,
            eye,
            row,
            column,
            int(limits[i]),
            wrap,
            lit,
            fx,
            fy,
            narrow if len(facings) else -2.0,
        )
        counts.reshape(-1)[seen] += 1


def _cells(
    walls: NDArray[np.uint8],
    heights: NDArray[np.float32],
    eye: float,
    row: int,
    column: int,
    limit: int,
    wrap: int,
    lit: bool,
    fx: float,
    fy: float,
    narrow: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    height, width = walls.shape
    north, south, west, east = extents(walls.shape, row, column, limit, wrap)
    dy, dx = np.meshgrid(np.arange(-north, south + 1), np.arange(-west, east + 1), indexing="ij")
    y, x = (row + dy) % height, (column + dx) % width
    squared = dy * dy + dx * dx
    wall = (walls[y, x] != 0) & (squared <= limit)
    ground = heights[y, x] if heights.size else None

    in_cone = (squared == 0) | (fx * dx + fy * dy >= narrow * np.sqrt(squared.astype(np.float64)))
    seen = ~wall & in_cone & _clear(dy, dx, wall, ground, eye, wall)
    if lit:
        lit_walls = in_cone & _lit(dy, dx, wall)
        if ground is not None:
            lit_walls &= _clear(dy, dx, np.zeros_like(wall), ground, eye, wall)
        seen |= lit_walls | _corners(dy, dx, wall, lit_walls)
    seen &= squared <= limit
    cells, first = np.unique((y * width + x)[seen], return_index=True)
    return cells.astype(np.int64), squared[seen][first].astype(np.int64)


def _clear(
    dy: Offsets,
    dx: Offsets,
    wall: Mask,
    ground: NDArray[np.float32] | None,
    eye: float,
    unclimbed: Mask,
) -> Mask:
    """For each offset, whether nothing cuts the line to it from offset 0; the ground of `unclimbed`
    cells doesn't count.

    Points of a line are numbered from 0 to `whole`, so that every crossing of a grid line has a
    whole number.
    """
    ay, ax = np.abs(dy), np.abs(dx)
    wy, wx = np.maximum(ay, 1), np.maximum(ax, 1)
    whole = 2 * wy * wx
    origin = (dy == 0) & (dx == 0)
    obstacles = wall.copy()
    if ground is not None:
        eyes = ground.astype(np.float64) + eye
        start = eyes[origin][0]
        obstacles |= ~unclimbed & (ground > min(start, eyes.min()))
    cut, left, right = np.zeros_like(wall), np.zeros_like(wall), np.zeros_like(wall)
    for oy, ox in zip(
        dy[obstacles & ~origin].tolist(), dx[obstacles & ~origin].tolist(), strict=True
    ):
        here = (dy == oy) & (dx == ox)
        ahead = (
            (np.sign(dy) * oy == abs(oy))
            & (np.sign(dx) * ox == abs(ox))
            & (ay >= abs(oy))
            & (ax >= abs(ox))
            & ~here
        )
        enter = np.maximum(
            np.where(ax > 0, (2 * abs(ox) - 1) * wy, 0), np.where(ay > 0, (2 * abs(oy) - 1) * wx, 0)
        ).clip(min=0)
        leave = np.minimum(
            np.where(ax > 0, (2 * abs(ox) + 1) * wy, whole),
            np.where(ay > 0, (2 * abs(oy) + 1) * wx, whole),
        ).clip(max=whole)
        if wall[here][0]:
            above = ahead
        else:
            top = np.float64(ground[here][0])  # type: ignore[index]  # without heights, every obstacle is a wall
            lowest = np.minimum(
                (start - top) * (whole - enter) + (eyes - top) * enter,
                (start - top) * (whole - leave) + (eyes - top) * leave,
            )
            above = ahead & (lowest < 0)
        side = oy * dx - ox * dy
        cut |= above & (enter < leave)
        left |= above & (enter == leave) & (side > 0)
        right |= above & (enter == leave) & (side < 0)
    return ~cut & ~(left & right)


def _lit(dy: Offsets, dx: Offsets, wall: Mask) -> Mask:
    """The walls that some ray from offset 0 meets before any other wall; rays that touch a corner
    don't count.

    Between two neighboring directions of corners every ray meets the same wall, so one ray stands
    for all.
    """
    lit: Mask = wall & (dy == 0) & (dx == 0)
    walls = np.argwhere(wall & ~lit)
    oy, ox = dy[tuple(walls.T)], dx[tuple(walls.T)]
    corners = {
        (cy // math.gcd(cy, cx), cx // math.gcd(cy, cx))
        for a in (-1, 1)
        for b in (-1, 1)
        for cy, cx in zip((2 * oy + a).tolist(), (2 * ox + b).tolist(), strict=True)
    }
    turns = sorted(corners, key=lambda corner: math.atan2(*corner))
    for (uy, ux), (vy, vx) in zip(turns, turns[1:] + turns[:1], strict=True):
        if ux * vy - uy * vx <= 0:
            continue
        my, mx = uy + vy, ux + vx
        sides = np.stack([mx * (2 * oy + a) - my * (2 * ox + b) for a in (-1, 1) for b in (-1, 1)])
        meets = np.flatnonzero(
            (sides.min(axis=0) < 0) & (sides.max(axis=0) > 0) & (mx * ox + my * oy > 0)
        )
        if len(meets):
            far_y = (2 * np.abs(oy[meets]) - 1) / abs(my) if my else np.zeros(len(meets))
            far_x = (2 * np.abs(ox[meets]) - 1) / abs(mx) if mx else np.zeros(len(meets))
            nearest = walls[meets[np.argmin(np.maximum(far_y, far_x))]]
            lit[tuple(nearest)] = True
    return lit


def _corners(dy: Offsets, dx: Offsets, wall: Mask, lit: Mask) -> Mask:
    """The walls in the corner of a room, between two lit walls, across from an open cell."""
    found = np.zeros_like(wall)
    top, left = int(dy[0, 0]), int(dx[0, 0])
    for y, x in np.argwhere(wall & (dy != 0) & (dx != 0)).tolist():
        back_y, back_x = y - int(np.sign(y + top)), x - int(np.sign(x + left))
        found[y, x] = lit[back_y, x] and lit[y, back_x] and not wall[back_y, back_x]
    return found
