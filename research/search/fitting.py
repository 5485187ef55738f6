"""Learning from recorded tracks how somebody moves, and saying how well a motion foretells
others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit import Belief, Motion
from fieldcraft.recordings import Timeline
from fieldcraft.space import Grid, Space
from fieldcraft.space.kinds import checked_space

__all__ = ["fit_motion", "score_motion"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_ACROSS = 40  # cells of a map that is laid under tracks
_STEPS = 10  # typical steps that tracks are foretold by, at full speed
_FAST = 0.95  # the share of all speeds that the full speed is above
_MOVING = 0.1  # of the full speed
_PACES = (1 / 6, 1 / 2, 5 / 6)  # of the speeds of those who move
_HEADINGS = (0.5, 1.0, 2.0, 4.0, 8.0)
_ANYWHERE = 0.01  # the chance of a cell is never less than this, shared by all
_ROUNDS = 60
_FEW = 40  # moments that the heading is told by
_EARLY = 1e-6  # of the time foretold: a track that ends so much earlier has not ended
_BEFORE = 1 / 8  # of the time foretold, over which a velocity is measured


@dataclass(frozen=True)
class _Moments:
    """Moments of tracks: the cell `starts` (W,) of each, the velocity there (W, D), and the cells
    `ends` (W, L) that often `ahead` seconds later, -1 where the track has ended by then.
    """

    space: Space
    starts: Ints
    velocities: Floats
    ends: Ints
    ahead: float


def fit_motion(
    tracks: Timeline | Sequence[ArrayLike],
    space: Space | None = None,
    *,
    ahead: float | None = None,
    most: int = 200,
    looks: int = 3,
) -> Motion:
    """Return the motion that predicts recorded tracks best.

    At moments along the tracks a belief with each way of moving, at each pace, starts from the
    position and velocity there. The weights are those that make the positions `ahead` seconds
    later likeliest (expectation maximization). The speed is the 95 % quantile of all speeds, and
    `paces` are the middles of the slower, middle and faster third; of five headings the likeliest
    is taken. `turn`, `near` and `far` keep their defaults.

    Parameters
    ----------
    tracks : Timeline or Sequence[array_like]
        A `Timeline`, or for each track rows of seconds, x and y (and z), (T, 3) or (T, 4).
    space : Space, optional
        The map; an open grid of 40 cells across under the tracks if absent.
    ahead : float, optional
        Seconds to predict; as long as ten typical steps take at full speed if absent.
    most : int, optional
        Number of moments at most, evenly over all tracks.
    looks : int, optional
        How often each is followed, every `ahead` seconds. A target that runs and one that will turn
        back move alike at first: only a look after the longest `turn` separates them.

    Raises
    ------
    InvalidValue
        For tracks that are none, or too short.
    """
    paths = _paths(tracks)
    most = checks.whole("most", most, minimum=1)
    ground = _ground(paths, space)
    full, later = _full_speed(paths, ground, ahead)
    speeds = _speeds(paths, later * _BEFORE)
    moving = speeds[speeds > _MOVING * full]
    found = np.clip(np.quantile(moving, _PACES) / full, _MOVING, 1.0) if len(moving) else np.ones(1)
    paces = tuple(sorted({round(float(pace), 3) for pace in found}))
    moments = _cut(paths, ground, later, most, checks.whole("looks", looks, minimum=1))
    if not len(moments.starts):
        raise InvalidValue(
            "Tracks last long enough to be foretold",
            got=f"none that lasts {later * (1 + _BEFORE):g} seconds",
            remedy="Pass a shorter ahead",
        )
    few = _some(moments, _FEW)
    running = [Motion(1, 0, 0, 0, 0, heading=heading, paces=paces) for heading in _HEADINGS]
    heading = _HEADINGS[
        int(np.argmax([np.log(_foretold(each, few, full).mean(axis=1)).sum() for each in running]))
    ]
    even = Motion(1, 1, 1, 1, 1, heading=heading, paces=paces, speed=full)
    likely = _foretold(even, moments, full)
    weights = _weighed(likely)
    by_name = dict.fromkeys(("runs", "hides", "doubles back", "stands", "wanders"), 0.0)
    for name, weight in zip(_strands(even), weights.tolist(), strict=True):
        by_name[name] += weight
    return replace(
        even,
        runs=by_name["runs"],
        hides=by_name["hides"],
        doubles_back=by_name["doubles back"],
        stands=by_name["stands"],
        wanders=by_name["wanders"],
    )


def score_motion(
    motion: Motion,
    tracks: Timeline | Sequence[ArrayLike],
    space: Space | None = None,
    *,
    ahead: float | None = None,
    speed: float | None = None,
    most: int = 200,
) -> Floats:
    """Return for each moment the log of the chance of the cell in which the target was later, (W,).

    A share of 1 % of the chance is spread over the map. `speed`, world units a second, is that of
    the motion if absent; the other parameters are those of `fit_motion`.
    """
    full = motion.speed if speed is None else checks.positive("speed", speed)
    if full is None:
        raise InvalidValue(
            "A motion is scored at a speed",
            got="a motion without one",
            remedy="Pass speed=, or a motion from fit_motion",
        )
    paths = _paths(tracks)
    ground = _ground(paths, space)
    later = (
        _STEPS * ground.typical_step / full if ahead is None else checks.positive("ahead", ahead)
    )
    moments = _cut(paths, ground, later, checks.whole("most", most, minimum=1), 1)
    likely = _foretold(motion, moments, full)
    shares = np.array(
        [weight for strands in motion.movers.values() for weight, _ in strands if weight > 0]
    )
    return np.asarray(np.log(likely @ (shares / shares.sum())))


def _strands(motion: Motion) -> list[str]:
    """The names of all ways of moving, once for each pace."""
    return [name for name, strands in motion.movers.items() for weight, _ in strands if weight > 0]


def _foretold(motion: Motion, moments: _Moments, full: float) -> Floats:
    """How likely each way of moving and pace held the cell where somebody was later, (W, strands).

    Of several moments later the chances are multiplied, as if one didn't tell of the others; only
    their proportions count then.
    """
    belief = Belief(moments.space, full, motion=motion)
    steps = max(1, round(moments.ahead / belief.every))
    found = np.ones((len(moments.starts), len(_strands(motion))))
    open_cells = max(1, int(np.count_nonzero(~moments.space.walls)))
    for row, (start, velocity, ends) in enumerate(
        zip(moments.starts, moments.velocities, moments.ends, strict=True)
    ):
        belief.see(moments.space.position_of(int(start)), velocity=velocity)
        for end in ends[ends >= 0].tolist():
            belief.step(steps)
            found[row] *= (1 - _ANYWHERE) * belief._beliefs[0].by_strand(
                end
            ) + _ANYWHERE / open_cells
    return found


def _weighed(likely: Floats) -> Floats:
    """The weights of ways of moving that make what was seen likeliest, by expectation and
    maximization.
    """
    weights = np.full(likely.shape[1], 1.0 / likely.shape[1])
    for _ in range(_ROUNDS):
        shares = likely * weights
        weights = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
    return weights


def _paths(tracks: Any) -> list[tuple[Floats, Floats]]:
    """The seconds (T,) and positions (T, D) of each track, in the order of time."""
    if isinstance(tracks, Timeline):
        given: Iterable[Any] = _of_timeline(tracks)
    else:
        given = checks.sequence("tracks", tracks)
    found = []
    for track in given:
        rows = checks.array("a track", track)
        if (
            rows.ndim != 2
            or rows.shape[1] not in (3, 4)
            or rows.dtype.kind not in "fiu"
            or not np.isfinite(rows).all()
        ):
            raise InvalidValue(
                "A track is rows of seconds, x and y (and z), finite",
                got=f"{rows.dtype} of shape {rows.shape}",
                remedy="Pass (T, 3)",
            )
        rows = rows[np.argsort(rows[:, 0], kind="stable")].astype(np.float64)
        rows = rows[np.diff(rows[:, 0], prepend=-np.inf) > 0]
        if len(rows) > 1:
            found.append((rows[:, 0], rows[:, 1:]))
    if not found or len({places.shape[1] for _, places in found}) > 1:
        raise InvalidValue(
            "There is a track of two moments at least, and all are in the plane, or all in space",
            got=f"{len(found)} such tracks",
            remedy="Pass rows of seconds, x and y for each track",
        )
    return found


def _of_timeline(timeline: Timeline) -> list[Floats]:
    """Tracks of all entities, cut where they were away."""
    found = []
    for entity in range(len(timeline.ids)):
        own = np.flatnonzero(timeline.entities == entity)
        rows = np.column_stack([timeline.seconds[own], timeline.positions[own]])
        away = np.isnan(rows[:, 1])
        found += [part[~np.isnan(part[:, 1])] for part in np.split(rows, np.flatnonzero(away))]
    return [rows for rows in found if len(rows) > 1]


def _ground(paths: list[tuple[Floats, Floats]], space: Space | None) -> Space:
    """The space of tracks; an open grid under them if there is none."""
    if space is not None:
        found = checked_space(space)
        if found.dimensions != paths[0][1].shape[1]:
            raise InvalidValue(
                "Tracks are on the map",
                got=f"{paths[0][1].shape[1]} coordinates on {found!r}",
                remedy="Pass as many as the map has",
            )
        return found
    places = np.concatenate([each for _, each in paths])[:, :2]
    low, high = places.min(axis=0), places.max(axis=0)
    size = float((high - low).max()) / _ACROSS
    if not size > 0:
        raise InvalidValue(
            "Somebody moves", got="tracks that stay in one place", remedy="Pass the map, too"
        )
    width, height = (int(n) for n in np.ceil((high - low) / size) + 1)
    return Grid(
        width,
        height,
        cell_size=size,
        neighbors=8,
        origin=(float(low[0] - size / 2), float(low[1] - size / 2)),
    )


def _full_speed(
    paths: list[tuple[Floats, Floats]], space: Space, ahead: float | None
) -> tuple[float, float]:
    """The full speed, world units a second, and the seconds that tracks are foretold by."""
    later = None if ahead is None else checks.positive("ahead", ahead)
    usual = float(np.median(np.concatenate([np.diff(seconds) for seconds, _ in paths])))
    window = usual if later is None else later * _BEFORE
    full = float(np.quantile(_speeds(paths, window), _FAST))
    if later is None and full > 0:
        # Speeds over a moment are noisy: once more over as long as it is going to be.
        full = float(
            np.quantile(
                _speeds(paths, max(usual, _BEFORE * _STEPS * space.typical_step / full)), _FAST
            )
        )
    if not full > 0:
        raise InvalidValue(
            "Somebody moves", got="tracks with no speed", remedy="Leave out those who stand"
        )
    return full, _STEPS * space.typical_step / full if later is None else later


def _speeds(paths: list[tuple[Floats, Floats]], window: float) -> Floats:
    """How fast all were, over so many seconds each."""
    found = [np.zeros(0)]
    for seconds, places in paths:
        times = np.arange(seconds[0], seconds[-1] + window / 2, window)
        if len(times) > 1:
            at = _at(seconds, places, times)
            found.append(np.sqrt((np.diff(at, axis=0) ** 2).sum(axis=1)) / window)
    speeds = np.concatenate(found)
    if not len(speeds):
        raise InvalidValue(
            "Tracks last long enough to tell a speed",
            got=f"none of {window:g} seconds",
            remedy="Pass longer ones",
        )
    return speeds


def _at(seconds: Floats, places: Floats, times: Floats) -> Floats:
    return np.column_stack(
        [np.interp(times, seconds, places[:, axis]) for axis in range(places.shape[1])]
    )


def _cut(
    paths: list[tuple[Floats, Floats]], space: Space, ahead: float, most: int, looks: int
) -> _Moments:
    """Moments one after the other on all tracks, or so many of them, evenly; and where each was at
    some looks later.
    """
    before, shifts = ahead * _BEFORE, ahead * np.arange(1, looks + 1)
    starts, velocities = [np.zeros(0, dtype=np.int64)], [np.zeros((0, space.dimensions))]
    ends = [np.zeros((0, looks), dtype=np.int64)]
    for seconds, places in paths:
        times = np.arange(seconds[0] + before, seconds[-1] - ahead, ahead * looks)
        if not len(times):
            continue
        earlier, now = (_at(seconds, places, times + shift) for shift in (-before, 0.0))
        starts.append(_cells(space, now))
        velocities.append((now - earlier) / before)
        later = [_cells(space, _at(seconds, places, times + shift)) for shift in shifts]
        ends.append(
            np.where(
                times[:, np.newaxis] + shifts <= seconds[-1] + _EARLY * ahead,
                np.stack(later, axis=1),
                -1,
            )
        )
    return _some(
        _Moments(
            space, np.concatenate(starts), np.concatenate(velocities), np.concatenate(ends), ahead
        ),
        most,
    )


def _some(moments: _Moments, most: int) -> _Moments:
    """So many moments, evenly."""
    count = len(moments.starts)
    rows = (
        np.unique(np.linspace(0, count - 1, min(most, count)).astype(np.int64))
        if count
        else np.zeros(0, dtype=np.int64)
    )
    return replace(
        moments,
        starts=moments.starts[rows],
        velocities=moments.velocities[rows],
        ends=moments.ends[rows],
    )


def _cells(space: Space, places: ArrayLike) -> Ints:
    return np.atleast_1d(space.nearest_open(space.cell_at(places, outside="clamp"))).astype(
        np.int64
    )
