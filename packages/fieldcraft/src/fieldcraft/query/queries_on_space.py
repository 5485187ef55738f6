"""The queries of a layer on its space."""

from __future__ import annotations

from numpy.typing import ArrayLike

from fieldcraft.query.queries import Queries
from fieldcraft.query.queries_on_graph import GraphValues
from fieldcraft.query.queries_on_grid import GridValues
from fieldcraft.space import Grid, Space
from fieldcraft.values.readable import Readable


def queries_of(layer: Readable | ArrayLike, space: Space | None = None) -> Queries:
    """Return the queries of a layer, an expression, or an array with its space."""
    if space is None:
        ground = getattr(layer, "space", None)
    else:
        ground = space
    if isinstance(ground, Grid):
        return GridValues(layer, space)
    return GraphValues(layer, space)
