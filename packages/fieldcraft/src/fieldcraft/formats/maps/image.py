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
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import map_file, parsing
from fieldcraft.space import Grid

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["BRIGHTEST", "Color", "load_image", "opacity", "picture_cells", "wide_gray"]

Color = str | tuple[int, int, int]

_FORMATS = ("PNG", "BMP", "GIF", "JPEG", "WEBP")
_MAX_BYTES = 2**27
_MAX_PIXELS = 2**26
_STRIP = 2**20  # pixels that are converted at once
_OPAQUE = 128
BRIGHTEST = 65535
"""White in a gray picture of more than 8 bits."""


def load_image(
    path: str | os.PathLike[str],
    *,
    neighbors: int | ArrayLike = 4,
    mobility: Mobility = "ground",
    threshold: int | None = None,
    wall_color: Color | Sequence[Color] | None = None,
    tolerance: int = 0,
    transparent: str = "open",
    cell_size: float = 1.0,
) -> Grid:
    """Return the grid of a PNG, BMP, GIF (first frame), JPEG or WebP picture: one cell per pixel, y
    downwards.

    A picture that its metadata (EXIF) turn or mirror, as cameras write them, is read as viewers
    show it. Gray levels of more than 8 bits count by their upper 8 bits.

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
    if threshold is None:
        darkest_open = 128
    else:
        darkest_open = checks.integer("threshold", threshold, minimum=1, maximum=255)
    reach = checks.integer("tolerance", tolerance, maximum=255)
    if wall_color is None:
        colors = None
    else:
        colors = _colors(wall_color)
    walls: NDArray[np.bool_] = picture_cells(
        file,
        _FORMATS,
        lambda strip: _strip_walls(strip, darkest_open, colors, reach, transparent == "wall"),
        turned=True,
    )
    return Grid(cell_size=cell_size, walls=walls & (mobility == "ground"), neighbors=neighbors)


def picture_cells(
    file: Path,
    formats: tuple[str, ...],
    read: Callable[[Image], NDArray[Any]],
    *,
    turned: bool = False,
) -> NDArray[Any]:
    """Return what `read` returns for each strip of a picture's rows, joined: (height, width).

    With `turned`, the picture is first turned as its EXIF metadata say.

    Raises
    ------
    BadMapFile
        For a picture that is damaged or too large.
    """
    with needs("Pillow", "maps", "Loading a picture as a map"):
        from PIL import Image, ImageOps
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
        if image.format == "PNG":
            _scale_key(image, file)
        if turned:
            upright = ImageOps.exif_transpose(image)
        else:
            upright = image
        width, height = upright.size
        rows = max(1, _STRIP // width)
        boxes = [(0, y, width, min(y + rows, height)) for y in range(0, height, rows)]
        return np.concatenate([read(upright.crop(box)) for box in boxes])


def _scale_key(image: Image, file: Path) -> None:
    """Scale the transparent gray level or color of a PNG to the range of the decoded pixels.

    Pillow scales gray pixels of 2 and 4 bits and colors of 16 bits to 8 bits, and leaves the key,
    which is in the file's own bit depth, as it is.
    """
    key = image.info.get("transparency")
    with file.open("rb") as stream:
        depth = stream.read(25)[24]
    if isinstance(key, int) and image.mode == "L" and depth < 8:
        image.info["transparency"] = key * 255 // (2**depth - 1)
    elif isinstance(key, tuple) and depth == 16:
        image.info["transparency"] = tuple(part >> 8 for part in key)


def wide_gray(strip: Image) -> NDArray[np.int64] | None:
    """Return gray levels of more than 8 bits, 0 to `BRIGHTEST`; None for rows of other kinds."""
    if strip.mode.startswith("I"):  # Pillow scales every such level to 16 bits
        return np.clip(np.asarray(strip).astype(np.int64), 0, BRIGHTEST)
    if strip.mode == "F":  # a portable float map, 0 to 1
        shares = np.nan_to_num(np.asarray(strip, dtype=np.float64))
        return np.rint(np.clip(shares, 0, 1) * BRIGHTEST).astype(np.int64)
    return None


def opacity(strip: Image) -> NDArray[np.uint8] | None:
    """Return the opacity of some rows, 0 to 255; None if all their pixels are opaque."""
    if not strip.has_transparency_data:
        return None
    key = strip.info.get("transparency")
    if strip.mode in ("1", "L"):
        gray: NDArray[Any] | None = np.asarray(strip.convert("L"))
    else:
        gray = wide_gray(strip)
    if gray is not None and isinstance(key, int):
        return np.where(gray == key, 0, 255).astype(np.uint8)
    return np.asarray(strip.convert("RGBA").getchannel("A"))


def _strip_walls(
    strip: Image,
    threshold: int,
    colors: NDArray[np.int64] | None,
    tolerance: int,
    transparent_is_wall: bool,
) -> NDArray[np.bool_]:
    """Return the walls of some rows, (height, width)."""
    from PIL import Image

    alpha = opacity(strip)
    gray = wide_gray(strip)
    if gray is not None:
        strip = Image.fromarray((gray >> 8).astype(np.uint8))
    elif alpha is not None:
        strip = strip.convert("RGBA")
    if colors is None:
        # Palettes become colors first, as luminance is one of colors.
        if strip.mode in ("1", "L"):
            bands = strip
        else:
            bands = strip.convert("RGB")
        walls: NDArray[np.bool_] = np.asarray(bands.convert("L")) < threshold
    else:
        pixels = np.asarray(strip.convert("RGB")).astype(np.int16)
        near = [(np.abs(pixels - color) <= tolerance).all(axis=2) for color in colors]
        walls = np.logical_or.reduce(near)
    if alpha is not None:
        is_opaque = alpha >= _OPAQUE
        if transparent_is_wall:
            walls = walls | ~is_opaque
        else:
            walls = walls & is_opaque
    return walls


def _colors(value: Color | Sequence[Color]) -> NDArray[np.int64]:
    """Return the chosen colors, (N, 3)."""
    from PIL import ImageColor

    is_list = not isinstance(value, str) and isinstance(value, Sequence)
    if is_list and isinstance(next(iter(value), None), str | Sequence):
        listed: Any = value
    else:
        listed = [value]
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
