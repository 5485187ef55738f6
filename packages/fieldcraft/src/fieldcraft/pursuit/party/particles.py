"""A particle filter for a target out of sight: possible targets, each with a weight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.pursuit.rollout_arrays import LandmarkPaths, Walkers
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.kernels.shared.step_lists import OutSteps
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.landmarks import Landmarks, normalized_shares
from fieldcraft.pursuit.motion.motion import Motion
from fieldcraft.space import Grid, Space
from fieldcraft.space.kinds import graph_of

HYPOTHESES = ("runs", "hides", "doubles back", "stands", "wanders")
RUNS, HIDES, DOUBLES_BACK, STANDS, WANDERS = range(len(HYPOTHESES))
_STANDING = 8  # At most so many particles stand: they are all alike.
_DRAWS = 4  # Each particle gets so many random numbers for a walk.
_BACK = 80  # A path back has so many moments.
_LONGEST = 100_000  # Particles walk at most so many moments from one look to the next.
_CELLS_AT_ONCE = 4_000_000  # Their cells in so many moments take 16 MB.
_BEHIND = 8  # Paths back lead to so many landmarks.
_HEADING = 4.0  # How strongly a target keeps its direction, as `Run.heading`.
_PARTICLE = ("cells", "weights", "kinds", "goals", "turns", "credit", "path_rows", "moves")
_STATE = (*_PARTICLE, "behind", "paths", "marks")


class LostTarget(NamedTuple):
    """The last sighting of a target: its `cell` a moment ago and its `velocity`; the cells (N,) in
    sight of the nearest searcher, `watched`; and the seconds of a `moment`.
    """

    space: Space
    cell: int
    velocity: Floats
    watched: NDArray[np.bool_]
    moment: float


class Particles:
    """Weighted particles of a target at the moment `now`; a typical step takes a moment.

    `cells` (M,) are their positions, and `weights` (M,) sum to 1 as long as any is left. `kinds`
    (M,) is the hypothesis of each, `goals` (M,) the landmark that it goes to, -1 for none, and
    `turns` (M,) the moment at which it goes to a landmark of `behind`. Landmarks are counted as in
    `marks` (K,), the cells where they are; `follow` gives the particles landmarks before their
    first use, and others after each change of walls. `path_rows` (M,) is the row of `paths` (H, L)
    that it follows first, -1 for none. `credit` (M,) is how far it is past its cell, and `moves`
    (M,) by how much the number of its cell changed in the last move.
    """

    landmarks: Landmarks
    _onwards: Floats

    def __init__(self, step: float, motion: Motion) -> None:
        self.step = step
        self.motion = motion
        self.now = 0
        self.marks = np.zeros(0, dtype=np.int64)
        self.cells = np.empty(0, dtype=np.int64)
        self.kinds = np.empty(0, dtype=np.int64)
        self.goals = np.empty(0, dtype=np.int64)
        self.turns = np.empty(0, dtype=np.int64)
        self.path_rows = np.empty(0, dtype=np.int64)
        self.moves = np.empty(0, dtype=np.int64)
        self.weights = np.empty(0)
        self.credit = np.empty(0)
        self.behind = np.zeros(1, dtype=np.int64)
        self.paths = np.zeros((1, 1), dtype=np.int32)

    def follow(self, space: Space, landmarks: Landmarks) -> None:
        """Use the current walls and their landmarks.

        Particles in walls lose their weight. Goals become the landmarks nearest to them. A particle
        whose path leads through a wall goes to the landmark nearest to the end of the path.
        """
        self.landmarks = landmarks
        self._onwards = self._cumulative_onwards()
        walls = space.walls.reshape(-1)
        if self.weights[walls[self.cells]].any():
            self.observe(walls)
        if len(self.marks):
            nearest = self._nearest_landmarks(space, self.marks)
            going = self.goals >= 0
            self.goals[going] = nearest[self.goals[going]]
            self.behind = nearest[self.behind]
        self.marks = landmarks.places
        led = np.flatnonzero(self.path_rows >= 0)
        blocked = led[~self._passable(space)[self.path_rows[led]]]
        ends = self.paths[self.path_rows[blocked], -1].astype(np.int64)
        self.goals[blocked] = self._nearest_landmarks(space, ends)
        self.path_rows[blocked] = -1

    def _nearest_landmarks(self, space: Space, cells: Ints) -> Ints:
        """Return the numbers of the landmarks that are nearest to some cells on foot."""
        opened = np.atleast_1d(space.nearest_open(cells))
        return np.asarray(self.landmarks.away[:, opened].argmin(axis=0), dtype=np.int64)

    def _passable(self, space: Space) -> NDArray[np.bool_]:
        """Return which of the `paths` lead over open cells and steps from now on, (H,)."""
        ahead = self.paths[:, min(self.now, self.paths.shape[1] - 1) :].astype(np.int64)
        before = ahead[:, :-1]
        after = ahead[:, 1:]
        joined = before == after
        rows, moments = np.nonzero(~joined)
        joined[rows, moments] = self._joined(space, before[rows, moments], after[rows, moments])
        walls = space.walls.reshape(-1)
        return np.asarray(joined.all(axis=1) & ~walls[ahead].any(axis=1))

    def _joined(self, space: Space, origins: Ints, ends: Ints) -> NDArray[np.bool_]:
        """Return which of some pairs of cells, (K,) each, the steps of one moment may join."""
        steps = space.adjacency
        if isinstance(space, Grid):
            # A step counts when half of it is walked, and a target begins with one in advance.
            longest = float(steps.lengths.max(initial=0.0))
            most = math.floor(1.5 + max(1.0, longest / (2 * self.step)))
            return steps.join(origins, ends, most)
        # A moment may pass many short edges; only two, or a single one, are looked up.
        found = steps.join(origins, ends, 2)
        found |= graph_of(space).topology.arcs_between(origins, ends) < 0
        return found

    def _cumulative_onwards(self) -> Floats:
        """Return the cumulative chances (K, K) of the next landmark after each: a far one, in
        proportion to the cells around it.
        """
        away = self.landmarks.away[:, self.landmarks.places].T
        some = np.isfinite(away) & (away > 0)
        middle = np.zeros(len(away))
        for number, (row, reached) in enumerate(zip(away, some, strict=True)):
            if reached.any():
                middle[number] = np.median(row[reached])
        far = some & (away >= np.minimum(self.motion.far * self.step, middle)[:, np.newaxis])
        chances = np.where(far, self.landmarks.shares, 0.0)
        chances[~far.any(axis=1)] = 1.0
        return np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)

    # Initialization

    def begin(
        self,
        count: int,
        lost: LostTarget,
        hiding: NDArray[np.int32],
        likely: Floats,
        rng: np.random.Generator,
    ) -> None:
        """Draw about `count` particles. `hiding` (H, L) are paths to hiding places, one cell per
        moment, and `likely` (H,) is how likely each is.
        """
        shares = np.array(self.motion.shares)
        if not len(hiding):
            shares[HIDES] = 0.0
        if not shares.sum() > 0:
            shares[WANDERS] = 1.0
        shares = shares / shares.sum()
        counts = np.maximum(np.round(shares * count).astype(np.int64), shares > 0)
        counts[STANDS] = min(counts[STANDS], _STANDING)
        counts[HIDES] = 0
        if shares[HIDES]:
            counts[HIDES] = len(hiding)
        self.kinds = np.repeat(np.arange(len(HYPOTHESES)), counts)
        self.weights = (shares / np.maximum(counts, 1))[self.kinds]
        many = len(self.kinds)
        runs = np.flatnonzero(self.kinds == RUNS)
        hid = np.flatnonzero(self.kinds == HIDES)
        back = np.flatnonzero(self.kinds == DOUBLES_BACK)
        still = np.flatnonzero(self.kinds == STANDS)
        wanders = np.flatnonzero(self.kinds == WANDERS)
        self.cells = np.full(many, lost.cell, dtype=np.int64)
        self.goals = np.full(many, -1, dtype=np.int64)
        self.turns = np.full(many, -1, dtype=np.int64)
        self.path_rows = np.full(many, -1, dtype=np.int64)
        self.credit = np.zeros(many)
        self.moves = np.full(many, self._straight(lost), dtype=np.int64)
        on = np.concatenate([runs, back])
        first = self._first_goals(lost)
        self.goals[on] = rng.choice(len(first), len(on), p=first)
        self.credit[on] = self.step  # it was seen a moment ago
        self.cells[still] = self._stopped(lost, first, len(still), rng)
        reached = np.isfinite(self.landmarks.away[:, lost.cell])
        anywhere = normalized_shares(reached, self.landmarks.shares)
        self.goals[wanders] = rng.choice(len(anywhere), len(wanders), p=anywhere)
        self.behind = self._goals_behind(lost)
        seconds = rng.uniform(*self.motion.turn, len(back))
        turns = np.maximum(seconds / lost.moment, 1).astype(np.int64)
        soon = turns < _BACK  # those that turn later go back as they come
        given = _joined(hiding, self._paths_back(back[soon], turns[soon], lost, rng))
        if len(given):
            self.paths = given
        self.turns[back] = turns
        self.path_rows[hid] = np.arange(len(hid))
        self.weights[hid] = shares[HIDES] * likely[: len(hid)]
        self.path_rows[back[soon]] = len(hiding) + np.arange(np.count_nonzero(soon))

    def _straight(self, lost: LostTarget) -> int:
        """Return by how much the number of the cell changes in the step along the velocity, 0 if
        that is unknown.
        """
        arcs = self.landmarks.adjacency
        ends = arcs.ends[arcs.starts[lost.cell] : arcs.starts[lost.cell + 1]]
        if not len(ends) or not lost.velocity.any():
            return 0
        return int(ends[np.argmax(_cosines(lost, ends))]) - lost.cell

    def _first_goals(self, lost: LostTarget) -> Floats:
        """Return how likely each landmark is the first goal: the more, the better the path there
        continues the velocity.
        """
        away = self.landmarks.away[:, lost.cell].astype(np.float64) / self.step
        reached = np.isfinite(away)
        if not reached.any():
            return normalized_shares(reached, self.landmarks.shares)
        reach = min(self.motion.far, float(np.median(away[reached])))
        chance = np.where(reached & (away >= reach), self.landmarks.shares, 0.0)
        if lost.velocity.any():
            paths = np.full((len(away), 4), lost.cell, dtype=np.int32)
            self.landmarks.extend(paths, self.step, np.arange(len(paths)))
            chance = chance * np.exp(_HEADING * (_cosines(lost, paths[:, -1]) - 1))
        total = chance.sum()
        if total > 0:
            return np.asarray(chance / total)
        return normalized_shares(reached, self.landmarks.shares)

    def _stopped(
        self, lost: LostTarget, first: Floats, count: int, rng: np.random.Generator
    ) -> NDArray[np.int32]:
        """Return cells a moment or two later, where a target may have stopped."""
        paths = np.full((count, 3), lost.cell, dtype=np.int32)
        self.landmarks.extend(paths, self.step, rng.choice(len(first), count, p=first))
        return paths[np.arange(count), 1 + np.arange(count) % 2]

    def _goals_behind(self, lost: LostTarget) -> Ints:
        """Return the landmarks behind the searchers, far ones if there are any."""
        places = self.landmarks.places
        away = self.landmarks.away[:, lost.cell] / self.step
        behind = np.flatnonzero((_offsets(lost, places) @ lost.velocity <= 0) & np.isfinite(away))
        distant = behind[away[behind] >= self.motion.far]
        if len(distant):
            return distant
        if len(behind):
            return behind
        return np.arange(len(away))

    def _paths_back(
        self, back: Ints, turns: Ints, lost: LostTarget, rng: np.random.Generator
    ) -> NDArray[np.int32]:
        """Return paths (B, L) of targets that double back: onwards, and from the moments `turns` on
        to a landmark behind, around the watched cells.
        """
        paths = np.empty((len(back), _BACK), dtype=np.int32)
        if not len(back):
            return paths
        paths[:, 0] = lost.cell
        paths[:, 1:] = self._walk(_BACK - 1, back, rng).T
        some = rng.choice(self.behind, min(_BEHIND, len(self.behind)), replace=False)
        which = rng.integers(len(some), size=len(back))
        self.goals[back] = some[which]
        places = self.landmarks.places
        fields = np.array([self._around_watched(lost, int(places[goal])) for goal in some])
        around = np.isfinite(fields[which, paths[np.arange(len(back)), turns]])
        goals = np.where(around, len(places) + which, self.goals[back])
        self.landmarks.extend(paths, self.step, goals, turns, fields)
        return paths

    def _around_watched(self, lost: LostTarget, goal: int) -> NDArray[np.float32]:
        """Return the distance of each cell to a goal around the watched cells."""
        cost = np.where(lost.watched, np.inf, 1.0)
        cost[goal] = 1.0
        distances = distance_map(
            lost.space,
            lost.space.position_of(goal),
            cost=cost.reshape(lost.space.shape),
            limit=2 * _BACK * self.step,
        )
        return distances.values.reshape(-1)

    # Motion

    def _walk(
        self, moments: int, some: Ints | slice, rng: np.random.Generator
    ) -> NDArray[np.int32]:
        """Return where some particles are in the next moments, (moments, M).

        With a slice the particles are moved, because NumPy returns views of slices. With numbers
        copies of them are, and the particles stay.
        """
        arcs = self.landmarks.adjacency
        marks = self.landmarks
        cells = self.cells[some]
        rows = np.empty((moments, len(cells)), dtype=np.int32)
        kernels.pursuit.rollout_steps.walk(
            OutSteps(arcs.starts, arcs.ends, arcs.lengths),
            LandmarkPaths(marks.links, marks.away, self._onwards),
            self.behind,
            self.paths,
            rng.random((len(cells), _DRAWS)),
            self.turns[some],
            self.path_rows[some],
            self.step,
            self.now,
            Walkers(cells, self.goals[some], self.credit[some], self.moves[some]),
            rows,
        )
        return rows

    def ahead(self, moments: int, some: Ints, rng: np.random.Generator) -> NDArray[np.int32]:
        """Return one future of some particles, (moments, M) cells from now on."""
        here = self.cells[some].astype(np.int32)[np.newaxis]
        return np.concatenate([here, self._walk(moments - 1, some, rng)])

    def advance_to(self, moment: int, rng: np.random.Generator) -> None:
        """Move all particles up to a moment. Of a very long time they walk the last part, after
        which they may be anywhere.
        """
        self.now = max(self.now, moment - _LONGEST)
        most = max(1, _CELLS_AT_ONCE // len(self.cells))
        while self.now < moment:
            count = min(most, moment - self.now)
            self._walk(count, slice(None), rng)
            self.now += count

    # Updates

    def observe(self, seen: NDArray[np.bool_]) -> None:
        """Remove the weight of the particles in cells where the target was not seen."""
        self.weights[seen[self.cells]] = 0.0
        total = self.weights.sum()
        if total > 0:
            self.weights /= total

    @property
    def alive(self) -> Ints:
        """The numbers of particles with a weight."""
        return np.flatnonzero(self.weights > 0)

    def resample(self, rng: np.random.Generator) -> None:
        """Replace particles without weight by copies of others, which may go on to other goals that
        begin with the same step.
        """
        alive = self.alive
        dead = np.flatnonzero(self.weights == 0)
        if not len(alive) or not len(dead):
            return
        model = rng.choice(alive, len(dead), p=self.weights[alive] / self.weights[alive].sum())
        times = np.bincount(model, minlength=len(self.weights)) + (self.weights > 0)
        self.weights /= np.maximum(times, 1)
        for name in _PARTICLE:
            values = getattr(self, name)
            values[dead] = values[model]
        going = dead[self.goals[dead] >= 0]
        self.path_rows[going] = -1
        links = self.landmarks.links[:, self.cells[going]].T
        alike = links == links[np.arange(len(going)), self.goals[going]][:, np.newaxis]
        chances = np.cumsum(np.where(alike, self.landmarks.shares, 0.0), axis=1)
        drawn = rng.random((len(going), 1)) * chances[:, -1:]
        self.goals[going] = (chances <= drawn).sum(axis=1).clip(0, links.shape[1] - 1)

    def reinitialize(self, cells: Ints, rng: np.random.Generator) -> None:
        """Draw all particles anew in some cells, where they wander or stand."""
        many = len(self.weights)
        self.cells = rng.choice(cells, many).astype(np.int64)
        self.goals = rng.integers(0, len(self.landmarks.places), many)
        still = rng.random(many) < 0.5
        self.goals[still] = -1
        self.kinds = np.where(still, STANDS, WANDERS)
        self.turns = np.full(many, -1, dtype=np.int64)
        self.path_rows = np.full(many, -1, dtype=np.int64)
        self.credit = np.zeros(many)
        self.moves = np.zeros(many, dtype=np.int64)
        self.weights = np.full(many, 1.0 / many)

    def chances(self, size: int) -> Floats:
        """Return the probability of each cell, (size,)."""
        return np.bincount(self.cells, weights=self.weights, minlength=size).astype(np.float64)

    # Saves

    def state(self) -> dict[str, Any]:
        """Return all that changes as plain data."""
        return {name: getattr(self, name).copy() for name in _STATE} | {"now": self.now}

    def restore(self, state: Mapping[str, Any], size: int) -> None:
        """Continue from a state on this map of `size` cells; `follow` comes next. Raises
        `KeyError`, `TypeError` or `ValueError` for anything else.
        """
        arrays = {name: np.array(state[name], dtype=getattr(self, name).dtype) for name in _STATE}
        many = arrays["weights"].shape
        if (
            len(many) != 1
            or any(arrays[name].shape != many for name in _PARTICLE)
            or arrays["paths"].ndim != 2
            or arrays["marks"].ndim != 1
        ):
            raise ValueError(f"particles of shape {arrays['cells'].shape} with {many} weights")
        marks = len(arrays["marks"])
        rows = len(arrays["paths"])
        for name, low, high in (
            ("cells", 0, size),
            ("marks", 0, size),
            ("goals", -1, marks),
            ("behind", 0, marks),
            ("path_rows", -1, rows),
            ("moves", -size, size),
            ("paths", 0, size),
        ):
            values = arrays[name]
            if not values.size or values.min() < low or values.max() >= high:
                raise ValueError(f"{name} of particles off the map")
        finite = all(np.isfinite(arrays[name]).all() for name in ("weights", "credit"))
        if not finite or arrays["weights"].min() < 0:
            raise ValueError("weights of particles are numbers of at least 0")
        for name, values in arrays.items():
            setattr(self, name, values)
        self.now = int(state["now"])


def _offsets(lost: LostTarget, cells: NDArray[Any]) -> Floats:
    """Return the offsets of cells from the target, (N, D); the short way around axes that wrap."""
    positions = lost.space.positions
    straight = positions[cells] - positions[lost.cell]
    if lost.space.period is not None:
        straight = lost.space.shortest_vectors(straight)
    return np.asarray(straight[:, : len(lost.velocity)])


def _cosines(lost: LostTarget, cells: NDArray[Any]) -> Floats:
    """Return the cosines between the velocity and the directions of cells, (N,)."""
    moves = _offsets(lost, cells)
    size = np.sqrt((moves**2).sum(axis=1)) * np.sqrt((lost.velocity**2).sum())
    return np.asarray((moves @ lost.velocity) / np.where(size > 0, size, np.inf))


def _joined(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return two sets of paths as one; shorter ones stay at their end."""
    moments = np.arange(max(one.shape[1], other.shape[1]))
    found = [paths[:, np.minimum(moments, paths.shape[1] - 1)] for paths in (one, other)]
    return np.ascontiguousarray(np.concatenate(found), dtype=np.int32)
