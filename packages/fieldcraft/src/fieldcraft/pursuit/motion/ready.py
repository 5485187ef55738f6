"""Motions that lead somewhere: who runs on, hides, doubles back, or goes to places that draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit import door
from fieldcraft.pursuit.motion.goals import Goals, goals_at, goals_everywhere, led
from fieldcraft.pursuit.motion.legs import SECTORS, first_leg, sectors_of
from fieldcraft.pursuit.motion.movers import Lost, Mover, Stage, Stand, Then, share_below_one
from fieldcraft.pursuit.outlooks import outlooks_of
from fieldcraft.space.kinds import has_lines
from fieldcraft.space.sight import visible

__all__ = ["DoubleBack", "Hide", "Journey", "Run", "checked_range"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_STAY, _STRAY = 0.05, 0.1
_SIGHT = 10.0  # typical steps: how far others see, where a place to hide is looked for
_NARROW = 8  # how much likelier a place to hide is that fewer see
_EVEN = 0.05  # how likely the most open one is, beside the most hidden


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
            raise InvalidValue(
                "pace is above 0",
                got="pace=0",
                remedy="Pass 0.5, say; fc.pursuit.motion.Stand() never moves",
            )

    def _toward(
        self, lost: Lost, goals: Goals, prior: Floats, *, arrives: bool, straight: bool
    ) -> Floats:
        chances, there = led(
            lost,
            goals,
            prior,
            arrives=arrives,
            straight=straight,
            stay=self.stay,
            stray=self.stray,
            pace=float(self.pace),
        )
        lost.kept[self, "there"] = there
        return chances

    def _mixed(self, lost: Lost, toward: NDArray[Any]) -> Floats:
        """The chances of somebody who takes steps with these chances, and stands, strays and is as
        fast as the motion says.

        Where there is no step to go on to, it wanders.
        """
        ways, count = lost.space.ways, len(lost.space)
        origins = ways.origins
        leads = np.bincount(origins, weights=toward, minlength=count)
        on = np.divide(toward, leads[origins], out=np.zeros(len(toward)), where=leads[origins] > 0)
        loose = np.where(leads > 0, self.stray, 1.0) / np.maximum(np.diff(ways.starts), 1)
        return np.asarray(
            (1 - self.stay)
            * lost.slower(float(self.pace))
            * ((1 - self.stray) * on + loose[origins])
        )

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """The goals, and how likely each is that of who comes there."""
        if (self, "there") not in lost.kept:
            self.chances(lost)
        there = lost.kept[self, "there"]
        cells = np.flatnonzero(there)
        return cells, there[cells]


@dataclass(frozen=True)
class _Onward(_Led):
    """Somebody goes to a place in one sector of the map, and then in another, on and on."""

    sector: int = 0

    @staticmethod
    def all_stages(mover: _Led) -> tuple[Stage, ...]:
        """A part for each sector; after each, one towards another."""
        made = (
            _Onward(stay=mover.stay, stray=mover.stray, pace=mover.pace, sector=number)
            for number in range(SECTORS)
        )
        return tuple(
            Stage(each, arrives=True, follows=tuple(range(-n, SECTORS - n)))
            for n, each in enumerate(made)
        )

    def chances(self, lost: Lost) -> Floats:
        """The chances of all steps, see `Mover`."""
        sectors = sectors_of(lost.space, _start(lost))
        toward = (
            sectors.toward[self.sector]
            if self.sector < len(sectors.centers)
            else np.zeros(len(lost.space.ways.ends), dtype=np.float32)
        )
        return self._mixed(lost, toward)

    def flow(self, lost: Lost) -> door.Flow | None:
        """The flow of belief, worked out once for each map."""
        flows = sectors_of(lost.space, _start(lost)).flows
        if (self, lost.stride) not in flows:
            flows[self, lost.stride] = super().flow(lost)
        found: door.Flow | None = flows[self, lost.stride]
        return found

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """The cells of the sector, and how likely each is the end of the way."""
        sectors = sectors_of(lost.space, _start(lost))
        if self.sector >= len(sectors.centers):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        cells = np.flatnonzero(sectors.there[self.sector])
        return cells, sectors.there[self.sector][cells].astype(np.float64)

    def parting(self, lost: Lost) -> Floats:
        """How likely each sector is the next, (N, K)."""
        return _next_sectors(lost)


@dataclass(frozen=True)
class Run(_Led):
    """Somebody runs on, the way that it ran, to a far place, and from there to the next.

    Parameters
    ----------
    heading: how strongly it keeps its direction: of two ways the one across it is so many times e
        less likely than the one ahead.
    far: typical steps to a far place, at least; on small maps, the farther half.
    stay, stray, pace: the share of intervals in which it stands, in [0, 1); the share of steps that
        lead anywhere, in [0, 1]; how fast it is beside the full speed, in (0, 1].

    Any far cell may be the first goal; from there it goes to a place in another sector of the map,
    of up to 8. It has a part for each of them, which costs a step of a belief as soon as somebody
    may be on the way there.
    """

    heading: float = 4.0
    far: float = 30.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "heading", checks.not_negative("heading", self.heading))
        object.__setattr__(self, "far", checks.not_negative("far", self.far))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The first way, and then those to each sector of the map."""
        return (
            Stage(self, arrives=True, follows=tuple(range(1, 1 + SECTORS))),
            *_Onward.all_stages(self),
        )

    def chances(self, lost: Lost) -> Floats:
        """The chances of all steps, see `Mover`."""
        if lost.cell is None:
            return self._arrived_everywhere(lost)
        leg = first_leg(lost)
        away = leg.away / lost.space.typical_step
        reach = min(self.far, float(np.median(away[leg.order])))
        goals = np.where(
            np.isfinite(away) & (away >= reach), leg.liking(lost.velocity, self.heading), 0.0
        )
        toward, there = leg.split(goals)
        stuck = (
            np.isfinite(away)
            & (goals <= 0)
            & (np.bincount(lost.space.ways.origins, toward, len(away)) <= 0)
        )
        lost.kept[self, "there"] = np.where(stuck, 1.0, there)
        return self._mixed(lost, toward)

    def _arrived_everywhere(self, lost: Lost) -> Floats:
        lost.kept[self, "there"] = np.ones(len(lost.space))
        return np.zeros(len(lost.space.ways.ends))

    def parting(self, lost: Lost) -> Floats:
        """How likely each sector is the next, (N, K)."""
        return _next_sectors(lost)


@dataclass(frozen=True)
class _Back(_Led):
    """Somebody goes to a far place behind where it was last seen, and from there to the next."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Turning, and the ways to each sector of the map."""
        return (
            Stage(self, arrives=True, follows=tuple(range(1, 1 + SECTORS))),
            *_Onward.all_stages(self),
        )

    def flow(self, lost: Lost) -> door.Flow | None:
        """Nothing moves while it turns."""
        return None

    def chances(self, lost: Lost) -> Floats:
        """None for any step."""
        return np.zeros(len(lost.space.ways.ends))

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """All cells."""
        return np.arange(len(lost.space)), np.ones(len(lost.space))

    def parting(self, lost: Lost) -> Floats:
        """How likely each sector is: far ones behind where it was last seen, as far as there are
        any, (N, K).
        """
        onwards = _next_sectors(lost)
        if lost.cell is None:
            return onwards
        sectors = sectors_of(lost.space, _start(lost))
        behind = np.zeros(SECTORS)
        behind[: len(sectors.centers)] = sectors.behind(lost)
        back = onwards * behind
        total = back.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(back, total, out=onwards.copy(), where=total > 0))


@dataclass(frozen=True)
class DoubleBack(Run):
    """Somebody runs on, and after some seconds turns, and goes to a place behind those who chase
    it.

    Parameters
    ----------
    turn: seconds after the last sighting in which it turns, the fewest and the most.
    heading, far, stay, stray, pace: as in `Run`.

    It has as many parts as `Run`, and one more.
    """

    turn: tuple[float, float] = (1.0, 6.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "turn", checked_range("turn", self.turn))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Running on, and then back."""
        onwards = _RunOn(
            stay=self.stay, stray=self.stray, pace=self.pace, heading=self.heading, far=self.far
        )
        return Then(
            onwards, _Back(stay=self.stay, stray=self.stray, pace=self.pace), self.turn
        ).stages


@dataclass(frozen=True)
class _RunOn(Run):
    """The first way of somebody who runs on."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The first way alone."""
        return (Stage(self),)


@dataclass(frozen=True)
class Hide(_Led):
    """Somebody goes to a place near by that few others see, and not from where it was last seen,
    and stays there.

    Parameters
    ----------
    near: typical steps to the hiding place, the fewest and the most.
    sight: how far others see, world units; ten typical steps if absent.
    stay, stray, pace: as in `Run`.

    Every such place may be the one, the likelier the fewer see it.
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
        start = _start(lost)
        lost = replace(lost, cell=start)
        leg, step = first_leg(lost), lost.space.typical_step
        least, most = (steps * step for steps in self.near)
        sight = _SIGHT * step if self.sight is None else self.sight
        places = np.flatnonzero((leg.away >= least) & (leg.away <= most))
        views = has_lines(lost.space)
        if views:
            dark = np.setdiff1d(
                places, np.flatnonzero(visible(lost.space, lost.space.position_of(start), sight))
            )
            places = dark if len(dark) else places
        goals = np.zeros(len(lost.space))
        if len(places):
            seen_from = (
                outlooks_of(lost.space, sight).openness(places) if views else np.zeros(len(places))
            )
            rank = np.argsort(np.argsort(seen_from, kind="stable"), kind="stable") / len(places)
            goals[places] = (1 - rank) ** _NARROW + _EVEN
        toward, there = leg.split(goals)
        lost.kept[self, "there"] = there
        return self._mixed(lost, toward)


@dataclass(frozen=True)
class Journey(_Led):
    """Somebody goes to one of some places that draw: exits, cover, far corners, the objective.

    Parameters
    ----------
    goals: world positions, (K, 2) or (K, 3); those in walls are taken to the nearest open cell.
        Without them, places all over the map, and from there to the next.
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
                raise InvalidValue(
                    "A journey has goals",
                    got="none",
                    remedy="Leave goals out for places all over the map",
                )
            object.__setattr__(self, "goals", tuple(map(tuple, points.tolist())))
        if self.weights is not None:
            if count is None:
                raise InvalidValue(
                    "Weights are those of goals",
                    got="weights without goals",
                    remedy="Pass goals, too",
                )
            numbers = np.asarray(checks.numbers("weights", self.weights, count), dtype=np.float64)
            if (numbers < 0).any() or not numbers.sum() > 0:
                raise InvalidValue(
                    "weights are at least 0, one of them above",
                    got=str(self.weights)[:60],
                    remedy="Pass 1 for each, say",
                )
            object.__setattr__(self, "weights", tuple(numbers.tolist()))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Going there, and staying; going on and on without goals of its own."""
        return (
            (Stage(self, arrives=True), Stage(Stand()))
            if self.arrives and self.goals is not None
            else (Stage(self),)
        )

    def chances(self, lost: Lost) -> Floats:
        """The chances of all steps, see `Mover`."""
        if self.goals is None:
            goals = goals_everywhere(lost.space, _start(lost))
            return self._toward(
                lost, goals, np.ones(len(goals.cells)), arrives=False, straight=True
            )
        points, _ = checks.positions(self.goals, dimensions=lost.space.dimensions)
        cells = np.atleast_1d(lost.space.nearest_open(lost.space.cell_at(points)))
        weights = (
            np.ones(len(cells))
            if self.weights is None
            else np.asarray(self.weights, dtype=np.float64)
        )
        # Goals in one cell are one.
        different, which = np.unique(cells, return_inverse=True)
        prior = np.asarray(
            np.bincount(which, weights=weights, minlength=len(different)), dtype=np.float64
        )
        return self._toward(
            lost,
            goals_at(lost.space, different.astype(np.int64)),
            prior,
            arrives=self.arrives,
            straight=True,
        )


def checked_range(name: str, value: ArrayLike) -> tuple[float, float]:
    """The least and the most of something, at least 0, or `InvalidValue`."""
    low, high = (float(number) for number in checks.numbers(name, value, 2))
    if not 0 <= low <= high:
        raise InvalidValue(
            f"{name} is the least and the most, at least 0",
            got=f"{(low, high)}",
            remedy="Pass the lower one first",
        )
    return low, high


def _start(lost: Lost) -> int:
    """The cell in which it was lost, or any open one."""
    return (
        lost.cell
        if lost.cell is not None
        else int(np.flatnonzero(~lost.space.walls.reshape(-1))[0])
    )


def _next_sectors(lost: Lost) -> Floats:
    """How likely each sector of the map is the next to go to for who is in a cell, (N, K)."""
    return sectors_of(lost.space, _start(lost)).next
