"""Legends of pictures, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs
from fieldcraft.view.drawing.letters import LINE, measure, wrapped
from fieldcraft.view.palettes import Color, parse_color
from fieldcraft.view.pixels.color_scale import HIDDEN, ColorScale
from fieldcraft.view.pixels.pixel_plan import RGBA
from fieldcraft.view.pixels.themes import DARK, RGB, Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BAR = 16  # A color bar is so many pixels wide.
_POINT = 10  # The point at its end, where values go beyond, has so many pixels.
_LONGEST_BAR = 300
_SIZES = (
    "font.size",
    "axes.titlesize",
    "axes.labelsize",
    "xtick.labelsize",
    "ytick.labelsize",
    "legend.fontsize",
)


def need_plots() -> None:
    """Raise `MissingLibrary` without matplotlib."""
    with needs("matplotlib", "plot", "Drawing legends and plots"):
        import matplotlib.style  # noqa: F401


@contextmanager
def styled(theme: Theme = DARK) -> Iterator[None]:
    """Plots inside have the colors of the other pictures, whatever the user's settings of
    matplotlib; one point is one pixel.
    """
    need_plots()
    from matplotlib import style

    text = share_of(theme.text)
    faint = share_of(theme.faint_text)
    page = share_of(theme.page)
    axes = share_of(theme.axes)
    settings: dict[str, Any] = {
        "figure.dpi": 72,
        "figure.facecolor": page,
        "axes.facecolor": page,
        "axes.edgecolor": axes,
        "axes.labelcolor": faint,
        "axes.titlecolor": text,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": axes,
        "text.color": text,
        "xtick.color": faint,
        "ytick.color": faint,
        "legend.frameon": False,
        "lines.linewidth": 2.2,
        "text.parse_math": False,
        "font.family": "DejaVu Sans",
        **dict.fromkeys(_SIZES, 13),
    }
    with style.context(["default", settings]):
        yield


def share_of(color: RGB) -> tuple[float, float, float]:
    """Return a color of 0 to 255 as matplotlib takes it, 0 to 1."""
    return color[0] / 255, color[1] / 255, color[2] / 255


def rendered(figure: Figure) -> RGBA:
    """Return the pixels of a figure, read-only."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.array(canvas.buffer_rgba(), dtype=np.uint8)
    pixels.flags.writeable = False
    return pixels


def format_number(value: float) -> str:
    """Return a number as a legend shows it: at most four digits, with a true minus sign."""
    text = f"{value:.4g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "\N{MINUS SIGN}")


def over_ground(
    rgb: NDArray[np.uint8], drawn: NDArray[np.bool_], opacity: float, theme: Theme = DARK
) -> NDArray[np.float64]:
    """Return colors of shape (N, 3) over bare ground, as far as they are `drawn`, (N,)."""
    cover = (drawn * opacity)[:, np.newaxis]
    return np.asarray(np.rint(np.array(theme.ground) * (1 - cover) + rgb * cover))


@dataclass(frozen=True)
class ScaleLegend:
    """A color bar with numbers and a title. Values that are not drawn appear as bare ground.

    Parameters
    ----------
    colors : ColorScale
        The scale to explain.
    title : str, optional
        Above the bar, where it is upright.
    beyond : (bool, bool), optional
        Whether values below and above the ends of the scale occur: the bar has a point there.
    percent : bool, optional
        Write 1 as 100 %.
    opacity : float, optional
        Of the values in the picture, 0 to 1.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> threat = fc.view.frame([[0.0, 4.0, 8.0]], limits=(0, 8), scale=40)
    >>> legend = fc.view.ScaleLegend(fc.view.ColorScale(0, 8), title="threat")
    >>> threat.shape
    (40, 120, 4)
    >>> fc.view.page([threat], legend=legend).shape
    (140, 219, 4)
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
        checks.text("title", self.title)
        checks.fraction("opacity", self.opacity)

    def beside(self, height: int, theme: Theme) -> RGBA:
        """Return an upright bar.

        Parameters
        ----------
        height : int
            Pixels of the picture beside it; the bar has 100 at least.
        theme : Theme
            The colors of the page.

        Returns
        -------
        ndarray of uint8, (H, W, 4)
            The picture.
        """
        return self._drawn(max(min(height, _LONGEST_BAR), 100), True, theme)

    def below(self, width: int, theme: Theme) -> RGBA:
        """Return a level bar.

        Parameters
        ----------
        width : int
            Pixels.
        theme : Theme
            The colors of the page.

        Returns
        -------
        ndarray of uint8, (H, W, 4)
            The picture.
        """
        return self._drawn(width, False, theme)

    def _drawn(self, length: int, upright: bool, theme: Theme) -> RGBA:
        """Return the bar, upright or level."""
        scale = self.colors
        values = np.linspace(scale.low, scale.high, 256).astype(np.float32)
        drawn = scale.index(values) != HIDDEN
        tones = over_ground(scale.rgb(values), drawn, self.opacity, theme).tobytes()
        beyond = (bool(self.beyond[0]), bool(self.beyond[1]))
        limits = (scale.low, scale.high)
        if upright:
            title = self.title
        else:
            title = ""
        return _color_bar(limits, tones, title, beyond, self.percent, length, upright, theme)


@lru_cache(maxsize=64)
def _color_bar(
    limits: tuple[float, float],
    tones: bytes,
    title: str,
    beyond: tuple[bool, bool],
    percent: bool,
    length: int,
    upright: bool,
    theme: Theme,
) -> RGBA:
    """Return a color bar, read-only; `tones` are the colors, float64 of shape (N, 3)."""
    with styled(theme):
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, Normalize
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        low, high = limits
        lines = []
        head = 0
        if title:
            lines = wrapped(title, 120)
            head = len(lines) * LINE + 6
        bar = max(length - head - 2 * _POINT, 60)
        if upright:
            least_gap = LINE
            typical_gap = 34
        else:
            least_gap = 40
            typical_gap = 70
        gap = (high - low) * (least_gap / bar)
        inner = MaxNLocator(max(2, bar // typical_gap), steps=[1, 2, 5, 10])
        between = [tick for tick in inner.tick_values(low, high) if low + gap <= tick <= high - gap]
        ticks = [low, *between, high]
        factor = 1
        unit = ""
        if percent:
            factor = 100
            unit = " %"
        labels = [f"{format_number(tick * factor)}{unit}" for tick in ticks]
        widest = max(map(measure, labels))
        # The size of the figure, and the corner and the sides of the bar on it, in pixels.
        if upright:
            width = max([_BAR + 10 + widest, *map(measure, lines)]) + 2
            height = head + bar + 2 * _POINT
            left = 1
            bottom = _POINT
            across = _BAR
            up = bar
            orientation = "vertical"
            share_of_points = _POINT / up
        else:
            width = length
            height = 38
            left = max(_POINT, widest // 2)
            bottom = 24
            across = max(length - 2 * left, 10)
            up = 12
            orientation = "horizontal"
            share_of_points = _POINT / across
        figure = Figure((width / 72, height / 72))
        axes = figure.add_axes((left / width, bottom / height, across / width, up / height))
        colors = np.frombuffer(tones).reshape(-1, 3) / 255
        ends = {(True, True): "both", (True, False): "min", (False, True): "max"}
        drawn = figure.colorbar(
            ScalarMappable(Normalize(low, high), ListedColormap(colors)),
            cax=axes,
            orientation=orientation,
            extend=ends.get(beyond, "neither"),
            extendfrac=share_of_points,
        )
        drawn.set_ticks(ticks, labels=labels)
        drawn.outline.set_edgecolor(share_of(theme.faint_text))
        if lines:
            figure.text(0, 1, "\n".join(lines), va="top", linespacing=1.2)
        return rendered(figure)


@dataclass(frozen=True)
class TeamLegend:
    """A patch of color and a name for each team.

    Parameters
    ----------
    names : sequence of str
        One per team.
    colors : sequence of str or (int, int, int)
        As many.
    title : str, optional
        Above them.
    opacity : float, optional
        Of the colors in the picture, 0 to 1.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> threat = fc.view.frame([[0.0, 4.0, 8.0]], limits=(0, 8), scale=40)
    >>> legend = fc.view.TeamLegend(["red", "blue"], ["#c33c3c", "#3c64c3"])
    >>> fc.view.page([threat], legend=legend).shape
    (80, 288, 4)
    """

    names: Sequence[str]
    colors: Sequence[Color]
    title: str = ""
    opacity: float = 1.0

    def __post_init__(self) -> None:
        names = checks.sequence("names", self.names)
        colors = checks.sequence("colors", self.colors)
        if len(names) != len(colors):
            raise InvalidValue(
                "Each team has a name and a color",
                got=f"{len(names)} names, {len(colors)} colors",
                remedy="Pass as many of both",
            )
        for name, color in zip(names, colors, strict=True):
            checks.text("Each name", name)
            parse_color(color)
        checks.text("title", self.title)
        checks.fraction("opacity", self.opacity)

    def beside(self, height: int, theme: Theme) -> RGBA:
        """Return the teams below each other.

        Parameters
        ----------
        height : int
            Pixels of the picture beside it; ignored.
        theme : Theme
            The colors of the page.

        Returns
        -------
        ndarray of uint8, (H, W, 4)
            The picture.
        """
        width = max(110, *(30 + measure(name) for name in [*self.names, self.title]))
        return self._drawn(width, 1, theme)

    def below(self, width: int, theme: Theme) -> RGBA:
        """Return the teams in the largest number of columns that fits.

        Parameters
        ----------
        width : int
            Pixels.
        theme : Theme
            The colors of the page.

        Returns
        -------
        ndarray of uint8, (H, W, 4)
            The picture.
        """
        widest = max(44 + measure(name) for name in self.names)
        return self._drawn(width, max(1, min(len(self.names), width // widest)), theme)

    def _drawn(self, width: int, columns: int, theme: Theme) -> RGBA:
        """Return the patches in columns."""
        tones = np.array([parse_color(color) for color in self.colors])
        shown = over_ground(tones, np.ones(len(tones), dtype=np.bool_), self.opacity, theme)
        colors = tuple((red, green, blue) for red, green, blue in (shown / 255).tolist())
        return _patches(tuple(self.names), colors, self.title, width, columns, theme)


Legend = ScaleLegend | TeamLegend


@lru_cache(maxsize=64)
def _patches(
    names: tuple[str, ...],
    colors: tuple[tuple[float, float, float], ...],
    title: str,
    width: int,
    columns: int,
    theme: Theme,
) -> RGBA:
    """Return the patches of teams, read-only."""
    with styled(theme):
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
