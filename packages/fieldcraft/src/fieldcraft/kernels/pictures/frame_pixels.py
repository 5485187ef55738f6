"""The pixels of a frame: cells as squares, and the markers of sources over them.

A picture is uint8 of shape (H, W, 4), the last of them alpha. Pixel (column, row) has its center at
(column + 0.5, row + 0.5). The three discs of a marker are mixed in floats and rounded once.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["enlarge", "markers"]

# Single floats: twice as many pixels at a time, and exact to a thousandth of a level.
_NONE = np.float32(0)
_HALF = np.float32(0.5)
_ONE = np.float32(1)
_RING = np.float32(255)
_SHADE = np.float32(0.75)
_SHADE_RED = np.float32(8)
_SHADE_GREEN = np.float32(9)
_SHADE_BLUE = np.float32(12)


@kernel
def _cover(edge, away):
    """Return how much of a pixel a disc covers whose center is `away`; `edge` is half a pixel
    beyond its radius.
    """
    return min(max(edge - away, _NONE), _ONE)


@kernel
def _over(part, left, added):
    """Return a part of an opaque pixel, 0 to 255, of which a share is left under what is added."""
    mixed = np.float32(np.int32(part & 255)) * left + added
    return np.uint32(np.int32(mixed))


@kernel
def _blend(pixel, left, share, red, green, blue):
    """Blend a share of a pixel, in colors times their shares, over what is left of a pixel that may
    be transparent.
    """
    under = pixel[3] / 255 * np.float64(left)
    alpha = under + np.float64(share)
    pixel[0] = np.uint8((pixel[0] * under + np.float64(red)) / alpha + 0.5)
    pixel[1] = np.uint8((pixel[1] * under + np.float64(green)) / alpha + 0.5)
    pixel[2] = np.uint8((pixel[2] * under + np.float64(blue)) / alpha + 0.5)
    pixel[3] = np.uint8(alpha * 255 + 0.5)


@kernel
def _span(middle, reach, count):
    """Return the first pixel that has its center within reach, and the one after the last."""
    first = min(max(np.ceil(middle - reach - 0.5), 0.0), np.float64(count))
    end = min(max(np.floor(middle + reach + 0.5), 0.0), np.float64(count))
    return np.int64(first), np.int64(end)


@kernel
def _shares(away, outline, ring, inner):
    """Return which shares of a pixel show the filling, the white ring, the dark disc, and what is
    under them; the edges are half a pixel beyond the radii.
    """
    filled = _cover(inner, away)
    beside = _ONE - filled
    white = _cover(ring, away)
    left = (_ONE - white) * beside
    dark = _cover(outline, away) * _SHADE
    return filled, white * beside, dark * left, (_ONE - dark) * left


@kernel("f8[:,::1], f8[::1], f8[::1], i8[::1], u1[:,::1], b1, out u1[:,:,::1], out u4[:,::1]")
def markers(places, strengths, radii, order, fillings, is_opaque, canvas, words):
    """Draw markers at places (x, y) in an order of their rows: a disc in one of three `fillings`
    (3, 3), for strengths of 0, above and below, in a white ring with its edge at the radius, on a
    dark disc; what is outside is cut off.

    `words` is `canvas` with a number for each pixel, the least byte first. An opaque canvas has no
    other pixels than opaque ones.
    """
    height, width = words.shape
    flat = words.reshape(words.size)
    for n in range(len(order)):
        i = order[n]
        x = places[i, 0]
        y = places[i, 1]
        radius = radii[i]
        reach = radius + max(1.0, 0.22 * radius) + 0.5
        left, right = _span(x, reach, width)
        top, bottom = _span(y, reach, height)
        outline = np.float32(reach)
        ring = np.float32(radius + 0.5)
        inner = np.float32(radius - max(1.0, 0.2 * radius) + 0.5)
        sign = 0
        if strengths[i] > 0:
            sign = 1
        elif strengths[i] < 0:
            sign = 2
        red = np.float32(fillings[sign, 0])
        green = np.float32(fillings[sign, 1])
        blue = np.float32(fillings[sign, 2])
        # Eight pixels at a time: those beyond the discs stay as they are.
        count = (right - left + 7) // 8 * 8
        first_column = min(left, width - count)
        start = np.float32(np.float64(first_column) + 0.5 - x)
        in_blocks = is_opaque and first_column >= 0
        for row in range(top, bottom):
            down = np.float32(row + 0.5 - y)
            squared = down * down
            if in_blocks:
                begin = np.uint64(row * width + first_column)
                for k in range(count):
                    across = start + np.float32(np.int32(k))
                    away = np.sqrt(across * across + squared)
                    filled, white, dark, under = _shares(away, outline, ring, inner)
                    white = white * _RING + _HALF
                    color = flat[begin + np.uint64(k)]
                    first = _over(color, under, red * filled + white + _SHADE_RED * dark)
                    second = _over(color >> 8, under, green * filled + white + _SHADE_GREEN * dark)
                    third = _over(color >> 16, under, blue * filled + white + _SHADE_BLUE * dark)
                    flat[begin + np.uint64(k)] = np.uint32(
                        0xFF000000 | third << 16 | second << 8 | first
                    )
            else:
                for k in range(left, right):
                    across = np.float32(k + 0.5 - x)
                    away = np.sqrt(across * across + squared)
                    filled, white, dark, under = _shares(away, outline, ring, inner)
                    share = filled + white + dark
                    if share > _NONE:
                        white *= _RING
                        pixel = canvas[row, k]
                        _blend(
                            pixel,
                            under,
                            share,
                            red * filled + white + _SHADE_RED * dark,
                            green * filled + white + _SHADE_GREEN * dark,
                            blue * filled + white + _SHADE_BLUE * dark,
                        )


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
