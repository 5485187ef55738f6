"""Drawn over a picture of `frame`: lines, dots, arrows, and markers for sources."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.adjacency import line_of
from fieldcraft.view.brush import Brush
from fieldcraft.view.palettes import Color, parse_color
from fieldcraft.view.placement import Placement
from fieldcraft.view.plan import RGBA, Floats
from fieldcraft.view.text import blend

__all__ = ["NEGATIVE", "POSITIVE", "draw_arrows", "draw_dots", "draw_lines", "draw_markers"]

RGB = tuple[int, int, int]

POSITIVE: RGB = (255, 96, 56)
NEGATIVE: RGB = (48, 140, 255)
_IDLE: RGB = (150, 156, 168)
_RING: RGB = (255, 255, 255)
_SHADE: RGB = (8, 9, 12)
_WIDEST = 1000  # pixels
_SMALLEST = 2.0
_SIGNED_FROM = 6.0


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

    Raises
    ------
    InvalidValue
        For a picture of another size than the placement's, and for points that are not finite.
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
    width: float,
    shade: float,
) -> None:
    _check_picture(picture, place)
    drawn = [line for line in (np.atleast_2d(place.pixel_of(line)) for line in lines) if len(line)]
    if not drawn:
        return
    # A line of one point is a dot.
    starts = np.concatenate([line[: max(len(line) - 1, 1)] for line in drawn])
    ends = np.concatenate([line[min(len(line) - 1, 1) :] for line in drawn])
    tone = parse_color(color)
    if dark := checks.fraction("shade", shade):
        _segments(picture, starts, ends, width + 2.4, _SHADE, dark)
    _segments(picture, starts, ends, width, tone, 1.0)


def _segments(
    picture: RGBA, starts: Floats, ends: Floats, width: float, color: RGB, opacity: float
) -> None:
    """Draw straight lines with round ends; where they overlap the color counts once."""
    mask = Brush(*picture.shape[:2]).mask_of(starts, ends, width)[:, : picture.shape[1]]
    rows, columns = np.nonzero(mask)
    share = mask[rows, columns, np.newaxis] * (opacity / 255)
    pixels = picture[rows, columns]
    under = pixels[:, 3:] / 255 * (1 - share)
    alpha = under + share
    mixed = (pixels[:, :3] * under + np.array(color) * share) / alpha
    picture[rows, columns] = np.rint(np.concatenate([mixed, alpha * 255], axis=1))


def _check_picture(picture: RGBA, place: Placement) -> None:
    """Refuse a picture that can't be drawn on, or is of another size than its placement."""
    checks.instance(
        place, Placement, "A place is a Placement", "Pass fieldcraft.view.Placement(space, ...)"
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


def draw_arrows(
    picture: RGBA,
    place: Placement,
    space: Grid,
    vectors: ArrayLike,
    *,
    limit: float | None = None,
    threshold: float = 0.0,
    spacing: float = 22.0,
    color: Color = "#f4f5f7",
) -> None:
    """Draw the directions of a layer of vectors onto a picture of `frame`, at places evenly far
    apart.

    Parameters
    ----------
    picture : RGBA
        Uint8 of shape (H, W, 4), changed in place.
    place : Placement
        A `Placement` with the `scale`, `size` and `crop` of the picture.
    space : Grid
        The grid of the vectors, which may be coarser than that of the picture.
    vectors : array_like
        (height, width, 2), (x, y) in world axes, such as `layer.vectors`.
    limit : float, optional
        The length that is drawn as long as `spacing` allows; longer ones are too, shorter ones in
        proportion, but never shorter than half. The longest there is if absent.
    threshold : float, optional
        No arrow where the vector is not longer.
    spacing : float, optional
        Pixels between arrows.

    Raises
    ------
    InvalidValue
        For a picture of another size than the placement's, and vectors of another shape.
    """
    _check_picture(picture, place)
    space, rule = grid_of(space, "A picture with arrows"), "Vectors are finite numbers"
    given = checks.array_of(vectors, (*space.shape, 2), "iuf", rule, "Pass layer.vectors")
    if not np.isfinite(given).all():
        raise InvalidValue(rule, got="NaN or infinity", remedy="Pass layer.vectors")
    apart = checks.finite("spacing", spacing)
    if apart < 1:
        raise InvalidValue(
            "Arrows are at least a pixel apart", got=f"spacing={spacing!r}", remedy="Pass 22, say"
        )
    across, down = (
        np.arange(max(int(side / apart), 1)) * apart
        + (side - apart * (max(int(side / apart), 1) - 1)) / 2
        for side in (picture.shape[1], picture.shape[0])
    )
    pixels = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
    cells = (place.position_of(pixels) - space.origin) / space.cell_size
    if space.y_up:
        cells[:, 1] = space.height - cells[:, 1]
    columns, rows = np.clip(
        np.floor(cells).astype(np.int64), 0, np.array([space.width, space.height]) - 1
    ).T
    ways = given[rows, columns].astype(np.float64)
    if space.y_up:
        ways[:, 1] = -ways[:, 1]
    lengths = np.hypot(ways[:, 0], ways[:, 1])
    shown = lengths > max(checks.not_negative("threshold", threshold), 0.0)
    if not shown.any():
        return
    pixels, ways, lengths = pixels[shown], ways[shown], lengths[shown]
    longest = float(lengths.max()) if limit is None else checks.positive("limit", limit)
    ways *= (0.8 * apart * np.clip(lengths / longest, 0.5, 1.0) / lengths)[:, np.newaxis]
    tips, tails = pixels + ways / 2, pixels - ways / 2
    side = np.stack([-ways[:, 1], ways[:, 0]], axis=1) * 0.2
    starts = np.concatenate([tails, tips, tips])
    ends = np.concatenate([tips, tips - 0.32 * ways + side, tips - 0.32 * ways - side])
    _segments(picture, starts, ends, 3.4, _SHADE, 0.5)
    _segments(picture, starts, ends, 1.4, parse_color(color), 1.0)


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
    magnitude = np.abs(strengths)
    share = np.sqrt(magnitude / max(float(magnitude.max(initial=0.0)), 1e-300))
    sizes = np.maximum(share * largest, _SMALLEST)
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
    return left, top, np.clip(radius + 0.5 - np.hypot(across, down), 0, 1)


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
