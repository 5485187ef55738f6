"""Futures of a target that motions tell about: where it may be from now on, drawn by dice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit import Belief
from fieldcraft.pursuit.backend import rounded_down
from fieldcraft.pursuit.target_belief import TargetBelief

__all__ = ["futures"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def futures(
    belief: Belief, count: int, steps: int, rng: np.random.Generator, *, target: int = 0
) -> Ints:
    """Return `count` futures of a target, (steps + 1, count) cells: now and after each interval.

    Each is as likely as any other. They are drawn by the rules by which the belief takes its steps,
    so their cells are distributed as it would be by then.
    """
    belief._follow_walls()
    about = belief._beliefs[target]
    drawing = _Drawing(about, rng)
    parts, cells = drawing.begun(count)
    rows = [cells]
    for ahead in range(steps):
        parts = drawing.changed(parts)
        parts = drawing.turned(drawing.arrived(parts, cells), about.age + ahead)
        cells = drawing.moved(parts, cells)
        rows.append(cells)
    return np.array(rows)


class _Drawing:
    """The chances by which futures go on: `rows` (S,) says where those of each part stand in
    `steps` (R, A), -1 for one that stands.
    """

    def __init__(self, belief: TargetBelief, rng: np.random.Generator) -> None:
        self._belief, self._rng = belief, rng
        self._stages = belief.hypotheses.stages
        self._ways = belief.lost.space.ways
        self._degree = np.diff(self._ways.starts)
        self._rows, self._steps, self._there = self._tables()

    def _tables(self) -> tuple[Ints, NDArray[np.float32], NDArray[np.float32]]:
        """The rows of parts, chances of steps, and chances to arrive (S, N)."""
        lost = self._belief.lost
        steps: dict[object, NDArray[np.float32]] = {}
        rows = np.full(len(self._stages), -1, dtype=np.int64)
        there = np.zeros((len(self._stages), len(lost.space)), dtype=np.float32)
        for number, stage in enumerate(self._stages):
            if stage.mover not in steps:
                chances = np.asarray(stage.mover.chances(lost), dtype=np.float64)
                if chances.any():
                    steps[stage.mover] = rounded_down(chances)
            rows[number] = list(steps).index(stage.mover) if stage.mover in steps else -1
            if stage.arrives:
                cells, likely = stage.mover.arriving(lost)
                there[number, cells] = likely
        shape = len(steps), len(self._ways.ends)
        return rows, np.array([*steps.values()], dtype=np.float32).reshape(shape), there

    def begun(self, count: int) -> tuple[Ints, Ints]:
        """The part and the cell of each future, as the belief is now."""
        belief = self._belief
        held = [part.reshape(-1) for part in belief.held()]
        sums = np.cumsum([part.sum() for part in held])
        parts = np.searchsorted(
            sums, (np.arange(count) + self._rng.random()) / count * sums[-1], side="right"
        )
        parts = np.minimum(parts, len(held) - 1)
        cells = np.empty(count, dtype=np.int64)
        for number in np.unique(parts).tolist():
            own = np.flatnonzero(parts == number)
            likely = np.cumsum(held[number])
            drawn = np.searchsorted(
                likely,
                (np.arange(len(own)) + self._rng.random(len(own))) / len(own) * likely[-1],
                side="right",
            )
            cells[own] = np.minimum(drawn, int(np.searchsorted(likely, likely[-1])))
        return parts, cells

    def changed(self, parts: Ints) -> Ints:
        """Parts after some have turned to something else."""
        chance, own = self._belief.changing, self._belief.hypotheses
        if chance == 0:
            return parts
        turns = np.flatnonzero(self._rng.random(len(parts)) < chance)
        owners, firsts = np.array(own.owners), np.array(own.firsts)
        likely = np.array(own.weights)[owners[firsts]] * np.array(own.splits)
        choices = np.where(owners[firsts] == owners[parts[turns], np.newaxis], 0.0, likely)
        after = parts.copy()
        after[turns] = firsts[self._chosen(choices)]
        return after

    def arrived(self, parts: Ints, cells: Ints) -> Ints:
        """Parts after some have arrived and begun the next."""
        comes = np.flatnonzero(self._rng.random(len(parts)) < self._there[parts, cells])
        after = parts.copy()
        for number in np.unique(parts[comes]).tolist():
            own, stage = comes[parts[comes] == number], self._stages[number]
            offsets = np.array(stage.follows or (1,))
            shares = (
                stage.mover.parting(self._belief.lost)[cells[own]]
                if stage.follows
                else np.ones((len(own), 1))
            )
            after[own] = number + offsets[self._chosen(shares)]
        return after

    def turned(self, parts: Ints, age: int) -> Ints:
        """Parts after those whose time is over have ended."""
        after = parts.copy()
        for number, follower, chance in self._belief.turning(age):
            after[(after == number) & (self._rng.random(len(parts)) < chance)] = follower
        return after

    def moved(self, parts: Ints, cells: Ints) -> Ints:
        """Cells after a step."""
        rows, most = self._rows[parts], int(self._degree.max(initial=0))
        if not most or not len(self._steps):
            return cells
        arcs = self._ways.starts[cells][:, np.newaxis] + np.arange(most)
        some = (np.arange(most) < self._degree[cells][:, np.newaxis]) & (rows >= 0)[:, np.newaxis]
        arcs = np.where(some, arcs, 0)
        sums = np.cumsum(np.where(some, self._steps[rows[:, np.newaxis], arcs], 0.0), axis=1)
        dice = self._rng.random(len(cells))
        which = (dice[:, np.newaxis] >= sums).sum(axis=1)
        goes = np.flatnonzero(which < most)
        after = cells.copy()
        after[goes] = self._ways.ends[arcs[goes, which[goes]]]
        return after

    def _chosen(self, likely: Floats) -> Ints:
        """One of the columns for each row, by how likely they are, (K,)."""
        sums = np.cumsum(likely, axis=1)
        return np.asarray(
            (self._rng.random(len(likely))[:, np.newaxis] * sums[:, -1:] >= sums)
            .sum(axis=1)
            .clip(max=likely.shape[1] - 1)
        )
