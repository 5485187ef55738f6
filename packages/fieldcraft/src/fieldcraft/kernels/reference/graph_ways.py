"""Ways on graphs, spelled out: the specification of `fieldcraft.kernels.graph_ways`.

The distance of a vertex is the least, over all ways to a goal, of what the goal begins with plus
the arcs back from it, added one by one in float64. An arc always adds something: where its length
is lost in rounding, the next larger number is taken (see `after`). So along a way distances grow,
and the least fixed point is one and the same in whatever order vertices are looked at.

Arcs that end in `v` are `starts[v]` up to `starts[v + 1]` and come from `origins`; those that leave
`v` are `arcs[out[v]]` up to `arcs[out[v + 1]]` and end in `ends`. `sizes` are their lengths,
infinite for closed ones. `cost` has one number per vertex, and sizes are then half the lengths; or
it is of length 1 where all cost the same, and sizes are what an arc costs.
"""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["after", "all_nexts", "descend", "nexts", "search", "settle", "summits"]

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]
Arcs = NDArray[np.int32]


def after(gone: float, more: float) -> float:
    """The sum of a distance and the cost of an arc, which is always larger than the distance."""
    total = gone + more
    return math.nextafter(gone, math.inf) if total <= gone else total


def settle(
    starts: Ints,
    origins: Arcs,
    sizes: Wide,
    cost: Wide,
    dist: Wide,
    inverse: float,
    ordered: bool,
    limit: float,
    seeds: Ints,
    seed_starts: Wide,
    heads: Arcs,
    nodes: Arcs,
    following: Arcs,
    state: Ints,
    until: Ints,
) -> tuple[Arcs, Arcs]:
    """Find all distances; those of the `seeds` are written already, walls hold less than
    anything.
    """
    search(
        starts,
        origins,
        sizes,
        cost,
        dist,
        limit,
        list(zip(seed_starts.tolist(), seeds.tolist(), strict=True)),
    )
    state[1], state[2] = 0, len(seeds)
    return nodes, following


def descend(
    out: Ints, arcs: Ints, ends: Arcs, sizes: Wide, cost: Wide, dist: Wide, vertex: int
) -> tuple[Ints, Ints]:
    """The way from a vertex down to a goal, (vertices, arcs): by the first arc, in the order given,
    that gives exactly the distance.
    """
    way, taken = [vertex], []
    while (arc := _down(out, arcs, ends, sizes, cost, dist, way[-1])) >= 0:
        taken.append(arc)
        way.append(int(ends[arc]))
    return np.array(way, dtype=np.int64), np.array(taken, dtype=np.int64)


def nexts(
    out: Ints,
    arcs: Ints,
    ends: Arcs,
    sizes: Wide,
    cost: Wide,
    dist: Wide,
    vertices: Ints,
    taken: Ints,
) -> None:
    """Write the arc that `descend` takes from each of the vertices into `taken`, by vertex; -1
    where it ends.
    """
    for vertex in vertices.tolist():
        taken[vertex] = (
            _down(out, arcs, ends, sizes, cost, dist, vertex)
            if 0 <= dist[vertex] < math.inf
            else -1
        )


def all_nexts(
    starts: Ints, origins: Arcs, sizes: Wide, cost: Wide, dist: Wide, taken: Ints
) -> None:
    """`nexts` for every vertex, from the arcs by the vertex that they end in."""
    taken[:] = -1
    for vertex in range(len(dist)):
        if not 0 <= dist[vertex] < math.inf:
            continue
        for arc in range(int(starts[vertex]), int(starts[vertex + 1])):
            there = int(origins[arc])
            total = after(float(dist[vertex]), _weight(there, vertex, sizes[arc], cost))
            if taken[there] < 0 and total == dist[there] < math.inf:
                taken[there] = arc


def summits(
    out: Ints,
    arcs: Ints,
    ends: Arcs,
    sizes: Wide,
    cost: Wide,
    walls: NDArray[np.bool_],
    heights: Wide,
) -> Ints:
    """The open vertices of which no neighbour's height and the arc to it add up to less than their
    own.
    """
    found = []
    for vertex in np.flatnonzero(~walls).tolist():
        leaving = arcs[out[vertex] : out[vertex + 1]].tolist()
        if all(
            walls[ends[arc]]
            or after(heights[ends[arc]], _weight(vertex, int(ends[arc]), sizes[arc], cost))
            >= heights[vertex]
            for arc in leaving
        ):
            found.append(vertex)
    return np.array(found, dtype=np.int64)


def search(
    starts: Ints,
    origins: Arcs,
    sizes: Wide,
    cost: Wide,
    dist: Wide,
    limit: float,
    heap: list[tuple[float, int]],
) -> None:
    """Dijkstra's algorithm, backwards along the arcs into each vertex."""
    heapq.heapify(heap)
    while heap:
        gone, vertex = heapq.heappop(heap)
        if gone > dist[vertex]:
            continue
        for arc in range(int(starts[vertex]), int(starts[vertex + 1])):
            there = int(origins[arc])
            total = after(gone, _weight(there, vertex, sizes[arc], cost))
            if total < dist[there] and total <= limit:
                dist[there] = total
                heapq.heappush(heap, (total, there))


def _down(
    out: Ints, arcs: Ints, ends: Arcs, sizes: Wide, cost: Wide, dist: Wide, vertex: int
) -> int:
    for arc in arcs[out[vertex] : out[vertex + 1]].tolist():
        there = int(ends[arc])
        gone = dist[there]
        if (
            0 <= gone < math.inf
            and after(gone, _weight(vertex, there, sizes[arc], cost)) == dist[vertex] < math.inf
        ):
            return int(arc)
    return -1


def _weight(here: int, there: int, size: Any, cost: Wide) -> float:
    return float(size) if len(cost) == 1 else float(size) * (float(cost[here]) + float(cost[there]))
