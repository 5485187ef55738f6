"""The best vertices, the peaks and the regions of a graph."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.query.graph_ground import GraphGround
from fieldcraft.space.pieces import middles, pieces
from fieldcraft.space.spots import Spots, chosen

__all__ = ["choose", "peaks", "serve", "take"]

_SLACK = 1e-9  # distances are equal to one part in so many
_AT_ONCE = 1_024
_DISTANCES = 4_000_000  # that are known at a time


def choose(
    layer: Any,
    near: ArrayLike,
    radius: float,
    count: int | None,
    spacing: float,
    where: Any,
    walk: float | None,
    outside: str,
    sign: np.float32,
) -> Spots:
    """See `fieldcraft.best`."""
    ground = GraphGround(layer)
    far = checks.positive("radius", radius) * (1 + _SLACK)
    apart = checks.not_negative("spacing", spacing) * (1 - _SLACK)
    length = None if walk is None else checks.positive("walk", walk) * (1 + _SLACK)
    wanted = 1 if count is None else checks.whole("count", count, minimum=1)
    if wanted > len(ground.space):
        raise InvalidValue(f"count is at most the number of vertices, {len(ground.space)}", got=f"count={wanted}", remedy="Ask for fewer")
    points, starts, single = ground.points(near, outside)
    closed = ground.closed(where)
    at_once = _AT_ONCE if length is None else max(1, min(_AT_ONCE, _DISTANCES // max(len(ground.space), 1)))
    cells = np.full((len(points), wanted), -1, dtype=np.int64)
    for first in range(0, len(points), at_once):
        some = points[first : first + at_once]
        who, found = _candidates(ground, some, far, closed, sign)
        if length is not None:
            near_by = _on_foot(ground, starts[first : first + at_once], length)[who, found]
            who, found = who[near_by], found[near_by]
        ends = np.searchsorted(who, np.arange(len(some) + 1))
        if apart > 0:
            for agent in range(len(some)):
                kept = _spaced(ground, found[ends[agent] : ends[agent + 1]], wanted, apart)
                cells[first + agent, : len(kept)] = kept
        else:
            rank = np.arange(len(who)) - ends[who]
            cells[first + who[rank < wanted], rank[rank < wanted]] = found[rank < wanted]
    return chosen(cells, single, count, ground.space, ground.values)


def _on_foot(ground: GraphGround, starts: NDArray[np.int64], length: float) -> NDArray[np.bool_]:
    """Which vertices a walk of at most this length leads to from each of `starts`, (K, N)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    ways = ground.space.ways_from_walls
    count = len(ground.space)
    matrix = csr_array((ways.lengths, ways.ends, ways.starts), shape=(count, count))
    return np.asarray(dijkstra(matrix, indices=starts, limit=length) <= length)


def serve(
    ground: GraphGround, points: NDArray[np.float64], radius: float, spacing: float, closed: NDArray[np.bool_], sign: np.float32
) -> NDArray[np.int64]:
    """One vertex for each position, (N, 1), chosen one after the other: none less than `spacing` from those before, none twice.

    Vertices that are taken are added to `closed`.
    """
    cells = np.full((len(points), 1), -1, dtype=np.int64)
    for agent, point in enumerate(points):
        _, found = _candidates(ground, point[np.newaxis], radius * (1 + _SLACK), closed, sign)
        if len(found):
            cells[agent, 0] = found[0]
            take(ground, found[:1], spacing, closed)
    return cells


def take(ground: GraphGround, cells: NDArray[np.int64], spacing: float, closed: NDArray[np.bool_]) -> None:
    """Close these vertices, and those less than `spacing` from one of them."""
    closed[cells] = True
    if spacing > 0 and len(cells):
        tree, places = ground.space.topology.tree, ground.space.positions[cells]
        for place, near in zip(places, tree.query_ball_point(places, spacing), strict=True):
            away = np.sqrt(((ground.space.positions[near] - place) ** 2).sum(axis=1))
            closed[np.asarray(near)[away < spacing * (1 - _SLACK)]] = True


def peaks(layer: Any, count: int | None, spacing: float, threshold: float) -> Spots:
    """See `fieldcraft.peaks`."""
    ground = GraphGround(layer)
    most = len(ground.space) if count is None else checks.whole("count", count, minimum=1)
    apart = checks.not_negative("spacing", spacing) * (1 - _SLACK)
    above = checks.finite("threshold", threshold)
    values = ground.values
    ways = ground.space.ways
    origins, ends = ways.origins, ways.ends
    candidates = np.flatnonzero(values > above)
    plateaus = np.full(len(values), -1, dtype=np.int64)
    plateaus[candidates] = np.unique(values[candidates], return_inverse=True)[1]
    labels = pieces(ground.space, plateaus)
    high = np.zeros(len(values) + 1, dtype=np.bool_)
    high[labels] = True
    high[labels[origins[values[ends] > values[origins]]]] = False
    high[labels[ends[values[origins] > values[ends]]]] = False
    high[-1] = False  # of no plateau
    inside = np.flatnonzero(high[labels])
    _, numbers = np.unique(labels[inside], return_inverse=True)
    cells = middles(ground.space, inside, numbers, int(numbers.max(initial=-1)) + 1)
    cells = cells[np.lexsort((cells, -values[cells]))]
    if apart > 0:
        cells = _spaced(ground, cells, most, apart)
    return Spots.at(cells[:most].copy(), ground.space, values, ranked=True)


def _candidates(
    ground: GraphGround, points: NDArray[np.float64], radius: float, closed: NDArray[np.bool_], sign: np.float32
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The vertices that may be taken around each point, the best first: (point, vertex), sorted by point."""
    near = ground.space.topology.tree.query_ball_point(points, radius) if len(ground.space) else [[] for _ in points]
    counts = np.array([len(each) for each in near], dtype=np.int64)
    found = np.fromiter(chain.from_iterable(near), dtype=np.int64, count=int(counts.sum()))
    who = np.repeat(np.arange(len(points)), counts)
    free = ~closed[found]
    who, found = who[free], found[free]
    away = ((ground.space.positions[found] - points[who]) ** 2).sum(axis=1)
    order = np.lexsort((found, away, -sign * ground.values[found], who))
    return who[order], found[order]


def _spaced(ground: GraphGround, cells: NDArray[np.int64], count: int, spacing: float) -> NDArray[np.int64]:
    """The first of these vertices, and each next that keeps its distance to those before."""
    places = ground.space.positions[cells]
    left = np.ones(len(cells), dtype=np.bool_)
    kept: list[int] = []
    while len(kept) < count and left.any():
        first = int(left.argmax())
        kept.append(int(cells[first]))
        left &= ((places - places[first]) ** 2).sum(axis=1) >= spacing * spacing
        left[first] = False
    return np.array(kept, dtype=np.int64)
