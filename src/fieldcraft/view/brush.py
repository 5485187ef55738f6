"""Drawing onto pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels

__all__ = ["SHAPES", "Brush", "empty_mask"]

RGBA = NDArray[np.uint8]
RGB = tuple[int, int, int]
Floats = NDArray[np.float64]

SHAPES = ("disc", "square", "triangle", "diamond", "ring", "cross")


class Brush:
    """Draws onto canvases of one size, uint8 of shape (H, W, 4), opaque; places are pixels (x, y) from the top left corner."""

    def __init__(self, height: int, width: int) -> None:
        self.shape = (height, width)
        self._mask = empty_mask(height, width)
        self._kernels = kernels.paint

    def marks(
        self, canvas: RGBA, pixels: Floats, radii: Floats, ahead: Floats, shape: str, rim: float, colors: RGBA, opacity: float
    ) -> None:
        """Draw marks of one of `SHAPES` on dark rims; `ahead` are unit vectors, downwards positive."""
        self._kernels.marks(
            canvas, *_columns(pixels), np.ascontiguousarray(radii), np.ascontiguousarray(ahead), SHAPES.index(shape), float(rim),
            np.ascontiguousarray(colors), round(256 * opacity),
        )  # fmt: skip

    def dots(self, canvas: RGBA, pixels: Floats, side: int, colors: RGBA, opacity: float) -> None:
        """Draw squares of `side` pixels without rims."""
        self._kernels.dots(canvas, *_columns(pixels), side, np.ascontiguousarray(colors), round(256 * opacity))

    def segments(self, canvas: RGBA, starts: Floats, ends: Floats, width: float, color: RGB, opacity: float) -> None:
        """Draw straight lines from starts to ends, `width` pixels wide; where they overlap the colour counts once."""
        if len(starts):
            self._kernels.segments(self._mask, np.ascontiguousarray(starts), np.ascontiguousarray(ends), width / 2)
            self._wash_around(canvas, np.concatenate([starts, ends]), width / 2 + 2, color, opacity)

    def sectors(self, canvas: RGBA, pixels: Floats, ahead: Floats, radii: Floats, angles: Floats, color: RGB, opacity: float) -> None:
        """Draw sectors of openings in radians; where they overlap the colour counts once."""
        if len(pixels):
            half = np.minimum(angles / 2, np.pi)
            cosines = np.where(half >= np.pi - 1e-9, -1.0, np.cos(half))
            self._kernels.sectors(
                self._mask, *_columns(pixels), np.ascontiguousarray(ahead), np.ascontiguousarray(radii), cosines, np.sin(half)
            )
            self._wash_around(canvas, pixels, float(radii.max()) + 2, color, opacity)

    def wash(self, canvas: RGBA, mask: RGBA, color: RGB, opacity: float) -> None:
        """Lay a colour over a canvas as far as a mask from `empty_mask` says, 0 to 255; the mask is cleared."""
        self._kernels.wash(canvas, mask, *color, round(256 * opacity), (0, 0, canvas.shape[1], canvas.shape[0]))

    def polygons(self, pixels: Floats, starts: NDArray[np.int64], rings: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int32]:
        """Which convex polygon each pixel shows, -1 for none; those later in `order` lie over the others."""
        owners = np.full(self.shape, -1, dtype=np.int32)
        self._kernels.polygons(owners, *_columns(pixels), starts, rings, order)
        return owners

    def nearest(self, pixels: Floats, radius: float) -> NDArray[np.int32]:
        """Which point within a radius is nearest to each pixel, -1 for none."""
        owners = np.full(self.shape, -1, dtype=np.int32)
        self._kernels.discs(owners, np.full(self.shape, radius * radius), *_columns(pixels), radius)
        return owners

    def stamp(self, canvas: RGBA, mask: RGBA, left: int, top: int, color: RGB) -> None:
        """Lay a colour over a canvas as a small mask with its corner at (left, top) says."""
        self._kernels.stamp(canvas, mask, left, top, *color)

    def _wash_around(self, canvas: RGBA, points: Floats, margin: float, color: RGB, opacity: float) -> None:
        height, width = self.shape
        low = np.clip(np.floor(points.min(axis=0) - margin), 0, (width, height)).astype(np.int64).tolist()
        high = np.clip(np.ceil(points.max(axis=0) + margin), 0, (width, height)).astype(np.int64).tolist()
        self._kernels.wash(canvas, self._mask, *color, round(256 * opacity), (low[0], low[1], high[0], high[1]))


def empty_mask(height: int, width: int) -> RGBA:
    """A mask for canvases of that size, as wide as the kernels want it."""
    return np.zeros((height, -(-width // 8) * 8), dtype=np.uint8)


def _columns(pixels: Floats) -> tuple[Floats, Floats]:
    return np.ascontiguousarray(pixels[:, 0]), np.ascontiguousarray(pixels[:, 1])
