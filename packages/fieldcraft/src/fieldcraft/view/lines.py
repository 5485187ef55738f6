"""Lines over a picture, anti-aliased: front lines, paths, the curves of a plot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space.ways import line_of
from fieldcraft.view.colors import Color, parse_color
from fieldcraft.view.placement import Placement

__all__ = ["check_picture", "draw_dots", "draw_lines", "draw_polylines"]

RGBA = NDArray[np.uint8]

_SHADE = (8, 9, 12)
_BETWEEN = 0.5
_WIDEST = 1000  # pixels: the memory of a line grows with the square


def draw_lines(
    picture: RGBA,
    place: Placement,
    lines: Iterable[Any],
    *,
    color: Color = "#f4f5f7",
    width: float = 1.6,
    shade: float = 0.7,
) -> None:
    """Draw lines given in world units, such as front lines, onto a picture of `frame`.

    Parameters
    ----------
    picture:
        uint8 of shape (H, W, 4), changed in place.
    place:
        a `Placement` with the `scale`, `size` and `crop` of the picture.
    lines:
        arrays of shape (N, 2), paths or front lines: the points of each line, joined in order; what
        lies outside of the picture is cut off. A path or front line alone will do.
    width:
        pixels.
    shade:
        how dark the rim around the lines is, 0 for none to 1.

    Raises `InvalidValue` for a picture of another size than the placement's, and for points that
    are not finite.

    """
    listed = [lines] if line_of(lines) is not lines else checks.sequence("lines", lines)
    _draw(picture, place, [line_of(line) for line in listed], color, _width(width), shade)


def draw_dots(
    picture: RGBA,
    place: Placement,
    positions: ArrayLike,
    *,
    color: Color = "#f4f5f7",
    width: float = 6.0,
    shade: float = 0.7,
) -> None:
    """Draw dots at world positions, one or (N, 2), such as units, onto a picture of `frame`;
    `width` is that of a dot in pixels.

    The other arguments are those of `draw_lines`; raises as that does.
    """
    axes = 3 if checks.array("Positions", line_of(positions)).shape[-1:] == (3,) else 2
    points, _ = checks.positions(line_of(positions), dimensions=axes)
    _draw(picture, place, [point[np.newaxis] for point in points], color, _width(width), shade)


def _width(width: float) -> float:
    wide = checks.positive("width", width)
    if wide > _WIDEST:
        raise InvalidValue(
            f"width is at most {_WIDEST} pixels", got=f"width={width!r}", remedy="Draw thinner ones"
        )
    return wide


def _draw(
    picture: RGBA,
    place: Placement,
    lines: Iterable[ArrayLike],
    color: Color,
    thick: float,
    shade: float,
) -> None:
    check_picture(picture, place)
    drawn = [np.atleast_2d(place.pixel_of(line)) for line in lines]
    if dark := checks.fraction("shade", shade):
        draw_polylines(picture, drawn, _SHADE, thick + 2.4, dark)
    draw_polylines(picture, drawn, parse_color(color), thick)


def check_picture(picture: RGBA, place: Placement) -> None:
    """Refuse a picture that can't be drawn on, or is of another size than its placement."""
    if not isinstance(place, Placement):
        raise InvalidValue(
            "A place is a Placement",
            got=type(place).__name__,
            remedy="Pass fieldcraft.view.Placement(space, ...)",
        )
    if (
        not isinstance(picture, np.ndarray)
        or picture.dtype != np.uint8
        or picture.ndim != 3
        or picture.shape[2] != 4
    ):
        raise InvalidValue(
            "A picture is uint8 of shape (H, W, 4)",
            got=type(picture).__name__,
            remedy="Pass what frame(layer) gives",
        )
    if picture.shape[:2] != place.shape:
        raise InvalidValue(
            "A picture has the size of its placement",
            got=f"{picture.shape[1]} x {picture.shape[0]} for {place.shape[1]} x {place.shape[0]}",
            remedy=(
                "Pass Placement(space, scale=..., size=..., crop=...) with the arguments of the"
                " frame"
            ),
        )


def draw_polylines(
    canvas: RGBA,
    lines: Iterable[NDArray[np.float64]],
    color: tuple[int, int, int],
    width: float,
    opacity: float = 1.0,
) -> None:
    """Draw lines through pixels (x, y), counted from the top left corner, onto uint8 of shape (H,
    W, 4).
    """
    dots = [_dotted(line) for line in lines if len(line)]
    if not dots:
        return
    dots_at = np.concatenate(dots)
    height, shown_width = canvas.shape[:2]
    reach = width / 2 + 0.5
    near = np.arange(-int(np.ceil(reach)), int(np.ceil(reach)) + 1)
    inside = (dots_at > -reach).all(axis=1) & (dots_at < (shown_width + reach, height + reach)).all(
        axis=1
    )
    dots_at = dots_at[inside]
    corners = np.floor(dots_at).astype(np.int64)
    columns = corners[:, 0, np.newaxis, np.newaxis] + near[np.newaxis, np.newaxis, :]
    rows = corners[:, 1, np.newaxis, np.newaxis] + near[np.newaxis, :, np.newaxis]
    away = np.hypot(
        columns + 0.5 - dots_at[:, 0, np.newaxis, np.newaxis],
        rows + 0.5 - dots_at[:, 1, np.newaxis, np.newaxis],
    )
    cover = np.clip(reach - away, 0, 1)
    seen = (cover > 0) & (columns >= 0) & (columns < shown_width) & (rows >= 0) & (rows < height)
    at = (rows * shown_width + columns)[seen]
    if not len(at):
        return
    first = int(at.min())
    covered = np.zeros(int(at.max()) + 1 - first)
    np.maximum.at(covered, at - first, cover[seen])
    touched = np.flatnonzero(covered)
    share = covered[touched, np.newaxis] * opacity
    touched += first
    pixels = canvas.reshape(-1, 4)
    under = pixels[touched, 3:] / 255 * (1 - share)
    alpha = under + share
    mixed = np.rint((pixels[touched, :3] * under + np.array(color) * share) / alpha)
    canvas[touched // shown_width, touched % shown_width] = np.concatenate(
        [mixed, np.rint(alpha * 255)], axis=1
    )


def _dotted(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points at most half a pixel apart along a line."""
    lengths = np.hypot(*np.diff(line, axis=0).T)
    counts = np.maximum(np.ceil(lengths / _BETWEEN).astype(np.int64), 1)
    walked = np.concatenate([[0.0], np.cumsum(counts)])
    places = np.arange(int(walked[-1]) + 1)
    return np.stack([np.interp(places, walked, line[:, axis]) for axis in range(2)], axis=1)
