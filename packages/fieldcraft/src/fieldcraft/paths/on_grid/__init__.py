"""Ways on grids: distances, flow fields and shortest paths over rows and columns."""

from fieldcraft.paths.on_grid.distances import GridDistances as Distances
from fieldcraft.paths.on_grid.flow import GridFlow as Flow
from fieldcraft.paths.on_grid.search import shortest_path, shortest_paths

__all__ = ["Distances", "Flow", "shortest_path", "shortest_paths"]
