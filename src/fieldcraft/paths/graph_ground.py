"""What a distance map walks on, on a graph: blocked vertices, closed edges, and what arcs cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Graph
from fieldcraft.space.keeping import kept_until_walls_change

__all__ = ["GraphGround"]


class GraphGround:
    """The vertices and edges of a graph that were open at one moment; none of these arrays ever changes.

    `walls` (N,) bool are the blocked vertices, and `sizes` (A,) the lengths of the arcs of its topology, infinite for closed ones.
    """

    def __init__(self, walls: NDArray[np.bool_], sizes: NDArray[np.float64], version: int) -> None:
        self.version = version
        for array in (walls, sizes):
            if array.flags.writeable:  # never: kernels are compiled anew for arrays that can be written to
                array.flags.writeable = False
        self.walls = walls
        self.sizes = sizes

    @classmethod
    def of(cls, graph: Graph, costs: NDArray[np.float64] | None = None) -> GraphGround:
        """The ground of a graph as it is now; where `costs`, one per vertex, are infinite, there are walls as well."""
        plain = _plain(graph)
        return plain if costs is None else cls(graph.walls | np.isinf(costs), plain.sizes, plain.version)

    def mended(self, graph: Graph, version: int, costs: NDArray[np.float64] | None, changed: NDArray[np.int64]) -> GraphGround:
        """The ground at this `walls_version`; its arrays are made anew, so it does not matter what has `changed`."""
        return GraphGround.of(graph, costs)

    def walled(self, graph: Graph, vertices: NDArray[np.int64]) -> GraphGround:
        """The ground if there were walls in these vertices."""
        walls = self.walls.copy()
        walls[vertices] = True
        return GraphGround(walls, self.sizes, self.version)

    @property
    def links(self) -> NDArray[np.bool_]:
        """By arc of the topology: whether it may be used."""
        return self.sizes < np.inf


@kept_until_walls_change
def _plain(graph: Graph) -> GraphGround:
    """The ground that all costs leave open."""
    version, lengths = graph.walls_version, graph.topology.lengths
    return GraphGround(graph.walls, np.where(graph.closed, np.inf, lengths) if graph.closed.any() else lengths, version)
