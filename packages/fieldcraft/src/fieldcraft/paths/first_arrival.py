"""Which of two sides arrives first in each cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.ranges import farthest_within
from fieldcraft.base.words import IfOnWall
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.space import Space


@dataclass(frozen=True, eq=False, repr=False)
class FirstArrival:
    """When two sides can be in each cell; made by `first_arrival`. Arrays have the space's shape.

    Attributes
    ----------
    ours, theirs : ndarray of float64
        Seconds until the first unit of a side can be there; infinite where none can.
    margin : float
        Seconds by which a side has to be first.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.query.first_arrival(fc.Grid(7, 1), (0.5, 0.5), (6.5, 0.5))
    <FirstArrival: 3 cells safe, 1 contested, 3 lost>
    """

    space: Space
    ours: NDArray[np.float64]
    theirs: NDArray[np.float64]
    margin: float

    def __repr__(self) -> str:
        counts = (int(each.sum()) for each in (self.safe, self.contested, self.lost))
        return "<FirstArrival: {} cells safe, {} contested, {} lost>".format(*counts)

    @cached_property
    def safe(self) -> NDArray[np.bool_]:
        """The cells where we are first."""
        return self.theirs > farthest_within(self.ours + self.margin)

    @cached_property
    def lost(self) -> NDArray[np.bool_]:
        """The cells where they are first."""
        return self.ours > farthest_within(self.theirs + self.margin)

    @property
    def contested(self) -> NDArray[np.bool_]:
        """The cells that both sides reach, neither first."""
        return np.isfinite(self.ours) & ~self.safe & ~self.lost

    @property
    def contact_time(self) -> float:
        """Seconds until both sides can be in one cell; infinite where they cannot."""
        return float(np.maximum(self.ours, self.theirs).min())

    @property
    def contact(self) -> NDArray[np.float64]:
        """Where they can meet first: the center of that cell, NaN where they cannot meet."""
        later = np.maximum(self.ours, self.theirs).reshape(-1)
        if later.min() == np.inf:
            return np.full(self.space.dimensions, np.nan)
        return self.space.position_of(int(later.argmin()))


def first_arrival(
    space: Space,
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    our_speed: ArrayLike = 1.0,
    their_speed: ArrayLike = 1.0,
    margin: float = 0.0,
    cost: Cost = None,
    on_wall: IfOnWall = "refuse",
) -> FirstArrival:
    """Return which cells each of two sides can reach first.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        Where units walk.
    ours, theirs : array_like of shape (2,) or (N, 2)
        World positions of the units of each side; on a 3D graph of shape (3,) or (N, 3).
    our_speed, their_speed : float or array_like of shape (N,)
        World units a second, one for all units of a side or one each.
    margin : float
        Cells where neither side is earlier by more than so many seconds are contested. Times that
        differ by less than one part in 1e9 are equal, so that rounding decides no cell.
    cost : float, ndarray, layer or expression, optional
        Cost per world unit, as for `distance_map`; a cost of 2 takes twice the time.
    on_wall : {"refuse", "nearest"}
        With "nearest" a unit in a wall starts from the nearest open cell.

    Returns
    -------
    FirstArrival
        Masks `safe`, `contested` and `lost`, the times, and when and where they can meet.

    Raises
    ------
    OnWall, OutsideMap, InvalidValue
        As `distance_map` does.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> from fieldcraft.query import first_arrival
    >>> arrival = first_arrival(fc.Grid(7, 1), (0.5, 0.5), (6.5, 0.5), our_speed=2)
    >>> arrival.safe
    array([[ True,  True,  True,  True, False, False, False]])
    >>> arrival.contested
    array([[False, False, False, False,  True, False, False]])
    >>> arrival.contact_time
    2.0
    """
    seconds = checks.not_negative("margin", margin)
    mine = _times(space, ours, "our_speed", our_speed, cost, on_wall)
    other = _times(space, theirs, "their_speed", their_speed, cost, on_wall)
    return FirstArrival(space, mine, other, seconds)


def _times(
    space: Space, units: ArrayLike, name: str, speed: ArrayLike, cost: Cost, on_wall: IfOnWall
) -> NDArray[np.float64]:
    """Return when the first of some units can be in each cell."""
    points, _ = checks.positions(units, dimensions=space.dimensions)
    speeds = checks.positives(name, speed, len(points))
    times = np.full(space.shape, np.inf)
    for pace in np.unique(speeds).tolist():
        found = DistanceMap(space, points[speeds == pace], cost=cost, outward=True, on_wall=on_wall)
        with np.errstate(over="ignore"):  # it takes longer than any number of seconds
            np.minimum(times, found.exact / pace, out=times)
    return times
