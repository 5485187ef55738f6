"""Letters on pictures."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import needs

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont


ASCENT = 11
"""Pixels from the baseline of a line of text to its top."""


LINE = 18
"""Pixels from one line of text to the next."""


_EM = 13.0


_FONTS = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}


@lru_cache(maxsize=4096)
def measure(text: str, *, scale: float = 1.0, bold: bool = False) -> int:
    """Return the width in pixels of text on one line."""
    return round(_font(scale, bold).getlength(_on_one_line(text)))


def wrapped(text: str, width: int, *, scale: float = 1.0) -> list[str]:
    """Return text in lines of at most `width` pixels, broken at spaces, and inside of words that
    are too long for a line.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".lstrip()
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
    picture: NDArray[np.uint8],
    left: int,
    baseline: int,
    text: str,
    color: tuple[int, int, int],
    *,
    scale: float = 1.0,
    bold: bool = False,
) -> None:
    """Write one line onto a picture, uint8 of shape (H, W, 4), from `left` on; cut off at its
    edges.
    """
    mask, x, y = lettered(text, scale, bold)
    blend(picture, left + x, baseline + y, mask / 255, color)


@lru_cache(maxsize=512)
def lettered(
    text: str, scale: float = 1.0, bold: bool = False
) -> tuple[NDArray[np.uint8], int, int]:
    """Return one line as a mask, 0 to 255, and the offset (x, y) of its corner from the start of
    the baseline. The mask is cached and read-only.
    """
    covered, (x, y) = _font(scale, bold).getmask2(_on_one_line(text), "L", anchor="ls")
    mask = np.array(covered, dtype=np.uint8).reshape(covered.size[::-1])
    mask.flags.writeable = False
    return mask, int(x), int(y)


def blend(
    picture: NDArray[np.uint8],
    left: int,
    top: int,
    coverage: NDArray[np.floating[Any]],
    color: tuple[int, int, int],
) -> None:
    """Blend a color into part of a picture, uint8 of shape (H, W, 4): `coverage` is 0 to 1, its
    corner at (left, top); parts outside of it are cut off.
    """
    height, width = picture.shape[:2]
    shown = coverage[max(-top, 0) : max(height - top, 0), max(-left, 0) : max(width - left, 0)]
    rows, columns = np.nonzero(shown)
    share = shown[rows, columns]
    blend_pixels(picture, rows + max(top, 0), columns + max(left, 0), share, color)


def blend_pixels(
    picture: NDArray[np.uint8],
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    coverage: NDArray[np.floating[Any]],
    color: tuple[int, int, int],
) -> None:
    """Blend a color into N different pixels of a picture, uint8 of shape (H, W, 4); `coverage` is
    above 0 and at most 1.
    """
    full = coverage == 1
    picture[rows[full], columns[full]] = (*color, 255)
    part = ~full
    place = (rows[part], columns[part])
    share = coverage[part, np.newaxis]
    pixels = picture[place]
    under = pixels[:, 3:] / 255 * (1 - share)
    alpha = under + share
    mixed = (pixels[:, :3] * under + np.array(color) * share) / alpha
    picture[place] = np.rint(np.concatenate([mixed, alpha * 255], axis=1))


def _on_one_line(text: str) -> str:
    """Return text with accents composed, on one line."""
    return unicodedata.normalize("NFC", text.replace("\t", " ").replace("\n", " "))


@lru_cache(maxsize=64)
def _font(scale: float, bold: bool) -> FreeTypeFont:
    """Return a font, `scale` times as large as that of plain text."""
    with needs("Pillow", "view", "Writing letters on pictures"):
        from PIL import ImageFont
    file = files("fieldcraft.view") / "fonts" / _FONTS[bold]
    return ImageFont.truetype(
        BytesIO(file.read_bytes()), _EM * scale, layout_engine=ImageFont.Layout.BASIC
    )
