"""The arcs of a graph in the order in which kernels spread influence over them."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.spread.spread_records import BLOCK, LANES
from fieldcraft.layers.propagation.spread.losses import LARGEST_LOSS, losses
from fieldcraft.space.cached import cached
from fieldcraft.space.csr import runs, starts_of
from fieldcraft.space.graph.topology import Topology


class _Rows(NamedTuple):
    """Arcs in rows of slices, see `kernels.spread.graph_spread`."""

    offsets: NDArray[np.int64]
    """The first entry of the rows of each slice."""
    places: NDArray[np.int64]
    """The place of each arc in the rows."""
    origins: NDArray[np.int32]
    """The origin rank of each entry of the rows."""


class Arrangement:
    """Arcs between ranks: places of vertices in an order that puts neighbors close together.

    `order[rank]` is a vertex, `rank[vertex]` its place; both are None where vertices stay in the
    order of their numbers: on small graphs, and on graphs numbered row by row. Arcs are sorted by
    the rank that they end in; `starts` holds the first arc of each rank, `origins` (uint32) ranks
    and `arcs` the numbers of the arcs in the topology.

    For the fast kernels the same arcs are also stored in rows: `offsets`, `row_origins` and
    `places`. `padded` is the number of vertices, filled up to whole slices.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        count = len(topology)
        self.padded = -(-count // LANES) * LANES
        self.order: NDArray[np.int64] | None = None
        self.rank: NDArray[np.int64] | None = None
        # The vertices of eight blocks fit into the cache in any order.
        if count <= 8 * BLOCK or _is_orderly(topology):
            self.starts = topology.starts
            self.origins: NDArray[np.uint32] = topology.origins.astype(np.uint32)
            self.arcs: NDArray[np.int64] | None = None
        else:
            degrees = np.diff(topology.starts)
            # Within a block vertices with equally many arcs are together, so that few entries of
            # the rows have no arc.
            near = topology.order
            self.order = near[np.lexsort((degrees[near], np.arange(count) // BLOCK))]
            self.rank = np.empty(count, dtype=np.int64)
            self.rank[self.order] = np.arange(count)
            self.starts = np.append(0, np.cumsum(degrees[self.order]))
            self.arcs = runs(topology.starts[:-1][self.order], degrees[self.order])
            self.origins = self.rank[topology.origins[self.arcs]].astype(np.uint32)

    @cached_property
    def _rows(self) -> _Rows:
        count = len(self)
        degrees = np.diff(self.starts)
        widest = np.zeros(self.padded, dtype=np.int64)
        widest[:count] = degrees
        offsets = np.append(0, np.cumsum(widest.reshape(-1, LANES).max(axis=1) * LANES))
        vertices = np.repeat(np.arange(count), degrees)
        row = np.arange(len(self.origins)) - np.repeat(self.starts[:-1], degrees)
        places = offsets[vertices // LANES] + row * LANES + vertices % LANES
        origins = np.full(int(offsets[-1]), -1, dtype=np.int32)
        origins[places] = self.origins
        rows = origins.reshape(-1, LANES)
        # An entry without an arc may have any origin, because it loses everything. Rows whose
        # origins are adjacent are marked by the complement of their first origin.
        lanes = np.arange(LANES, dtype=np.int32)
        first = (rows - lanes).max(axis=1, initial=-LANES, where=rows >= 0)
        adjacent = ((rows < 0) | (rows == first[:, np.newaxis] + lanes)).all(axis=1)
        adjacent &= (first >= 0) & (first + LANES <= self.padded)
        origins[origins < 0] = 0
        rows[adjacent, 0] = ~first[adjacent]
        return _Rows(offsets, places, origins)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The first entry of the rows of each slice."""
        return self._rows.offsets

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each arc in the rows."""
        return self._rows.places

    @property
    def row_origins(self) -> NDArray[np.int32]:
        """The origin rank of each entry of the rows."""
        return self._rows.origins

    @cached_property
    def effort(self) -> int:
        """The work of a step, in gathered arcs; arcs from adjacent vertices take a sixth of the
        time.
        """
        rows = self.row_origins.reshape(-1, LANES)
        adjacent = int(np.count_nonzero(rows[:, 0] < 0)) * LANES
        return rows.size - adjacent + adjacent // 6

    def __len__(self) -> int:
        return len(self.starts) - 1

    def ranks_of(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of vertices."""
        if self.rank is None:
            return vertices
        return self.rank[vertices]

    def by_rank(self, array: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return a copy of an array by vertex, in the order of ranks."""
        if self.order is None:
            return array.copy()
        return array[self.order]

    @cached_property
    def reaches(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The other blocks that arcs from a rank lead into: `blocks[starts[r]:starts[r + 1]]` for
        rank `r`.
        """
        count = len(self)
        ends = np.repeat(np.arange(count, dtype=np.int64), np.diff(self.starts)) // BLOCK
        origins = self.origins.astype(np.int64)
        outside = ends != origins // BLOCK
        blocks = max(-(-count // BLOCK), 1)
        keys = np.unique(origins[outside] * blocks + ends[outside])
        ranks, into = np.divmod(keys, blocks)
        return starts_of(ranks, count), into.astype(np.int32)

    @cached_property
    def leaving(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The arcs by the rank that they leave: starts, ends (ranks), and their numbers in this
        order.
        """
        arcs = np.argsort(self.origins, kind="stable")
        ends = np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))
        return starts_of(self.origins, len(self)), ends[arcs], arcs

    def losses(self, decay: float, exponent: int, closed: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the loss on each arc, in the order of `origins`: a factor for exponent 0, else an
        amount subtracted from the root.

        Closed arcs lose everything.
        """
        factors = losses(self._topology.lengths, decay, exponent)
        factors[closed] = _all_of_it(exponent)
        if self.arcs is None:
            return factors
        return factors[self.arcs]

    def in_rows(self, losses: NDArray[np.float32], exponent: int) -> NDArray[np.float32]:
        """Return losses in the order of `origins`, stored in rows; entries without an arc lose
        everything.
        """
        rows = np.full(len(self.row_origins), _all_of_it(exponent), dtype=np.float32)
        rows[self.places] = losses
        return rows


def _is_orderly(topology: Topology) -> bool:
    """Return whether most vertices have the neighbors of the vertex before, each number plus
    one.
    """
    degrees = np.diff(topology.starts)
    alike = np.flatnonzero((degrees[1:] == degrees[:-1]) & (degrees[1:] > 0))
    here = topology.starts[alike + 1]
    before = topology.starts[alike]
    counted = topology.origins[here] - topology.origins[before] == 1
    last = degrees[alike] - 1
    counted &= topology.origins[here + last] - topology.origins[before + last] == 1
    return bool(np.count_nonzero(counted) > 0.8 * len(topology))


def _all_of_it(exponent: int) -> float:
    """Return the loss after which nothing is left."""
    if exponent == 0:
        return 0.0
    return float(LARGEST_LOSS)


@cached
def arrangement_of(topology: Topology) -> Arrangement:
    """Return the arrangement of the arcs of a graph."""
    return Arrangement(topology)
