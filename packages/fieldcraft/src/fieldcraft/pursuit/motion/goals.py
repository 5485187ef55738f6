"""Motions with goals: running on, hiding, doubling back, and going to given places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.hiding_places import SearcherSight, hiding_chances, visibility_cache
from fieldcraft.pursuit.motion.mover import Lost, Mover, Stage, Stand
from fieldcraft.pursuit.motion.path_segments import (
    SECTORS,
    StepChances,
    steps_toward,
)
from fieldcraft.pursuit.pursuit_checks import checked_range, share_above_zero, share_below_one
from fieldcraft.pursuit.transitions import Flow
from fieldcraft.space.kinds import has_lines_of_sight
from fieldcraft.space.space_ranges import at_walk, within_walk

_STAY = 0.05
_STRAY = 0.1
_SIGHT = 10.0  # Hiding places are seen from so many typical steps.
_DETOUR = 0.5  # A detour of so many typical steps makes a goal e times less likely.


@dataclass(frozen=True, kw_only=True)
class _Led(Mover):
    """Base of motions towards goals.

    Parameters
    ----------
    stay : float, optional
        Share of intervals without a step, in [0, 1).
    stray : float, optional
        Share of steps in random directions, in [0, 1].
    pace : float, optional
        Speed as a share of the full speed, in (0, 1].
    """

    stay: float = _STAY
    stray: float = _STRAY
    pace: float = 1.0

    def __post_init__(self) -> None:
        checks.fields(self, stay=share_below_one, stray=checks.fraction, pace=share_above_zero)

    def prepare(self, lost: Lost) -> StepChances:
        """Return the chances of steps and of arriving."""
        raise NotImplementedError

    def _prepared(self, lost: Lost) -> StepChances:
        """Return the result of `prepare`, cached for each sighting."""
        found = lost.prepared.get(self)
        if found is None:
            found = self.prepare(lost)
            lost.prepared[self] = found
        return found

    def chances(self, lost: Lost) -> Floats:
        """Return the chances of all steps, see `Mover`."""
        return self._prepared(lost).steps

    def flow(self, lost: Lost) -> Flow | None:
        """Return the flow of belief; the chances need no check."""
        return lost.ground.drift(self._prepared(lost).steps)

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """Return the goals, and the chance that a target in each has arrived."""
        there = self._prepared(lost).there
        cells = np.flatnonzero(there)
        return cells, there[cells]

    def _mixed(self, lost: Lost, toward: NDArray[Any]) -> Floats:
        """Return chances of steps towards goals, changed by `stay`, `stray` and `pace`. Targets
        in cells without such steps wander.
        """
        ground = lost.ground
        origins = ground.origins
        leads = np.bincount(origins, weights=toward, minlength=ground.count)
        on = np.divide(toward, leads[origins], out=np.zeros(len(toward)), where=leads[origins] > 0)
        strays = np.where(leads > 0, self.stray, 1.0) / np.maximum(ground.degrees, 1)
        return np.asarray(
            (1 - self.stay)
            * np.minimum(lost.stride * self.pace / ground.lengths, 1.0)
            * ((1 - self.stray) * on + strays[origins])
        )


@dataclass(frozen=True)
class _Onward(_Led):
    """The target goes to a place in one sector of the map, and then on to other sectors."""

    sector: int = 0

    @staticmethod
    def after(mover: _Led) -> tuple[Stage, ...]:
        """Return a stage for a motion, and one for each sector; each may follow any of them."""
        shared = {"stay": mover.stay, "stray": mover.stray, "pace": mover.pace}
        movers = (mover, *(_Onward(sector=number, **shared) for number in range(SECTORS)))
        stages = []
        for number, each in enumerate(movers):
            # The stages of the sectors have the numbers 1 to SECTORS.
            follows = tuple(sector - number for sector in range(1, SECTORS + 1))
            stages.append(Stage(each, arrives=True, follows=follows))
        return tuple(stages)

    def chances(self, lost: Lost) -> Floats:
        """Return the chances of all steps, see `Mover`."""
        sectors = lost.sectors
        if self.sector < len(sectors.centers):
            return self._mixed(lost, sectors.toward[self.sector])
        return self._mixed(lost, np.zeros(len(lost.ground.ends), dtype=np.float32))

    def flow(self, lost: Lost) -> Flow | None:
        """Return the flow of belief, cached for each map."""
        flows = lost.sectors.flows
        key = (self, lost.stride)
        if key not in flows:
            flows[key] = lost.ground.drift(self.chances(lost))
        return flows[key]

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """Return the cells of the sector, and the chance that each is the end of the path."""
        sectors = lost.sectors
        if self.sector >= len(sectors.centers):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        cells = np.flatnonzero(sectors.there[self.sector])
        return cells, sectors.there[self.sector][cells].astype(np.float64)

    def parting(self, lost: Lost) -> Floats:
        """Return the chance of each sector as the next, (N, K)."""
        return lost.sectors.next


@dataclass(frozen=True)
class Run(_Led):
    """The target runs on in its direction to a far place, and from there to the next.

    Any far cell may be the first goal; the next is in another sector of the map, of up to 8. There
    is a stage for each sector, which takes time in each step once a target may be on its way there.

    Parameters
    ----------
    heading : float, optional
        How strongly it keeps its direction: a path across is exp(heading) times less likely than
        one straight on.
    far : float, optional
        Shortest path to a far place, typical steps; on small maps, the farther half is far.
    stay, stray, pace : float, optional
        The share of intervals without a step, in [0, 1); the share of steps in random directions,
        in [0, 1]; the speed as a share of the full speed, in (0, 1].
    """

    heading: float = 4.0
    far: float = 30.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, heading=checks.not_negative, far=checks.not_negative)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The path to a first goal, and then those to each sector of the map."""
        return _Onward.after(self)

    def prepare(self, lost: Lost) -> StepChances:
        """Return the chances of the first path, to any far cell."""
        ground = lost.ground
        if lost.cell is None:  # it may have arrived anywhere
            return StepChances(np.zeros(len(ground.ends)), np.ones(ground.count))
        segment = lost.segment
        away = segment.away / ground.step
        reach = min(self.far, float(np.median(away[segment.order])))
        far = np.isfinite(away) & (away >= reach)
        goals = np.where(far, segment.preference(lost.velocity, self.heading), 0.0)
        found = segment.split(goals)
        onwards = np.bincount(ground.origins, found.steps, ground.count)
        stuck = np.isfinite(away) & (goals <= 0) & (onwards <= 0)
        return StepChances(self._mixed(lost, found.steps), np.where(stuck, 1.0, found.there))

    def parting(self, lost: Lost) -> Floats:
        """Return the chance of each sector as the next, (N, K)."""
        return lost.sectors.next


@dataclass(frozen=True)
class _Back(_Led):
    """The target turns and goes to a far place behind the last sighting, and then to others."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The turn, and then the paths to each sector of the map."""
        return _Onward.after(self)

    def flow(self, lost: Lost) -> Flow | None:
        """Return None: nothing moves while it turns."""
        return None

    def chances(self, lost: Lost) -> Floats:
        """Return 0 for all steps."""
        return np.zeros(len(lost.ground.ends))

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """Return all cells: it turns anywhere."""
        return np.arange(len(lost.space)), np.ones(len(lost.space))

    def parting(self, lost: Lost) -> Floats:
        """Return the chance of each sector as the next, (N, K): far ones behind the last sighting
        if there are any.
        """
        sectors = lost.sectors
        onwards = sectors.next
        if lost.cell is None:
            return onwards
        offsets = lost.space.offsets_from(lost.space.position_of(lost.cell))
        behind = np.zeros(SECTORS)
        behind[: len(sectors.centers)] = sectors.behind(offsets, lost.velocity)
        back = onwards * behind
        total = back.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(back, total, out=onwards.copy(), where=total > 0))


@dataclass(frozen=True)
class DoubleBack(Run):
    """The target runs on for some seconds, then turns and goes to a place behind its pursuers.

    It has one stage more than `Run`.

    Parameters
    ----------
    turn : tuple of float, optional
        Earliest and latest turn in seconds after the last sighting.
    heading, far, stay, stray, pace : float, optional
        See `Run`.
    """

    turn: tuple[float, float] = (1.0, 6.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, turn=checked_range)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Running on, and then going back."""
        shared = {"stay": self.stay, "stray": self.stray, "pace": self.pace}
        onwards = Run(heading=self.heading, far=self.far, **shared)
        return (Stage(onwards, after=self.turn), *_Back(**shared).stages)


@dataclass(frozen=True)
class Hide(_Led):
    """The target goes to a nearby cell out of sight of the last sighting, and stays there.

    The fewer cells see a hiding place, the likelier it is.

    Parameters
    ----------
    near : tuple of float, optional
        Shortest and longest path to the hiding place, typical steps.
    sight : float, optional
        World units from which hiding places are seen; ten typical steps if absent.
    stay, stray, pace : float, optional
        See `Run`.
    """

    near: tuple[float, float] = (2.0, 16.0)
    sight: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, near=checked_range, sight=checks.optional(checks.positive))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Going to the hiding place, and staying there."""
        return (Stage(self, arrives=True), Stage(Stand()))

    def prepare(self, lost: Lost) -> StepChances:
        """Return the chances of the path to a hiding place."""
        segment = lost.segment
        step = lost.ground.step
        least = self.near[0] * step
        most = self.near[1] * step
        sight = self.sight
        if sight is None:
            sight = _SIGHT * step
        shortest = at_walk(lost.space, least)
        longest = within_walk(lost.space, most)
        places = np.flatnonzero((segment.away >= shortest) & (segment.away <= longest))
        goals = np.zeros(lost.ground.count)
        if len(places) and has_lines_of_sight(lost.space):
            visibility = visibility_cache(lost.space, SearcherSight(sight))
            dark = places[~visibility.seen_from(lost.start)[places]]
            if len(dark):
                places = dark
            goals[places] = hiding_chances(visibility.openness(places))
        elif len(places):
            goals[places] = hiding_chances(np.zeros(len(places)))
        found = segment.split(goals)
        return StepChances(self._mixed(lost, found.steps), found.there)


@dataclass(frozen=True)
class Journey(_Led):
    """The target goes to one of some places: exits, cover, objectives.

    The weight of each goal for a target in a cell is its first weight times exp(-d), where d is the
    detour of the path over this cell against the shortest path, in half typical steps.

    Parameters
    ----------
    goals : array_like of shape (K, 2)
        World positions; on a 3D graph of shape (K, 3). Those in walls are moved to the nearest open
        cell.
    weights : array_like of shape (K,), optional
        First weights, at least 0; equal if absent.
    arrives : bool, optional
        Whether it stays at the goal; else it goes on to another.
    stay, stray, pace : float, optional
        See `Run`.

    References
    ----------
    B. Ziebart et al., "Planning-based Prediction for Pedestrians", IROS 2009.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> exits = fc.pursuit.motion.Journey([(0.5, 0.5), (8.5, 0.5)], weights=[1, 3], stray=0)
    >>> belief = fc.Belief(fc.Grid(9, 1), speed=1.0, motion=exits)
    >>> belief.see((4.5, 0.5))
    >>> belief.advance(20.0)
    20
    >>> belief.values[0, [0, 8]].round(2)
    array([0.24, 0.76], dtype=float32)
    """

    goals: ArrayLike
    weights: ArrayLike | None = None
    arrives: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag("arrives", self.arrives)
        dimensions = 2
        if np.ndim(self.goals) and np.shape(self.goals)[-1:] == (3,):
            dimensions = 3
        points, _ = checks.positions(self.goals, dimensions=dimensions)
        if not len(points):
            raise InvalidValue("A journey has goals", got="none", remedy="Pass at least one")
        object.__setattr__(self, "goals", tuple(map(tuple, points.tolist())))
        numbers = np.ones(len(points))
        if self.weights is not None:
            given = checks.numbers("weights", self.weights, len(points))
            numbers = np.asarray(given, dtype=np.float64)
        if (numbers < 0).any() or not numbers.sum() > 0:
            raise InvalidValue(
                "weights are at least 0, one of them above",
                got=str(self.weights)[:60],
                remedy="Pass 1 for each, say",
            )
        object.__setattr__(self, "weights", tuple(numbers.tolist()))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Going to a goal, and staying there if it arrives."""
        if self.arrives:
            return (Stage(self, arrives=True), Stage(Stand()))
        return (Stage(self),)

    def prepare(self, lost: Lost) -> StepChances:
        """Return the chances of the paths to the goals."""
        space = lost.space
        ground = lost.ground
        points, _ = checks.positions(self.goals, dimensions=space.dimensions)
        given = np.atleast_1d(space.nearest_open(space.cell_at(points)))
        # Goals in one cell are one.
        cells, which = np.unique(given, return_inverse=True)
        prior = np.bincount(which, weights=np.asarray(self.weights), minlength=len(cells))
        away = np.array(
            [distance_map(space, space.position_of(int(cell))).exact.reshape(-1) for cell in cells]
        )
        so_far = np.zeros(ground.count)
        distances = np.zeros(len(cells))
        if lost.cell is not None:
            so_far = lost.segment.away
            distances = away[:, lost.cell]
            so_far = np.where(np.isfinite(so_far), so_far, 0.0)
        possible = np.isfinite(away) & ((prior > 0) & np.isfinite(distances))[:, np.newaxis]
        if not self.arrives:
            possible &= away > 0
        detours = np.where(possible, so_far + away, np.inf)
        detours -= np.where(np.isfinite(distances), distances, 0.0)[:, np.newaxis]
        least = np.where(possible.any(axis=0), detours.min(axis=0), 0.0)
        weights = prior[:, np.newaxis] * np.exp((least - detours) / (_DETOUR * ground.step))
        total = weights.sum(axis=0)
        likely = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
        toward = sum(
            chance[ground.origins] * steps_toward(space, ground, int(cell), own)
            for chance, cell, own in zip(likely, cells, away, strict=True)
        )
        there = np.where(away == 0, likely, 0.0).sum(axis=0)
        return StepChances(self._mixed(lost, np.asarray(toward)), there)
