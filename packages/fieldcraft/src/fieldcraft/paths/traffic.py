"""The recent moves of agents as a layer of vectors, and what moving against them costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.arrays import read_only
from fieldcraft.layer import Layer, TrailLayer
from fieldcraft.propagation import Trail
from fieldcraft.space import Space
from fieldcraft.space.adjacency import cached

__all__ = ["Traffic"]

Ints = NDArray[np.int64]
Ends = NDArray[np.int32]
Wide = NDArray[np.float64]


class Traffic:
    """A layer of vectors to which agents add their moves, and what moving against them costs.

    A move adds its direction to the cell it ends in, times what an update of the layer takes away.
    So the length of a vector is a mean over the last updates: how many agents arrive in a step,
    less those that come the other way.
    """

    def __init__(self, space: Space, layer: Layer, weight: float) -> None:
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
        self.space, self.layer, self.trail = space, layer, kind
        self.weight = checks.not_negative("weight", weight)
        self._ends = np.empty(0, dtype=np.int32)
        self._along = np.empty((0, space.dimensions))
        self.read()

    def read(self) -> None:
        """Take over the layer as it is now."""
        flow = self.layer.vectors
        self._flow = np.ascontiguousarray(flow.reshape(-1, flow.shape[-1]))
        self._seen = self.layer.version

    @property
    def outdated(self) -> bool:
        """Whether the layer has changed since it was read."""
        return self.layer.version != self._seen

    def _directions(self, begins: NDArray[np.integer], ends: NDArray[np.integer]) -> Wide:
        """Return the unit vectors from cells to their neighbors."""
        places = _places(self.space)
        legs = self.space.shortest_vectors(places[ends] - places[begins])
        lengths = np.sqrt((legs * legs).sum(axis=1))
        return np.asarray(legs / np.maximum(lengths, np.finfo(np.float64).tiny)[:, np.newaxis])

    def factors(self, begins: Ends, ends: Ends) -> Wide:
        """Return by what factors the costs of steps grow, as the layer was read last, (A,)."""
        if self._ends is not ends:
            self._ends, self._along = ends, self._directions(begins, ends)
        found = np.empty(len(ends))
        kernels.guides.against(self._flow, begins, ends, self._along, self.weight, found)
        return found

    def add(self, before: Ints, after: Ints) -> None:
        """Add the moves of agents."""
        moved = before != after
        share = 1 - self.trail._kept(self.layer.every)
        ends = after[moved]
        self.layer.deposit_at(ends, share * self._directions(before[moved], ends))


@cached
def _places(space: Space) -> Wide:
    """Return the centers of all cells."""
    return read_only(space.position_of(np.arange(len(space))))
