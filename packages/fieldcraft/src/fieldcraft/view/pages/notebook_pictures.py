"""Pictures of maps in notebooks: the bytes of a PNG, and HTML."""

from __future__ import annotations

import base64
import html
import importlib.util
import io

import numpy as np

from fieldcraft.base.errors import InvalidValue, MissingLibrary
from fieldcraft.base.pictured import Pictured
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.teams.teams import Teams
from fieldcraft.paths import Path
from fieldcraft.space import Space
from fieldcraft.values.operand import Operand
from fieldcraft.view.drawing.overlays import draw_dots, draw_lines
from fieldcraft.view.frame import frame, frame_teams
from fieldcraft.view.pages.pages import picture
from fieldcraft.view.pixels.pixel_plan import RGBA
from fieldcraft.view.pixels.placement import Placement

_PATH = "#ffd166"


_SIDE = 480  # pixels along the longer side, at most


def as_png(shown: Pictured) -> bytes | None:
    """Return a picture of a map, of a space and its walls, of teams, or of a path on its map, as
    the bytes of a PNG; None where it can't be drawn.
    """
    try:
        from PIL import Image

        drawn = _drawn(shown)
    except (ImportError, MissingLibrary, InvalidValue):
        return None
    encoded = io.BytesIO()
    Image.fromarray(drawn).save(encoded, "PNG")
    return encoded.getvalue()


def as_html(imap: InfluenceMap) -> str:
    """Return the layers of an influence map, each with its picture."""
    rows = "".join(_row(name, layer) for name, layer in imap.layers.items())
    return f"<p>{html.escape(repr(imap))}</p><table>{rows}</table>"


def _row(name: str, layer: Operand) -> str:
    """Return a row of a table in HTML: the picture of a layer, and its text."""
    png = as_png(layer)
    image = ""
    if png is not None:
        data = base64.b64encode(png).decode()
        image = f'<img src="data:image/png;base64,{data}" alt="{html.escape(name)}">'
    return f"<tr><td>{image}</td><td>{html.escape(repr(layer))}</td></tr>"


def _drawn(shown: Pictured) -> RGBA:
    """Return a picture; without matplotlib one without a legend."""
    if isinstance(shown, Space):
        return _ground(shown)
    if isinstance(shown, Path):
        return _path(shown)
    assert isinstance(shown, Operand | Teams)
    if importlib.util.find_spec("matplotlib") is not None:
        return picture(shown, size=_SIDE)
    if isinstance(shown, Teams):
        return frame_teams(shown, size=_SIDE)
    return frame(shown, size=_SIDE)


def _ground(space: Space) -> RGBA:
    """Return a picture of a space and its walls."""
    return frame(np.zeros(space.shape, dtype=np.float32), space=space, size=_SIDE)


def _path(path: Path) -> RGBA:
    """Return a path on the ground of its map, with a dot at its start and a larger one at its goal.
    A path over an edge that wraps is broken there.
    """
    drawn = _ground(path.space)
    place = Placement(path.space, size=_SIDE)
    if not path.found:
        return drawn
    places = path.at(np.linspace(0, path.length, 4 * _SIDE))
    gaps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    broken = 1 + np.flatnonzero(gaps > 8 * path.length / (4 * _SIDE) + 1e-9)
    draw_lines(drawn, place, np.split(places, broken), color=_PATH, width=3.0)
    draw_dots(drawn, place, places[:1], color=_PATH, width=9.0)
    draw_dots(drawn, place, places[-1:], color=_PATH, width=14.0)
    return drawn
