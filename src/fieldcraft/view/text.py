"""Lettering without a font library: glyphs as strokes on a grid, drawn anti-aliased at any size with NumPy.

Units: one unit is one pixel at scale 1. Capitals are 10 units high, small letters 7, descenders reach 3 below the baseline.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldcraft.view.glyphs import ACCENTS, BELOW, GLYPHS, SAME, UNKNOWN

__all__ = ["ASCENT", "DESCENT", "LINE", "blend", "lettered", "measure", "wrapped", "write"]

ASCENT = 11
DESCENT = 4
LINE = 18

_SPACING, _BOLD_SPACING = 3, 3.6
_ROUNDING = 3.6
_LIGHT, _BOLD = 1.3, 1.85

Line = list[NDArray[np.float64]]


@lru_cache(maxsize=4096)
def measure(text: str, *, scale: float = 1.0, bold: bool = False) -> int:
    """The width in pixels that `text` takes on one line."""
    return sum(_advance(letter, scale, bold) for letter in _letters(text))


def wrapped(text: str, width: int, *, scale: float = 1.0) -> list[str]:
    """`text` in lines of at most `width` pixels, broken at spaces, and inside words that are too long by themselves."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if measure(longer, scale=scale) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            line = ""
            for letter in word:
                if line and measure(line + letter, scale=scale) > width:
                    lines.append(line)
                    line = ""
                line += letter
        lines.append(line)
    return lines


def write(
    canvas: NDArray[np.uint8],
    left: int,
    baseline: int,
    text: str,
    color: tuple[int, int, int],
    *,
    scale: float = 1.0,
    bold: bool = False,
) -> None:
    """Write one line onto `canvas`, uint8 of shape (H, W, 4), its first stem at `left`; what lies outside is cut off."""
    for letter in _letters(text):
        coverage, x, y = _ink(letter, scale, bold)
        blend(canvas, left + x, baseline + y, coverage, color)
        left += _advance(letter, scale, bold)


@lru_cache(maxsize=512)
def lettered(text: str, scale: float = 1.0, bold: bool = False) -> tuple[NDArray[np.uint8], int, int]:
    """One line as a mask, 0 to 255, and where its corner lies from the pen's pixel: (mask, x, y). Kept, so don't write into it."""
    placed, pen = [], 0
    for letter in _letters(text):
        coverage, x, y = _ink(letter, scale, bold)
        if coverage.size:
            placed.append((coverage, pen + x, y))
        pen += _advance(letter, scale, bold)
    if not placed:
        return np.zeros((0, 0), dtype=np.uint8), 0, 0
    left, top = min(x for _, x, _ in placed), min(y for _, _, y in placed)
    right, bottom = max(x + ink.shape[1] for ink, x, _ in placed), max(y + ink.shape[0] for ink, _, y in placed)
    mask = np.zeros((bottom - top, right - left))
    for ink, x, y in placed:
        part = mask[y - top : y - top + ink.shape[0], x - left : x - left + ink.shape[1]]
        np.maximum(part, ink, out=part)
    return np.rint(mask * 255).astype(np.uint8), left, top


def blend(canvas: NDArray[np.uint8], left: int, top: int, coverage: NDArray[np.float64], color: tuple[int, int, int]) -> None:
    """Lay `color` over part of `canvas`, uint8 of shape (H, W, 4): `coverage` is 0 to 1, its corner at (left, top)."""
    height, width = coverage.shape
    y0, y1 = max(top, 0), min(top + height, canvas.shape[0])
    x0, x1 = max(left, 0), min(left + width, canvas.shape[1])
    if y0 >= y1 or x0 >= x1:
        return
    share = coverage[y0 - top : y1 - top, x0 - left : x1 - left, np.newaxis]
    part = canvas[y0:y1, x0:x1]
    under = part[..., 3:] / 255 * (1 - share)
    alpha = under + share
    solid = np.maximum(alpha, 1e-9)
    part[..., :3] = np.rint((part[..., :3] * under + np.array(color) * share) / solid)
    part[..., 3:] = np.rint(alpha * 255)


def _letters(text: str) -> list[str]:
    """The letters of `text`, each with the accents that belong to it."""
    letters: list[str] = []
    for character in unicodedata.normalize("NFC", text):
        character = SAME.get(character, character)
        if unicodedata.combining(character) and letters:
            letters[-1] += character
        else:
            letters.append(character)
    return letters


def _advance(letter: str, scale: float, bold: bool) -> int:
    return round((_strokes(letter)[0] + (_BOLD_SPACING if bold else _SPACING)) * scale)


@lru_cache(maxsize=2048)
def _strokes(letter: str) -> tuple[float, Line]:
    """The width of a letter and its strokes, each a line of shape (N, 2)."""
    if letter in GLYPHS:
        width, _, strokes = GLYPHS[letter].partition(" ")
        return float(width), _lines(strokes)
    parts = unicodedata.normalize("NFD", letter)
    base, accents = parts[0], parts[1:]
    known = all(accent in ACCENTS or accent in BELOW for accent in accents)
    if accents and known and base in GLYPHS:
        body = "\N{LATIN SMALL LETTER DOTLESS I}" if base == "i" else base
        advance, lines = _strokes(body)
        top = max((float(line[:, 1].max()) for line in lines), default=7)
        for accent in accents:
            lift = 0.0 if accent in BELOW else max(top, 7.0)
            marks = _lines(BELOW.get(accent, "") or ACCENTS[accent])
            lines = [*lines, *(line + np.array([advance / 2, lift]) for line in marks)]
        return advance, lines
    width, _, strokes = UNKNOWN.partition(" ")
    return float(width), _lines(strokes)


def _lines(strokes: str) -> Line:
    return [_line(stroke.split()) for stroke in strokes.split("/") if stroke.strip()]


def _line(points: list[str]) -> NDArray[np.float64]:
    closed = points[-1] == "z"
    points = points[:-1] if closed else points
    rounded = [point.endswith("~") for point in points]
    corners = [np.array([float(number) for number in point.rstrip("~").split(",")]) for point in points]
    count = len(corners)
    line: list[NDArray[np.float64]] = []
    for i, corner in enumerate(corners):
        if not rounded[i]:
            line.append(corner)
            continue
        ends = []
        for j in (i - 1, i + 1):
            other = corners[j % count]
            length = float(np.hypot(*(other - corner)))
            reach = min(_ROUNDING, length / 2 if rounded[j % count] else length)
            ends.append(corner + (other - corner) * (reach / length))
        before, after = ends
        t = np.linspace(0, 1, 9)[:, np.newaxis]
        # A cubic whose handles reach 0.55 of the way to the corner is as good as a quarter of an ellipse.
        first, second = before + 0.55 * (corner - before), after + 0.55 * (corner - after)
        line.extend((1 - t) ** 3 * before + 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t**2 * second + t**3 * after)
    if closed:
        line.append(line[0])
    return np.array(line)


@lru_cache(maxsize=2048)
def _ink(letter: str, scale: float, bold: bool) -> tuple[NDArray[np.float64], int, int]:
    """How much of each pixel a letter covers, and where that box lies from the pen's pixel: (coverage, x, y)."""
    _, lines = _strokes(letter)
    if not lines:
        return np.zeros((0, 0)), 0, 0
    weight = (_BOLD if bold else _LIGHT) * scale
    # y turns over; the pen stands in the middle of a pixel.
    placed = [line * (scale, -scale) for line in lines]
    reach = weight / 2 + 1
    low = np.floor(np.min([line.min(axis=0) for line in placed], axis=0) - reach).astype(int)
    high = np.ceil(np.max([line.max(axis=0) for line in placed], axis=0) + reach).astype(int)
    x, y = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))
    pixels = np.stack([x, y], axis=-1).astype(np.float64)
    coverage = np.zeros(x.shape)
    for line in placed:
        width = weight * (1.25 if len(line) == 1 else 1.0)
        coverage = np.maximum(coverage, np.clip(width / 2 + 0.5 - _distance(pixels, line), 0, 1))
    return coverage, int(low[0]), int(low[1])


def _distance(pixels: NDArray[np.float64], line: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each pixel lies from a line through points."""
    nearest: NDArray[np.float64] = np.linalg.norm(pixels - line[0], axis=-1)
    for start, end in pairwise(line):
        along = end - start
        share = np.clip((pixels - start) @ along / max(float(along @ along), 1e-12), 0, 1)
        nearest = np.minimum(nearest, np.linalg.norm(pixels - (start + share[..., np.newaxis] * along), axis=-1))
    return nearest
