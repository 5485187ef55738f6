"""Marks, lines and sectors on pixels.

A canvas is uint8 of shape (H, W, 4), opaque; a mask is uint8 of shape (H, M), M at least W and a
multiple of 8. Pixel (column, row) has its center at (column + 0.5, row + 0.5). The coverage of a
pixel follows from the distance of its center to the edge of a shape. Colors mix in whole numbers:
`(under * (256 - a) + color * a + 128) >> 8`.
"""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = [
    "CROSS",
    "DIAMOND",
    "DISC",
    "RING",
    "SQUARE",
    "TRIANGLE",
    "discs",
    "dots",
    "marks",
    "polygons",
    "sectors",
    "segments",
    "stamp",
    "wash",
]

DISC, SQUARE, TRIANGLE, DIAMOND, RING, CROSS = range(6)

_HALF_ROOT = 0.7071067811865476
# A triangle has its tip at 1, its base at -0.8, and is 1.2 wide: the normal of its sides.
_ALONG = 0.31622776601683794
_ACROSS = 0.9486832980505139
_BASE = 0.8
# Outlines are nearly black: this gray, with this weight of 256.
_DARK = 10
_SHADE = 154


@kernel
def _mix(pixel, a, red, green, blue):
    """Mix a color into a pixel with the weight `a` of 256; see the head of this file."""
    pixel[0] = np.uint8((np.int64(pixel[0]) * (256 - a) + red * a + 128) >> 8)
    pixel[1] = np.uint8((np.int64(pixel[1]) * (256 - a) + green * a + 128) >> 8)
    pixel[2] = np.uint8((np.int64(pixel[2]) * (256 - a) + blue * a + 128) >> 8)


@kernel
def _distance(across, down, r, ux, uy, shape):
    """Return the distance of pixels outside of the edge of a shape; below 0 inside."""
    if shape == SQUARE:
        return max(abs(across), abs(down)) - r
    if shape == DIAMOND:
        return (abs(across) + abs(down)) * _HALF_ROOT - r * _HALF_ROOT
    if shape == TRIANGLE:
        forward = across * ux + down * uy
        aside = abs(down * ux - across * uy)
        return max((forward - r) * _ALONG + aside * _ACROSS, -forward - _BASE * r)
    if shape == CROSS:
        rising = abs(across + down) * _HALF_ROOT
        falling = abs(across - down) * _HALF_ROOT
        half = max(0.8, 0.22 * r)
        return min(max(rising - r, falling - half), max(falling - r, rising - half))
    away = math.sqrt(across * across + down * down)
    if shape == RING:
        half = max(0.75, 0.14 * r)
        return abs(away - (r - half)) - half
    return away - r


@kernel("f8[::1], f8[::1], f8[::1], f8[:,::1], u1[:,::1], i8, f8, i8, out u1[:,:,::1]")
def marks(xs, ys, radii, ahead, colors, shape, outline, alpha, canvas):
    """Draw marks of one shape in their order, each on a dark outline of `outline` pixels; `ahead`
    (N, 2) is the unit vector of its heading.
    """
    height, width, _ = canvas.shape
    shade = _SHADE * alpha // 256
    for i in range(len(xs)):
        x = xs[i]
        y = ys[i]
        r = radii[i]
        ux = ahead[i, 0]
        uy = ahead[i, 1]
        red = np.int64(colors[i, 0])
        green = np.int64(colors[i, 1])
        blue = np.int64(colors[i, 2])
        reach = r * 1.25 + outline + 1.0
        left = max(math.floor(x - reach), 0)
        right = min(math.ceil(x + reach), width)
        top = max(math.floor(y - reach), 0)
        bottom = min(math.ceil(y + reach), height)
        for row in range(top, bottom):
            down = row + 0.5 - y
            for column in range(left, right):
                distance = _distance(column + 0.5 - x, down, r, ux, uy, shape)
                if outline > 0 and distance - outline < 0.5:
                    a = np.int64(min(max(0.5 - (distance - outline), 0.0), 1.0) * shade + 0.5)
                    _mix(canvas[row, column], a, _DARK, _DARK, _DARK)
                if distance < 0.5:
                    a = np.int64(min(max(0.5 - distance, 0.0), 1.0) * alpha + 0.5)
                    _mix(canvas[row, column], a, red, green, blue)


@kernel("f8[::1], f8[::1], u1[:,::1], i8, i8, out u1[:,:,::1]")
def dots(xs, ys, colors, side, alpha, canvas):
    """Draw squares of `side` pixels without outlines, in their order; their corners are on whole
    pixels.
    """
    height, width, _ = canvas.shape
    for i in range(len(xs)):
        left = math.floor(xs[i] - side / 2 + 0.5)
        top = math.floor(ys[i] - side / 2 + 0.5)
        red = np.int64(colors[i, 0])
        green = np.int64(colors[i, 1])
        blue = np.int64(colors[i, 2])
        for row in range(max(top, 0), min(top + side, height)):
            for column in range(max(left, 0), min(left + side, width)):
                _mix(canvas[row, column], alpha, red, green, blue)


@kernel
def _touch(mask, row, column, ax, ay, along_x, along_y, squared_length, reach):
    """Raise a pixel of a mask to its coverage by a line from (ax, ay) along a vector; `reach` is
    half the width of the line, plus half a pixel.
    """
    across = column + 0.5 - ax
    down = row + 0.5 - ay
    share = 0.0  # of the line, up to its point nearest to the pixel
    if squared_length > 0:
        share = min(max((across * along_x + down * along_y) / squared_length, 0.0), 1.0)
    dx = across - share * along_x
    dy = down - share * along_y
    coverage = min(max(reach - math.sqrt(dx * dx + dy * dy), 0.0), 1.0)
    mask[row, column] = max(mask[row, column], np.uint8(coverage * 255 + 0.5))


@kernel("f8[:,::1], f8[:,::1], f8, out u1[:,::1]")
def segments(starts, ends, half, mask):
    """Raise a mask to the coverage of each pixel by lines with round ends, 0 to 255; `half` is half
    their width in pixels.
    """
    height, width = mask.shape
    reach = half + 0.5
    for i in range(len(starts)):
        ax = starts[i, 0]
        ay = starts[i, 1]
        bx = ends[i, 0]
        by = ends[i, 1]
        left = max(math.floor(min(ax, bx) - reach), 0)
        right = min(math.ceil(max(ax, bx) + reach) + 1, width)
        top = max(math.floor(min(ay, by) - reach), 0)
        bottom = min(math.ceil(max(ay, by) + reach) + 1, height)
        along_x = bx - ax
        along_y = by - ay
        squared_length = along_x * along_x + along_y * along_y
        # Along the axis that the line follows less, no pixel farther from it than `spread` is
        # touched.
        if abs(along_x) >= abs(along_y):
            slope = 0.0
            if along_x != 0:
                slope = along_y / along_x
            spread = reach * math.sqrt(1 + slope * slope)
            for column in range(left, right):
                middle = ay + (column + 0.5 - ax) * slope - 0.5
                first = max(top, math.floor(middle - spread))
                last = min(bottom, math.ceil(middle + spread) + 1)
                for row in range(first, last):
                    _touch(mask, row, column, ax, ay, along_x, along_y, squared_length, reach)
        else:
            slope = along_x / along_y
            spread = reach * math.sqrt(1 + slope * slope)
            for row in range(top, bottom):
                middle = ax + (row + 0.5 - ay) * slope - 0.5
                first = max(left, math.floor(middle - spread))
                last = min(right, math.ceil(middle + spread) + 1)
                for column in range(first, last):
                    _touch(mask, row, column, ax, ay, along_x, along_y, squared_length, reach)


@kernel("f8[::1], f8[::1], f8[:,::1], f8[::1], f8[::1], f8[::1], out u1[:,::1]")
def sectors(xs, ys, ahead, radii, cosines, sines, mask):
    """Raise a mask to the coverage of each pixel by sectors; `cosines` and `sines` are those of
    half their opening, and cosine -1 is a disc.
    """
    height, width = mask.shape
    for i in range(len(xs)):
        x = xs[i]
        y = ys[i]
        r = radii[i]
        cosine = cosines[i]
        sine = max(sines[i], 0.05)
        ux = ahead[i, 0]
        uy = ahead[i, 1]
        left = max(math.floor(x - r - 1), 0)
        right = min(math.ceil(x + r + 1), width)
        top = max(math.floor(y - r - 1), 0)
        bottom = min(math.ceil(y + r + 1), height)
        for row in range(top, bottom):
            down = row + 0.5 - y
            for column in range(left, right):
                across = column + 0.5 - x
                away = math.sqrt(across * across + down * down)
                coverage = min(max(r + 0.5 - away, 0.0), 1.0)
                if cosine > -1:
                    inside = (across * ux + down * uy - cosine * away) / sine
                    coverage = coverage * min(max(inside + 0.5, 0.0), 1.0)
                mask[row, column] = max(mask[row, column], np.uint8(coverage * 255 + 0.5))


@kernel("i8, i8, i8, i8, (i8, i8, i8, i8), out u1[:,:,::1], out u1[:,::1]")
def wash(red, green, blue, alpha, box, canvas, mask):
    """Blend a color into a canvas by the mask, within a box (left, top, right, bottom), and clear
    the mask there.
    """
    left, top, right, bottom = box
    eights = mask.view(np.uint64)  # masks are mostly empty: eight pixels are tested at once
    for row in range(top, bottom):
        for eight in range(left // 8, (right + 7) // 8):
            if eights[row, eight] != 0:
                for column in range(max(left, 8 * eight), min(right, 8 * eight + 8)):
                    cover = np.int64(mask[row, column])
                    if cover != 0:
                        _mix(canvas[row, column], (cover * alpha + 127) // 255, red, green, blue)
                        mask[row, column] = 0


@kernel("u1[:,::1], i8, i8, i8, i8, i8, out u1[:,:,::1]")
def stamp(mask, left, top, red, green, blue, canvas):
    """Blend a color into a canvas by a small mask with its corner at (left, top); what is outside
    is cut off.
    """
    height, width, _ = canvas.shape
    for y in range(max(-top, 0), min(mask.shape[0], height - top)):
        for x in range(max(-left, 0), min(mask.shape[1], width - left)):
            cover = np.int64(mask[y, x])
            if cover != 0:
                _mix(canvas[top + y, left + x], (cover * 256 + 127) // 255, red, green, blue)


@kernel("f8[::1], f8[::1], i8[::1], i8[::1], i8[::1], out i4[:,::1]")
def polygons(xs, ys, starts, rings, order, owners):
    """Write into each pixel the number of the convex polygon that contains its center, the last one
    of `order`.

    Polygon `p` has the corners `rings[starts[p] : starts[p + 1]]`, which are at `xs` and `ys`.
    """
    height, width = owners.shape
    for p in order:
        begin = starts[p]
        end = starts[p + 1]
        low = np.inf
        high = -np.inf
        for k in range(begin, end):
            low = min(low, ys[rings[k]])
            high = max(high, ys[rings[k]])
        for row in range(max(math.floor(low - 0.5), 0), min(math.ceil(high + 0.5), height)):
            middle = row + 0.5
            # Where the row of pixel centers enters the polygon and leaves it.
            left = np.inf
            right = -np.inf
            before = rings[end - 1]
            for k in range(begin, end):
                here = rings[k]
                x0 = xs[before]
                y0 = ys[before]
                x1 = xs[here]
                y1 = ys[here]
                if (y0 <= middle) != (y1 <= middle):
                    crossing = x0 + (middle - y0) * (x1 - x0) / (y1 - y0)
                    left = min(left, crossing)
                    right = max(right, crossing)
                before = here
            if left < right:
                first = max(math.ceil(left - 0.5), 0)
                last = min(math.ceil(right - 0.5), width)
                for column in range(first, last):
                    owners[row, column] = p


@kernel("f8[::1], f8[::1], f8, out i4[:,::1], out f8[:,::1]")
def discs(xs, ys, radius, owners, nearest):
    """Write into each pixel the number of the nearest of some points within a radius, the first of
    equals.

    `nearest` (H, W) holds the square of the radius at first and the squared distances at the end.
    """
    height, width = owners.shape
    for i in range(len(xs)):
        x = xs[i]
        y = ys[i]
        left = max(math.floor(x - radius), 0)
        right = min(math.ceil(x + radius) + 1, width)
        top = max(math.floor(y - radius), 0)
        bottom = min(math.ceil(y + radius) + 1, height)
        for row in range(top, bottom):
            down = row + 0.5 - y
            for column in range(left, right):
                across = column + 0.5 - x
                away = across * across + down * down
                if away < nearest[row, column]:
                    nearest[row, column] = away
                    owners[row, column] = i
