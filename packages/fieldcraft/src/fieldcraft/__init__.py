"""fieldcraft: a sense of place for games, bots and agent simulations.

Influence maps say who controls which ground, where it is safe to stand, where the trail leads:

>>> import fieldcraft as fc
>>> imap = fc.InfluenceMap(fc.Grid(7, 3))
>>> threat = imap.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
>>> guard = threat.add_source((0.5, 1.5), strength=8.0)
>>> imap.step(10)
>>> threat.values.round(1)
array([[4.9, 2.9, 1.8, 1.1, 0.7, 0.4, 0.2],
       [8. , 4.9, 2.9, 1.8, 1.1, 0.7, 0.4],
       [4.9, 2.9, 1.8, 1.1, 0.7, 0.4, 0.2]], dtype=float32)
"""

import importlib as _importlib
import typing as _typing

from fieldcraft import errors as errors
from fieldcraft import extensions as _extensions
from fieldcraft import hooks
from fieldcraft import maps as maps
from fieldcraft.compose import formula, maximum, minimum, where, window
from fieldcraft.compose.teams import Teams
from fieldcraft.errors import FieldcraftError
from fieldcraft.falloff import Falloff, Ring
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import Layer
from fieldcraft.layer.making import others_with as _others_with
from fieldcraft.maps import load_map
from fieldcraft.maps.generate import generate_map
from fieldcraft.paths import (
    DistanceMap,
    FlowField,
    Path,
    distance_map,
    flee_map,
    flow_field,
    reach,
    shortest_path,
    shortest_paths,
    would_block,
)
from fieldcraft.propagation import Diffuse, Fade, Flood, Radial, Spread, Stamp, Trail
from fieldcraft.pursuit import Belief, LastSeen, Motion, Pursuit, SearchParty, Sight
from fieldcraft.query import (
    Reservations,
    along,
    best,
    explain,
    gradient,
    peaks,
    pick,
    regions,
    sample,
)
from fieldcraft.query import calculus as _calculus
from fieldcraft.readiness import set_threads, warm_up
from fieldcraft.sources import Source
from fieldcraft.space import (
    Graph,
    Grid,
    HexGrid,
    Mesh,
    Neighborhood,
    Space,
    Terrain,
    incoming,
    sees,
    visible,
)

hooks.calculus, hooks.others_with = _calculus, _others_with


def _png_of(shown: hooks.Pictured) -> bytes | None:
    from fieldcraft.view.notebook import as_png

    return as_png(shown)


def _html_of(imap: InfluenceMap) -> str:
    from fieldcraft.view.notebook import as_html

    return as_html(imap)


hooks.html_of, hooks.png_of = _html_of, _png_of

if _typing.TYPE_CHECKING:
    from fieldcraft import recordings as recordings
    from fieldcraft import steering, view
else:

    def __getattr__(name: str) -> _typing.Any:
        if name in ("gpu", "lab"):
            return _extensions.package(name)
        if name in ("recordings", "steering", "view"):
            return _importlib.import_module(f"fieldcraft.{name}")
        raise AttributeError(f"module 'fieldcraft' has no attribute {name!r}", name=name)


__version__ = "0.1.0"

__all__ = [
    "Belief",
    "Diffuse",
    "DistanceMap",
    "Fade",
    "Falloff",
    "FieldcraftError",
    "Flood",
    "FlowField",
    "Graph",
    "Grid",
    "HexGrid",
    "InfluenceMap",
    "LastSeen",
    "Layer",
    "Mesh",
    "Motion",
    "Neighborhood",
    "Path",
    "Pursuit",
    "Radial",
    "Reservations",
    "Ring",
    "SearchParty",
    "Sight",
    "Source",
    "Space",
    "Spread",
    "Stamp",
    "Teams",
    "Terrain",
    "Trail",
    "along",
    "best",
    "distance_map",
    "explain",
    "flee_map",
    "flow_field",
    "formula",
    "generate_map",
    "gradient",
    "incoming",
    "load_map",
    "maximum",
    "minimum",
    "peaks",
    "pick",
    "reach",
    "regions",
    "sample",
    "sees",
    "set_threads",
    "shortest_path",
    "shortest_paths",
    "steering",
    "view",
    "visible",
    "warm_up",
    "where",
    "window",
    "would_block",
]
