"""A belief about one target: a mass for each part of each hypothesis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import clock
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.motion.motion import Hypotheses
from fieldcraft.pursuit.motion.mover import Lost, Mover
from fieldcraft.pursuit.pursuit_checks import not_a_state, plain_integer, plain_numbers
from fieldcraft.pursuit.transitions import Flow

GONE = 1e-12
"""A smaller sum of probabilities counts as 0."""

# After a wrong belief a cell is e times less likely than one nearer by so many typical steps.
_SLIPPED = 4.0
_UNSEEN = 3  # A sighting weights hypotheses after so many intervals out of sight.


class TargetBelief:
    """The masses (S) of the stages of all hypotheses about one target, in the layout of the
    kernels; times `scale` they sum to 1.

    The mass of a hypothesis is its weight times the probability of each cell if it is true. So
    clearing the cells in view and scaling up the rest is Bayes' rule for weights and cells at once.
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

    # Events

    def put(self, likely: NDArray[Any]) -> None:
        """Begin anew with the likelihood of each cell, in the space's shape, of any sum."""
        self.place(self._split(likely / likely.sum()))

    def _split(self, likely: Floats) -> list[Floats]:
        """Return a likelihood of cells as masses of the stages at first, (S)."""
        return [likely * share for share in self.shares()]

    def place(self, parts: Sequence[NDArray[Any]]) -> None:
        """Set the masses (S), in the space's shape and with the sum 1."""
        self.masses = [self._layout.from_space(part) for part in parts]
        self._live = [bool(part.any()) for part in parts]
        self.scale = 1.0

    def shares(self) -> list[float]:
        """Return the share of each stage at first: later stages have none."""
        shares = [0.0] * len(self.hypotheses.stages)
        for sequence, first in enumerate(self.hypotheses.firsts):
            owner = self.hypotheses.owners[first]
            shares[first] = self.weights[owner] * self.hypotheses.splits[sequence]
        return shares

    def see(self, cell: int, velocity: Floats, doubt: float) -> None:
        """Set the cell of a sighting. If the target was out of sight, weight each hypothesis by the
        probability that it gave the cell.
        """
        if len(self.weights) > 1:
            at = self._layout.index(np.array([cell]))
            held = np.bincount(
                self.hypotheses.owners,
                [float(mass.reshape(-1)[at[0]]) for mass in self.masses],
                minlength=len(self.weights),
            )
            if self.age >= _UNSEEN and held.sum() > 0:
                first = np.array(self.hypotheses.weights)
                weights = (1 - doubt) * held / held.sum() + doubt * first
                self.weights = tuple((weights / weights.sum()).tolist())
        found = np.zeros(self.lost.space.shape)
        found.reshape(-1)[cell] = 1.0
        self.put(found)
        self.begin(cell, velocity)

    def report(self, likely: Floats, certainty: float) -> None:
        """Update by a report: the likelihood of each cell, in the space's shape."""
        before = self.held()
        reported = [part * likely for part in before]
        if summed(reported) <= GONE:  # the belief was elsewhere
            anywhere = np.where(self.lost.space.walls, 0.0, likely)
            reported = self._split(anywhere)
        total = summed(reported)
        if total <= GONE:
            return
        after = [
            (1 - certainty) * part + certainty * near / total
            for part, near in zip(before, reported, strict=True)
        ]
        left = summed(after)
        self.place([part / left for part in after])

    def elsewhere(self, cells: Ints, thought: Ints) -> NDArray[Any]:
        """Return the likelihood of each cell for a target that is out of view, although the belief
        was in the cells `thought`, which are in view.

        It is as far as the target can have moved since it was last seen, or in the nearest cell out
        of view.
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
        return np.exp((nearest - near) / (_SLIPPED * self.lost.ground.step))

    def _within_reach(self, possible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the cells that the target can have reached, at least the nearest possible one."""
        space = self.lost.space
        # A target moves on within an interval, before the belief makes its step.
        reach = max((self.age + 1) * self.lost.stride, self.lost.ground.step)
        start = space.position_of(space.nearest_open(self.lost.start))
        away = distance_map(space, start, outward=True).exact.reshape(space.shape)
        return np.asarray(away <= max(reach, float(away[possible].min(initial=np.inf))))

    def off_walls(self) -> list[Floats]:
        """Return the masses after the target has moved off the walls as they are now."""
        left = [np.where(self.lost.space.walls, 0.0, part) for part in self.held()]
        if summed(left) <= GONE:
            anywhere = (~self.lost.space.walls).astype(np.float64)
            left = self._split(anywhere)
        total = summed(left)
        return [np.asarray(part / total) for part in left]

    def begin(self, cell: int | None, velocity: Floats, age: int = 0) -> None:
        """Set the cell and velocity of the last sighting, `age` intervals ago."""
        self.lost = replace(self.lost, cell=cell, velocity=velocity)
        self._flows = {}
        self._arrivals = {}
        self.age = age

    def clear(self, flat: Ints, part: float) -> Floats:
        """Keep a part of the masses in cells, indices of the kernels; return their sums before."""
        total = np.zeros(len(flat))
        for mass in self.masses:
            cells = mass.reshape(-1)
            before = cells[flat]
            cells[flat] = before * part
            total += before
        return total

    def step(self, spare: Floats) -> Floats:
        """Make a step; `spare` is scratch memory, and the array to use next is returned."""
        if self.hypotheses.changes:
            self._change()
        self._arrive()
        for number, follower, chance in self._turning():
            self._live[follower] |= self._live[number]
            moved = self.masses[number] * chance
            self.masses[number] -= moved
            self.masses[follower] += moved
        for number, mass in enumerate(self.masses):
            if not self._live[number]:
                continue
            if number in self._flows:
                flow = self._flows[number]
            else:
                flow = self._flow(number)
            if flow is None:
                mass *= self.scale
                continue
            flow.run(mass, self.scale, spare)
            self.masses[number] = spare
            spare = mass
        self.scale = 1.0
        self.age += 1
        return spare

    def _arrive(self) -> None:
        """Move mass that arrives to the next stage; it does not arrive there in this interval."""
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
                    self._next_stages(number, cells),
                )
            flat, chances, followers = self._arrivals[number]
            moved = np.empty(len(flat))
            kernels.pursuit.belief_steps.arrive(
                flat, chances, self.masses[number].reshape(-1), moved
            )
            if moved.any():
                for follower, shares in followers:
                    begun.append((moved, flat, shares, follower))
        for moved, flat, shares, follower in begun:
            kernels.pursuit.belief_steps.begin(
                moved, flat, shares, self.masses[follower].reshape(-1)
            )
            self._live[follower] = True

    def _next_stages(self, number: int, cells: Ints) -> list[tuple[int, Floats]]:
        """Return the stages that follow one, each with the share of what arrives in cells."""
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
        """Move mass between hypotheses, in proportion to their first weights."""
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
        total = np.sum(shares, axis=0)
        for sequence, number in enumerate(self.hypotheses.firsts):
            owner = self.hypotheses.owners[number]
            self.masses[number] += (total - shares[owner]) * (
                first[owner] * self.hypotheses.splits[sequence]
            )
            self._live[number] = True

    def _turning(self) -> list[tuple[int, int, float]]:
        """Return the stages that may end in this interval, the next stage, and the chance that a
        stage that has not ended does; the last first.
        """
        found = []
        now = self.age * self.lost.every
        for number in reversed(self._timed):
            after = self.hypotheses.stages[number].after
            assert after is not None
            low, high = after
            begin = max(low, now)
            end = now + self.lost.every
            if end > begin:
                if end >= high:
                    chance = 1.0
                else:
                    chance = (end - begin) / (high - begin)
                found.append((number, number + 1, chance))
            elif now >= high and self.hypotheses.changes:  # mass that entered it late
                found.append((number, number + 1, 1.0))
        return found

    def _flow(self, number: int) -> Flow | None:
        """Return the flow of a stage, and cache it."""
        mover = self.hypotheses.stages[number].mover
        if not mover.alike:
            flow = mover.flow(self.lost)
        elif mover in self._shared:
            flow = self._shared[mover]
        else:
            flow = mover.flow(self.lost)
            self._shared[mover] = flow
        self._flows[number] = flow
        return flow

    def follow(self, layout: Flow, shared: dict[Mover, Flow | None]) -> None:
        """Use the layout and flows of new walls; the masses have to be placed anew."""
        self._layout = layout
        self._shared = shared
        cell = self.lost.cell
        if cell is not None:
            cell = int(self.lost.space.nearest_open(cell))
        self.begin(cell, self.lost.velocity, self.age)

    def restore(
        self, weights: tuple[float, ...], cell: int | None, velocity: Floats, age: int
    ) -> None:
        """Continue from the weights and the last sighting of another belief."""
        self.weights = weights
        self.begin(cell, velocity, age)

    # Answers

    def unscaled(self) -> list[Floats]:
        """Return the masses in the space's shape, before they are scaled."""
        shape = self.lost.space.shape
        return [self._layout.to_space(mass).reshape(shape) for mass in self.masses]

    def held(self) -> list[Floats]:
        """Return the masses in the space's shape, with the sum 1."""
        return [mass * self.scale for mass in self.unscaled()]

    def total(self) -> float:
        """Return the sum of all masses, before they are scaled."""
        return summed(self.masses)

    def by_hypothesis(self) -> Floats:
        """Return the probability of each hypothesis, (H,)."""
        sums = np.bincount(
            self.hypotheses.owners,
            [float(mass.sum()) for mass in self.masses],
            minlength=len(self.weights),
        )
        return np.asarray(sums / sums.sum())


def summed(parts: list[Floats]) -> float:
    """Return the sum of all masses."""
    return float(sum(float(part.sum()) for part in parts))


_ROUNDED = 1e-6  # Sums of 1 may differ by this.


def state_of(beliefs: Sequence[TargetBelief], ticks: int) -> dict[str, Any]:
    """Return the beliefs about all targets as plain data."""
    cells = [-1 if belief.lost.cell is None else belief.lost.cell for belief in beliefs]
    return {
        "masses": np.stack([np.stack(belief.unscaled()) for belief in beliefs]),
        "scales": np.array([belief.scale for belief in beliefs]),
        "ticks": ticks,
        "weights": np.array([belief.weights for belief in beliefs]),
        "cells": np.array(cells),
        "ages": np.array([belief.age for belief in beliefs]),
        "velocities": np.stack([belief.lost.velocity for belief in beliefs]),
    }


def restore_from(
    state: Mapping[str, Any], beliefs: Sequence[TargetBelief], every: float
) -> tuple[NDArray[np.float64], int]:
    """Restore beliefs from a state, and return its masses and ticks.

    Raises
    ------
    InvalidValue
        For anything but a state of such beliefs; then nothing has changed.
    """
    space = beliefs[0].lost.space
    hypotheses = beliefs[0].hypotheses
    targets = len(beliefs)
    shape = (targets, len(hypotheses.stages), *space.shape)
    masses = plain_numbers(state, "masses", shape)
    scales = plain_numbers(state, "scales", (targets,))
    ticks = plain_integer(state, "ticks", below=clock.ticks("every", every))
    sums = masses.reshape(targets, -1).sum(axis=1) * scales
    in_range = float(masses.min()) >= 0 and float(masses.max()) <= 1 + _ROUNDED
    if not in_range or (np.abs(sums - 1) > _ROUNDED).any():
        raise not_a_state("masses of a state are at least 0 and sum to 1", "others")
    weights = plain_numbers(state, "weights", (targets, len(hypotheses.names)))
    velocities = plain_numbers(state, "velocities", (targets, space.dimensions))
    cells = plain_numbers(state, "cells", (targets,), "i")
    ages = plain_numbers(state, "ages", (targets,), "i")
    sound = (weights >= 0).all() and (np.abs(weights.sum(axis=1) - 1) <= _ROUNDED).all()
    if not sound or cells.min() < -1 or cells.max() >= len(space) or ages.min() < 0:
        raise not_a_state(
            "weights, cells and ages of a state are those of a belief on this map", "others"
        )
    for k, belief in enumerate(beliefs):
        belief.place(list(masses[k]))
        belief.scale = float(scales[k])
        cell = None
        if cells[k] >= 0:
            cell = int(cells[k])
        belief.restore(tuple(weights[k].tolist()), cell, velocities[k], int(ages[k]))
    return masses, ticks
