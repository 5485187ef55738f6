"""How maps show themselves in notebooks."""

from __future__ import annotations

import base64
import html
import io
from typing import Any, cast

import numpy as np

from fieldcraft.compose.teams import Teams
from fieldcraft.errors import InvalidValue
from fieldcraft.hooks import Pictured
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer.operand import Operand
from fieldcraft.paths import Path
from fieldcraft.space import Space
from fieldcraft.view.frame import frame
from fieldcraft.view.lines import draw_dots, draw_lines
from fieldcraft.view.placement import Placement
from fieldcraft.view.sheet import picture, picture_teams

__all__ = ["as_html", "as_png"]

_WAY = "#ffd166"
_SIDE = 480  # pixels that a picture's longer side has at most


def as_png(shown: Pictured) -> bytes | None:
    """A picture of a map, of a space and its walls, of teams, or of a path on its map, as the bytes
    of a PNG.

    None where Pillow is not installed, or it can't be drawn.
    """
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
    image = (
        ""
        if png is None
        else (
            f'<img src="data:image/png;base64,{base64.b64encode(png).decode()}"'
            f' alt="{html.escape(name)}">'
        )
    )
    return f"<tr><td>{image}</td><td>{html.escape(repr(layer))}</td></tr>"


def _drawn(shown: Pictured) -> Any:
    if isinstance(shown, Space):
        return _ground(shown)
    if isinstance(shown, Teams):
        return picture_teams(shown, size=_SIDE)
    if isinstance(shown, Path):
        return _way(shown)
    assert isinstance(shown, Operand)
    reached = np.isfinite(shown.values)
    if reached.all():
        return picture(shown, size=_SIDE)
    # Where no way leads a distance map is as bright as where the longest one does.
    farthest = shown.values.max(where=reached, initial=0)
    values = np.where(reached, shown.values, np.where(shown.space.walls, 0, farthest))
    return picture(values, space=cast(Any, shown.space), size=_SIDE, title=shown.name)


def _ground(space: Space) -> Any:
    return frame(np.zeros(space.shape, dtype=np.float32), space=cast(Any, space), size=_SIDE)


def _way(path: Path) -> Any:
    """A path on the ground of its map, with a dot at its start and a larger one at its goal; a way
    over an open rim is broken there.
    """
    drawn, place = _ground(path.space), Placement(path.space, size=_SIDE)
    if not path.found:
        return drawn
    places = path.at(np.linspace(0, path.length, 4 * _SIDE))
    gaps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    broken = 1 + np.flatnonzero(gaps > 8 * path.length / (4 * _SIDE) + 1e-9)
    draw_lines(drawn, place, np.split(places, broken), color=_WAY, width=3.0)
    draw_dots(drawn, place, places[:1], color=_WAY, width=9.0)
    draw_dots(drawn, place, places[-1:], color=_WAY, width=14.0)
    return drawn
