"""Queries on hexagons, graphs and meshes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.distances.reach_arrays import ReachRule
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.shared.step_lists import EndSteps, OutSteps
from fieldcraft.paths.cost import SAME_COST
from fieldcraft.query.queries import Lottery, Queries, Steps
from fieldcraft.space import Graph, Space, grid_of
from fieldcraft.space.components import central_cells, components
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.sight.over_polygons import vertices_within
from fieldcraft.space.space_ranges import squared_spacing, within_walk
from fieldcraft.space.wrapping import both_directions
from fieldcraft.values.readable import Cells, Floats, Readable
from fieldcraft.values.sampling import arcs_at

# A direction in which neighbors are nearer than this, relative to the farthest one, has no slope.
_FLAT = 1e-9


def _slopes(graph: Graph, values: NDArray[np.float32], cells: Cells) -> Floats:
    """Return the slopes at vertices that fit the differences to their neighbors best, and the
    smallest of these.
    """
    axes = graph.dimensions
    which, others = arcs_at(graph, cells)
    away = graph.shortest_vectors(graph.positions[others] - graph.positions[cells[which]])
    edges, away = both_directions(away, graph.period)
    which = which[edges]
    others = others[edges]
    size = np.sqrt((away * away).sum(axis=1))
    nonzero = (size > 0) & ~graph.walls[cells[which]]
    which = which[nonzero]
    others = others[nonzero]
    away = away[nonzero] / size[nonzero, np.newaxis]
    rise = (values[others].astype(np.float64) - values[cells[which]]) / size[nonzero]
    square = np.zeros((len(cells), axes, axes))
    right = np.zeros((len(cells), axes))
    for i in range(axes):
        right[:, i] = np.bincount(which, weights=away[:, i] * rise, minlength=len(cells))
        for j in range(axes):
            square[:, i, j] = np.bincount(
                which, weights=away[:, i] * away[:, j], minlength=len(cells)
            )
    inverse = np.linalg.pinv(square, rcond=_FLAT, hermitian=True)
    return np.asarray((inverse @ right[:, :, np.newaxis])[:, :, 0])


_AT_ONCE = 1_024  # So many positions are compared with their vertices at a time,
_FIRST = 16  # to begin with so many,
_PAIRS = 4_000_000  # and so few that there are about so many pairs of both.


class GraphValues(Queries):
    """Values on a graph, by vertex."""

    def __init__(self, layer: Readable | ArrayLike, space: Space | None = None) -> None:
        super().__init__(layer, space)
        self.graph: Graph = graph_of(self.space)

    def gradient(
        self, positions: ArrayLike, smooth: bool, outside: IfOutside
    ) -> tuple[Floats, bool]:
        """See `Queries.gradient`."""
        if smooth:
            grid_of(self.space, 'gradient(how="bilinear")')
        _, where, single = self.cells(positions, outside)
        used, inverse = np.unique(where, return_inverse=True)
        return _slopes(self.graph, self.flat, used)[np.atleast_1d(inverse)], single

    def along(
        self, paths: list[Floats], outside: IfOutside
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """See `Queries.along`."""
        sums, lengths, means, highest = (np.empty(len(paths)) for _ in range(4))
        where = np.empty((len(paths), self.space.dimensions))
        for k, path in enumerate(paths):
            points, cells, _ = self.cells(path, outside)
            values = self.flat[cells].astype(np.float64)
            steps = self.space.shortest_vectors(np.diff(points, axis=0))
            stretches = np.sqrt((steps**2).sum(axis=1))
            sums[k] = (stretches * (values[1:] + values[:-1]) / 2).sum()
            lengths[k] = stretches.sum()
            if lengths[k] > 0:
                means[k] = sums[k] / lengths[k]
            else:
                means[k] = values[0]
            top = int(values.argmax())
            highest[k] = values[top]
            where[k] = points[top]
        return sums, lengths, means, highest, where

    def best(
        self,
        points: Floats,
        radius: float,
        wanted: int,
        spacing: float,
        closed: NDArray[np.bool_],
        walk: float | None,
        sign: np.float32,
        lottery: Lottery | None = None,
    ) -> Cells:
        """See `Queries.best`."""
        cells = np.full((len(points), wanted), -1, dtype=np.int64)
        first = 0
        count = _FIRST
        while first < len(points):
            some = points[first : first + count]
            near = [
                np.asarray(each, np.int64) for each in vertices_within(self.graph, some, radius)
            ]
            if walk is not None:
                starts = np.atleast_1d(self.space.cell_at(some, outside="clamp"))
                near = [
                    np.intersect1d(close, walked)
                    for close, walked in zip(near, self._on_foot(starts, walk), strict=True)
                ]
            which, found = self._ranked(some, near, closed, sign)
            ends = np.searchsorted(which, np.arange(len(some) + 1))
            if lottery is not None:
                for k in range(len(some)):
                    draws = lottery.draws[first + k]
                    ranked = found[ends[k] : ends[k + 1]]
                    chosen = self._drawn(ranked, lottery.share, draws, spacing, sign)
                    cells[first + k, : len(chosen)] = chosen
            elif spacing > 0:
                for k in range(len(some)):
                    chosen = self._spaced(found[ends[k] : ends[k + 1]], wanted, spacing)
                    cells[first + k, : len(chosen)] = chosen
            else:
                rank = np.arange(len(which)) - ends[which]
                cells[first + which[rank < wanted], rank[rank < wanted]] = found[rank < wanted]
            first += len(some)
            most = max(map(len, near), default=0)
            count = min(_AT_ONCE, max(1, _PAIRS // max(most, 1)))
        return cells

    def cells_around(self, points: Floats, own: Cells, radius: float) -> Cells:
        """See `Queries.cells_around`."""
        near = vertices_within(self.graph, points, radius)
        most = max(map(len, near), default=0)
        cells = np.repeat(own[:, np.newaxis], most + 1, axis=1)
        for row, each in zip(cells, near, strict=True):
            row[: len(each)] = each
        return cells

    def _ranked(
        self, points: Floats, near: list[Cells], closed: NDArray[np.bool_], sign: np.float32
    ) -> tuple[Cells, Cells]:
        """Return the open ones of the vertices near each point, the best first: (index of the
        point, vertex), sorted by point.
        """
        which = np.repeat(np.arange(len(points)), [len(each) for each in near])
        found = np.concatenate([np.empty(0, dtype=np.int64), *near])
        free = ~closed.reshape(-1)[found]
        which = which[free]
        found = found[free]
        steps = self.space.shortest_vectors(self.graph.positions[found] - points[which])
        order = np.lexsort((found, (steps**2).sum(axis=1), -sign * self.flat[found], which))
        return which[order], found[order]

    def _drawn(
        self, ranked: Cells, share: float, draws: Floats, spacing: float, sign: np.float32
    ) -> Cells:
        """Return a random vertex for each draw, of those within a share of the best one that is
        left and keeps the spacing; `ranked` has the best first.
        """
        least = squared_spacing(self.space, spacing)
        scores = sign * self.flat.astype(np.float64)
        chosen: list[int] = []
        for draw in draws.tolist():
            if not len(ranked):
                break
            highest = scores[ranked[0]]
            limit = highest - share * abs(highest)
            choices = np.sort(ranked[scores[ranked] >= limit])
            one = int(choices[min(int(draw * len(choices)), len(choices) - 1)])
            chosen.append(one)
            away = self.space.shortest_vectors(
                self.graph.positions[ranked] - self.graph.positions[one]
            )
            ranked = ranked[((away**2).sum(axis=1) >= least) & (ranked != one)]
        return np.array(chosen, dtype=np.int64)

    def _on_foot(self, starts: Cells, walk: float) -> Iterator[Cells]:
        """Yield the vertices that a walk of at most this length reaches from each start; from a
        wall, from the open vertices beside it.
        """
        length = within_walk(self.space, checks.positive("walk", walk))
        edges = self.space.adjacency_from_walls
        arcs = OutSteps(edges.starts, edges.ends, edges.lengths)
        rule = ReachRule(enter=False, limit=length, lowest=0.0, highest=np.inf)
        size = len(self.space)
        dist = np.full(size, np.inf)
        came = np.empty(size, dtype=np.int32)
        keys = np.empty(2 * len(edges.ends) + 1)
        found = np.empty(size, dtype=np.int64)
        heap = np.empty(len(keys), dtype=np.int32)
        for start in starts.tolist():
            keys[0] = 0.0
            heap[0] = start
            dist[start] = 0.0
            sizes = np.array([0, 1])
            kernels.distances.cells_in_reach.reach(
                arcs,
                None,
                SAME_COST,
                rule,
                size,
                dist,
                came,
                keys,
                heap,
                found,
                sizes,
            )
            cells = found[: sizes[0]].copy()
            dist[cells] = np.inf
            yield cells

    def close(self, cells: Cells, spacing: float, closed: NDArray[np.bool_]) -> None:
        """See `Queries.close`."""
        flat = closed.reshape(-1)
        flat[cells] = True
        if spacing == 0:
            return
        least = squared_spacing(self.space, spacing)
        for cell in cells.tolist():
            away = self.space.shortest_vectors(self.graph.positions - self.graph.positions[cell])
            flat |= (away**2).sum(axis=1) < least

    def peaks(self, most: int, spacing: float, above: float) -> Cells:
        """See `Queries.peaks`."""
        space = self.space
        values = self.flat
        edges = space.adjacency
        origins = edges.origins
        ends = edges.ends
        candidates = np.flatnonzero(values > above)
        plateaus = np.full(len(values), -1, dtype=np.int64)
        plateaus[candidates] = np.unique(values[candidates], return_inverse=True)[1]
        labels = components(edges, space.walls, plateaus)
        high = np.zeros(len(values) + 1, dtype=np.bool_)
        high[labels] = True
        high[labels[origins[values[ends] > values[origins]]]] = False
        high[labels[ends[values[origins] > values[ends]]]] = False
        high[-1] = False  # of no plateau
        inside = np.flatnonzero(high[labels])
        _, numbers = np.unique(labels[inside], return_inverse=True)
        cells = central_cells(
            space.position_of(inside), inside, numbers, int(numbers.max(initial=-1)) + 1
        )
        cells = cells[np.lexsort((cells, -values[cells]))]
        if spacing > 0:
            return self._spaced(cells, most, spacing)
        return cells[:most].copy()

    def _spaced(self, cells: Cells, count: int, spacing: float) -> Cells:
        """Return the first of these vertices, and each next one that keeps the spacing to those
        before.
        """
        places = self.graph.positions[cells]
        least = squared_spacing(self.space, spacing)
        left = np.ones(len(cells), dtype=np.bool_)
        chosen: list[int] = []
        while len(chosen) < count and left.any():
            first = int(left.argmax())
            chosen.append(int(cells[first]))
            away = self.space.shortest_vectors(places - places[first])
            left &= (away**2).sum(axis=1) >= least
            left[first] = False
        return np.array(chosen, dtype=np.int64)

    def steps(self) -> Steps:
        """See `Queries.steps`."""
        edges = self.space.adjacency
        return EndSteps(read_only(edges.starts), read_only(edges.ends)), None
