"""Cheapest paths over ground of different cost, by any table of steps: the specification.

A* over buckets of f, an eighth of the cheapest step wide, cell by cell in the order of
`shortest_path_uniform`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from oracles.buckets import Buckets
from oracles.moves import STEPS

__all__ = ["EUCLID", "EVEN", "FACETS", "KING", "LINEAR", "MANHATTAN", "bound", "weighted"]

KING, MANHATTAN, FACETS, EUCLID = range(4)
EVEN = 1.0 - 2.0**-44  # ways that differ by less are of the same cost: sums in another order
LINEAR = (
    2.0**61
)  # below, keys are whole numbers of buckets; above, every number has a bucket of its own


def bound(
    steps: NDArray[np.int64], step_lengths: NDArray[np.float64], wrap: bool
) -> tuple[int, NDArray[np.float64]]:
    """How to bound the length of a way from below: a norm, and its facets (F, 2), or one number,
    the world length of a cell.

    KING and MANHATTAN where no step goes farther than a king or a rook in one move. Otherwise,
    where the steps lead into all
    directions, FACETS: a way that goes (dx, dy) is at least `facets @ (dx, dy)` long, the sides of
        the polygon of what one
    unit of length can reach. EUCLID is always true.
    """
    scale = float(step_lengths[0] / np.hypot(*steps[0]))
    table = {(int(dx), int(dy)) for dx, dy in steps}
    number = np.array([[scale, 0.0]])
    if table <= set(STEPS[:4]):
        return MANHATTAN, number
    if table == set(STEPS):
        return KING, number
    directions = sorted(
        {(dx // math.gcd(dx, dy), dy // math.gcd(dx, dy)) for dx, dy in table},
        key=lambda d: math.atan2(d[1], d[0]),
    )
    pairs = list(zip(directions, directions[1:] + directions[:1], strict=True))
    if wrap or any(one[0] * other[1] - one[1] * other[0] <= 0 for one, other in pairs):
        return (KING if table <= set(STEPS) else EUCLID), number
    corners = {step: np.array(step) / np.hypot(*step) for step in directions}
    return FACETS, np.array(
        [np.linalg.solve([corners[one], corners[other]], [scale, scale]) for one, other in pairs]
    )


def weighted(
    moves: NDArray[np.signedinteger],
    steps: NDArray[np.int64],
    lengths: NDArray[np.float64],
    costs: NDArray[np.float64],
    barred: bool,
    norm: int,
    facets: NDArray[np.float64],
    least: float,
    width: int,
    height: int,
    wrap: bool,
    start: int,
    goal: int,
) -> tuple[list[int], float, float]:
    """The cells of the cheapest way with any table of steps over ground of different cost; its
    length and its cost.

    `costs` has one number per cell, or none at all: then everything costs 1. `barred` says that
    some are infinite: walls, whose corners no diagonal cuts. A step costs its length times the mean
    of its two ends. Ways that differ by less than the rounding of their sums are of the same cost.
    """
    table = [(int(dx), int(dy)) for dx, dy in steps]
    worlds = lengths.tolist()
    uneven = len(costs) > 0
    ground = costs.tolist()
    per_bucket = 8.0 / (least * min(worlds))
    goal_y, goal_x = divmod(goal, width)

    def step_cost(k: int, one: int, other: int) -> float:
        return float((worlds[k] * 0.5) * (ground[one] + ground[other])) if uneven else worlds[k]

    def least_cost(cell: int) -> float:
        y, x = divmod(cell, width)
        dx, dy = goal_x - x, goal_y - y
        if norm == FACETS:
            return least * max(0.0, *(float(a * dx + b * dy) for a, b in facets.tolist()))
        dx, dy = abs(dx), abs(dy)
        if wrap:
            dx, dy = min(dx, width - dx), min(dy, height - dy)
        scale = least * float(facets[0, 0])
        if norm == KING:
            return scale * (max(dx, dy) + (math.sqrt(2.0) - 1.0) * min(dx, dy))
        return scale * (dx + dy) if norm == MANHATTAN else scale * math.sqrt(dx * dx + dy * dy)

    def key_of(f: float) -> int:
        buckets = f * per_bucket
        if buckets < LINEAR:
            return int(buckets)
        # Beyond, every number has a bucket of its own: its bits grow as it does.
        return (
            int(LINEAR)
            + int(np.float64(buckets).view(np.int64))
            - int(np.float64(LINEAR).view(np.int64))
        )

    best = {start: 0.0}
    came = {start: 64}
    closed = set()
    buckets = Buckets()
    buckets.push(key_of(least_cost(start)), start)
    while (cell := buckets.pop()) >= 0 and start != goal:
        top = best.get(goal, math.inf)
        if top < math.inf and buckets.now > key_of(top):
            break
        g = best[cell]
        if cell in closed or (top < math.inf and g + least_cost(cell) >= top):
            continue
        closed.add(cell)
        now = buckets.now
        y, x = divmod(cell, width)
        for k, (dx, dy) in enumerate(table):
            if not int(moves[cell]) >> k & 1:
                continue
            nx, ny = (x + dx) % width, (y + dy) % height
            if (
                barred
                and abs(dx) == 1
                and abs(dy) == 1
                and math.inf in (ground[y * width + nx], ground[ny * width + x])
            ):
                continue
            end = ny * width + nx
            reached = g + step_cost(k, cell, end)
            if reached < best.get(end, math.inf) * EVEN:
                best[end], came[end] = reached, k
                closed.discard(end)
                if end != goal:
                    buckets.push(max(key_of(reached + least_cost(end)), now), end)
    if goal not in best:
        return [], math.inf, math.inf
    cells, taken = _trace(came, 64, tuple(table), start, goal, width, height)
    cost = 0.0
    for k, one, other in zip(taken, cells[:0:-1], cells[-2::-1], strict=True):
        cost += step_cost(k, one, other)
    world = 0.0
    for k in range(len(table)):
        alike = [other for other in range(len(table)) if worlds[other] == worlds[k]]
        if alike[0] == k:
            world += sum(map(alike.__contains__, taken)) * worlds[k]
    return cells, world, cost if uneven else world


def _trace(
    came: dict[int, int],
    first: int,
    steps: tuple[tuple[int, int], ...],
    start: int,
    goal: int,
    width: int,
    height: int,
) -> tuple[list[int], list[int]]:
    """The cells from the start to the goal, and the steps taken, backwards."""
    cells, taken = [goal], []
    while (k := came[cells[-1]]) != first:
        y, x = divmod(cells[-1], width)
        dx, dy = steps[k]
        cells.append((y - dy) % height * width + (x - dx) % width)
        taken.append(k)
    return cells[::-1], taken
