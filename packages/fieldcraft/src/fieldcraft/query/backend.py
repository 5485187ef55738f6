"""Queries for each kind of space."""

from __future__ import annotations

from numpy.typing import ArrayLike

from fieldcraft.query.on_graph import GraphValues
from fieldcraft.query.on_grid import GridValues
from fieldcraft.query.values import Queries, Readable
from fieldcraft.space import Grid, Space

__all__ = ["queries"]


def queries(layer: Readable | ArrayLike, space: Space | None = None) -> Queries:
    """Return the queries of a layer, an expression, or an array with its space."""
    if isinstance(getattr(layer, "space", None) if space is None else space, Grid):
        return GridValues(layer, space)
    return GraphValues(layer, space)
