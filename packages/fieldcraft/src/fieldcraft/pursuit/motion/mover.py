"""The base of motions: the chances of steps of a target out of sight."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.pursuit.motion.path_segments import (
    PathSegment,
    Sectors,
    StepChances,
    path_segment,
    sectors_of,
)
from fieldcraft.pursuit.pursuit_checks import share_above_zero, share_below_one
from fieldcraft.pursuit.transitions import Flow, PursuitBackend, backend
from fieldcraft.space import Space

_ROUNDED = 1e-9


@dataclass(frozen=True, eq=False)
class Lost:
    """The last sighting, as motions read it.

    Parameters
    ----------
    space : Space
        The map.
    cell : int or None
        Cell of the last sighting; None if the target was never seen.
    velocity : ndarray of shape (D,)
        Velocity there, world units per second; 0 if it is not known.
    stride : float
        World units walked in an interval at full speed.
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
        """The arcs of the space."""
        return backend(self.space)

    def slower(self, pace: float = 1.0) -> Floats:
        """Return the chance that each step is completed in an interval, (A,): 1 for short steps."""
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
        """The sectors of the component of `start`."""
        return sectors_of(self.space, self.start)

    @cached_property
    def prepared(self) -> dict[Mover, StepChances]:
        """The cached chances of each motion since the sighting."""
        return {}


@dataclass(frozen=True)
class Stage:
    """A stage of a motion.

    Parameters
    ----------
    mover : Mover
        The chances of steps in this stage.
    after : tuple of float, optional
        Earliest and latest end in seconds since the last sighting, with any moment between equally
        likely; None if it does not end by time.
    arrives : bool, optional
        Whether the next stage begins in the cells of the mover's `arriving`.
    follows : tuple of int, optional
        Offsets of the stages of which one begins then; the mover's `parting` has their chances.
    """

    mover: Mover
    after: tuple[float, float] | None = None
    arrives: bool = False
    follows: tuple[int, ...] = ()


class Mover:
    """Base of motions. A subclass defines `chances`; `fc.Belief(space, speed, motion=...)` takes
    it.
    """

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages of the motion in their order."""
        return (Stage(self),)

    alike: ClassVar[bool] = False
    """Whether the chances depend only on the map, not on the last sighting."""

    def chances(self, lost: Lost) -> Floats:
        """Return the chance of each step in an interval, (A,), for a target at its origin, which
        else stays there.

        The chances of the steps out of a cell sum to at most 1; weighted by the steps' lengths, to
        at most `lost.stride`, so that no target is faster on average.
        """
        raise NotImplementedError

    def arriving(self, lost: Lost) -> tuple[Ints, Floats]:
        """Return the cells (K,) in which the next stage may begin, and the chance of each (K,)."""
        return np.zeros(0, dtype=np.int64), np.zeros(0)

    def parting(self, lost: Lost) -> Floats:
        """Return the chance of each of the F next stages for a target that arrives in a cell,
        (N, F); those of a cell sum to 1.
        """
        raise NotImplementedError

    def flow(self, lost: Lost) -> Flow | None:
        """Return the flow of belief that follows from the chances; None if nothing moves."""
        return lost.ground.drift(_checked(self.chances(lost), lost, type(self).__name__))


@dataclass(frozen=True)
class Wander(Mover):
    """Random walk: all steps out of a cell are equally likely. The default of `fc.Belief`.

    Parameters
    ----------
    stay : float, optional
        Share that stays in its cell in each interval, in [0, 1).
    pace : float, optional
        Speed as a share of the full speed, in (0, 1].
    """

    stay: float = 0.1
    pace: float = 1.0

    alike: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checks.fields(self, stay=share_below_one, pace=share_above_zero)

    def chances(self, lost: Lost) -> Floats:
        """Return the chances of all steps; see `Mover`."""
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
        """Return 0 for all steps."""
        return np.zeros(len(lost.ground.ends))

    def flow(self, lost: Lost) -> Flow | None:
        """Return None: nothing moves."""
        return None


def _checked(chances: Any, lost: Lost, name: str) -> Floats:
    """Return the chances of a motion, or raise `InvalidValue`."""
    ground = lost.ground
    given = np.asarray(chances)
    if given.dtype.kind not in "fiu" or given.shape != (len(ground.ends),):
        raise InvalidValue(
            "The chances of a motion are a number for each step of lost.space.adjacency",
            got=f"{given.dtype} of shape {given.shape} from {name}",
            remedy=f"Return shape ({len(ground.ends)},)",
        )
    found = given.astype(np.float64)
    leaves = np.bincount(ground.origins, weights=found, minlength=ground.count)
    if not np.isfinite(found).all() or (found < 0).any() or (leaves > 1 + _ROUNDED).any():
        raise InvalidValue(
            "The chances of a motion are at least 0, and those of a cell sum to at most 1",
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
