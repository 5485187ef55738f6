"""Drawn over a picture of `frame`: lines, dots, arrows, candidates, and markers for sources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.query.question import Candidates
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.lines import line_of
from fieldcraft.view.drawing.brush import Brush
from fieldcraft.view.drawing.letters import blend_pixels, write
from fieldcraft.view.palettes import Color, parse_color, tinted
from fieldcraft.view.pixels.pixel_plan import RGBA, Floats
from fieldcraft.view.pixels.placement import Placement
from fieldcraft.view.pixels.themes import RGB

POSITIVE: RGB = (255, 96, 56)
NEGATIVE: RGB = (48, 140, 255)
_IDLE: RGB = (150, 156, 168)
_BY_SIGN = np.array([_IDLE, POSITIVE, NEGATIVE], dtype=np.uint8)
"""The fillings of markers for strengths of 0, above and below."""
_SHADE: RGB = (8, 9, 12)
_WIDEST = 1000  # pixels
_SMALLEST = 2.0  # pixels

# Colors of candidates: the removed ones, the others in shades of green, and the letters.
_REMOVED = "#6d7380"
_GREEN = "#4be08a"
_SHADES = 8
_DARKEST = 0.3  # of the table
_TEXT = (244, 245, 247)


def draw_lines(
    picture: RGBA,
    place: Placement,
    lines: Iterable[Any],
    *,
    color: Color = "#f4f5f7",
    width: float = 1.6,
    shade: float = 0.7,
) -> None:
    """Draw lines given in world units, such as paths and front lines, onto a picture of `frame`.

    Parameters
    ----------
    picture : ndarray
        uint8 of shape (H, W, 4), changed in place.
    place : Placement
        The placement with the `scale`, `size` and `crop` of the picture.
    lines : Path, front line, or iterable of these or of array_like of shape (N, 2)
        The points of each line, joined in order; parts outside of the picture are cut off.
    color : str or (int, int, int), optional
        Of the lines.
    width : float, optional
        In pixels.
    shade : float, optional
        How dark the outline around the lines is, 0 for none to 1.

    Raises
    ------
    InvalidValue
        For a picture of another size than the placement's, and for points that are not finite.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(8, 4)
    >>> picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=10)
    >>> path = fc.shortest_path(grid, (0.5, 2.5), (7.5, 2.5))
    >>> fc.view.draw_lines(picture, fc.view.Placement(grid, scale=10), path, width=4)
    >>> picture[25, 40]
    array([244, 245, 247, 255], dtype=uint8)
    """
    if line_of(lines) is not lines:
        listed = [lines]
    else:
        listed = checks.sequence("lines", lines)
    _draw(picture, place, [line_of(line) for line in listed], color, width, shade)


def draw_dots(
    picture: RGBA,
    place: Placement,
    positions: ArrayLike,
    *,
    color: Color = "#f4f5f7",
    width: float = 6.0,
    shade: float = 0.7,
) -> None:
    """Draw dots at world positions, such as units, onto a picture of `frame`.

    Parameters
    ----------
    picture, place, color, shade
        As for `draw_lines`.
    positions : array_like of shape (2,) or (N, 2)
        World positions, or objects with a `position`.
    width : float, optional
        Of a dot, in pixels.

    Raises
    ------
    InvalidValue
        As for `draw_lines`.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(8, 4)
    >>> picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=10)
    >>> place = fc.view.Placement(grid, scale=10)
    >>> fc.view.draw_dots(picture, place, [(2.5, 1.5), (6.5, 3.5)], width=8)
    >>> picture[15, 25]
    array([244, 245, 247, 255], dtype=uint8)
    """
    axes = 2
    if checks.array("Positions", line_of(positions)).shape[-1:] == (3,):
        axes = 3
    points, _ = checks.positions(line_of(positions), dimensions=axes)
    _check_picture(picture, place)
    wide = checks.positive("width", width, maximum=_WIDEST)
    pixels = place.pixel_of(points)
    tone = parse_color(color)
    dark = checks.fraction("shade", shade)
    if len(pixels):
        _with_outline(picture, pixels, pixels, wide, tone, dark)


def _draw(
    picture: RGBA,
    place: Placement,
    lines: Iterable[ArrayLike],
    color: Color,
    width: float,
    shade: float,
) -> None:
    """Draw lines with a dark outline."""
    _check_picture(picture, place)
    wide = checks.positive("width", width, maximum=_WIDEST)
    drawn = []
    for line in lines:
        pixels = np.atleast_2d(place.pixel_of(line))
        if len(pixels):
            drawn.append(pixels)
    tone = parse_color(color)
    dark = checks.fraction("shade", shade)
    if not drawn:
        return
    starts = np.concatenate([line[: max(len(line) - 1, 1)] for line in drawn])
    ends = np.concatenate([line[min(len(line) - 1, 1) :] for line in drawn])
    _with_outline(picture, starts, ends, wide, tone, dark)


def _with_outline(
    picture: RGBA, starts: Floats, ends: Floats, width: float, color: RGB, shade: float
) -> None:
    """Draw straight lines with round ends and a dark outline."""
    if shade:
        _segments(picture, starts, ends, width + 2.4, _SHADE, shade)
    _segments(picture, starts, ends, width, color, 1.0)


def _segments(
    picture: RGBA, starts: Floats, ends: Floats, width: float, color: RGB, opacity: float
) -> None:
    """Draw straight lines with round ends; where they overlap the color counts once."""
    height, wide = picture.shape[:2]
    mask = np.ascontiguousarray(Brush(height, wide).mask_of(starts, ends, width)[:, :wide])
    covered = mask.reshape(-1)
    # Of truth values in one row this takes a tenth of the time of numbers in rows and columns.
    places = np.flatnonzero(covered != 0)
    rows, columns = np.divmod(places, wide)
    blend_pixels(picture, rows, columns, covered[places] * (opacity / 255), color)


def _check_picture(picture: RGBA, place: Placement) -> None:
    """Refuse a picture that can't be drawn on, or is of another size than its placement."""
    checks.instance(
        place, Placement, "A place is a Placement", "Pass fieldcraft.view.Placement(space, ...)"
    )
    given: object = picture
    if isinstance(given, np.ndarray):
        got = f"{given.dtype} of shape {given.shape}"
    else:
        got = type(given).__name__
    if got != f"uint8 of shape {(*place.shape, 4)}":
        raise InvalidValue(
            f"A picture is uint8 and has the size of its placement, {(*place.shape, 4)}",
            got=got,
            remedy=(
                "Pass what frame(layer) returns, and Placement(space, scale=..., size=...,"
                " crop=...) with the arguments of the frame"
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
    """Draw the directions of a layer of vectors onto a picture of `frame`, evenly spaced.

    Parameters
    ----------
    picture, place, color
        As for `draw_lines`.
    space : Grid
        The grid of the vectors, which may be coarser than that of the picture.
    vectors : array_like
        (height, width, 2), (x, y) in world axes, such as `layer.vectors`.
    limit : float, optional
        The length that gets the longest arrow; shorter vectors get shorter arrows, down to half.
        By default the longest vector.
    threshold : float, optional
        No arrow where the vector is not longer.
    spacing : float, optional
        Pixels between arrows.

    Raises
    ------
    InvalidValue
        For a picture of another size than the placement's, and vectors of another shape.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(8, 4)
    >>> picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=10)
    >>> before = picture.copy()
    >>> east = np.full((*grid.shape, 2), (1.0, 0.0))
    >>> place = fc.view.Placement(grid, scale=10)
    >>> fc.view.draw_arrows(picture, place, grid, east, spacing=20)
    >>> bool((picture[10] != before[10]).any())
    True
    """
    _check_picture(picture, place)
    space = grid_of(space, "A picture with arrows")
    rule = "Vectors are finite numbers"
    given = checks.array_of(vectors, (*space.shape, 2), "iuf", rule, "Pass layer.vectors")
    if not np.isfinite(given).all():
        raise InvalidValue(rule, got="NaN or infinity", remedy="Pass layer.vectors")
    distance = checks.finite("spacing", spacing)
    if distance < 1:
        raise InvalidValue(
            "Arrows are at least a pixel apart", got=f"spacing={spacing!r}", remedy="Pass 22, say"
        )
    pixels = _evenly_spaced(picture.shape[1], picture.shape[0], distance)
    cells = np.asarray(space.cell_at(place.position_of(pixels), outside="clamp"))
    arrows = given.reshape(-1, 2)[cells].astype(np.float64)
    if space.y_up:
        arrows[:, 1] = -arrows[:, 1]
    lengths = np.hypot(arrows[:, 0], arrows[:, 1])
    shown = lengths > checks.not_negative("threshold", threshold)
    if limit is None:
        longest = float(lengths.max())
    else:
        longest = checks.positive("limit", limit)
    pixels = pixels[shown]
    arrows = arrows[shown]
    lengths = lengths[shown]
    arrows *= (0.8 * distance * np.clip(lengths / longest, 0.5, 1.0) / lengths)[:, np.newaxis]
    tips = pixels + arrows / 2
    tails = pixels - arrows / 2
    side = np.stack([-arrows[:, 1], arrows[:, 0]], axis=1) * 0.2
    starts = np.concatenate([tails, tips, tips])
    ends = np.concatenate([tips, tips - 0.32 * arrows + side, tips - 0.32 * arrows - side])
    _segments(picture, starts, ends, 3.4, _SHADE, 0.5)
    _segments(picture, starts, ends, 1.4, parse_color(color), 1.0)


def _evenly_spaced(width: int, height: int, distance: float) -> Floats:
    """Return pixels (N, 2) at even spacing, centered in a picture."""
    axes = []
    for side in (width, height):
        count = max(int(side / distance), 1)
        first = (side - distance * (count - 1)) / 2
        axes.append(first + distance * np.arange(count))
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)


def draw_markers(
    picture: RGBA,
    pixels: Floats,
    strengths: Floats,
    largest: float,
    color: RGB | None = None,
    *,
    is_opaque: bool,
) -> None:
    """Draw one marker per source at pixels (N, 2), the strongest first, so that weaker ones are on
    top. `is_opaque` says whether all pixels of the picture are.

    The filling is `color`, or orange for positive strengths and blue for negative ones.
    """
    sizes = np.abs(strengths)
    sizes /= max(float(sizes.max(initial=0.0)), 1e-300)
    np.sqrt(sizes, out=sizes)
    sizes *= largest
    np.maximum(sizes, _SMALLEST, out=sizes)
    order = (-sizes).argsort(kind="stable")
    if color is None:
        fillings = _BY_SIGN
    else:
        fillings = np.array([color, color, color], dtype=np.uint8)
    words = picture.view(np.uint32)[..., 0]
    kernels.pictures.frame_pixels.markers(
        pixels, strengths, sizes, order, fillings, is_opaque, picture, words
    )


def draw_candidates(
    picture: RGBA,
    place: Placement,
    candidates: Candidates,
    *,
    width: float = 7.0,
    numbers: bool = False,
) -> None:
    """Draw the candidates of a question: removed ones small and gray, the others from dark to
    bright by score, the chosen ones in a ring.

    Parameters
    ----------
    picture : ndarray
        uint8 of shape (H, W, 4) of `frame`, changed in place.
    place : Placement
        The placement with the `scale`, `size` and `crop` of the picture.
    candidates : Candidates
        Of `answer.explain()`.
    width : float, optional
        Of a dot, in pixels.
    numbers : bool, optional
        Whether to write the scores of the chosen ones beside them.

    Raises
    ------
    InvalidValue
        For a picture of another size than the placement's.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(8, 4)
    >>> answer = fc.Question({"reach": 2}).ask(grid, me=(3.5, 1.5))
    >>> picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=10)
    >>> before = picture.copy()
    >>> fc.view.draw_candidates(picture, fc.view.Placement(grid, scale=10), answer.explain())
    >>> bool((picture != before).any())
    True
    """
    remedy = "Pass answer.explain()"
    checks.instance(candidates, Candidates, "Candidates are those of an answer", remedy)
    wide = checks.positive("width", width)
    positions = candidates.positions
    left = candidates.left
    scores = candidates.scores
    draw_dots(picture, place, positions[~left], color=_REMOVED, width=wide / 2, shade=0.4)
    share = np.where(left, 1.0, np.nan)
    if left.any():
        low = scores[left].min()
        high = scores[left].max()
        if high > low:
            share = (scores - low) / (high - low)
    for shade, row in enumerate(np.linspace(_DARKEST, 1, _SHADES)):
        some = np.rint(share * (_SHADES - 1)) == shade
        tone = tinted(_GREEN)[int(row * 200)].tolist()
        draw_dots(picture, place, positions[some], color=tuple(tone), width=wide)
    for cell in candidates.chosen.tolist():
        at = candidates.space.position_of(cell)
        draw_dots(picture, place, at, width=wide + 8)
        draw_dots(picture, place, at, color=_GREEN, width=wide + 2, shade=0)
        if checks.flag("numbers", numbers):
            x, y = place.pixel_of(at).astype(int).tolist()
            score = scores[candidates.cells == cell][0]
            write(picture, x + int(wide), y - int(wide), f"{score:.2f}", _TEXT, bold=True)
