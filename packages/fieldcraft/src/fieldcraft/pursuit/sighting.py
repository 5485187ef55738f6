"""Sight: who is seen, who has just been found, and who has just been lost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit.arguments import target_number
from fieldcraft.space import Space, sees, visible
from fieldcraft.space.kinds import checked_space

__all__ = ["Contacts", "Sight"]

_NEVER = -1
_MOST_TARGETS = 10_000_000  # whose last positions take 400 MB


@dataclass(frozen=True, eq=False)
class Contacts:
    """The knowledge that a group has of T targets by sight: plain arrays, so that a game can keep
    it in its state. Made by `Sight`.

    `seen` (V, T) bool says which viewers see which targets now, `in_sight` (T,) bool of which
    targets the group has contact, `found` and `lost` (K,) int64 with which it got contact or lost
    it by this look. `positions` (T, D) are where targets were seen last, NaN if they never were,
    `velocities` (T, D) how they moved then, 0 where that is not known. `waited` (T,) int64 are the
    clock's ticks since then, -1 if there was none; see `ages`.
    """

    seen: NDArray[np.bool_]
    in_sight: NDArray[np.bool_]
    found: NDArray[np.int64]
    lost: NDArray[np.int64]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    waited: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.in_sight)

    @property
    def ages(self) -> NDArray[np.float64]:
        """Seconds since each target was seen last, (T,): 0 for those seen now, infinity for those
        never seen.
        """
        return np.where(self.waited == _NEVER, np.inf, self.waited / clock.TICKS_PER_SECOND)

    def velocity_of(self, target: int) -> NDArray[np.float64] | None:
        """How a target moved when it was seen last, or None where that is not known: what `Pursuit`
        takes.
        """
        velocity: NDArray[np.float64] = self.velocities[target_number(target, len(self))]
        return velocity if velocity.any() else None


@dataclass(frozen=True, eq=False)
class Sight:
    """How a group of viewers sees, and what it learns by each look: who is in sight, who was found,
    who was lost.

    It holds settings only. What is known goes in and comes out, as `Contacts`::

        contacts = sight.nobody(targets=2)
        contacts = sight.observe(contacts, guards, thieves, dt, facing=headings)
        for thief in contacts.lost:
            hunt = Pursuit(space, contacts.positions[thief], contacts.velocity_of(thief), speed=4)

    Parameters
    ----------
    space : Space
        A grid or a graph; see `visible` for what hides there.
    radius : array_like
        World units, above 0; one, or one per viewer.
    angle : float, optional
        The opening of the cone in which viewers see, in degrees, where a look says which way they
        face.
    grace : float, optional
        Seconds for which a contact lasts while nobody sees the target, so that a pillar passed by
        loses nobody.
    heights, eye : array_like, optional / float, optional
        Of a grid, as in `visible`.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    """

    space: Space
    radius: ArrayLike
    angle: float = 90.0
    grace: float = 0.0
    heights: ArrayLike | None = None
    eye: float = 1.0

    def __post_init__(self) -> None:
        checked_space(self.space)
        nowhere = np.zeros((0, self.space.dimensions))
        one = self.radius if checks.array("radius", self.radius).ndim == 0 else 1.0
        visible(self.space, nowhere, one, angle=self.angle, heights=self.heights, eye=self.eye)
        clock.ticks("grace", self.grace)

    def nobody(self, targets: int) -> Contacts:
        """The contacts with so many targets before anybody has looked."""
        count = checks.integer("targets", targets, maximum=_MOST_TARGETS)
        places = np.zeros((count, self.space.dimensions))
        none = np.zeros(0, dtype=np.int64)
        return Contacts(
            np.zeros((0, count), dtype=np.bool_),
            np.zeros(count, dtype=np.bool_),
            none,
            none,
            np.full_like(places, np.nan),
            places,
            np.full(count, _NEVER, dtype=np.int64),
        )

    def observe(
        self,
        contacts: Contacts,
        viewers: ArrayLike,
        targets: ArrayLike,
        dt: float,
        *,
        facing: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        present: ArrayLike | None = None,
    ) -> Contacts:
        """The contacts after a look, `dt` seconds after the last one.

        Parameters
        ----------
        contacts : Contacts
            What was known before; it stays as it is.
        viewers : array_like
            World positions, (V, 2) or (V, 3); none is fine.
        targets : array_like
            Where the targets truly are, (T, 2) or (T, 3).
        facing : array_like, optional
            An (x, y) direction, or one per viewer, if they see in cones only.
        velocities : array_like, optional
            Of the targets, (T, 2) or (T, 3), world units a second. Without them they are what
            targets have moved since the last look, if they were seen then too.
        present : array_like, optional
            (T,) bool, False for targets that are not there to be seen.

        Raises
        ------
        InvalidValue
            If an argument has a wrong value, shape or type.
        OutsideMap
            If a position is outside the map.
        """
        passed = clock.ticks("dt", dt)
        if not isinstance(contacts, Contacts):
            raise InvalidValue(
                "A look goes on from contacts",
                got=type(contacts).__name__,
                remedy="Begin with sight.nobody(targets=...), then pass the last answer",
            )
        points, _ = checks.positions(targets, dimensions=self.space.dimensions)
        if len(points) != len(contacts):
            raise InvalidValue(
                "A look is for the targets that the contacts are about",
                got=f"{len(points)} for {len(contacts)}",
                remedy="Begin with sight.nobody(targets=...), and pass all of them each time",
            )
        seen = sees(
            self.space,
            viewers,
            points,
            self.radius,
            facing=facing,
            angle=self.angle,
            heights=self.heights,
            eye=self.eye,
        ) & _flags(present, len(points))
        now: NDArray[np.bool_] = np.asarray(seen.any(axis=0))
        waited = np.where(
            now, 0, np.where(contacts.waited == _NEVER, _NEVER, contacts.waited + passed)
        )
        held = now | (contacts.in_sight & (waited <= clock.ticks("grace", self.grace)))
        return replace(
            contacts,
            seen=seen,
            in_sight=held,
            found=np.flatnonzero(held & ~contacts.in_sight),
            lost=np.flatnonzero(contacts.in_sight & ~held),
            positions=np.where(now[:, np.newaxis], points, contacts.positions),
            velocities=self._velocities(contacts, points, now, clock.seconds(passed), velocities),
            waited=waited.astype(np.int64),
        )

    def view(self, viewers: ArrayLike, *, facing: ArrayLike | None = None) -> NDArray[np.bool_]:
        """The cells that the viewers see, bool in the space's shape: what `Belief.observe` and
        `LastSeen.observe` take.
        """
        return visible(
            self.space,
            viewers,
            self.radius,
            facing=facing,
            angle=self.angle,
            heights=self.heights,
            eye=self.eye,
        )

    def _velocities(
        self,
        contacts: Contacts,
        points: NDArray[np.float64],
        now: NDArray[np.bool_],
        seconds: float,
        given: ArrayLike | None,
    ) -> NDArray[np.float64]:
        if given is not None:
            moves, single = checks.positions(given, dimensions=self.space.dimensions)
            if single or len(moves) != len(points):
                raise InvalidValue(
                    "velocities are one vector per target",
                    got=f"shape {np.shape(given)} for {len(points)} targets",
                    remedy="Leave them out",
                )
            return np.where(now[:, np.newaxis], moves, contacts.velocities)
        # Who was seen a look ago as well has moved since; of others nothing new is known.
        followed = now & (contacts.waited == 0)
        kept = np.where((now & ~contacts.in_sight)[:, np.newaxis], 0.0, contacts.velocities)
        if seconds == 0:
            return kept
        moved = points - contacts.positions
        grid = self.space.sight_grid
        if grid is not None and grid.wrap:
            size = np.array(grid.size)
            moved = (moved + size / 2) % size - size / 2
        return np.where(followed[:, np.newaxis], moved / seconds, kept)


def _flags(present: ArrayLike | None, count: int) -> NDArray[np.bool_]:
    if present is None:
        return np.ones(count, dtype=np.bool_)
    flags = checks.array("present", present)
    if flags.dtype != np.bool_ or flags.shape != (count,):
        raise InvalidValue(
            "present is one bool per target",
            got=f"{flags.dtype} of shape {flags.shape}",
            remedy=f"Pass {count} of them",
        )
    return flags
