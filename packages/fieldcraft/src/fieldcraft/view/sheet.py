"""Whole pictures: frames side by side with titles, a legend and a caption, on a dark page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.canvas import checked_picture
from fieldcraft.view.colors import Color, ColorScale
from fieldcraft.view.frame import Team, frame, frame_teams, scale_for, team_scale
from fieldcraft.view.legend import INK, MUTED, PAGE, Legend, ScaleLegend, TeamLegend
from fieldcraft.view.placement import subject_of
from fieldcraft.view.text import ASCENT, LINE, measure, wrapped, write

__all__ = ["picture", "picture_teams", "sheet"]

RGBA = NDArray[np.uint8]

_MARGIN = 18
_GAP = 14
_TITLE = 1.5
_MOST_PIXELS = 2**27
_TEXT = (0.1, 50)


class Drawing(TypedDict, total=False):
    """The arguments that pictures hand on to frames."""

    space: Any
    scale: int | None
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
    text_scale: float = 1.0,
    caption_lines: int = 0,
    **drawing: Unpack[Drawing],
) -> RGBA:
    """A layer with its title, colour bar and caption: uint8 of shape (H, W, 4).

    `title` is the layer's name if absent, `legend` the title of the colour bar. The other arguments
    are those of `frame` and `sheet`.
    """
    subject, _ = subject_of(layer, drawing.get("space"))
    shown = scale_for(subject, colors, limits, threshold)
    beyond = (
        bool((subject.values < np.float32(shown.low)).any()),
        bool((subject.values > np.float32(shown.high)).any()),
    )
    return sheet(
        [frame(layer, colors=shown, **drawing)],
        legend=ScaleLegend(shown, legend, beyond=beyond, opacity=drawing.get("opacity", 1.0)),
        title=subject.name if title is None else title,
        caption=caption,
        text_scale=text_scale,
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
    text_scale: float = 1.0,
    caption_lines: int = 0,
    **drawing: Unpack[Drawing],
) -> RGBA:
    """Several layers, one hue each, with a legend that names them: uint8 of shape (H, W, 4).

    `teams` is as for `frame_teams`; the other arguments are those of `frame_teams` and `sheet`.
    """
    cast = Team.all_of(teams)
    shared = team_scale(cast, limits=limits, threshold=threshold)
    return sheet(
        [frame_teams(teams, limits=(shared.low, shared.high), threshold=threshold, **drawing)],
        legend=TeamLegend(cast, shared, legend, opacity=drawing.get("opacity", 1.0)),
        title=title,
        caption=caption,
        text_scale=text_scale,
        caption_lines=caption_lines,
    )


def sheet(
    frames: Sequence[RGBA],
    titles: Sequence[str] | None = None,
    *,
    columns: int | None = None,
    legend: ColorScale | Legend | None = None,
    title: str = "",
    caption: str = "",
    text_scale: float = 1.0,
    caption_lines: int = 0,
) -> RGBA:
    """Pictures side by side with a title each, and one legend, title and caption for all: uint8 of
    shape (H, W, 4).

    Parameters
    ----------
    frames:
        uint8 arrays of shape (h, w, 4), from `frame`, say; they may differ in size, and then stand
        side by side by their middles.
    titles:
        one per frame.
    columns:
        how many stand beside each other; all, up to four, if absent.
    legend:
        the colour scale that the frames share, or a `ScaleLegend` or `TeamLegend` for one with a
        title.
    title, caption:
        lines above and below; a long caption wraps.
    text_scale:
        1 for letters 10 pixels high, 2 for twice that; 0.1 to 50.
    caption_lines:
        lines to keep free for the caption at least, so that the frames of a film stay equal in
        size.

    Raises `InvalidValue` for no frames, arrays that are no pictures, a number of titles that
    differs, and letters of no size that can be drawn; `MissingLibrary` for words without Pillow.

    """
    checks.text("title", title), checks.text("caption", caption)
    pictures = [checked_picture(picture) for picture in checks.sequence("frames", frames)]
    if not pictures:
        raise InvalidValue(
            "A sheet has at least one frame",
            got="none",
            remedy="Pass the frames to lay side by side",
        )
    names = (
        [""] * len(pictures)
        if titles is None
        else [checks.text("Each title", name) for name in checks.sequence("titles", titles)]
    )
    if len(names) != len(pictures):
        raise InvalidValue(
            "A sheet has one title per frame",
            got=f"{len(names)} titles for {len(pictures)} frames",
            remedy="Pass as many titles as frames, or none",
        )
    across = (
        min(len(pictures), 4)
        if columns is None
        else min(checks.whole("columns", columns, minimum=1), len(pictures))
    )
    scale = checks.positive("text_scale", text_scale)
    if not _TEXT[0] <= scale <= _TEXT[1]:
        raise InvalidValue(
            f"text_scale is {_TEXT[0]} to {_TEXT[1]}",
            got=f"text_scale={text_scale!r}",
            remedy="Pass 1.5, say",
        )
    spare = checks.whole("caption_lines", caption_lines)
    key = ScaleLegend(legend) if isinstance(legend, ColorScale) else legend
    if key is not None and not (hasattr(key, "size") and hasattr(key, "draw")):
        raise InvalidValue(
            "A legend draws itself",
            got=type(key).__name__,
            remedy="Pass a ColorScale, a ScaleLegend or a TeamLegend",
        )

    head = round((LINE + 3) * scale) if any(names) else 0
    gap, margin = round(_GAP * scale), round(_MARGIN * scale)
    wide = max(
        max(picture.shape[1] for picture in pictures),
        *(measure(name, scale=scale) for name in names),
        1,
    )
    high = max(picture.shape[0] for picture in pictures)
    down = -(-len(pictures) // across)
    grid = (across * wide + (across - 1) * gap, down * (high + head) + (down - 1) * gap)
    key_size = key.size(scale, grid[1] - head) if key else (0, 0)
    content = grid[0] + (round(1.6 * gap) + key_size[0] if key else 0)
    content = max(
        content,
        measure(title, scale=_TITLE * scale, bold=True),
        round(160 * scale) if caption or spare else 0,
    )
    lines = wrapped(caption, content, scale=scale) if caption else []
    line = round(LINE * scale)
    top = margin + (round((LINE * _TITLE + 8) * scale) if title else 0)
    body = max(grid[1], head + key_size[1])
    foot = max(len(lines), spare) * line
    height = top + body + (foot + round(8 * scale) if foot else 0) + margin
    width = content + 2 * margin
    if height * width > _MOST_PIXELS:
        raise InvalidValue(
            f"A sheet has at most {_MOST_PIXELS:,} pixels",
            got=f"{width} x {height}",
            remedy="Draw the frames smaller",
        )

    page = np.empty((height, width, 4), dtype=np.uint8)
    page[:] = (*PAGE, 255)
    if title:
        write(
            page,
            margin,
            margin + round(ASCENT * _TITLE * scale),
            title,
            INK,
            scale=_TITLE * scale,
            bold=True,
        )
    for i, (shown, name) in enumerate(zip(pictures, names, strict=True)):
        left, upper = margin + i % across * (wide + gap), top + i // across * (high + head + gap)
        write(page, left, upper + round(ASCENT * scale), name, INK, scale=scale)
        _paste(page, shown, left, upper + head + (high - shown.shape[0]) // 2)
    if key:
        key.draw(page, margin + grid[0] + round(1.6 * gap), top + head, scale, grid[1] - head)
    for i, text in enumerate(lines):
        write(
            page,
            margin,
            top + body + round((8 + ASCENT) * scale) + i * line,
            text,
            MUTED,
            scale=scale,
        )
    return page


def _paste(page: RGBA, shown: RGBA, left: int, top: int) -> None:
    part = page[top : top + shown.shape[0], left : left + shown.shape[1]]
    if (shown[..., 3] == 255).all():
        part[:] = shown
        return
    alpha = shown[..., 3:] / 255
    part[..., :3] = np.rint(part[..., :3] * (1 - alpha) + shown[..., :3] * alpha)
