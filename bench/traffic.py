"""Agents that step together: `steering.PIBT` against the same method in plain Python."""

from __future__ import annotations

import itertools
import sys
import time
from functools import partial
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.race import race, say
from bench.table import Report, Table

SEED = 20261121
SIDE, AGENTS, GOALS = 512, 10_000, 64


class Plain:
    """Priority inheritance with backtracking on lists, by recursion."""

    def __init__(self, space: fc.Space) -> None:
        ways = space.ways
        ends, starts = ways.ends.tolist(), ways.starts.tolist()
        self.beside = [ends[a:b] for a, b in itertools.pairwise(starts)]

    def step(self, cells: list[int], left: list[Any]) -> list[int]:
        """Return the next cells; `left[i]` are the distances of agent i by cell."""
        then: list[int | None] = [None] * len(cells)
        taken: set[int] = set()
        who = {cell: i for i, cell in enumerate(cells)}

        def plan(i: int, pusher: int) -> bool:
            here, away = cells[i], left[i]
            for cell in sorted(
                [*self.beside[here], here], key=lambda cell: (away[cell], cell in who)
            ):
                if cell in taken or cell == pusher:
                    continue
                then[i] = cell
                taken.add(cell)
                other = who.get(cell)
                if other is not None and then[other] is None and not plan(other, here):
                    continue
                return True
            then[i] = here
            taken.add(here)
            return False

        for i in range(len(cells)):
            if then[i] is None:
                plan(i, -1)
        return [cell for cell in then if cell is not None]


def run(quick: bool) -> Report:
    """The table of this suite."""
    sys.setrecursionlimit(100_000)
    report, rng = Report(), np.random.default_rng(SEED)
    space = fc.Grid(walls=rng.random((SIDE, SIDE)) < 0.1, neighbors=4)
    open_cells = np.flatnonzero(~space.walls.reshape(-1))
    aims = space.position_of(rng.choice(open_cells, GOALS))
    maps = [fc.distance_map(space, aim) for aim in aims]
    reached = np.flatnonzero(np.isfinite([each.values.reshape(-1) for each in maps]).all(axis=0))
    cells = rng.choice(reached, AGENTS, replace=False)
    which = rng.integers(0, GOALS, AGENTS)
    goals = np.array([each.goals[0] for each in maps])[which]
    lists = [each.values.reshape(-1).tolist() for each in maps]
    left = [lists[k] for k in which.tolist()]
    say(f"bench traffic: {AGENTS} agents")
    crowd, plain = fc.steering.PIBT(space), Plain(space)
    for found in (crowd.step(cells, goals).tolist(), plain.step(cells.tolist(), left)):
        if len(set(found)) != AGENTS:
            report.wrong.append("two agents in one cell")
    rounds = 3 if quick else 20
    took = race(
        {
            "own": (lambda: None, partial(crowd.step, cells, goals)),
            "plain": (lambda: None, partial(plain.step, cells.tolist(), left)),
        },
        1,
        {"own": rounds, "plain": 3},
        time.process_time,
    )
    own, other = (took[name].best for name in ("own", "plain"))
    columns = ["one step", "ms", "agents a second", "plain Python ms", "times as fast"]
    table = Table("Agents that step together (PIBT)", columns)
    title = f"{AGENTS:,} agents, {GOALS} goals, {SIDE} x {SIDE}, 4 neighbors"
    row = f"{own * 1e3:.1f}", f"{AGENTS / own:,.0f}", f"{other * 1e3:.0f}", f"{other / own:.0f}"
    table.add(title, *row)
    report.tables.append(table)
    return report
