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

from fieldcraft import view
from fieldcraft.compose import Expression, formula, lerp, maximum, minimum, where, window
from fieldcraft.compose.teams import Teams
from fieldcraft.errors import FieldcraftError
from fieldcraft.falloff import Falloff, Ring
from fieldcraft.influence_map import Advance, InfluenceMap, load
from fieldcraft.layer import Layer
from fieldcraft.maps import load_map
from fieldcraft.maps.generate import generate_map
from fieldcraft.propagation import Radial, Spread, threat
from fieldcraft.query import Reservations, along, best, explain, gradient, peaks, regions, sample, worst
from fieldcraft.readiness import set_threads, warm_up
from fieldcraft.sources import Source, Sources, Timeline, TimelineBuilder, pitch, read_football, read_starcraft
from fieldcraft.space import Grid, Neighborhood, Shot, Space, Terrain, incoming, visible, watchers

__version__ = "0.1.0"

__all__ = [
    "Advance",
    "Expression",
    "Falloff",
    "FieldcraftError",
    "Grid",
    "InfluenceMap",
    "Layer",
    "Neighborhood",
    "Radial",
    "Reservations",
    "Ring",
    "Shot",
    "Source",
    "Sources",
    "Space",
    "Spread",
    "Teams",
    "Terrain",
    "Timeline",
    "TimelineBuilder",
    "along",
    "best",
    "explain",
    "formula",
    "generate_map",
    "gradient",
    "incoming",
    "lerp",
    "load",
    "load_map",
    "maximum",
    "minimum",
    "peaks",
    "pitch",
    "read_football",
    "read_starcraft",
    "regions",
    "sample",
    "set_threads",
    "threat",
    "view",
    "visible",
    "warm_up",
    "watchers",
    "where",
    "window",
    "worst",
]
