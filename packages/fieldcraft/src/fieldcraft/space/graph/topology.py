"""The constant part of a graph: the positions of its vertices, its arcs, and their order in
memory.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.csr import runs, starts_of
from fieldcraft.space.graph.buckets import UNSURE, Buckets

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

_ALL = np.finfo(np.float32).max


def losses(lengths: NDArray[np.float64], decay: float, exponent: int) -> NDArray[np.float32]:
    """Return the loss on steps of these lengths: a factor for exponent 0, else an amount subtracted
    from the root.
    """
    with np.errstate(over="ignore"):
        loss = decay * lengths
    if exponent == 0:
        return np.exp(-loss).astype(np.float32)
    return np.minimum(loss, _ALL).astype(np.float32)


class Arrangement:
    """Arcs between *ranks*: places of vertices in an order that puts neighbors close together.

    `order[rank]` is a vertex, `rank[vertex]` its place; both are None where vertices stay in the
    order of their numbers: on small graphs, and on graphs numbered row by row like a lattice. Arcs
    are sorted by the rank that they end in; `starts` holds the first arc of each rank, `origins`
    (uint32) ranks and `arcs` the numbers of the arcs in the topology.

    For the fast kernels the same arcs are also stored in rows, see
    `fieldcraft.kernels.spread.graph_spread`: `offsets`, `row_origins` and `places`, the place of
    each arc
    in the rows. `padded` is the number of vertices, filled up to whole slices.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        count = len(topology)
        self.padded = (
            -(-count // kernels.spread.graph_spread.LANES) * kernels.spread.graph_spread.LANES
        )
        self.order: NDArray[np.int64] | None = None
        self.rank: NDArray[np.int64] | None = None
        # The vertices of eight blocks fit into the cache in any order.
        if count <= 8 * kernels.spread.graph_spread.BLOCK or _is_orderly(topology):
            self.starts = topology.starts
            self.origins: NDArray[np.uint32] = topology.origins.astype(np.uint32)
            self.arcs: NDArray[np.int64] | None = None
        else:
            degrees = np.diff(topology.starts)
            # Within a block vertices with equally many arcs are together, so that little of the
            # rows is filling.
            near = topology.order
            self.order = near[
                np.lexsort((degrees[near], np.arange(count) // kernels.spread.graph_spread.BLOCK))
            ]
            self.rank = np.empty(count, dtype=np.int64)
            self.rank[self.order] = np.arange(count)
            self.starts = np.append(0, np.cumsum(degrees[self.order]))
            self.arcs = runs(topology.starts[:-1][self.order], degrees[self.order])
            self.origins = self.rank[topology.origins[self.arcs]].astype(np.uint32)

    @cached_property
    def _rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        count = len(self)
        degrees = np.diff(self.starts)
        widest = np.zeros(self.padded, dtype=np.int64)
        widest[:count] = degrees
        lanes = kernels.spread.graph_spread.LANES
        offsets = np.append(0, np.cumsum(widest.reshape(-1, lanes).max(axis=1) * lanes))
        vertices = np.repeat(np.arange(count), degrees)
        row = np.arange(len(self.origins)) - np.repeat(self.starts[:-1], degrees)
        places = offsets[vertices // lanes] + row * lanes + vertices % lanes
        origins = np.full(int(offsets[-1]), -1, dtype=np.int32)
        origins[places] = self.origins
        rows = origins.reshape(-1, lanes)
        # An entry without an arc may have any origin, because it loses everything.
        base = (rows - np.arange(lanes, dtype=np.int32)).max(
            axis=1, initial=-lanes, where=rows >= 0
        )
        beside = (
            ((rows < 0) | (rows == base[:, np.newaxis] + np.arange(lanes))).all(axis=1)
            & (base >= 0)
            & (base + lanes <= self.padded)
        )
        origins[origins < 0] = 0
        rows[beside, 0] = ~base[beside]
        return offsets, places, origins

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The first entry of the rows of each slice."""
        return self._rows[0]

    @cached_property
    def effort(self) -> int:
        """The work of a step, in gathered arcs; arcs from adjacent vertices take a sixth of the
        time.
        """
        rows = self.row_origins.reshape(-1, kernels.spread.graph_spread.LANES)
        beside = int(np.count_nonzero(rows[:, 0] < 0)) * kernels.spread.graph_spread.LANES
        return rows.size - beside + beside // 6

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each arc in the rows."""
        return self._rows[1]

    @property
    def row_origins(self) -> NDArray[np.int32]:
        """The origin rank of each entry of the rows."""
        return self._rows[2]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def ranks_of(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of vertices."""
        return vertices if self.rank is None else self.rank[vertices]

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
        ends = (
            np.repeat(np.arange(count, dtype=np.int64), np.diff(self.starts))
            // kernels.spread.graph_spread.BLOCK
        )
        origins = self.origins.astype(np.int64)
        outside = ends != origins // kernels.spread.graph_spread.BLOCK
        blocks = -(-count // kernels.spread.graph_spread.BLOCK)
        keys = np.unique(origins[outside] * max(blocks, 1) + ends[outside])
        from_, into = np.divmod(keys, max(blocks, 1))
        return starts_of(from_, count), into.astype(np.int32)

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
        factors[closed] = 0 if exponent == 0 else _ALL
        return factors if self.arcs is None else factors[self.arcs]

    def in_rows(self, losses: NDArray[np.float32], exponent: int) -> NDArray[np.float32]:
        """Return losses in the order of `origins`, stored in rows; entries without an arc lose
        everything.
        """
        rows = np.full(
            len(self.row_origins),
            0 if exponent == 0 else _ALL,
            dtype=np.float32,
        )
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
    counted &= (
        topology.origins[here + degrees[alike] - 1] - topology.origins[before + degrees[alike] - 1]
        == 1
    )
    return bool(np.count_nonzero(counted) > 0.8 * len(topology))


_SLACK = 1e-9  # equally near to one part in so many


class Topology:
    """Vertices and arcs. An arc has one direction; an edge in both directions is two arcs.

    Arcs are numbered by the vertex that they end in, then by their origin: arcs `starts[v]` up to
    `starts[v + 1]` end in `v`. `origins` (int32) are their origins, `lengths` (float64) their
    lengths.
    """

    def __init__(
        self,
        positions: NDArray[np.float64],
        edges: NDArray[np.int64],
        lengths: NDArray[np.float64],
        directed: bool,
    ) -> None:
        """Build the arcs from edges (E, 2) without self loops; of duplicates the shortest
        counts.
        """
        count = len(positions)
        self.positions = positions
        self.directed = directed
        if not directed:
            edges = np.concatenate([edges, edges[:, ::-1]])
            lengths = np.concatenate([lengths, lengths])
        keys = edges[:, 1] * count + edges[:, 0]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1) != 0)
        self.lengths: NDArray[np.float64] = np.zeros(0)
        if len(first):
            self.lengths = np.minimum.reduceat(lengths[order], first)
        ends, origins = np.divmod(keys[first], max(count, 1))
        self.origins: NDArray[np.int32] = origins.astype(np.int32)
        self.starts = starts_of(ends, count)
        for array in (self.positions, self.lengths, self.origins, self.starts):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """The end of each arc."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def leaving(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The arcs by origin: `arcs[starts[v]:starts[v + 1]]` leave `v`, sorted by end."""
        return starts_of(self.origins, len(self)), np.argsort(self.origins, kind="stable")

    @cached_property
    def tree(self) -> cKDTree:
        """A k-d tree of the vertices."""
        from scipy.spatial import cKDTree  # loading it takes longer than all of `import fieldcraft`

        return cKDTree(self.positions)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The vertices in an order that puts near ones close together."""
        return np.asarray(self.tree.indices, dtype=np.int64)

    @cached_property
    def arrangement(self) -> Arrangement:
        """The order of the vertices for the kernels."""
        return Arrangement(self)

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        return self.ends.astype(np.int64) * len(self) + self.origins

    def arcs_between(
        self, origins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the numbers of the arcs between pairs of vertices, -1 for none."""
        wanted = ends * len(self) + origins
        if not len(self._keys):
            return np.full(len(wanted), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[at] == wanted, at, -1)

    def adjacency(
        self, walls: NDArray[np.bool_], closed: NDArray[np.bool_], *, from_walls: bool = False
    ) -> Adjacency:
        """Return the steps over arcs for vertices `walls` (N,) and blocked arcs `closed` (A,)."""
        passable = ~(closed | walls[self.ends])
        if not from_walls:
            passable &= ~walls[self.origins]
        _, arcs = self.leaving
        arcs = arcs[passable[arcs]]
        starts = starts_of(self.origins[arcs], len(self))
        return Adjacency(starts, self.ends[arcs], self.lengths[arcs])

    def are_joined(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether an arc connects the vertices of each pair (K, 2), in either direction."""
        return np.asarray(
            (self.arcs_between(pairs[:, 0], pairs[:, 1]) >= 0)
            | (self.arcs_between(pairs[:, 1], pairs[:, 0]) >= 0)
        )

    def nearest(self, points: NDArray[np.float64], max_height: float | None) -> NDArray[np.int64]:
        """Return the nearest vertex to each point by straight distance, at most `max_height` above
        or below.

        The result is -1 where there is none.
        """
        if not len(self):
            return np.full(len(points), -1, dtype=np.int64)
        found = self._nearest(points)
        if max_height is None or points.shape[1] == 2:
            return found
        heights = self.positions[:, 2]
        wrong = np.flatnonzero(np.abs(heights[found] - points[:, 2]) > max_height)
        at_once = max(1, 2_000_000 // len(self))
        for first in range(0, len(wrong), at_once):
            some = wrong[first : first + at_once]
            away = ((points[some, np.newaxis] - self.positions) ** 2).sum(axis=2)
            away[np.abs(heights - points[some, 2, np.newaxis]) > max_height] = np.inf
            near = away.argmin(axis=1)
            found[some] = np.where(np.isfinite(away[np.arange(len(some)), near]), near, -1)
        return found

    def _nearest(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the nearest vertex to each point, the one that the tree finds first of equally
        near ones.
        """
        buckets = self._buckets
        if buckets is None:
            return np.asarray(self.tree.query(points)[1], dtype=np.int64)
        found = buckets.nearest(points)
        unsure = np.flatnonzero(found == UNSURE)
        if len(unsure):
            found[unsure] = self.tree.query(points[unsure])[1]
        return found

    @cached_property
    def _buckets(self) -> Buckets | None:
        return Buckets.of(self.positions)

    def nearest_of(self, some: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each of `cells` the nearest of the vertices `some`, ascending; of equally near
        ones the lowest.
        """
        from scipy.spatial import cKDTree

        tree = cKDTree(self.positions[some])
        points = self.positions[cells]
        distance, _ = tree.query(points)
        ties = tree.query_ball_point(points, distance * (1 + _SLACK), return_sorted=True)
        return np.array([some[near[0]] for near in ties], dtype=np.int64)

    def same_as(self, other: Topology) -> bool:
        """Return whether another topology has the same vertices, positions and arcs."""
        if self is other:
            return True
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("positions", "starts", "origins", "lengths")
        )
