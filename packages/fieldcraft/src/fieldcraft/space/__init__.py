"""Grids, hexagons, graphs and meshes: cells, positions, walls, line of sight."""

from fieldcraft.space import serialization as serialization
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.graph import Graph
from fieldcraft.space.grid import Grid
from fieldcraft.space.hex_grid import HexGrid
from fieldcraft.space.kinds import check_lines_of_sight, checked_space, grid_of
from fieldcraft.space.mesh import Mesh
from fieldcraft.space.neighborhood import Neighborhood, Terrain
from fieldcraft.space.protocol import Space
from fieldcraft.space.shots import Shot, incoming
from fieldcraft.space.sight import sees, visible, watchers
from fieldcraft.space.snapshots import GraphSnapshot, GridSnapshot, Snapshot, snapshot_of

__all__ = [
    "Adjacency",
    "Graph",
    "GraphSnapshot",
    "Grid",
    "GridSnapshot",
    "HexGrid",
    "Mesh",
    "Neighborhood",
    "Shot",
    "Snapshot",
    "Space",
    "Terrain",
    "check_lines_of_sight",
    "checked_space",
    "grid_of",
    "incoming",
    "sees",
    "snapshot_of",
    "visible",
    "watchers",
]
