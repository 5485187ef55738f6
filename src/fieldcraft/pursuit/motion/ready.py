"""Motions that lead somewhere: who runs on, hides, doubles back, or goes to places that draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.motion.goals import Goals, goals_at, goals_everywhere, led
from fieldcraft.pursuit.motion.movers import Lost, Mover, Stage, Stand, Then, share_below_one
from fieldcraft.space.sight import visible

__all__ = ["DoubleBack", "Hide", "Journey", "Run", "checked_range"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_STAY, _STRAY = 0.05, 0.1
_BEGINNING = 3  # steps by which the direction of a way is told
_SIGHT = 10.0  # typical steps: how far others see, where a place to hide is looked for
_HIDEOUTS, _WEIGHED = 24, 72
_NARROW = 8  # how much likelier a place to hide is that fewer see


@dataclass(frozen=True, kw_only=True)
class _Led(Mover):
    """A motion towards goals.

    Parameters
    ----------
    stay: the share of intervals in which it stands, in [0, 1).
    stray: the share of its steps that lead anywhere, in [0, 1].
    pace: how fast it is beside the full speed, in (0, 1].
    """

    stay: float = _STAY
    stray: float = _STRAY
    pace: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "stay", share_below_one("stay", self.stay))
        object.__setattr__(self, "stray", checks.fraction("stray", self.stray))
        if checks.fraction("pace", self.pace) == 0:
            raise InvalidValue("pace is above 0", got="pace=0", remedy="Pass 0.5, say; fc.motion.Stand() never moves")

    def _toward(self, lost: Lost, goals: Goals, prior: Floats, *, arrives: bool, straight: bool) -> Floats:
        chances, there = led(
            lost, goals, prior, arrives=arrives, straight=straight, stay=self.stay, stray=self.stray, pace=float(self.pace)
        )
        lost.kept[self, "there"] = there
        return chances

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """The goals, and how likely each is that of who comes there."""
        if (self, "there") not in lost.kept:
            self.chances(lost)
        there = lost.kept[self, "there"]
        cells = np.flatnonzero(there)
        return cells, there[cells]


@dataclass(frozen=True)
class Run(_Led):
    """Somebody runs on, the way that it ran, to a far place, and from there to the next.

    Parameters
    ----------
    heading: how strongly it keeps its direction: of two ways the one across it is so many times e less likely than the one ahead.
    far: typical steps to a far place, at least; on small maps, the farther half.
    stay, stray, pace: the share of intervals in which it stands, in [0, 1); the share of steps that lead anywhere, in [0, 1]; how fast
        it is beside the full speed, in (0, 1].

    Goals are up to 64 places all over the map, as far as can be from each other; the ways to them are worked out once a map.
    """

    heading: float = 4.0
    far: float = 30.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "heading", checks.not_negative("heading", self.heading))
        object.__setattr__(self, "far", checks.not_negative("far", self.far))

    def chances(self, lost: Lost) -> Floats:
        """The chances of all steps, see `Mover`."""
        goals = goals_everywhere(lost.space, _start(lost))
        return self._toward(lost, goals, self._onwards(lost, goals), arrives=False, straight=True)

    def _onwards(self, lost: Lost, goals: Goals) -> Floats:
        """How likely each goal is: far, and the way there begins as it ran."""
        if lost.cell is None:
            return np.ones(len(goals.cells))
        away = goals.away[:, lost.cell].astype(np.float64) / lost.space.typical_step
        some = np.isfinite(away)
        reach = min(self.far, float(np.median(away[some]))) if some.any() else 0.0
        return np.where(some & (away >= reach), np.exp(self.heading * (_along(lost, goals) - 1)), 0.0)


@dataclass(frozen=True)
class _Back(_Led):
    """Somebody goes to a far place behind where it was last seen, and from there to the next."""

    far: float = 30.0

    def chances(self, lost: Lost) -> Floats:
        """The chances of all steps, see `Mover`."""
        goals = goals_everywhere(lost.space, _start(lost))
        if lost.cell is None:
            return self._toward(lost, goals, np.ones(len(goals.cells)), arrives=False, straight=False)
        away = goals.away[:, lost.cell].astype(np.float64) / lost.space.typical_step
        offsets = lost.space.offsets_from(lost.space.position_of(lost.cell))[goals.cells]
        behind = (offsets[:, : len(lost.velocity)] @ lost.velocity <= 0) & np.isfinite(away)
        far = behind & (away >= self.far)
        some = far if far.any() else behind if behind.any() else np.isfinite(away)
        return self._toward(lost, goals, some.astype(np.float64), arrives=False, straight=False)


@dataclass(frozen=True)
class DoubleBack(Run):
    """Somebody runs on, and after some seconds turns, and goes to a place behind those who chase it.

    Parameters
    ----------
    turn: seconds after the last sighting in which it turns, the fewest and the most.
    heading, far, stay, stray, pace: as in `Run`.

    It has two parts, so it costs two steps of a belief.
    """

    turn: tuple[float, float] = (1.0, 6.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "turn", checked_range("turn", self.turn))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Running on, and then back."""
        onwards = Run(stay=self.stay, stray=self.stray, pace=self.pace, heading=self.heading, far=self.far)
        return Then(onwards, _Back(stay=self.stay, stray=self.stray, pace=self.pace, far=self.far), self.turn).stages


@dataclass(frozen=True)
class Hide(_Led):
    """Somebody goes to a place near by that few others see, and not from where it was last seen, and stays there.

    Parameters
    ----------
    near: typical steps to the hiding place, the fewest and the most.
    sight: how far others see, world units; ten typical steps if absent.
    stay, stray, pace: as in `Run`.
    """

    near: tuple[float, float] = (2.0, 16.0)
    sight: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "near", checked_range("near", self.near))
        if self.sight is not None:
            object.__setattr__(self, "sight", checks.positive("sight", self.sight))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Going there, and staying."""
        return (Stage(self, arrives=True), Stage(Stand()))

    def chances(self, lost: Lost) -> Floats:
        """The chances of all steps, see `Mover`."""
        start, step = _start(lost), lost.space.typical_step
        least, most = (steps * step for steps in self.near)
        sight = _SIGHT * step if self.sight is None else self.sight
        away = distance_map(lost.space, lost.space.position_of(start), limit=most, outward=True).values.reshape(-1)
        places = np.flatnonzero((away >= least) & (away <= most))
        views = lost.space.squares is not None or lost.space.period is None  # on a torus of hexagons nobody sees along lines
        if views:
            dark = np.setdiff1d(places, np.flatnonzero(visible(lost.space, lost.space.position_of(start), sight)))
            places = dark if len(dark) else places
        if not len(places):
            lost.kept[self, "there"] = np.zeros(len(lost.space))
            return np.zeros(len(lost.space.ways.ends))
        # By how far they are, every so many of them, so that all directions and distances are among them.
        places = places[np.argsort(away[places], kind="stable")]
        places = places[np.unique(np.linspace(0, len(places) - 1, _WEIGHED).astype(np.int64))]
        seen_from = np.array(
            [np.count_nonzero(visible(lost.space, lost.space.position_of(cell), sight)) if views else 0 for cell in places.tolist()]
        )
        order = np.argsort(seen_from, kind="stable")[:_HIDEOUTS]
        chances = (1 - np.arange(len(order)) / len(places)) ** _NARROW + 0.05
        goals = goals_at(lost.space, places[order], limit=2 * most + 4 * step)
        return self._toward(lost, goals, chances, arrives=True, straight=True)


@dataclass(frozen=True)
class Journey(_Led):
    """Somebody goes to one of some places that draw: exits, cover, far corners, the objective.

    Parameters
    ----------
    goals: world positions, (K, 2) or (K, 3); those in walls are taken to the nearest open cell. Without them, places all over the map,
        and from there to the next.
    weights: how strongly each draws, (K,), at least 0; all alike if absent.
    arrives: whether it stays at the goal; else it goes on to another.
    stay, stray, pace: as in `Run`.
    """

    goals: ArrayLike | None = None
    weights: ArrayLike | None = None
    arrives: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag("arrives", self.arrives)
        count = None
        if self.goals is not None:
            dimensions = 3 if np.ndim(self.goals) and np.shape(self.goals)[-1:] == (3,) else 2
            points, _ = checks.positions(self.goals, dimensions=dimensions)
            count = len(points)
            if not count:
                raise InvalidValue("A journey has goals", got="none", remedy="Leave goals out for places all over the map")
            object.__setattr__(self, "goals", tuple(map(tuple, points.tolist())))
        if self.weights is not None:
            if count is None:
                raise InvalidValue("Weights are those of goals", got="weights without goals", remedy="Pass goals, too")
            numbers = np.asarray(checks.numbers("weights", self.weights, count), dtype=np.float64)
            if (numbers < 0).any() or not numbers.sum() > 0:
                raise InvalidValue("weights are at least 0, one of them above", got=str(self.weights)[:60], remedy="Pass 1 for each, say")
            object.__setattr__(self, "weights", tuple(numbers.tolist()))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Going there, and staying; going on and on without goals of its own."""
        return (Stage(self, arrives=True), Stage(Stand())) if self.arrives and self.goals is not None else (Stage(self),)

    def chances(self, lost: Lost) -> Floats:
        """The chances of all steps, see `Mover`."""
        if self.goals is None:
            goals = goals_everywhere(lost.space, _start(lost))
            return self._toward(lost, goals, np.ones(len(goals.cells)), arrives=False, straight=True)
        points, _ = checks.positions(self.goals, dimensions=lost.space.dimensions)
        cells = np.atleast_1d(lost.space.nearest_open(lost.space.cell_at(points)))
        weights = np.ones(len(cells)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        # Goals in one cell are one.
        different, which = np.unique(cells, return_inverse=True)
        prior = np.asarray(np.bincount(which, weights=weights, minlength=len(different)), dtype=np.float64)
        return self._toward(lost, goals_at(lost.space, different.astype(np.int64)), prior, arrives=self.arrives, straight=True)


def checked_range(name: str, value: ArrayLike) -> tuple[float, float]:
    """The least and the most of something, at least 0, or `InvalidValue`."""
    low, high = (float(number) for number in checks.numbers(name, value, 2))
    if not 0 <= low <= high:
        raise InvalidValue(f"{name} is the least and the most, at least 0", got=f"{(low, high)}", remedy="Pass the lower one first")
    return low, high


def _start(lost: Lost) -> int:
    """The cell in which it was lost, or any open one."""
    return lost.cell if lost.cell is not None else int(np.flatnonzero(~lost.space.walls.reshape(-1))[0])


def _along(lost: Lost, goals: Goals) -> Floats:
    """The cosine between how it moved and how the way to each goal begins, (K,); 1 where it stood."""
    if lost.cell is None or not lost.velocity.any():
        return np.ones(len(goals.cells))
    here = np.full(len(goals.cells), lost.cell)
    every = np.arange(len(goals.cells))
    for _ in range(_BEGINNING):
        arcs = goals.next[every, here]
        here = np.where(arcs >= 0, lost.space.ways.ends[np.maximum(arcs, 0)], here)
    moves = lost.space.offsets_from(lost.space.position_of(lost.cell))[here][:, : len(lost.velocity)]
    size = np.sqrt((moves**2).sum(axis=1)) * np.sqrt((lost.velocity**2).sum())
    return np.asarray((moves @ lost.velocity) / np.where(size > 0, size, np.inf))
