"""Straight legs instead of steps: the specification.

Of all ways to leave out corners of a path, the one that costs the least: dynamic programming over
the corners, each looking some corners back, repeated over those that are left until nothing
changes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.moves import STEPS

__all__ = ["BACK", "PASSES", "mean", "straighten"]

BACK = 64  # corners that a leg may leave out in one pass
PASSES = 8


def straighten(
    moves: NDArray[np.signedinteger],
    steps: NDArray[np.int64],
    lengths: NDArray[np.float64],
    king: NDArray[np.uint8],
    costs: NDArray[np.float64],
    least: float,
    cell_size: float,
    width: int,
    height: int,
    wrap: bool,
    cells: list[int],
) -> tuple[list[int], float, float]:
    """The cells at which a way turns, so that straight legs in between cost the least; the length
    and the cost.

    `moves` are those of `steps` (K, 2) with world `lengths` (K,), flat; `king` those of a king's
    eight. `costs` has one number per
    cell, at least `least`, or none: then everything costs 1. A leg is taken where no wall, no
    corner and no rule of the terrain is in its way, and on a torus if it is the short way round; it
    costs its length times the `mean` of its ground.
    """
    corners = _corners(moves, steps, lengths, costs, width, height, wrap, cells)
    for _ in range(PASSES):
        totals = [0.0]
        chosen = [
            (0, 0.0, 0.0)
        ]  # for each corner: the one before, and the length and cost of the leg from there
        for j in range(1, len(corners)):
            _, x, y, length, cost = corners[j]
            totals.append(totals[j - 1] + cost)
            chosen.append((j - 1, length, cost))
            for i in range(j - 2, max(j - BACK, 0) - 1, -1):
                number, start_x, start_y, *_ = corners[i]
                dx, dy = x - start_x, y - start_y
                if wrap and (2 * abs(dx) >= width or 2 * abs(dy) >= height):
                    continue
                length = math.sqrt(dx * dx + dy * dy) * cell_size
                if totals[i] + length * least > totals[j]:
                    continue
                cost = length * mean(king, costs, cells[number], dx, dy, width, height)
                if totals[i] + cost <= totals[j]:
                    totals[j] = totals[i] + cost
                    chosen[j] = (i, length, cost)
        kept = [len(corners) - 1]
        while kept[-1] > 0:
            kept.append(chosen[kept[-1]][0])
        kept.reverse()
        fewer = [(*corners[j][:3], *chosen[j][1:]) for j in kept]
        same = len(fewer) == len(corners)
        corners = fewer
        if same:
            break
    world = total = 0.0
    for *_, length, cost in corners[1:]:
        world += length
        total += cost
    return [cells[number] for number, *_ in corners], world, total


def _corners(
    moves: NDArray[np.signedinteger],
    steps: NDArray[np.int64],
    lengths: NDArray[np.float64],
    costs: NDArray[np.float64],
    width: int,
    height: int,
    wrap: bool,
    cells: list[int],
) -> list[tuple[int, int, int, float, float]]:
    """Where the steps change, and on a torus before a leg goes half round.

    For each the number in `cells`, the place (x, y) on the unrolled map, and the length and cost of
    the way from the one before.
    """
    y, x = divmod(cells[0], width)
    corners = [(0, x, y, 0.0, 0.0)]
    last, run, cost = -1, 0, 0.0
    for i in range(1, len(cells)):
        here, there = divmod(cells[i - 1], width), divmod(cells[i], width)
        leading = [
            k
            for k, (dx, dy) in enumerate(steps.tolist())
            if int(moves[cells[i - 1]]) >> k & 1
            and (here[1] + dx - there[1]) % width == 0
            and (here[0] + dy - there[0]) % height == 0
        ]
        step = min(leading, key=lambda k: float(lengths[k]))
        dx, dy = steps[step].tolist()
        half_round = wrap and (
            2 * abs(x + dx - corners[-1][1]) >= width or 2 * abs(y + dy - corners[-1][2]) >= height
        )
        if run and (step != last or half_round):
            length = run * float(lengths[last])
            corners.append((i - 1, x, y, length, cost if len(costs) else length))
            run, cost = 0, 0.0
        x, y, run, last = x + dx, y + dy, run + 1, step
        if len(costs):
            cost += (float(lengths[step]) * 0.5) * (
                float(costs[cells[i - 1]]) + float(costs[cells[i]])
            )
    if run:
        length = run * float(lengths[last])
        corners.append((len(cells) - 1, x, y, length, cost if len(costs) else length))
    return corners


def mean(
    king: NDArray[np.uint8],
    costs: NDArray[np.float64],
    start: int,
    dx: int,
    dy: int,
    width: int,
    height: int,
) -> float:
    """The mean cost along a straight leg from the center of a cell, infinite where something is in
    its way.

    The leg crosses the edges of cells at `k / whole` of its way: vertical ones at `k = (2 i + 1)
    |dy|`, horizontal ones at `(2 j + 1) |dx|`, and where these meet, a corner.
    """
    across, along = max(abs(dy), 1), max(abs(dx), 1)
    whole = 2 * across * along
    step_x, step_y = (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)
    edges = {(2 * i + 1) * across: [step_x, 0] for i in range(abs(dx))}
    for j in range(abs(dy)):
        edges.setdefault((2 * j + 1) * along, [0, 0])[1] = step_y
    y, x = divmod(start, width)
    here, total = 0, 0.0
    for there, (move_x, move_y) in sorted(edges.items()):
        cell = y * width + x
        if not int(king[cell]) >> STEPS.index((move_x, move_y)) & 1:
            return math.inf
        next_x, next_y = (x + move_x) % width, (y + move_y) % height
        if len(costs):
            total += float(there - here) * float(costs[cell])
            if math.inf in (
                costs[next_y * width + next_x],
                costs[y * width + next_x],
                costs[next_y * width + x],
            ):
                return math.inf
        here, x, y = there, next_x, next_y
    if not len(costs):
        return 1.0
    total += float(whole - here) * float(costs[y * width + x])
    return total / float(whole)
