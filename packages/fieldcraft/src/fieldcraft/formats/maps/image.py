"""Pictures as maps: one cell per pixel; dark pixels or chosen colors are walls."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, InvalidValue, needs
from fieldcraft.base.files import file_size
from fieldcraft.formats.maps.reading import map_file, parsing
from fieldcraft.space import Grid

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Color", "load_image", "picture_cells"]

Color = str | tuple[int, int, int]

_FORMATS = ("PNG", "BMP", "GIF", "JPEG", "WEBP")
_MAX_BYTES = 2**27
_MAX_PIXELS = 2**26
_STRIP = 2**20  # pixels that are converted at once
_OPAQUE = 128


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
    """Return the grid of a PNG, BMP, GIF (first frame), JPEG or WebP picture: one cell per pixel, y
    downwards.

    The rotation in the metadata of a JPEG is not applied.

    Parameters
    ----------
    path : path_like
        The picture, of at most 2**26 pixels.
    neighbors : int or array_like, optional
        As for `Grid`.
    mobility : {"ground", "air"}
        With "air" there are no walls.
    threshold : int, optional
        A pixel is a wall if its luminance (0 black to 255 white; ITU-R 601) is below this, 1 to
        255; by default 128.
    wall_color : str, tuple of int, or list of these, optional
        Replaces the threshold: the color or colors that are walls, "#rrggbb", a CSS name or
        (r, g, b).
    tolerance : int, optional
        How far each of red, green and blue may be from `wall_color`, 0 to 255. JPEG and lossy WebP
        need some 30.
    transparent : {"open", "wall"}
        Whether pixels that are more than half transparent are walls.
    cell_size : float, optional
        World units per pixel.

    Raises
    ------
    InvalidValue
        For wrong options.
    BadMapFile
        For a file that is not such a picture, is cut off, or too large.
    MissingLibrary
        Without Pillow.
    """
    file = map_file(path, mobility, ("ground", "air"))
    checks.choice("transparent", transparent, ("open", "wall"))
    if threshold is not None and wall_color is not None:
        raise InvalidValue(
            "Walls are dark or of a chosen color, not both",
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
        lambda strip: _strip_walls(strip, limit, colors, reach, transparent == "wall"),
    )
    return Grid(cell_size=cell_size, walls=walls & (mobility == "ground"), neighbors=neighbors)


def picture_cells(
    file: Path, formats: tuple[str, ...], read: Callable[[Image], NDArray[Any]]
) -> NDArray[Any]:
    """Return what `read` returns for each strip of a picture's rows, joined: (height, width).

    Raises
    ------
    BadMapFile
        For a picture that is damaged or too large.
    """
    with needs("Pillow", "maps", "Loading a picture as a map"):
        from PIL import Image
    size = file_size(file, "A map", BadMapFile)
    kind = f"picture ({', '.join(formats)})"
    with parsing(file.name, kind), Image.open(file, formats=formats) as image:
        width, height = image.size
        if size > _MAX_BYTES or width * height > _MAX_PIXELS:
            raise BadMapFile(
                f"A picture has at most {_MAX_PIXELS:,} pixels and {_MAX_BYTES:,} bytes",
                got=f"{width} x {height} and {size:,} bytes in {file.name}",
                remedy="Scale it down: one pixel is one cell",
            )
        image.load()
        rows = max(1, _STRIP // width)
        boxes = [(0, y, width, min(y + rows, height)) for y in range(0, height, rows)]
        return np.concatenate([read(image.crop(box)) for box in boxes])


def _strip_walls(
    strip: Image,
    threshold: int,
    colors: NDArray[np.int64] | None,
    tolerance: int,
    transparent_is_wall: bool,
) -> NDArray[np.bool_]:
    """Return the walls of some rows, (height, width)."""
    if strip.mode.startswith("I"):
        strip = _eight_bits(strip)
    opaque: NDArray[np.bool_] | None = None
    if strip.has_transparency_data:
        strip = strip.convert("RGBA")
        opaque = np.asarray(strip.getchannel("A")) >= _OPAQUE
    if colors is None:
        # Palettes become colors first, as luminance is one of colors.
        bands = strip if strip.mode in ("1", "L") else strip.convert("RGB")
        walls: NDArray[np.bool_] = np.asarray(bands.convert("L")) < threshold
    else:
        pixels = np.asarray(strip.convert("RGB")).astype(np.int16)
        near = [(np.abs(pixels - color) <= tolerance).all(axis=2) for color in colors]
        walls = np.logical_or.reduce(near)
    if opaque is not None:
        walls = walls | ~opaque if transparent_is_wall else walls & opaque
    return walls


def _eight_bits(strip: Image) -> Image:
    """Return a 16-bit gray strip in 8 bits."""
    from PIL import Image

    wide = np.asarray(strip).astype(np.int64)
    narrow = Image.fromarray(np.clip(wide >> 8, 0, 255).astype(np.uint8))
    key = strip.info.get("transparency")
    if isinstance(key, int):
        narrow.putalpha(Image.fromarray(np.where(wide == key, 0, 255).astype(np.uint8)))
    return narrow


def _colors(value: Color | Sequence[Color]) -> NDArray[np.int64]:
    """Return the chosen colors, (N, 3)."""
    from PIL import ImageColor

    many = isinstance(value, Sequence) and isinstance(next(iter(value), None), str | Sequence)
    listed: Any = value if many and not isinstance(value, str) else [value]
    try:
        rgb = [ImageColor.getrgb(each) if isinstance(each, str) else each for each in listed]
        colors: NDArray[Any] = np.array(rgb)
    except ValueError:
        colors = np.zeros(0)
    is_rgb = colors.ndim == 2 and colors.shape[1] == 3 and colors.dtype.kind in "iu"
    if not is_rgb or (colors < 0).any() or (colors > 255).any():
        raise InvalidValue(
            "A color is #rrggbb, a CSS name, or red, green and blue from 0 to 255",
            got=f"wall_color={value!r:.80}",
            remedy='Pass "#2b1d0e" or (43, 29, 14), or a list of these',
        )
    return colors
