"""A plot of estimates over numbers: how an outcome changes with the size of a crowd, say, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import Color
from fieldcraft.view.intervals import Checked, IntervalPanel, dot, key_width, tones_of, write_key
from fieldcraft.view.legend import INK, MUTED, PAGE, format_number, ticks
from fieldcraft.view.lines import draw_polylines
from fieldcraft.view.text import ASCENT, LINE, measure, wrapped, write

__all__ = ["plot_curves"]

RGBA = NDArray[np.uint8]

_MARGIN = 18
_GAP = 24
_GRID = (44, 48, 58)
_MARK = (120, 128, 144)
_TITLE = 1.5
_HIGH = 230
_NARROWEST = 180
_BAND = 0.22


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

    Raises `InvalidValue` for nothing to show, places that don't rise, arrays of another shape, infinite numbers, and too small a width.

    """
    if not series or not panels:
        raise InvalidValue(
            "A plot of curves has a series and a panel at least",
            got=f"{len(series)} and {len(panels)}",
            remedy="Pass names and at least one IntervalPanel",
        )
    across = _across(places, log)
    tones = tones_of(series, colors)
    drawn = [Checked(panel, (len(across), len(series))) for panel in panels]
    beside = min(checks.whole("columns", columns, minimum=1), len(drawn))
    head = LINE + 6
    key = key_width(series) if len(series) > 1 else 0
    content = max(beside * (_NARROWEST + _GAP) - _GAP, measure(title, scale=_TITLE, bold=True), key)
    if checks.whole("width", width) < content + 2 * _MARGIN:
        raise InvalidValue(
            f"This plot is at least {content + 2 * _MARGIN} pixels wide", got=f"width={width}", remedy="Enlarge it, or pass fewer columns"
        )
    notes = wrapped(caption, width - 2 * _MARGIN) if caption else []
    room = (width - 2 * _MARGIN + _GAP) // beside - _GAP
    foot = LINE + 10 + (LINE if axis else 0)
    top = _MARGIN + (round(LINE * _TITLE) + 8 if title else 0) + (LINE + 16 if len(series) > 1 else 0)
    down = -(-len(drawn) // beside)
    height = top + down * (head + _HIGH + foot) + (down - 1) * _GAP + (len(notes) * LINE + 8 if notes else 0) + _MARGIN

    page = np.empty((height, width, 4), dtype=np.uint8)
    page[:] = (*PAGE, 255)
    if title:
        write(page, _MARGIN, _MARGIN + round(ASCENT * _TITLE), title, INK, scale=_TITLE, bold=True)
    if len(series) > 1:
        write_key(page, top - 20, series, tones)
    for i, note in enumerate(notes):
        write(page, _MARGIN, height - _MARGIN - (len(notes) - 1 - i) * LINE - 4, note, MUTED)
    for k, panel in enumerate(drawn):
        left, upper = _MARGIN + k % beside * (room + _GAP), top + k // beside * (head + _HIGH + foot + _GAP)
        write(page, left, upper + ASCENT, panel.title, INK)
        _draw(page, panel, across, (left, upper + head), room, tones, log=log, axis=axis)
    return page


def _draw(
    page: RGBA,
    panel: Checked,
    across: NDArray[np.float64],
    corner: tuple[int, int],
    room: int,
    tones: Sequence[tuple[int, int, int]],
    *,
    log: bool,
    axis: str,
) -> None:
    rows = [
        (value, format_number(value * 100) + " %" if panel.percent else format_number(value)) for value in ticks(panel.low, panel.high, 5)
    ]
    left, top = corner[0] + max(measure(text) for _, text in rows) + 10, corner[1]
    right, bottom = corner[0] + room - 8, corner[1] + _HIGH
    rise = (bottom - top) / (panel.high - panel.low)
    first, last = float(across[0]), float(across[-1])
    stretch = (right - left) / (last - first) if last > first else 0.0

    def columns(values: ArrayLike) -> NDArray[np.float64]:
        return left + (np.asarray(values, dtype=np.float64) - first) * stretch + 0.5

    def heights(values: ArrayLike) -> NDArray[np.float64]:
        return bottom - (np.clip(values, panel.low, panel.high) - panel.low) * rise + 0.5

    for value, text in rows:
        row = int(heights(value))
        page[min(row, bottom), left : right + 1, :3] = _GRID
        write(page, left - 10 - measure(text), row + 5, text, MUTED)
    if panel.mark is not None and panel.low <= panel.mark <= panel.high:
        page[min(int(heights(panel.mark)), bottom), left : right + 1, :3] = _MARK
    end = -1000
    for place, number in _numbers_across(across, max(2, room // 70), log):
        column = int(columns(place))
        page[bottom : bottom + 5, column, :3] = MUTED
        text = format_number(number)
        start = column - measure(text) // 2
        if start > end:
            write(page, start, bottom + 8 + ASCENT, text, MUTED)
            end = start + measure(text) + 6
    if axis:
        write(page, (left + right - measure(axis)) // 2, bottom + 8 + ASCENT + LINE, axis, MUTED)
    for k, tone in enumerate(tones):
        sure = ~np.isnan(panel.lows[:, k]) & ~np.isnan(panel.highs[:, k])
        if np.count_nonzero(sure) > 1:
            _fill(page, columns(across[sure]), heights(panel.highs[sure, k]), heights(panel.lows[sure, k]), tone)
    for k, tone in enumerate(tones):
        known = ~np.isnan(panel.values[:, k])
        points = np.stack([columns(across[known]), heights(panel.values[known, k])], axis=1)
        if len(points) > 1:
            draw_polylines(page, [points], tone, 2.2)
        for x, y in points.tolist():
            dot(page, x, y, tone)


def _fill(
    page: RGBA, columns: NDArray[np.float64], highs: NDArray[np.float64], lows: NDArray[np.float64], tone: tuple[int, int, int]
) -> None:
    """Lay a tone over what lies between two lines, each given by its rows at some columns."""
    first, last = int(columns[0]), min(int(columns[-1]) + 1, page.shape[1])
    for column in range(first, last):
        upper, lower = (float(np.interp(column + 0.5, columns, line)) for line in (highs, lows))
        part = page[round(upper) : max(round(lower), round(upper) + 1), column, :3]
        part[:] = np.rint(part * (1 - _BAND) + np.array(tone) * _BAND)


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
    return np.log10(array) if log else array.astype(np.float64)


def _numbers_across(across: NDArray[np.float64], most: int, log: bool) -> list[tuple[float, float]]:
    """Round numbers along the axis, each with its place: the places themselves where they are few."""
    if len(across) <= most:
        return [(place, 10**place if log else place) for place in across.tolist()]
    if log:
        whole = range(math.ceil(across[0] - 1e-9), math.floor(across[-1] + 1e-9) + 1)
        return [(float(power), 10.0**power) for power in whole]
    return [(value, value) for value in ticks(float(across[0]), float(across[-1]), most)]
