"""One way of moving: how likely each step is for a target out of sight."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit.arguments import share_above_zero, share_below_one
from fieldcraft.pursuit.backend import Flow, PursuitBackend, backend
from fieldcraft.pursuit.motion.path_segments import PathSegment, StepChances, path_segment
from fieldcraft.space import Space

__all__ = [
    "Afraid",
    "Lost",
    "Mover",
    "Prepared",
    "Stage",
    "Stand",
    "Then",
    "Wander",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_ROUNDED = 1e-9
_SCARED = 2.0  # typical steps nearer or farther at most, that one step counts


@dataclass(eq=False)
class Prepared:
    """What motions have worked out since the last sighting: shortest paths from its cell, and the
    chances of each motion.
    """

    ground: PursuitBackend | None = None
    segment: PathSegment | None = None
    steps: dict[Mover, StepChances] = field(default_factory=dict)

    def __reduce__(self) -> tuple[type[Prepared], tuple[()]]:
        return Prepared, ()  # a cache: copies begin empty


@dataclass(frozen=True, eq=False)
class Lost:
    """The last sighting, as motions read it.

    Parameters
    ----------
    space : Space
        The map.
    cell : int
        The cell in which it was; None while it has never been seen.
    velocity : Floats
        How it moved there, world units a second, (D,); 0 where that is not known.
    searchers : Floats
        World positions of those whom it may fear, (S, D).
    stride : float
        World units that it gets in an interval at full speed.
    every : float
        Seconds of an interval.
    """

    space: Space
    cell: int | None
    velocity: Floats
    searchers: Floats
    stride: float
    every: float
    prepared: Prepared = field(default_factory=lambda: Prepared(), repr=False)

    @property
    def ground(self) -> PursuitBackend:
        """The steps of the space as arrays."""
        found = self.prepared.ground
        if found is None:
            found = self.prepared.ground = backend(self.space)
        return found

    def slower(self, pace: float = 1.0) -> Floats:
        """Return the share of each of `space.ways` that is completed in an interval, (A,): a long
        step takes several.
        """
        return np.minimum(self.stride * pace / self.ground.lengths, 1.0)

    @property
    def start(self) -> int:
        """The cell of the last sighting, or any open one."""
        if self.cell is not None:
            return self.cell
        return int(np.flatnonzero(~self.space.walls.reshape(-1))[0])

    def segment(self) -> PathSegment:
        """Return the shortest paths from `start`; worked out once per sighting."""
        found = self.prepared.segment
        if found is None:
            found = self.prepared.segment = path_segment(self.space, self.ground, self.start)
        return found


@dataclass(frozen=True)
class Stage:
    """A part of a motion.

    Parameters
    ----------
    mover : Mover
        How somebody moves in it.
    after : tuple[float, float], optional
        Seconds since the last sighting until which it lasts, the fewest and the most, any moment
        between as likely; None if it may last for ever.
    skips : int, optional
        Which part follows then: the next, or one so many after it.
    arrives : bool, optional
        Whether the next part begins where the mover's `arriving` says.
    follows : tuple[int, ...], optional
        Where one of several parts begins then: how many after this one each of them stands; the
        mover's `parting` says which.
    """

    mover: Mover
    after: tuple[float, float] | None = None
    skips: int = 1
    arrives: bool = False
    follows: tuple[int, ...] = ()


class Mover:
    """A way of moving. One of your own inherits from this and answers `chances`; `fc.Belief(space,
    speed, motion=...)` takes it.
    """

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The parts of the motion, one after the other in time."""
        return (Stage(self),)

    @property
    def afraid(self) -> bool:
        """Whether the chances depend on where searchers are."""
        return False

    @property
    def alike(self) -> bool:
        """Whether the chances depend on the map alone, and not on where the target was last
        seen.
        """
        return False

    def chances(self, lost: Lost) -> Floats:
        """How likely who is at its beginning takes each step of `lost.space.ways` in an interval,
        (A,) float64; else it stays there.

        The chances of a cell add up to at most 1, and times the lengths of the steps to at most
        `lost.stride`: nobody is faster on average.
        """
        raise NotImplementedError

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """The cells (K,) in which somebody arrives, and how likely who comes there does (K,): the
        next part of the motion begins.
        """
        return np.zeros(0, dtype=np.int64), np.zeros(0)

    def parting(self, lost: Lost) -> Floats:
        """How likely each of the F parts that may follow is for who arrives in each cell, (N, F);
        those of a cell add up to 1.
        """
        raise NotImplementedError

    def flow(self, lost: Lost) -> Flow | None:
        """Return the flow of belief that follows from the chances; None if nothing moves."""
        return lost.ground.drift(_checked(self.chances(lost), lost, type(self).__name__))


@dataclass(frozen=True)
class Wander(Mover):
    """The target wanders about: each step out of a cell is as likely as any other. The motion of a
    plain `fc.Belief`.

    Parameters
    ----------
    stay : float, optional
        The share that stays where it is in each interval, in [0, 1).
    pace : float, optional
        How fast it is beside the full speed, in (0, 1].
    """

    stay: float = 0.1
    pace: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "stay", share_below_one("stay", self.stay))
        object.__setattr__(self, "pace", share_above_zero("pace", self.pace))

    @property
    def alike(self) -> bool:
        """Yes: of the map alone."""
        return True

    def chances(self, lost: Lost) -> Floats:
        """The chances of all steps, see `Mover`."""
        ground = lost.ground
        walk = ground.random_walk(self.stay, lost.stride * self.pace)
        return np.asarray(walk.slower * walk.part[ground.origins])

    def flow(self, lost: Lost) -> Flow | None:
        """Return the flow of a plain belief."""
        return lost.ground.wander(self.stay, lost.stride * self.pace)


@dataclass(frozen=True)
class Stand(Mover):
    """The target stands still."""

    @property
    def alike(self) -> bool:
        """Yes: of the map alone."""
        return True

    def chances(self, lost: Lost) -> Floats:
        """None for any step."""
        return np.zeros(len(lost.ground.ends))

    def flow(self, lost: Lost) -> Flow | None:
        """No flow."""
        return None


@dataclass(frozen=True)
class Then(Mover):
    """The target moves in one way, and after some seconds in another.

    Each way costs a step of a belief.

    Parameters
    ----------
    first, second : Mover
        Both ways of moving.
    after : tuple[float, float], optional
        Seconds since the last sighting in which the second begins, the fewest and the most: any
        moment between is as likely.
    """

    first: Mover
    second: Mover
    after: tuple[float, float] = (1.0, 6.0)

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            if not isinstance(getattr(self, name), Mover):
                raise InvalidValue(
                    f"{name} is a motion",
                    got=type(getattr(self, name)).__name__,
                    remedy="Pass fc.pursuit.motion.Run(), say",
                )
        if any(stage.after is not None for stage in self.first.stages):
            raise InvalidValue(
                "The first motion of two does not change in time",
                got=repr(self.first)[:60],
                remedy="Pass Then(a, Then(b, c))",
            )
        low, high = (float(value) for value in checks.numbers("after", self.after, 2))
        if not 0 <= low <= high:
            raise InvalidValue(
                "after is the fewest and the most seconds",
                got=f"{(low, high)}",
                remedy="Pass the lower one first",
            )
        object.__setattr__(self, "after", (low, high))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The parts of the first, and then those of the second."""
        before = self.first.stages
        timed = (
            replace(stage, after=self.after, skips=len(before) - number)
            for number, stage in enumerate(before)
        )
        return (*timed, *self.second.stages)

    @property
    def afraid(self) -> bool:
        """Whether one of both is."""
        return self.first.afraid or self.second.afraid

    def chances(self, lost: Lost) -> Floats:
        """The chances of the first."""
        return self.first.chances(lost)


@dataclass(frozen=True)
class Afraid(Mover):
    """The target moves in a way, but rather not towards searchers near by: `belief.look(view,
    searchers=...)` says where they are.

    A step is e times less likely for each typical step that it leads nearer to the nearest
    searcher, times `fear`, and likelier if it leads away.

    Parameters
    ----------
    mover : Mover
        The way of moving.
    radius : float
        How near a searcher must be, world units, straight.
    fear : float, optional
        How strong it is, at least 0.
    """

    mover: Mover
    radius: float
    fear: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.mover, Mover):
            raise InvalidValue(
                "mover is a motion",
                got=type(self.mover).__name__,
                remedy="Pass fc.pursuit.motion.Run(), say",
            )
        object.__setattr__(self, "radius", checks.positive("radius", self.radius))
        object.__setattr__(self, "fear", checks.not_negative("fear", self.fear))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The parts of the way of moving, each afraid."""
        parts = self.mover.stages
        if len(parts) == 1:
            return (Stage(self),)
        return tuple(replace(stage, mover=_frightened(stage.mover, self)) for stage in parts)

    @property
    def afraid(self) -> bool:
        """Yes."""
        return True

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """The cells and chances of the way of moving."""
        return self.mover.arriving(lost)

    def parting(self, lost: Lost) -> Floats:
        """The parts that follow the way of moving."""
        return self.mover.parting(lost)

    def chances(self, lost: Lost) -> Floats:
        """The chances of the way of moving, with other weights near searchers."""
        calm = np.asarray(self.mover.chances(lost), dtype=np.float64)
        if not len(lost.searchers) or not len(calm):
            return calm
        space, ground = lost.space, lost.ground
        away = np.min(
            [np.sqrt((space.offsets_from(place) ** 2).sum(axis=1)) for place in lost.searchers],
            axis=0,
        )
        origins, slower = ground.origins, lost.slower()
        gained = np.clip((away[ground.ends] - away[origins]) / ground.step, -_SCARED, _SCARED)
        chosen = calm / slower
        wanted = chosen * np.where(away[origins] <= self.radius, np.exp(self.fear * gained), 1.0)
        before, after = (
            np.bincount(origins, weights=each, minlength=ground.count) for each in (chosen, wanted)
        )
        scale = np.divide(before, after, out=np.ones(ground.count), where=after > 0)
        return np.asarray(wanted * scale[origins] * slower)


def _frightened(mover: Mover, like: Afraid) -> Mover:
    """Part of a motion, as afraid as another; one that stands stands."""
    return mover if isinstance(mover, Stand) else Afraid(mover, like.radius, like.fear)


def _checked(chances: Any, lost: Lost, name: str) -> Floats:
    """The chances that a motion gave, or `InvalidValue`."""
    ground = lost.ground
    given = np.asarray(chances)
    if given.dtype.kind not in "fiu" or given.shape != (len(ground.ends),):
        raise InvalidValue(
            "The chances of a motion are a number for each step of lost.space.ways",
            got=f"{given.dtype} of shape {given.shape} from {name}",
            remedy=f"Answer shape ({len(ground.ends)},)",
        )
    found = given.astype(np.float64)
    leaves = np.bincount(ground.origins, weights=found, minlength=ground.count)
    if not np.isfinite(found).all() or (found < 0).any() or (leaves > 1 + _ROUNDED).any():
        raise InvalidValue(
            "The chances of a motion are at least 0, and those of a cell add up to at most 1",
            got=(
                f"{found.min(initial=0):g} to {found.max(initial=0):g} and"
                f" {leaves.max(initial=0):g} in all from {name}"
            ),
            remedy="Divide by their sum",
        )
    far = np.bincount(ground.origins, weights=found * ground.lengths, minlength=ground.count)
    if (far > lost.stride * (1 + _ROUNDED)).any():
        raise InvalidValue(
            "A motion is no faster than its target, on average",
            got=(
                f"{far.max():g} world units an interval, with a stride of {lost.stride:g}, from"
                f" {name}"
            ),
            remedy="Multiply the chances by lost.slower()",
        )
    return found
