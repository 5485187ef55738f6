"""Marks, lines and sectors on pixels, spelled out: the specification of `fieldcraft.kernels.paint`.

A canvas is uint8 of shape (H, W, 4), opaque; a mask uint8 of shape (H, M), M at least W and
a multiple of 8. Pixel (column, row) has its center at
(column + 0.5, row + 0.5). How much of a pixel a shape covers is taken from the distance of its center to the rim. Colours mix in
whole numbers: `(under * (256 - a) + color * a + 128) >> 8`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CROSS", "DIAMOND", "DISC", "RING", "SQUARE", "TRIANGLE",
    "discs", "dots", "marks", "polygons", "sectors", "segments", "stamp", "wash",
]  # fmt: skip

DISC, SQUARE, TRIANGLE, DIAMOND, RING, CROSS = range(6)

Canvas = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_HALF_ROOT = 0.7071067811865476
# The sides of a triangle with its tip at 1, its base at -0.8, 1.2 wide.
_ALONG, _ACROSS = 0.31622776601683794, 0.9486832980505139
_BASE = 0.8
_SHADE = 154  # of 256, and nearly black
_DARK = 10


def marks(canvas: Canvas, xs: Floats, ys: Floats, radii: Floats, ahead: Floats, shape: int, rim: float, colors: Canvas, alpha: int) -> None:
    """Draw marks of one shape in their order, each on a dark rim of so many pixels; `ahead` (N, 2) is the unit vector of its heading."""
    height, width = canvas.shape[:2]
    for i in range(len(xs)):
        x, y, r = float(xs[i]), float(ys[i]), float(radii[i])
        reach = r * 1.25 + rim + 1.0
        x0, x1 = max(int(np.floor(x - reach)), 0), min(int(np.ceil(x + reach)), width)
        y0, y1 = max(int(np.floor(y - reach)), 0), min(int(np.ceil(y + reach)), height)
        if x0 >= x1 or y0 >= y1:
            continue
        across = np.arange(x0, x1)[np.newaxis, :] + 0.5 - x
        down = np.arange(y0, y1)[:, np.newaxis] + 0.5 - y
        distance = _distance(across, down, r, float(ahead[i, 0]), float(ahead[i, 1]), shape)
        part = canvas[y0:y1, x0:x1]
        if rim > 0:
            _mix(part, _share(0.5 - (distance - rim), _SHADE * alpha // 256), np.array([_DARK] * 3))
        _mix(part, _share(0.5 - distance, alpha), colors[i].astype(np.int64))


def _distance(across: Floats, down: Floats, r: float, ux: float, uy: float, shape: int) -> Floats:
    """How far pixels lie outside of the rim of a shape; below 0 inside."""
    if shape == SQUARE:
        return np.asarray(np.maximum(np.abs(across), np.abs(down)) - r)
    if shape == DIAMOND:
        return np.asarray((np.abs(across) + np.abs(down)) * _HALF_ROOT - r * _HALF_ROOT)
    if shape == TRIANGLE:
        forward = across * ux + down * uy
        aside = np.abs(down * ux - across * uy)
        return np.asarray(np.maximum((forward - r) * _ALONG + aside * _ACROSS, -forward - _BASE * r))
    if shape == CROSS:
        rising, falling = np.abs(across + down) * _HALF_ROOT, np.abs(across - down) * _HALF_ROOT
        half = max(0.8, 0.22 * r)
        return np.asarray(np.minimum(np.maximum(rising - r, falling - half), np.maximum(falling - r, rising - half)))
    away = np.sqrt(across * across + down * down)
    if shape == RING:
        half = max(0.75, 0.14 * r)
        return np.asarray(np.abs(away - (r - half)) - half)
    return np.asarray(away - r)


def _share(coverage: Floats, alpha: int) -> Ints:
    return (np.minimum(np.maximum(coverage, 0.0), 1.0) * alpha + 0.5).astype(np.int64)


def _mix(part: Canvas, share: Ints, color: NDArray[Any]) -> None:
    a = share[..., np.newaxis]
    under: Ints = part[..., :3].astype(np.int64)
    part[..., :3] = np.right_shift(under * (256 - a) + color * a + 128, 8)


def dots(canvas: Canvas, xs: Floats, ys: Floats, side: int, colors: Canvas, alpha: int) -> None:
    """Draw squares of `side` pixels without rims, in their order; their corners lie on whole pixels."""
    height, width = canvas.shape[:2]
    for i in range(len(xs)):
        left, top = int(np.floor(xs[i] - side / 2 + 0.5)), int(np.floor(ys[i] - side / 2 + 0.5))
        part = canvas[max(top, 0) : max(min(top + side, height), 0), max(left, 0) : max(min(left + side, width), 0)]
        _mix(part, np.full(part.shape[:2], alpha), colors[i].astype(np.int64))


def segments(mask: Canvas, starts: Floats, ends: Floats, half: float) -> None:
    """Raise a mask to how much of each pixel lines with round ends cover, 0 to 255; `half` is half their width in pixels."""
    height, width = mask.shape
    reach = half + 0.5
    for i in range(len(starts)):
        (ax, ay), (bx, by) = starts[i].tolist(), ends[i].tolist()
        x0, x1 = max(int(np.floor(min(ax, bx) - reach)), 0), min(int(np.ceil(max(ax, bx) + reach)) + 1, width)
        y0, y1 = max(int(np.floor(min(ay, by) - reach)), 0), min(int(np.ceil(max(ay, by) + reach)) + 1, height)
        if x0 >= x1 or y0 >= y1:
            continue
        across = np.arange(x0, x1)[np.newaxis, :] + 0.5 - ax
        down = np.arange(y0, y1)[:, np.newaxis] + 0.5 - ay
        along_x, along_y = bx - ax, by - ay
        length = along_x * along_x + along_y * along_y
        t = np.minimum(np.maximum((across * along_x + down * along_y) / length, 0.0), 1.0) if length > 0 else np.zeros((1, 1))
        dx, dy = across - t * along_x, down - t * along_y
        coverage = np.minimum(np.maximum(reach - np.sqrt(dx * dx + dy * dy), 0.0), 1.0)
        part = mask[y0:y1, x0:x1]
        np.maximum(part, (coverage * 255 + 0.5).astype(np.uint8), out=part)


def sectors(mask: Canvas, xs: Floats, ys: Floats, ahead: Floats, radii: Floats, cosines: Floats, sines: Floats) -> None:
    """Raise a mask to how much of each pixel sectors cover; half their opening has this cosine and sine, and cosine -1 is a disc."""
    height, width = mask.shape
    for i in range(len(xs)):
        x, y, r = float(xs[i]), float(ys[i]), float(radii[i])
        x0, x1 = max(int(np.floor(x - r - 1)), 0), min(int(np.ceil(x + r + 1)), width)
        y0, y1 = max(int(np.floor(y - r - 1)), 0), min(int(np.ceil(y + r + 1)), height)
        if x0 >= x1 or y0 >= y1:
            continue
        across = np.arange(x0, x1)[np.newaxis, :] + 0.5 - x
        down = np.arange(y0, y1)[:, np.newaxis] + 0.5 - y
        away = np.sqrt(across * across + down * down)
        coverage = np.minimum(np.maximum(r + 0.5 - away, 0.0), 1.0)
        if cosines[i] > -1:
            inside = (across * ahead[i, 0] + down * ahead[i, 1] - cosines[i] * away) / max(float(sines[i]), 0.05)
            coverage = coverage * np.minimum(np.maximum(inside + 0.5, 0.0), 1.0)
        part = mask[y0:y1, x0:x1]
        np.maximum(part, (coverage * 255 + 0.5).astype(np.uint8), out=part)


def wash(canvas: Canvas, mask: Canvas, red: int, green: int, blue: int, alpha: int, box: tuple[int, int, int, int]) -> None:
    """Lay a colour over a canvas where the mask says, within a box (left, top, right, bottom), and clear the mask there."""
    left, top, right, bottom = box
    cover = mask[top:bottom, left:right]
    _mix(canvas[top:bottom, left:right], np.asarray((cover.astype(np.int64) * alpha + 127) // 255), np.array([red, green, blue]))
    cover[:] = 0


def stamp(canvas: Canvas, mask: Canvas, left: int, top: int, red: int, green: int, blue: int) -> None:
    """Lay a colour over a canvas as a small mask with its corner at (left, top) says; what lies outside is cut off."""
    height, width = canvas.shape[:2]
    y0, y1, x0, x1 = max(-top, 0), min(mask.shape[0], height - top), max(-left, 0), min(mask.shape[1], width - left)
    if y0 < y1 and x0 < x1:
        part = mask[y0:y1, x0:x1].astype(np.int64)
        _mix(canvas[top + y0 : top + y1, left + x0 : left + x1], (part * 256 + 127) // 255, np.array([red, green, blue]))


def polygons(owners: NDArray[np.int32], xs: Floats, ys: Floats, starts: Ints, rings: Ints, order: Ints) -> None:
    """Write into each pixel the number of the convex polygon that its center lies in, the last of `order` that does.

    Polygon `p` has the corners `rings[starts[p] : starts[p + 1]]`, which are at `xs` and `ys`.
    """
    height, width = owners.shape
    for p in order.tolist():
        ring = rings[starts[p] : starts[p + 1]]
        x, y = xs[ring].tolist(), ys[ring].tolist()
        for row in range(max(int(np.floor(min(y) - 0.5)), 0), min(int(np.ceil(max(y) + 0.5)), height)):
            middle, left, right = row + 0.5, np.inf, -np.inf
            for k in range(len(ring)):
                x0, y0, x1, y1 = x[k - 1], y[k - 1], x[k], y[k]
                if (y0 <= middle) != (y1 <= middle):
                    crossing = x0 + (middle - y0) * (x1 - x0) / (y1 - y0)
                    left, right = min(left, crossing), max(right, crossing)
            if left < right:
                first, last = max(np.ceil(left - 0.5), 0.0), min(np.ceil(right - 0.5), float(width))
                if first < last:
                    owners[row, int(first) : int(last)] = p


def discs(owners: NDArray[np.int32], nearest: Floats, xs: Floats, ys: Floats, radius: float) -> None:
    """Write into each pixel the number of the nearest of some points within a radius, the first of equals.

    `nearest` (H, W) has been filled with the square of the radius and ends with the squared distances.
    """
    height, width = owners.shape
    for i in range(len(xs)):
        x, y = float(xs[i]), float(ys[i])
        x0, x1 = max(int(np.floor(x - radius)), 0), min(int(np.ceil(x + radius)) + 1, width)
        y0, y1 = max(int(np.floor(y - radius)), 0), min(int(np.ceil(y + radius)) + 1, height)
        if x0 >= x1 or y0 >= y1:
            continue
        across = np.arange(x0, x1)[np.newaxis, :] + 0.5 - x
        down = np.arange(y0, y1)[:, np.newaxis] + 0.5 - y
        away = across * across + down * down
        closer = away < nearest[y0:y1, x0:x1]
        nearest[y0:y1, x0:x1][closer] = away[closer]
        owners[y0:y1, x0:x1][closer] = i
