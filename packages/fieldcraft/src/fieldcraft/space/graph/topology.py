"""The constant part of a graph: the positions of its vertices, and its arcs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.ranges import farthest_within
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.csr import starts_of
from fieldcraft.space.graph.buckets import Buckets

if TYPE_CHECKING:
    from scipy.spatial import cKDTree


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
        unsure = np.flatnonzero(found == kernels.shared.nearest.UNSURE)
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
        ties = tree.query_ball_point(points, farthest_within(distance), return_sorted=True)
        return np.array([some[near[0]] for near in ties], dtype=np.int64)

    def same_as(self, other: Topology) -> bool:
        """Return whether another topology has the same vertices, positions and arcs."""
        if self is other:
            return True
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("positions", "starts", "origins", "lengths")
        )
