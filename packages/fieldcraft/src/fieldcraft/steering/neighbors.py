"""Neighbors of agents, and the behaviors that depend on them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.base.ranges import farthest_within
from fieldcraft.kernels.shared.arrays import Floats, Ints, read_only
from fieldcraft.space import Grid, grid_of
from fieldcraft.steering.steering_checks import per_agent, points, vectors
from fieldcraft.values.bands import run_in_bands

_AGENTS = 500  # Each thread gets at least so many agents.


class Neighbors(Suggesting, SuggestingArguments):
    """Agents sorted by position, so that those near each other are found at once.

    Two agents are neighbors if they are less than `radius` apart. Make one for each step: it does
    not follow agents as they move. Results do not depend on the number of threads.

    Parameters
    ----------
    positions : array_like of shape (N, 2)
        World positions; N may be 0.
    radius : float
        World units, above 0.
    space : Grid, optional
        Needed only for a space that wraps, on which distances go the short way round.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> from fieldcraft import steering
    >>> near = steering.Neighbors([(0, 0), (1, 0), (5, 0)], radius=2.0)
    >>> near.counts()
    array([1, 1, 0])
    >>> near.nearest()
    (array([ 1,  0, -1]), array([ 1.,  1., inf]))
    >>> steering.separation(near, strength=4.0)
    array([[-2.,  0.],
           [ 2.,  0.],
           [ 0.,  0.]])
    """

    def __init__(self, positions: ArrayLike, radius: float, *, space: Grid | None = None) -> None:
        self.positions, single = points(positions)
        if single:
            raise InvalidValue(
                "Neighbors are found among many",
                got="one (x, y) pair",
                remedy="Pass an array of shape (N, 2)",
            )
        self.radius = checks.positive("radius", radius)
        count = len(self.positions)
        self.order = np.empty(count, dtype=np.int64)
        """Indices of agents in the order of `places`."""
        self.places = np.empty((count, 2))
        """Positions sorted by bins of space."""
        self._coordinates = np.empty((2, count))
        grid = None
        wraps = (False, False)
        if space is not None:
            grid = grid_of(space, "A space of neighbors that wraps")
            wraps = (grid.wraps_x, grid.wraps_y)
        low = [0.0, 0.0]
        extent = [0.0, 0.0]
        period = [0.0, 0.0]
        for axis in range(2):
            at = self.positions[:, axis]
            if grid is not None and wraps[axis]:
                low[axis] = grid.origin[axis]
                extent[axis] = grid.size[axis]
                period[axis] = grid.size[axis]
            elif count:
                low[axis] = float(at.min())
                extent[axis] = float(at.max()) - low[axis]
        largest = max(abs(low[0]), abs(low[1]), *extent)
        if not largest / self.radius < 2**50:
            raise InvalidValue(
                "The radius is above the rounding errors of positions",
                got=f"radius={radius!r} at coordinates up to {largest:g}",
                remedy="Pass a larger radius, or correct the positions",
            )
        self._limit = farthest_within(self.radius, largest)
        columns, rows, per_unit = _bins(extent, self._limit, count, wraps)
        self._starts = np.empty(columns * rows + 1, dtype=np.int64)
        self._frame = kernels.shared.agent_neighbors.BinFrame(
            low[0], low[1], period[0], period[1], *per_unit, columns
        )
        sorted_ = (self._starts, self.order, self.places, self._coordinates)
        kernels.shared.agent_neighbors.sort(
            self.positions, self._frame, *sorted_, np.empty(count, dtype=np.int64)
        )
        self.places.flags.writeable = False

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"<Neighbors: {len(self)} agents within {self.radius:g}>"

    def counts(self) -> Ints:
        """Return how many neighbors each agent has, (N,)."""
        return self.sums(np.zeros((len(self), 2)))[:, 0].astype(np.int64)

    def nearest(
        self, positions: ArrayLike | None = None, *, groups: ArrayLike | None = None
    ) -> tuple[Ints, Floats]:
        """Return the nearest agent within the radius, and its distance.

        Parameters
        ----------
        positions : array_like of shape (M, 2), optional
            Where agents are looked for; by default around each agent, without itself.
        groups : array_like of int, shape (N,), optional
            Numbers of agents, without `positions`: then only agents of other groups count.

        Returns
        -------
        agents : ndarray of int64, (M,)
            Indices, -1 where there is none; the lowest of equally distant ones.
        distances : ndarray of float64, (M,)
            World units, infinity where there is none.
        """
        count = len(self)
        at = self.positions
        own = np.arange(count)
        if positions is not None:
            at, single = points(positions)
            own = np.full(len(at), -1, dtype=np.int64)
            if single or groups is not None:
                raise InvalidValue(
                    "nearest() takes many positions, or the groups of its agents",
                    got="one (x, y) pair" if single else "both",
                    remedy="Pass an array of shape (M, 2), or Neighbors of one group",
                )
        teams = np.zeros(0, dtype=np.int64)
        if groups is not None and count:
            rule = "groups are whole numbers, one per agent"
            teams = checks.array_of(groups, (count,), "iu", rule, f"Pass {count} ints")
            teams = teams.astype(np.int64)
        found = np.full(len(at), -1, dtype=np.int64)
        distances = np.full(len(at), np.inf)
        if count:
            bins = (self.places, self.order, self._starts)
            inputs = (*bins, read_only(teams), at, own, self._frame, self._limit)
            run_in_bands(
                kernels.shared.agent_neighbors.closest, inputs, (found, distances), len(at), _AGENTS
            )
        return found, distances

    def sums(self, velocities: ArrayLike) -> Floats:
        """Return for each agent the number of its neighbors, and the sums of their offsets and of
        their velocities: (N, 5). Velocities are (N, 2).
        """
        found = np.empty((len(self), 5))
        moving = vectors("Velocities", velocities, len(self))
        inputs = (self.places, self.order, self._starts, moving, self._frame, self._limit)
        run_in_bands(kernels.shared.agent_neighbors.flock, inputs, (found,), len(self), _AGENTS)
        return self._unsorted(found)

    def _unsorted(self, found: Floats) -> Floats:
        back = np.empty_like(found)
        back[self.order] = found
        return back


def write_pushes(near: Neighbors, first: int, last: int, pushes: Floats) -> None:
    """Write the pushes on the agents [first, last) of `near.places` into `pushes`, in that
    order.
    """
    inputs = (near._coordinates, near.order, near._starts, near._frame, near.radius)
    kernels.shared.agent_neighbors.separate(*inputs, first, last, pushes)


def separation(near: Neighbors, *, strength: ArrayLike = 1.0) -> Floats:
    """Return the velocities away from neighbors.

    Each neighbor pushes by `strength * (1 - distance / radius)`; pushes add up. Two agents in one
    place go in opposite directions, which depend on their indices.

    Parameters
    ----------
    near : Neighbors
        The agents.
    strength : float or array_like of shape (N,)
        Push of a neighbor in the same place, in world units per second.

    Returns
    -------
    ndarray of float64
        (N, 2) world units per second.

    Examples
    --------
    >>> from fieldcraft import steering
    >>> steering.separation(steering.Neighbors([(0, 0), (0.5, 0)], radius=1.0))
    array([[-0.5,  0. ],
           [ 0.5,  0. ]])
    """
    pushes = np.empty((len(_checked(near)), 2))
    run_in_bands(write_pushes, (near,), (pushes,), len(near), _AGENTS)
    return near._unsorted(pushes) * per_agent("strength", strength, len(near))[:, np.newaxis]


def alignment(near: Neighbors, velocities: ArrayLike) -> Floats:
    """Return the changes of velocity to the mean velocity of neighbors.

    Parameters
    ----------
    near : Neighbors
        The agents.
    velocities : array_like of shape (N, 2)
        World units per second.

    Returns
    -------
    ndarray of float64
        (N, 2) world units per second, 0 for agents without neighbors.

    Examples
    --------
    >>> from fieldcraft import steering
    >>> near = steering.Neighbors([(0, 0), (0.5, 0)], radius=1.0)
    >>> steering.alignment(near, [(1, 0), (0, 2)])
    array([[-1.,  2.],
           [ 1., -2.]])
    """
    moving = vectors("Velocities", velocities, len(_checked(near)))
    sums = near.sums(moving)
    counts = sums[:, :1]
    return np.where(counts > 0, sums[:, 3:] / np.maximum(counts, 1) - moving, 0.0)


def cohesion(near: Neighbors, velocities: ArrayLike, max_speed: ArrayLike) -> Floats:
    """Return the changes of velocity to the middle of neighbors at full speed.

    Parameters
    ----------
    near : Neighbors
        The agents.
    velocities : array_like of shape (N, 2)
        World units per second.
    max_speed : float or array_like of shape (N,)
        World units per second.

    Returns
    -------
    ndarray of float64
        (N, 2) world units per second, 0 for agents without neighbors.

    Examples
    --------
    >>> from fieldcraft import steering
    >>> near = steering.Neighbors([(0, 0), (0.5, 0)], radius=1.0)
    >>> steering.cohesion(near, (0, 0), max_speed=3.0)
    array([[ 3.,  0.],
           [-3.,  0.]])
    """
    moving = vectors("Velocities", velocities, len(_checked(near)))
    speeds = per_agent("max_speed", max_speed, len(near))[:, np.newaxis]
    sums = near.sums(moving)
    offsets = sums[:, 1:3] / np.maximum(sums[:, :1], 1)
    lengths = np.sqrt((offsets * offsets).sum(axis=1, keepdims=True))
    wanted = offsets * (speeds / np.where(lengths > 0, lengths, 1.0))
    return np.where(sums[:, :1] > 0, wanted - moving, 0.0)


def _checked(near: Neighbors) -> Neighbors:
    remedy = "Pass steering.Neighbors(positions, radius)"
    return checks.instance(near, Neighbors, "near is a Neighbors of agents", remedy)


def _bins(
    extent: Sequence[float], limit: float, count: int, wraps: tuple[bool, bool]
) -> tuple[int, int, tuple[float, float]]:
    """Return how many columns and rows of bins, and how many per world unit: slightly wider than
    neighbors are apart at most, and not many more than agents.
    """
    most = 8 * count + 64
    side = max(
        farthest_within(limit),
        math.sqrt(extent[0]) * math.sqrt(extent[1]) / math.sqrt(most),
        max(extent) / most,
    )
    counts = []
    per_unit = []
    for along, axis_wraps in zip(extent, wraps, strict=True):
        if axis_wraps:  # whole bins from edge to edge
            bins = max(int(along / side), 1)
            counts.append(bins)
            per_unit.append(bins / along)
        else:
            counts.append(int(along / side) + 1)
            per_unit.append(1 / side)
    return counts[0], counts[1], (per_unit[0], per_unit[1])
