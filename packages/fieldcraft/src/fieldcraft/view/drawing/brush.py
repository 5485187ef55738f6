"""Drawing onto pixels: shapes by kernels, and letters. Arguments are not checked."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import needs
from fieldcraft.view.pixels.pixel_plan import RGB, RGBA, Floats

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont


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
        starts, rings, order = (
            np.ascontiguousarray(each, dtype=np.int64) for each in (starts, rings, order)
        )
        kernels.pictures.paint.polygons(*_columns(pixels), starts, rings, order, owners)
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
        corners = (np.floor(points.min(axis=0) - margin), np.ceil(points.max(axis=0) + margin))
        left, top, right, bottom = (
            np.clip(np.concatenate(corners), 0, (width, height, width, height))
            .astype(np.int64)
            .tolist()
        )
        kernels.pictures.paint.wash(
            *color, _alpha(opacity), (left, top, right, bottom), canvas, self._mask
        )


def empty_mask(height: int, width: int) -> RGBA:
    """Return a mask for pictures of that size, as wide as the kernels need it."""
    return np.zeros((height, -(-width // 8) * 8), dtype=np.uint8)


def _alpha(opacity: float) -> int:
    return round(256 * opacity)


def _columns(pixels: Floats) -> tuple[Floats, Floats]:
    return np.ascontiguousarray(pixels[:, 0]), np.ascontiguousarray(pixels[:, 1])


ASCENT = 11
LINE = 18

_EM = 13.0
_FONTS = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}


@lru_cache(maxsize=4096)
def measure(text: str, *, scale: float = 1.0, bold: bool = False) -> int:
    """Return the width in pixels of text on one line."""
    return round(_font(scale, bold).getlength(_on_one_line(text)))


def wrapped(text: str, width: int, *, scale: float = 1.0) -> list[str]:
    """Return text in lines of at most `width` pixels, broken at spaces, and inside of words that
    are too long for a line.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if measure(longer, scale=scale) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            line = ""
            for letter in word:
                if line and measure(line + letter, scale=scale) > width:
                    lines.append(line)
                    line = ""
                line += letter
        lines.append(line)
    return lines


def write(
    picture: NDArray[np.uint8],
    left: int,
    baseline: int,
    text: str,
    color: tuple[int, int, int],
    *,
    scale: float = 1.0,
    bold: bool = False,
) -> None:
    """Write one line onto a picture, uint8 of shape (H, W, 4), from `left` on; cut off at its
    edges.
    """
    mask, x, y = lettered(text, scale, bold)
    blend(picture, left + x, baseline + y, mask / 255, color)


@lru_cache(maxsize=512)
def lettered(
    text: str, scale: float = 1.0, bold: bool = False
) -> tuple[NDArray[np.uint8], int, int]:
    """Return one line as a mask, 0 to 255, and the offset (x, y) of its corner from the start of
    the baseline. The mask is cached and read-only.
    """
    covered, (x, y) = _font(scale, bold).getmask2(_on_one_line(text), "L", anchor="ls")
    mask = np.array(covered, dtype=np.uint8).reshape(covered.size[::-1])
    mask.flags.writeable = False
    return mask, int(x), int(y)


def blend(
    picture: NDArray[np.uint8],
    left: int,
    top: int,
    coverage: NDArray[np.floating[Any]],
    color: tuple[int, int, int],
) -> None:
    """Blend a color into part of a picture, uint8 of shape (H, W, 4): `coverage` is 0 to 1, its
    corner at (left, top); parts outside of it are cut off.
    """
    height, width = picture.shape[:2]
    shown = coverage[max(-top, 0) : max(height - top, 0), max(-left, 0) : max(width - left, 0)]
    rows, columns = np.nonzero(shown)
    share = shown[rows, columns, np.newaxis]
    place = (rows + max(top, 0), columns + max(left, 0))
    pixels = picture[place]
    under = pixels[:, 3:] / 255 * (1 - share)
    alpha = under + share
    mixed = (pixels[:, :3] * under + np.array(color) * share) / alpha
    picture[place] = np.rint(np.concatenate([mixed, alpha * 255], axis=1))


def _on_one_line(text: str) -> str:
    """Return text with accents composed, on one line."""
    return unicodedata.normalize("NFC", text.replace("\t", " ").replace("\n", " "))


@lru_cache(maxsize=64)
def _font(scale: float, bold: bool) -> FreeTypeFont:
    with needs("Pillow", "view", "Writing letters on pictures"):
        from PIL import ImageFont
    file = files("fieldcraft.view") / "fonts" / _FONTS[bold]
    return ImageFont.truetype(
        BytesIO(file.read_bytes()), _EM * scale, layout_engine=ImageFont.Layout.BASIC
    )
