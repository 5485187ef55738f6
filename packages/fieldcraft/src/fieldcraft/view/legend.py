"""Legends: a colour bar with numbers and a title, or one bar per team."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.canvas import GROUND
from fieldcraft.view.colors import HIDDEN, ColorScale, tinted
from fieldcraft.view.frame import Team
from fieldcraft.view.text import ASCENT, LINE, blend, measure, wrapped, write

__all__ = [
    "INK",
    "MUTED",
    "PAGE",
    "Legend",
    "ScaleLegend",
    "TeamLegend",
    "checked_ends",
    "checked_scale",
    "format_number",
    "over_ground",
    "ticks",
]

PAGE = (13, 14, 18)
INK = (230, 233, 239)
MUTED = (150, 157, 170)
_EDGE = (96, 105, 124)
_BAR = 16
_NUMBERS = "\N{GREATER-THAN OR EQUAL TO}0.0000"

Canvas = NDArray[np.uint8]


def format_number(value: float) -> str:
    """A number as a legend shows it: at most four digits, with a true minus sign."""
    text = f"{checks.finite('value', value):.4g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "\N{MINUS SIGN}")


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from `low` to `high`, at most `most` of them, 1, 2 or 5 times a power of ten
    apart.
    """
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(
        (factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9)),
        10 * power,
    )
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


class Legend(Protocol):
    """The legend that explains colors: it knows its size in pixels and draws itself."""

    def size(self, scale: float, room: int) -> tuple[int, int]:
        """(width, height) in pixels, text at `scale`, beside pictures `room` pixels high."""
        ...

    def draw(self, canvas: Canvas, left: int, top: int, scale: float, room: int) -> None:
        """Draw it with its corner at (left, top)."""
        ...


class ScaleLegend:
    """An upright colour bar with numbers and a title. Values that are not drawn appear as bare
    ground.

    `beyond` says whether values below and above the ends of the scale occur; the numbers at the
    ends tell. `opacity` is that of the frame.
    """

    def __init__(
        self,
        colors: ColorScale,
        title: str = "",
        *,
        beyond: tuple[bool, bool] = (False, False),
        opacity: float = 1.0,
    ) -> None:
        self.colors = checked_scale(colors)
        self.title = checks.text("title", title)
        self.beyond = checked_ends(beyond)
        self.opacity = checks.fraction("opacity", opacity)

    def size(self, scale: float, room: int) -> tuple[int, int]:
        """(width, height) in pixels."""
        numbers = max(measure(text, scale=scale) for _, text in self._labels(scale, room))
        lines = self._title(scale)
        width = round((_BAR + 10) * scale) + max(numbers, measure(_NUMBERS, scale=scale))
        return max([width, *(measure(line, scale=scale) for line in lines)]), self._head(
            scale
        ) + self._bar(scale, room) + round(6 * scale)

    def draw(self, canvas: Canvas, left: int, top: int, scale: float, room: int) -> None:
        """Draw it with its corner at (left, top)."""
        for i, line in enumerate(self._title(scale)):
            write(canvas, left, top + round((ASCENT + i * LINE) * scale), line, INK, scale=scale)
        top += self._head(scale)
        high, wide = self._bar(scale, room), round(_BAR * scale)
        span = self.colors.high - self.colors.low
        values = (self.colors.high - span * np.arange(high) / (high - 1)).astype(np.float32)
        shown = over_ground(
            self.colors.rgb(values), self.colors.index(values) != HIDDEN, self.opacity
        )
        canvas[top : top + high, left : left + wide, :3] = shown[:, np.newaxis]
        _box(canvas, left, top, wide, high)
        for value, text in self._labels(scale, room):
            row = top + round((self.colors.high - value) / span * (high - 1))
            canvas[row, left + wide : left + wide + round(4 * scale)] = (*_EDGE, 255)
            write(
                canvas,
                left + wide + round(9 * scale),
                row + round(4.5 * scale),
                text,
                MUTED,
                scale=scale,
            )

    def _title(self, scale: float) -> list[str]:
        return wrapped(self.title, round(120 * scale), scale=scale) if self.title else []

    def _head(self, scale: float) -> int:
        return round((len(self._title(scale)) * LINE + 6) * scale)

    def _bar(self, scale: float, room: int) -> int:
        return max(
            min(room - self._head(scale) - round(6 * scale), round(300 * scale)), round(80 * scale)
        )

    def _labels(self, scale: float, room: int) -> list[tuple[float, str]]:
        """The numbers beside the bar: both ends, and the round ones that leave room."""
        low, high = self.colors.low, self.colors.high
        below, above = self.beyond
        ends = [(low, ("\N{LESS-THAN OR EQUAL TO}" if below else "") + format_number(low))]
        ends.append((high, ("\N{GREATER-THAN OR EQUAL TO}" if above else "") + format_number(high)))
        bar = self._bar(scale, room)
        gap = (high - low) * LINE * scale / bar
        step = max(2, int(bar / (34 * scale)) + 1)
        between = [value for value in ticks(low, high, step) if low + gap <= value <= high - gap]
        return ends + [(value, format_number(value)) for value in between]


class TeamLegend:
    """One short bar per team, from no influence to the most that the scale shows; `opacity` is that
    of the frame.
    """

    def __init__(
        self, teams: Sequence[Team], colors: ColorScale, title: str = "", *, opacity: float = 1.0
    ) -> None:
        self.teams = checks.sequence("teams", teams)
        if not all(isinstance(team, Team) for team in self.teams):
            raise InvalidValue(
                "A legend of teams has Teams",
                got=repr(teams)[:60],
                remedy="Pass Team.all_of(teams)",
            )
        self.colors = checked_scale(colors)
        self.title = checks.text("title", title)
        self.opacity = checks.fraction("opacity", opacity)

    def size(self, scale: float, room: int) -> tuple[int, int]:
        """(width, height) in pixels."""
        texts = [team.label for team in self.teams] + [self.title]
        width = max(round(110 * scale), *(measure(text, scale=scale) for text in texts))
        return width, self._top(len(self.teams), scale) + round(LINE * scale)

    def draw(self, canvas: Canvas, left: int, top: int, scale: float, room: int) -> None:
        """Draw it with its corner at (left, top)."""
        if self.title:
            write(canvas, left, top + round(ASCENT * scale), self.title, INK, scale=scale)
        wide, high = round(110 * scale), round(10 * scale)
        share = np.linspace(0, 1, wide)
        shown = share * (self.colors.high - self.colors.low) + self.colors.low > (
            self.colors.threshold or 0.0
        )
        for i, team in enumerate(self.teams):
            y = top + self._top(i, scale)
            write(canvas, left, y + round(ASCENT * scale), team.label, INK, scale=scale)
            y += round(LINE * scale)
            table = tinted(team.color)
            rgb = table[np.rint(share * (len(table) - 1)).astype(int)]
            canvas[y : y + high, left : left + wide, :3] = over_ground(rgb, shown, self.opacity)
            _box(canvas, left, y, wide, high)
        y = top + self._top(len(self.teams), scale) + round((ASCENT - 6) * scale)
        low, high_text = format_number(self.colors.low), format_number(self.colors.high)
        write(canvas, left, y, low, MUTED, scale=scale)
        write(
            canvas, left + wide - measure(high_text, scale=scale), y, high_text, MUTED, scale=scale
        )

    def _top(self, i: int, scale: float) -> int:
        return round(((LINE + 8 if self.title else 0) + i * 40) * scale)


def checked_scale(colors: ColorScale) -> ColorScale:
    """The colour scale of a legend, or `InvalidValue` for anything else."""
    if not isinstance(colors, ColorScale):
        raise InvalidValue(
            "A legend explains a ColorScale",
            got=type(colors).__name__,
            remedy="Pass ColorScale(low, high)",
        )
    return colors


def checked_ends(beyond: tuple[bool, bool]) -> tuple[bool, bool]:
    """Whether values beyond the two ends of a scale occur."""
    ends = checks.sequence("beyond", beyond)
    if len(ends) != 2:
        raise InvalidValue(
            "beyond says it of both ends", got=repr(beyond)[:60], remedy="Pass (False, True), say"
        )
    return checks.flag("beyond", ends[0]), checks.flag("beyond", ends[1])


def over_ground(
    rgb: NDArray[np.uint8], drawn: NDArray[np.bool_], opacity: float
) -> NDArray[np.float64]:
    """Colours of shape (N, 3) as they look over bare ground where (N,) `drawn` says that they are
    drawn.
    """
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
    checks.fraction("opacity", opacity)
    cover = (drawn * opacity)[:, np.newaxis]
    mixed: NDArray[np.float64] = np.rint(np.array(GROUND) * (1 - cover) + rgb * cover)
    return mixed


def _box(canvas: Canvas, left: int, top: int, width: int, height: int) -> None:
    """Draw a thin line around a box, just outside of it."""
    line = np.zeros((height + 2, width + 2))
    line[[0, -1]] = 1
    line[:, [0, -1]] = 1
    blend(canvas, left - 1, top - 1, line, _EDGE)
