"""How maps show themselves in notebooks."""

from __future__ import annotations

import base64
import html
import io
from typing import Any, cast

import numpy as np

from fieldcraft.errors import InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Space
from fieldcraft.view.frame import frame
from fieldcraft.view.sheet import picture

__all__ = ["as_html", "as_png", "show_in_notebooks"]

_SIDE = 480  # pixels that a picture's longer side has at most


def show_in_notebooks() -> None:
    """Give maps and spaces what IPython asks for: `_repr_png_`, and influence maps `_repr_html_`."""
    setattr(Operand, "_repr_png_", as_png)  # noqa: B010 - the classes stand on lower floors, and know no pictures
    setattr(Space, "_repr_png_", as_png)  # noqa: B010
    setattr(InfluenceMap, "_repr_html_", as_html)  # noqa: B010


def as_png(shown: Operand | Space) -> bytes | None:
    """A picture of a map, or of a space and its walls, as the bytes of a PNG; None where Pillow is not installed or it can't be drawn."""
    try:
        from PIL import Image
    except ImportError:
        return None
    try:
        drawn = _drawn(shown)
    except InvalidValue:
        return None
    encoded = io.BytesIO()
    Image.fromarray(drawn).save(encoded, "PNG")
    return encoded.getvalue()


def as_html(imap: InfluenceMap) -> str:
    """The layers of an influence map, each with its picture where Pillow is installed."""
    rows = "".join(_row(name, layer) for name, layer in imap.layers.items())
    return f"<p>{html.escape(repr(imap))}</p><table>{rows}</table>"


def _row(name: str, layer: Operand) -> str:
    png = as_png(layer)
    image = "" if png is None else f'<img src="data:image/png;base64,{base64.b64encode(png).decode()}" alt="{html.escape(name)}">'
    return f"<tr><td>{image}</td><td>{html.escape(repr(layer))}</td></tr>"


def _drawn(shown: Operand | Space) -> Any:
    if isinstance(shown, Space):
        return frame(np.zeros(shown.shape, dtype=np.float32), space=cast(Any, shown), size=_SIDE)
    reached = np.isfinite(shown.values)
    if reached.all():
        return picture(shown, size=_SIDE)
    # Where no way leads a distance map is as bright as where the longest one does.
    farthest = shown.values.max(where=reached, initial=0)
    values = np.where(reached, shown.values, np.where(shown.space.walls, 0, farthest))
    return picture(values, space=cast(Any, shown.space), size=_SIDE, title=shown.name)
