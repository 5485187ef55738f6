"""Where things are: cells, positions, neighbours, walls, terrain."""

from fieldcraft.space.graph import Graph
from fieldcraft.space.grid import Grid
from fieldcraft.space.kinds import AnySpace, grid_of
from fieldcraft.space.mesh import Mesh
from fieldcraft.space.neighborhood import Neighborhood
from fieldcraft.space.protocol import Space
from fieldcraft.space.shots import Shot, incoming
from fieldcraft.space.sight import sees, visible, watchers
from fieldcraft.space.terrain import Terrain

__all__ = [
    "AnySpace",
    "Graph",
    "Grid",
    "Mesh",
    "Neighborhood",
    "Shot",
    "Space",
    "Terrain",
    "grid_of",
    "incoming",
    "sees",
    "visible",
    "watchers",
]
