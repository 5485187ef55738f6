"""Particles that somebody who was lost from sight may be on, each of which may be the true one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.motion.mixture import Motion
from fieldcraft.pursuit.visibility import Landmarks, joined, shared_out
from fieldcraft.space import Space

__all__ = ["DOUBLES_BACK", "HIDES", "KINDS", "RUNS", "STANDS", "WANDERS", "Lost", "Particles"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

KINDS = ("runs", "hides", "doubles back", "stands", "wanders")
RUNS, HIDES, DOUBLES_BACK, STANDS, WANDERS = range(len(KINDS))
_STANDING = 8  # all alike
_DICE = 4  # for each particle and look ahead
_BACK = 80  # moments in which one who doubles back is on a way of its own,
_BEHIND = 8  # and to how many places these lead
_PARTICLE = ("cells", "weights", "kinds", "goals", "turns", "credit", "follows", "lasts")
_STATE = (*_PARTICLE, "behind", "given")


class Lost(NamedTuple):
    """The last that was seen of the target: its `cell` a moment ago and its `velocity`; which cells
    (N,) the nearest of those who search for it sees, `watched`; and the seconds of a `moment`.
    """

    space: Space
    cell: int
    velocity: Floats
    watched: NDArray[np.bool_]
    moment: float


class Particles:
    """Weighted particles of a target at the moment `now`; a moment is what a typical step takes.

    `cells` (M,) are where each is, `weights` (M,) add up to 1 as long as any is left, `kinds` (M,)
    what each does, and `goals` (M,) the landmark that each goes to, -1 for those who go nowhere.
    """

    def __init__(self, marks: Landmarks, step: float) -> None:
        self.marks = marks
        self.step = step
        self.now = 0
        self.cells = np.empty(0, dtype=np.int64)
        self.weights = np.empty(0)
        self.kinds = np.empty(0, dtype=np.int64)
        self.goals = np.empty(0, dtype=np.int64)
        self.turns = np.empty(0, dtype=np.int64)
        self.credit = np.empty(0)
        self.follows = np.empty(0, dtype=np.int64)
        self.lasts = np.empty(0, dtype=np.int64)
        self.behind = np.zeros(1, dtype=np.int64)
        self.given = np.zeros((1, 1), dtype=np.int32)
        self._onwards = np.ones((1, 1))

    def begin(
        self,
        motion: Motion,
        count: int,
        lost: Lost,
        hiding: NDArray[np.int32],
        likely: Floats,
        rng: np.random.Generator,
    ) -> None:
        """Lay out particles. `hiding` (H, L) are ways to places to hide, a cell each moment, and
        `likely` (H,) is how likely each is.
        """
        shares = np.array(motion.shares)
        if not len(hiding):
            shares[HIDES] = 0.0
        if not shares.sum() > 0:
            shares[WANDERS] = 1.0
        shares = shares / shares.sum()
        counts = np.maximum(np.round(shares * count).astype(np.int64), shares > 0)
        counts[STANDS] = min(counts[STANDS], _STANDING)
        counts[HIDES] = len(hiding) if shares[HIDES] else 0
        self.kinds = np.repeat(np.arange(len(KINDS)), counts)
        self.weights = (shares / np.maximum(counts, 1))[self.kinds]
        many = len(self.kinds)
        self.now = 0
        self.cells = np.full(many, lost.cell, dtype=np.int64)
        self.goals, self.turns, self.follows = (np.full(many, -1, dtype=np.int64) for _ in range(3))
        self.credit = np.zeros(many)
        self.lasts = np.full(many, self._straight(lost), dtype=np.int64)
        self.plan(motion)
        on = np.flatnonzero((self.kinds == RUNS) | (self.kinds == DOUBLES_BACK))
        first = self._first(lost, motion.far)
        self.goals[on] = rng.choice(len(self.marks.places), len(on), p=first)
        self.credit[on] = self.step  # it was seen a moment ago
        still = np.flatnonzero(self.kinds == STANDS)
        self.cells[still] = self._stopped(lost, first, len(still), rng)
        loose = np.flatnonzero(self.kinds == WANDERS)
        reached = shared_out(np.isfinite(self.marks.away[:, lost.cell]), self.marks.shares)
        self.goals[loose] = rng.choice(len(reached), len(loose), p=reached)
        self.behind = self._behind(lost, motion.far)
        hid, back = (np.flatnonzero(self.kinds == kind) for kind in (HIDES, DOUBLES_BACK))
        turns = np.maximum(rng.uniform(*motion.turn, len(back)) / lost.moment, 1).astype(np.int64)
        soon = turns < _BACK  # who turns later goes back as it comes
        given = joined(hiding, self._ways_back(back[soon], turns[soon], lost, rng))
        if len(given):
            self.given = given
        self.turns[back] = turns
        self.follows[hid] = np.arange(len(hid))
        self.weights[hid] = shares[HIDES] * likely[: len(hid)]
        self.follows[back[soon]] = len(hiding) + np.arange(np.count_nonzero(soon))

    def _stopped(
        self, lost: Lost, first: Floats, count: int, rng: np.random.Generator
    ) -> NDArray[np.int32]:
        """Cells a moment or two on, in which it may have stopped on the way to landmarks that are
        so likely `first`.
        """
        ways = np.full((count, 3), lost.cell, dtype=np.int32)
        goals = rng.choice(len(self.marks.places), count, p=first)
        self.marks.lead(ways, self.step, goals, np.zeros(count, dtype=np.int64))
        return ways[np.arange(count), 1 + np.arange(count) % 2]

    def _ways_back(
        self, back: Ints, turns: Ints, lost: Lost, rng: np.random.Generator
    ) -> NDArray[np.int32]:
        """Paths (B, L) of those who double back: as they ran, and from the moments `turns` on to a
        place behind, round what is watched.
        """
        ways = np.empty((len(back), _BACK), dtype=np.int32)
        if not len(back):
            return ways
        rows = np.empty((_BACK - 1, len(back)), dtype=np.int32)
        self._walk(
            rows, back, rng, self.cells[back], self.goals[back], self.credit[back], self.lasts[back]
        )
        ways[:, 0], ways[:, 1:] = lost.cell, rows.T
        some = rng.choice(self.behind, min(_BEHIND, len(self.behind)), replace=False)
        which = rng.integers(len(some), size=len(back))
        self.goals[back] = some[which]
        fields = np.array([self._round(lost, int(self.marks.places[goal])) for goal in some])
        round_it = np.isfinite(fields[which, ways[np.arange(len(back)), turns]])
        goals = np.where(round_it, len(self.marks.places) + which, self.goals[back])
        self.marks.lead(ways, self.step, goals, turns, fields)
        return ways

    def _round(self, lost: Lost, goal: int) -> NDArray[np.float32]:
        """How far it is to a cell round those that are watched."""
        cost = np.where(lost.watched, np.inf, 1.0)
        cost[goal] = 1.0
        ways = distance_map(
            lost.space,
            lost.space.position_of(goal),
            cost=cost.reshape(lost.space.shape),
            limit=2 * _BACK * self.step,
        )
        return ways.values.reshape(-1)

    def _straight(self, lost: Lost) -> int:
        """By how much the number of the cell changes in the step that goes on as it ran, 0 if
        nobody knows how.
        """
        on = self.marks.ways
        ends = on.ends[on.starts[lost.cell] : on.starts[lost.cell + 1]]
        if not len(ends) or not lost.velocity.any():
            return 0
        moves = (lost.space.positions[ends] - lost.space.positions[lost.cell])[
            :, : len(lost.velocity)
        ]
        sizes = np.sqrt((moves**2).sum(axis=1))
        return (
            int(ends[np.argmax((moves @ lost.velocity) / np.where(sizes > 0, sizes, np.inf))])
            - lost.cell
        )

    def plan(self, motion: Motion) -> None:
        """Work out where one goes on to from each landmark: to any that is far, by the share of the
        cells around it.
        """
        away = self.marks.away[:, self.marks.places].T
        some = np.isfinite(away) & (away > 0)
        middle = np.array(
            [
                np.median(row[reached]) if reached.any() else 0.0
                for row, reached in zip(away, some, strict=True)
            ]
        )
        far = some & (away >= np.minimum(motion.far * self.step, middle)[:, np.newaxis])
        chances = np.where(far, self.marks.shares, 0.0)
        chances[~far.any(axis=1)] = 1.0
        self._onwards = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)

    def _first(self, lost: Lost, far: float) -> Floats:
        """How likely it is on the way to each landmark, by how it ran: the way there begins as it
        did.
        """
        away = self.marks.away[:, lost.cell].astype(np.float64) / self.step
        reached = np.isfinite(away)
        if not reached.any():
            return shared_out(reached, self.marks.shares)
        reach = min(far, float(np.median(away[reached])))
        chance = np.where(reached & (away >= reach), self.marks.shares, 0.0)
        if lost.velocity.any():
            chance = chance * np.exp(4 * (self._along(lost) - 1))
        return chance / chance.sum() if chance.sum() > 0 else shared_out(reached, self.marks.shares)

    def _along(self, lost: Lost) -> Floats:
        """The cosine between how it ran and how the way to each landmark begins, three moments
        on.
        """
        ways = np.full((len(self.marks.places), 4), lost.cell, dtype=np.int32)
        self.marks.lead(ways, self.step, np.arange(len(ways)), np.zeros(len(ways), dtype=np.int64))
        moves = (lost.space.positions[ways[:, -1]] - lost.space.positions[lost.cell])[
            :, : len(lost.velocity)
        ]
        size = np.sqrt((moves**2).sum(axis=1)) * np.sqrt((lost.velocity**2).sum())
        return np.asarray((moves @ lost.velocity) / np.where(size > 0, size, np.inf))

    def _behind(self, lost: Lost, far: float) -> Ints:
        """The landmarks that one who doubles back may go to: behind those who chase it, far ones if
        there are any.
        """
        away = self.marks.away[:, lost.cell] / self.step
        offsets = (lost.space.positions[self.marks.places] - lost.space.positions[lost.cell])[
            :, : len(lost.velocity)
        ]
        behind = np.flatnonzero((offsets @ lost.velocity <= 0) & np.isfinite(away))
        distant = behind[away[behind] >= far]
        return distant if len(distant) else behind if len(behind) else np.arange(len(away))

    def _walk(
        self,
        rows: NDArray[np.int32],
        some: Ints | slice,
        rng: np.random.Generator,
        cells: Ints,
        goals: Ints,
        credit: Floats,
        lasts: Ints,
    ) -> None:
        on, marks = self.marks.ways, self.marks
        dice = rng.random((len(cells), _DICE))
        kernels.foresee.walk(
            (on.starts, on.ends, on.lengths),
            (marks.links, marks.away, self._onwards),
            self.behind,
            self.given,
            dice,
            self.turns[some],
            self.follows[some],
            self.step,
            self.now,
            (cells, goals, credit, lasts),
            rows,
        )

    def ahead(self, moments: int, some: Ints, rng: np.random.Generator) -> NDArray[np.int32]:
        """Where some may be, (moments, M) cells from now on: one future of each."""
        rows = np.empty((moments, len(some)), dtype=np.int32)
        rows[0] = self.cells[some]
        self._walk(
            rows[1:],
            some,
            rng,
            self.cells[some],
            self.goals[some],
            self.credit[some],
            self.lasts[some],
        )
        return rows

    def go_on(self, moment: int, rng: np.random.Generator) -> None:
        """Let time pass up to a moment."""
        if moment > self.now:
            rows = np.empty((moment - self.now, len(self.cells)), dtype=np.int32)
            self._walk(rows, slice(None), rng, self.cells, self.goals, self.credit, self.lasts)
            self.now = moment

    def observe(self, seen: NDArray[np.bool_]) -> None:
        """Strike out those which would be seen now, and were not."""
        self.weights[seen[self.cells]] = 0.0
        total = self.weights.sum()
        if total > 0:
            self.weights /= total

    @property
    def alive(self) -> Ints:
        """The numbers of particles that may be true."""
        return np.flatnonzero(self.weights > 0)

    def resample(self, rng: np.random.Generator) -> None:
        """Let those that are struck out be others which may be true, up to now: the same next step
        may lead them elsewhere.
        """
        alive = self.alive
        dead = np.flatnonzero(self.weights == 0)
        if not len(alive) or not len(dead):
            return
        model = rng.choice(alive, len(dead), p=self.weights[alive] / self.weights[alive].sum())
        times = np.bincount(model, minlength=len(self.weights)) + (self.weights > 0)
        self.weights /= np.maximum(times, 1)
        self.weights[dead] = self.weights[model]
        for values in (
            self.cells,
            self.kinds,
            self.goals,
            self.turns,
            self.credit,
            self.lasts,
            self.follows,
        ):
            values[dead] = values[model]
        going = dead[self.goals[dead] >= 0]
        self.follows[going] = -1
        self._differ(going, rng)

    def _differ(self, some: Ints, rng: np.random.Generator) -> None:
        """Choose other goals for some particles, to which the next step is the same."""
        links = self.marks.links[:, self.cells[some]].T
        alike = links == links[np.arange(len(some)), self.goals[some]][:, np.newaxis]
        chances = np.cumsum(np.where(alike, self.marks.shares, 0.0), axis=1)
        drawn = rng.random((len(some), 1)) * chances[:, -1:]
        self.goals[some] = (chances <= drawn).sum(axis=1).clip(0, links.shape[1] - 1)

    def reinitialize(self, cells: Ints, rng: np.random.Generator) -> None:
        """Begin anew among cells, wandering or standing: no particle was true."""
        many = len(self.weights)
        self.cells = rng.choice(cells, many).astype(np.int64)
        self.goals = rng.integers(0, len(self.marks.places), many)
        still = rng.random(many) < 0.5
        self.goals[still] = -1
        self.kinds = np.where(still, STANDS, WANDERS)
        self.turns, self.follows = (np.full(many, -1, dtype=np.int64) for _ in range(2))
        self.credit, self.lasts = np.zeros(many), np.zeros(many, dtype=np.int64)
        self.weights = np.full(many, 1.0 / many)

    def chances(self, size: int) -> Floats:
        """How likely each cell is now, (size,)."""
        return np.bincount(self.cells, weights=self.weights, minlength=size).astype(np.float64)

    def state(self) -> dict[str, Any]:
        """All that changes, as plain data."""
        return {name: getattr(self, name).copy() for name in _STATE} | {"now": self.now}

    def take(self, state: Mapping[str, Any], size: int) -> None:
        """Go on from the state of others on this map of so many cells. Raises `KeyError`,
        `TypeError` or `ValueError` for what is none.
        """
        arrays = {name: np.array(state[name], dtype=getattr(self, name).dtype) for name in _STATE}
        many = arrays["weights"].shape
        if (
            len(many) != 1
            or any(arrays[name].shape != many for name in _PARTICLE)
            or arrays["given"].ndim != 2
        ):
            raise ValueError(f"particles of shape {arrays['cells'].shape} with {many} weights")
        marks, places = len(self.marks.places), len(arrays["given"])
        inside = [
            ("cells", 0, size),
            ("goals", -1, marks),
            ("behind", 0, marks),
            ("follows", -1, places),
            ("lasts", -size, size),
            ("given", 0, size),
        ]
        for name, low, high in inside:
            values = arrays[name]
            if not values.size or values.min() < low or values.max() >= high:
                raise ValueError(f"{name} of particles off the map")
        if not (
            np.isfinite(arrays["weights"]).all()
            and np.isfinite(arrays["credit"]).all()
            and arrays["weights"].min() >= 0
        ):
            raise ValueError("weights of particles are numbers of at least 0")
        for name, values in arrays.items():
            setattr(self, name, values)
        self.now = int(state["now"])
