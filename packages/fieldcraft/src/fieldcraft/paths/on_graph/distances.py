"""The search behind a distance map on a graph: how distances are found, mended and shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.arrays import frozen
from fieldcraft.paths.prices import Prices
from fieldcraft.paths.scratch import scratch_of
from fieldcraft.space import Graph, GraphSnapshot, Space
from fieldcraft.space.ways import kept

__all__ = ["GraphDistances"]

_SLACK = 1e-9  # a limit is met to one part in so many, as on grids
_MOST_BUCKETS = 4096
_FINE = (
    16.0  # so many times shorter than typical may the shortest arc be for buckets as narrow as it
)
# what such buckets are narrower, so that roundings don't bring both ends of an arc into one
_NARROWER = 1e-7
_EVERYWHERE = np.empty(0, dtype=np.int64)
_EVEN = frozen(np.ones(1))


@kept
def _span(graph: Graph) -> tuple[float, float, float]:
    """The shortest, the median and the longest arc of a graph; looked up once."""
    lengths = graph.topology.lengths
    return (
        (float(lengths.min()), float(np.median(lengths)), float(lengths.max()))
        if len(lengths)
        else (1.0, 1.0, 1.0)
    )


class GraphDistances:
    """`Distances` over the arcs of a graph, in float64; see `kernels.reference.graph_ways`."""

    mendable = True
    """Along a way distances always grow, so a repair finds out who had theirs from whom."""

    def __init__(
        self,
        space: Space,
        ground: GraphSnapshot,
        prices: Prices,
        goals: NDArray[np.int64],
        start_costs: NDArray[np.float64],
        limit: float,
    ) -> None:
        self.ground, self.prices, self.goals, self.start_costs = ground, prices, goals, start_costs
        self.graph = space.graph
        self.finished = False
        self._started = False
        self._nodes: NDArray[np.int32]
        self._following: NDArray[np.int32]
        self._state: NDArray[np.int64]
        self._most = limit * (1 + _SLACK)
        self.fit()

    def fit(self) -> None:
        """Choose buckets that fit the prices: their width in distance, and more of them than the
        dearest arc spans.
        """
        prices = self.prices
        self._cost = _EVEN if prices.costs is None else frozen(prices.costs)
        self._sizes_of: GraphSnapshot | None = None
        shortest, typical, longest = _span(self.graph)
        low, high = (
            (prices.uniform, prices.uniform)
            if prices.uniform is not None
            else (prices.least, prices.dearest)
        )
        cheapest, dearest = shortest * low, longest * high
        highest = float(self.start_costs.max(initial=0.0))
        width = max(cheapest, dearest / _MOST_BUCKETS, highest * 2.0**-50)
        self._ordered = cheapest < width or cheapest * _FINE < typical * low
        if self._ordered:
            width = max(width, typical * low / 4)
        self._inverse, self._rounds = (1 + _NARROWER) / width, int(dearest / width) + 3

    @property
    def _sizes(self) -> NDArray[np.float64]:
        """The sizes of arcs that `kernels.graph_ways` takes on this ground."""
        if self._sizes_of is not self.ground:
            share = 0.5 if self.prices.uniform is None else self.prices.uniform
            self._share = frozen(self.ground.sizes if share == 1 else self.ground.sizes * share)
            self._sizes_of = self.ground
        return self._share

    @property
    def _into(self) -> tuple[Any, ...]:
        topology = self.graph.topology
        return topology.starts, topology.origins, self._sizes

    @property
    def _out(self) -> tuple[Any, ...]:
        topology = self.graph.topology
        return *topology.leaving, topology.ends

    def settle(self, until: NDArray[np.int64] = _EVERYWHERE) -> None:
        """Search until these vertices have their distances, or to the end where there are none."""
        if self.finished:
            return
        if not self._started:
            self._start()
        self._nodes, self._following = kernels.graph_ways.settle(
            *self._into,
            self._cost,
            self.dist,
            self._inverse,
            self._ordered,
            self._most,
            self._seeds,
            self._seed_starts,
            self._heads,
            self._nodes,
            self._following,
            self._state,
            until,
        )
        self.finished = bool(self._state[1] == 0 and self._state[2] == len(self._seeds))

    def _start(self) -> None:
        """Put the goals in."""
        walls = self.ground.walls
        self.dist = np.full(len(walls), np.inf)
        self.dist[walls] = -np.inf
        standing = ~walls[self.goals] & (self.start_costs <= self._most)
        order = np.argsort(self.start_costs[standing], kind="stable")
        self._seeds, self._seed_starts = (
            self.goals[standing][order],
            self.start_costs[standing][order],
        )
        self.dist[self._seeds] = self._seed_starts
        self._heads = np.full(self._rounds, -1, dtype=np.int32)
        self._nodes, self._following = (
            np.empty(1024, dtype=np.int32),
            np.empty(1024, dtype=np.int32),
        )
        self._state = np.array([0, 0, 0, -1, 0], dtype=np.int64)
        self._started = True

    def mend(self, version: int, changed: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `Distances.mend`. Only where the search has `finished` and is `mendable`."""
        return self._mended(
            self.ground.mended(self.graph, version, self.prices.shut, changed), changed
        )[0]

    def _mended(
        self, ground: GraphSnapshot, changed: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Go over to a ground, or prices, that differ in these vertices or in arcs into them; those
        whose distance is another one, and what it was.

        Only where the search has `finished`.
        """
        before, self.ground = self.ground, ground
        scratch = scratch_of(self.graph)
        room = [scratch.take(kind) for kind in (np.int8, np.int32, np.int32, np.float64)]
        if changed.flags.writeable:
            changed.flags.writeable = (
                False  # always: kernels are compiled anew for arrays that can be written to
            )
        found: tuple[NDArray[np.int64], NDArray[np.float64]] = kernels.graph_repair.mend(
            *self._into,
            *self._out,
            self._cost,
            self.dist,
            ground.walls,
            before.walls,
            self._most,
            changed,
            self.goals,
            self.start_costs,
            *room,
        )
        for array in room:
            scratch.give(array)
        return found

    def cut_off(self, walls: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `Distances.cut_off`."""
        here = self.ground
        vertices, olds = self._mended(here.walled(self.graph, walls), walls)
        lost: NDArray[np.int64] = vertices[np.isinf(self.dist[vertices]) & np.isfinite(olds)]
        self.dist[vertices] = olds
        self.ground = here
        return np.sort(lost)

    def summits(self, heights: NDArray[np.float64]) -> NDArray[np.int64]:
        """The open vertices, ascending, of which no neighbour's height and the arc to it add up to
        less than their own.
        """
        found: NDArray[np.int64] = kernels.graph_ways.summits(
            *self._out, self._sizes, self._cost, self.ground.walls, heights
        )
        return found

    @property
    def links(self) -> NDArray[np.bool_]:
        """Whether each arc of the topology is open."""
        return self.ground.links

    def show(self, values: NDArray[np.float32], cells: NDArray[np.int64] | None = None) -> None:
        """Write the distances, all or those of some vertices, into `values`; inf on walls."""
        some = slice(None) if cells is None else cells
        values[some] = self.measured(some)

    def measured(self, cells: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """The distances of vertices in world units, times cost; inf on walls."""
        found: NDArray[np.float64] = self.dist[cells].copy()
        found[self.ground.walls[cells]] = np.inf
        return found

    def descend(self, cell: int) -> tuple[NDArray[np.int64], float]:
        """The way down from a settled vertex: vertices, and its length in world units."""
        way, taken = kernels.graph_ways.descend(
            *self._out, self._sizes, self._cost, self.dist, cell
        )
        return way, float(self.graph.topology.lengths[taken].sum())

    def nexts(self, taken: NDArray[np.int64], vertices: NDArray[np.int64] | None = None) -> None:
        """Write the arc that `descend` takes from each vertex, or each of some, into `taken`, by
        vertex; -1 where it ends.
        """
        if vertices is None:
            kernels.graph_ways.all_nexts(*self._into, self._cost, self.dist, taken)
            return
        kernels.graph_ways.nexts(*self._out, self._sizes, self._cost, self.dist, vertices, taken)
