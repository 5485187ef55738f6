"""Values between cells, spelled out: the specification of `fieldcraft.kernels.sample`.

Rows and columns are those of the arrays; `u` and `v` are world positions in cells from the origin,
so that `v` grows with the world's y, and row `height - 1 - floor(v)` lies there if `y_up`. `first`
and `last` bound the agents that a call serves.

All arithmetic on positions is float64 and in the order written here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["bilinear", "gradient"]

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


def bilinear(
    values: Floats,
    walls: Bools,
    bare: bool,
    classes: Bytes,
    both: Bools,
    kinds: bool,
    points: Wide,
    x0: float,
    y0: float,
    size: float,
    y_up: bool,
    wrap: bool,
    clamp: bool,
    first: int,
    last: int,
    outside: Ints,
    out: Floats,
) -> None:
    """Values between the cells around each of `points` (N, 2), into `out` (N,); a point off the map
    or not finite into `outside`.

    Of the 2 x 2 cells whose centers surround a point, those take part that can be reached from the
    point's own cell by straight steps among the four, over open cells and, if there are `kinds` of
    ground, between `classes` whose pair is in
    `both`: it may be stepped from each to the other. Their weights are divided by what they sum to.
        `bare` maps have
    neither walls nor kinds.
    """
    index, u, v = _on_ground(
        points[first:last], x0, y0, size, values.shape, wrap, clamp, first, outside
    )
    corners, tu, tv = _corners(walls, classes, both, kinds, u, v, y_up, wrap)
    total = np.zeros(len(index))
    whole = np.zeros(len(index))
    found = []
    for rows, columns, weights, _ in corners:
        found.append(values[rows, columns].astype(np.float64))
        total = total + np.where(weights > 0, weights * values[rows, columns], 0.0)
        whole = whole + weights
    low = found[0] + (found[1] - found[0]) * tu
    high = found[2] + (found[3] - found[2]) * tu
    all_four = np.logical_and.reduce([takes_part for _, _, _, takes_part in corners])
    out[first + index] = np.where(all_four, low + (high - low) * tv, total / whole)


def gradient(
    values: Floats,
    walls: Bools,
    bare: bool,
    classes: Bytes,
    both: Bools,
    kinds: bool,
    points: Wide,
    x0: float,
    y0: float,
    size: float,
    y_up: bool,
    wrap: bool,
    clamp: bool,
    smooth: bool,
    first: int,
    last: int,
    outside: Ints,
    out: Wide,
) -> None:
    """Slopes along the world's x and y at each of `points` (N, 2), per world unit, into `out` (N,
    2); a wrong point into `outside`.

    Those of the point's cell, or if `smooth` those of the cells that `bilinear` mixes, mixed in the
    same way.
    """
    index, u, v = _on_ground(
        points[first:last], x0, y0, size, values.shape, wrap, clamp, first, outside
    )
    corners, tu, tv = _corners(walls, classes, both, kinds, u, v, y_up, wrap)
    own = 2 * (tv >= 0.5) + (tu >= 0.5)
    for axis, (dr, dc) in enumerate([(0, 1), (-1 if y_up else 1, 0)]):
        total = np.zeros(len(index))
        whole = np.zeros(len(index))
        for corner, (rows, columns, weights, _) in enumerate(corners):
            if not smooth:
                weights = np.where(own == corner, 1.0, 0.0)
            slope = _slope(values, walls, classes, both, kinds, rows, columns, dr, dc, wrap)
            total = total + np.where(weights > 0, weights * slope, 0.0)
            whole = whole + weights
        out[first + index, axis] = total / whole / size


def _on_ground(
    points: Wide,
    x0: float,
    y0: float,
    size: float,
    shape: tuple[int, ...],
    wrap: bool,
    clamp: bool,
    first: int,
    outside: Ints,
) -> tuple[Ints, Wide, Wide]:
    """Which points are on the map, or moved onto it if they may be, and their `u` and `v`."""
    height, width = shape
    with np.errstate(over="ignore"):
        u, v = (points[:, 0] - x0) / size, (points[:, 1] - y0) / size
    inside = (
        np.isfinite(u)
        & np.isfinite(v)
        & (clamp | wrap | ((u >= 0) & (u < width) & (v >= 0) & (v < height)))
    )
    if not wrap:
        u = np.minimum(
            np.maximum(u, 0.0), width * (1 - 2.0**-53)
        )  # the far rim itself is off the map
        v = np.minimum(np.maximum(v, 0.0), height * (1 - 2.0**-53))
    if not inside.all():
        outside[0] = first + np.flatnonzero(~inside)[-1]
    return np.flatnonzero(inside), u[inside], v[inside]


def _corners(
    walls: Bools, classes: Bytes, both: Bools, kinds: bool, u: Wide, v: Wide, y_up: bool, wrap: bool
) -> tuple[list[tuple[Ints, Ints, Wide, Bools]], Wide, Wide]:
    """The four cells around positions, those of smaller y first, then of smaller x, and how far
    between their centers.

    Each as rows, columns, weights (0 for those that don't take part), whether it takes part.
    """
    height, width = walls.shape
    columns, tu = _around(u, width, wrap)
    rows, tv = _around(v, height, wrap)
    if y_up:
        rows = [np.where(row >= 0, height - 1 - row, -1) for row in rows]

    def joined(one: int, other: int) -> Bools:
        cells = [(rows[corner // 2], columns[corner % 2]) for corner in (one, other)]
        on_map = np.logical_and.reduce([index >= 0 for cell in cells for index in cell])
        return np.asarray(on_map & _joined(walls, classes, both, kinds, *cells))

    beyond = 2 * (tv >= 0.5) + (tu >= 0.5)
    corners = []
    for corner in range(4):
        takes_part = beyond == corner
        for own in range(4):
            if own in (corner ^ 1, corner ^ 2):
                takes_part |= (beyond == own) & joined(own, corner)
            elif own == corner ^ 3:
                for between in (own ^ 1, own ^ 2):
                    takes_part |= (beyond == own) & joined(own, between) & joined(between, corner)
        weights = (tv if corner >= 2 else 1.0 - tv) * (tu if corner % 2 else 1.0 - tu)
        corners.append(
            (rows[corner // 2], columns[corner % 2], np.where(takes_part, weights, 0.0), takes_part)
        )
    return corners, tu, tv


def _around(u: Wide, count: int, wrap: bool) -> tuple[list[Ints], Wide]:
    """Along one axis: the two rows or columns whose centers surround positions (-1 off the map),
    and how far in between.
    """
    before = np.floor(u - 0.5)
    pair = [
        np.mod(at, count).astype(np.int64)
        if wrap
        else np.where(at < count, at, -1).astype(np.int64)
        for at in (before, before + 1)
    ]
    return pair, (u - 0.5) - before


def _joined(
    walls: Bools,
    classes: Bytes,
    both: Bools,
    kinds: bool,
    one: tuple[Ints, Ints],
    other: tuple[Ints, Ints],
) -> Bools:
    """Whether the straight steps between cells may be taken both ways."""
    is_open = ~walls[one] & ~walls[other]
    return np.asarray(is_open & both[classes[one], classes[other]] if kinds else is_open)


def _slope(
    values: Floats,
    walls: Bools,
    classes: Bytes,
    both: Bools,
    kinds: bool,
    rows: Ints,
    columns: Ints,
    dr: int,
    dc: int,
    wrap: bool,
) -> Wide:
    """How much cells' values grow per cell in the direction (dr, dc): between the neighbours that a
    step joins to them.
    """
    height, width = values.shape
    here = values[rows, columns].astype(np.float64)
    found = []
    for sign in (1, -1):
        r, c = rows + sign * dr, columns + sign * dc
        if wrap:
            r, c = r % height, c % width
        on_map = (r >= 0) & (r < height) & (c >= 0) & (c < width)
        r, c = np.clip(r, 0, height - 1), np.clip(c, 0, width - 1)
        joined = on_map & _joined(walls, classes, both, kinds, (rows, columns), (r, c))
        found.append((joined, np.where(joined, values[r, c], here)))
    (has_after, after), (has_before, before) = found
    return np.where(has_after & has_before, (after - before) / 2.0, after - before)
