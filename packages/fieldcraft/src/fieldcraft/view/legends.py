"""Legends of pictures, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.view.colors import HIDDEN, ColorScale
from fieldcraft.view.palettes import Color, parse_color
from fieldcraft.view.plan import GROUND, RGBA
from fieldcraft.view.text import LINE, measure, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "INK",
    "MUTED",
    "PAGE",
    "Legend",
    "ScaleLegend",
    "TeamLegend",
    "format_number",
    "need_plots",
    "over_ground",
    "rendered",
    "share_of",
    "styled",
]

PAGE = (13, 14, 18)
INK = (230, 233, 239)
MUTED = (150, 157, 170)
_GRID = (44, 48, 58)
_BAR = 16  # pixels across a color bar
_POINT = 10  # pixels of the point at the end of a color bar, where values go beyond
_LONGEST_BAR = 300


def need_plots() -> None:
    """Raise `MissingLibrary` without matplotlib."""
    try:
        import matplotlib.style  # noqa: F401
    except ImportError:
        raise MissingLibrary("matplotlib", "plot", "Drawing legends and plots") from None


@contextmanager
def styled() -> Iterator[None]:
    """Plots inside have the colors of the other pictures, whatever the user's settings of
    matplotlib; one point is one pixel.
    """
    need_plots()
    from matplotlib import style

    ink, muted, page, grid = (share_of(color) for color in (INK, MUTED, PAGE, _GRID))
    settings: dict[str, Any] = {
        "figure.dpi": 72,
        "figure.facecolor": page,
        "axes.facecolor": page,
        "axes.edgecolor": grid,
        "axes.labelcolor": muted,
        "axes.titlecolor": ink,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": grid,
        "text.color": ink,
        "xtick.color": muted,
        "ytick.color": muted,
        "legend.frameon": False,
        "lines.linewidth": 2.2,
        "text.parse_math": False,
        "font.family": "DejaVu Sans",
        **dict.fromkeys(
            (
                "font.size",
                "axes.titlesize",
                "axes.labelsize",
                "xtick.labelsize",
                "ytick.labelsize",
                "legend.fontsize",
            ),
            13,
        ),
    }
    with style.context(["default", settings]):
        yield


def share_of(color: tuple[int, int, int]) -> tuple[float, float, float]:
    """A color of 0 to 255 as matplotlib takes it, 0 to 1."""
    return color[0] / 255, color[1] / 255, color[2] / 255


def rendered(figure: Figure) -> RGBA:
    """The pixels of a figure, read-only."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.array(canvas.buffer_rgba(), dtype=np.uint8)
    pixels.flags.writeable = False
    return pixels


def format_number(value: float) -> str:
    """A number as a legend shows it: at most four digits, with a true minus sign."""
    text = f"{checks.finite('value', value):.4g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "\N{MINUS SIGN}")


def over_ground(
    rgb: NDArray[np.uint8], drawn: NDArray[np.bool_], opacity: float
) -> NDArray[np.float64]:
    """Colors of shape (N, 3) over bare ground, as far as they are `drawn`, (N,)."""
    colors, shown = checks.array("rgb", rgb), checks.array("drawn", drawn)
    if (
        colors.shape != (*shown.shape, 3)
        or shown.ndim != 1
        or colors.dtype.kind not in "iuf"
        or shown.dtype.kind not in "b"
    ):
        raise InvalidValue(
            "rgb has the shape (N, 3), drawn (N,)",
            got=f"{colors.shape} and {shown.shape}",
            remedy="Pass one for each",
        )
    cover = (shown * checks.fraction("opacity", opacity))[:, np.newaxis]
    return np.asarray(np.rint(np.array(GROUND) * (1 - cover) + colors * cover))


@runtime_checkable
class Legend(Protocol):
    """A legend that draws itself on a page."""

    def beside(self, height: int) -> RGBA:
        """The legend to the right of pictures of that height."""
        ...

    def below(self, width: int) -> RGBA:
        """The legend below a picture of that width."""
        ...


@dataclass(frozen=True)
class ScaleLegend:
    """A color bar with numbers and a title. Values that are not drawn appear as bare ground.

    `beyond` tells whether values below and above the ends of the scale occur: the bar has a point
    there. `percent` shows 1 as 100 %. `opacity` is that of the frame.
    """

    colors: ColorScale
    title: str = ""
    beyond: tuple[bool, bool] = (False, False)
    percent: bool = False
    opacity: float = 1.0

    def __post_init__(self) -> None:
        checks.instance(
            self.colors, ColorScale, "A legend explains a ColorScale", "Pass ColorScale(low, high)"
        )
        checks.text("title", self.title), checks.flag("percent", self.percent)
        checks.fraction("opacity", self.opacity)
        if len(checks.sequence("beyond", self.beyond)) != 2:
            raise InvalidValue(
                "beyond has a flag for each end",
                got=repr(self.beyond)[:60],
                remedy="Pass (False, True), say",
            )

    def beside(self, height: int) -> RGBA:
        """An upright bar."""
        return self._drawn(max(min(height, _LONGEST_BAR), 100), True)

    def below(self, width: int) -> RGBA:
        """A level bar."""
        return self._drawn(width, False)

    def _drawn(self, length: int, upright: bool) -> RGBA:
        scale = self.colors
        values = np.linspace(scale.low, scale.high, 256).astype(np.float32)
        tones = over_ground(scale.rgb(values), scale.index(values) != HIDDEN, self.opacity)
        beyond = (bool(self.beyond[0]), bool(self.beyond[1]))
        limits = (scale.low, scale.high)
        return _color_bar(
            limits, tones.tobytes(), self.title, beyond, self.percent, length, upright
        )


@lru_cache(maxsize=64)
def _color_bar(
    limits: tuple[float, float],
    tones: bytes,
    title: str,
    beyond: tuple[bool, bool],
    percent: bool,
    length: int,
    upright: bool,
) -> RGBA:
    with styled():
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, Normalize
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        low, high = limits
        lines = wrapped(title, 120) if title and upright else []
        head = len(lines) * LINE + (6 if lines else 0)
        bar = max(length - head - 2 * _POINT, 60)
        gap = (high - low) * ((LINE if upright else 40) / bar)
        inner = MaxNLocator(max(2, bar // (34 if upright else 70)), steps=[1, 2, 5, 10])
        ticks = [
            low,
            *(tick for tick in inner.tick_values(low, high) if low + gap <= tick <= high - gap),
            high,
        ]
        factor, unit = (100, " %") if percent else (1, "")
        labels = [f"{format_number(tick * factor)}{unit}" for tick in ticks]
        widest = max(measure(label) for label in labels)
        if upright:
            width = max(_BAR + 10 + widest, *(measure(line) for line in lines), 0)
            size = (width + 2, head + bar + 2 * _POINT)
            box = (1, _POINT, _BAR, bar)
        else:
            inset = max(_POINT, widest // 2)
            size = (length, 38)
            box = (inset, 24, max(length - 2 * inset, 10), 12)
        figure = Figure((size[0] / 72, size[1] / 72))
        scaled = [side / size[k % 2] for k, side in enumerate(box)]
        axes = figure.add_axes((scaled[0], scaled[1], scaled[2], scaled[3]))
        colors = np.frombuffer(tones).reshape(-1, 3) / 255
        ends = {(True, True): "both", (True, False): "min", (False, True): "max"}
        drawn = figure.colorbar(
            ScalarMappable(Normalize(low, high), ListedColormap(colors)),
            cax=axes,
            orientation="vertical" if upright else "horizontal",
            extend=ends.get(beyond, "neither"),
            extendfrac=_POINT / box[3 if upright else 2],
        )
        drawn.set_ticks(ticks, labels=labels)
        drawn.outline.set_edgecolor(share_of(MUTED))
        if lines:
            figure.text(0, 1, "\n".join(lines), va="top", linespacing=1.2)
        return rendered(figure)


@dataclass(frozen=True)
class TeamLegend:
    """A patch of color and a name for each team; `opacity` is that of the frame."""

    names: Sequence[str]
    colors: Sequence[Color]
    title: str = ""
    opacity: float = 1.0

    def __post_init__(self) -> None:
        names, colors = checks.sequence("names", self.names), checks.sequence("colors", self.colors)
        if len(names) != len(colors):
            raise InvalidValue(
                "Each team has a name and a color",
                got=f"{len(names)} names, {len(colors)} colors",
                remedy="Pass as many of both",
            )
        for name, color in zip(names, colors, strict=True):
            checks.text("Each name", name), parse_color(color)
        checks.text("title", self.title), checks.fraction("opacity", self.opacity)

    def beside(self, height: int) -> RGBA:
        """The teams below each other."""
        width = max(110, *(30 + measure(name) for name in [*self.names, self.title]))
        return self._drawn(width, 1)

    def below(self, width: int) -> RGBA:
        """The teams in as many columns as fit."""
        widest = max(44 + measure(name) for name in self.names)
        return self._drawn(width, max(1, min(len(self.names), width // widest)))

    def _drawn(self, width: int, columns: int) -> RGBA:
        tones = np.array([parse_color(color) for color in self.colors])
        shown = over_ground(tones, np.ones(len(tones), dtype=np.bool_), self.opacity)
        colors = tuple((red, green, blue) for red, green, blue in (shown / 255).tolist())
        return _patches(tuple(self.names), colors, self.title, width, columns)


@lru_cache(maxsize=64)
def _patches(
    names: tuple[str, ...],
    colors: tuple[tuple[float, float, float], ...],
    title: str,
    width: int,
    columns: int,
) -> RGBA:
    with styled():
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch

        rows = -(-len(names) // columns) + bool(title)
        figure = Figure((width / 72, (rows * (LINE + 2) + 4) / 72))
        figure.legend(
            [Patch(facecolor=color) for color in colors],
            names,
            title=title or None,
            ncols=columns,
            loc="upper left",
            bbox_to_anchor=(0, 1),
            alignment="left",
            borderpad=0.1,
            borderaxespad=0,
            handlelength=1,
            handletextpad=0.5,
            labelspacing=0.45,
            columnspacing=1.6,
        )
        return rendered(figure)
