"""Plots of estimates with confidence intervals, by matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike, NDArray

from fieldcraft.view import TEAM_COLORS
from fieldcraft.view.picture_parts import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

RGBA = NDArray[np.uint8]

_MARK = "#788090"
_MUTED = "#969daa"
# pixels
_PANEL = 260
_ROW = 17
_HEAD = 130


@dataclass(frozen=True)
class IntervalPanel:
    """One quantity: `values`, `lows` and `highs` have shape (rows, series), NaN where there is no
    estimate. `limits` are the limits of the axis; `percent` shows 1 as 100 %; `mark` is the value
    of an extra line.
    """

    title: str
    values: ArrayLike
    lows: ArrayLike
    highs: ArrayLike
    limits: tuple[float, float] | None = None
    percent: bool = False
    mark: float | None = None


def plot_curves(
    places: ArrayLike,
    series: Sequence[str],
    panels: Sequence[IntervalPanel],
    *,
    axis: str = "",
    log: bool = False,
    title: str = "",
    caption: str = "",
    columns: int = 3,
    width: int = 940,
) -> RGBA:
    """Return a plot of estimates as lines with bands, a panel for each quantity: uint8 (H, width,
    4).
    """
    across = np.asarray(places, dtype=np.float64)
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    with styled():
        figure = _figure(width, rows * _PANEL + _HEAD, title, caption)
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            _dress(axes, panel, "y")
            if log:
                axes.set_xscale("log")
            axes.set_xlabel(axis)
            if log and len(across) <= 8:
                axes.set_xticks(across, labels=[f"{place:g}" for place in across.tolist()])
                axes.minorticks_off()
            values, lows, highs = _columns(panel, len(across), len(series))
            for k, name in enumerate(series):
                tone = TEAM_COLORS[k % len(TEAM_COLORS)]
                axes.fill_between(across, lows[:, k], highs[:, k], color=tone, alpha=0.22, lw=0)
                known = ~np.isnan(values[:, k])
                axes.plot(across[known], values[known, k], "o-", color=tone, label=name)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        return _finished(figure, series)


def plot_intervals(
    rows: Sequence[str],
    series: Sequence[str],
    panels: Sequence[IntervalPanel],
    *,
    title: str = "",
    caption: str = "",
    width: int = 940,
) -> RGBA:
    """Return a plot of estimates as dots with whiskers, row by row: uint8 (H, width, 4)."""
    height = len(rows) * (len(series) * _ROW + 11) + _HEAD + 60
    with styled():
        figure = _figure(width, height, title, caption)
        grid = figure.subplots(1, len(panels), squeeze=False, sharey=True).flat
        for axes, panel in zip(grid, panels, strict=True):
            _dress(axes, panel, "x")
            values, lows, highs = _columns(panel, len(rows), len(series))
            present = np.flatnonzero(~np.isnan(values).all(axis=0)).tolist()
            for slot, k in enumerate(present):
                tone = TEAM_COLORS[k % len(TEAM_COLORS)]
                at = np.arange(len(rows)) + (slot + 0.5 - len(present) / 2) * 0.8 / len(present)
                axes.hlines(at, lows[:, k], highs[:, k], color=tone, linewidth=1.6)
                axes.plot(values[:, k], at, "o", color=tone, label=series[k])
            axes.hlines(
                np.arange(1, len(rows)) - 0.5,
                0,
                1,
                transform=axes.get_yaxis_transform(),
                color="#2c303a",
                linewidth=1,
            )
            axes.set_yticks(range(len(rows)), labels=rows)
            axes.set_ylim(len(rows) - 0.5, -0.5)
        return _finished(figure, series)


def _columns(panel: IntervalPanel, rows: int, series: int) -> list[NDArray[np.float64]]:
    """Return values, lows and highs as arrays of shape (rows, series)."""
    return [
        np.asarray(part, dtype=np.float64).reshape(rows, series)
        for part in (panel.values, panel.lows, panel.highs)
    ]


def _figure(width: int, height: int, title: str, caption: str) -> Figure:
    layout = ConstrainedLayoutEngine(w_pad=12 / 72, h_pad=12 / 72)
    figure = Figure((width / 72, height / 72), layout=layout)
    figure.suptitle(title, size=19, weight="bold", x=0.01, ha="left", wrap=True)
    if caption:
        figure.supxlabel(caption, size=13, color=_MUTED, x=0.01, ha="left", wrap=True)
    return figure


def _dress(axes: Axes, panel: IntervalPanel, along: Literal["x", "y"]) -> None:
    """Set title, limits, grid and mark of a panel with its numbers along "x" or "y"."""
    axes.set_title(panel.title, wrap=True)
    if along == "x":
        numbers: Axis = axes.xaxis
        limit: Callable[..., object] = axes.set_xlim
        line: Callable[..., object] = axes.axvline
    else:
        numbers = axes.yaxis
        limit = axes.set_ylim
        line = axes.axhline
    axes.grid(axis=along)
    if panel.percent:
        numbers.set_major_formatter(PercentFormatter(1.0, decimals=None, symbol=" %"))
    if panel.limits is not None:
        limit(panel.limits)
    else:
        line(0.0, alpha=0)
    if panel.mark is not None:
        line(panel.mark, color=_MARK, linewidth=1)


def _finished(figure: Figure, series: Sequence[str]) -> RGBA:
    """Return the pixels of a figure with a legend of its series."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    shown = {}
    for axes in figure.axes:
        shown.update(
            {name: line for line, name in zip(*axes.get_legend_handles_labels(), strict=True)}
        )
    if len(series) > 1:
        figure.legend(
            [shown[name] for name in series if name in shown],
            [name for name in series if name in shown],
            loc="outside right upper",
            labelcolor="linecolor",
        )
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba(), dtype=np.uint8)
