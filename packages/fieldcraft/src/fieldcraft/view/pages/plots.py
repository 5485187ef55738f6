"""Numbers over time as lines, by matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view.drawing.letters import wrapped
from fieldcraft.view.pages.legends import format_number, rendered, share_of, styled
from fieldcraft.view.pages.pages import GAP, MARGIN, TITLE
from fieldcraft.view.palettes import TEAM_COLORS, Color, parse_color
from fieldcraft.view.pixels.pixel_plan import RGBA
from fieldcraft.view.pixels.themes import DARK, LIGHT

_STEPS = (0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)  # seconds
_LONGEST = 2**14  # pixels along a side
_STYLES = ("-", "--", ":")
"""The styles of lines, one after the other where colors repeat."""


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
    light: bool = False,
) -> RGBA:
    """Return numbers over time as lines, with a legend.

    Parameters
    ----------
    seconds : array_like
        The times, shape (N,), ascending, at least one.
    curves : sequence
        (name, values of shape (N,), color) of each line; a color of None takes the next of
        `TEAM_COLORS`; after twelve they repeat, dashed.
    limits : (float, float), optional
        Of the upright axis; 0 and all values if absent.
    percent : bool
        Write 1 as 100 %.
    width, height : int
        Pixels, at least 240 x 160.
    light : bool
        Whether the page is light.

    Returns
    -------
    ndarray
        uint8 of shape (height, width, 4).

    Raises
    ------
    InvalidValue
        For no curves, lengths that differ, and numbers that are not finite.
    MissingLibrary
        Without matplotlib.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.view.plot_over_time([0, 1, 2], [("threat", [0.0, 2.0, 1.0], "red")]).shape
    (440, 960, 4)
    """
    lines = checks.sequence("curves", curves)
    count = checks.array("seconds", seconds).size
    times = checks.numbers("seconds", seconds, count)
    wide = checks.integer("width", width, minimum=240, maximum=_LONGEST)
    high = checks.integer("height", height, minimum=160, maximum=_LONGEST)
    checks.text("title", title)
    checks.text("caption", caption)
    checks.flag("percent", percent)
    if not lines or any(not isinstance(line, tuple) or len(line) != 3 for line in lines):
        raise InvalidValue(
            "A plot has curves (name, values, color), at least one",
            got=repr(lines)[:60],
            remedy="Pass [('red', values, '#ff8a3c')], say",
        )
    if not count or (np.diff(times) <= 0).any():
        raise InvalidValue(
            "The times of a plot ascend, and there is at least one",
            got=repr(times.tolist())[:60],
            remedy="Sort them, and drop repeats",
        )
    ends = checks.optional(checks.pair)("limits", limits)
    if ends is not None and ends[0] >= ends[1]:
        raise InvalidValue(
            "The limits of a plot are (low, high), low below high",
            got=f"limits={limits!r}",
            remedy="Pass (0, 1), say",
        )
    if checks.flag("light", light):
        theme = LIGHT
    else:
        theme = DARK
    with styled(theme):
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
        from matplotlib.ticker import FuncFormatter, MultipleLocator

        layout = ConstrainedLayoutEngine(w_pad=MARGIN / 72, h_pad=GAP / 72)
        figure = Figure((wide / 72, high / 72), layout=layout)
        axes = figure.subplots()
        for number, (name, given, color) in enumerate(lines):
            values = checks.numbers(f"Values of {checks.text('A name', name)!r}", given, count)
            repeats, place = divmod(number, len(TEAM_COLORS))
            if color is None:
                color = TEAM_COLORS[place]
            axes.plot(
                times,
                values,
                color=share_of(parse_color(color)),
                linestyle=_STYLES[repeats % len(_STYLES)],
                label=name,
                clip_on=limits is not None,
            )
        axes.set_xmargin(0)
        if ends is None:
            axes.set_ylim(min(0.0, axes.get_ylim()[0]), None)
        else:
            axes.set_ylim(*ends)
        axes.grid(axis="y")
        least = float(times[-1] - times[0]) * 70 / wide
        step = next((step for step in _STEPS if step >= least), 3600 * math.ceil(least / 3600))
        axes.xaxis.set_major_locator(MultipleLocator(step))
        if times[-1] >= 120:
            axes.xaxis.set_major_formatter(FuncFormatter(_clock))
        else:
            axes.xaxis.set_major_formatter(FuncFormatter(_seconds))
        if percent:
            axes.yaxis.set_major_formatter(FuncFormatter(_percent))
        else:
            axes.yaxis.set_major_formatter(FuncFormatter(_plain))
        figure.legend(loc="outside right upper", labelcolor="linecolor")
        if title:
            figure.suptitle(title, size=13 * TITLE, weight="bold", x=0.02, ha="left")
        if caption:
            text = "\n".join(wrapped(caption, wide - 2 * MARGIN))
            figure.supxlabel(text, size=13, color=share_of(theme.faint_text), x=0.02, ha="left")
        return rendered(figure).copy()


def _percent(share: float, _: int) -> str:
    """Return the label of a share."""
    return f"{format_number(share * 100)} %"


def _plain(value: float, _: int) -> str:
    """Return the label of a number."""
    return format_number(value)


def _clock(seconds: float, _: int) -> str:
    """Return the label of a moment of a long plot."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _seconds(seconds: float, _: int) -> str:
    """Return the label of a moment of a short plot."""
    return f"{seconds:g} s"
