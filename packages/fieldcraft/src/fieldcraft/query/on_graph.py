"""Answers on hexagons, graphs and meshes."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.kernels.arrays import read_only
from fieldcraft.query.ground import Cells, Floats, Queries, Readable, Stepping
from fieldcraft.space import Graph, Space
from fieldcraft.space.adjacency import cached_until_walls_change, middles, pieces, runs
from fieldcraft.space.graph_sight import vertices_within

__all__ = ["GraphGround", "around", "fill_between", "slopes"]

# directions in which the neighbours lie less far away than this share of the farthest count for
# none
_FLAT = 1e-9


def _arcs_at(graph: Graph, cells: Cells) -> tuple[Cells, Cells]:
    """The vertices that open arcs join to each of `cells`, whichever way they lead: (place in
    `cells`, the other vertex).
    """
    topology = graph.topology
    into = runs(topology.starts[cells], np.diff(topology.starts)[cells])
    who_in = np.repeat(np.arange(len(cells)), np.diff(topology.starts)[cells])
    keep = ~graph.closed[into]
    who, others = who_in[keep], topology.origins[into[keep]].astype(np.int64)
    if graph.directed:
        starts, arcs = topology.leaving
        out = arcs[runs(starts[cells], np.diff(starts)[cells])]
        who_out = np.repeat(np.arange(len(cells)), np.diff(starts)[cells])
        keep = ~graph.closed[out]
        who = np.concatenate([who, who_out[keep]])
        others = np.concatenate([others, topology.ends[out[keep]].astype(np.int64)])
    free = ~graph.walls[others]
    return who[free], others[free]


def around(graph: Graph, cells: Cells) -> Cells:
    """These vertices and all that might be mixed with them, ascending: those beside them, and round
    their corners.
    """
    _, others = _arcs_at(graph, cells)
    if graph.mesh is not None:
        corners = np.unique(
            graph.mesh.rings[runs(graph.mesh.starts[cells], np.diff(graph.mesh.starts)[cells])]
        )
        others = np.concatenate(
            [others, graph.mesh.ring_owners[np.isin(graph.mesh.rings, corners)]]
        )
    return np.unique(np.concatenate([cells, others]))


def fill_between(
    graph: Graph,
    values: NDArray[np.float32],
    points: Floats,
    cells: Cells,
    found: Floats,
) -> None:
    """Put into `found` (N,) what the values of vertices (V,) come to at positions in `cells`, where
    that is more than the vertex's own.
    """
    fill = _along_edges if graph.mesh is None else _inside_polygons
    fill(graph, values, points, cells, found)


def _along_edges(
    graph: Graph,
    values: NDArray[np.float32],
    points: Floats,
    cells: Cells,
    found: Floats,
) -> None:
    """Put what lies at the nearest point of the edges at each position's vertex into `found`."""
    who, others = _arcs_at(graph, cells)
    free = ~graph.walls[cells[who]]
    who, others = who[free], others[free]
    start, end = graph.positions[cells[who]], graph.positions[others]
    along = graph.shortest_vectors(end - start)
    squares = (along * along).sum(axis=1)
    apart = squares > 0
    shares = np.zeros(len(who))
    shares[apart] = np.clip(
        (graph.shortest_vectors(points[who] - start) * along).sum(axis=1)[apart] / squares[apart],
        0,
        1,
    )
    away = (graph.shortest_vectors(start + shares[:, np.newaxis] * along - points[who]) ** 2).sum(
        axis=1
    )
    order = np.lexsort((others, away, who))
    best = order[np.flatnonzero(np.diff(who[order], prepend=-1) != 0)]
    here, share = values[cells[who[best]]].astype(np.float64), shares[best]
    found[who[best]] = here * (1 - share) + values[others[best]] * share


def _inside_polygons(
    graph: Graph,
    values: NDArray[np.float32],
    points: Floats,
    cells: Cells,
    found: Floats,
) -> None:
    """Put what lies inside the triangles into `found`: between their corners, which take the mean
    of the polygons round them.
    """
    mesh = graph.mesh
    assert mesh is not None
    triangles, shares, _ = mesh.locate(points, graph.max_height)
    inside = (
        np.flatnonzero((triangles >= 0) & (mesh.owners[triangles] == cells) & ~graph.walls[cells])
        if len(mesh.owners)
        else cells[:0]
    )
    if not len(inside):
        return
    fans, count = _fans_of(graph)
    free = ~graph.walls[mesh.ring_owners]
    weights = np.bincount(fans[free], minlength=count)
    sums = np.bincount(
        fans[free], weights=values[mesh.ring_owners[free]].astype(np.float64), minlength=count
    )
    means = sums / np.maximum(weights, 1)
    # The triangles of a polygon fan out from its first corner: the k-th has the corners 0, k + 1
    # and k + 2 of the ring.
    polygons = mesh.owners[triangles[inside]]
    first = np.searchsorted(mesh.owners, polygons)
    ring = mesh.starts[polygons]
    step = triangles[inside] - first
    corners = np.stack([ring, ring + step + 1, ring + step + 2], axis=1)
    found[inside] = (means[fans[corners]] * shares[inside]).sum(axis=1)


@cached_until_walls_change
def _fans_of(graph: Graph) -> tuple[Cells, int]:
    """The fans of a mesh, looked up once for each change of walls."""
    assert graph.mesh is not None
    ways = graph.adjacency
    return graph.mesh.fans(np.stack([ways.origins, ways.ends], axis=1))


def slopes(graph: Graph, values: NDArray[np.float32], cells: Cells) -> Floats:
    """The slope at vertices: the one that fits the differences to their neighbours best, and the
    smallest of those that do.
    """
    axes = graph.dimensions
    who, others = _arcs_at(graph, cells)
    away = graph.shortest_vectors(graph.positions[others] - graph.positions[cells[who]])
    size = np.sqrt((away * away).sum(axis=1))
    apart = (size > 0) & ~graph.walls[cells[who]]
    who, others, away = who[apart], others[apart], away[apart] / size[apart, np.newaxis]
    rise = (values[others].astype(np.float64) - values[cells[who]]) / size[apart]
    square = np.zeros((len(cells), axes, axes))
    right = np.zeros((len(cells), axes))
    for i in range(axes):
        right[:, i] = np.bincount(who, weights=away[:, i] * rise, minlength=len(cells))
        for j in range(axes):
            square[:, i, j] = np.bincount(
                who, weights=away[:, i] * away[:, j], minlength=len(cells)
            )
    return np.asarray(
        (np.linalg.pinv(square, rcond=_FLAT, hermitian=True) @ right[:, :, np.newaxis])[:, :, 0]
    )


_SLACK = 1e-9  # distances are equal to one part in so many
_ONE = read_only(np.ones(1))
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
            stretches = np.sqrt(
                (self.space.shortest_vectors(np.diff(points, axis=0)) ** 2).sum(axis=1)
            )
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
        ways = space.adjacency
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
        ways = self.space.adjacency
        edges = read_only(ways.starts), read_only(ways.ends)
        links, masks = read_only(np.zeros((1, 1), dtype=np.uint8)), np.zeros(0, dtype=np.uint8)
        return links, masks, np.zeros((0, 2), dtype=np.int64), False, edges


def _on_foot(space: Space, starts: Cells, length: float) -> NDArray[np.bool_]:
    """Return which vertices a walk of this length leads to from each of `starts`, (K, N)."""
    edges = space.adjacency_from_walls
    near = np.zeros((len(starts), len(space)), dtype=np.bool_)
    dist, came = np.full(len(space), np.inf), np.empty(len(space), dtype=np.int32)
    lists = edges.starts, edges.ends, edges.lengths
    for row, start in enumerate(starts.tolist()):
        cells, _ = kernels.reach.reach(lists, _ONE, False, start, length, 0.0, np.inf, dist, came)
        near[row, cells] = True
        dist[cells] = np.inf
    return near


def _take(graph: Graph, cells: Cells, spacing: float, closed: NDArray[np.bool_]) -> None:
    """Close these vertices, and those less than `spacing` from one of them."""
    closed[cells] = True
    if spacing > 0 and len(cells):
        places = graph.positions[cells]
        for place, near in zip(places, vertices_within(graph, places, spacing), strict=True):
            away = np.sqrt((graph.shortest_vectors(graph.positions[near] - place) ** 2).sum(axis=1))
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
    away = (graph.shortest_vectors(graph.positions[found] - points[who]) ** 2).sum(axis=1)
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
        left &= (graph.shortest_vectors(places - places[first]) ** 2).sum(
            axis=1
        ) >= spacing * spacing
        left[first] = False
    return np.array(kept, dtype=np.int64)
