"""Legends that lie under a picture, for pictures side by side that each mean something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.canvas import GROUND, checked_picture
from fieldcraft.view.colors import HIDDEN, Color, ColorScale, parse_color
from fieldcraft.view.legend import (
    INK,
    MUTED,
    PAGE,
    checked_ends,
    checked_scale,
    format_number,
    over_ground,
)
from fieldcraft.view.text import ASCENT, blend, measure, write

__all__ = ["ScaleStrip", "Strip", "TeamStrip", "above_strip"]

RGBA = NDArray[np.uint8]

_BAR = 9
_PATCH = 11
_EDGE = (96, 105, 124)


@runtime_checkable
class Strip(Protocol):
    """A legend `height` pixels high, as wide as the picture above it."""

    height: int

    def draw(self, canvas: RGBA, left: int, top: int, width: int) -> None:
        """Draw it with its corner at (left, top)."""
        ...


class ScaleStrip:
    """A level colour bar with the numbers at its ends and its middle. `beyond` as in
    `ScaleLegend`.
    """

    height = 32

    def __init__(
        self,
        colors: ColorScale,
        *,
        beyond: tuple[bool, bool] = (False, False),
        percent: bool = False,
    ) -> None:
        self.colors = checked_scale(colors)
        self.beyond = checked_ends(beyond)
        self.percent = checks.flag("percent", percent)

    def draw(self, canvas: RGBA, left: int, top: int, width: int) -> None:
        """Draw it with its corner at (left, top)."""
        low, high = self.colors.low, self.colors.high
        values = np.linspace(low, high, width).astype(np.float32)
        canvas[top : top + _BAR, left : left + width, :3] = over_ground(
            self.colors.rgb(values), self.colors.index(values) != HIDDEN, 1.0
        )
        _edge(canvas, left, top, width, _BAR)
        first = ("\N{LESS-THAN OR EQUAL TO}" if self.beyond[0] else "") + self._text(low)
        last = ("\N{GREATER-THAN OR EQUAL TO}" if self.beyond[1] else "") + self._text(high)
        base = top + _BAR + 5 + ASCENT
        write(canvas, left, base, first, MUTED)
        write(canvas, left + width - measure(last), base, last, MUTED)
        middle = self._text((low + high) / 2)
        if measure(first) + measure(middle) + measure(last) + 24 < width:
            write(canvas, left + (width - measure(middle)) // 2, base, middle, MUTED)

    def _text(self, value: float) -> str:
        return f"{format_number(value * 100)} %" if self.percent else format_number(value)


class TeamStrip:
    """A patch of colour and a name for each team, in one line as far as they fit. `opacity` is that
    of the picture.
    """

    height = 14

    def __init__(
        self, names: Sequence[str], colors: Sequence[Color], *, opacity: float = 1.0
    ) -> None:
        self.names = [checks.text("Each name", name) for name in checks.sequence("names", names)]
        self.colors = [parse_color(color) for color in checks.sequence("colors", colors)]
        self.opacity = checks.fraction("opacity", opacity)
        if len(self.names) != len(self.colors):
            raise InvalidValue(
                "Each team has a name and a color",
                got=f"{len(self.names)} names, {len(self.colors)} colors",
                remedy="Pass as many of both",
            )

    def draw(self, canvas: RGBA, left: int, top: int, width: int) -> None:
        """Draw it with its corner at (left, top)."""
        end = left + width
        for name, color in zip(self.names, self.colors, strict=True):
            if left + 18 + measure(name) > end:
                break
            tone = np.rint(np.array(GROUND) * (1 - self.opacity) + np.array(color) * self.opacity)
            canvas[top : top + _PATCH, left : left + _PATCH, :3] = tone
            _edge(canvas, left, top, _PATCH, _PATCH)
            write(canvas, left + 18, top + ASCENT - 1, name, INK)
            left += 18 + measure(name) + 16


def above_strip(picture: RGBA, strip: Strip) -> RGBA:
    """A picture of shape (H, W, 4) with a legend under it: uint8 of shape (H + 8 + strip.height, W,
    4).

    Raises `InvalidValue` for what is no picture or no strip.
    """
    picture = checked_picture(picture)
    if not isinstance(strip, Strip):
        raise InvalidValue(
            "A strip is a legend under a picture",
            got=type(strip).__name__,
            remedy="Pass ScaleStrip(colors), say",
        )
    height, width = picture.shape[:2]
    page = np.empty((height + 8 + strip.height, width, 4), dtype=np.uint8)
    page[:] = (*PAGE, 255)
    page[:height] = picture
    strip.draw(page, 0, height + 8, width)
    return page


def _edge(canvas: RGBA, left: int, top: int, width: int, height: int) -> None:
    line = np.zeros((height, width))
    line[[0, -1]] = 1
    line[:, [0, -1]] = 1
    blend(canvas, left, top, line * 0.8, _EDGE)
