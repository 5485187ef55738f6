"""The panel beside a scene: title, facts, the legend of its colors, sliders, and which key does
what.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.view import ColorScale
from fieldcraft.view.drawing import (
    HIDDEN,
    Brush,
    format_number,
    lettered,
    measure,
    over_ground,
    wrapped,
)
from fieldcraft_worlds.scene import Fact, Lines, Marks, Scene, Tone
from fieldcraft_worlds.view.tones import rgb_of_tone

__all__ = ["PANEL_WIDTH", "Panel", "PanelKey", "PanelSlider", "Track", "draw_panel"]

RGBA = NDArray[np.uint8]

PANEL_WIDTH = 300
_GROUND = (21, 23, 29)
_EDGE = (58, 63, 76)
_MARGIN = 14
_STEP = 18
_SCALE = 14 / 13  # of a font of 13 pixels
_SIZES = (1.0, 0.9, 0.8, 0.7, 0.6)  # of the lettering: the largest that leaves room for everything


@dataclass(frozen=True)
class PanelKey:
    """A line of the legend of keys: `on` lights it, None where it is neither on nor off; `group`
    keeps alternatives together.
    """

    key: str
    text: str
    on: bool | None = None


@dataclass(frozen=True)
class PanelSlider:
    """A slider: its name, its text, its value as text, and the share of its length, 0 to 1."""

    name: str
    text: str
    value: str
    share: float


@dataclass(frozen=True)
class Track:
    """Where on a panel a slider was drawn, in pixels: `left` and `right` are its ends, `top` and
    `bottom` the rows that belong to it.
    """

    name: str
    left: int
    right: int
    top: int
    bottom: int


@dataclass(frozen=True)
class Panel:
    """The panel's own words, beside those of the scene; `goal` stands under the title."""

    keys: tuple[PanelKey, ...] = ()
    status: str = ""
    notes: tuple[str, ...] = ()
    sliders: tuple[PanelSlider, ...] = ()
    title: str = ""
    goal: str = ""


class _Pen:
    """Writes downwards; what finds no room any more is left out. A pen without ink only
    measures.
    """

    def __init__(self, canvas: RGBA, brush: Brush, size: float, *, has_ink: bool = True) -> None:
        self.canvas = canvas
        self.brush = brush
        self.y = _MARGIN
        self.wide = canvas.shape[1] - 2 * _MARGIN
        self.scale = _SCALE * size
        self.step = round(_STEP * size)
        self.gap = round(8 * size)
        self.swatch = min(11, self.step - 5)
        self._has_ink = has_ink
        self.tracks: list[Track] = []

    def room(self, pixels: int) -> bool:
        return not self._has_ink or bool(self.y + pixels <= self.canvas.shape[0] - _MARGIN // 2)

    def measure(self, text: str) -> int:
        return measure(text, scale=self.scale)

    def line(
        self,
        text: str,
        tone: Tone,
        *,
        indent: int = 0,
        scale: float | None = None,
        bold: bool = False,
    ) -> None:
        for part in wrapped(text, max(self.wide - indent, 20), scale=scale or self.scale):
            if self.room(self.step):
                self.write(part, _MARGIN + indent, tone, scale=scale, bold=bold)
                self.y += self.step

    def write(
        self, text: str, left: int, tone: Tone, *, scale: float | None = None, bold: bool = False
    ) -> None:
        if self._has_ink:
            mask, x, y = lettered(text, scale or self.scale, bold)
            self.brush.stamp(
                self.canvas, mask, left + x, self.y + round(0.7 * self.step) + y, rgb_of_tone(tone)
            )

    def right(self, text: str, tone: Tone) -> None:
        self.write(text, _MARGIN + self.wide - self.measure(text), tone)

    def paste(self, left: int, high: int, colors: NDArray[np.float64]) -> None:
        if self._has_ink:
            self.canvas[self.y + 2 : self.y + 2 + high, left : left + len(colors), :3] = colors

    def box(self, left: int, wide: int, high: int, color: tuple[int, int, int]) -> None:
        if self._has_ink:
            top = self.y + round(0.7 * self.step) - high
            self.canvas[top : top + high, left : left + wide, :3] = color

    def bar(
        self, left: int, right: int, middle: int, half: int, color: tuple[int, int, int]
    ) -> None:
        if self._has_ink:
            self.canvas[middle - half : middle + half + 1, left : right + 1, :3] = color


def draw_panel(
    canvas: RGBA, brush: Brush, scene: Scene, scale: ColorScale | None, panel: Panel
) -> tuple[Track, ...]:
    """Fill `canvas`, uint8 of shape (H, W, 4), and answer where its sliders are; `scale` is that of
    the scene's field.
    """
    canvas[:] = (*_GROUND, 255)
    canvas[:, :1, :3] = _EDGE
    for size in _SIZES:
        measuring = _Pen(canvas, brush, size, has_ink=False)
        _write(measuring, scene, scale, panel)
        if measuring.y <= canvas.shape[0]:
            break
    pen = _Pen(canvas, brush, size)
    _write(pen, scene, scale, panel)
    return tuple(pen.tracks)


def _write(pen: _Pen, scene: Scene, scale: ColorScale | None, panel: Panel) -> None:
    if panel.title:
        pen.line(panel.title, "ink", scale=1.2 * pen.scale, bold=True)
    if panel.goal:
        pen.line(panel.goal, "ink")
        pen.y += pen.gap // 2
    if told := ", ".join(filter(None, (scene.title, panel.status))):
        pen.line(told, "muted")
    pen.y += pen.gap
    for fact in scene.facts:
        _fact(pen, fact)
    if scene.facts:
        pen.y += pen.gap
    if scene.field is not None and scale is not None and not scene.field.names:
        _bar(pen, scene.field.label, scale, scene.field.opacity)
    _swatches(pen, scene)
    for slider in panel.sliders:
        _slider(pen, slider)
    if panel.sliders:
        pen.y += pen.gap // 2
    for key in panel.keys:
        _key(pen, key)
    pen.y += pen.gap
    for note in panel.notes:
        pen.line(note, "warning")


def _fact(pen: _Pen, fact: Fact) -> None:
    """A name and a value on one line, or on two where they are long."""
    if not pen.room(pen.step):
        return
    indent = 0
    if fact.color is not None:
        pen.box(_MARGIN, pen.swatch, pen.swatch, rgb_of_tone(fact.color))
        indent = 18
    if fact.name and pen.measure(f"{fact.name}  {fact.value}") + indent <= pen.wide:
        pen.write(fact.name, _MARGIN + indent, "ink")
        pen.right(fact.value, "ink")
        pen.y += pen.step
        return
    if fact.name:
        pen.line(fact.name, "ink", indent=indent)
    pen.line(fact.value, "muted", indent=18)


def _bar(pen: _Pen, label: str, scale: ColorScale, opacity: float) -> None:
    if not pen.room(3 * pen.step):
        return
    if label:
        pen.line(label, "ink")
    wide, high = pen.wide, round(0.62 * pen.step)
    values = (scale.low + (scale.high - scale.low) * np.arange(wide) / max(wide - 1, 1)).astype(
        np.float32
    )
    shown = over_ground(scale.rgb(values), scale.index(values) != HIDDEN, opacity)
    if pen.room(2 * pen.step):
        pen.paste(_MARGIN, high, shown)
    pen.y += high + 4
    pen.write(format_number(scale.low), _MARGIN, "muted")
    pen.right(format_number(scale.high), "muted")
    pen.y += pen.step + pen.gap


def _swatches(pen: _Pen, scene: Scene) -> None:
    """The swatches of labeled areas, lines and marks, unless each of them has a color of its
    own.
    """
    parts: list[Lines | Marks] = [*scene.lines, *scene.marks]
    named = [
        (part.label, part.color)
        for part in parts
        if part.label and not isinstance(part.color, np.ndarray)
    ]
    named += [
        (area.label, area.colors[0]) for area in scene.areas if area.label and len(area.colors) == 1
    ]
    named = [*(() if scene.field is None else scene.field.names), *named]
    for label, color in dict.fromkeys(named):
        if pen.room(pen.step):
            pen.box(_MARGIN, pen.swatch, pen.swatch, rgb_of_tone(color))
            pen.write(_cut(pen, label, pen.wide - 18), _MARGIN + 18, "ink")
            pen.y += pen.step
    if named:
        pen.y += pen.gap


def _slider(pen: _Pen, slider: PanelSlider) -> None:
    """The name of a slider and its value, and below them the way with a knob on it."""
    high = pen.step + round(0.62 * pen.step)
    if not pen.room(high):
        return
    room = pen.wide - pen.measure(slider.value) - 10
    pen.write(_cut(pen, slider.text, room), _MARGIN, "ink")
    pen.right(slider.value, "ink")
    top, bottom = pen.y, pen.y + high
    pen.y += pen.step
    half = max(round(0.24 * pen.step), 3)
    left, right = _MARGIN + half, _MARGIN + pen.wide - half
    knob = left + round(slider.share * (right - left))
    middle = pen.y + round(0.2 * pen.step)
    pen.bar(left, right, middle, 1, _EDGE)
    pen.bar(left, knob, middle, 1, rgb_of_tone("muted"))
    pen.bar(knob - half, knob + half, middle, half, rgb_of_tone("ink"))
    pen.tracks.append(Track(slider.name, left, right, top, bottom))
    pen.y = bottom


def _key(pen: _Pen, key: PanelKey) -> None:
    if not pen.room(pen.step):
        return
    lit = key.on is not False
    if key.on is not None:
        pen.box(_MARGIN + pen.wide - 9, 9, 9, rgb_of_tone("good") if key.on else _EDGE)
    indent = 0
    if key.key:
        pen.write(key.key, _MARGIN, "warning" if lit else "muted")
        indent = max(pen.measure(key.key) + 10, 26)
    pen.write(
        _cut(pen, key.text, pen.wide - indent - 18), _MARGIN + indent, "ink" if lit else "muted"
    )
    pen.y += pen.step if key.key or key.text else pen.gap


def _cut(pen: _Pen, text: str, width: int) -> str:
    """As much of a line as fits."""
    if pen.measure(text) <= width:
        return text
    while text and pen.measure(text + "...") > width:
        text = text[:-1]
    return text.rstrip() + "..."
