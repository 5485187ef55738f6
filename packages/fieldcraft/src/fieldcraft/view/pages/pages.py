"""Pages: pictures side by side with titles, legends and a caption; pictures for notebooks."""

from __future__ import annotations

import base64
import html
import importlib.util
import io
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, MissingLibrary
from fieldcraft.base.pictured import Pictured
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.teams.teams import Teams
from fieldcraft.paths import Path
from fieldcraft.space import Space
from fieldcraft.values.operand import Operand
from fieldcraft.view.drawing.brush import ASCENT, LINE, measure, wrapped, write
from fieldcraft.view.drawing.overlays import draw_dots, draw_lines
from fieldcraft.view.film.film import checked_frame
from fieldcraft.view.frame import Drawing, Team, frame, frame_teams, scale_for
from fieldcraft.view.pages.legends import Legend, ScaleLegend, TeamLegend
from fieldcraft.view.pages.meanings import meaning_of
from fieldcraft.view.pixels.pixel_plan import DARK, LIGHT, RGBA, ColorScale, Theme, theme_of
from fieldcraft.view.pixels.placement import Placement, subject_of

MARGIN = 18
GAP = 14
TITLE = 1.5
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
        meaning = meaning_of(layer, light=theme_of(ground) is LIGHT)
        subject, base = subject_of(meaning.layer, drawing.get("space"))
        if colors is None and limits is None and threshold == 0 and meaning.colors is not None:
            shown = meaning.colors
        else:
            shown = scale_for(subject, colors, limits, threshold, ground)
        values = subject.values
        beyond = (values.min() < np.float32(shown.low), values.max() > np.float32(shown.high))
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
        key = ScaleLegend(shown, legend, beyond, meaning.percent, opacity)
        if isinstance(caption, str) and not caption:
            caption = meaning.caption
    return page(
        [drawn],
        legend=key,
        title=name if title is None else title,
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
    theme = LIGHT if checks.flag("light", light) else DARK
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
    is_one = legend is None or isinstance(legend, Legend)
    if is_one:
        below = None
    else:
        below = checks.sequence("legend", legend)
    counts = {len(pictures), len(names)}
    if below is not None:
        counts.add(len(below))
    if not pictures or len(counts) > 1 or not all(isinstance(each, Legend) for each in below or ()):
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
    head = LINE + 3 if any(names) else 0
    wide = max(*(shown.shape[1] for shown in pictures), *(measure(name) for name in names), 1)
    high = max(shown.shape[0] for shown in pictures)
    down = -(-len(pictures) // across)
    grid = (across * wide + (across - 1) * GAP, down * (high + head) + (down - 1) * GAP)
    if isinstance(legend, Legend):
        key = legend.beside(grid[1] - head, theme)
    else:
        key = None
    content = grid[0] + (0 if key is None else 22 + key.shape[1])
    content = max(content, measure(title, scale=TITLE, bold=True), 160 if caption else 0)
    if caption:
        lines = wrapped(caption, content)
    else:
        lines = []
    top = MARGIN + (round(LINE * TITLE) + 8 if title else 0)
    body = max(grid[1], 0 if key is None else head + key.shape[0])
    foot = len(lines) * LINE
    drawn = _blank(top + body + (foot + 8 if foot else 0) + MARGIN, content + 2 * MARGIN, theme)
    if title:
        baseline = MARGIN + round(ASCENT * TITLE)
        write(drawn, MARGIN, baseline, title, theme.text, scale=TITLE, bold=True)
    for i, (shown, name) in enumerate(zip(pictures, names, strict=True)):
        left = MARGIN + i % across * (wide + GAP)
        upper = top + i // across * (high + head + GAP)
        if name:
            write(drawn, left, upper + ASCENT, name, theme.text)
        _paste(drawn, shown, left, upper + head + (high - shown.shape[0]) // 2)
    if key is not None:
        _paste(drawn, key, MARGIN + grid[0] + 22, top + head)
    for i, text in enumerate(lines):
        write(drawn, MARGIN, top + body + 8 + ASCENT + i * LINE, text, theme.faint_text)
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
    drawn = _blank(height + 8 + key.shape[0], width, theme)
    drawn[:height] = shown
    _paste(drawn, key[:, :width], 0, height + 8)
    return drawn


def _paste(drawn: RGBA, shown: RGBA, left: int, top: int) -> None:
    part = drawn[top : top + shown.shape[0], left : left + shown.shape[1]]
    if (shown[..., 3] == 255).all():
        part[:] = shown
        return
    alpha = shown[..., 3:] / 255
    part[..., :3] = np.rint(part[..., :3] * (1 - alpha) + shown[..., :3] * alpha)


_PATH = "#ffd166"
_SIDE = 480  # pixels along the longer side, at most


def as_png(shown: Pictured) -> bytes | None:
    """Return a picture of a map, of a space and its walls, of teams, or of a path on its map, as
    the bytes of a PNG; None where it can't be drawn.
    """
    try:
        from PIL import Image

        drawn = _drawn(shown)
    except (ImportError, MissingLibrary, InvalidValue):
        return None
    encoded = io.BytesIO()
    Image.fromarray(drawn).save(encoded, "PNG")
    return encoded.getvalue()


def as_html(imap: InfluenceMap) -> str:
    """Return the layers of an influence map, each with its picture."""
    rows = "".join(_row(name, layer) for name, layer in imap.layers.items())
    return f"<p>{html.escape(repr(imap))}</p><table>{rows}</table>"


def _row(name: str, layer: Operand) -> str:
    png = as_png(layer)
    image = ""
    if png is not None:
        data = base64.b64encode(png).decode()
        image = f'<img src="data:image/png;base64,{data}" alt="{html.escape(name)}">'
    return f"<tr><td>{image}</td><td>{html.escape(repr(layer))}</td></tr>"


def _drawn(shown: Pictured) -> RGBA:
    if isinstance(shown, Space):
        return _ground(shown)
    if isinstance(shown, Path):
        return _path(shown)
    assert isinstance(shown, Operand | Teams)
    if importlib.util.find_spec("matplotlib") is not None:
        return picture(shown, size=_SIDE)
    return (frame_teams if isinstance(shown, Teams) else frame)(shown, size=_SIDE)


def _ground(space: Space) -> RGBA:
    return frame(np.zeros(space.shape, dtype=np.float32), space=space, size=_SIDE)


def _path(path: Path) -> RGBA:
    """Return a path on the ground of its map, with a dot at its start and a larger one at its goal.
    A path over an edge that wraps is broken there.
    """
    drawn = _ground(path.space)
    place = Placement(path.space, size=_SIDE)
    if not path.found:
        return drawn
    places = path.at(np.linspace(0, path.length, 4 * _SIDE))
    gaps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    broken = 1 + np.flatnonzero(gaps > 8 * path.length / (4 * _SIDE) + 1e-9)
    draw_lines(drawn, place, np.split(places, broken), color=_PATH, width=3.0)
    draw_dots(drawn, place, places[:1], color=_PATH, width=9.0)
    draw_dots(drawn, place, places[-1:], color=_PATH, width=14.0)
    return drawn
