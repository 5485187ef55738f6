"""Pictures that know where they lie: PNG with a world file."""

from __future__ import annotations

import os
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.files import Staging
from fieldcraft.view.film import save_png
from fieldcraft.view.frame import frame

__all__ = ["save_map"]


def save_map(path: str | os.PathLike[str], layer: Any, *, space: Any = None, **look: Any) -> None:
    """Write a layer on a grid as a PNG of one pixel a cell (or `scale=`), and a world file (.pgw)
    beside it that says where it lies.

    QGIS, GDAL and other programs for maps put the picture in its place by that file: six lines, the
    size of a pixel and the middle of the upper left one in world units, north up. `look` are
    arguments of `frame`: limits, threshold, colors, ground, opacity, ... On a map with y down the
    file says that, too.

    Raises `InvalidValue` for what does not lie on a grid, `crop=True`, and where `frame` and
    `save_png` do.
    """
    base: Any = getattr(layer, "space", None) if space is None else space
    if not hasattr(base, "cell_size") or not hasattr(base, "origin") or not hasattr(base, "y_up"):
        raise InvalidValue(
            "A world file is that of a grid",
            got=type(base).__name__,
            remedy="Pass a layer on a grid, or space=",
        )
    if look.get("crop"):
        raise InvalidValue("A map has its rim", got="crop=True", remedy="Leave it out")
    file, scale = checks.path("path", path), checks.whole("scale", look.pop("scale", 1), minimum=1)
    picture = frame(layer, space=space, scale=scale, **{"sources": False, **look})
    pixel = base.cell_size / scale
    left, low = base.origin
    top = low + base.cell_size * base.height if base.y_up else low
    down = -pixel if base.y_up else pixel
    lines = (pixel, 0.0, 0.0, down, left + pixel / 2, top + down / 2)
    save_png(file, picture)
    with Staging(file.parent, [f"{file.stem}.pgw"]) as staging:
        staging.part(f"{file.stem}.pgw").write_text(
            "".join(f"{line!r}\n" for line in map(float, lines)), encoding="utf-8"
        )
        staging.commit()
