"""Grids, hexagons, graphs and meshes: cells, positions, walls, line of sight."""

from fieldcraft.space import space_saves as space_saves  # it says how spaces are pickled
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.grid.neighborhood import Neighborhood, Terrain
from fieldcraft.space.hexagons.hex_grid import HexGrid
from fieldcraft.space.kinds import check_lines_of_sight, checked_space, grid_of
from fieldcraft.space.mesh.mesh import Mesh
from fieldcraft.space.sight.shots import Shot, incoming
from fieldcraft.space.sight.sight import sees, visible, watchers
from fieldcraft.space.snapshots import GraphSnapshot, GridSnapshot, Snapshot, snapshot_of
from fieldcraft.space.space import Space

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
