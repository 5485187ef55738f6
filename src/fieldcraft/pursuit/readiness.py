"""Compiling before the first search."""

from __future__ import annotations

from fieldcraft.pursuit.belief import Belief
from fieldcraft.pursuit.hunt import Pursuit
from fieldcraft.space import Graph, Grid, incoming, sees, visible

__all__ = ["compile_all"]


def compile_all() -> None:
    """Flood, believe and look once, on a grid and on a graph."""
    grid = Grid(5, 4)
    for space in (grid, grid.to_graph()):
        Pursuit(space, (2.5, 1.5), (1.0, 0.0)).step(2)
        belief = Belief(space, 1.0)
        belief.step()
        belief.look([0])
    meadow = Graph.from_polygons([(0, 0), (4, 0), (4, 4), (0, 4), (8, 0), (8, 4)], [(0, 1, 2, 3), (1, 4, 5, 2)])
    for ground in (grid, meadow):
        for facing in (None, (1, 0)):
            visible(ground, (1.5, 1.5), 4, facing=facing)
            sees(ground, (1.5, 1.5), (3.5, 3.5), 4, facing=facing)
    incoming(meadow, (1, 1), (7, 2), speed=1, width=9)
