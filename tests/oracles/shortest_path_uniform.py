"""Shortest paths on even ground: the specification.

A* (Hart, Nilsson and Raphael 1968) over buckets of f: from the bucket of the least f, the cell that
came last goes first. A cell that is reached by a shorter way comes again. It ends where no cell is
left whose f is below the length to the goal. So a problem has one answer, also where several ways
are equally short.

Lengths are counted in whole numbers. Of several ways of one length between two cells only the one
that turns as early as it can is followed (canonical ordering: Sturtevant and Rabin 2016), from one
cell where it may turn to the next (jump point search: Harabor and Grastien 2011, here for steps
that cut no corners).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from oracles.buckets import Buckets
from oracles.moves import STEPS, pruned

__all__ = ["LONGEST_RUN", "UNREACHED", "bits_for", "uniform"]

LONGEST_RUN = 2**14  # straight steps
UNREACHED = 2**62


def bits_for(cells: int) -> int:
    """How many binary places a length has, so that no way on so many cells exceeds 57 bits."""
    bits = 57
    longest = 2 * cells
    while longest > 0:
        longest //= 2
        bits -= 1
    return bits


def uniform(
    moves: NDArray[np.signedinteger],
    eight: bool,
    width: int,
    height: int,
    wrap: bool,
    start: int,
    goal: int,
) -> tuple[list[int], int]:
    """The cells of the shortest way on ground that costs the same everywhere, and how many of its
    steps are diagonal.

    `moves` are those of the eight `STEPS`, with 4 neighbours too. No cells where there is no way.

    Steps are of two kinds: diagonal ones lead, and straight ones branch off from them (with 4
    neighbours those along the row lead, those along the column branch off). Straight steps run on
    until there is something else to follow than the same step again, or nothing; only there a cell
    is made. Leading steps go on as long as f stays in the bucket, with a run branching off at each.
    On a torus every step makes a cell.
    """
    bits = bits_for(width * height)
    straight = 1 << bits
    diagonal = int(np.rint(math.sqrt(2.0) * straight))
    bend = diagonal - straight if eight else straight
    table = pruned()[int(eight)].tolist()
    ground = moves.tolist()
    shift = bits + 1
    goal_y, goal_x = divmod(goal, width)

    def key(cell: int, g: int) -> int:
        return g + estimate(cell) >> shift

    def estimate(cell: int) -> int:
        y, x = divmod(cell, width)
        dx, dy = abs(x - goal_x), abs(y - goal_y)
        if wrap:
            dx, dy = min(dx, width - dx), min(dy, height - dy)
        return straight * max(dx, dy) + bend * min(dx, dy)

    def end_of(cell: int, k: int) -> int:
        y, x = divmod(cell, width)
        dx, dy = STEPS[k]
        return (y + dy) % height * width + (x + dx) % width

    def follow(cell: int, k: int) -> list[int]:
        return [j for j in range(8) if table[k << 8 | ground[cell]] >> j & 1]

    def leads(k: int) -> bool:
        return k >= 4 if eight else k < 2

    def reach(cell: int, k: int, g: int, ways: list[int]) -> None:
        if g < best.get(cell, UNREACHED):
            best[cell], came[cell] = g, (k, ways)
            closed.discard(cell)
            if cell != goal:
                buckets.push(key(cell, g), cell)

    best = {start: 0}
    came: dict[int, tuple[int, list[int]]] = {
        start: (8, [])
    }  # the last step, and the cells since the one that it was reached from
    closed = set()
    buckets = Buckets()
    buckets.push(key(start, 0), start)
    while (cell := buckets.pop()) >= 0 and start != goal:
        now = buckets.now
        top = best.get(goal, UNREACHED)
        if now > top >> shift:
            break
        if cell in closed or (top != UNREACHED and best[cell] + estimate(cell) >= top):
            continue
        closed.add(cell)
        for k in follow(cell, came[cell][0]):
            here, g, passed = cell, best[cell], [cell]
            branches = [k]
            while branches:
                on = False
                if leads(k):
                    here, g = end_of(here, k), g + (diagonal if eight else straight)
                    passed = [*passed, here]
                    branches = follow(here, k)
                    if here == goal or (branches and (wrap or key(here, g) > now)):
                        reach(here, k, g, passed)
                        break
                    on = k in branches
                for j in branches:
                    if leads(j):
                        continue
                    there = here
                    run: list[int] = []
                    while not run or (
                        there != goal
                        and not wrap
                        and len(run) < LONGEST_RUN
                        and table[j << 8 | ground[there]] == 1 << j
                    ):
                        there = end_of(there, j)
                        run.append(there)
                    if there == goal or follow(there, j):
                        reach(there, j, g + straight * len(run), passed + run)
                if not on:
                    break
    if goal not in best:
        return [], 0
    cells = [goal]
    while came[cells[0]][1]:
        cells = came[cells[0]][1][:-1] + cells
    straights = sum(
        one // width == other // width or one % width == other % width
        for one, other in itertools.pairwise(cells)
    )
    return cells, len(cells) - 1 - straights if eight else 0
