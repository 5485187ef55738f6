"""Round markers for sources, anti-aliased: size says strength, colour says sign or team."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.arrays import frozen
from fieldcraft.view.text import blend

__all__ = ["NEGATIVE", "POSITIVE", "draw_markers", "radii"]

RGB = tuple[int, int, int]

POSITIVE: RGB = (255, 96, 56)
NEGATIVE: RGB = (48, 140, 255)
_IDLE: RGB = (150, 156, 168)
_RING: RGB = (255, 255, 255)
_SHADE: RGB = (8, 9, 12)
_SMALLEST = 2.0
_SIGNED_FROM = 6.0


def radii(strengths: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
    """The radius of each marker in pixels: the area grows with the magnitude, up to `largest`."""
    magnitude = np.abs(strengths)
    top = float(magnitude.max(initial=0.0))
    share = np.sqrt(magnitude / top) if top > 0 else np.zeros(len(strengths))
    return np.maximum(share * largest, _SMALLEST)


def draw_markers(
    canvas: NDArray[np.uint8],
    pixels: NDArray[np.float64],
    strengths: NDArray[np.float64],
    largest: float,
    color: RGB | None = None,
) -> None:
    """Draw one marker per source onto `canvas`, uint8 (H, W, 4), the strongest at the bottom of the
    pile.

    `pixels` is (N, 2), x and y from the top left corner. The filling is `color`, or orange for
    positive strengths and blue for negative ones; large markers also bear a plus or a minus.
    """
    sizes = radii(strengths, largest)
    for i in np.argsort(-sizes, kind="stable").tolist():
        x, y, radius, strength = (
            float(pixels[i, 0]),
            float(pixels[i, 1]),
            float(sizes[i]),
            float(strengths[i]),
        )
        filling = color or (POSITIVE if strength > 0 else NEGATIVE if strength < 0 else _IDLE)
        ring = max(1.0, 0.2 * radius)
        _disc(canvas, x, y, radius + max(1.0, 0.22 * radius), _SHADE, 0.75)
        _disc(canvas, x, y, radius, _RING, 1.0)
        _disc(canvas, x, y, radius - ring, filling, 1.0)
        if color is None and strength and radius >= _SIGNED_FROM:
            arm, half = 0.42 * radius, max(0.7, 0.11 * radius)
            _bar(canvas, x, y, arm, half, _RING)
            if strength > 0:
                _bar(canvas, x, y, half, arm, _RING)


def _disc(
    canvas: NDArray[np.uint8], x: float, y: float, radius: float, color: RGB, opacity: float
) -> None:
    left, top, coverage = _round(x, y, radius)
    blend(canvas, left, top, coverage if opacity == 1 else coverage * opacity, color)


@functools.lru_cache(maxsize=128)  # most sources stay where they are from frame to frame
def _round(x: float, y: float, radius: float) -> tuple[int, int, NDArray[np.float64]]:
    left, top, across, down = _around(x, y, radius, radius)
    return left, top, frozen(np.clip(radius + 0.5 - np.hypot(across, down), 0, 1))


def _bar(
    canvas: NDArray[np.uint8], x: float, y: float, half_width: float, half_height: float, color: RGB
) -> None:
    left, top, across, down = _around(x, y, half_width, half_height)
    coverage = np.clip(half_width + 0.5 - np.abs(across), 0, 1) * np.clip(
        half_height + 0.5 - np.abs(down), 0, 1
    )
    blend(canvas, left, top, coverage, color)


def _around(
    x: float, y: float, half_width: float, half_height: float
) -> tuple[int, int, NDArray[np.float64], NDArray[np.float64]]:
    """The corner of the pixels around a point, and how far to the right and below the point their
    centers lie.
    """
    left, top = int(np.floor(x - half_width - 1)), int(np.floor(y - half_height - 1))
    columns = np.arange(left, int(np.ceil(x + half_width + 1)) + 1, dtype=np.float64) + 0.5 - x
    rows = np.arange(top, int(np.ceil(y + half_height + 1)) + 1, dtype=np.float64) + 0.5 - y
    return left, top, columns[np.newaxis, :], rows[:, np.newaxis]
