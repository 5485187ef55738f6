"""Tracks that somebody who was lost from sight may be on, each of which may be the true one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.pursuit.landmarks import Landmarks
from fieldcraft.pursuit.motion.mixture import Motion

__all__ = ["DOUBLES_BACK", "HIDES", "RUNS", "STANDS", "WANDERS", "Tracks"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

RUNS, HIDES, DOUBLES_BACK, STANDS, WANDERS = range(5)
_STAND_TRACKS = 8  # all alike
_DICE = 4  # for each track and look ahead
_STATE = ("cells", "weights", "kinds", "goals", "turns", "credit", "hides", "behind", "hiding")


class Tracks:
    """Many tracks of somebody, each with a weight, at the moment `now`; a moment is what a typical step takes.

    `cells` (M,) are where each is, `weights` (M,) add up to 1 as long as any is left, `kinds` (M,) what each does, and `goals` (M,) the
    landmark that each goes to, -1 for those who go nowhere.
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
        self.hides = np.empty(0, dtype=np.int64)
        self.behind = np.zeros(1, dtype=np.int64)
        self.hiding = np.zeros((1, 1), dtype=np.int32)
        self._onwards = np.ones((1, 1))

    def begin(
        self, motion: Motion, count: int, start: int, velocity: Floats, places: Floats, hiding: NDArray[np.int32], likely: Floats,
        moment: float, rng: np.random.Generator,
    ) -> None:  # fmt: skip
        """Lay out tracks from a cell. `hiding` (H, L) are ways to places to hide, a cell each moment, which takes so many seconds, and
        `likely` (H,) is how likely each is.
        """
        shares = np.array(motion.shares)
        if not len(hiding):
            shares[HIDES] = 0.0
        if not shares.sum() > 0:
            shares[WANDERS] = 1.0
        shares = shares / shares.sum()
        counts = np.maximum(np.round(shares * count).astype(np.int64), shares > 0)
        counts[STANDS] = min(counts[STANDS], _STAND_TRACKS)
        counts[HIDES] = len(hiding) if shares[HIDES] else 0
        self.kinds = np.repeat(np.arange(5), counts)
        self.weights = (shares / np.maximum(counts, 1))[self.kinds]
        many = len(self.kinds)
        self.now = 0
        self.cells = np.full(many, start, dtype=np.int64)
        self.goals, self.turns, self.hides = (np.full(many, -1, dtype=np.int64) for _ in range(3))
        self.credit = np.zeros(many)
        self.plan(motion)
        on = np.flatnonzero((self.kinds == RUNS) | (self.kinds == DOUBLES_BACK))
        self.goals[on] = rng.choice(len(self.marks.places), len(on), p=self._first(start, velocity, places, motion.far))
        loose = np.flatnonzero(self.kinds == WANDERS)
        away = self.marks.away[:, start]
        self.goals[loose] = rng.choice(len(away), len(loose), p=_shared(np.isfinite(away), self.marks.shares))
        back = np.flatnonzero(self.kinds == DOUBLES_BACK)
        self.turns[back] = np.maximum(rng.uniform(*motion.turn, len(back)) / moment, 1).astype(np.int64)
        self.behind = self._behind(start, velocity, places, motion.far)
        if len(hiding):
            self.hiding = hiding
            hid = np.flatnonzero(self.kinds == HIDES)
            self.hides[hid] = np.arange(len(hid))
            self.weights[hid] = shares[HIDES] * likely[: len(hid)]

    def plan(self, motion: Motion) -> None:
        """Work out where one goes on to from each landmark: to any that is far, by the share of the cells around it."""
        away = self.marks.away[:, self.marks.places].T
        some = np.isfinite(away) & (away > 0)
        middle = np.array([np.median(row[reached]) if reached.any() else 0.0 for row, reached in zip(away, some, strict=True)])
        far = some & (away >= np.minimum(motion.far * self.step, middle)[:, np.newaxis])
        chances = np.where(far, self.marks.shares, 0.0)
        chances[~far.any(axis=1)] = 1.0
        self._onwards = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)

    def _first(self, start: int, velocity: Floats, places: Floats, far: float) -> Floats:
        """How likely it is on the way to each landmark, by how it ran: the way there begins as it did."""
        away = self.marks.away[:, start].astype(np.float64) / self.step
        reached = np.isfinite(away)
        if not reached.any():
            return _shared(reached, self.marks.shares)
        reach = min(far, float(np.median(away[reached])))
        chance = np.where(reached & (away >= reach), self.marks.shares, 0.0)
        if velocity.any():
            chance = chance * np.exp(4 * (self._along(start, velocity, places) - 1))
        return chance / chance.sum() if chance.sum() > 0 else _shared(reached, self.marks.shares)

    def _along(self, start: int, velocity: Floats, places: Floats) -> Floats:
        """The cosine between how it ran and how the way to each landmark begins, three moments on."""
        ways = np.full((len(self.marks.places), 4), start, dtype=np.int32)
        self.lead(ways, np.arange(len(ways)), np.zeros(len(ways), dtype=np.int64))
        moves = places[ways[:, -1]][:, : len(velocity)] - places[start][: len(velocity)]
        size = np.sqrt((moves**2).sum(axis=1)) * np.sqrt((velocity**2).sum())
        return np.asarray((moves @ velocity) / np.where(size > 0, size, np.inf))

    def _behind(self, start: int, velocity: Floats, places: Floats, far: float) -> Ints:
        """The landmarks that one who doubles back may go to: behind those who chase it, far ones if there are any."""
        away = self.marks.away[:, start] / self.step
        offsets = places[self.marks.places][:, : len(velocity)] - places[start][: len(velocity)]
        behind = np.flatnonzero((offsets @ velocity <= 0) & np.isfinite(away))
        distant = behind[away[behind] >= far]
        return distant if len(distant) else behind if len(behind) else np.arange(len(away))

    def lead(self, ways: NDArray[np.int32], goals: Ints, begins: Ints) -> None:
        """Continue ways (P, T), a cell each moment, from the moments `begins` on to landmarks."""
        on = self.marks.ways
        kernels.foresee.lead(on.starts, on.ends, on.lengths, self.marks.links, self.step, goals, begins, ways)

    def _walk(
        self, rows: NDArray[np.int32], some: Ints | slice, rng: np.random.Generator, cells: Ints, goals: Ints, credit: Floats
    ) -> None:
        on, marks = self.marks.ways, self.marks
        dice = rng.random((len(cells), _DICE))
        kernels.foresee.walk(
            on.starts, on.ends, on.lengths, marks.links, self._onwards, self.behind, self.hiding, self.step, self.now, dice,
            self.turns[some], self.hides[some], cells, goals, credit, rows,
        )  # fmt: skip

    def ahead(self, moments: int, some: Ints, rng: np.random.Generator) -> NDArray[np.int32]:
        """Where some may be, (moments, M) cells from now on: one future of each."""
        rows = np.empty((moments, len(some)), dtype=np.int32)
        rows[0] = self.cells[some]
        self._walk(rows[1:], some, rng, self.cells[some], self.goals[some], self.credit[some])
        return rows

    def go_on(self, moment: int, rng: np.random.Generator) -> None:
        """Let time pass up to a moment."""
        if moment > self.now:
            rows = np.empty((moment - self.now, len(self.cells)), dtype=np.int32)
            self._walk(rows, slice(None), rng, self.cells, self.goals, self.credit)
            self.now = moment

    def look(self, seen: NDArray[np.bool_]) -> None:
        """Strike out those which would be seen now, and were not."""
        self.weights[seen[self.cells]] = 0.0
        total = self.weights.sum()
        if total > 0:
            self.weights /= total

    @property
    def alive(self) -> Ints:
        """The numbers of tracks that may be true."""
        return np.flatnonzero(self.weights > 0)

    def renew(self, rng: np.random.Generator) -> None:
        """Let those that are struck out be others which may be true, up to now: the same next step may lead them elsewhere."""
        alive = self.alive
        dead = np.flatnonzero(self.weights == 0)
        if not len(alive) or not len(dead):
            return
        model = rng.choice(alive, len(dead), p=self.weights[alive] / self.weights[alive].sum())
        times = np.bincount(model, minlength=len(self.weights)) + (self.weights > 0)
        self.weights /= np.maximum(times, 1)
        self.weights[dead] = self.weights[model]
        for values in (self.cells, self.kinds, self.goals, self.turns, self.credit, self.hides):
            values[dead] = values[model]
        self._differ(dead[self.goals[dead] >= 0], rng)

    def _differ(self, some: Ints, rng: np.random.Generator) -> None:
        """Choose other goals for some tracks, to which the next step is the same."""
        links = self.marks.links[self.cells[some], : len(self.marks.places)]
        alike = links == links[np.arange(len(some)), self.goals[some]][:, np.newaxis]
        chances = np.cumsum(np.where(alike, self.marks.shares, 0.0), axis=1)
        drawn = rng.random((len(some), 1)) * chances[:, -1:]
        self.goals[some] = (chances <= drawn).sum(axis=1).clip(0, links.shape[1] - 1)

    def scatter(self, cells: Ints, chances: Floats, rng: np.random.Generator) -> None:
        """Begin anew among cells, each so likely, wandering or standing: nothing that was thought is true."""
        many = len(self.weights)
        self.cells = rng.choice(cells, many, p=chances / chances.sum()).astype(np.int64)
        self.goals = rng.integers(0, len(self.marks.places), many)
        still = rng.random(many) < 0.5
        self.goals[still] = -1
        self.kinds = np.where(still, STANDS, WANDERS)
        self.turns, self.hides = (np.full(many, -1, dtype=np.int64) for _ in range(2))
        self.credit = np.zeros(many)
        self.weights = np.full(many, 1.0 / many)

    def chances(self, size: int) -> Floats:
        """How likely each cell is now, (size,)."""
        return np.bincount(self.cells, weights=self.weights, minlength=size).astype(np.float64)

    def state(self) -> dict[str, Any]:
        """All that changes, as plain data."""
        return {name: getattr(self, name).copy() for name in _STATE} | {"now": self.now}

    def take(self, state: Mapping[str, Any], size: int) -> None:
        """Go on from the state of others on this map of so many cells. Raises `KeyError`, `TypeError` or `ValueError` for what is none."""
        arrays = {name: np.array(state[name], dtype=getattr(self, name).dtype) for name in _STATE}
        many = arrays["weights"].shape
        if len(many) != 1 or any(arrays[name].shape != many for name in _STATE[:-2]) or arrays["hiding"].ndim != 2:
            raise ValueError(f"tracks of shape {arrays['cells'].shape} with {many} weights")
        marks, places = len(self.marks.places), len(arrays["hiding"])
        inside = [("cells", 0, size), ("goals", -1, marks), ("behind", 0, marks), ("hides", -1, places), ("hiding", 0, size)]
        for name, low, high in inside:
            values = arrays[name]
            if not values.size or values.min() < low or values.max() >= high:
                raise ValueError(f"{name} of tracks off the map")
        if not (np.isfinite(arrays["weights"]).all() and np.isfinite(arrays["credit"]).all() and arrays["weights"].min() >= 0):
            raise ValueError("weights of tracks are numbers of at least 0")
        for name, values in arrays.items():
            setattr(self, name, values)
        self.now = int(state["now"])


def _shared(some: NDArray[np.bool_], shares: Floats) -> Floats:
    """The shares of some, none for the others; of all if there are none."""
    found = np.where(some, shares, 0.0) if some.any() else shares
    return np.asarray(found / found.sum())
