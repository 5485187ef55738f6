"""Drawing onto pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue

__all__ = ["SHAPES", "Brush", "empty_mask"]

RGBA = NDArray[np.uint8]
RGB = tuple[int, int, int]
Floats = NDArray[np.float64]

SHAPES = ("disc", "square", "triangle", "diamond", "ring", "cross")

_MOST_SIDE = 2**15


class Brush:
    """Draws onto canvases, uint8 of shape (H, W, 4), opaque; places are pixels (x, y) from the top
    left corner.

    Lines and sectors are drawn on canvases of the brush's own size.

    Places are (N, 2), numbers for each of them (N,), colors of several things uint8 (N, 3) or (N,
    4), one color (red, green, blue). Raises `InvalidValue` for anything else; then nothing is
    drawn.
    """

    def __init__(self, height: int, width: int) -> None:
        self._mask = empty_mask(height, width)
        self.shape = (height, width)
        self._kernels = kernels.paint

    def marks(
        self,
        canvas: RGBA,
        pixels: Floats,
        radii: Floats,
        ahead: Floats,
        shape: str,
        rim: float,
        colors: RGBA,
        opacity: float,
    ) -> None:
        """Draw marks of one of `SHAPES` on dark rims; `ahead` are unit vectors, downwards
        positive.
        """
        places = _rows("pixels", pixels, 2)
        count = len(places)
        self._kernels.marks(
            *_columns(places),
            _rows("radii", radii, 0, count),
            _rows("ahead", ahead, 2, count),
            _colors(colors, count),
            SHAPES.index(checks.choice("shape", shape, SHAPES)),
            checks.not_negative("rim", rim),
            _alpha(opacity),
            _canvas(canvas),
        )

    def dots(self, canvas: RGBA, pixels: Floats, side: int, colors: RGBA, opacity: float) -> None:
        """Draw squares of `side` pixels without rims."""
        places = _rows("pixels", pixels, 2)
        size = checks.integer("side", side, maximum=_MOST_SIDE)
        self._kernels.dots(
            *_columns(places), _colors(colors, len(places)), size, _alpha(opacity), _canvas(canvas)
        )

    def segments(
        self, canvas: RGBA, starts: Floats, ends: Floats, width: float, color: RGB, opacity: float
    ) -> None:
        """Draw straight lines from starts to ends, `width` pixels wide; where they overlap the
        color counts once.
        """
        begun = _rows("starts", starts, 2)
        ended = _rows("ends", ends, 2, len(begun))
        shade, alpha, half = _color(color), _alpha(opacity), checks.not_negative("width", width) / 2
        page = self._checked(canvas)
        if len(begun):
            self._kernels.segments(begun, ended, half, self._mask)
            self._wash_around(page, np.concatenate([begun, ended]), half + 2, shade, alpha)

    def mask_of(self, starts: Floats, ends: Floats, width: float) -> RGBA:
        """How much of each pixel straight lines of that width cover, 0 to 255, in an array of the
        brush's height and at least its width.
        """
        begun = _rows("starts", starts, 2)
        mask = empty_mask(*self.shape)
        half = checks.not_negative("width", width) / 2
        self._kernels.segments(begun, _rows("ends", ends, 2, len(begun)), half, mask)
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
        places = _rows("pixels", pixels, 2)
        count = len(places)
        headings, sizes = _rows("ahead", ahead, 2, count), _rows("radii", radii, 0, count)
        half = np.minimum(_rows("angles", angles, 0, count) / 2, np.pi)
        shade, alpha, page = _color(color), _alpha(opacity), self._checked(canvas)
        if count:
            cosines = np.where(half >= np.pi - 1e-9, -1.0, np.cos(half))
            self._kernels.sectors(
                *_columns(places), headings, sizes, cosines, np.sin(half), self._mask
            )
            self._wash_around(page, places, float(sizes.max()) + 2, shade, alpha)

    def wash(self, canvas: RGBA, mask: RGBA, color: RGB, opacity: float) -> None:
        """Lay a color over a canvas as far as a mask from `empty_mask` says, 0 to 255; the mask is
        cleared.
        """
        page = _canvas(canvas)
        height, width = page.shape[:2]
        if not _is_bytes(mask, (height, -(-width // 8) * 8)) or not mask.flags.writeable:
            raise InvalidValue(
                "mask is that of the canvas",
                got=_told(mask),
                remedy=f"Pass empty_mask({height}, {width})",
            )
        self._kernels.wash(*_color(color), _alpha(opacity), (0, 0, width, height), page, mask)

    def polygons(
        self,
        pixels: Floats,
        starts: NDArray[np.int64],
        rings: NDArray[np.int64],
        order: NDArray[np.int64],
    ) -> NDArray[np.int32]:
        """Which convex polygon each pixel shows, -1 for none; those later in `order` lie over the
        others.

        Polygon `p` has the corners `rings[starts[p] : starts[p + 1]]`, numbers of `pixels`.
        """
        places = _rows("pixels", pixels, 2)
        corners = _numbers("rings", rings, len(places))
        begun = _numbers("starts", starts, len(corners) + 1)
        if (
            not len(begun)
            or begun[0] != 0
            or begun[-1] != len(corners)
            or (np.diff(begun) < 0).any()
        ):
            raise InvalidValue(
                "starts go from 0 to the number of corners",
                got=_told(starts),
                remedy="Pass those of a Mesh",
            )
        owners = np.full(self.shape, -1, dtype=np.int32)
        self._kernels.polygons(
            *_columns(places), begun, corners, _numbers("order", order, len(begun) - 1), owners
        )
        return owners

    def nearest(self, pixels: Floats, radius: float) -> NDArray[np.int32]:
        """Which point within a radius is nearest to each pixel, -1 for none."""
        places, reach = _rows("pixels", pixels, 2), checks.not_negative("radius", radius)
        owners = np.full(self.shape, -1, dtype=np.int32)
        self._kernels.discs(*_columns(places), reach, owners, np.full(self.shape, reach * reach))
        return owners

    def stamp(self, canvas: RGBA, mask: RGBA, left: int, top: int, color: RGB) -> None:
        """Lay a color over a canvas as a small mask with its corner at (left, top) says."""
        page = _canvas(canvas)
        if not isinstance(mask, np.ndarray) or not _is_bytes(mask, mask.shape) or mask.ndim != 2:
            raise InvalidValue(
                "mask is uint8 of two dimensions",
                got=_told(mask),
                remedy="Pass what lettered(text) gives",
            )
        column, row = (
            checks.integer(name, at, minimum=-(2**31), maximum=2**31)
            for name, at in (("left", left), ("top", top))
        )
        self._kernels.stamp(mask, column, row, *_color(color), page)

    def _wash_around(
        self, canvas: RGBA, points: Floats, margin: float, color: RGB, alpha: int
    ) -> None:
        height, width = self.shape
        low = (
            np.clip(np.floor(points.min(axis=0) - margin), 0, (width, height))
            .astype(np.int64)
            .tolist()
        )
        high = (
            np.clip(np.ceil(points.max(axis=0) + margin), 0, (width, height))
            .astype(np.int64)
            .tolist()
        )
        self._kernels.wash(*color, alpha, (*low, *high), canvas, self._mask)

    def _checked(self, canvas: RGBA) -> RGBA:
        if _canvas(canvas).shape[:2] != self.shape:
            raise InvalidValue(
                f"Lines and sectors are drawn on canvases of {self.shape}",
                got=_told(canvas),
                remedy="Make a Brush of that size",
            )
        return canvas


def empty_mask(height: int, width: int) -> RGBA:
    """A mask for canvases of that size, as wide as the kernels want it."""
    rows, columns = (
        checks.integer(name, side, maximum=_MOST_SIDE)
        for name, side in (("height", height), ("width", width))
    )
    return np.zeros((rows, -(-columns // 8) * 8), dtype=np.uint8)


def _canvas(canvas: RGBA) -> RGBA:
    if (
        not isinstance(canvas, np.ndarray)
        or not _is_bytes(canvas, (*canvas.shape[:2], 4))
        or not canvas.flags.writeable
    ):
        raise InvalidValue(
            "canvas is uint8 of shape (H, W, 4), writable and contiguous",
            got=_told(canvas),
            remedy="Pass such a canvas",
        )
    return canvas


def _is_bytes(array: object, shape: tuple[int, ...]) -> bool:
    return (
        isinstance(array, np.ndarray)
        and array.dtype == np.uint8
        and array.shape == shape
        and array.flags.c_contiguous
    )


def _told(value: object) -> str:
    return (
        f"{value.dtype} of shape {value.shape}"
        if isinstance(value, np.ndarray)
        else type(value).__name__
    )


def _rows(name: str, value: ArrayLike, columns: int, count: int | None = None) -> Floats:
    """Finite float64 numbers, (N, columns), or (N,) for 0 columns."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.flags.c_contiguous:
        found = value
    else:
        given = checks.array(name, value)
        if given.dtype.kind not in "iuf":
            raise InvalidValue(
                f"{name} are numbers", got=_told(given), remedy="Pass an array of floats"
            )
        found = np.ascontiguousarray(given, dtype=np.float64)
    wanted = (found.shape[:1] if count is None else (count,)) + ((columns,) if columns else ())
    if not found.ndim or found.shape != wanted or not np.isfinite(found).all():
        number = "N" if count is None else f"{count}"
        shape = f"({number}, {columns})" if columns else f"({number},)"
        raise InvalidValue(
            f"{name} are finite numbers of shape {shape}",
            got=_told(value),
            remedy="Pass one row for each thing",
        )
    return found


def _numbers(name: str, value: ArrayLike, below: int) -> NDArray[np.int64]:
    """Whole numbers from 0 up to but not including a limit, (N,)."""
    given = checks.array(name, value)
    if (
        given.ndim != 1
        or given.dtype.kind not in "iu"
        or (given.size and not (given.min() >= 0 and given.max() < below))
    ):
        raise InvalidValue(
            f"{name} are whole numbers below {below}, (N,)",
            got=_told(value),
            remedy="Pass those of a Mesh",
        )
    return np.ascontiguousarray(given, dtype=np.int64)


def _colors(value: Any, count: int) -> RGBA:
    if (
        not isinstance(value, np.ndarray)
        or value.dtype != np.uint8
        or value.shape not in ((count, 3), (count, 4))
    ):
        raise InvalidValue(
            f"colors are uint8 of shape ({count}, 3) or ({count}, 4)",
            got=_told(value),
            remedy="Pass one for each place",
        )
    return np.ascontiguousarray(value)


def _color(value: RGB) -> RGB:
    parts = checks.sequence("color", value)
    if len(parts) != 3:
        raise InvalidValue(
            "color is (red, green, blue)",
            got=f"{len(parts)} parts",
            remedy="Pass three whole numbers from 0 to 255",
        )
    red, green, blue = (checks.integer("color", part, maximum=255) for part in parts)
    return red, green, blue


def _alpha(opacity: float) -> int:
    return round(256 * checks.fraction("opacity", opacity))


def _columns(pixels: Floats) -> tuple[Floats, Floats]:
    return np.ascontiguousarray(pixels[:, 0]), np.ascontiguousarray(pixels[:, 1])
