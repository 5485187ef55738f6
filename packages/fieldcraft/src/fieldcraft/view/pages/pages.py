"""Pages: pictures side by side with titles, legends and a caption; pictures for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.teams.teams import Teams
from fieldcraft.view.drawing.letters import ASCENT, LINE, measure, wrapped, write
from fieldcraft.view.film.film import checked_frame
from fieldcraft.view.frame import Drawing, Team, frame, frame_teams, scale_for
from fieldcraft.view.pages.legends import Legend, ScaleLegend, TeamLegend
from fieldcraft.view.pages.meanings import meaning_of
from fieldcraft.view.pixels.color_scale import ColorScale
from fieldcraft.view.pixels.pixel_plan import RGBA
from fieldcraft.view.pixels.placement import Placement, subject_of
from fieldcraft.view.pixels.themes import DARK, LIGHT, Theme, theme_of

MARGIN = 18  # pixels around a page
GAP = 14  # pixels between its pictures
TITLE = 1.5  # the size of the letters of its title
_BESIDE = 22  # pixels between pictures and the legend beside them
_BETWEEN = 8  # pixels below a title and above a caption
_NARROWEST_CAPTION = 160  # pixels
_MOST_PIXELS = 2**27


def picture(
    layer: Any,
    *,
    title: str | None = None,
    caption: str = "",
    legend: str = "",
    colors: ColorScale | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float | None = 0.0,
    **drawing: Unpack[Drawing],
) -> RGBA:
    """Return a layer or teams with title, legend and caption.

    Parameters
    ----------
    layer : Layer, Expression, array_like, Teams or FlowField
        As for `frame`, or teams as for `frame_teams`. A team's share runs from the color of the
        others to its own; a distance map has its goals, a flow field its arrows, a pursuit its
        barrier, and equal beliefs everywhere are faint.
    title : str, optional
        Above the picture; by default the layer's name.
    caption : str
        Below the picture; by default a sentence where the picture needs one.
    legend : str
        The title of the legend: a color bar, or the names of teams.
    colors, limits, threshold
        As for `frame`; teams take no `colors`, and a threshold of at least 0.
    **drawing
        `space`, `scale`, `size`, `crop`, `sources`, `ground` and `opacity` as for `frame`.

    Returns
    -------
    ndarray
        uint8 of shape (H, W, 4).

    Raises
    ------
    InvalidValue
        Where `frame` or `page` does.
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
    ground = drawing.get("ground", "dark")
    opacity = drawing.get("opacity", 1.0)
    key: Legend
    if isinstance(layer, Teams):
        drawn = frame_teams(layer, limits=limits, threshold=threshold or 0.0, **drawing)
        teams = Team.all_of(layer)
        names = [team.label for team in teams]
        tones = [team.color for team in teams]
        key = TeamLegend(names, tones, legend, opacity)
        name = ""
    else:
        meaning = meaning_of(layer)
        subject, base = subject_of(meaning.layer, drawing.get("space"))
        shown = scale_for(meaning.layer, subject, colors, limits, threshold, ground)
        values = subject.values
        has_below = bool((values < np.float32(shown.low)).any())
        has_above = bool((values > np.float32(shown.high)).any())
        drawn = frame(meaning.layer, colors=shown, **drawing)
        if meaning.mark is not None and drawing.get("sources", True):
            place = Placement(
                base,
                scale=drawing.get("scale"),
                size=drawing.get("size", 1024),
                crop=drawing.get("crop", False),
            )
            meaning.mark(drawn, place)
        name = meaning.title or subject.name
        key = ScaleLegend(shown, legend, (has_below, has_above), meaning.percent, opacity)
        if isinstance(caption, str) and not caption:
            caption = meaning.caption
    if title is None:
        title = name
    return page(
        [drawn],
        legend=key,
        title=title,
        caption=caption,
        light=theme_of(ground) is LIGHT,
    )


def page(
    frames: Sequence[RGBA],
    titles: Sequence[str] | None = None,
    *,
    columns: int | None = None,
    legend: ColorScale | Legend | Sequence[Legend] | None = None,
    title: str = "",
    caption: str = "",
    light: bool = False,
) -> RGBA:
    """Return pictures side by side, each with a title, and with one legend, title and caption for
    all.

    Parameters
    ----------
    frames : sequence of array_like
        uint8 arrays of shape (h, w, 4), from `frame`, say; they may differ in size.
    titles : sequence of str, optional
        One per frame.
    columns : int, optional
        The number of frames in a row; by default all, up to four.
    legend : ColorScale, Legend or sequence of Legend, optional
        The color scale that the frames share, a `ScaleLegend` or `TeamLegend` for one with a
        title, or a legend for each frame, below it.
    title, caption : str
        Lines above and below; a long caption wraps.
    light : bool
        Whether the page is light, for frames with `ground="light"`.

    Returns
    -------
    ndarray
        uint8 of shape (H, W, 4).

    Raises
    ------
    InvalidValue
        For no frames, arrays that are no pictures, and a number of titles or legends that differs.
    MissingLibrary
        For words without Pillow, and for legends without matplotlib.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> drawn = [fc.view.frame([[0.0, 1.0], [2.0, 3.0]], scale=20, limits=(0, 3))] * 2
    >>> fc.view.page(drawn).shape
    (76, 130, 4)
    """
    if checks.flag("light", light):
        theme = LIGHT
    else:
        theme = DARK
    checks.text("title", title)
    checks.text("caption", caption)
    pictures = [checked_frame(shown, (4,)) for shown in checks.sequence("frames", frames)]
    if titles is None:
        names = [""] * len(pictures)
    else:
        names = checks.sequence("titles", titles)
    for name in names:
        checks.text("Each title", name)
    if isinstance(legend, ColorScale):
        legend = ScaleLegend(legend)
    below = None
    counts = {len(pictures), len(names)}
    are_legends = True
    if legend is not None and not isinstance(legend, Legend):
        below = checks.sequence("legend", legend)
        counts.add(len(below))
        are_legends = all(isinstance(each, Legend) for each in below)
    if not pictures or len(counts) > 1 or not are_legends:
        raise InvalidValue(
            "A page has at least one frame, and one title and legend per frame",
            got=f"{len(pictures)} frames, {len(names)} titles, legend={legend!r:.60}",
            remedy="Pass as many titles as frames, or none",
        )
    if below is not None:
        pictures = [
            _stacked(shown, each.below(shown.shape[1], theme), theme)
            for shown, each in zip(pictures, below, strict=True)
        ]
    if columns is None:
        across = 4
    else:
        across = checks.integer("columns", columns, minimum=1)
    across = min(across, len(pictures))
    down = -(-len(pictures) // across)
    # Each picture has a cell of `wide` x `high` pixels, with its title above, in a grid.
    wide = max(*(shown.shape[1] for shown in pictures), *(measure(name) for name in names), 1)
    high = max(shown.shape[0] for shown in pictures)
    head = 0
    if any(names):
        head = LINE + 3
    width = across * wide + (across - 1) * GAP
    body = down * (high + head) + (down - 1) * GAP
    content = width
    key = None
    if isinstance(legend, Legend):
        key = legend.beside(body - head, theme)
        content += _BESIDE + key.shape[1]
        body = max(body, head + key.shape[0])
    content = max(content, measure(title, scale=TITLE, bold=True))
    top = MARGIN
    if title:
        top += round(LINE * TITLE) + _BETWEEN
    lines = []
    foot = 0
    if caption:
        content = max(content, _NARROWEST_CAPTION)
        lines = wrapped(caption, content)
        foot = _BETWEEN + len(lines) * LINE
    drawn = _blank(top + body + foot + MARGIN, content + 2 * MARGIN, theme)
    if title:
        baseline = MARGIN + round(ASCENT * TITLE)
        write(drawn, MARGIN, baseline, title, theme.text, scale=TITLE, bold=True)
    for number, (shown, name) in enumerate(zip(pictures, names, strict=True)):
        row, column = divmod(number, across)
        left = MARGIN + column * (wide + GAP)
        upper = top + row * (high + head + GAP)
        if name:
            write(drawn, left, upper + ASCENT, name, theme.text)
        _paste(drawn, shown, left, upper + head)
    if key is not None:
        _paste(drawn, key, MARGIN + width + _BESIDE, top + head)
    baseline = top + body + _BETWEEN + ASCENT
    for text in lines:
        write(drawn, MARGIN, baseline, text, theme.faint_text)
        baseline += LINE
    return drawn


def _blank(height: int, width: int, theme: Theme) -> RGBA:
    """Return an empty page."""
    if height * width > _MOST_PIXELS:
        raise InvalidValue(
            f"A page has at most {_MOST_PIXELS:,} pixels",
            got=f"{width} x {height}",
            remedy="Draw the frames smaller",
        )
    return np.full((height, width, 4), (*theme.page, 255), dtype=np.uint8)


def _stacked(shown: RGBA, key: RGBA, theme: Theme) -> RGBA:
    """Return a picture with its legend below it."""
    height, width = shown.shape[:2]
    drawn = _blank(height + _BETWEEN + key.shape[0], width, theme)
    drawn[:height] = shown
    _paste(drawn, key[:, :width], 0, height + _BETWEEN)
    return drawn


def _paste(drawn: RGBA, shown: RGBA, left: int, top: int) -> None:
    """Draw a picture onto a page."""
    part = drawn[top : top + shown.shape[0], left : left + shown.shape[1]]
    if (shown[..., 3] == 255).all():
        part[:] = shown
        return
    alpha = shown[..., 3:] / 255
    part[..., :3] = np.rint(part[..., :3] * (1 - alpha) + shown[..., :3] * alpha)
