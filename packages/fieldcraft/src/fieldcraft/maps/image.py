"""Pictures as maps: one cell per pixel, dark or a chosen colour is wall."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue, MissingLibrary
from fieldcraft.maps.reading import file_size, map_file
from fieldcraft.space.grid import Grid

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MOBILITIES", "Color", "load_image", "picture_cells"]

Color = str | tuple[int, int, int]

MOBILITIES = ("ground", "air")

_FORMATS = ("PNG", "BMP", "GIF", "JPEG", "WEBP")
_MAX_BYTES = 2**27
# What decoding may take, and what each pixel takes at most: the picture, what the decoder keeps
# besides, and the walls.
_MEMORY = 300 * 2**20
_DECODER_BYTES = {"JPEG": 12, "WEBP": 18}
_MODE_BYTES = {"1": 3, "L": 3, "P": 3}
_OTHER_BYTES = 6
_STRIP = 2**20
_OPAQUE = 128
_MAX_PIXELS = 2**26


def load_image(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: str = "ground",
    threshold: int | None = None,
    wall_color: Color | Sequence[Color] | None = None,
    tolerance: int = 0,
    transparent: str = "open",
    cell_size: float = 1.0,
) -> Grid:
    """The grid of a PNG, BMP, GIF (first frame), JPEG or WebP picture: one cell per pixel, y
    downwards.

    - `mobility`: "ground" (walls as below) or "air" (no walls).
    - `threshold`: a pixel is a wall if its luminance (0 black to 255 white; ITU-R 601) is below
      this, 1 to 255; 128 if not given.
    - `wall_color`: instead of the threshold, the colour or colours that are walls: "#rrggbb", a CSS
      name or (r, g, b).
    - `tolerance`: how far each of red, green and blue may be from `wall_color`, 0 to 255. JPEG and
      lossy WebP need some 30.
    - `transparent`: what a pixel is that is more than half transparent: "open" or "wall".
    - `cell_size`: world units per pixel.

    The rotation that a camera notes in a JPEG is not applied. Raises `BadMapFile` for a file that
    is not such a picture, is cut off, or would take more than about 300 MB to decode (beyond 4000 x
    4000 pixels in WebP, 7000 x 7000 in a colour PNG, 8192 x 8192 in a grey one), and
    `MissingLibrary` without Pillow.
    """
    file = map_file(path, mobility, MOBILITIES)
    checks.choice("transparent", transparent, ("open", "wall"))
    if threshold is not None and wall_color is not None:
        raise InvalidValue(
            "Walls are dark or of a chosen colour, not both",
            got=f"threshold={threshold!r} and wall_color={wall_color!r}",
            remedy="Pass one of the two",
        )
    limit = 128 if threshold is None else threshold
    limit = checks.integer("threshold", limit, minimum=1, maximum=255)
    reach = checks.integer("tolerance", tolerance, maximum=255)
    colors = None if wall_color is None else _colors(wall_color)
    walls: NDArray[np.bool_] = picture_cells(
        file,
        _FORMATS,
        "a whole PNG, BMP, GIF, JPEG or WebP file",
        lambda strip: _strip_walls(strip, limit, colors, reach, transparent == "wall"),
    )
    height, width = walls.shape
    return Grid(
        width,
        height,
        cell_size=cell_size,
        walls=walls if mobility == "ground" else None,
        neighbors=neighbors,
    )


def picture_cells(
    file: Path, formats: tuple[str, ...], kind: str, read: Callable[[Image], NDArray[Any]]
) -> NDArray[Any]:
    """The answers of `read` for each strip of a picture's rows, (height, width); refuses pictures
    that are damaged or too large.
    """
    try:
        from PIL import Image
    except ImportError:
        raise MissingLibrary("Pillow", "maps", "Loading a picture as a map") from None
    if file_size(file) > _MAX_BYTES:
        raise BadMapFile(
            f"A picture has at most {_MAX_BYTES:,} bytes",
            got=f"{file.name} with {file_size(file):,}",
            remedy="Scale it down",
        )
    try:
        with Image.open(file, formats=formats) as image:
            _check_size(file, image)
            image.load()
            _check_size(file, image)
            rows = max(1, _STRIP // image.width)
            return np.concatenate(
                [
                    read(image.crop((0, top, image.width, min(top + rows, image.height))))
                    for top in range(0, image.height, rows)
                ]
            )
    except BadMapFile:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BadMapFile(
            "A picture fits into memory", got=f"{file.name}: {error}", remedy="Scale it down"
        ) from None
    except Exception as error:  # decoders of foreign bytes raise whatever they stumble over
        raise BadMapFile(
            f"A picture is {kind}",
            got=f"{file.name}: {error}",
            remedy="Export it again; the file may be cut off",
        ) from None


def _check_size(file: Path, image: Image) -> None:
    """Refuse a picture before, or right after, it is decoded, if it takes more memory than a map
    may.
    """
    pixel = _DECODER_BYTES.get(image.format or "", _MODE_BYTES.get(image.mode, _OTHER_BYTES))
    most = min(_MEMORY // pixel, _MAX_PIXELS)
    if image.width * image.height > most:
        raise BadMapFile(
            f"A {image.format} picture of this kind has at most {most:,} pixels",
            got=f"{image.width} x {image.height} in {file.name}",
            remedy="Scale it down: one pixel is one cell",
        )


def _strip_walls(
    strip: Image,
    threshold: int,
    colors: NDArray[np.int16] | None,
    tolerance: int,
    see_through: bool,
) -> NDArray[np.bool_]:
    if strip.mode.startswith("I"):
        strip = _eight_bits(strip)
    opaque: NDArray[np.bool_] | None = None
    if strip.has_transparency_data:
        strip = strip.convert("RGBA")
        opaque = np.asarray(strip.getchannel("A")) >= _OPAQUE
    if colors is None:
        walls = (
            np.asarray(
                strip.convert("RGB").convert("L")
                if strip.mode not in ("1", "L")
                else strip.convert("L")
            )
            < threshold
        )
    else:
        pixels = np.asarray(strip.convert("RGB")).astype(np.int16)
        walls = np.zeros(pixels.shape[:2], dtype=np.bool_)
        for color in colors:
            walls |= (np.abs(pixels - color) <= tolerance).all(axis=2)
    if opaque is not None:
        walls = walls | ~opaque if see_through else walls & opaque
    return walls


def _eight_bits(strip: Image) -> Image:
    """A 16-bit grey strip in 8 bits."""
    from PIL import Image

    wide = np.asarray(strip).astype(np.int64)
    narrow = Image.fromarray(np.clip(wide >> 8, 0, 255).astype(np.uint8))
    key = strip.info.get("transparency")
    if isinstance(key, int):
        narrow.putalpha(Image.fromarray(np.where(wide == key, 0, 255).astype(np.uint8)))
    return narrow


def _colors(value: Color | Sequence[Color]) -> NDArray[np.int16]:
    """The chosen colours, shape (N, 3)."""
    single = isinstance(value, str) or (
        isinstance(value, Sequence)
        and len(value) == 3
        and all(isinstance(part, (int, np.integer)) for part in value)
    )
    many = [value] if single else list(value) if isinstance(value, Sequence) else []
    if not many:
        raise InvalidValue(
            "wall_color is a colour or a list of colours",
            got=f"wall_color={value!r}",
            remedy='Pass "#rrggbb" or (r, g, b)',
        )
    return np.array([_color(cast(Color, color)) for color in many], dtype=np.int16)


def _color(value: Color) -> tuple[int, ...]:
    parts: Sequence[object] = ()
    if isinstance(value, str):
        from PIL import ImageColor

        try:
            parts = ImageColor.getrgb(value)
        except ValueError:
            parts = ()
    elif isinstance(value, Sequence):
        parts = value
    if len(parts) != 3 or not all(
        isinstance(part, (int, np.integer)) and not isinstance(part, bool) and 0 <= part <= 255
        for part in parts
    ):
        raise InvalidValue(
            "A colour is #rrggbb, a CSS name, or red, green and blue from 0 to 255",
            got=repr(value),
            remedy='Pass "#2b1d0e" or (43, 29, 14), say',
        )
    return tuple(int(cast(int, part)) for part in parts)
