"""A belief about one target: a mass for each part of each hypothesis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.backend import Flow
from fieldcraft.pursuit.motion.mixture import Hypotheses
from fieldcraft.pursuit.motion.mover import Lost, Mover

__all__ = ["GONE", "TargetBelief", "summed"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

GONE = 1e-12
"""Less belief than this in all is none."""

_SLIPPED = 4.0  # typical steps: where a belief was wrong, e times less likely for each
_UNSEEN = 3  # intervals out of sight after which a sighting says how it has moved


class TargetBelief:
    """The masses (S) of the parts of all hypotheses about one target, as the kernels take them;
    times `scale` they add up to 1.

    The mass of a hypothesis is its weight times how likely each cell is if it is true. So what is
    struck out of all of them in view, and scaled up together, is Bayes' rule for weights and cells
    at once.
    """

    def __init__(
        self,
        hypotheses: Hypotheses,
        lost: Lost,
        layout: Flow,
        shared: dict[Mover, Flow | None],
    ) -> None:
        self.hypotheses = hypotheses
        self.lost = lost
        self.masses: list[Floats] = []
        self.scale = 1.0
        self.age = 0
        self.weights = hypotheses.weights
        self._layout = layout
        self._shared = shared
        self._flows: dict[int, Flow | None] = {}
        self._arrivals: dict[int, tuple[Ints, Floats, list[tuple[int, Floats]]]] = {}
        self._live: list[bool] = []
        self._timed = [n for n, stage in enumerate(hypotheses.stages) if stage.after is not None]

    # What happens

    def put(self, likely: NDArray[Any]) -> None:
        """Begin anew with how likely each cell is, in the space's shape; it need not add up to
        1.
        """
        even = likely / likely.sum()
        self.place([even if share == 1 else even * share for share in self.shares()])

    def place(self, parts: Sequence[NDArray[Any]]) -> None:
        """Go on with masses (S) in the space's shape that add up to 1."""
        self.masses = [self._layout.from_space(part) for part in parts]
        self._live = [bool(part.any()) for part in parts]
        self.scale = 1.0

    def shares(self) -> list[float]:
        """The share of each part when it begins: parts that come later have none."""
        shares = [0.0] * len(self.hypotheses.stages)
        for strand, first in enumerate(self.hypotheses.firsts):
            owner = self.hypotheses.owners[first]
            shares[first] = self.weights[owner] * self.hypotheses.splits[strand]
        return shares

    def see(self, cell: int, velocity: Floats, doubt: float) -> None:
        """Be certain of a cell. If the target was out of sight, each hypothesis is weighed by how
        likely it held the cell.
        """
        if len(self.weights) > 1:
            at = self._layout.index(np.array([cell]))
            held = np.bincount(
                self.hypotheses.owners,
                [float(mass.reshape(-1)[at[0]]) for mass in self.masses],
                minlength=len(self.weights),
            )
            if self.age >= _UNSEEN and held.sum() > 0:
                weights = (1 - doubt) * held / held.sum() + doubt * np.array(
                    self.hypotheses.weights
                )
                self.weights = tuple((weights / weights.sum()).tolist())
        found = np.zeros(self.lost.space.shape)
        found.reshape(-1)[cell] = 1.0
        self.put(found)
        self.begin(cell, velocity)

    def report(self, likely: Floats, certainty: float) -> None:
        """Update by a noise that makes each cell so likely, in the space's shape."""
        before = self.held()
        heard = [part * likely for part in before]
        if summed(heard) <= GONE:  # the target was not thought to be there
            anywhere = np.where(self.lost.space.walls, 0.0, likely)
            heard = [anywhere if share == 1 else anywhere * share for share in self.shares()]
        total = summed(heard)
        if total <= GONE:
            return
        after = [
            (1 - certainty) * part + certainty * loud / total
            for part, loud in zip(before, heard, strict=True)
        ]
        left = summed(after)
        self.place([part / left for part in after])

    def elsewhere(self, cells: Ints, thought: Ints) -> NDArray[Any]:
        """Return how likely the target is in each cell if it is not in view, where it was thought
        to be in some of the cells in view.

        It is not farther than it can have got since it was last seen, or else in the nearest cell
        out of view.
        """
        space = self.lost.space
        possible = ~space.walls
        possible.reshape(-1)[cells] = False
        if not possible.any():
            possible = ~space.walls
        if self.lost.cell is not None:
            possible &= self._within_reach(possible)
        if not len(thought):
            return possible
        away = distance_map(space, space.position_of(np.unique(thought))).exact.reshape(space.shape)
        near = np.where(possible, away, np.inf)
        nearest = float(near.min())
        if nearest == np.inf:
            return possible
        return np.exp((nearest - near) / (_SLIPPED * space.typical_step))

    def _within_reach(self, possible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which cells the target can have reached, at least the nearest of the possible ones."""
        space = self.lost.space
        # A target moves on within an interval, before the belief makes its step.
        reach = max((self.age + 1) * self.lost.stride, space.typical_step)
        start = space.position_of(space.nearest_open(self.lost.start))
        away = distance_map(space, start, outward=True).exact.reshape(space.shape)
        return np.asarray(away <= max(reach, float(away[possible].min(initial=np.inf))))

    def off_walls(self) -> list[Floats]:
        """Return the masses after the target has moved off the walls as they are now."""
        left = [np.where(self.lost.space.walls, 0.0, part) for part in self.held()]
        if summed(left) <= GONE:
            anywhere = (~self.lost.space.walls).astype(np.float64)
            left = [anywhere if share == 1 else anywhere * share for share in self.shares()]
        total = summed(left)
        return [np.asarray(part / total) for part in left]

    def begin(self, cell: int | None, velocity: Floats, age: int = 0) -> None:
        """Take a cell as that of the last sighting, so many intervals ago."""
        self.lost = replace(self.lost, cell=cell, velocity=velocity)
        self._flows, self._arrivals, self.age = {}, {}, age

    def clear(self, flat: Ints, part: float) -> Floats:
        """Keep a part only of what is in cells, as the kernels count them; what was there
        before.
        """
        total = np.zeros(len(flat))
        for mass in self.masses:
            cells = mass.reshape(-1)
            before = cells[flat]
            cells[flat] = before * part
            total += before
        return total

    def step(self, spare: Floats) -> Floats:
        """Let an interval pass; the memory to work in comes back, it may be another."""
        if self.hypotheses.changes:
            self._change()
        self._arrive()
        for number, follower, chance in self._turning() if self._timed else ():
            self._live[follower] |= self._live[number]
            moved = self.masses[number] * chance
            self.masses[number] -= moved
            self.masses[follower] += moved
        for number, mass in enumerate(self.masses):
            if not self._live[number]:
                continue
            flow = self._flows[number] if number in self._flows else self._flow(number)
            if flow is None:
                mass *= self.scale
                continue
            flow.run(mass, self.scale, spare)
            self.masses[number], spare = spare, mass
        self.scale = 1.0
        self.age += 1
        return spare

    def _arrive(self) -> None:
        """Go on to the next part where somebody arrives; who begins a part in this interval does
        not arrive in that, too.
        """
        begun = []
        for number in range(len(self.masses) - 1, -1, -1):
            stage = self.hypotheses.stages[number]
            if not stage.arrives or not self._live[number]:
                continue
            if number not in self._arrivals:
                cells, chances = stage.mover.arriving(self.lost)
                self._arrivals[number] = (
                    self._layout.index(cells),
                    np.asarray(chances, dtype=np.float64),
                    self._parted(number, cells),
                )
            flat, chances, followers = self._arrivals[number]
            moved = np.empty(len(flat))
            kernels.belief.arrive(flat, chances, self.masses[number].reshape(-1), moved)
            for follower, shares in followers if moved.any() else ():
                begun.append((moved, flat, shares, follower))
        for moved, flat, shares, follower in begun:
            kernels.belief.begin(moved, flat, shares, self.masses[follower].reshape(-1))
            self._live[follower] = True

    def _parted(self, number: int, cells: Ints) -> list[tuple[int, Floats]]:
        """The parts that follow one, and the share of those who arrive in cells that begins
        each.
        """
        stage = self.hypotheses.stages[number]
        if not stage.follows:
            return [(number + 1, np.ones(len(cells)))]
        shares = np.ascontiguousarray(stage.mover.parting(self.lost)[cells].T)
        following = []
        for offset, share in zip(stage.follows, shares, strict=True):
            if share.any():
                following.append((number + offset, share))
        return following

    def _change(self) -> None:
        """Let a part of all who do one thing begin another in this interval, as often as those were
        thought likely at first.
        """
        if len(self.weights) == 1:
            return
        chance = -math.expm1(-self.hypotheses.changes * self.lost.every)
        first = np.array(self.hypotheses.weights)
        leaving = [np.zeros_like(self.masses[0]) for _ in self.weights]
        for mass, owner, live in zip(self.masses, self.hypotheses.owners, self._live, strict=True):
            if live:
                moved = mass * chance
                mass -= moved
                leaving[owner] += moved
        shares = [part / (1 - weight) for part, weight in zip(leaving, first.tolist(), strict=True)]
        whole = np.sum(shares, axis=0)
        for strand, number in enumerate(self.hypotheses.firsts):
            owner = self.hypotheses.owners[number]
            self.masses[number] += (whole - shares[owner]) * (
                first[owner] * self.hypotheses.splits[strand]
            )
            self._live[number] = True

    def _turning(self) -> list[tuple[int, int, float]]:
        """Return the parts that end in this interval, what follows, and with what chance if they
        have not ended yet; the last first.
        """
        found = []
        now = self.age * self.lost.every
        for number in reversed(self._timed):
            after = self.hypotheses.stages[number].after
            assert after is not None
            low, high = after
            begin, end = max(low, now), now + self.lost.every
            if end > begin:
                chance = 1.0 if end >= high else (end - begin) / (high - begin)
                found.append((number, number + 1, chance))
            elif now >= high and self.hypotheses.changes:  # targets that have begun it late
                found.append((number, number + 1, 1.0))
        return found

    def _flow(self, number: int) -> Flow | None:
        """Return the flow of a part, and cache it."""
        mover = self.hypotheses.stages[number].mover
        if mover.alike and mover in self._shared:
            flow = self._shared[mover]
        else:
            flow = mover.flow(self.lost)
        if mover.alike:
            self._shared[mover] = flow
        self._flows[number] = flow
        return flow

    def follow(self, layout: Flow, shared: dict[Mover, Flow | None]) -> None:
        """Go by other walls from now on: the masses have to be placed anew."""
        self._layout, self._shared = layout, shared
        cell = self.lost.cell
        self.begin(
            None if cell is None else int(self.lost.space.nearest_open(cell)),
            self.lost.velocity,
            self.age,
        )

    def restore(
        self, weights: tuple[float, ...], cell: int | None, velocity: Floats, age: int
    ) -> None:
        """Continue from the last sighting of another belief, and what it had learned."""
        self.weights = weights
        self.begin(cell, velocity, age)

    # What it says

    def unscaled(self) -> list[Floats]:
        """Return the masses in the space's shape, before they are scaled."""
        shape = self.lost.space.shape
        return [self._layout.to_space(mass).reshape(shape) for mass in self.masses]

    def held(self) -> list[Floats]:
        """Return the masses in the space's shape; they add up to 1."""
        return [mass * self.scale for mass in self.unscaled()]

    def total(self) -> float:
        """Return the sum of all masses, before they are scaled."""
        return summed(self.masses)

    def by_hypothesis(self) -> Floats:
        """How likely each hypothesis is, (H,)."""
        sums = np.bincount(
            self.hypotheses.owners,
            [float(mass.sum()) for mass in self.masses],
            minlength=len(self.weights),
        )
        return np.asarray(sums / sums.sum())


def summed(parts: list[Floats]) -> float:
    """Return the sum of all masses."""
    return float(sum(float(part.sum()) for part in parts))
