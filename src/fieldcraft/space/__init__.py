"""Where things are: cells, positions, neighbours, walls, terrain."""

from fieldcraft.space.grid import Grid
from fieldcraft.space.neighborhood import Neighborhood
from fieldcraft.space.protocol import Space
from fieldcraft.space.sight import Shot, incoming, visible, watchers
from fieldcraft.space.terrain import Terrain

__all__ = ["Grid", "Neighborhood", "Shot", "Space", "Terrain", "incoming", "visible", "watchers"]
