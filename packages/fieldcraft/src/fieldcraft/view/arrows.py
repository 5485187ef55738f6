"""Arrows over a picture of a layer of vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.brush import Brush
from fieldcraft.view.colors import Color, parse_color
from fieldcraft.view.lines import check_picture
from fieldcraft.view.placement import GridLike, Placement, square

__all__ = ["draw_arrows"]

RGBA = NDArray[np.uint8]

_SHADE = (8, 9, 12)


def draw_arrows(
    picture: RGBA,
    place: Placement,
    space: GridLike,
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
    picture: uint8 of shape (H, W, 4), changed in place.
    place: a `Placement` with the `scale`, `size` and `crop` of the picture.
    space: the grid of the vectors, which may be coarser than that of the picture.
    vectors: (height, width, 2), (x, y) in world axes, such as `layer.vectors`.
    limit: the length that is drawn as long as `spacing` allows; longer ones are too, shorter ones
        in proportion, but never shorter than half. The longest there is if absent.
    threshold: no arrow where the vector is not longer.
    spacing: pixels between arrows.

    Raises `InvalidValue` for a picture of another size than the placement's, and vectors of another
    shape.
    """
    check_picture(picture, place)
    space, given = square(space), checks.array("Vectors", vectors)
    if (
        given.shape != (*space.shape, 2)
        or given.dtype.kind not in "iuf"
        or not np.isfinite(given).all()
    ):
        raise InvalidValue(
            "Vectors are finite numbers of shape (height, width, 2)",
            got=f"{given.dtype} of shape {given.shape} on {space.shape}",
            remedy="Pass layer.vectors",
        )
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
    brush = Brush(*picture.shape[:2])
    brush.segments(picture, starts, ends, 3.4, _SHADE, 0.5)
    brush.segments(picture, starts, ends, 1.4, parse_color(color), 1.0)
