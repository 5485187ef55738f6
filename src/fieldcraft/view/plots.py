"""Plots by matplotlib in the colors and letters of the other pictures; the only place that knows it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.view.colors import TEAM_COLORS, Color, parse_color
from fieldcraft.view.legend import INK, MUTED, PAGE, format_number, ticks
from fieldcraft.view.text import ASCENT, LINE, measure, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["IntervalPanel", "need_plots", "plot_curves", "plot_intervals", "plot_over_time"]

RGBA = NDArray[np.uint8]
RGB = tuple[float, float, float]

_MARGIN = 18
_TITLE = 1.5
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
_SMALLEST = (240, 160)
_PANEL_HEIGHT, _NARROWEST = 230, 180
_ROW, _ROW_GAP, _GAP, _NARROWEST_ROWS = 17, 11, 28, 90
_NUMBERS, _NUMBERS_UP = 6, 5
_NUMBERS_BELOW = 26  # pixels that the numbers below a panel take
_BAND = 0.22


def _tone(color: tuple[int, int, int]) -> RGB:
    return color[0] / 255, color[1] / 255, color[2] / 255


_GRID, _MARK = _tone((44, 48, 58)), _tone((120, 128, 144))
# One point is one pixel: figures are made at 72 dots an inch.
_STYLE: dict[str, Any] = {
    "figure.dpi": 72,
    "figure.facecolor": _tone(PAGE),
    "axes.facecolor": _tone(PAGE),
    "axes.edgecolor": _GRID,
    "axes.labelcolor": _tone(MUTED),
    "axes.labelsize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": _GRID,
    "xtick.color": _tone(MUTED),
    "ytick.color": _tone(MUTED),
    "xtick.labelsize": 13,
    "ytick.labelsize": 13,
    "ytick.major.size": 0,
    "ytick.major.pad": 8,
    "legend.frameon": False,
    "legend.fontsize": 13,
    "lines.linewidth": 2.2,
    "lines.markersize": 9,
    "font.size": 13,
    "font.family": "DejaVu Sans",
    "text.parse_math": False,
}


@dataclass(frozen=True)
class IntervalPanel:
    """One quantity of a plot of intervals.

    `values`, `lows` and `highs` have shape (rows, series); NaN where there is nothing to show, or no whisker. `limits` are those of
    the axis, 0 and everything shown if absent; `percent` writes 1 as 100 %; `mark` is a value with a line of its own.
    """

    title: str
    values: ArrayLike
    lows: ArrayLike
    highs: ArrayLike
    limits: tuple[float, float] | None = None
    percent: bool = False
    mark: float | None = None


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
        (name, values of shape (N,), color) of each line; a colour of None takes the next of `TEAM_COLORS`.
    limits:
        (low, high) of the upright axis; 0 and all values if absent.
    percent:
        whether 1 is written as 100 %.
    width, height:
        pixels, at least 240 x 160, and enough for the words.

    Raises `InvalidValue` for no curves, lengths that differ, and numbers that are not finite, and `MissingLibrary` without matplotlib.

    """
    given = _curves(curves)
    if not given:
        raise InvalidValue("A plot has at least one curve", got="none", remedy="Pass [('red', values, '#ff8a3c')], say")
    times = _column("seconds", seconds)
    if (np.diff(times) <= 0).any():
        raise InvalidValue("The moments of a plot rise", got=repr(times.tolist())[:60], remedy="Sort them, and drop repeats")
    lines = [_column(f"Values of {name!r}", values, len(times)) for name, values, _ in given]
    names = [name for name, _, _ in given]
    checks.text("title", title), checks.text("caption", caption), checks.flag("percent", percent)
    least = max(_SMALLEST[0], 150 + max(measure(name) for name in names), measure(title, scale=_TITLE, bold=True) + 2 * _MARGIN)
    lowest = _SMALLEST[1] + LINE * len(wrapped(caption, max(width, least) - 2 * _MARGIN) if caption else ())
    if checks.whole("width", width) < least or checks.whole("height", height) < lowest:
        raise InvalidValue(f"This plot is at least {least} x {lowest} pixels", got=f"{width} x {height}", remedy="Enlarge it, or say less")
    tones = _tones(names, [color for _, _, color in given])
    low, high = _limits("plot", limits) if limits is not None else _span(np.array(lines), room=0.0)
    with _styled():
        page = _Page(width, title, caption)
        left, right = _MARGIN + _widest(low, high, _NUMBERS, percent), width - _MARGIN - 10 - max(measure(name) for name in names)
        box = (left, page.top, right - left, height - page.top - page.foot - _NUMBERS_BELOW)
        axes = page.axes(box, height)
        for line, tone in zip(lines, tones, strict=True):
            axes.plot(times, np.clip(line, low, high), color=_tone(PAGE), linewidth=4.5, clip_on=False)
            axes.plot(times, np.clip(line, low, high), color=tone, clip_on=False)
        first, last = float(times[0]), float(times[-1])
        across = box[2] / max(last - first, 1e-9)
        step = next((step for step in _STEPS if step * across >= 70), 3600 * math.ceil(max(last - first, 1) / 3600 / 8))
        moments = np.arange(math.ceil(first / step) * step, last + 1e-9, step).tolist()
        axes.set_xticks(moments, labels=[_moment(moment, last) for moment in moments])
        axes.set_xlim(first, last if last > first else first + 1)
        _upright(axes, low, high, _NUMBERS, percent)
        heights = [(min(max(float(line[-1]), low), high) - low) / (high - low) * box[3] for line in lines]
        for name, placed, tone in zip(names, _apart(heights, 0, box[3]), tones, strict=True):
            axes.annotate(name, (1, 0), (10, placed), xycoords="axes fraction", textcoords="offset pixels", color=tone, va="center")
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
    """Estimates as lines with bands that say how sure they are: uint8 of shape (H, width, 4), as high as the panels need.

    Parameters
    ----------
    places: where on the axis across the values lie: (N,) numbers that rise, above 0 if `log`.
    series: the names of what is compared, with `colors` of their own; a colour of None takes the next of `TEAM_COLORS`.
    panels: the quantities, their arrays of shape (N, series).
    axis: what the numbers across are; `log` whether equal ratios are equally far apart there.
    columns: how many panels stand beside each other at most.

    Raises `InvalidValue` for nothing to show, places that don't rise, arrays of another shape, infinite numbers, and too small a width,
    and `MissingLibrary` without matplotlib.

    """
    series, drawn = _names("series", series), _panels(panels)
    if not series or not drawn:
        raise InvalidValue(
            "A plot of curves has a series and a panel at least",
            got=f"{len(series)} and {len(drawn)}",
            remedy="Pass names and at least one IntervalPanel",
        )
    checks.text("title", title), checks.text("caption", caption), checks.text("axis", axis)
    across = _across(places, checks.flag("log", log))
    tones = _tones(series, colors)
    known = [_Checked(panel, (len(across), len(series))) for panel in drawn]
    beside = min(checks.whole("columns", columns, minimum=1), len(known))
    _wide_enough(width, beside * _NARROWEST, title, series, "pass fewer columns")
    room = (width - 2 * _MARGIN + _GAP) // beside
    head, high = LINE + 6, _PANEL_HEIGHT
    step = head + high + _NUMBERS_BELOW + (LINE if axis else 0) + 6
    with _styled():
        page = _Page(width, title, caption, tuple(zip(series, tones, strict=True)))
        height = page.top + -(-len(known) // beside) * step + page.foot
        for k, panel in enumerate(known):
            left, top = _MARGIN + k % beside * room, page.top + k // beside * step + head
            indent = _widest(panel.low, panel.high, _NUMBERS_UP, panel.percent)
            axes = page.axes((left + indent, top, room - _GAP - indent, high), height)
            page.text(left, top - head + ASCENT, height, panel.title, INK, va="baseline")
            axes.set_xscale("log" if log else "linear")
            _numbers_across(axes, across, room - _GAP - indent, log)
            axes.set_xlabel(axis)
            _draw_curves(axes, panel, across, tones)
        return page.pixels(height)


def _draw_curves(axes: Axes, panel: _Checked, across: NDArray[np.float64], tones: Sequence[RGB]) -> None:
    """Draw the bands of all series, and over them their lines and dots."""
    for k, tone in enumerate(tones):
        sure = ~np.isnan(panel.lows[:, k]) & ~np.isnan(panel.highs[:, k])
        axes.fill_between(across[sure], panel.lows[sure, k], panel.highs[sure, k], color=tone, alpha=_BAND, linewidth=0)
    for k, tone in enumerate(tones):
        known = ~np.isnan(panel.values[:, k])
        seen = np.clip(panel.values[known, k], panel.low, panel.high)
        axes.plot(across[known], seen, "o-", color=tone, markeredgecolor=_tone(PAGE), clip_on=False)
    if panel.mark is not None and panel.low <= panel.mark <= panel.high:
        axes.axhline(panel.mark, color=_MARK, linewidth=1, zorder=1)
    _upright(axes, panel.low, panel.high, _NUMBERS_UP, panel.percent)


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
    """Estimates as dots with whiskers, row by row: uint8 of shape (H, width, 4), as high as the rows need.

    Parameters
    ----------
    rows: the names of the rows, from the top.
    series: the names of what is compared in each row, with `colors` of their own; a colour of None takes the next of `TEAM_COLORS`.
    panels: the quantities, from the left.
    width: pixels, enough for the title, the names and 90 a panel.

    Raises `InvalidValue` for no rows, series or panels, arrays of another shape, infinite numbers, and too small a width, and
    `MissingLibrary` without matplotlib.

    """
    rows, series, drawn = _names("rows", rows), _names("series", series), _panels(panels)
    if not rows or not series or not drawn:
        raise InvalidValue(
            "A plot of intervals has a row, a series and a panel at least",
            got=f"{len(rows)}, {len(series)} and {len(drawn)}",
            remedy="Pass names and at least one IntervalPanel",
        )
    checks.text("title", title), checks.text("caption", caption)
    tones = _tones(series, colors)
    known = [_Checked(panel, (len(rows), len(series))) for panel in drawn]
    names = max(measure(row) for row in rows)
    _wide_enough(width, names + len(known) * (_GAP + _NARROWEST_ROWS), title, series, "show fewer panels")
    room = (width - 2 * _MARGIN - names) // len(known) - _GAP
    heads = [wrapped(panel.title, room) for panel in known]
    high = len(rows) * (len(series) * _ROW + _ROW_GAP)
    head = max(len(lines) for lines in heads) * LINE + 2
    with _styled():
        page = _Page(width, title, caption, tuple(zip(series, tones, strict=True)))
        height = page.top + head + high + _NUMBERS_BELOW + page.foot
        for k, (panel, lines) in enumerate(zip(known, heads, strict=True)):
            left = _MARGIN + names + _GAP + k * (room + _GAP)
            axes = page.axes((left, page.top + head, room, high), height)
            page.text(left, page.top + head - 8, height, "\n".join(lines), INK, va="bottom")
            _draw_rows(axes, panel, tones)
            axes.set_yticks([])
            axes.set_ylim(len(rows) - 0.5, -0.5)
            numbers = ticks(panel.low, panel.high, max(2, min(6, room // 45)))
            axes.set_xticks(numbers, labels=[_amount(value, panel.percent) for value in numbers])
            axes.set_xlim(panel.low, panel.high)
            axes.grid(axis="x")
            axes.spines["left"].set_visible(False)
        for i, row in enumerate(rows):
            page.text(_MARGIN, page.top + head + round((i + 0.5) * high / len(rows)), height, row, INK, va="center")
        return page.pixels(height)


def _draw_rows(axes: Axes, panel: _Checked, tones: Sequence[RGB]) -> None:
    """Draw the dots and whiskers of a panel, those of a row below each other, as far as anything is known of their series."""
    present = np.flatnonzero(~np.isnan(panel.values).all(axis=0)).tolist()
    high = _ROW / (len(tones) * _ROW + _ROW_GAP)
    for line in np.arange(len(panel.values) + 1) - 0.5:
        axes.axhline(line, color=_GRID, linewidth=1, zorder=1)
    if panel.mark is not None and panel.low <= panel.mark <= panel.high:
        axes.axvline(panel.mark, color=_MARK, linewidth=1, zorder=1)
    for slot, k in enumerate(present):
        known = ~np.isnan(panel.values[:, k])
        sure = known & ~np.isnan(panel.lows[:, k]) & ~np.isnan(panel.highs[:, k])
        at = np.arange(len(known)) + (slot + 0.5 - len(present) / 2) * high
        lows, highs = (np.clip(side[sure, k], panel.low, panel.high) for side in (panel.lows, panel.highs))
        axes.hlines(at[sure], lows, highs, color=tones[k], linewidth=1.6, clip_on=False)
        for ends in (lows, highs):
            axes.plot(ends, at[sure], "|", color=tones[k], markeredgewidth=1.6, clip_on=False)
        dots = np.clip(panel.values[known, k], panel.low, panel.high)
        axes.plot(dots, at[known], "o", color=tones[k], markeredgecolor=_tone(PAGE), clip_on=False, zorder=3)


class _Page:
    """A figure with a title, a key of the series and a caption; panels lie from `top` down, and leave `foot` pixels below them."""

    def __init__(self, width: int, title: str, caption: str, key: Sequence[tuple[str, RGB]] = ()) -> None:
        from matplotlib.figure import Figure

        self.figure: Figure = Figure()
        self.width = width
        self._title, self._key = title, key if len(key) > 1 else ()
        self._notes = wrapped(caption, width - 2 * _MARGIN) if caption else []
        self.top = _MARGIN + (round(LINE * _TITLE) + 10 if title else 0) + (LINE + 14 if self._key else 0)
        self.foot = _MARGIN + (len(self._notes) * LINE + 10 if self._notes else 0)

    def axes(self, box: tuple[int, int, int, int], height: int) -> Axes:
        """Axes in a box of (left, top, width, height), on a page of that height."""
        left, top, wide, high = box
        return self.figure.add_axes((left / self.width, 1 - (top + high) / height, wide / self.width, high / height))

    def text(self, left: int, top: int, height: int, text: str, color: tuple[int, int, int], **options: Any) -> None:
        """Write at a pixel of a page of that height."""
        self.figure.text(left / self.width, 1 - top / height, text, color=_tone(color), **options)

    def pixels(self, height: int) -> RGBA:
        """The finished page, so many pixels high."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.lines import Line2D

        self.figure.set_size_inches(self.width / 72, height / 72)
        if self._title:
            self.text(_MARGIN, _MARGIN, height, self._title, INK, size=13 * _TITLE, weight="bold", va="top")
        if self._key:
            self.figure.legend(
                [Line2D([], [], marker="o", linestyle="", color=tone) for _, tone in self._key], [name for name, _ in self._key],
                loc="center left", bbox_to_anchor=(_MARGIN / self.width, 1 - (self.top - 14 - LINE / 2) / height), ncols=len(self._key),
                borderpad=0, borderaxespad=0, handletextpad=0.4, columnspacing=1.8, handlelength=0.8, labelcolor="linecolor",
            )  # fmt: skip
        if self._notes:
            self.text(_MARGIN, height - _MARGIN + 4, height, "\n".join(self._notes), MUTED, va="bottom", linespacing=1.2)
        canvas = FigureCanvasAgg(self.figure)
        canvas.draw()
        return np.array(canvas.buffer_rgba(), dtype=np.uint8)


def need_plots() -> None:
    """Refuse to plot without matplotlib, before any work is done."""
    try:
        import matplotlib.style  # noqa: F401
    except ImportError:
        raise MissingLibrary("matplotlib", "plot", "Drawing plots") from None


@contextmanager
def _styled() -> Iterator[None]:
    """Drawing inside looks like the other pictures, whatever the user's own settings of matplotlib say."""
    need_plots()
    from matplotlib import style

    with style.context(["default", _STYLE]):
        yield


class _Checked:
    """A panel whose numbers are checked and whose axis is known."""

    def __init__(self, panel: IntervalPanel, shape: tuple[int, int]) -> None:
        self.title = panel.title
        self.values, self.lows, self.highs = (
            _numbers(f"{name} of {panel.title!r}", array, shape)
            for name, array in (("values", panel.values), ("lows", panel.lows), ("highs", panel.highs))
        )
        self.percent, self.mark = panel.percent, panel.mark
        shown = np.stack([self.values, self.lows, self.highs])
        self.low, self.high = _limits("panel", panel.limits) if panel.limits else _span(shown, room=0.04)


def _names(what: str, names: Sequence[str]) -> list[str]:
    return [checks.text(f"Each of {what}", name) for name in checks.sequence(what, names)]


def _panels(panels: Sequence[IntervalPanel]) -> list[IntervalPanel]:
    found: list[IntervalPanel] = checks.sequence("panels", panels)
    wrong = [panel for panel in found if not isinstance(panel, IntervalPanel)]
    if wrong:
        raise InvalidValue("A panel is an IntervalPanel", got=type(wrong[0]).__name__, remedy="Pass view.IntervalPanel(title, values, ...)")
    return found


def _curves(curves: Sequence[tuple[str, ArrayLike, Color | None]]) -> list[tuple[str, ArrayLike, Color | None]]:
    found = [tuple(checks.sequence("A curve", curve)) for curve in checks.sequence("curves", curves)]
    if any(len(curve) != 3 for curve in found):
        raise InvalidValue("A curve is (name, values, color)", got=f"{len(found[0])} things", remedy="Pass ('red', values, None), say")
    return [(checks.text("The name of a curve", name), values, color) for name, values, color in found]


def _limits(what: str, limits: tuple[float, float]) -> tuple[float, float]:
    low, high = checks.pair("limits", limits)
    if not low < high:
        raise InvalidValue(f"The limits of a {what} are (low, high), low below high", got=f"({low:g}, {high:g})", remedy="Pass (0, 1), say")
    return low, high


def _span(shown: NDArray[np.float64], room: float) -> tuple[float, float]:
    """0 and everything shown, with some room beyond."""
    low, high = min(0.0, float(np.nanmin(shown, initial=0.0))), max(0.0, float(np.nanmax(shown, initial=0.0)))
    beyond = room * (high - low)
    return (low - beyond if low < 0 else 0.0, high + beyond if high > 0 else 0.0) if low < high else (0.0, 1.0)


def _tones(series: Sequence[str], colors: Sequence[Color | None] | None) -> list[RGB]:
    """The colour of each series."""
    wanted: list[Color | None] = [None] * len(series) if colors is None else checks.sequence("colors", colors)
    if len(wanted) != len(series):
        raise InvalidValue("There is one colour per series", got=f"{len(wanted)} for {len(series)}", remedy="Pass None for usual ones")
    return [_tone(parse_color(TEAM_COLORS[i % len(TEAM_COLORS)] if color is None else color)) for i, color in enumerate(wanted)]


def _wide_enough(width: int, panels: int, title: str, series: Sequence[str], remedy: str) -> None:
    key = sum(16 + measure(name) + 24 for name in series) if len(series) > 1 else 0
    least = max(panels, measure(title, scale=_TITLE, bold=True), key) + 2 * _MARGIN
    if checks.whole("width", width) < least:
        raise InvalidValue(f"This plot is at least {least} pixels wide", got=f"width={width}", remedy=f"Enlarge it, or {remedy}")


def _widest(low: float, high: float, most: int, percent: bool) -> int:
    """The pixels that the numbers of an upright axis take beside it."""
    return 10 + max(measure(_amount(value, percent)) for value in ticks(low, high, most))


def _upright(axes: Axes, low: float, high: float, most: int, percent: bool) -> None:
    """Give an axis its limits and round numbers, with a line across at each."""
    numbers = ticks(low, high, most)
    axes.set_yticks(numbers, labels=[_amount(value, percent) for value in numbers])
    axes.set_ylim(low, high)
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)


def _numbers_across(axes: Axes, across: NDArray[np.float64], room: float, log: bool) -> None:
    """Write round numbers along the axis: the places themselves where they are few and far enough apart."""
    at = np.log10(across) if log else across
    span = float(at[-1] - at[0])
    wide = max(measure(format_number(value)) for value in across.tolist()) + 10
    if span == 0 or float(np.diff(at).min()) / span * room >= wide:
        numbers = across.tolist()
    elif log:
        numbers = [10.0**power for power in range(math.ceil(at[0] - 1e-9), math.floor(at[-1] + 1e-9) + 1)]
    else:
        numbers = ticks(float(across[0]), float(across[-1]), max(2, int(room // 70)))
    axes.set_xticks(numbers, labels=[format_number(value) for value in numbers])
    axes.minorticks_off()
    if span:
        axes.set_xlim(float(across[0]), float(across[-1]))


def _across(places: ArrayLike, log: bool) -> NDArray[np.float64]:
    array = checks.array("The places of a plot", places)
    if array.ndim != 1 or not len(array) or array.dtype.kind not in "iuf" or not np.isfinite(array).all() or (np.diff(array) <= 0).any():
        raise InvalidValue(
            "The places of a plot are finite numbers that rise",
            got=f"{array.dtype} of shape {array.shape}",
            remedy="Sort them, and drop repeats",
        )
    if log and array[0] <= 0:
        raise InvalidValue("On a logarithmic axis all numbers are above 0", got=f"{array[0]:g}", remedy="Pass log=False")
    return array.astype(np.float64)


def _numbers(what: str, values: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    array = checks.array(what, values)
    if array.shape != shape or array.dtype.kind not in "iuf" or np.isinf(array).any():
        raise InvalidValue(
            f"{what} are numbers of shape (rows, series), NaN where there is nothing",
            got=f"{array.dtype} of shape {array.shape} for {shape}",
            remedy="Pass one number for each row and series",
        )
    return array.astype(np.float64)


def _column(what: str, values: ArrayLike, count: int | None = None) -> NDArray[np.float64]:
    given = checks.array(what, values)
    column = given.astype(np.float64) if given.dtype.kind in "iufb" else np.empty((0, 0))
    if column.ndim != 1 or not len(column) or (count is not None and len(column) != count) or not np.isfinite(column).all():
        wanted = "at least one" if count is None else f"{count}"
        raise InvalidValue(f"{what} are {wanted} finite numbers in a row", got=f"shape {column.shape}", remedy="Pass one per moment")
    return column


def _amount(value: float, percent: bool) -> str:
    return f"{format_number(value * 100)} %" if percent else format_number(value)


def _moment(seconds: float, last: float) -> str:
    return f"{seconds:g} s" if last < 120 else f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _apart(rows: Sequence[float], bottom: float, top: float) -> list[float]:
    """The rows of labels, pushed apart so that none covers another, kept between `bottom` and `top` as far as they fit."""
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
