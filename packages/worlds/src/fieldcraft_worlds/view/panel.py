"""The panel beside a scene: title, goal, facts, legend of colors, sliders, and keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fieldcraft.view import ColorScale
from fieldcraft.view.picture_parts import (
    HIDDEN,
    Brush,
    format_number,
    lettered,
    measure,
    over_ground,
    wrapped,
)
from fieldcraft_worlds.arrays import RGBA
from fieldcraft_worlds.scene import Fact, Lines, Marks, Scene, Tone
from fieldcraft_worlds.view.tones import rgb_of_tone

PANEL_WIDTH = 300
_GROUND = (21, 23, 29)
_EDGE = (58, 63, 76)
# pixels
_MARGIN = 14
_LINE = 18
_GAP = 8
_SWATCH = 11
_BAR = 11
_INDENT = 18
_SCALE = 14 / 13  # of a font of 13 pixels: text is 14 pixels high


@dataclass(frozen=True)
class PanelKey:
    """A key in the legend and its text; `on` shows whether it is on, None without a state."""

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
    """The pixels of a slider on a panel: its ends `left` and `right`, rows `top` to `bottom`."""

    name: str
    left: int
    right: int
    top: int
    bottom: int


@dataclass(frozen=True)
class Panel:
    """The texts of a panel, beside those of the scene."""

    keys: tuple[PanelKey, ...] = ()
    status: str = ""
    notes: tuple[str, ...] = ()
    sliders: tuple[PanelSlider, ...] = ()
    title: str = ""
    goal: str = ""


class _Pen:
    """Writes lines downwards, as far as there is room."""

    def __init__(self, canvas: RGBA, brush: Brush) -> None:
        self.canvas = canvas
        self.brush = brush
        self.y = _MARGIN
        self.wide = canvas.shape[1] - 2 * _MARGIN
        self.tracks: list[Track] = []

    def fits(self, pixels: int = _LINE) -> bool:
        return bool(self.y + pixels <= self.canvas.shape[0] - _MARGIN // 2)

    def line(
        self, text: str, tone: Tone, indent: int = 0, *, scale: float = _SCALE, bold: bool = False
    ) -> None:
        for part in wrapped(text, max(self.wide - indent, 20), scale=scale):
            if self.fits():
                self.write(part, indent, tone, scale=scale, bold=bold)
                self.y += _LINE

    def write(
        self, text: str, indent: int, tone: Tone, *, scale: float = _SCALE, bold: bool = False
    ) -> None:
        mask, x, y = lettered(text, scale, bold)
        left = _MARGIN + indent
        baseline = self.y + round(0.7 * _LINE)
        self.brush.stamp(self.canvas, mask, left + x, baseline + y, rgb_of_tone(tone))

    def write_right(self, text: str, tone: Tone) -> None:
        self.write(text, self.wide - measure(text, scale=_SCALE), tone)

    def box(self, left: int, size: int, color: tuple[int, int, int]) -> None:
        top = self.y + round(0.7 * _LINE) - size
        self.fill(left, left + size - 1, top, top + size - 1, color)

    def fill(
        self, left: int, right: int, top: int, bottom: int, color: tuple[int, int, int]
    ) -> None:
        self.canvas[top : bottom + 1, _MARGIN + left : _MARGIN + right + 1, :3] = color


def draw_panel(
    canvas: RGBA, brush: Brush, scene: Scene, scale: ColorScale | None, panel: Panel
) -> tuple[Track, ...]:
    """Draw a panel into `canvas`, uint8 of shape (H, W, 4), and return the tracks of its sliders;
    `scale` is that of the scene's field. Lines without room are left out.
    """
    canvas[:] = (*_GROUND, 255)
    canvas[:, :1, :3] = _EDGE
    pen = _Pen(canvas, brush)
    if panel.title:
        pen.line(panel.title, "ink", scale=1.2 * _SCALE, bold=True)
    if panel.goal:
        pen.line(panel.goal, "ink")
        pen.y += _GAP // 2
    status = ", ".join(filter(None, (scene.title, panel.status)))
    if status:
        pen.line(status, "muted")
    pen.y += _GAP
    for fact in scene.facts:
        _fact(pen, fact)
    if scene.facts:
        pen.y += _GAP
    if scene.field is not None and scale is not None and not scene.field.names:
        _color_bar(pen, scene.field.label, scale, scene.field.opacity)
    _swatches(pen, scene)
    for slider in panel.sliders:
        _slider(pen, slider)
    pen.y += _GAP // 2
    _keys(pen, panel.keys)
    pen.y += _GAP
    for note in panel.notes:
        pen.line(note, "warning")
    return tuple(pen.tracks)


def _fact(pen: _Pen, fact: Fact) -> None:
    """Write a name and a value on one line, or on two if they are long."""
    if not pen.fits():
        return
    indent = 0 if fact.color is None else _INDENT
    if fact.color is not None:
        pen.box(0, _SWATCH, rgb_of_tone(fact.color))
    if fact.name and indent + measure(f"{fact.name}  {fact.value}", scale=_SCALE) <= pen.wide:
        pen.write(fact.name, indent, "ink")
        pen.write_right(fact.value, "ink")
        pen.y += _LINE
        return
    if fact.name:
        pen.line(fact.name, "ink", indent)
    pen.line(fact.value, "muted", _INDENT)


def _color_bar(pen: _Pen, label: str, scale: ColorScale, opacity: float) -> None:
    if not pen.fits(3 * _LINE):
        return
    if label:
        pen.line(label, "ink")
    values = np.linspace(scale.low, scale.high, pen.wide, dtype=np.float32)
    colors = over_ground(scale.rgb(values), scale.index(values) != HIDDEN, opacity)
    rows = slice(pen.y + 2, pen.y + 2 + _BAR)
    pen.canvas[rows, _MARGIN : _MARGIN + pen.wide, :3] = colors
    pen.y += _BAR + 4
    pen.write(format_number(scale.low), 0, "muted")
    pen.write_right(format_number(scale.high), "muted")
    pen.y += _LINE + _GAP


def _swatches(pen: _Pen, scene: Scene) -> None:
    """Draw the swatches of labeled areas, lines and marks of one color."""
    parts: list[Lines | Marks] = [*scene.lines, *scene.marks]
    named = [
        *(() if scene.field is None else scene.field.names),
        *((p.label, p.color) for p in parts if p.label and not isinstance(p.color, np.ndarray)),
        *((area.label, area.colors[0]) for area in scene.areas if area.label),
    ]
    for label, color in dict.fromkeys(named):
        if pen.fits():
            pen.box(0, _SWATCH, rgb_of_tone(color))
            pen.write(cut_to(label, pen.wide - _INDENT, _SCALE), _INDENT, "ink")
            pen.y += _LINE
    if named:
        pen.y += _GAP


def _slider(pen: _Pen, slider: PanelSlider) -> None:
    """Draw the name of a slider and its value, and below them its track with a handle."""
    high = _LINE + _BAR
    if not pen.fits(high):
        return
    width = pen.wide - measure(slider.value, scale=_SCALE) - 10
    pen.write(cut_to(slider.text, width, _SCALE), 0, "ink")
    pen.write_right(slider.value, "ink")
    half = 4
    middle = pen.y + _LINE + 4
    left = half
    right = pen.wide - half
    handle = left + round(slider.share * (right - left))
    pen.fill(left, right, middle - 1, middle + 1, _EDGE)
    pen.fill(left, handle, middle - 1, middle + 1, rgb_of_tone("muted"))
    pen.fill(handle - half, handle + half, middle - half, middle + half, rgb_of_tone("ink"))
    pen.tracks.append(Track(slider.name, _MARGIN + left, _MARGIN + right, pen.y, pen.y + high))
    pen.y += high


def _keys(pen: _Pen, keys: tuple[PanelKey, ...]) -> None:
    """Write keys, those with a state in two columns."""
    half = pen.wide // 2
    is_left = True
    for number, key in enumerate(keys):
        if not pen.fits():
            return
        in_columns = key.on is not None
        if not in_columns:
            left = 0
            end = pen.wide
        elif is_left:
            left = 0
            end = half - 8
        else:
            left = half
            end = 2 * half - 8
        if key.on is not None:
            pen.box(left, 9, rgb_of_tone("good") if key.on else _EDGE)
            left += 14
        if key.key:
            pen.write(key.key, left, "muted" if key.on is False else "warning")
            left += max(measure(key.key, scale=_SCALE) + 8, 18)
        pen.write(cut_to(key.text, end - left, _SCALE), left, "muted" if key.on is False else "ink")
        next_in_columns = number + 1 < len(keys) and keys[number + 1].on is not None
        is_left = not (in_columns and is_left and next_in_columns)
        if is_left:
            pen.y += _LINE if key.key or key.text else _GAP


def cut_to(text: str, width: int, scale: float) -> str:
    """Return a text, cut if it is wider than `width` pixels."""
    if measure(text, scale=scale) <= width:
        return text
    while text and measure(text + "...", scale=scale) > width:
        text = text[:-1]
    if text:
        return text.rstrip() + "..."
    return ""
