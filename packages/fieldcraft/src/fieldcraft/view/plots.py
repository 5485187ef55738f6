"""Plots: numbers over time, estimates along an axis, and estimates row by row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import TEAM_COLORS, Color, parse_color
from fieldcraft.view.legend import INK, ticks
from fieldcraft.view.panels import (
    CheckedPanel,
    IntervalPanel,
    column_of,
    curves_of,
    limits_of,
    names_of,
    panels_of,
    places_of,
    span_of,
)
from fieldcraft.view.plot_page import (
    GRID,
    MARGIN,
    MARK,
    PAPER,
    RGB,
    TITLE,
    PlotPage,
    amount,
    numbers_across,
    styled,
    tone_of,
    upright,
    widest,
)
from fieldcraft.view.text import ASCENT, LINE, measure, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_curves", "plot_intervals", "plot_over_time"]

RGBA = NDArray[np.uint8]

_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
_SMALLEST, _LARGEST = (240, 160), 16_384
_PANEL_HEIGHT, _NARROWEST = 230, 180
_ROW, _ROW_GAP, _GAP, _NARROWEST_ROWS = 17, 11, 28, 90
_NUMBERS, _NUMBERS_UP = 6, 5
_NUMBERS_BELOW = 26  # pixels that the numbers below a panel take
_BAND = 0.22


def plot_over_time(
    seconds: ArrayLike,
    curves: Sequence[tuple[str, ArrayLike, Color | None]],
    *,
    title: str = "",
    caption: str = "",
    limits: tuple[float, float] | None = None,
    percent: bool = False,
    width: int = 960,
    height: int = 440,
) -> RGBA:
    """Numbers over time as lines, each with its name at its end: uint8 of shape (height, width, 4).

    Parameters
    ----------
    seconds:
        the moments, shape (N,), rising, at least one.
    curves:
        (name, values of shape (N,), color) of each line; a colour of None takes the next of
        `TEAM_COLORS`.
    limits:
        (low, high) of the upright axis; 0 and all values if absent.
    percent:
        whether 1 is written as 100 %.
    width, height:
        pixels, at least 240 x 160, and enough for the words.

    Raises `InvalidValue` for no curves, lengths that differ, and numbers that are not finite, and
    `MissingLibrary` without matplotlib.

    """
    given = curves_of(curves)
    if not given:
        raise InvalidValue(
            "A plot has at least one curve",
            got="none",
            remedy="Pass [('red', values, '#ff8a3c')], say",
        )
    times = column_of("seconds", seconds)
    if (np.diff(times) <= 0).any():
        raise InvalidValue(
            "The moments of a plot rise",
            got=repr(times.tolist())[:60],
            remedy="Sort them, and drop repeats",
        )
    lines = [column_of(f"Values of {name!r}", values, len(times)) for name, values, _ in given]
    names = [name for name, _, _ in given]
    checks.text("title", title), checks.text("caption", caption), checks.flag("percent", percent)
    least = max(
        _SMALLEST[0],
        150 + max(measure(name) for name in names),
        measure(title, scale=TITLE, bold=True) + 2 * MARGIN,
    )
    lowest = _SMALLEST[1] + LINE * len(
        wrapped(caption, max(width, least) - 2 * MARGIN) if caption else ()
    )
    if (
        checks.whole("width", width, maximum=_LARGEST) < least
        or checks.whole("height", height, maximum=_LARGEST) < lowest
    ):
        raise InvalidValue(
            f"This plot is at least {least} x {lowest} pixels",
            got=f"{width} x {height}",
            remedy="Enlarge it, or say less",
        )
    tones = _tones(names, [color for _, _, color in given])
    low, high = (
        limits_of("plot", limits) if limits is not None else span_of(np.array(lines), room=0.0)
    )
    with styled():
        page = PlotPage(width, title, caption)
        left, right = (
            MARGIN + widest(low, high, _NUMBERS, percent),
            width - MARGIN - 10 - max(measure(name) for name in names),
        )
        box = (left, page.top, right - left, height - page.top - page.foot - _NUMBERS_BELOW)
        axes = page.axes(box, height)
        for line, tone in zip(lines, tones, strict=True):
            axes.plot(times, np.clip(line, low, high), color=PAPER, linewidth=4.5, clip_on=False)
            axes.plot(times, np.clip(line, low, high), color=tone, clip_on=False)
        first, last = float(times[0]), float(times[-1])
        across = box[2] / max(last - first, 1e-9)
        step = next(
            (step for step in _STEPS if step * across >= 70),
            3600 * math.ceil(max(last - first, 1) / 3600 / 8),
        )
        moments = np.arange(math.ceil(first / step) * step, last + 1e-9, step).tolist()
        axes.set_xticks(moments, labels=[_moment(moment, last) for moment in moments])
        axes.set_xlim(first, last if last > first else first + 1)
        upright(axes, low, high, _NUMBERS, percent)
        heights = [
            (min(max(float(line[-1]), low), high) - low) / (high - low) * box[3] for line in lines
        ]
        for name, placed, tone in zip(names, _apart(heights, 0, box[3]), tones, strict=True):
            axes.annotate(
                name,
                (1, 0),
                (10, placed),
                xycoords="axes fraction",
                textcoords="offset pixels",
                color=tone,
                va="center",
            )
        return page.pixels(height)


def plot_curves(
    places: ArrayLike,
    series: Sequence[str],
    panels: Sequence[IntervalPanel],
    *,
    axis: str = "",
    log: bool = False,
    colors: Sequence[Color | None] | None = None,
    title: str = "",
    caption: str = "",
    columns: int = 3,
    width: int = 1100,
) -> RGBA:
    """Estimates as lines with bands that say how sure they are: uint8 of shape (H, width, 4), as
    high as the panels need.

    Parameters
    ----------
    places: where on the axis across the values lie: (N,) numbers that rise, above 0 if `log`.
    series: the names of what is compared, with `colors` of their own; a colour of None takes the
        next of `TEAM_COLORS`.
    panels: the quantities, their arrays of shape (N, series).
    axis: what the numbers across are; `log` whether equal ratios are equally far apart there.
    columns: how many panels stand beside each other at most.

    Raises `InvalidValue` for nothing to show, places that don't rise, arrays of another shape,
    infinite numbers, and too small a width, and `MissingLibrary` without matplotlib.

    """
    series, drawn = names_of("series", series), panels_of(panels)
    if not series or not drawn:
        raise InvalidValue(
            "A plot of curves has a series and a panel at least",
            got=f"{len(series)} and {len(drawn)}",
            remedy="Pass names and at least one IntervalPanel",
        )
    checks.text("title", title), checks.text("caption", caption), checks.text("axis", axis)
    across = places_of(places, checks.flag("log", log))
    tones = _tones(series, colors)
    known = [CheckedPanel(panel, (len(across), len(series))) for panel in drawn]
    beside = min(checks.whole("columns", columns, minimum=1), len(known))
    _wide_enough(width, beside * _NARROWEST, title, series, "pass fewer columns")
    room = (width - 2 * MARGIN + _GAP) // beside
    head, high = LINE + 6, _PANEL_HEIGHT
    step = head + high + _NUMBERS_BELOW + (LINE if axis else 0) + 6
    with styled():
        page = PlotPage(width, title, caption, tuple(zip(series, tones, strict=True)))
        height = page.top + -(-len(known) // beside) * step + page.foot
        for k, panel in enumerate(known):
            left, top = MARGIN + k % beside * room, page.top + k // beside * step + head
            indent = widest(panel.low, panel.high, _NUMBERS_UP, panel.percent)
            axes = page.axes((left + indent, top, room - _GAP - indent, high), height)
            page.text(left, top - head + ASCENT, height, panel.title, INK, va="baseline")
            axes.set_xscale("log" if log else "linear")
            numbers_across(axes, across, room - _GAP - indent, log)
            axes.set_xlabel(axis)
            _draw_curves(axes, panel, across, tones)
        return page.pixels(height)


def _draw_curves(
    axes: Axes, panel: CheckedPanel, across: NDArray[np.float64], tones: Sequence[RGB]
) -> None:
    """Draw the bands of all series, and over them their lines and dots."""
    for k, tone in enumerate(tones):
        sure = ~np.isnan(panel.lows[:, k]) & ~np.isnan(panel.highs[:, k])
        axes.fill_between(
            across[sure],
            panel.lows[sure, k],
            panel.highs[sure, k],
            color=tone,
            alpha=_BAND,
            linewidth=0,
        )
    for k, tone in enumerate(tones):
        known = ~np.isnan(panel.values[:, k])
        seen = np.clip(panel.values[known, k], panel.low, panel.high)
        axes.plot(across[known], seen, "o-", color=tone, markeredgecolor=PAPER, clip_on=False)
    if panel.mark is not None and panel.low <= panel.mark <= panel.high:
        axes.axhline(panel.mark, color=MARK, linewidth=1, zorder=1)
    upright(axes, panel.low, panel.high, _NUMBERS_UP, panel.percent)


def plot_intervals(
    rows: Sequence[str],
    series: Sequence[str],
    panels: Sequence[IntervalPanel],
    *,
    colors: Sequence[Color | None] | None = None,
    title: str = "",
    caption: str = "",
    width: int = 1100,
) -> RGBA:
    """Estimates as dots with whiskers, row by row: uint8 of shape (H, width, 4), as high as the
    rows need.

    Parameters
    ----------
    rows: the names of the rows, from the top.
    series: the names of what is compared in each row, with `colors` of their own; a colour of None
        takes the next of `TEAM_COLORS`.
    panels: the quantities, from the left.
    width: pixels, enough for the title, the names and 90 a panel.

    Raises `InvalidValue` for no rows, series or panels, arrays of another shape, infinite numbers,
    and too small a width, and `MissingLibrary` without matplotlib.

    """
    rows, series, drawn = names_of("rows", rows), names_of("series", series), panels_of(panels)
    if not rows or not series or not drawn:
        raise InvalidValue(
            "A plot of intervals has a row, a series and a panel at least",
            got=f"{len(rows)}, {len(series)} and {len(drawn)}",
            remedy="Pass names and at least one IntervalPanel",
        )
    checks.text("title", title), checks.text("caption", caption)
    tones = _tones(series, colors)
    known = [CheckedPanel(panel, (len(rows), len(series))) for panel in drawn]
    names = max(measure(row) for row in rows)
    _wide_enough(
        width, names + len(known) * (_GAP + _NARROWEST_ROWS), title, series, "show fewer panels"
    )
    room = (width - 2 * MARGIN - names) // len(known) - _GAP
    heads = [wrapped(panel.title, room) for panel in known]
    high = len(rows) * (len(series) * _ROW + _ROW_GAP)
    head = max(len(lines) for lines in heads) * LINE + 2
    with styled():
        page = PlotPage(width, title, caption, tuple(zip(series, tones, strict=True)))
        height = page.top + head + high + _NUMBERS_BELOW + page.foot
        for k, (panel, lines) in enumerate(zip(known, heads, strict=True)):
            left = MARGIN + names + _GAP + k * (room + _GAP)
            axes = page.axes((left, page.top + head, room, high), height)
            page.text(left, page.top + head - 8, height, "\n".join(lines), INK, va="bottom")
            _draw_rows(axes, panel, tones)
            axes.set_yticks([])
            axes.set_ylim(len(rows) - 0.5, -0.5)
            numbers = ticks(panel.low, panel.high, max(2, min(6, room // 45)))
            axes.set_xticks(numbers, labels=[amount(value, panel.percent) for value in numbers])
            axes.set_xlim(panel.low, panel.high)
            axes.grid(axis="x")
            axes.spines["left"].set_visible(False)
        for i, row in enumerate(rows):
            page.text(
                MARGIN,
                page.top + head + round((i + 0.5) * high / len(rows)),
                height,
                row,
                INK,
                va="center",
            )
        return page.pixels(height)


def _draw_rows(axes: Axes, panel: CheckedPanel, tones: Sequence[RGB]) -> None:
    """Draw the dots and whiskers of a panel, those of a row below each other, as far as anything is
    known of their series.
    """
    present = np.flatnonzero(~np.isnan(panel.values).all(axis=0)).tolist()
    high = _ROW / (len(tones) * _ROW + _ROW_GAP)
    for line in np.arange(len(panel.values) + 1) - 0.5:
        axes.axhline(line, color=GRID, linewidth=1, zorder=1)
    if panel.mark is not None and panel.low <= panel.mark <= panel.high:
        axes.axvline(panel.mark, color=MARK, linewidth=1, zorder=1)
    for slot, k in enumerate(present):
        known = ~np.isnan(panel.values[:, k])
        sure = known & ~np.isnan(panel.lows[:, k]) & ~np.isnan(panel.highs[:, k])
        at = np.arange(len(known)) + (slot + 0.5 - len(present) / 2) * high
        lows, highs = (
            np.clip(side[sure, k], panel.low, panel.high) for side in (panel.lows, panel.highs)
        )
        axes.hlines(at[sure], lows, highs, color=tones[k], linewidth=1.6, clip_on=False)
        for ends in (lows, highs):
            axes.plot(ends, at[sure], "|", color=tones[k], markeredgewidth=1.6, clip_on=False)
        dots = np.clip(panel.values[known, k], panel.low, panel.high)
        axes.plot(
            dots, at[known], "o", color=tones[k], markeredgecolor=PAPER, clip_on=False, zorder=3
        )


def _tones(series: Sequence[str], colors: Sequence[Color | None] | None) -> list[RGB]:
    """The colour of each series."""
    wanted: list[Color | None] = (
        [None] * len(series) if colors is None else checks.sequence("colors", colors)
    )
    if len(wanted) != len(series):
        raise InvalidValue(
            "There is one colour per series",
            got=f"{len(wanted)} for {len(series)}",
            remedy="Pass None for usual ones",
        )
    return [
        tone_of(parse_color(TEAM_COLORS[i % len(TEAM_COLORS)] if color is None else color))
        for i, color in enumerate(wanted)
    ]


def _wide_enough(width: int, panels: int, title: str, series: Sequence[str], remedy: str) -> None:
    key = sum(16 + measure(name) + 24 for name in series) if len(series) > 1 else 0
    least = max(panels, measure(title, scale=TITLE, bold=True), key) + 2 * MARGIN
    if checks.whole("width", width, maximum=_LARGEST) < least:
        raise InvalidValue(
            f"This plot is at least {least} pixels wide",
            got=f"width={width}",
            remedy=f"Enlarge it, or {remedy}",
        )


def _moment(seconds: float, last: float) -> str:
    return f"{seconds:g} s" if last < 120 else f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _apart(rows: Sequence[float], bottom: float, top: float) -> list[float]:
    """The rows of labels, pushed apart so that none covers another, kept between `bottom` and `top`
    as far as they fit.
    """
    order = np.argsort(rows, kind="stable")
    placed = np.array(rows, dtype=np.float64)[order]
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + LINE)
    if placed[-1] > top:
        placed[-1] = top
        for i in range(len(placed) - 2, -1, -1):
            placed[i] = min(placed[i], placed[i + 1] - LINE)
    found = np.empty_like(placed)
    found[order] = np.maximum(placed, bottom)
    return [float(row) for row in found]
