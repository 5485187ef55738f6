"""Compiling before the first search."""

from __future__ import annotations

from fieldcraft.pursuit.belief import Belief
from fieldcraft.pursuit.hunt import Pursuit
from fieldcraft.space import Grid

__all__ = ["compile_all"]


def compile_all() -> None:
    """Flood and believe once, on a grid and on a graph."""
    grid = Grid(5, 4)
    for space in (grid, grid.to_graph()):
        Pursuit(space, (2.5, 1.5), (1.0, 0.0)).step(2)
        belief = Belief(space, 1.0)
        belief.step()
        belief.look([0])
