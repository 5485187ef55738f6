"""The part of a graph that never changes: where its vertices are, and which lead to which."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.adjacency import starts_of
from fieldcraft.space.arrangement import Arrangement

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

__all__ = ["Topology"]


_SLACK = 1e-9  # equally near to one part in so many


class Topology:
    """Vertices and arcs. An arc leads one way; an edge that can be used both ways is two arcs.

    Arcs are numbered by the vertex they end in, then by the one they come from: those that end in
    `v` are `starts[v]` up to `starts[v + 1]`, they come from `origins` (int32) and are `lengths`
    (float64) long.
    """

    def __init__(
        self,
        positions: NDArray[np.float64],
        edges: NDArray[np.int64],
        lengths: NDArray[np.float64],
        directed: bool,
    ) -> None:
        """`edges` (E, 2) lead from the first to the second vertex, without self loops; of
        duplicates the shortest is kept.
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
        self.lengths: NDArray[np.float64] = (
            np.minimum.reduceat(lengths[order], first) if len(first) else np.zeros(0)
        )
        ends, origins = np.divmod(keys[first], max(count, 1))
        self.origins: NDArray[np.int32] = origins.astype(np.int32)
        self.starts = starts_of(ends, count)
        for array in (self.positions, self.lengths, self.origins, self.starts):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """The vertex that each arc ends in."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def leaving(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The arcs by the vertex they come from: those of `v` are `arcs[starts[v]:starts[v + 1]]`,
        by end.
        """
        return starts_of(self.origins, len(self)), np.argsort(self.origins, kind="stable")

    @cached_property
    def tree(self) -> cKDTree:
        """The vertices by position."""
        from scipy.spatial import cKDTree  # loading it takes longer than all of `import fieldcraft`

        return cKDTree(self.positions)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The vertices in an order in which near ones mostly follow each other."""
        return np.asarray(self.tree.indices, dtype=np.int64)

    @cached_property
    def arrangement(self) -> Arrangement:
        """The order in which the kernels go over the vertices."""
        return Arrangement(self)

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        return self.ends.astype(np.int64) * len(self) + self.origins

    def arcs_between(
        self, origins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The numbers of the arcs between pairs of vertices, -1 where there is none."""
        wanted = ends * len(self) + origins
        if not len(self._keys):
            return np.full(len(wanted), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[at] == wanted, at, -1)

    def are_joined(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether an arc leads between the vertices of each pair (K, 2), in one direction or
        both.
        """
        return np.asarray(
            (self.arcs_between(pairs[:, 0], pairs[:, 1]) >= 0)
            | (self.arcs_between(pairs[:, 1], pairs[:, 0]) >= 0)
        )

    def nearest(self, points: NDArray[np.float64], max_height: float | None) -> NDArray[np.int64]:
        """The nearest vertex to each point, by straight distance; with `max_height` only those at
        most so far above or below.

        -1 where there is none.
        """
        if not len(self):
            return np.full(len(points), -1, dtype=np.int64)
        _, found = self.tree.query(points)
        found = np.asarray(found, dtype=np.int64)
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

    def nearest_of(self, some: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of `cells` the nearest of the vertices `some`, ascending; the lowest of equally
        near ones.
        """
        from scipy.spatial import cKDTree

        tree = cKDTree(self.positions[some])
        points = self.positions[cells]
        distance, _ = tree.query(points)
        ties = tree.query_ball_point(points, distance * (1 + _SLACK), return_sorted=True)
        return np.array([some[near[0]] for near in ties], dtype=np.int64)

    def same_as(self, other: Topology) -> bool:
        """Whether another has the same vertices in the same places, and the same arcs."""
        if self is other:
            return True
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("positions", "starts", "origins", "lengths")
        )
