"""The values that agents have around them without their own sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fieldcraft.query.queries import Personal, Queries
from fieldcraft.query.queries_on_space import queries_of
from fieldcraft.space import Space
from fieldcraft.values.exclusion import Excludable, Near
from fieldcraft.values.readable import Cells, Floats

_MOST_AT_ONCE = 1_000_000  # values of agents that each have their own


class PersonalValues:
    """The values of a map around agents, without the sources with the key of each.

    Parameters
    ----------
    layer : Excludable
        The map.
    keys : sequence of N keys
        What `keys_left_out` returned.
    points : ndarray of shape (N, D)
        The positions of the agents.
    starts : ndarray of int64, (N,)
        Their cells.
    radius : float
        How far from a position values may be read.
    """

    def __init__(
        self,
        layer: Excludable,
        keys: Sequence[object],
        points: Floats,
        starts: Cells,
        radius: float,
    ) -> None:
        self._layer = layer
        self._keys = keys
        self._points = points
        self._starts = starts
        self._radius = radius
        space: Space = layer.space
        self.array = np.zeros(len(space), dtype=np.float32)
        """Values by cell, which `Personal.write` replaces by those of one agent near it."""
        self.queries: Queries = queries_of(self.array.reshape(space.shape), space)

    def parts(self) -> Iterator[tuple[slice, Personal]]:
        """Yield the values of some agents after the other, with their places among all agents."""
        queries = self.queries
        size = max(1, _MOST_AT_ONCE // queries.most_around(self._radius))
        columns = queries.columns_around(self._radius)
        for first in range(0, len(self._points), size):
            some = slice(first, first + size)
            cells = queries.cells_around(self._points[some], self._starts[some], self._radius)
            near = Near(cells, self._keys[some], columns)
            yield some, Personal(cells, self._layer.values_near(near), self.array)
