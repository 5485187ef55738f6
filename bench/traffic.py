"""Agents that step together: `steering.PIBT` against the same method in plain Python, and where it
is installed against that of `pymapf` (PyPI; Okumura's own `pypibt` is not there).
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.race import now, race, repeats, say
from bench.table import Report, Table

SEED = 20261121
SIDE = 512
AGENTS = 10_000
GOALS = 64
COLUMNS = "one step", "ms", "agents a second", "times the time of fieldcraft"


class Plain:
    """Priority inheritance with backtracking on lists, by recursion."""

    def __init__(self, space: fc.Space) -> None:
        ways = space.adjacency
        ends = ways.ends.tolist()
        starts = ways.starts.tolist()
        self.beside = [ends[a:b] for a, b in itertools.pairwise(starts)]

    def step(self, cells: list[int], left: list[Any]) -> list[int]:
        """Return the next cells; `left[i]` are the distances of agent i by cell."""
        then: list[int | None] = [None] * len(cells)
        taken: set[int] = set()
        who = {cell: i for i, cell in enumerate(cells)}

        def plan(i: int, pusher: int) -> bool:
            here = cells[i]
            away = left[i]
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


def pymapf_step(
    space: fc.Grid, cells: list[int], goals: list[int], left: list[Any]
) -> Callable[[], list[int]] | None:
    """Return a step by `pymapf`, with distances made beforehand, or None if it is not installed."""
    try:
        from pymapf import GridMap
        from pymapf.algorithms.pibt import pibt_step
    except ImportError:
        return None
    ground = GridMap(space.walls.tolist())
    width = space.width
    names = [str(i) for i in range(len(cells))]
    at = {name: divmod(cell, width) for name, cell in zip(names, cells, strict=True)}
    to = {name: divmod(cell, width) for name, cell in zip(names, goals, strict=True)}
    away = dict(zip(names, left, strict=True))
    first = {name: -float(i) for i, name in enumerate(names)}

    def distance(name: str, cell: tuple[int, int]) -> float:
        return float(away[name][cell[0] * width + cell[1]])

    def step() -> list[int]:
        found = pibt_step(ground, names, at, to, first, distance)
        return [found[name][0] * width + found[name][1] for name in names]

    return step


def walk(space: fc.Grid, reached: Any, rng: Any, steps: int) -> tuple[float, float]:
    """Return the seconds of the first step of agents with a goal each, and of one of the steps
    that follow; an agent that arrives gets another goal.
    """
    cells = rng.choice(reached, AGENTS, replace=False)
    goals = rng.choice(reached, AGENTS)
    crowd = fc.steering.PIBT(space)
    took = []
    for _ in range(steps + 1):
        start = now()
        cells = crowd.step(cells, goals)
        took.append(now() - start)
        done = cells == goals
        goals[done] = rng.choice(reached, int(done.sum()))
    return took[0], float(np.median(took[1:]))


def run(quick: bool) -> Report:
    """The table of this suite."""
    sys.setrecursionlimit(100_000)
    report = Report()
    rng = np.random.default_rng(SEED)
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
    crowd = fc.steering.PIBT(space)
    plain = Plain(space)
    steps: dict[str, Callable[[], list[int]]] = {
        "fieldcraft": lambda: crowd.step(cells, goals).tolist(),
        "plain Python": partial(plain.step, cells.tolist(), left),
    }
    other = pymapf_step(space, cells.tolist(), goals.tolist(), left)
    if other is not None:
        steps["pymapf"] = other
    for name, step in steps.items():
        if len(set(step())) != AGENTS:
            report.wrong.append(f"{name}: two agents in one cell")
    rounds = repeats(quick, 3, 20)
    took = race(
        {name: (lambda: None, step) for name, step in steps.items()},
        1,
        {name: rounds if name == "fieldcraft" else 3 for name in steps},
        time.process_time,
    )
    own = took["fieldcraft"].best
    title = f"{AGENTS:,} agents, {GOALS} goals, {SIDE} x {SIDE}, 4 neighbors"
    table = Table(f"Agents that step together (PIBT): {title}", list(COLUMNS))
    for name, times in took.items():
        best = times.best
        table.add(name, f"{best * 1e3:.1f}", f"{AGENTS / best:,.0f}", f"{best / own:.0f}")
    first, later = walk(space, reached, rng, repeats(quick, 20, 200))
    table.notes.append(
        f"With a goal each: {first:.1f} s for the first step, which finds all paths, and"
        f" {later * 1e3:.1f} ms for the median of the steps that follow (wall clock, two threads)."
    )
    report.tables.append(table)
    return report
