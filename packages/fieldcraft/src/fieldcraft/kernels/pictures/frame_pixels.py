"""The pixels of a frame: cells as squares, and the markers of sources over them.

A picture is uint8 of shape (H, W, 4), the last of them alpha. Pixel (column, row) has its center at
(column + 0.5, row + 0.5). Colors mix in float64 and are rounded after each disc.
"""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["enlarge", "markers"]

_RING = 255.0
_SHADE_RED = 8.0
_SHADE_GREEN = 9.0
_SHADE_BLUE = 12.0
_SHADE = 0.75


@kernel
def _cover(radius, away):
    """Return how much of a pixel a disc covers whose center is `away`."""
    return min(max(radius + 0.5 - away, 0.0), 1.0)


@kernel
def _mixed(part, share, color):
    """Return a part of a color under another one on an opaque pixel."""
    return np.rint(part * (1.0 - share) + color * share)


@kernel
def _part(part, shaded, covered, filled, shade, filling):
    """Return a part of an opaque pixel, 0 to 255, under the three discs of a marker."""
    under = _mixed(np.float64(np.int32(part & 255)), shaded, shade)
    return np.uint32(np.int32(_mixed(_mixed(under, covered, _RING), filled, filling)))


@kernel
def _blend(pixel, share, red, green, blue):
    """Blend a color into a pixel that may be transparent."""
    if share > 0:
        under = pixel[3] / 255 * (1.0 - share)
        alpha = under + share
        pixel[0] = np.uint8(np.rint((pixel[0] * under + red * share) / alpha))
        pixel[1] = np.uint8(np.rint((pixel[1] * under + green * share) / alpha))
        pixel[2] = np.uint8(np.rint((pixel[2] * under + blue * share) / alpha))
        pixel[3] = np.uint8(np.rint(alpha * 255))


@kernel
def _span(middle, reach, count):
    """Return the first pixel within reach of a place, and the one after the last."""
    first = min(max(np.floor(middle - reach), 0.0), np.float64(count))
    end = min(max(np.ceil(middle + reach), 0.0), np.float64(count))
    return np.int64(first), np.int64(end)


@kernel
def _is_opaque(line):
    every = np.uint32(0xFF000000)
    for k in range(len(line)):
        every &= line[k]
    return every == 0xFF000000


@kernel("f8[::1], f8[::1], f8[::1], u1[:,::1], out u1[:,:,::1], out u4[:,::1]")
def markers(xs, ys, radii, fillings, canvas, words):
    """Draw markers in their order: a disc in the color of its row in `fillings` (N, 3), in a white
    ring with its edge at the radius, on a dark disc; what is outside is cut off.

    `words` is `canvas` with a number for each pixel, the least byte first.
    """
    height, width = words.shape
    for i in range(len(xs)):
        x = xs[i]
        y = ys[i]
        ring = radii[i]
        outline = ring + max(1.0, 0.22 * ring)
        inner = ring - max(1.0, 0.2 * ring)
        red = np.float64(fillings[i, 0])
        green = np.float64(fillings[i, 1])
        blue = np.float64(fillings[i, 2])
        left, right = _span(x, outline + 0.5, width)
        top, bottom = _span(y, outline + 0.5, height)
        # Eight pixels at a time: those beyond the discs stay as they are.
        right = min(left + (right - left + 7) // 8 * 8, width)
        for row in range(top, bottom):
            down = row + 0.5 - y
            line = words[row, left:right]
            if _is_opaque(line):
                for k in range(len(line)):
                    across = np.float64(np.int32(left + k)) + 0.5 - x
                    away = math.sqrt(across * across + down * down)
                    shaded = _cover(outline, away) * _SHADE
                    covered = _cover(ring, away)
                    filled = _cover(inner, away)
                    color = line[k]
                    first = _part(color, shaded, covered, filled, _SHADE_RED, red)
                    second = _part(color >> 8, shaded, covered, filled, _SHADE_GREEN, green)
                    third = _part(color >> 16, shaded, covered, filled, _SHADE_BLUE, blue)
                    line[k] = np.uint32(0xFF000000 | third << 16 | second << 8 | first)
            else:
                for column in range(left, right):
                    across = column + 0.5 - x
                    away = math.sqrt(across * across + down * down)
                    pixel = canvas[row, column]
                    shaded = _cover(outline, away) * _SHADE
                    _blend(pixel, shaded, _SHADE_RED, _SHADE_GREEN, _SHADE_BLUE)
                    _blend(pixel, _cover(ring, away), _RING, _RING, _RING)
                    _blend(pixel, _cover(inner, away), red, green, blue)


@kernel("u2[:,::1], u1[:,::1], u4[::1], i8[::1], i8, u4, out u4[:,::1]")
def enlarge(kinds, index, colors, lines, scale, edge, picture):
    """Write each cell as a square of `scale` pixels in the color number `256 * kind + index`, and
    the pixels `lines`, in ascending order, in the color `edge`.
    """
    height, width = kinds.shape
    across = width * scale
    done = 0
    for row in range(height):
        top = row * scale
        first = picture[top]
        for column in range(width):
            color = colors[256 * np.int64(kinds[row, column]) + np.int64(index[row, column])]
            for pixel in range(column * scale, column * scale + scale):
                first[pixel] = color
        for below in range(top + 1, top + scale):
            line = picture[below]
            for pixel in range(across):
                line[pixel] = first[pixel]
        end = (top + scale) * across
        while done < len(lines) and lines[done] < end:
            picture[lines[done] // across, lines[done] % across] = edge
            done += 1
