"""A page of help over a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldcraft.view.picture_parts import Brush, lettered, measure
from fieldcraft_worlds.arrays import RGBA
from fieldcraft_worlds.scene import Tone
from fieldcraft_worlds.view.panel import cut_to
from fieldcraft_worlds.view.tones import rgb_of_tone

_SCALES = (14 / 13, 1.0, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45)
_STEP = 21
_DARKER = 7
# Pixels from a key to its text, and between columns, at scale 1.
_BESIDE = 16
_BETWEEN = 26

Lines = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class _Layout:
    """The lines of help in columns, with the widths of their keys and texts."""

    scale: float
    step: int
    columns: tuple[tuple[tuple[str, str], ...], ...]
    keys: tuple[int, ...]
    texts: tuple[int, ...]

    @property
    def wide(self) -> int:
        """The width of all columns, in pixels."""
        gaps = round(_BETWEEN * self.scale) * (len(self.columns) - 1)
        return sum(self.keys) + sum(self.texts) + gaps


def draw_help(canvas: RGBA, brush: Brush, title: str, lines: Lines) -> None:
    """Draw pairs of a key and its text over a picture, as large as there is room for, in columns.

    A pair of empty texts separates groups. Texts without room even in the smallest letters are cut.
    """
    canvas[..., :3] = canvas[..., :3] // _DARKER
    high, wide = canvas.shape[:2]
    for scale in _SCALES:
        layout = _layout_of(lines, high, scale)
        if layout.wide <= wide - 24:
            break
    longest = max((len(column) for column in layout.columns), default=0)
    left = max((wide - layout.wide) // 2, 8)
    top = max((high - (longest + 2) * layout.step) // 2, 2) + layout.step
    _write(brush, canvas, title, left, top, "ink", layout.scale, bold=True)
    for column, keys, texts in zip(layout.columns, layout.keys, layout.texts, strict=True):
        for row, (key, text) in enumerate(column):
            y = top + round((row + 1.4) * layout.step)
            _write(brush, canvas, key, left, y, "warning", layout.scale)
            _write(
                brush,
                canvas,
                cut_to(text, wide - left - keys - 8, layout.scale),
                left + keys,
                y,
                "ink",
                layout.scale,
            )
        left += keys + texts + round(_BETWEEN * layout.scale)


def _layout_of(lines: Lines, high: int, scale: float) -> _Layout:
    """Return the lines in the fewest columns of a height, of about equal length."""
    step = max(round(_STEP * scale), 8)
    capacity = max((high - 12) // step - 2, 1)
    fewest = len(_columns(lines, capacity))
    rows = min(-(-len(lines) // fewest), capacity)
    columns = _columns(lines, rows)
    while len(columns) > fewest:
        rows += 1
        columns = _columns(lines, rows)
    beside = round(_BESIDE * scale)
    keys = tuple(
        max((measure(key, scale=scale) for key, _ in column), default=0) + beside
        for column in columns
    )
    texts = tuple(
        max((measure(text, scale=scale) for _, text in column), default=0) for column in columns
    )
    return _Layout(scale, step, tuple(map(tuple, columns)), keys, texts)


def _columns(lines: Lines, rows: int) -> list[list[tuple[str, str]]]:
    """Return the lines in columns of at most some rows."""
    columns: list[list[tuple[str, str]]] = [[]]
    for line in lines:
        if len(columns[-1]) >= rows:
            columns.append([])
        if any(line) or columns[-1]:  # no gap at the head of a column
            columns[-1].append(line)
    return columns


def _write(
    brush: Brush,
    canvas: RGBA,
    text: str,
    left: int,
    baseline: int,
    tone: Tone,
    scale: float,
    *,
    bold: bool = False,
) -> None:
    mask, x, y = lettered(text, scale, bold)
    brush.stamp(canvas, mask, left + x, baseline + y, rgb_of_tone(tone))
