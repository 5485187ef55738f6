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

import typing as _typing

from fieldcraft import extensions as _extensions
from fieldcraft import hooks, recordings, steering, view
from fieldcraft.compose import Expression, formula, lerp, maximum, minimum, where, window
from fieldcraft.compose.teams import Teams
from fieldcraft.errors import (
    BadMapFile,
    BadSaveFile,
    ConcurrentUse,
    FieldcraftError,
    InvalidValue,
    MissingLibrary,
    OnWall,
    OutsideMap,
    UnknownName,
)
from fieldcraft.falloff import Falloff, Ring
from fieldcraft.influence_map import Advance, InfluenceMap
from fieldcraft.layer import (
    ArrayLayer,
    Layer,
    MemoryLayer,
    RadialLayer,
    SourceLayer,
    SpreadLayer,
    TrailLayer,
)
from fieldcraft.layer.making import others_with as _others_with
from fieldcraft.maps import load_map
from fieldcraft.maps.generate import generate_map
from fieldcraft.maps.scenarios import load_scenarios
from fieldcraft.paths import (
    DistanceMap,
    FleeMap,
    FlowField,
    FlowFields,
    Path,
    distance_map,
    flee_map,
    flow_field,
    shortest_path,
    shortest_paths,
    would_block,
)
from fieldcraft.propagation import Diffuse, Fade, Flood, Radial, Spread, Stamp, Trail, influence_at
from fieldcraft.propagation import direct as shot_danger
from fieldcraft.pursuit import (
    Belief,
    Contacts,
    LastSeen,
    Motion,
    Pursuit,
    SearchParty,
    Sight,
    motion,
)
from fieldcraft.query import (
    Reservations,
    along,
    best,
    explain,
    explore_step,
    gradient,
    peaks,
    pick,
    regions,
    sample,
    sense,
    uphill,
    worst,
)
from fieldcraft.query import calculus as _calculus
from fieldcraft.readiness import set_threads, warm_up
from fieldcraft.sources import Source, Sources
from fieldcraft.space import (
    Graph,
    Grid,
    HexGrid,
    Mesh,
    Neighborhood,
    Shot,
    Space,
    Terrain,
    incoming,
    sees,
    visible,
    watchers,
)

hooks.calculus, hooks.others_with = _calculus, _others_with
hooks.html_of, hooks.png_of = view.as_html, view.as_png

if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _typing.Any:
        if name in ("gpu", "lab"):
            return _extensions.package(name)
        raise AttributeError(f"module 'fieldcraft' has no attribute {name!r}", name=name)


__version__ = "0.1.0"

__all__ = [
    "Advance",
    "ArrayLayer",
    "BadMapFile",
    "BadSaveFile",
    "Belief",
    "ConcurrentUse",
    "Contacts",
    "Diffuse",
    "DistanceMap",
    "Expression",
    "Fade",
    "Falloff",
    "FieldcraftError",
    "FleeMap",
    "Flood",
    "FlowField",
    "FlowFields",
    "Graph",
    "Grid",
    "HexGrid",
    "InfluenceMap",
    "InvalidValue",
    "LastSeen",
    "Layer",
    "MemoryLayer",
    "Mesh",
    "MissingLibrary",
    "Motion",
    "Neighborhood",
    "OnWall",
    "OutsideMap",
    "Path",
    "Pursuit",
    "Radial",
    "RadialLayer",
    "Reservations",
    "Ring",
    "SearchParty",
    "Shot",
    "Sight",
    "Source",
    "SourceLayer",
    "Sources",
    "Space",
    "Spread",
    "SpreadLayer",
    "Stamp",
    "Teams",
    "Terrain",
    "Trail",
    "TrailLayer",
    "UnknownName",
    "along",
    "best",
    "distance_map",
    "explain",
    "explore_step",
    "flee_map",
    "flow_field",
    "formula",
    "generate_map",
    "gradient",
    "incoming",
    "influence_at",
    "lerp",
    "load_map",
    "load_scenarios",
    "maximum",
    "minimum",
    "motion",
    "peaks",
    "pick",
    "recordings",
    "regions",
    "sample",
    "sees",
    "sense",
    "set_threads",
    "shortest_path",
    "shortest_paths",
    "shot_danger",
    "steering",
    "uphill",
    "view",
    "visible",
    "warm_up",
    "watchers",
    "where",
    "window",
    "worst",
    "would_block",
]
