"""Drawing shapes onto pixels, by kernels. Arguments are not checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.view.pixels.pixel_plan import RGBA, Floats
from fieldcraft.view.pixels.themes import RGB

if TYPE_CHECKING:
    pass


SHAPES = ("disc", "square", "triangle", "diamond", "ring", "cross")


class Brush:
    """Draws onto pictures of one size, uint8 of shape (H, W, 4), opaque and C-contiguous.

    Places are float64 pixels (x, y) from the top left corner, of shape (N, 2), numbers for each of
    them float64 (N,), colors of several things uint8 (N, 3) or (N, 4). All are finite and
    C-contiguous. `marks`, `dots` and `stamp` take pictures of other sizes, too.
    """

    def __init__(self, height: int, width: int) -> None:
        self._mask = empty_mask(height, width)
        self.shape = (height, width)

    def marks(
        self,
        canvas: RGBA,
        pixels: Floats,
        radii: Floats,
        ahead: Floats,
        shape: str,
        outline: float,
        colors: RGBA,
        opacity: float,
    ) -> None:
        """Draw marks of one of `SHAPES` on dark outlines; `ahead` are unit vectors, downwards
        positive.
        """
        xs, ys = _columns(pixels)
        number = SHAPES.index(shape)
        alpha = _alpha(opacity)
        kernels.pictures.paint.marks(
            xs, ys, radii, ahead, colors, number, float(outline), alpha, canvas
        )

    def dots(self, canvas: RGBA, pixels: Floats, side: int, colors: RGBA, opacity: float) -> None:
        """Draw squares of `side` pixels without outlines."""
        kernels.pictures.paint.dots(*_columns(pixels), colors, side, _alpha(opacity), canvas)

    def segments(
        self, canvas: RGBA, starts: Floats, ends: Floats, width: float, color: RGB, opacity: float
    ) -> None:
        """Draw straight lines from starts to ends, `width` pixels wide; where they overlap the
        color counts once.
        """
        if len(starts):
            starts = np.ascontiguousarray(starts)
            ends = np.ascontiguousarray(ends)
            kernels.pictures.paint.segments(starts, ends, width / 2, self._mask)
            points = np.concatenate([starts, ends])
            self._wash_around(canvas, points, width / 2 + 2, color, opacity)

    def mask_of(self, starts: Floats, ends: Floats, width: float) -> RGBA:
        """Return how much of each pixel straight lines of that width cover, 0 to 255, in an array
        of the brush's height and at least its width.
        """
        mask = empty_mask(*self.shape)
        kernels.pictures.paint.segments(
            np.ascontiguousarray(starts), np.ascontiguousarray(ends), width / 2, mask
        )
        return mask

    def sectors(
        self,
        canvas: RGBA,
        pixels: Floats,
        ahead: Floats,
        radii: Floats,
        angles: Floats,
        color: RGB,
        opacity: float,
    ) -> None:
        """Draw sectors of openings in radians; where they overlap the color counts once."""
        if len(pixels):
            half = np.minimum(angles / 2, np.pi)
            cosines = np.where(half >= np.pi - 1e-9, -1.0, np.cos(half))
            xs, ys = _columns(pixels)
            kernels.pictures.paint.sectors(xs, ys, ahead, radii, cosines, np.sin(half), self._mask)
            self._wash_around(canvas, pixels, float(radii.max()) + 2, color, opacity)

    def wash(self, canvas: RGBA, mask: RGBA, color: RGB, opacity: float) -> None:
        """Blend a color into a picture by a mask from `empty_mask`, 0 to 255, and clear the
        mask.
        """
        height, width = canvas.shape[:2]
        kernels.pictures.paint.wash(*color, _alpha(opacity), (0, 0, width, height), canvas, mask)

    def polygons(
        self,
        pixels: Floats,
        starts: NDArray[np.int64],
        rings: NDArray[np.int64],
        order: NDArray[np.int64],
    ) -> NDArray[np.int32]:
        """Return the convex polygon that each pixel shows, -1 for none; later ones in `order` are
        on top.

        Polygon `p` has the corners `rings[starts[p] : starts[p + 1]]`, numbers of `pixels`.
        """
        owners = np.full(self.shape, -1, dtype=np.int32)
        xs, ys = _columns(pixels)
        kernels.pictures.paint.polygons(
            xs,
            ys,
            np.ascontiguousarray(starts, dtype=np.int64),
            np.ascontiguousarray(rings, dtype=np.int64),
            np.ascontiguousarray(order, dtype=np.int64),
            owners,
        )
        return owners

    def nearest(self, pixels: Floats, radius: float) -> NDArray[np.int32]:
        """Return the point within a radius that is nearest to each pixel, -1 for none."""
        owners = np.full(self.shape, -1, dtype=np.int32)
        squares = np.full(self.shape, float(radius) ** 2)
        kernels.pictures.paint.discs(*_columns(pixels), float(radius), owners, squares)
        return owners

    def stamp(self, canvas: RGBA, mask: RGBA, left: int, top: int, color: RGB) -> None:
        """Blend a color into a picture by a small mask with its corner at (left, top)."""
        kernels.pictures.paint.stamp(mask, left, top, *color, canvas)

    def _wash_around(
        self, canvas: RGBA, points: Floats, margin: float, color: RGB, opacity: float
    ) -> None:
        """Blend a color into the part of a picture around some points by the brush's mask."""
        height, width = self.shape
        first = np.clip(np.floor(points.min(axis=0) - margin), 0, (width, height))
        past = np.clip(np.ceil(points.max(axis=0) + margin), 0, (width, height))
        left, top = first.astype(np.int64).tolist()
        right, bottom = past.astype(np.int64).tolist()
        kernels.pictures.paint.wash(
            *color, _alpha(opacity), (left, top, right, bottom), canvas, self._mask
        )


def empty_mask(height: int, width: int) -> RGBA:
    """Return a mask for pictures of that size, as wide as the kernels need it."""
    return np.zeros((height, -(-width // 8) * 8), dtype=np.uint8)


def _alpha(opacity: float) -> int:
    """Return an opacity as kernels take it, 0 to 256."""
    return round(256 * opacity)


def _columns(pixels: Floats) -> tuple[Floats, Floats]:
    """Return the x and the y of pixels, (N,) each."""
    return np.ascontiguousarray(pixels[:, 0]), np.ascontiguousarray(pixels[:, 1])
