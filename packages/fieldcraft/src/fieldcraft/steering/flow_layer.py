"""The recent moves of agents as a layer of vectors, and what moving against them costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.layer import Layer, TrailLayer
from fieldcraft.propagation import Trail
from fieldcraft.space import Space

__all__ = ["Flow"]

Ints = NDArray[np.int64]
Wide = NDArray[np.float64]


class Flow:
    """A layer of vectors to which agents add their moves.

    A move adds its direction to the cell it ends in, times what an update of the layer takes away.
    So the length of a vector is a mean over the last updates: how many agents arrive in a step,
    less those that come the other way.
    """

    def __init__(self, space: Space, layer: Layer) -> None:
        kind = layer.propagation if isinstance(layer, TrailLayer) else None
        if not (isinstance(layer, TrailLayer) and isinstance(kind, Trail) and kind.vector):
            raise InvalidValue(
                "Traffic is a layer of vectors",
                got=repr(layer),
                remedy='Add one: imap.add_layer("traffic", fc.Trail(vector=True, blur=1))',
            )
        if layer.space is not space:
            raise InvalidValue(
                "Traffic is a layer on the space of the agents",
                got=f"one on {layer.space!r}",
                remedy="Make the map and the agents with the same space",
            )
        self.layer, self.trail, self.space = layer, kind, space
        self._version = -1

    def _directions(self, starts: Ints, ends: Ints) -> Wide:
        """Return the unit vectors from cells to their neighbors."""
        legs = self.space.position_of(ends) - self.space.position_of(starts)
        if self.space.period is not None:
            legs -= self.space.period * np.round(legs / self.space.period)
        lengths = np.hypot(legs[:, 0], legs[:, 1])
        return np.asarray(legs / np.maximum(lengths, np.finfo(np.float64).tiny)[:, np.newaxis])

    def against(self) -> Wide:
        """Return how strong the flow against each step of the space is, (A,)."""
        if self._version != self.space.walls_version:
            self._version, ways = self.space.walls_version, self.space.ways
            self._starts, self._ends = ways.origins, ways.ends.astype(np.int64)
            self._along = self._directions(self._starts, self._ends)
        flow = self.layer.vectors.reshape(-1, 2)
        along = ((flow[self._starts] + flow[self._ends]) * self._along).sum(axis=1)
        return np.asarray(np.maximum(-0.5 * along, 0.0))

    def add(self, before: Ints, after: Ints) -> None:
        """Add the moves of agents."""
        moved = before != after
        share = 1 - self.trail.kept(self.layer.every)
        ends = after[moved]
        self.layer.deposit_at(ends, share * self._directions(before[moved], ends))
