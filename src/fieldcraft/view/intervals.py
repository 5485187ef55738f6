"""A plot of estimates and how sure they are: a dot and a whisker for each, row by row, panel beside panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import TEAM_COLORS, Color, parse_color
from fieldcraft.view.legend import INK, MUTED, PAGE, format_number, ticks
from fieldcraft.view.lines import draw_polylines
from fieldcraft.view.text import ASCENT, LINE, measure, wrapped, write

__all__ = ["Checked", "IntervalPanel", "dot", "key_width", "plot_intervals", "tones_of", "write_key"]

RGBA = NDArray[np.uint8]

_MARGIN = 18
_GRID = (44, 48, 58)
_MARK = (120, 128, 144)
_TITLE = 1.5
_STEP = 17
_PAD = 11
_GAP = 28
_NARROWEST = 90


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
    """Estimates as dots with whiskers: uint8 of shape (H, width, 4), as high as the rows need.

    Parameters
    ----------
    rows: the names of the rows, from the top.
    series: the names of what is compared in each row, with `colors` of their own; a colour of None takes the next of `TEAM_COLORS`.
    panels: the quantities, from the left.
    width: pixels, enough for the title, the names and 90 a panel.

    Raises `InvalidValue` for no rows, series or panels, arrays of another shape, infinite numbers, and too small a width.

    """
    if not rows or not series or not panels:
        raise InvalidValue(
            "A plot of intervals has a row, a series and a panel at least",
            got=f"{len(rows)}, {len(series)} and {len(panels)}",
            remedy="Pass names and at least one IntervalPanel",
        )
    tones = tones_of(series, colors)
    drawn = [Checked(panel, (len(rows), len(series))) for panel in panels]

    labels = max(measure(row) for row in rows)
    key = key_width(series) if len(series) > 1 else 0
    content = max(labels + len(drawn) * (_GAP + _NARROWEST), measure(title, scale=_TITLE, bold=True), key)
    if checks.whole("width", width) < content + 2 * _MARGIN:
        raise InvalidValue(
            f"This plot is at least {content + 2 * _MARGIN} pixels wide", got=f"width={width}", remedy="Enlarge it, or show fewer panels"
        )
    notes = wrapped(caption, width - 2 * _MARGIN) if caption else []
    room = (width - 2 * _MARGIN - labels) // len(drawn) - _GAP
    heads = [wrapped(panel.title, room) for panel in drawn]
    top = _MARGIN + (round(LINE * _TITLE) + 8 if title else 0) + (LINE + 8 if len(series) > 1 else 0)
    head = top + max(len(lines) for lines in heads) * LINE
    high = len(series) * _STEP + _PAD
    bottom = head + len(rows) * high
    height = bottom + LINE + 10 + (len(notes) * LINE + 8 if notes else 0) + _MARGIN

    page = np.empty((height, width, 4), dtype=np.uint8)
    page[:] = (*PAGE, 255)
    if title:
        write(page, _MARGIN, _MARGIN + round(ASCENT * _TITLE), title, INK, scale=_TITLE, bold=True)
    if len(series) > 1:
        write_key(page, top - 12, series, tones)
    for i, note in enumerate(notes):
        write(page, _MARGIN, height - _MARGIN - (len(notes) - 1 - i) * LINE - 4, note, MUTED)
    for i, row in enumerate(rows):
        write(page, _MARGIN, head + i * high + high // 2 + 5, row, INK)
    for k, (panel, lines) in enumerate(zip(drawn, heads, strict=True)):
        left = _MARGIN + labels + _GAP + k * (room + _GAP)
        for i, line in enumerate(lines):
            write(page, left, head - 8 - (len(lines) - 1 - i) * LINE, line, INK)
        panel.draw(page, (left, head), (room, bottom - head), tones)
    return page


def tones_of(series: Sequence[str], colors: Sequence[Color | None] | None) -> list[tuple[int, int, int]]:
    """The colour of each series."""
    wanted: Sequence[Color | None] = [None] * len(series) if colors is None else colors
    if len(wanted) != len(series):
        raise InvalidValue("There is one colour per series", got=f"{len(wanted)} for {len(series)}", remedy="Pass None for usual ones")
    return [parse_color(TEAM_COLORS[i % len(TEAM_COLORS)] if color is None else color) for i, color in enumerate(wanted)]


def key_width(series: Sequence[str]) -> int:
    """The pixels that `write_key` takes."""
    return sum(16 + measure(name) + 24 for name in series)


def write_key(page: RGBA, baseline: int, series: Sequence[str], tones: Sequence[tuple[int, int, int]]) -> None:
    """Write which series has which colour, on one line."""
    left = _MARGIN
    for name, tone in zip(series, tones, strict=True):
        dot(page, left + 5.0, baseline - 4.5, tone)
        write(page, left + 16, baseline, name, tone)
        left += 16 + measure(name) + 24


class Checked:
    """A panel whose numbers are checked and whose axis is known."""

    def __init__(self, panel: IntervalPanel, shape: tuple[int, int]) -> None:
        self.title = panel.title
        self.values, self.lows, self.highs = (
            _numbers(f"{name} of {panel.title!r}", array, shape)
            for name, array in (("values", panel.values), ("lows", panel.lows), ("highs", panel.highs))
        )
        self.percent, self.mark = panel.percent, panel.mark
        shown = np.stack([self.values, self.lows, self.highs])
        low, high = panel.limits or _span(shown)
        checks.finite("The lower limit", low)
        if not low < checks.finite("The upper limit", high):
            raise InvalidValue(
                "The limits of a panel are (low, high), low below high", got=f"({low:g}, {high:g})", remedy="Pass (0, 1), say"
            )
        self.low, self.high = low, high

    def draw(self, page: RGBA, corner: tuple[int, int], size: tuple[int, int], tones: Sequence[tuple[int, int, int]]) -> None:
        """Draw the axis, and the dots and whiskers on it, into a part of the page."""
        (left, top), (wide, high) = corner, size
        across = wide / (self.high - self.low)
        count = len(self.values)
        present = np.flatnonzero(~np.isnan(self.values).all(axis=0)).tolist()
        end = -1000
        for value in ticks(self.low, self.high, max(2, min(6, wide // 45))):
            column = min(round(left + (value - self.low) * across), left + wide)
            page[top : top + high, column, :3] = _GRID
            text = f"{format_number(value * 100)} %" if self.percent else format_number(value)
            start = min(max(column - measure(text) // 2, left - _GAP // 4), left + wide + _GAP // 4 - measure(text))
            if start > end:
                write(page, start, top + high + 8 + ASCENT, text, MUTED)
                end = start + measure(text) + 6
        for i in range(count + 1):
            page[top + i * (high // count), left : left + wide + 1, :3] = _GRID
        if self.mark is not None and self.low <= self.mark <= self.high:
            page[top : top + high, min(round(left + (self.mark - self.low) * across), left + wide), :3] = _MARK

        def place(value: float) -> float:
            return left + (min(max(value, self.low), self.high) - self.low) * across + 0.5

        for i, slot in np.ndindex(count, len(present)):
            k = present[slot]
            value, low, over = float(self.values[i, k]), float(self.lows[i, k]), float(self.highs[i, k])
            if np.isnan(value):
                continue
            row = top + (i + 0.5) * (high / count) + (slot + 0.5 - len(present) / 2) * _STEP
            if not np.isnan(low) and not np.isnan(over):
                ends = [np.array([[place(side), row - 4], [place(side), row + 4]]) for side in (low, over)]
                draw_polylines(page, [np.array([[place(low), row], [place(over), row]]), *ends], tones[k], 1.6)
            dot(page, place(value), row, tones[k])


def _span(shown: NDArray[np.float64]) -> tuple[float, float]:
    """0 and everything shown, with some room beyond."""
    low, high = min(0.0, float(np.nanmin(shown, initial=0.0))), max(0.0, float(np.nanmax(shown, initial=0.0)))
    room = 0.04 * (high - low)
    return (low - room if low < 0 else 0.0, high + room if high > 0 else 0.0) if low < high else (0.0, 1.0)


def dot(page: RGBA, x: float, y: float, tone: tuple[int, int, int]) -> None:
    """Draw a dot with a rim around a pixel."""
    point = np.array([[x, y], [x, y]])
    draw_polylines(page, [point], PAGE, 11.0)
    draw_polylines(page, [point], tone, 8.0)


def _numbers(what: str, values: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    array = checks.array(what, values)
    if array.shape != shape or array.dtype.kind not in "iuf" or np.isinf(array).any():
        raise InvalidValue(
            f"{what} are numbers of shape (rows, series), NaN where there is nothing",
            got=f"{array.dtype} of shape {array.shape} for {shape}",
            remedy="Pass one number for each row and series",
        )
    return array.astype(np.float64)
