"""Influence maps for games, bots and agent simulations.

>>> import fieldcraft as fc
>>> imap = fc.InfluenceMap(fc.Grid(7, 3))
>>> threat = imap.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
>>> guard = threat.add_source((0.5, 1.5), strength=8.0)
>>> imap.step(10)
>>> threat.values.round(1)
array([[4.9, 2.9, 1.8, 1.1, 0.7, 0.4, 0.2],
       [8. , 4.9, 2.9, 1.8, 1.1, 0.7, 0.4],
       [4.9, 2.9, 1.8, 1.1, 0.7, 0.4, 0.2]], dtype=float32)

Each name has its own help, such as `help(fc.distance_map)`; `dir(fc)` lists all names.

- Maps: `Grid`, `HexGrid`, `Graph`, `load_map`, `generate_map`.
- Layers of an `InfluenceMap`: `Spread`, `Radial`, `Flood`, `Fade`, `Trail`, `Diffuse`.
- Paths: `distance_map`, `shortest_path`, `reach`, `flow_field`, `flee_map`.
- Decisions: `best`, `Question`, `sample`, `regions`, `Teams`, expressions such as `1 - 2 * threat`.
- Sight and search: `visible`, `sees`, `Sight`, `Belief`, `LastSeen`, `Pursuit`, `SearchParty`.
- Learning: `fit` layers and formulas to recordings, `observe` planes for agents.
- Submodules: `fc.steering`, `fc.view`, `fc.maps`, `fc.layer`, `fc.errors`.

The guides are in `docs/`. What follows is the help of all names in full.
"""

import importlib as _importlib
import typing as _typing

from fieldcraft import errors as errors
from fieldcraft import hooks
from fieldcraft.compose import maximum, minimum, where
from fieldcraft.compose import verbs as _verbs
from fieldcraft.errors import FieldcraftError
from fieldcraft.falloff import Falloff, Ring
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import Layer
from fieldcraft.layer.making import others_with as _others_with
from fieldcraft.propagation import Diffuse, Fade, Flood, Radial, Spread, Stamp, Trail
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
from fieldcraft.space.graph import graph_of as _graph_of

if _typing.TYPE_CHECKING:
    from fieldcraft import fitting as fitting
    from fieldcraft import maps as maps
    from fieldcraft import query as query
    from fieldcraft import recordings as recordings
    from fieldcraft import steering, view
    from fieldcraft.compose.formula import formula
    from fieldcraft.compose.teams import Teams
    from fieldcraft.compose.window import observe, window
    from fieldcraft.fitting import fit
    from fieldcraft.maps import generate_map, load_map
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
    from fieldcraft.pursuit import Belief, LastSeen, Motion, Pursuit, SearchParty, Sight
    from fieldcraft.query import best, explain, peaks, pick, regions, sample
    from fieldcraft.question import Question
    from fieldcraft.readiness import set_threads, warm_up
else:
    # Modules that are imported when one of their names, or the module itself, is first used.
    _MODULES = {
        "compose.formula": "formula",
        "compose.teams": "Teams",
        "compose.window": "observe window",
        "fitting": "fit",
        "maps": "generate_map load_map",
        "paths": "DistanceMap FlowField Path distance_map flee_map flow_field reach shortest_path"
        " shortest_paths would_block",
        "pursuit": "Belief LastSeen Motion Pursuit SearchParty Sight",
        "query": "best explain peaks pick regions sample",
        "question": "Question",
        "readiness": "set_threads warm_up",
        "recordings": "",
        "steering": "",
        "view": "",
    }
    _HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

    def __getattr__(name: str) -> _typing.Any:
        if name in _HOMES:
            found = getattr(_importlib.import_module(f"fieldcraft.{_HOMES[name]}"), name)
            globals()[name] = found
            return found
        if name in _MODULES:
            return _importlib.import_module(f"fieldcraft.{name}")
        if name in ("gpu", "lab"):
            return hooks.package(name)
        raise AttributeError(f"module 'fieldcraft' has no attribute {name!r}", name=name)

    def __dir__() -> list[str]:
        packages = "errors fitting gpu lab layer maps pursuit query question recordings settings"
        public = {*__all__, *packages.split(), "steering", "view"}
        return sorted({*public, *(name for name in globals() if name[:2] == "__")})


def _sample(*args: _typing.Any, **options: _typing.Any) -> _typing.Any:
    from fieldcraft.query import sample

    hooks.sample = sample
    return sample(*args, **options)


def _png_of(shown: hooks.Pictured) -> bytes | None:
    from fieldcraft.view.pages import as_png

    return as_png(shown)


def _html_of(imap: InfluenceMap) -> str:
    from fieldcraft.view.pages import as_html

    return as_html(imap)


hooks.verbs, hooks.others_with, hooks.sample = _verbs, _others_with, _sample
hooks.html_of, hooks.png_of, hooks.graph_of = _html_of, _png_of, _graph_of

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
    "Question",
    "Radial",
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
    "best",
    "distance_map",
    "explain",
    "fit",
    "flee_map",
    "flow_field",
    "formula",
    "generate_map",
    "incoming",
    "load_map",
    "maximum",
    "minimum",
    "observe",
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
