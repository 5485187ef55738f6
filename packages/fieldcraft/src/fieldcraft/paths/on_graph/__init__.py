"""Ways over arcs, on graphs, meshes and whatever else keeps a graph: distances, flow fields and
shortest paths.
"""

from fieldcraft.paths.on_graph.distances import GraphDistances as Distances
from fieldcraft.paths.on_graph.flow import GraphFlow as Flow
from fieldcraft.paths.on_graph.search import shortest_path, shortest_paths

__all__ = ["Distances", "Flow", "shortest_path", "shortest_paths"]
