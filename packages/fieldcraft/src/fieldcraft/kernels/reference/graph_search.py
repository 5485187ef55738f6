"""One way on a graph, spelled out: the specification of `fieldcraft.kernels.graph_search`.

A* backwards from the goal, by arcs into each vertex, so that costs are added up as distance maps
add them up. The bound on what is still to come is `scale` times the straight distance, a hair less
than any arc costs per world unit. Of two vertices as good, that of the lower number comes first.
"""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.graph_ways import after

__all__ = ["pull", "room", "search"]

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]


def room(vertices: int) -> list[Any]:
    """Scratch for one search at a time."""
    return [np.empty(vertices, dtype=np.int64)]


def search(
    starts: Ints,
    origins: NDArray[np.int32],
    ends: NDArray[np.int32],
    sizes: Wide,
    cost: Wide,
    walls: NDArray[np.bool_],
    places: Wide,
    scale: float,
    start: int,
    goal: int,
    way: Ints,
) -> tuple[int, float]:
    """Write the vertices of the cheapest way into `way`. Returns how many they are, 0 for no way,
    and what it costs.
    """
    even = len(cost) == 1
    target = places[start].tolist()
    dist, came, settled = {goal: 0.0}, {goal: -1}, set()
    heap = [(scale * math.sqrt(_squared(places[goal].tolist(), target)), goal)]
    while heap:
        _, vertex = heapq.heappop(heap)
        if vertex in settled:
            continue
        settled.add(vertex)
        if vertex == start:
            break
        for arc in range(int(starts[vertex]), int(starts[vertex + 1])):
            there = int(origins[arc])
            weight = (
                float(sizes[arc])
                if even
                else float(sizes[arc]) * (float(cost[there]) + float(cost[vertex]))
            )
            total = after(dist[vertex], weight)
            if not walls[there] and total < dist.get(there, math.inf):
                dist[there], came[there] = total, arc
                settled.discard(there)
                heapq.heappush(
                    heap,
                    (total + scale * math.sqrt(_squared(places[there].tolist(), target)), there),
                )
    if start not in settled:
        return 0, math.inf
    way[0], count = start, 1
    while (arc := came[int(way[count - 1])]) >= 0:
        way[count] = ends[arc]
        count += 1
    return count, dist[start]


def pull(
    doors: Wide, ax: float, ay: float, bx: float, by: float, at: Wide, bends: NDArray[np.bool_]
) -> None:
    """Pull a string taut from a to b through doors (M, 4), (left x, y, right x, y): where it passes
    each into `at` (M, 2), and `bends`.

    The funnel algorithm: Lee and Preparata (1984), as told by Mononen, "Simple Stupid Funnel
    Algorithm" (2010).
    """
    apex, left, right = (ax, ay), (ax, ay), (ax, ay)
    corner, left_door, right_door = -1, -1, -1
    bends[:] = False
    turns = []
    i = 0
    while i <= len(doors):
        if i == len(doors):
            turned_left = left != apex and _turn(apex, left, (bx, by)) > 0
            turned_right = not turned_left and right != apex and _turn(apex, right, (bx, by)) < 0
        else:
            lx, ly, rx, ry = doors[i].tolist()
            turned_left = turned_right = False
            if _turn(apex, right, (rx, ry)) >= 0:
                if right == apex or _turn(apex, left, (rx, ry)) < 0:
                    right, right_door = (rx, ry), i
                else:
                    turned_left = True
            if not turned_left and _turn(apex, left, (lx, ly)) <= 0:
                if left == apex or _turn(apex, right, (lx, ly)) > 0:
                    left, left_door = (lx, ly), i
                else:
                    turned_right = True
        if turned_left or turned_right:
            apex, corner = (left, left_door) if turned_left else (right, right_door)
            turns.append((corner, apex))
            left = right = apex
            left_door = right_door = corner
            i = corner
        i += 1
    x, y, door = ax, ay, -1
    for last, (to_x, to_y) in [*turns, (len(doors), (bx, by))]:
        for between in range(door + 1, last):
            at[between] = _crossing(doors[between].tolist(), x, y, to_x, to_y)
        if last < len(doors):
            at[last] = to_x, to_y
            bends[last] = True
        x, y, door = to_x, to_y, last


def _crossing(
    door: list[float], x: float, y: float, to_x: float, to_y: float
) -> tuple[float, float]:
    """Where a leg passes a door; one that runs along it, or stays in one place, where it is nearest
    to its start.
    """
    lx, ly, rx, ry = door
    ex, ey, dx, dy = rx - lx, ry - ly, to_x - x, to_y - y
    area = dx * ey - dy * ex
    size = ex * ex + ey * ey
    if area != 0:
        share = min(max(((lx - x) * dy - (ly - y) * dx) / area, 0.0), 1.0)
    else:
        share = min(max(((x - lx) * ex + (y - ly) * ey) / size, 0.0), 1.0) if size > 0 else 0.0
    return lx + share * ex, ly + share * ey


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Above 0 where c lies to the left of the line from a to b."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _squared(one: list[float], other: list[float]) -> float:
    total = 0.0
    for x, y in zip(one, other, strict=True):
        total += (x - y) * (x - y)
    return total
