"""Tracks that somebody lost from sight may be on, each with a weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit.landmarks import Landmarks
from fieldcraft.pursuit.motion.mixture import Motion

__all__ = ["Tracks"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

RUNS, HIDES, DOUBLES_BACK, STANDS, WANDERS = range(5)
_STAND_TRACKS = 8  # all alike
_STATE = ("cells", "weights", "kinds", "_goals", "_turns", "_credit", "_hides_in", "_behind")


class Tracks:
    """Many tracks of somebody, moment by moment a typical step on, each with a weight.

    `cells` (T, M) int32 are where each is from moment `now` on; `weights` (M,) add up to 1 as long as any is left; `kinds` (M,) what each
    does.
    """

    def __init__(self, marks: Landmarks, step: float) -> None:
        self.marks = marks
        self.step = step
        self.now = 0
        self.cells = np.empty((0, 0), dtype=np.int32)
        self.weights = np.empty(0)
        self.kinds = np.empty(0, dtype=np.int64)
        self._goals = np.empty(0, dtype=np.int64)
        self._turns = np.empty(0, dtype=np.int64)
        self._credit = np.empty(0)
        self._behind: Ints = np.arange(len(marks.places))
        self._hiding: list[tuple[Ints, float]] = []
        self._hides_in: Ints = np.empty(0, dtype=np.int64)

    def begin(
        self, motion: Motion, count: int, start: int, velocity: Floats, places: Floats, hiding: list[tuple[Ints, float]], moment: float,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        """Lay out tracks from a cell. `hiding` are ways to places to hide and how likely each is; a moment takes so many seconds."""
        shares = np.array(motion.shares)
        if not hiding:
            shares[HIDES] = 0.0
        if not shares.sum() > 0:
            shares[WANDERS] = 1.0
        shares = shares / shares.sum()
        counts = np.maximum(np.round(shares * count).astype(np.int64), shares > 0)
        counts[STANDS] = min(counts[STANDS], _STAND_TRACKS)
        self.kinds = np.repeat(np.arange(5), counts)
        self.weights = (shares / np.maximum(counts, 1))[self.kinds]
        many = len(self.kinds)
        self._goals = np.full(many, -1, dtype=np.int64)
        self._credit = np.zeros(many)
        self._turns = np.full(many, -1, dtype=np.int64)
        self.cells = np.full((1, many), start, dtype=np.int32)
        self.now = 0
        away = self.marks.away[:, start].astype(np.float64) / self.step
        onwards = self._onwards(start, velocity, places, away, motion.far)
        on = np.flatnonzero((self.kinds == RUNS) | (self.kinds == DOUBLES_BACK))
        self._goals[on] = rng.choice(len(onwards), len(on), p=onwards)
        loose = np.flatnonzero(self.kinds == WANDERS)
        self._goals[loose] = rng.choice(len(away), len(loose), p=_even(np.isfinite(away)))
        back = np.flatnonzero(self.kinds == DOUBLES_BACK)
        self._turns[back] = (rng.uniform(*motion.turn, len(back)) / moment).astype(np.int64)
        offsets = places[self.marks.places][:, : len(velocity)] - places[start][: len(velocity)]
        behind = np.flatnonzero((offsets @ velocity <= 0) & np.isfinite(away))
        far = behind[away[behind] >= motion.far]
        self._behind = far if len(far) else behind if len(behind) else np.flatnonzero(_even(np.isfinite(away)) > 0)
        self._hiding = hiding
        self._hides_in = np.full(many, -1, dtype=np.int64)
        hid = np.flatnonzero(self.kinds == HIDES)
        if len(hid):
            chances = np.array([chance for _, chance in hiding])
            self._hides_in[hid] = rng.choice(len(hiding), len(hid), p=chances / chances.sum())

    def _onwards(self, start: int, velocity: Floats, places: Floats, away: Floats, far: float) -> Floats:
        """How likely it is on the way to each landmark, by how it ran: the way there begins as it did."""
        here = np.full(len(away), start)
        for _ in range(3):
            here = self.marks.ahead[np.arange(len(away)), here].astype(np.int64)
        moves = places[here][:, : len(velocity)] - places[start][: len(velocity)]
        size = np.sqrt((moves**2).sum(axis=1)) * np.sqrt((velocity**2).sum())
        along = (moves @ velocity) / np.where(size > 0, size, np.inf)
        reach = min(far, float(np.median(away[np.isfinite(away)]))) if np.isfinite(away).any() else 0.0
        chance = np.where(np.isfinite(away) & (away >= reach), np.exp(4 * (along - 1)), 0.0) if velocity.any() else 1.0 * np.isfinite(away)
        return chance / chance.sum() if chance.sum() > 0 else _even(np.isfinite(away))

    def reach(self, moments: int, rng: np.random.Generator) -> None:
        """Know where all are for so many moments from now on."""
        missing = moments - len(self.cells)
        if missing <= 0:
            return
        rows = [self.cells[-1].astype(np.int64)]
        first = self.now + len(self.cells)
        every = np.arange(rows[0].size)
        for moment in range(first, first + missing):
            cells = rows[-1].copy()
            self._turn(moment, cells, rng)
            self._credit += self.step
            going = self._goals >= 0
            for _ in range(2):
                goals = np.maximum(self._goals, 0)
                size = self.marks.sizes[goals, cells]
                goes = going & (size > 0) & (size <= 2 * self._credit)
                if not goes.any():
                    break
                ahead = self.marks.ahead[goals[goes], cells[goes]]
                self._credit[goes] -= size[goes]
                cells[goes] = ahead
            self._credit[~going] = 0.0
            self._credit = np.minimum(self._credit, self.step)
            self._hide(moment, cells)
            rows.append(cells)
        self.cells = np.concatenate([self.cells, np.array(rows[1:], dtype=np.int32).reshape(missing, every.size)])

    def _turn(self, moment: int, cells: Ints, rng: np.random.Generator) -> None:
        """Choose another goal where one turns back, or has arrived."""
        turning = np.flatnonzero(self._turns == moment)
        if len(turning):
            self._goals[turning] = rng.choice(self._behind, len(turning))
        goals = np.maximum(self._goals, 0)
        there = np.flatnonzero((self._goals >= 0) & (self.marks.sizes[goals, cells] == 0))
        if len(there):
            self._goals[there] = rng.integers(0, len(self.marks.places), len(there))

    def _hide(self, moment: int, cells: Ints) -> None:
        """Go on to a place to hide."""
        for number in np.unique(self._hides_in[self._hides_in >= 0]).tolist():
            way = self._hiding[number][0]
            cells[self._hides_in == number] = way[min(moment, len(way) - 1)]

    def pass_moment(self, rng: np.random.Generator) -> None:
        """Let a moment pass."""
        self.reach(2, rng)
        self.cells = self.cells[1:]
        self.now += 1

    def look(self, seen: NDArray[np.bool_]) -> None:
        """Strike out those which would be seen now, and were not."""
        self.weights = np.where(seen[self.cells[0]], 0.0, self.weights)
        total = self.weights.sum()
        if total > 0:
            self.weights = self.weights / total

    @property
    def alive(self) -> Ints:
        """The numbers of tracks that may be true."""
        return np.flatnonzero(self.weights > 0)

    def renew(self, rng: np.random.Generator) -> None:
        """Let those that are struck out be others which may be true, up to now; from now on those which go somewhere may go elsewhere."""
        alive = self.alive
        dead = np.flatnonzero(self.weights == 0)
        if not len(alive) or not len(dead):
            return
        model = rng.choice(alive, len(dead), p=self.weights[alive] / self.weights[alive].sum())
        times = np.bincount(model, minlength=len(self.weights)) + (self.weights > 0)
        share = self.weights / np.maximum(times, 1)
        self.weights = share
        self.weights[dead] = share[model]
        for name in ("kinds", "_goals", "_turns", "_credit", "_hides_in"):
            values: NDArray[Any] = getattr(self, name)
            values[dead] = values[model]
        cells = self.cells[0].copy()
        cells[dead] = cells[model]
        loose = dead[(self._goals[dead] >= 0) & ((self.kinds[dead] != DOUBLES_BACK) | (self._turns[dead] < self.now))]
        self._goals[loose] = rng.integers(0, len(self.marks.places), len(loose))
        self.cells = cells[np.newaxis]

    def scatter(self, cells: Ints, chances: Floats, rng: np.random.Generator) -> None:
        """Begin anew among cells, wandering: nothing that was thought is true."""
        many = len(self.weights)
        self.kinds = np.full(many, WANDERS)
        self.cells = rng.choice(cells, many, p=chances / chances.sum()).astype(np.int32)[np.newaxis]
        self._goals = rng.integers(0, len(self.marks.places), many)
        still = rng.random(many) < 0.5
        self._goals[still], self.kinds[still] = -1, STANDS
        self._turns = np.full(many, -1, dtype=np.int64)
        self._hides_in = np.full(many, -1, dtype=np.int64)
        self._credit = np.zeros(many)
        self.weights = np.full(many, 1.0 / many)

    def chances(self, size: int) -> Floats:
        """How likely each cell is now, (size,)."""
        return np.bincount(self.cells[0], weights=self.weights, minlength=size).astype(np.float64)

    def state(self) -> dict[str, Any]:
        """All that changes, as plain data."""
        arrays = {name: getattr(self, name).copy() for name in _STATE}
        hiding = tuple((way.astype(np.int64), float(chance)) for way, chance in self._hiding)
        return arrays | {"now": self.now, "hiding": hiding}

    def take(self, state: Mapping[str, Any], size: int) -> None:
        """Go on from the state of others on this map of so many cells. Raises `KeyError`, `TypeError` or `ValueError` for what is none."""
        arrays = {name: np.array(state[name], dtype=getattr(self, name).dtype) for name in _STATE}
        hiding = [(np.array(way, dtype=np.int64), float(chance)) for way, chance in state["hiding"]]
        many = arrays["weights"].shape
        cells, goals = arrays["cells"], arrays["_goals"]
        fits = cells.ndim == 2 and len(cells) > 0 and all(arrays[name].shape == many for name in _STATE[1:] if name != "_behind")
        if not fits or cells.shape[1:] != many or not len(arrays["_behind"]):
            raise ValueError(f"tracks of shape {cells.shape} with {many} weights")
        marks = len(self.marks.places)
        inside = [(cells, size, 0), (goals, marks, -1), (arrays["_behind"], marks, 0), (arrays["_hides_in"], len(hiding), -1)]
        inside += [(way, size, 0) for way, _ in hiding]
        if any(len(values) == 0 or values.min() < low or values.max() >= high for values, high, low in inside):
            raise ValueError("tracks off the map")
        for name, values in arrays.items():
            setattr(self, name, values)
        self.now, self._hiding = int(state["now"]), hiding


def _even(some: NDArray[np.bool_]) -> Floats:
    """Equal chances for some, none for the others; for all if there are none."""
    found = some.astype(np.float64) if some.any() else np.ones(len(some))
    return np.asarray(found / found.sum())
