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

`fc.names()` lists all names with one line each; `help(fc.distance_map)` is the help of one.

- Maps: `Grid`, `HexGrid`, `Graph`, `load_map`, `generate_map`.
- Layers of an `InfluenceMap`: `Spread`, `Radial`, `Flood`, `Fade`, `Trail`, `Diffuse`.
- Paths: `distance_map`, `shortest_path`, `reach`, `flow_field`, `flee_map`.
- Decisions: `best`, `Question`, `sample`, `regions`, `Teams`, expressions such as `1 - 2 * threat`.
- Sight and search: `visible`, `sees`, `Sight`, `Belief`, `LastSeen`, `Pursuit`, `SearchParty`.
- Learning: `fit` layers and formulas to recordings, `observe` planes for agents.
- Submodules: `fc.steering`, `fc.view`, `fc.maps`, `fc.layer`, `fc.errors`.

The guides are in `docs/`.
"""

import importlib as _importlib
import typing as _typing

from fieldcraft.base import errors as errors
from fieldcraft.base import packages as _packages
from fieldcraft.base import pictured as _pictured
from fieldcraft.base.errors import FieldcraftError
from fieldcraft.layers import Layer
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.propagation import Diffuse, Fade, Flood, Radial, Spread, Stamp, Trail
from fieldcraft.layers.sources import Source
from fieldcraft.layers.sources.falloff import Falloff, Ring
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
from fieldcraft.values import maximum, minimum, where

if _typing.TYPE_CHECKING:
    from fieldcraft import fitting as fitting
    from fieldcraft import layers as _layers
    from fieldcraft import pursuit as pursuit
    from fieldcraft import query as query
    from fieldcraft import steering as steering
    from fieldcraft import values as _values
    from fieldcraft import view as view
    from fieldcraft.base import settings as settings
    from fieldcraft.commands import recipe as recipe
    from fieldcraft.commands.names import names
    from fieldcraft.fitting import fit
    from fieldcraft.formats import adapters as adapters
    from fieldcraft.formats import maps as maps
    from fieldcraft.formats import recordings as recordings
    from fieldcraft.formats.maps import generate_map, load_map
    from fieldcraft.kernels.compiling.warm_up import set_threads, warm_up
    from fieldcraft.layers import propagation as _propagation
    from fieldcraft.layers.teams.teams import Teams
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
    from fieldcraft.query import best, explain, peaks, pick, regions
    from fieldcraft.query import question as question
    from fieldcraft.query.question import Question
    from fieldcraft.values.formula import formula
    from fieldcraft.values.sampling import sample
    from fieldcraft.values.window import observe, window

    compose = _values
    layer = _layers
    propagation = _propagation
    gpu: _typing.Any
    lab: _typing.Any
else:
    # Modules that are imported when one of their names, or the module itself, is first used.
    _MODULES = {
        "commands.names": "names",
        "fitting": "fit",
        "formats.maps": "generate_map load_map",
        "kernels.compiling.warm_up": "set_threads warm_up",
        "layers.teams": "Teams",
        "paths": "DistanceMap FlowField Path distance_map flee_map flow_field reach shortest_path"
        " shortest_paths would_block",
        "pursuit": "Belief LastSeen Motion Pursuit SearchParty Sight",
        "query": "best explain peaks pick regions",
        "query.question": "Question",
        "values.formula": "formula",
        "values.sampling": "sample",
        "values.window": "observe window",
    }
    # Public modules by the names that users write: `fc.maps`.
    _NAMED = {
        "adapters": "formats.adapters",
        "compose": "values",
        "fitting": "fitting",
        "layer": "layers",
        "maps": "formats.maps",
        "propagation": "layers.propagation",
        "pursuit": "pursuit",
        "query": "query",
        "question": "query.question",
        "recipe": "commands.recipe",
        "recordings": "formats.recordings",
        "settings": "base.settings",
        "steering": "steering",
        "view": "view",
    }
    _HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

    def __getattr__(name: str) -> _typing.Any:
        if name in _HOMES:
            found = getattr(_importlib.import_module(f"fieldcraft.{_HOMES[name]}"), name)
            globals()[name] = found
            return found
        if name in _NAMED:
            return _importlib.import_module(f"fieldcraft.{_NAMED[name]}")
        if name in _packages.NAMES:
            return _packages.as_attribute(name)
        if name == "__all__":
            _load_all()
        if name.startswith("_"):
            raise AttributeError(f"module 'fieldcraft' has no attribute {name!r}", name=name)
        names = _importlib.import_module("fieldcraft.commands.names")
        raise names.missing(name)

    def __dir__() -> list[str]:
        packages = "errors fitting layer maps pursuit query question recordings settings"
        installed = [name for name in _packages.NAMES if _packages.is_installed(name)]
        public = {*_EAGER, *_HOMES, *packages.split(), *installed, "steering", "view"}
        return sorted({*public, *(name for name in globals() if name[:2] == "__")})

    def _load_all() -> None:
        """Import what is imported on first use, for `from fieldcraft import *`.

        There is no `__all__` while the library runs: with one, `help(fc)` would be the help of all
        names in full, which is thousands of lines.
        """
        for name in _HOMES:
            __getattr__(name)


def _png_of(shown: _pictured.Pictured) -> bytes | None:
    from fieldcraft.view.pages.notebook_pictures import as_png

    return as_png(shown)


def _html_of(imap: InfluenceMap) -> str:
    from fieldcraft.view.pages.notebook_pictures import as_html

    return as_html(imap)


_pictured.html_of = _html_of
_pictured.png_of = _png_of

__version__ = "0.1.0"

if _typing.TYPE_CHECKING:
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
        "names",
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
else:
    # The names that are imported with the library.
    _EAGER = [
        name
        for name, thing in globals().items()
        if not name.startswith("_") and not isinstance(thing, type(_typing))
    ]
