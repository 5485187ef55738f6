"""One way of moving: how likely each step is for a target out of sight."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit.arguments import share_above_zero, share_below_one
from fieldcraft.pursuit.backend import Flow, PursuitBackend, backend
from fieldcraft.pursuit.motion.path_segments import (
    PathSegment,
    Sectors,
    StepChances,
    path_segment,
    sectors_of,
)
from fieldcraft.space import Space

__all__ = [
    "Lost",
    "Mover",
    "Stage",
    "Stand",
    "Wander",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_ROUNDED = 1e-9


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
    stride : float
        World units that it gets in an interval at full speed.
    every : float
        Seconds of an interval.
    """

    space: Space
    cell: int | None
    velocity: Floats
    stride: float
    every: float

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}  # without caches

    @cached_property
    def ground(self) -> PursuitBackend:
        """The steps of the space as arrays."""
        return backend(self.space)

    def slower(self, pace: float = 1.0) -> Floats:
        """Return the share of each step that is completed in an interval, (A,).

        A long step takes several.
        """
        return np.minimum(self.stride * pace / self.ground.lengths, 1.0)

    @cached_property
    def start(self) -> int:
        """The cell of the last sighting, or any open one."""
        if self.cell is not None:
            return self.cell
        return int(np.flatnonzero(~self.space.walls.reshape(-1))[0])

    @cached_property
    def segment(self) -> PathSegment:
        """The shortest paths from `start`."""
        return path_segment(self.space, self.ground, self.start)

    @cached_property
    def sectors(self) -> Sectors:
        """The sectors of the part of the map in which `start` lies."""
        return sectors_of(self.space, self.start)

    @cached_property
    def prepared(self) -> dict[Mover, StepChances]:
        """What each motion has worked out since the sighting."""
        return {}


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
    arrives : bool, optional
        Whether the next part begins where the mover's `arriving` says.
    follows : tuple[int, ...], optional
        Where one of several parts begins then: how many after this one each of them stands; the
        mover's `parting` says which.
    """

    mover: Mover
    after: tuple[float, float] | None = None
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

    alike: ClassVar[bool] = False
    """Whether the chances depend on the map alone, and not on the last sighting."""

    def chances(self, lost: Lost) -> Floats:
        """Return the probability of each step in an interval, (A,), for an agent at its origin.

        Otherwise the agent stays there.

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

    alike: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checks.fields(self, stay=share_below_one, pace=share_above_zero)

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

    alike: ClassVar[bool] = True

    def chances(self, lost: Lost) -> Floats:
        """None for any step."""
        return np.zeros(len(lost.ground.ends))

    def flow(self, lost: Lost) -> Flow | None:
        """No flow."""
        return None


def _checked(chances: Any, lost: Lost, name: str) -> Floats:
    """The chances that a motion gave, or `InvalidValue`."""
    ground = lost.ground
    given = np.asarray(chances)
    if given.dtype.kind not in "fiu" or given.shape != (len(ground.ends),):
        raise InvalidValue(
            "The chances of a motion are a number for each step of lost.space.adjacency",
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
