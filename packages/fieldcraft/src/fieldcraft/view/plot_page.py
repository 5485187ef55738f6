"""Pages of plots by matplotlib in the colors and letters of the other pictures; the only place that
knows it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import MissingLibrary
from fieldcraft.view.legend import INK, MUTED, PAGE, format_number, ticks
from fieldcraft.view.text import LINE, measure, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "GRID",
    "MARGIN",
    "MARK",
    "PAPER",
    "RGB",
    "TITLE",
    "PlotPage",
    "amount",
    "need_plots",
    "numbers_across",
    "styled",
    "tone_of",
    "upright",
    "widest",
]

RGBA = NDArray[np.uint8]
RGB = tuple[float, float, float]

MARGIN = 18
TITLE = 1.5


def tone_of(color: tuple[int, int, int]) -> RGB:
    """A color of 0 to 255 as matplotlib takes it, of 0 to 1."""
    return color[0] / 255, color[1] / 255, color[2] / 255


PAPER, GRID, MARK = tone_of(PAGE), tone_of((44, 48, 58)), tone_of((120, 128, 144))
# One point is one pixel: figures are made at 72 dots an inch.
_STYLE: dict[str, Any] = {
    "figure.dpi": 72,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "axes.edgecolor": GRID,
    "axes.labelcolor": tone_of(MUTED),
    "axes.labelsize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "xtick.color": tone_of(MUTED),
    "ytick.color": tone_of(MUTED),
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


def need_plots() -> None:
    """Refuse to plot without matplotlib, before any work is done."""
    try:
        import matplotlib.style  # noqa: F401
    except ImportError:
        raise MissingLibrary("matplotlib", "plot", "Drawing plots") from None


@contextmanager
def styled() -> Iterator[None]:
    """Drawing inside looks like the other pictures, whatever the user's own settings of matplotlib
    say.
    """
    need_plots()
    from matplotlib import style

    with style.context(["default", _STYLE]):
        yield


class PlotPage:
    """A figure with a title, a key of the series and a caption; panels lie from `top` down, and
    leave `foot` pixels below them.
    """

    def __init__(
        self, width: int, title: str, caption: str, key: Sequence[tuple[str, RGB]] = ()
    ) -> None:
        from matplotlib.figure import Figure

        self.figure: Figure = Figure()
        self.width = width
        self._title, self._key = title, key if len(key) > 1 else ()
        self._notes = wrapped(caption, width - 2 * MARGIN) if caption else []
        self.top = (
            MARGIN + (round(LINE * TITLE) + 10 if title else 0) + (LINE + 14 if self._key else 0)
        )
        self.foot = MARGIN + (len(self._notes) * LINE + 10 if self._notes else 0)

    def axes(self, box: tuple[int, int, int, int], height: int) -> Axes:
        """Axes in a box of (left, top, width, height), on a page of that height."""
        left, top, wide, high = box
        return self.figure.add_axes(
            (left / self.width, 1 - (top + high) / height, wide / self.width, high / height)
        )

    def text(
        self,
        left: int,
        top: int,
        height: int,
        text: str,
        color: tuple[int, int, int],
        **options: Any,
    ) -> None:
        """Write at a pixel of a page of that height."""
        self.figure.text(left / self.width, 1 - top / height, text, color=tone_of(color), **options)

    def pixels(self, height: int) -> RGBA:
        """The finished page, so many pixels high."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.lines import Line2D

        self.figure.set_size_inches(self.width / 72, height / 72)
        if self._title:
            self.text(
                MARGIN, MARGIN, height, self._title, INK, size=13 * TITLE, weight="bold", va="top"
            )
        if self._key:
            self.figure.legend(
                [Line2D([], [], marker="o", linestyle="", color=tone) for _, tone in self._key],
                [name for name, _ in self._key],
                loc="center left",
                bbox_to_anchor=(MARGIN / self.width, 1 - (self.top - 14 - LINE / 2) / height),
                ncols=len(self._key),
                borderpad=0,
                borderaxespad=0,
                handletextpad=0.4,
                columnspacing=1.8,
                handlelength=0.8,
                labelcolor="linecolor",
            )
        if self._notes:
            self.text(
                MARGIN,
                height - MARGIN + 4,
                height,
                "\n".join(self._notes),
                MUTED,
                va="bottom",
                linespacing=1.2,
            )
        canvas = FigureCanvasAgg(self.figure)
        canvas.draw()
        return np.array(canvas.buffer_rgba(), dtype=np.uint8)


def widest(low: float, high: float, most: int, percent: bool) -> int:
    """The pixels that the numbers of an upright axis take beside it."""
    return 10 + max(measure(amount(value, percent)) for value in ticks(low, high, most))


def upright(axes: Axes, low: float, high: float, most: int, percent: bool) -> None:
    """Give an axis its limits and round numbers, with a line across at each."""
    numbers = ticks(low, high, most)
    axes.set_yticks(numbers, labels=[amount(value, percent) for value in numbers])
    axes.set_ylim(low, high)
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)


def numbers_across(axes: Axes, across: NDArray[np.float64], room: float, log: bool) -> None:
    """Write round numbers along the axis: the places themselves where they are few and far enough
    apart.
    """
    at = np.log10(across) if log else across
    span = float(at[-1] - at[0])
    wide = max(measure(format_number(value)) for value in across.tolist()) + 10
    if span == 0 or float(np.diff(at).min()) / span * room >= wide:
        numbers = across.tolist()
    elif log:
        numbers = [
            10.0**power for power in range(math.ceil(at[0] - 1e-9), math.floor(at[-1] + 1e-9) + 1)
        ]
    else:
        numbers = ticks(float(across[0]), float(across[-1]), max(2, int(room // 70)))
    axes.set_xticks(numbers, labels=[format_number(value) for value in numbers])
    axes.minorticks_off()
    if span:
        axes.set_xlim(float(across[0]), float(across[-1]))


def amount(value: float, percent: bool) -> str:
    """A number as an axis shows it."""
    return f"{format_number(value * 100)} %" if percent else format_number(value)
