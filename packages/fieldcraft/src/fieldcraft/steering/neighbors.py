"""The neighbors of agents, and steering by them: keep apart, head the same way, stay together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.arrays import read_only
from fieldcraft.query.ground import crowd
from fieldcraft.space import Grid
from fieldcraft.steering.arguments import grid, limits, points, vectors

__all__ = ["Neighbors", "alignment", "cohesion", "separation"]

_AGENTS = 500  # as many pay for waking a thread

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]
Frame = tuple[Ints, Ints, float, float, float, float, float, float, int, float]
"""Order, where bins begin, origin, period, bins per unit, columns of bins and radius."""


class Neighbors:
    """Agents sorted by where they stand, so that those near each other are found at once.

    Two agents are neighbours if they are less than `radius` apart. Build it once a step and hand it
    to `separation`, `alignment` and `cohesion` in place of positions, or ask it `nearest` and
    `counts`. It does not follow the agents as they move.

    Answers don't depend on the number of threads. Raises `InvalidValue`.

    Parameters
    ----------
    positions : array_like
        (N, 2) world units, N may be 0.
    radius : float
        World units, above 0.
    space : Grid, optional
        A grid; needed only for a torus, where distances go the short way round.
    """

    def __init__(self, positions: ArrayLike, radius: float, *, space: Grid | None = None) -> None:
        self.positions, single = points(positions)
        if single:
            raise InvalidValue(
                "Neighbours are found among many",
                got="one (x, y) pair",
                remedy="Pass an array of shape (N, 2)",
            )
        self.radius = checks.positive("radius", radius)
        count = len(self.positions)
        self._order = np.empty(count, dtype=np.int64)
        self._places, self._lines = np.empty((count, 2)), np.empty((2, count))
        torus = space is not None and grid(space).wrap
        if space is not None and torus:
            low, extent, period = space.origin, space.size, space.size
        else:
            xs, ys = self.positions[:, 0], self.positions[:, 1]
            low = (float(xs.min()), float(ys.min())) if count else (0.0, 0.0)
            extent = (float(xs.max()) - low[0], float(ys.max()) - low[1]) if count else (0.0, 0.0)
            period = (0.0, 0.0)
        if not max(abs(low[0]), abs(low[1]), *extent) / self.radius < 2**50:
            raise InvalidValue(
                "The radius is large enough for float64 positions to tell it apart",
                got=(
                    f"radius={radius!r} at coordinates up to"
                    f" {max(abs(low[0]), abs(low[1]), *extent):g}"
                ),
                remedy="Pass a larger radius, or mend the positions",
            )
        columns, rows, per = _bins(extent, self.radius, count, torus)
        self._starts = np.empty(columns * rows + 1, dtype=np.int64)
        frame = (*low, *period, *per, columns)
        keys = np.empty(count, dtype=np.int64)
        kernels.neighbors.sort(
            self.positions, frame, self._starts, self._order, self._places, self._lines, keys
        )
        self._places.flags.writeable = False
        self._frame = frame

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"<Neighbors: {len(self)} agents within {self.radius:g}>"

    def counts(self) -> Ints:
        """How many neighbours each agent has, (N,)."""
        return self.sums(np.zeros((len(self), 2)))[:, 0].astype(np.int64)

    def nearest(
        self,
        positions: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        own: ArrayLike | None = None,
    ) -> tuple[Ints, Wide]:
        """The nearest agent within the radius, and its distance: two (M,) arrays, -1 and infinity
        where there is none.

        Without `positions` each agent looks for another one; with them, (M, 2), whoever stands
        there looks for agents. With `groups`, N whole numbers, only agents of another group than
        one's `own` count (M numbers or one; without `positions` they are `groups`): the nearest
        enemy, say. Of agents equally far the one with the lowest number.
        """
        count = len(self)
        if positions is None:
            at, selves = self.positions, np.arange(count)
        else:
            at, single = points(positions)
            selves = np.full(len(at), -1, dtype=np.int64)
            if single:
                raise InvalidValue(
                    "positions are many",
                    got="one (x, y) pair",
                    remedy="Pass an array of shape (M, 2)",
                )
        if (own is not None and (groups is None or positions is None)) or (
            groups is not None and positions is not None and own is None
        ):
            raise InvalidValue(
                "Groups of agents go with the groups of those who ask from other positions",
                got=f"{'groups' if own is None else 'own'} alone",
                remedy="Pass positions, groups and own together, or groups without positions",
            )
        teams = (
            read_only(np.empty(0, dtype=np.int64))
            if groups is None
            else _numbers("groups", groups, count)
        )
        mine = teams if positions is None or own is None else _numbers("own", own, len(at))
        mine = read_only(np.zeros(len(at), dtype=np.int64)) if groups is None else mine
        found, distances = np.full(len(at), -1, dtype=np.int64), np.full(len(at), np.inf)
        if count:
            bins = self._places, self._order, self._starts
            inputs = *bins, teams, (at, mine, selves), self._frame, self.radius
            crowd(kernels.neighbors.closest, inputs, (found, distances), len(at), _AGENTS)
        return found, distances

    def pushes(self) -> Wide:
        """The forces of `separation` for a strength of 1, (N, 2)."""
        found = np.empty((len(self), 2))
        crowd(kernels.neighbors.separate, self.lines, (found,), len(self), _AGENTS)
        return self._unsorted(found)

    def sums(self, velocities: ArrayLike) -> Wide:
        """Over each agent's neighbours, (N, 5): how many, the sums of their offsets and of their
        velocities, (N, 2) of which are given.
        """
        found, moving = np.empty((len(self), 5)), vectors("Velocities", velocities, len(self))
        inputs = self._places, self._order, self._starts, moving, self._frame, self.radius
        crowd(kernels.neighbors.flock, inputs, (found,), len(self), _AGENTS)
        return self._unsorted(found)

    @property
    def sorted(self) -> tuple[Wide, Ints]:
        """The places of agents in sorted order, and which agent stands there."""
        return self._places, self._order

    @property
    def lines(self) -> tuple[Wide, Ints, Ints, tuple[float, ...], float]:
        """The first arguments of `kernels.neighbors.separate`."""
        return self._lines, self._order, self._starts, self._frame, self.radius

    def _unsorted(self, found: Wide) -> Wide:
        back = np.empty_like(found)
        back[self._order] = found
        return back


def separation(
    positions: ArrayLike | Neighbors,
    radius: float | None = None,
    *,
    strength: ArrayLike = 1.0,
    space: Grid | None = None,
) -> Wide:
    """Away from neighbours: (N, 2) world units per second.

    Each neighbour pushes straight away from itself by `strength * (1 - distance / radius)`; the
    pushes add up. Two agents in one spot part in opposite directions, chosen by their numbers.

    Parameters
    ----------
    positions : array_like or Neighbors
        (N, 2) world units, or the `Neighbors` of agents, which know their radius.
    radius : float, optional
        How far a neighbour is felt, world units.
    strength : array_like, optional
        The push of a neighbour in the very same spot, in world units per second; one number, or one
        per agent.
    space : Grid, optional
        A grid; needed only for a torus.
    """
    near = _near(positions, radius, space)
    return near.pushes() * limits("strength", strength, len(near))[:, np.newaxis]


def alignment(
    positions: ArrayLike | Neighbors,
    velocities: ArrayLike,
    radius: float | None = None,
    *,
    space: Grid | None = None,
) -> Wide:
    """Towards the mean velocity of the neighbours: it, minus the own; (N, 2) world units per
    second, 0 without neighbours.

    `positions`, `radius` and `space` as in `separation`; `velocities` (N, 2).
    """
    near = _near(positions, radius, space)
    moving = vectors("Velocities", velocities, len(near))
    sums = near.sums(moving)
    counts = sums[:, :1]
    return np.where(counts > 0, sums[:, 3:] / np.maximum(counts, 1) - moving, 0.0)


def cohesion(
    positions: ArrayLike | Neighbors,
    velocities: ArrayLike,
    max_speed: ArrayLike,
    radius: float | None = None,
    *,
    space: Grid | None = None,
) -> Wide:
    """Towards the middle of the neighbours at full speed: that velocity, minus the own; (N, 2)
    world units per second, or 0.

    `positions`, `radius` and `space` as in `separation`; `velocities` (N, 2); `max_speed` one
    number, or one per agent.
    """
    near = _near(positions, radius, space)
    moving = vectors("Velocities", velocities, len(near))
    speeds = limits("max_speed", max_speed, len(near))[:, np.newaxis]
    sums = near.sums(moving)
    offsets = sums[:, 1:3] / np.maximum(sums[:, :1], 1)
    lengths = np.sqrt((offsets * offsets).sum(axis=1, keepdims=True))
    wanted = offsets * (speeds / np.where(lengths > 0, lengths, 1.0))
    return np.where(sums[:, :1] > 0, wanted - moving, 0.0)


def _near(positions: ArrayLike | Neighbors, radius: float | None, space: Grid | None) -> Neighbors:
    if not isinstance(positions, Neighbors):
        if radius is None:
            raise InvalidValue(
                "Neighbours lie within a radius",
                got="no radius",
                remedy="Pass radius=, or Neighbors(positions, radius)",
            )
        return Neighbors(positions, radius, space=space)
    if radius is not None or space is not None:
        raise InvalidValue(
            "Neighbors know their radius and space",
            got="one of them once more",
            remedy="Leave it out, or pass positions instead",
        )
    return positions


def _numbers(name: str, value: ArrayLike, count: int) -> Ints:
    array = checks.array(name, value)
    if count == 0 and array.size == 0:
        return read_only(np.empty(0, dtype=np.int64))
    if array.dtype.kind not in "iu" or array.shape not in ((), (count,)):
        raise InvalidValue(
            f"{name} are whole numbers, one per agent",
            got=f"{array.dtype} of shape {array.shape} for {count}",
            remedy=f"Pass {count} ints",
        )
    return read_only(np.ascontiguousarray(np.broadcast_to(array.astype(np.int64), (count,))))


def _bins(
    extent: tuple[float, float], radius: float, count: int, torus: bool
) -> tuple[int, int, tuple[float, float]]:
    """How many columns and rows of bins, and how many per world unit: a hair wider than the radius,
    and not many more than agents.
    """
    most = 8 * count + 64
    side = max(
        radius * (1 + 1e-9),
        math.sqrt(extent[0]) * math.sqrt(extent[1]) / math.sqrt(most),
        max(extent) / most,
    )
    if torus:
        columns, rows = max(int(extent[0] / side), 1), max(int(extent[1] / side), 1)
        return columns, rows, (columns / extent[0], rows / extent[1])
    return int(extent[0] / side) + 1, int(extent[1] / side) + 1, (1 / side, 1 / side)
