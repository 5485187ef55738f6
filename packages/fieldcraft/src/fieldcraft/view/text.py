"""Text on pictures by Pillow, in the fonts of `fonts/`.

At scale 1 an em has 13 pixels: capitals are 10 pixels high, and descenders reach 3 below the
baseline.
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
    """The width in pixels of `text` on one line."""
    return _measured(checks.text("text", text), _scale(scale), checks.flag("bold", bold))


@lru_cache(maxsize=4096)
def _measured(text: str, scale: float, bold: bool) -> int:
    return round(_font(scale, bold).getlength(_plain(text)))


def wrapped(text: str, width: int, *, scale: float = 1.0) -> list[str]:
    """`text` in lines of at most `width` pixels, broken at spaces, and inside of words that are too
    long for a line.
    """
    lines: list[str] = []
    size = _scale(scale)
    checks.integer("width", width)
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
    """Write one line onto `canvas`, uint8 of shape (H, W, 4), from `left` on; cut off at its
    edges.
    """
    mask, x, y = lettered(text, scale, bold)
    blend(canvas, left + x, baseline + y, mask / 255, color)


def lettered(
    text: str, scale: float = 1.0, bold: bool = False
) -> tuple[NDArray[np.uint8], int, int]:
    """One line as a mask, 0 to 255, and the offset (x, y) of its corner from the start of the
    baseline. The mask is cached and read-only.
    """
    return _lettered(checks.text("text", text), _scale(scale), checks.flag("bold", bold))


@lru_cache(maxsize=512)
def _lettered(text: str, scale: float, bold: bool) -> tuple[NDArray[np.uint8], int, int]:
    covered, (x, y) = _font(scale, bold).getmask2(_plain(text), "L", anchor="ls")
    mask = np.array(covered, dtype=np.uint8).reshape(covered.size[::-1])
    mask.flags.writeable = False
    return mask, int(x), int(y)


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


def _plain(text: str) -> str:
    """`text` with accents composed, on one line."""
    return unicodedata.normalize("NFC", text.replace("\t", " ").replace("\n", " "))


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
