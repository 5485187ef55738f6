"""Repairs of distance maps by the number of changed cells, against the better of two ways: always
to repair, and always to make a new map.

`DistanceMap.repair` chooses between both. The changed cells are random, which clears more distances
than the same number of cells in one place. Each of the three has its own space, so that none reads
what another has cached.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from bench.graph import navmesh
from bench.race import Times, repeats, say
from bench.table import Report, Table, at_most
from fieldcraft.paths.search import distances

SIDES = (160, 512)
COUNTS = (1, 30, 300, 1_000, 3_000)
MOST = 1.2
CLOSED = 1 / 12
"""The largest share of the cells that is closed at once: with more, most cells reach no goal."""
ALWAYS: dict[str, Any] = {
    "_MOST_CHANGED": 1e6,
    "_SAMPLED_WITH_COSTS": 1e6,
    "_SAMPLED_WITH_ONE_COST": 1e6,
    "_ABANDONED": 1e6,
}


def ground(side: int) -> NDArray[np.bool_]:
    """Buildings on about a sixth of the map."""
    rng = np.random.default_rng(7)
    walls = np.zeros((side, side), dtype=np.bool_)
    for _ in range(220 * side * side // 160**2):
        x, y = rng.integers(0, side - 8, 2)
        width, height = rng.integers(1, 8, 2)
        walls[y : y + height, x : x + width] = True
    middle = slice(side // 2 - 4, side // 2 + 4)
    walls[middle, middle] = False
    return walls


def spaces(side: int) -> dict[str, Callable[[], fc.Space]]:
    """The same ground as the kinds of space that have searches of their own."""
    walls = ground(side)
    found: dict[str, Callable[[], fc.Space]] = {
        "grid, 8 neighbors": lambda: fc.Grid(walls=walls, neighbors=8),
        "hexagons": lambda: fc.HexGrid(side, side, walls=walls),
    }
    if side < 512:
        found["grid, 4 neighbors"] = lambda: fc.Grid(walls=walls, neighbors=4)
        found["graph"] = lambda: fc.Grid(walls=walls, neighbors=8).to_graph()
        found["mesh"] = lambda: navmesh(side * side)
    return found


def there_and_back(times: Times) -> float:
    """Return the mean of the least time of changes and the least time of changes back, in us."""
    there = min(times.rounds[0::2])
    back = min(times.rounds[1::2])
    return (there + back) / 2 * 1e6


class Side:
    """A space with a distance map that follows changes in one of the three ways."""

    def __init__(self, way: str, make: Callable[[], fc.Space], cost: Any) -> None:
        self.way = way
        self.space = make()
        self.goal = self.space.position_of(int(np.argmin(self.space.walls.reshape(-1))))
        self.map = fc.distance_map(self.space, self.goal, cost=cost)
        self.values = self.map.values
        self.times = Times()

    def follow(self, cost: Any) -> None:
        """Take over new walls or costs."""
        begun = time.thread_time()
        if self.way == "new":
            self.map = fc.distance_map(self.space, self.goal, cost=cost)
        else:
            self.map.repair(cost=cost)
        self.values = self.map.values
        self.times.rounds.append(time.thread_time() - begun)


def measure(
    make: Callable[[], fc.Space], count: int, has_costs: bool, rounds: int
) -> dict[str, Side]:
    """Time the three ways after changes of so many cells and back."""
    rng = np.random.default_rng(count)
    space = make()
    cells = np.flatnonzero(~space.walls.reshape(-1))[1:]
    cells = rng.choice(cells, min(count, len(cells)), replace=False)
    costs: list[Any] = [None, None]
    if has_costs:
        base = rng.uniform(1, 3, len(space))
        other = base.copy()
        other[cells] = rng.uniform(1, 3, len(cells))
        costs = [base.reshape(space.shape), other.reshape(space.shape)]
    sides = {way: Side(way, make, costs[0]) for way in ("chosen", "repaired", "new")}
    ways = list(sides)
    for turn in range(2 * rounds):
        # In any order, since each one warms caches of the processor for the next.
        for way in rng.permutation(ways).tolist():
            side = sides[way]
            if not has_costs:
                side.space.set_walls(cells, turn % 2 == 0)
            if side.way == "repaired":
                forced = ALWAYS
            else:
                forced = {"_MOST_CHANGED": distances._MOST_CHANGED}
            with patch.multiple(distances, **forced):
                side.follow(costs[1 - turn % 2])
    return sides


def run(quick: bool) -> Report:
    """Measure every kind of space, with costs and with walls only."""
    report = Report()
    for side in SIDES[:1] if quick else SIDES:
        table = Table(
            f"Repairs of a distance map, {side} x {side}, values read: least CPU time in us",
            (
                "changed",
                "cells",
                "repair()",
                "always repaired",
                "a new map",
                "ratio",
                "at most",
                "",
            ),
        )
        for name, make in spaces(side).items():
            for has_costs in (True, False):
                what = "costs" if has_costs else "walls"
                say(f"bench repair: {side} x {side}, {name}, {what}")
                for count in (*COUNTS, side * side):
                    if not has_costs and count > side * side * CLOSED:
                        continue
                    rounds = repeats(quick, 2, 12)
                    if count > COUNTS[0] and side > SIDES[0]:
                        rounds = max(2, rounds // 3)
                    found = measure(make, count, has_costs, rounds)
                    chosen, repaired, new = (there_and_back(each.times) for each in found.values())
                    if not np.array_equal(found["chosen"].map.exact, found["new"].map.exact):
                        report.wrong.append(f"{name}, {what}, {count} cells: maps differ")
                    ratio = chosen / min(repaired, new)
                    table.add(
                        f"{name}, {what}",
                        "all" if count == side * side else f"{count:,}",
                        f"{chosen:,.0f}",
                        f"{repaired:,.0f}",
                        f"{new:,.0f}",
                        f"{ratio:.2f}",
                        f"{MOST:g}",
                        at_most(ratio, MOST),
                    )
        report.tables.append(table)
    return report
