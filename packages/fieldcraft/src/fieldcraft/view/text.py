"""Lettering by FreeType, through Pillow: letters of the fonts in `fonts/`, each drawn once and
kept.

Units: at scale 1 an em has 13 pixels, capitals are 10 high, small letters 7, descenders reach 3
    below the baseline.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

__all__ = ["ASCENT", "DESCENT", "LINE", "blend", "lettered", "measure", "wrapped", "write"]

ASCENT = 11
DESCENT = 4
LINE = 18

_EM = 13.0
_SCALES = (0.05, 100)
_FONTS = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}


def measure(text: str, *, scale: float = 1.0, bold: bool = False) -> int:
    """The width in pixels that `text` takes on one line."""
    return _measured(checks.text("text", text), _scale(scale), checks.flag("bold", bold))


@lru_cache(maxsize=4096)
def _measured(text: str, scale: float, bold: bool) -> int:
    return sum(_ink(letter, scale, bold)[3] for letter in _letters(text))


def wrapped(text: str, width: int, *, scale: float = 1.0) -> list[str]:
    """`text` in lines of at most `width` pixels, broken at spaces, and inside words that are too
    long by themselves.
    """
    lines: list[str] = []
    size = _scale(scale)
    checks.whole("width", width)
    for paragraph in checks.text("text", text).split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if _measured(longer, size, False) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            line = ""
            for letter in word:
                if line and _measured(line + letter, size, False) > width:
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
    """Write one line onto `canvas`, uint8 of shape (H, W, 4), its first stem at `left`; what lies
    outside is cut off.
    """
    for letter in _letters(text):
        coverage, x, y, advance = _ink(letter, scale, bold)
        blend(canvas, left + x, baseline + y, coverage, color)
        left += advance


def lettered(
    text: str, scale: float = 1.0, bold: bool = False
) -> tuple[NDArray[np.uint8], int, int]:
    """One line as a mask, 0 to 255, and where its corner lies from the pen's pixel: (mask, x, y).
    Kept, so don't write into it.
    """
    return _lettered(checks.text("text", text), _scale(scale), checks.flag("bold", bold))


@lru_cache(maxsize=512)
def _lettered(text: str, scale: float, bold: bool) -> tuple[NDArray[np.uint8], int, int]:
    placed, pen = [], 0
    for letter in _letters(text):
        coverage, x, y, advance = _ink(letter, scale, bold)
        if coverage.size:
            placed.append((coverage, pen + x, y))
        pen += advance
    if not placed:
        return np.zeros((0, 0), dtype=np.uint8), 0, 0
    left, top = min(x for _, x, _ in placed), min(y for _, _, y in placed)
    right, bottom = (
        max(x + ink.shape[1] for ink, x, _ in placed),
        max(y + ink.shape[0] for ink, _, y in placed),
    )
    mask = np.zeros((bottom - top, right - left))
    for ink, x, y in placed:
        part = mask[y - top : y - top + ink.shape[0], x - left : x - left + ink.shape[1]]
        np.maximum(part, ink, out=part)
    return np.rint(mask * 255).astype(np.uint8), left, top


def blend(
    canvas: NDArray[np.uint8],
    left: int,
    top: int,
    coverage: NDArray[np.float64],
    color: tuple[int, int, int],
) -> None:
    """Lay `color` over part of `canvas`, uint8 of shape (H, W, 4): `coverage` is 0 to 1, its corner
    at (left, top).
    """
    height, width = coverage.shape
    y0, y1 = max(top, 0), min(top + height, canvas.shape[0])
    x0, x1 = max(left, 0), min(left + width, canvas.shape[1])
    if y0 >= y1 or x0 >= x1:
        return
    share = coverage[y0 - top : y1 - top, x0 - left : x1 - left]
    part = canvas[y0:y1, x0:x1]
    under = part[..., 3] / 255 * (1 - share)
    alpha = under + share
    solid = np.maximum(alpha, 1e-9)
    for k in range(3):  # channel by channel: loops of three over the last axis take twice as long
        part[..., k] = np.rint((part[..., k] * under + color[k] * share) / solid)
    part[..., 3] = np.rint(alpha * 255)


def _scale(scale: float) -> float:
    number = checks.positive("scale", scale)
    if not _SCALES[0] <= number <= _SCALES[1]:
        raise InvalidValue(
            f"scale lies in [{_SCALES[0]}, {_SCALES[1]}]",
            got=f"scale={number:g}",
            remedy="Pass a number of that size",
        )
    return number


def _letters(text: str) -> str:
    """The characters of `text`, one for each letter that has its accents already."""
    return unicodedata.normalize("NFC", text.replace("\t", " "))


@lru_cache(maxsize=64)
def _font(scale: float, bold: bool) -> FreeTypeFont:
    try:
        from PIL import ImageFont
    except ImportError:
        raise MissingLibrary("Pillow", "view", "Writing letters on pictures") from None
    file = files("fieldcraft.view") / "fonts" / _FONTS[bold]
    return ImageFont.truetype(
        BytesIO(file.read_bytes()), _EM * scale, layout_engine=ImageFont.Layout.BASIC
    )


@lru_cache(maxsize=4096)
def _ink(letter: str, scale: float, bold: bool) -> tuple[NDArray[np.float64], int, int, int]:
    """How much of each pixel a letter covers, where that box lies from the pen's pixel, and how far
    the pen moves: (coverage, x, y, dx).
    """
    font = _font(scale, bold)
    mask, (x, y) = font.getmask2(letter, "L", anchor="ls")
    coverage = np.array(mask, dtype=np.float64).reshape(mask.size[::-1]) / 255
    return coverage, int(x), int(y), round(font.getlength(letter))
