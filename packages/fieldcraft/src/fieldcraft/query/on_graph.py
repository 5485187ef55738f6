"""Answers on hexagons, graphs and meshes."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.kernels.arrays import frozen
from fieldcraft.query.between_vertices import around, fill_between, slopes
from fieldcraft.query.ground import Cells, Floats, Queries, Readable, Stepping
from fieldcraft.space import Graph, Space
from fieldcraft.space.graph_sight import vertices_within
from fieldcraft.space.ways import middles, pieces

__all__ = ["GraphGround"]

_SLACK = 1e-9  # distances are equal to one part in so many
_ONE = frozen(np.ones(1))
_AT_ONCE = 1_024
_DISTANCES = 4_000_000  # that are known at a time


class GraphGround(Queries):
    """The values by vertex and the graph of one thing that questions are put to."""

    def __init__(self, layer: Readable) -> None:
        super().__init__(layer)
        self.graph: Graph = self.space.graph

    def shut(self, where: Readable | ArrayLike | None) -> NDArray[np.bool_]:
        """Which vertices can't be answers, (N,); see `closed`."""
        return self.closed(where).reshape(-1)

    def between(self, positions: ArrayLike, outside: str) -> tuple[NDArray[np.float32], bool]:
        """Return values between vertices at positions, (N,), and whether it was one position."""
        points, cells, single = self.points(positions, outside)
        found = self.flat[cells].astype(np.float64)
        fill_between(self.graph, self.flat, points, cells, found)
        return found.astype(np.float32), single

    def gradient(self, positions: ArrayLike, smooth: bool, outside: str) -> tuple[Floats, bool]:
        """See `Queries.gradient`."""
        points, cells, single = self.points(positions, outside)
        used, inverse = np.unique(cells, return_inverse=True)
        found = slopes(self.graph, self.flat, used)[inverse]
        if not smooth:
            return found, single
        needed = around(self.graph, used)
        for axis, slope in enumerate(slopes(self.graph, self.flat, needed).T):
            every = np.zeros(len(self.space), dtype=np.float32)
            every[needed] = slope
            column = every[cells].astype(np.float64)
            fill_between(self.graph, every, points, cells, column)
            found[:, axis] = column
        return found, single

    def along(
        self, paths: list[Floats], outside: str
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """See `Queries.along`."""
        sums, lengths, means, highest = (np.empty(len(paths)) for _ in range(4))
        where = np.empty((len(paths), self.space.dimensions))
        for k, path in enumerate(paths):
            points, cells, _ = self.points(path, outside)
            values = self.flat[cells].astype(np.float64)
            stretches = np.sqrt((self.space.short_way(np.diff(points, axis=0)) ** 2).sum(axis=1))
            sums[k] = (stretches * (values[1:] + values[:-1]) / 2).sum()
            lengths[k] = stretches.sum()
            means[k] = sums[k] / lengths[k] if lengths[k] > 0 else values[0]
            top = int(values.argmax())
            highest[k], where[k] = values[top], points[top]
        return sums, lengths, means, highest, where

    def best(
        self,
        near: ArrayLike,
        radius: float,
        wanted: int,
        spacing: float,
        where: Readable | ArrayLike | None,
        walk: float | None,
        outside: str,
        sign: np.float32,
    ) -> tuple[Cells, bool]:
        """See `Queries.best`."""
        far, apart = radius * (1 + _SLACK), spacing * (1 - _SLACK)
        length = None if walk is None else checks.positive("walk", walk) * (1 + _SLACK)
        points, starts, single = self.points(near, outside)
        closed = self.shut(where)
        at_once = (
            _AT_ONCE
            if length is None
            else max(1, min(_AT_ONCE, _DISTANCES // max(len(self.space), 1)))
        )
        cells = np.full((len(points), wanted), -1, dtype=np.int64)
        for first in range(0, len(points), at_once):
            some = points[first : first + at_once]
            who, found = _candidates(self, some, far, closed, sign)
            if length is not None:
                near_by = _on_foot(self.space, starts[first : first + at_once], length)[who, found]
                who, found = who[near_by], found[near_by]
            ends = np.searchsorted(who, np.arange(len(some) + 1))
            if apart > 0:
                for agent in range(len(some)):
                    kept = _spaced(self.graph, found[ends[agent] : ends[agent + 1]], wanted, apart)
                    cells[first + agent, : len(kept)] = kept
            else:
                rank = np.arange(len(who)) - ends[who]
                cells[first + who[rank < wanted], rank[rank < wanted]] = found[rank < wanted]
        return cells, single

    def best_in_turn(
        self,
        near: ArrayLike,
        radius: float,
        spacing: float,
        where: Readable | ArrayLike | None,
        taken: Cells,
        outside: str,
        sign: np.float32,
    ) -> Cells:
        """See `Queries.best_in_turn`."""
        points, _, _ = self.points(near, outside)
        closed = self.shut(where)
        _take(self.graph, taken, spacing, closed)
        cells = np.full((len(points), 1), -1, dtype=np.int64)
        for agent, point in enumerate(points):
            _, found = _candidates(self, point[np.newaxis], radius * (1 + _SLACK), closed, sign)
            if len(found):
                cells[agent, 0] = found[0]
                _take(self.graph, found[:1], spacing, closed)
        return cells

    def peaks(self, most: int, spacing: float, above: float) -> Cells:
        """See `Queries.peaks`."""
        space, values = self.space, self.flat
        ways = space.ways
        origins, ends = ways.origins, ways.ends
        candidates = np.flatnonzero(values > above)
        plateaus = np.full(len(values), -1, dtype=np.int64)
        plateaus[candidates] = np.unique(values[candidates], return_inverse=True)[1]
        labels = pieces(space, plateaus)
        high = np.zeros(len(values) + 1, dtype=np.bool_)
        high[labels] = True
        high[labels[origins[values[ends] > values[origins]]]] = False
        high[labels[ends[values[origins] > values[ends]]]] = False
        high[-1] = False  # of no plateau
        inside = np.flatnonzero(high[labels])
        _, numbers = np.unique(labels[inside], return_inverse=True)
        cells = middles(space, inside, numbers, int(numbers.max(initial=-1)) + 1)
        cells = cells[np.lexsort((cells, -values[cells]))]
        if spacing > 0:
            cells = _spaced(space.graph, cells, most, spacing * (1 - _SLACK))
        return cells[:most].copy()

    def steps(self) -> Stepping:
        """See `Queries.steps`."""
        ways = self.space.ways
        edges = frozen(ways.starts), frozen(ways.ends)
        links, masks = frozen(np.zeros((1, 1), dtype=np.uint8)), np.zeros(0, dtype=np.uint8)
        return links, masks, np.zeros((0, 2), dtype=np.int64), False, edges


def _on_foot(space: Space, starts: Cells, length: float) -> NDArray[np.bool_]:
    """Return which vertices a walk of this length leads to from each of `starts`, (K, N)."""
    edges = space.ways_from_walls
    near = np.zeros((len(starts), len(space)), dtype=np.bool_)
    dist, came = np.full(len(space), np.inf), np.empty(len(space), dtype=np.int32)
    lists = edges.starts, edges.ends, edges.lengths
    for row, start in enumerate(starts.tolist()):
        cells, _ = kernels.reach.reach(
            *lists, 0, False, _ONE, False, start, length, 0.0, np.inf, dist, came
        )
        near[row, cells] = True
        dist[cells] = np.inf
    return near


def _take(graph: Graph, cells: Cells, spacing: float, closed: NDArray[np.bool_]) -> None:
    """Close these vertices, and those less than `spacing` from one of them."""
    closed[cells] = True
    if spacing > 0 and len(cells):
        places = graph.positions[cells]
        for place, near in zip(places, vertices_within(graph, places, spacing), strict=True):
            away = np.sqrt((graph.short_way(graph.positions[near] - place) ** 2).sum(axis=1))
            closed[np.asarray(near)[away < spacing * (1 - _SLACK)]] = True


def _candidates(
    ground: GraphGround, points: Floats, radius: float, closed: NDArray[np.bool_], sign: np.float32
) -> tuple[Cells, Cells]:
    """The vertices that may be taken around each point, the best first: (point, vertex), sorted by
    point.
    """
    graph = ground.graph
    near = vertices_within(graph, points, radius)
    counts = np.array([len(each) for each in near], dtype=np.int64)
    found = np.fromiter(chain.from_iterable(near), dtype=np.int64, count=int(counts.sum()))
    who = np.repeat(np.arange(len(points)), counts)
    free = ~closed[found]
    who, found = who[free], found[free]
    away = (graph.short_way(graph.positions[found] - points[who]) ** 2).sum(axis=1)
    order = np.lexsort((found, away, -sign * ground.flat[found], who))
    return who[order], found[order]


def _spaced(graph: Graph, cells: Cells, count: int, spacing: float) -> Cells:
    """The first of these vertices, and each next that keeps its distance to those before."""
    places = graph.positions[cells]
    left = np.ones(len(cells), dtype=np.bool_)
    kept: list[int] = []
    while len(kept) < count and left.any():
        first = int(left.argmax())
        kept.append(int(cells[first]))
        left &= (graph.short_way(places - places[first]) ** 2).sum(axis=1) >= spacing * spacing
        left[first] = False
    return np.array(kept, dtype=np.int64)
