"""Paths through danger that changes with time, by Dijkstra's search over all times and places."""

from __future__ import annotations

import copy
import heapq
import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Space

__all__ = ["cheapest", "damage_of_step", "duration", "with_walls"]

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(3)


def duration(length: float, pace: float) -> int:
    """Return the number of time steps of a step, for an agent that walks `pace` in a time step."""
    return max(1, math.floor(length / pace + 0.5))


def damage_of_step(
    danger: NDArray[np.float64], k: int, here: int, there: int, lasting: int, time_step: float
) -> float:
    """Return the damage of a step: danger is integrated over time, along a straight line.

    Danger (time steps, cells) is linear from map to map, and from cell to cell; the sum of Gauss is
    exact for the products of both.
    """
    last = len(danger) - 1
    total = 0.0
    for j in range(k, k + lasting):
        before = danger[min(j, last)]
        after = danger[min(j + 1, last)]
        if math.inf in (before[here], before[there], after[here], after[there]):
            return math.inf
        for point, weight in zip(_POINTS, _WEIGHTS, strict=True):
            moment = (point + 1) / 2
            way = (j - k + moment) / lasting
            left = (1 - moment) * before[here] + moment * after[here]
            entered = (1 - moment) * before[there] + moment * after[there]
            total += weight / 2 * ((1 - way) * left + way * entered)
    return time_step * total


def cheapest(
    space: Space,
    start: NDArray[np.float64],
    goal: int,
    danger: NDArray[np.float32],
    cost: NDArray[np.float64],
    speed: float,
    time_step: float,
) -> float:
    """Return what the cheapest path from a position to the center of a cell costs, infinity where
    there is none.

    `danger` (time steps, cells) stays as it is after the last time step; waiting is allowed in all
    time steps and beyond. Cells of infinite cost are walls. On waypoints the start is a vertex.
    """
    pace = speed * time_step
    dangers = danger.astype(np.float64)
    horizon = len(danger)
    centers = np.asarray(space.positions)
    walls = space.walls.reshape(-1) | np.isinf(cost)
    walled = with_walls(space, walls)
    segments: dict[int, list[tuple[int, float]]] = {}
    columns = walled.adjacency
    for here, there, length in zip(
        columns.origins.tolist(), columns.ends.tolist(), columns.lengths.tolist(), strict=True
    ):
        if not walls[here] and not walls[there]:
            segments.setdefault(here, []).append((there, length))
    first = int(space.cell_at(start))
    at_center = start.tolist() == centers[first].tolist()
    # Place -1 is the start; an agent that comes back to its cell is at the center.
    segments[-1] = []
    for there, length in segments.get(first, []):
        segment = space.shortest_vectors(centers[there] - start)
        segments[-1].append((there, length if at_center else math.hypot(*segment)))
    if first == goal:
        if at_center:
            return math.inf if math.isinf(dangers[0, first]) else 0.0
        segments[-1].append((goal, math.hypot(*space.shortest_vectors(centers[goal] - start))))
    if math.isinf(dangers[0, first]):
        return math.inf
    spent = {(0, -1): 0.0}
    heap = [(0.0, 0, -1)]
    while heap:
        total, k, place = heapq.heappop(heap)
        if total > spent[k, place]:
            continue
        if place == goal:
            return total
        here = first if place < 0 else place
        steps = [(place, 1, pace * cost[here])]
        for there, length in segments.get(place, []):
            steps.append((there, duration(length, pace), length * (cost[here] + cost[there]) / 2))
        for then_place, lasting, more in steps:
            there = first if then_place < 0 else then_place
            then = min(k + lasting, horizon)
            after = total + more + damage_of_step(dangers, k, here, there, lasting, time_step)
            if after < spent.get((then, then_place), math.inf):
                spent[then, then_place] = after
                heapq.heappush(heap, (after, then, then_place))
    return math.inf


def with_walls(space: Space, walls: NDArray[np.bool_]) -> Space:
    """Return a copy of a space with walls in these cells too."""
    other = copy.deepcopy(space)
    other.set_walls(np.flatnonzero(walls))
    return other
