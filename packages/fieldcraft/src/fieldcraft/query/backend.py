"""Answers for each kind of space."""

from __future__ import annotations

from fieldcraft.query.ground import Queries, Readable
from fieldcraft.query.on_graph import GraphGround
from fieldcraft.query.on_grid import GridGround
from fieldcraft.space import Grid

__all__ = ["queries"]


def queries(layer: Readable) -> Queries:
    """Return the answers about a layer, an expression or anything else with values on a space."""
    if isinstance(getattr(layer, "space", None), Grid):
        return GridGround(layer)
    return GraphGround(layer)
