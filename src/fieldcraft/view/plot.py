"""A plot of numbers over time, drawn with the letters and lines of the other pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import TEAM_COLORS, Color, parse_color
from fieldcraft.view.legend import INK, MUTED, PAGE, format_number, ticks
from fieldcraft.view.lines import draw_polylines
from fieldcraft.view.text import ASCENT, LINE, measure, wrapped, write

__all__ = ["plot_over_time"]

RGBA = NDArray[np.uint8]

_MARGIN = 18
_GRID = (44, 48, 58)
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
_TITLE = 1.5
_SMALLEST = (240, 160)


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
        pixels, at least 240 x 160.

    Raises `InvalidValue` for no curves, lengths that differ, and numbers that are not finite.

    """
    if not curves:
        raise InvalidValue("A plot has at least one curve", got="none", remedy="Pass [('red', values, '#ff8a3c')], say")
    times = _column("seconds", seconds)
    if (np.diff(times) <= 0).any():
        raise InvalidValue("The moments of a plot rise", got=repr(times.tolist())[:60], remedy="Sort them, and drop repeats")
    lines = [_column(f"Values of {name!r}", values, len(times)) for name, values, _ in curves]
    if checks.whole("width", width) < _SMALLEST[0] or checks.whole("height", height) < _SMALLEST[1]:
        raise InvalidValue(f"A plot has at least {_SMALLEST[0]} x {_SMALLEST[1]} pixels", got=f"{width} x {height}", remedy="Enlarge it")
    tones = [parse_color(TEAM_COLORS[i % len(TEAM_COLORS)] if color is None else color) for i, (_, _, color) in enumerate(curves)]
    low, high = _span(lines) if limits is None else limits
    checks.finite("The lower limit", low)
    if not low < checks.finite("The upper limit", high):
        raise InvalidValue("The limits of a plot are (low, high), low below high", got=f"({low:g}, {high:g})", remedy="Pass (0, 1), say")

    page = np.empty((height, width, 4), dtype=np.uint8)
    page[:] = (*PAGE, 255)
    notes = wrapped(caption, width - 2 * _MARGIN) if caption else []
    rows = [(value, _amount(value, percent)) for value in ticks(low, high, 6)]
    left = _MARGIN + max(measure(text) for _, text in rows) + 10
    right = width - _MARGIN - max(measure(name) for name, _, _ in curves) - 12
    top = _MARGIN + (round(LINE * _TITLE) + 10 if title else 6)
    bottom = height - _MARGIN - LINE - 4 - (len(notes) * LINE + 8 if notes else 0)
    if title:
        write(page, _MARGIN, _MARGIN + round(ASCENT * _TITLE), title, INK, scale=_TITLE, bold=True)
    for i, note in enumerate(notes):
        write(page, _MARGIN, height - _MARGIN - (len(notes) - 1 - i) * LINE - 4, note, MUTED)

    first, last = float(times[0]), float(times[-1])
    whole = last - first
    across = (right - left) / whole if whole else 0.0
    down = (bottom - top) / (high - low)
    for value, text in rows:
        row = round(bottom - (value - low) * down)
        page[row, left : right + 1, :3] = _GRID
        write(page, left - 10 - measure(text), row + 5, text, MUTED)
    step = next((step for step in _STEPS if step * across >= 70), 3600 * math.ceil(max(whole, 1) / 3600 / 8))
    for moment in np.arange(math.ceil(first / step) * step, last + 1e-9, step).tolist():
        column = round(left + (moment - first) * across)
        page[bottom : bottom + 5, column, :3] = MUTED
        text = _moment(moment, last)
        write(page, column - measure(text) // 2, bottom + 8 + ASCENT, text, MUTED)
    for line, tone in zip(lines, tones, strict=True):
        places = np.stack([left + (times - first) * across + 0.5, bottom - (np.clip(line, low, high) - low) * down + 0.5], axis=1)
        draw_polylines(page, [places], PAGE, 4.5, 0.8)
        draw_polylines(page, [places], tone, 2.2)
    ends = [bottom - (min(max(float(line[-1]), low), high) - low) * down for line in lines]
    for (name, _, _), tone, label in zip(curves, tones, _apart(ends, top, bottom), strict=True):
        write(page, right + 10, round(label) + 5, name, tone)
    return page


def _column(what: str, values: ArrayLike, count: int | None = None) -> NDArray[np.float64]:
    given = checks.array(what, values)
    column = given.astype(np.float64) if given.dtype.kind in "iufb" else np.empty((0, 0))
    if column.ndim != 1 or not len(column) or (count is not None and len(column) != count) or not np.isfinite(column).all():
        wanted = "at least one" if count is None else f"{count}"
        raise InvalidValue(f"{what} are {wanted} finite numbers in a row", got=f"shape {column.shape}", remedy="Pass one per moment")
    return column


def _span(lines: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    low, high = min(0.0, *(float(line.min()) for line in lines)), max(0.0, *(float(line.max()) for line in lines))
    return (low, high) if low < high else (0.0, 1.0)


def _amount(value: float, percent: bool) -> str:
    return f"{format_number(value * 100)} %" if percent else format_number(value)


def _moment(seconds: float, last: float) -> str:
    return f"{seconds:g} s" if last < 120 else f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _apart(rows: Sequence[float], top: float, bottom: float) -> list[float]:
    """The rows of labels, pushed apart so that none covers another, kept between `top` and `bottom` as far as they fit."""
    order = np.argsort(rows, kind="stable")
    placed = np.array(rows, dtype=np.float64)[order]
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + LINE)
    over = placed[-1] - bottom
    if over > 0:
        placed[-1] = bottom
        for i in range(len(placed) - 2, -1, -1):
            placed[i] = min(placed[i], placed[i + 1] - LINE)
    found = np.empty_like(placed)
    found[order] = np.maximum(placed, top)
    return [float(row) for row in found]
