"""Pages: frames side by side with titles, legends and a caption, and plots by matplotlib."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Space
from fieldcraft.view.colors import ColorScale
from fieldcraft.view.frame import Team, frame, frame_teams, scale_for, team_scale
from fieldcraft.view.legends import (
    INK,
    MUTED,
    PAGE,
    Legend,
    ScaleLegend,
    TeamLegend,
)
from fieldcraft.view.palettes import Color
from fieldcraft.view.placement import subject_of
from fieldcraft.view.plan import RGBA
from fieldcraft.view.text import ASCENT, LINE, measure, wrapped, write

__all__ = ["GAP", "MARGIN", "TITLE", "picture", "picture_floors", "picture_teams", "sheet"]

MARGIN = 18
GAP = 14
TITLE = 1.5
_MOST_PIXELS = 2**27


class Drawing(TypedDict, total=False):
    """The arguments that pictures pass on to frames."""

    space: Space | None
    scale: float | None
    size: int
    crop: bool
    sources: bool
    ground: Color | ArrayLike | None
    opacity: float


def picture(
    layer: Any,
    *,
    title: str | None = None,
    caption: str = "",
    legend: str = "",
    colors: ColorScale | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float | None = 0.0,
    caption_lines: int = 0,
    **drawing: Unpack[Drawing],
) -> RGBA:
    """A layer with its title, color bar and caption.

    Parameters
    ----------
    layer : Layer, Expression or array_like
        As for `frame`.
    title : str, optional
        Above the picture; by default the layer's name.
    caption : str
        Below the picture.
    legend : str
        The title of the color bar.
    colors, limits, threshold
        As for `frame`.
    caption_lines : int
        Lines to reserve for the caption, see `sheet`.
    **drawing
        `space`, `scale`, `size`, `crop`, `sources`, `ground` and `opacity` as for `frame`.

    Returns
    -------
    ndarray
        uint8 of shape (H, W, 4).

    Raises
    ------
    InvalidValue
        Where `frame` or `sheet` does.
    MissingLibrary
        Without Pillow or matplotlib.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> values = [[0.0, 1.0], [2.0, 3.0]]
    >>> drawn = fc.view.picture(values, title="Heat", legend="degrees", size=200)
    >>> drawn.shape[2], drawn.dtype
    (4, dtype('uint8'))
    """
    subject, _ = subject_of(layer, drawing.get("space"))
    shown = scale_for(subject, colors, limits, threshold)
    beyond = (
        bool((subject.values < np.float32(shown.low)).any()),
        bool((subject.values > np.float32(shown.high)).any()),
    )
    return sheet(
        [frame(layer, colors=shown, **drawing)],
        legend=ScaleLegend(shown, legend, beyond, opacity=drawing.get("opacity", 1.0)),
        title=subject.name if title is None else title,
        caption=caption,
        caption_lines=caption_lines,
    )


def picture_teams(
    teams: Any,
    *,
    title: str = "",
    caption: str = "",
    legend: str = "",
    limits: tuple[float, float] | None = None,
    threshold: float = 0.0,
    caption_lines: int = 0,
    **drawing: Unpack[Drawing],
) -> RGBA:
    """Several layers, one hue each, with a legend that names them: uint8 of shape (H, W, 4).

    `teams` is as for `frame_teams`; the other arguments are those of `frame_teams` and `sheet`.
    """
    cast = Team.all_of(teams)
    shared = team_scale(cast, limits=limits, threshold=threshold)
    opacity = drawing.get("opacity", 1.0)
    return sheet(
        [frame_teams(teams, limits=(shared.low, shared.high), threshold=threshold, **drawing)],
        legend=TeamLegend(
            [team.label for team in cast], [team.color for team in cast], legend, opacity
        ),
        title=title,
        caption=caption,
        caption_lines=caption_lines,
    )


def picture_floors(
    layer: Any,
    floors: int | list[float],
    *,
    colors: ColorScale | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float | None = 0.0,
    size: int = 512,
    title: str = "",
    legend: str = "",
    caption: str = "",
    columns: int | None = None,
) -> RGBA:
    """A layer on a 3D graph floor by floor, side by side with one legend: uint8 of shape (H, W, 4).

    `floors` are the heights between which to cut, ascending, or how many slices of equal height to
    make. The other arguments are those of `frame` and `sheet`.
    """
    subject, space = subject_of(layer, None)
    if space.dimensions != 3 or not len(space):
        raise InvalidValue("Floors are those of a 3D graph", got=repr(space), remedy="Use frame()")
    pairs = floor_cuts(space, floors)
    shown = scale_for(subject, colors, limits, threshold)
    lowest = max(min(end - start for start, end in pairs), 1e-9)
    digits = max(0, 1 - math.floor(math.log10(lowest)))
    return sheet(
        [frame(layer, heights=pair, colors=shown, size=size) for pair in pairs],
        [
            f"floor {k}: z {start:.{digits}f} to {end:.{digits}f}"
            for k, (start, end) in enumerate(pairs, 1)
        ],
        columns=columns,
        legend=ScaleLegend(shown, legend),
        title=title or subject.name,
        caption=caption,
    )


def floor_cuts(space: Space, floors: int | list[float]) -> list[tuple[float, float]]:
    """The heights from which and up to which each floor of a 3D graph is drawn."""
    low, high = float(space.positions[:, 2].min()), float(space.positions[:, 2].max())
    if isinstance(floors, (int, np.integer)) and not isinstance(floors, bool):
        cuts = np.linspace(low, high, checks.integer("floors", floors, minimum=1) + 1)
    else:
        cuts = checks.array("floors", floors).astype(np.float64)
        if cuts.ndim != 1 or len(cuts) < 2 or not (np.diff(cuts) > 0).all():
            raise InvalidValue(
                "floors are heights, ascending",
                got=repr(floors)[:60],
                remedy="Pass [0, 4, 8], say, or how many",
            )
    cuts[-1] = np.nextafter(cuts[-1], np.inf)
    return list(itertools.pairwise(cuts.tolist()))


def sheet(
    frames: Sequence[RGBA],
    titles: Sequence[str] | None = None,
    *,
    columns: int | None = None,
    legend: ColorScale | Legend | Sequence[Legend] | None = None,
    title: str = "",
    caption: str = "",
    caption_lines: int = 0,
) -> RGBA:
    """Pictures side by side, each with a title, and with one legend, title and caption for all:
    uint8 of shape (H, W, 4).

    Parameters
    ----------
    frames : sequence of array_like
        uint8 arrays of shape (h, w, 4), from `frame`, say; they may differ in size.
    titles : sequence of str, optional
        One per frame.
    columns : int, optional
        How many frames stand beside each other; by default all, up to four.
    legend : ColorScale, Legend or sequence of Legend, optional
        The color scale that the frames share, a `ScaleLegend` or `TeamLegend` for one with a
        title, or a legend for each frame, below it.
    title, caption : str
        Lines above and below; a long caption wraps.
    caption_lines : int
        Lines to reserve for the caption at least, so that the frames of a film stay equal in size.

    Raises
    ------
    InvalidValue
        For no frames, arrays that are no pictures, and a number of titles or legends that differs.
    MissingLibrary
        For words without Pillow, and for legends without matplotlib.
    """
    checks.text("title", title), checks.text("caption", caption)
    pictures = [_checked_picture(picture) for picture in checks.sequence("frames", frames)]
    names = [""] * len(pictures) if titles is None else checks.sequence("titles", titles)
    for name in names:
        checks.text("Each title", name)
    if isinstance(legend, ColorScale):
        legend = ScaleLegend(legend)
    is_one = legend is None or isinstance(legend, Legend)
    below = None if is_one else checks.sequence("legend", legend)
    counts = {len(pictures), len(names), len(pictures) if below is None else len(below)}
    if not pictures or len(counts) > 1:
        raise InvalidValue(
            "A sheet has at least one frame, and one title and legend per frame",
            got=f"{len(pictures)} frames, {len(names)} titles, {len(below or [])} legends",
            remedy="Pass as many titles as frames, or none",
        )
    if below is not None:
        if not all(isinstance(each, Legend) for each in below):
            raise InvalidValue(
                "A legend draws itself",
                got=repr(below)[:60],
                remedy="Pass a ColorScale, a ScaleLegend or a TeamLegend",
            )
        pictures = [
            _below(shown, each.below(shown.shape[1]))
            for shown, each in zip(pictures, below, strict=True)
        ]
    across = 4 if columns is None else checks.integer("columns", columns, minimum=1)
    across = min(across, len(pictures))
    head = LINE + 3 if any(names) else 0
    spare = checks.integer("caption_lines", caption_lines)
    wide = max(*(shown.shape[1] for shown in pictures), *(measure(name) for name in names), 1)
    high = max(shown.shape[0] for shown in pictures)
    down = -(-len(pictures) // across)
    grid = (across * wide + (across - 1) * GAP, down * (high + head) + (down - 1) * GAP)
    key = legend.beside(grid[1] - head) if isinstance(legend, Legend) else None
    content = grid[0] + (0 if key is None else 22 + key.shape[1])
    content = max(content, measure(title, scale=TITLE, bold=True), 160 if caption or spare else 0)
    lines = wrapped(caption, content) if caption else []
    top = MARGIN + (round(LINE * TITLE) + 8 if title else 0)
    body = max(grid[1], 0 if key is None else head + key.shape[0])
    foot = max(len(lines), spare) * LINE
    height = top + body + (foot + 8 if foot else 0) + MARGIN
    width = content + 2 * MARGIN
    if height * width > _MOST_PIXELS:
        raise InvalidValue(
            f"A sheet has at most {_MOST_PIXELS:,} pixels",
            got=f"{width} x {height}",
            remedy="Draw the frames smaller",
        )
    page = np.full((height, width, 4), (*PAGE, 255), dtype=np.uint8)
    if title:
        baseline = MARGIN + round(ASCENT * TITLE)
        write(page, MARGIN, baseline, title, INK, scale=TITLE, bold=True)
    for i, (shown, name) in enumerate(zip(pictures, names, strict=True)):
        left, upper = MARGIN + i % across * (wide + GAP), top + i // across * (high + head + GAP)
        if name:
            write(page, left, upper + ASCENT, name, INK)
        _paste(page, shown, left, upper + head + (high - shown.shape[0]) // 2)
    if key is not None:
        _paste(page, key, MARGIN + grid[0] + 22, top + head)
    for i, text in enumerate(lines):
        write(page, MARGIN, top + body + 8 + ASCENT + i * LINE, text, MUTED)
    return page


def _below(shown: RGBA, key: RGBA) -> RGBA:
    """A picture with its legend below it."""
    height, width = shown.shape[:2]
    page = np.full((height + 8 + key.shape[0], width, 4), (*PAGE, 255), dtype=np.uint8)
    page[:height] = shown
    _paste(page, key[:, :width], 0, height + 8)
    return page


def _paste(page: RGBA, shown: RGBA, left: int, top: int) -> None:
    part = page[top : top + shown.shape[0], left : left + shown.shape[1]]
    if (shown[..., 3] == 255).all():
        part[:] = shown
        return
    alpha = shown[..., 3:] / 255
    part[..., :3] = np.rint(part[..., :3] * (1 - alpha) + shown[..., :3] * alpha)


def _checked_picture(shown: ArrayLike) -> RGBA:
    array = checks.array("A frame", shown)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 4 or array.size == 0:
        raise InvalidValue(
            "A frame is uint8 of shape (H, W, 4)",
            got=f"shape {array.shape}, dtype {array.dtype}",
            remedy="Pass what frame(layer) returns",
        )
    return array
