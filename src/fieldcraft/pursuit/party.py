"""A search party: who goes where so that the fugitive is seen soonest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, clock, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.landmarks import Landmarks, landmarks_of
from fieldcraft.pursuit.motion import Motion
from fieldcraft.pursuit.search import PATIENCE, Places, Search, not_a_memory
from fieldcraft.pursuit.tracks import Tracks
from fieldcraft.space import Space
from fieldcraft.space.keeping import kept_until_walls_change
from fieldcraft.space.sight import visible

__all__ = ["SearchParty"]

Ints = NDArray[np.int64]

_SIGHT = 10  # typical steps
_LANDMARKS = 64
_EVERY = 2.0  # seconds after which all think again
_AHEAD = 90  # moments to look ahead
_STRIDE = 2  # moments from look to look in that
_TRACKS = 500
_STILL, _MOVING = 10, 3  # tracks that stay, and others, where further goals are
_SOON = 10  # moments
_HIDEOUTS = 60
_FEWEST = 0.4  # of the tracks, below which those that are struck out are replaced
_FEW_VIEWS = 256
_NARROW = 8  # how much likelier a place to hide is that fewer see


class SearchParty(Search):
    """Searchers who share the work: each goes where it makes the time until the target is seen shortest, given what the others do.

    What the target may do is laid out as some hundred tracks (`Motion`): it runs on to a far place, hides, doubles back, stands or
    wanders. Those on which it would have been seen are struck out, so that what is seen, and what is not, weighs one hypothesis
    against the others. Ways for a searcher lead to places all over the map, to where tracks are dense, and nowhere: it waits. Of each it is
    counted which tracks it would meet on the way, and when; one after the other takes the way that makes the expected time shortest beside
    those chosen before. So nobody goes through the same corridor as another unless it pays, and one waits where all must pass.

    The gain of a set of ways is submodular, so choosing one after the other is at most a factor of 2 worse than the best
    choice at that moment (Hollinger, Singh, Djugash and Kehagias, "Efficient Multi-robot Search for a Moving Target", IJRR 2009).

    Parameters
    ----------
    space: a grid or a graph.
    speed: of the target, world units a second; searchers are taken to be as fast.
    sight: how far searchers see, world units; ten typical steps if absent.
    motion: how the target moves, a `Motion`.
    every: seconds after which all think again.
    tracks: how many there are: more see finer, and take longer.
    patience: seconds after which a searcher gives up a place that it could not reach.

    Raises `InvalidValue`.
    """

    def __init__(
        self,
        space: Space,
        speed: float,
        *,
        sight: float | None = None,
        motion: Motion | None = None,
        every: float = _EVERY,
        tracks: int = _TRACKS,
        patience: float = PATIENCE,
    ) -> None:
        self._tracks: Tracks | None = None
        self._heading = np.zeros(0)
        self._looked: list[tuple[int, Ints]] = []
        self._planned = -1
        self._aims: Ints = np.zeros(0, dtype=np.int64)
        super().__init__(space, speed, patience=patience)
        self.sight = _SIGHT * self._step if sight is None else checks.positive("sight", sight)
        if motion is not None and not isinstance(motion, Motion):
            raise InvalidValue("motion is a Motion", got=repr(motion)[:60], remedy="Pass fc.Motion(runs=0.5, hides=0.5), say")
        self.motion = Motion() if motion is None else motion
        self.tracks = checks.whole("tracks", tracks, minimum=1, maximum=100_000)
        self._interval = clock.ticks("every", every, minimum=1)
        self._moment = clock.ticks("a typical step", max(self._step / self.speed, 1e-6), minimum=1)

    # What happens

    def _begin(self, last: int) -> None:
        super()._begin(last)
        self._tracks, self._looked, self._planned = None, [], -1
        self._aims = np.zeros(0, dtype=np.int64)

    def _lost(self, position: Places, velocity: Places) -> None:
        self._heading = np.array(velocity, dtype=np.float64)

    def _look(self, cells: Ints) -> None:
        self._looked.append((self._ticks // self._moment, cells.copy()))

    def _may_drop(self) -> NDArray[np.bool_]:
        return np.zeros(len(self._goals), dtype=np.bool_)

    def _follow(self, rng: np.random.Generator) -> Tracks:
        """The tracks, as they are now: begun if they are not, and told what has been seen since."""
        if self._tracks is None:
            self._tracks = self._laid_out(rng)
        tracks = self._tracks
        for moment, cells in self._looked:
            while tracks.now < moment:
                tracks.pass_moment(rng)
            self._strike(tracks, cells, rng)
        self._looked = []
        while tracks.now < self._ticks // self._moment:
            tracks.pass_moment(rng)
        return tracks

    def _strike(self, tracks: Tracks, cells: Ints, rng: np.random.Generator) -> None:
        seen = np.zeros(len(self.space), dtype=np.bool_)
        seen[cells] = True
        tracks.look(seen)
        if not len(tracks.alive):  # none of them is true
            reach = (tracks.now + 2) * self._step
            away = distance_map(self.space, self.space.position_of(self.space.nearest_open(self._last))).values.reshape(-1)
            some = np.isfinite(away)
            hidden = some & ~seen if (some & ~seen).any() else some
            out = np.flatnonzero(hidden & (away <= max(reach, float(away[hidden].min()) + self._step)))
            tracks.scatter(out, np.ones(len(out)), rng)

    def _laid_out(self, rng: np.random.Generator) -> Tracks:
        start = int(self.space.nearest_open(self._last))
        tracks = Tracks(landmarks_of(self.space, start, _LANDMARKS), self._step)
        heading = self._heading if len(self._heading) else np.zeros(self.space.dimensions)
        hiding = self._hideouts(start, rng) if self.motion.hides > 0 else []
        tracks.begin(self.motion, self.tracks, start, heading, self.space.positions, hiding, self._moment / clock.TICKS_PER_SECOND, rng)
        return tracks

    def _hideouts(self, start: int, rng: np.random.Generator) -> list[tuple[Ints, float]]:
        """Ways, a cell each moment, to places near by out of sight of the last sighting; the likelier the fewer see them."""
        least, most = (steps * self._step for steps in self.motion.near)
        near = distance_map(self.space, self.space.position_of(start), limit=most)
        away = near.values.reshape(-1)
        places = np.flatnonzero((away >= least) & (away <= most))
        dark = np.setdiff1d(places, _sights(self.space, self.sight).view(start))
        places = dark if len(dark) else places
        if not len(places):
            return []
        places = rng.choice(places, min(_HIDEOUTS, len(places)), replace=False)
        sights = _sights(self.space, self.sight)
        open_to = np.array([len(sights.view(int(cell))) for cell in places])
        rank = np.argsort(np.argsort(open_to, kind="stable"), kind="stable") / len(places)
        chances = (1 - rank) ** _NARROW + 0.05
        ways = []
        for cell, chance in zip(places.tolist(), chances.tolist(), strict=True):
            path = near.descend(self.space.position_of(cell))
            if path:
                walked = np.concatenate([[0.0], np.cumsum(self.space.step_lengths(path.cells[::-1]))])
                moments = np.arange(int(np.ceil(walked[-1] / self._step)) + 1) * self._step
                ways.append((path.cells[::-1][np.minimum(np.searchsorted(walked, moments), len(walked) - 1)], chance))
        return ways

    # Who goes where

    def _send(self, points: Places, idle: Ints, rng: np.random.Generator) -> None:
        tracks = self._follow(rng)
        due = self._planned < 0 or self._ticks - self._planned >= self._interval or len(self._aims) != len(points)
        if due:
            self._aims = self._plan(tracks, points, rng)
            self._planned = self._ticks
        self._goals = self._aims.copy()

    def _plan(self, tracks: Tracks, points: Places, rng: np.random.Generator) -> Ints:
        """The cell that each searcher goes to."""
        if len(tracks.alive) < _FEWEST * len(tracks.weights):
            tracks.renew(rng)
        tracks.reach(_AHEAD, rng)
        cells = np.ascontiguousarray(tracks.cells[:_AHEAD:_STRIDE])
        scents = self._scents(tracks, rng)
        before = np.full(cells.shape[1], len(cells), dtype=np.int64)
        starts = np.atleast_1d(self.space.nearest_open(self.space.cell_at(points, outside="clamp"))).astype(np.int64)
        choices = [self._choices(tracks.marks, int(start), scents) for start in starts]
        aims = np.zeros(len(points), dtype=np.int64)
        sights, places = _sights(self.space, self.sight), _all_sights(self.space).positions
        for number, (ways, ends) in enumerate(choices):
            sights.know(ways)
            seen = np.empty((len(ways), cells.shape[1]), dtype=np.int64)
            gains = np.empty(len(ways))
            kernels.foresee.foresee(
                ways, places, cells, tracks.weights, before, self.sight * (1 + 1e-9), sights.rows, sights.begins, sights.flat, seen, gains
            )
            best = int(np.argmax(gains)) if gains.max() > 0 else self._nearest(tracks, ends, starts[number])
            aims[number] = ends[best]
            before = np.minimum(before, seen[best])
        return aims

    def _scents(self, tracks: Tracks, rng: np.random.Generator) -> list[tuple[int, Any]]:
        """Cells at which tracks are, or soon will be, with distance maps to them."""
        alive = tracks.alive
        if not len(alive):
            return []
        end = len(tracks.cells) - 1
        stay = alive[tracks.cells[min(_SOON, end), alive] == tracks.cells[end, alive]]
        found = self._aims.tolist()
        for some, count in ((stay, _STILL), (alive, _MOVING)):
            if len(some):
                chosen = rng.choice(some, count, p=tracks.weights[some] / tracks.weights[some].sum())
                found += [int(tracks.cells[min((k + 1) * _SOON, end), track]) for k, track in enumerate(chosen.tolist())]
        return [(int(cell), distance_map(self.space, self.space.position_of(int(cell)))) for cell in dict.fromkeys(found)]

    def _choices(self, marks: Landmarks, start: int, scents: list[tuple[int, Any]]) -> tuple[NDArray[np.int32], Ints]:
        """The ways from a cell, (P, T) cells by moment, and where each ends: to landmarks, to scents, and to stay."""
        moments = -(-_AHEAD // _STRIDE)
        many = len(marks.places)
        every = np.arange(many)
        ways = np.empty((many, _AHEAD), dtype=np.int32)
        here, credit = np.full(many, start), np.zeros(many)
        for moment in range(_AHEAD):
            ways[:, moment] = here
            credit += self._step
            for _ in range(2):
                size = marks.sizes[every, here]
                goes = (size > 0) & (size <= 2 * credit)
                credit[goes] -= size[goes]
                here = np.where(goes, marks.ahead[every, here], here)
            credit = np.minimum(credit, self._step)
        reachable = np.isfinite(marks.away[:, start])
        rows = [ways[reachable]]
        ends = [marks.places[reachable]]
        for cell, distances in scents:
            path = distances.descend(self.space.position_of(start))
            if path:
                walked = np.concatenate([[0.0], np.cumsum(self.space.step_lengths(path.cells))])
                at = np.minimum(np.searchsorted(walked, np.arange(_AHEAD) * self._step), len(path.cells) - 1)
                rows.append(path.cells[at].astype(np.int32)[np.newaxis])
                ends.append(np.array([cell]))
        rows.append(np.full((1, _AHEAD), start, dtype=np.int32))
        ends.append(np.array([start]))
        return np.ascontiguousarray(np.concatenate(rows)[:, ::_STRIDE][:, :moments]), np.concatenate(ends).astype(np.int64)

    def _nearest(self, tracks: Tracks, ends: Ints, start: int) -> int:
        """The end that lies nearest to where the target most likely is, when no way meets any track in time."""
        alive = tracks.alive
        if not len(alive):
            return 0
        at = self.space.positions[tracks.cells[0, alive]]
        middle = (at * tracks.weights[alive, np.newaxis]).sum(axis=0) / tracks.weights[alive].sum()
        return int(np.argmin(((self.space.positions[ends] - middle) ** 2).sum(axis=1)))

    # What it says

    @property
    def values(self) -> NDArray[np.float32] | None:
        """How likely each cell is, by the tracks that are left; None before any are laid out."""
        if self._tracks is None:
            return None
        return self._tracks.chances(len(self.space)).astype(np.float32).reshape(self.space.shape)

    def estimate(self) -> Places | None:
        """The likeliest cell; the last sighting before tracks are laid out."""
        if self._tracks is None or not len(self._tracks.alive):
            return super().estimate()
        return np.asarray(self.space.position_of(int(np.argmax(self._tracks.chances(len(self.space))))))

    # Saves

    def _memory(self) -> dict[str, Any]:
        return {
            "heading": self._heading.copy(),
            "looked": tuple((moment, cells.copy()) for moment, cells in self._looked),
            "planned": self._planned,
            "aims": self._aims.copy(),
            "tracks": None if self._tracks is None else self._tracks.state(),
        }

    def _recall(self, memory: Mapping[str, Any]) -> None:
        try:
            heading = np.array(memory["heading"], dtype=np.float64)
            looked = [(int(moment), self.space.cell_ids(np.array(cells, dtype=np.int64))) for moment, cells in memory["looked"]]
            planned, aims, state = int(memory["planned"]), np.array(memory["aims"], dtype=np.int64), memory["tracks"]
            if aims.ndim != 1 or any(not 0 <= cell < len(self.space) for cell in aims.tolist()):
                raise ValueError("aims off the map")
            tracks = None
            if state is not None:
                start = int(self.space.nearest_open(self._last))
                tracks = Tracks(landmarks_of(self.space, start, _LANDMARKS), self._step)
                tracks.take(state, len(self.space))
        except (KeyError, TypeError, ValueError, InvalidValue) as error:
            raise not_a_memory(f"{type(error).__name__}: {error}") from None
        self._heading, self._looked, self._planned, self._aims, self._tracks = heading, looked, planned, aims, tracks


class _Sights:
    """The cells seen from cells, looked up once each; and where all cells are."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._sights: dict[float, _Sight] = {}
        self.positions = np.ascontiguousarray(space.positions)

    def within(self, sight: float) -> _Sight:
        """The views within a distance."""
        if sight not in self._sights:
            self._sights[sight] = _Sight(self._space, sight)
        return self._sights[sight]


class _Sight:
    """The views within a distance, one after the other in the order in which they were first asked for.

    `rows` (cells,) say which view is a cell's, -1 for none yet; view number n is `flat[begins[n]:begins[n + 1]]`.
    """

    def __init__(self, space: Space, sight: float) -> None:
        self._space, self._sight = space, sight
        self._count = 0
        self.rows = np.full(len(space), -1, dtype=np.int64)
        self.begins = np.zeros(_FEW_VIEWS + 1, dtype=np.int64)
        self.flat = np.zeros(_FEW_VIEWS, dtype=np.int32)

    def view(self, cell: int) -> NDArray[np.int32]:
        """The cells seen from a cell, sorted."""
        if self.rows[cell] < 0:
            self._keep(cell)
        row = self.rows[cell]
        return self.flat[self.begins[row] : self.begins[row + 1]]

    def know(self, ways: NDArray[np.int32]) -> None:
        """Look from all cells on ways from which nobody has looked yet."""
        missing = ways[self.rows[ways] < 0]
        for cell in np.unique(missing).tolist():
            self._keep(cell)

    def _keep(self, cell: int) -> None:
        seen = np.flatnonzero(visible(self._space, self._space.position_of(cell), self._sight))
        begin = int(self.begins[self._count])
        self.flat = _roomy(self.flat, begin + len(seen))
        self.begins = _roomy(self.begins, self._count + 2)
        self.flat[begin : begin + len(seen)] = seen
        self.begins[self._count + 1] = begin + len(seen)
        self.rows[cell] = self._count
        self._count += 1


def _roomy(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array with room for so many, twice as much as before where it has to grow."""
    return array if size <= len(array) else np.concatenate([array, np.zeros(max(size, 2 * len(array)) - len(array), dtype=array.dtype)])


@kept_until_walls_change
def _all_sights(space: Space) -> _Sights:
    return _Sights(space)


def _sights(space: Space, sight: float) -> _Sight:
    return _all_sights(space).within(sight)
