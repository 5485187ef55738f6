"""Belief updates against the NumPy way: shifted slices of the array, and zeros where the viewers look."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from bench.race import race, say
from bench.table import Report, Table, at_least, milliseconds, times

SIZE, VIEWERS, SIGHT, STAY = 512, 8, 24.0, 0.1
REQUIRED = 8.0


class Arrays:
    """The same by whole-array arithmetic: for each of eight ways, what is sent is added to a slice one cell further.

    Which ways are open, and how many there are from each cell, is worked out once.
    """

    def __init__(self, space: fc.Grid, views: list[NDArray[np.bool_]]) -> None:
        self.views = views
        links = space.links()
        height, width = space.shape
        self.ways: list[tuple[tuple[slice, slice], tuple[slice, slice], NDArray[np.float64]]] = []
        degree = np.zeros(space.shape)
        flow = np.zeros(space.shape)
        for (dx, dy), mask, length in zip(space.neighborhood.steps, space.link_masks, space.neighborhood.lengths(1.0), strict=True):
            there = (slice(max(dy, 0), height + min(dy, 0)), slice(max(dx, 0), width + min(dx, 0)))
            here = (slice(max(-dy, 0), height + min(-dy, 0)), slice(max(-dx, 0), width + min(-dx, 0)))
            open_ = ((links[there] & mask) != 0) & ~space.walls[here]
            degree[here] += open_
            flow[here] += open_ / length
            self.ways.append((here, there, open_ / length))
        self.part = (1 - STAY) / np.maximum(degree, 1)
        self.keep = 1 - flow * self.part
        self.belief = ~space.walls / np.count_nonzero(~space.walls)

    def update(self) -> None:
        """One step, and what the viewers see cleared."""
        sent = self.belief * self.part
        after = self.belief * self.keep
        for here, there, share in self.ways:
            after[there] += sent[here] * share
        for view in self.views:
            after[view] = 0
        self.belief = after / after.sum()


class Ours:
    """fieldcraft's public calls."""

    def __init__(self, space: fc.Grid, views: list[NDArray[np.bool_]]) -> None:
        self.seen = np.logical_or.reduce(views)
        self.belief = fc.Belief(space, 1.0, stay=STAY, interval=1.0)
        self.cells = np.flatnonzero(self.seen)

    def update(self) -> None:
        self.belief.step()
        self.belief.look(self.cells)


def run(quick: bool) -> Report:
    """One table."""
    report = Report()
    say("bench belief: an update with eight viewers")
    rng = np.random.default_rng(4)
    space = fc.Grid(SIZE, SIZE, walls=rng.random((SIZE, SIZE)) < 0.2, neighbors=8)
    places = space.position_of(np.asarray(space.nearest_open(rng.integers(0, len(space), VIEWERS))))
    views = [fc.visible(space, place, SIGHT) for place in places]
    ours, arrays = Ours(space, views), Arrays(space, views)
    for _ in range(25):
        ours.update()
        arrays.update()
    if not np.allclose(ours.belief.probability(), arrays.belief, rtol=1e-9, atol=1e-15):
        report.wrong.append("belief: the arrays and fieldcraft differ")

    def batch(update: Callable[[], None]) -> Callable[[], None]:
        def several() -> None:
            for _ in range(10):
                update()

        return several

    rounds = 3 if quick else 20
    calls = {"fieldcraft": (lambda: None, batch(ours.update)), "NumPy": (lambda: None, batch(arrays.update))}
    found = race(calls, 10, dict.fromkeys(calls, rounds))
    table = Table(
        f"Belief: one step and {VIEWERS} views of radius {SIGHT:g}, {SIZE} x {SIZE} with walls, 8 neighbours",
        ("contender", "best ms", "median", "fieldcraft is, best", "median", "required", "verdict"),
    )
    own, other = found["fieldcraft"], found["NumPy"]
    table.add("fieldcraft", milliseconds(own.best), milliseconds(own.median), "", "", "", "")
    ratio = other.best / own.best
    table.add(
        "NumPy: slices, shifted and added", milliseconds(other.best), milliseconds(other.median), times(ratio),
        times(other.median / own.median), f"{REQUIRED:g}x", at_least(ratio, REQUIRED),
    )  # fmt: skip
    table.notes.append(f"{rounds} rounds of 10 updates. What the viewers see is given to both.")
    report.tables.append(table)
    return report
