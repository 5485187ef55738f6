"""Where things are: cells, positions, neighbours, walls, terrain."""

from fieldcraft.space.grid import Grid
from fieldcraft.space.neighborhood import Neighborhood
from fieldcraft.space.protocol import Space
from fieldcraft.space.terrain import Terrain

__all__ = ["Grid", "Neighborhood", "Space", "Terrain"]
