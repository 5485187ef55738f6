"""Sight of groups of viewers: targets that are seen, found and lost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.pursuit.pursuit_checks import target_number
from fieldcraft.space import Space, sees, visible
from fieldcraft.space.kinds import checked_space, sight_grid_of
from fieldcraft.space.wrapping import nearest_images

_NEVER = -1
_MOST_TARGETS = 10_000_000  # The last positions of so many take 400 MB.


@dataclass(frozen=True, eq=False)
class Contacts:
    """Knowledge of a group about T targets, as plain arrays for a game's state; made by `Sight`.

    Attributes
    ----------
    seen : ndarray of shape (V, T)
        Which viewers see which targets now.
    in_sight : ndarray of shape (T,)
        Whether the group has contact with each target.
    found, lost : ndarray of shape (K,)
        Numbers of the targets with which contact began or ended by the last call of `observe`.
    positions, velocities : ndarray of shape (T, D)
        Position and velocity of each target when it was last seen; NaN if it never was, and 0 for
        an unknown velocity.
    waited : ndarray of shape (T,)
        Ticks of the clock since then, -1 for a target that was never seen; see `ages`.
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
        """The seconds since each target was last seen, (T,): infinite if it never was."""
        return np.where(self.waited == _NEVER, np.inf, self.waited / clock.TICKS_PER_SECOND)

    def velocity_of(self, target: int) -> NDArray[np.float64] | None:
        """Return the velocity of a target when it was last seen, or None if it is not known."""
        velocity: NDArray[np.float64] = self.velocities[target_number(target, len(self))]
        if velocity.any():
            return velocity
        return None


@dataclass(frozen=True, eq=False)
class Sight(Suggesting, SuggestingArguments):
    """Settings of the sight of a group of viewers, and updates of their `Contacts`.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        The map; see `visible` for what blocks sight.
    radius : float or array_like
        World units, above 0; one, or one per viewer.
    angle : float, optional
        Opening of the cone in which viewers see, in degrees, if `facing` is given.
    grace : float, optional
        Seconds for which contact lasts while no viewer sees the target, so that a short obstacle
        does not end it.
    heights, eye : array_like, float, optional
        Heights of the cells of a grid, each of which is level, and of eyes above them, as in
        `visible`.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> sight = fc.Sight(fc.Grid(9, 3), radius=3.0)
    >>> contacts = sight.nobody(targets=1)
    >>> contacts = sight.observe(contacts, (1.5, 1.5), [(3.5, 1.5)], dt=0.1)
    >>> contacts = sight.observe(contacts, (1.5, 1.5), [(4.5, 1.5)], dt=0.1)
    >>> contacts = sight.observe(contacts, (1.5, 1.5), [(5.5, 1.5)], dt=0.1)
    >>> contacts.lost, contacts.positions, contacts.velocity_of(0)
    (array([0]), array([[4.5, 1.5]]), array([10.,  0.]))
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
        radius: ArrayLike = 1.0
        if checks.array("radius", self.radius).ndim == 0:
            radius = self.radius
        visible(self.space, nowhere, radius, angle=self.angle, heights=self.heights, eye=self.eye)
        clock.ticks("grace", self.grace)

    def nobody(self, targets: int) -> Contacts:
        """Return the contacts with some targets before the first call of `observe`."""
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
        """Return the contacts `dt` seconds later.

        Parameters
        ----------
        contacts : Contacts
            The contacts before; they are not changed.
        viewers : array_like of shape (V, 2)
            World positions; on a 3D graph of shape (V, 3).
        targets : array_like of shape (T, 2)
            True positions of the targets; on a 3D graph of shape (T, 3).
        dt : float
            Seconds since the last call.
        facing : array_like of shape (2,) or (V, 2), optional
            Directions of the viewers, which then see in cones.
        velocities : array_like of shape (T, 2), optional
            Velocities of the targets, world units per second. If absent, they follow from the
            positions of targets that were seen in the last call too.
        present : array_like of shape (T,), optional
            Bool, False for targets that cannot be seen.

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
                "observe takes the contacts before",
                got=type(contacts).__name__,
                remedy="Begin with sight.nobody(targets=...), then pass the last result",
            )
        points, _ = checks.positions(targets, dimensions=self.space.dimensions)
        if len(points) != len(contacts):
            raise InvalidValue(
                "observe takes the positions of all targets of the contacts",
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
        waited = np.where(contacts.waited == _NEVER, _NEVER, contacts.waited + passed)
        waited = np.where(now, 0, waited)
        in_sight = now | (contacts.in_sight & (waited <= clock.ticks("grace", self.grace)))
        return replace(
            contacts,
            seen=seen,
            in_sight=in_sight,
            found=np.flatnonzero(in_sight & ~contacts.in_sight),
            lost=np.flatnonzero(contacts.in_sight & ~in_sight),
            positions=np.where(now[:, np.newaxis], points, contacts.positions),
            velocities=self._velocities(contacts, points, now, clock.seconds(passed), velocities),
            waited=waited.astype(np.int64),
        )

    def view(self, viewers: ArrayLike, *, facing: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Return the cells that viewers see, as `Belief.observe` and `LastSeen.observe` take them.

        Parameters
        ----------
        viewers : array_like of shape (2,) or (N, 2)
            World positions; on a 3D graph of shape (3,) or (N, 3).
        facing : array_like, optional
            (x, y) directions of the viewers, one or N, if the sight has an `angle`.

        Returns
        -------
        ndarray of bool
            In the space's shape.
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
        # Velocities follow from two positions in a row; other targets keep theirs.
        followed = now & (contacts.waited == 0)
        same = np.where((now & ~contacts.in_sight)[:, np.newaxis], 0.0, contacts.velocities)
        if seconds == 0:
            return same
        moved = points - contacts.positions
        grid = sight_grid_of(self.space)
        if grid is not None:
            moved = nearest_images(moved, grid.period)
        return np.where(followed[:, np.newaxis], moved / seconds, same)


def _flags(present: ArrayLike | None, count: int) -> NDArray[np.bool_]:
    if present is None:
        return np.ones(count, dtype=np.bool_)
    rule = "present is one bool per target"
    remedy = f"Pass {count} of them"
    return checks.array_of(present, (count,), "b", rule, remedy)
