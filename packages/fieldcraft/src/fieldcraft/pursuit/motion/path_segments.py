"""Chances of steps along shortest paths: from the last sighting to any cell, to sectors, to goals.

One mass stands for all goals of a path from the last sighting. A target in a cell has its goal
there or beyond it, so the chance of each step, and of having arrived, follows exactly from sums of
the goals' weights. Among equally short steps, those that keep paths straight are likelier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.cost import CellCosts
from fieldcraft.paths.search.distances import SearchTask
from fieldcraft.paths.search.distances_on_arcs import ArcSearch
from fieldcraft.pursuit.landmarks import Landmarks, landmarks_of
from fieldcraft.pursuit.transitions import Flow, PursuitBackend, backend
from fieldcraft.space import Space, snapshot_of
from fieldcraft.space.cached import cached_until_walls_change

if TYPE_CHECKING:
    from fieldcraft.pursuit.motion.mover import Mover

SECTORS = 8
"""The number of sectors of a map."""


_NEAR = 1e-5  # Distances in float32 are equal within this share.
_EQUAL = 1e-6  # Distances in float64 are equal within this share.
_FAR = 30.0  # A far place is so many typical steps away.
_BEGINNING = 3.0  # The first typical steps of a path, which define its direction.
_CROOKED = 0.02  # A step that deviates by this share of its length is about half as likely.


@dataclass(frozen=True, eq=False)
class StepChances:
    """The chance of each step in an interval, (A,), and of having arrived in each cell, (N,)."""

    steps: Floats
    there: Floats


@dataclass(frozen=True, eq=False)
class PathSegment:
    """Shortest paths from one cell.

    `away` (N,) are distances in world units, infinite without a path; `order` the cells that are
    reached, the nearest first; `parts` (A,) the share of the targets at the end of each step that
    came by this step; `offsets` (N, D) the offsets from the cell.
    """

    ground: PursuitBackend
    away: Floats
    order: Ints
    parts: Floats
    offsets: Floats

    def preference(self, velocity: Floats, heading: float) -> Floats:
        """Return how well the path to each cell continues a velocity, (N,): e to the minus of
        `heading` for one that sets out across it.

        It is the mean over all shortest paths of values at the end of their first few steps.
        """
        ground = self.ground
        near = np.ones(self.ground.count)
        if velocity.any() and len(self.order):
            moves = self.offsets[:, : len(velocity)]
            size = np.sqrt((moves**2).sum(axis=1)) * np.sqrt((velocity**2).sum())
            near = (moves @ velocity) / np.where(size > 0, size, np.inf)
        early = self.away <= _BEGINNING * ground.step
        values = np.where(early, np.exp(heading * (near - 1)), 0.0)
        parts = np.where(early[ground.ends], 0.0, self.parts)
        kernels.pursuit.path_segment_steps.accumulate(
            self.order, ground.starts, ground.ends, parts, values
        )
        return values

    def split(self, goals: Floats) -> StepChances:
        """Return the chances of steps if each cell is the goal with a weight, `goals` (N,)."""
        ground = self.ground
        ahead = np.zeros(ground.count)
        there = np.zeros(ground.count)
        chances = np.zeros(len(ground.ends))
        kernels.pursuit.path_segment_steps.split(
            self.order, ground.starts, ground.ends, self.parts, goals, ahead, chances, there
        )
        return StepChances(chances, there)


def path_segment(space: Space, ground: PursuitBackend, cell: int) -> PathSegment:
    """Return the shortest paths from a cell."""
    task = SearchTask(
        ground=snapshot_of(space),
        costs=CellCosts(space, None),
        goals=np.array([cell]),
        start_costs=np.zeros(1),
        limit=math.inf,
        outward=True,
    )
    search = ArcSearch(task)
    search.settle()
    away = search.measured(slice(None))
    offsets = ground.positions - ground.positions[cell]
    if space.period is not None:
        offsets = space.shortest_vectors(offsets)
    reached = np.flatnonzero(np.isfinite(away))
    order = reached[np.argsort(away[reached], kind="stable")].astype(np.int64)
    origins = ground.origins
    ends = ground.ends
    on = np.isfinite(away[origins]) & (away[ends] > away[origins])
    on[on] = (away[origins] + ground.lengths <= away[ends] * (1 + _EQUAL))[on]
    weights = np.zeros(len(ends))
    arcs = np.flatnonzero(on)
    weights[arcs] = _straightness(space, ground, arcs, offsets[ends[arcs]])
    into = np.bincount(ends, weights=weights, minlength=ground.count)
    parts = np.divide(weights, into[ends], out=weights, where=into[ends] > 0)
    return PathSegment(ground, away, order, parts, offsets)


def _straightness(space: Space, ground: PursuitBackend, arcs: Ints, along: Floats) -> Floats:
    """Return the weights of some equally short steps, (K,): the larger, the less a step deviates
    from the directions `along` (K, D).
    """
    positions = ground.positions
    moves = (positions[ground.ends[arcs]] - positions[ground.origins[arcs]])[:, :2]
    if space.period is not None:
        moves = space.shortest_vectors(moves)
    along = along[:, :2]
    size = np.maximum(np.sqrt((along**2).sum(axis=1)), 1e-12)
    aside = np.abs(moves[:, 0] * along[:, 1] - moves[:, 1] * along[:, 0]) / size
    return np.asarray(1.0 / (aside / ground.step + _CROOKED))


def steps_toward(space: Space, ground: PursuitBackend, place: int, away: Floats) -> Floats:
    """Return the chance of each step for a target on the way to a cell, (A,), given the distance
    `away` (N,) of each cell to it.
    """
    origins = ground.origins
    ends = ground.ends
    on = np.isfinite(away[origins]) & (away[ends] < away[origins])
    on[on] = (ground.lengths + away[ends] <= away[origins] * (1 + _NEAR))[on]
    arcs = np.flatnonzero(on)
    weights = np.zeros(len(ends))
    along = -space.offsets_from(space.position_of(place))[origins[arcs]]
    weights[arcs] = _straightness(space, ground, arcs, along)
    leaving = np.bincount(origins, weights=weights, minlength=ground.count)
    return np.divide(weights, leaving[origins], out=weights, where=leaving[origins] > 0)


@dataclass(frozen=True, eq=False)
class Sectors:
    """The Voronoi regions of some cells `centers` (K,) that lie far from each other.

    `toward` (K, A) float32 is the chance of each step for a target on the way to each, `there`
    (K, N) that of ending the path in a cell of the sector, and `next` (N, SECTORS) the chance of
    each sector as the next goal from a cell. `flows` caches flows of motions.
    """

    centers: Ints
    toward: NDArray[np.float32]
    there: NDArray[np.float32]
    next: Floats
    owners: Ints
    flows: dict[tuple[Mover, float], Flow | None] = field(default_factory=dict)

    def behind(self, offsets: Floats, velocity: Floats) -> Floats:
        """Return the share of the cells of each sector that lie behind a target, (K,), given the
        offsets of all cells from it.
        """
        back = offsets[:, : len(velocity)] @ velocity <= 0
        own = self.owners >= 0
        sizes = np.bincount(self.owners[own], minlength=len(self.centers))
        counts = np.bincount(self.owners[own & back], minlength=len(self.centers))
        return np.asarray(counts / np.maximum(sizes, 1))


def sectors_of(space: Space, cell: int) -> Sectors:
    """Return the sectors of the component of a cell; cached."""
    marks = landmarks_of(space, cell, SECTORS)
    cache = _sectors(space)
    key = marks.places.tobytes()
    if key not in cache:
        cache[key] = _sectors_around(space, marks)
    return cache[key]


@cached_until_walls_change
def _sectors(space: Space) -> dict[bytes, Sectors]:
    return {}


def _sectors_around(space: Space, marks: Landmarks) -> Sectors:
    ground = backend(space)
    nearest = np.where(np.isfinite(marks.away).any(axis=0), marks.away.argmin(axis=0), -1)
    toward = np.zeros((len(marks.places), len(ground.ends)), dtype=np.float32)
    there = np.zeros(marks.away.shape, dtype=np.float32)
    for number, place in enumerate(marks.places.tolist()):
        away = marks.away[number].astype(np.float64)
        toward[number] = steps_toward(space, ground, place, away)
        there[number] = np.where(nearest == number, ground.step / (away + ground.step), 0.0)
    return Sectors(
        marks.places.astype(np.int64), toward, there, _next_sectors(ground.step, marks), nearest
    )


def _next_sectors(step: float, marks: Landmarks) -> Floats:
    """Return the chance of each sector as the next goal from each cell, (N, K): in proportion to
    its size among far sectors, or among the farther half.
    """
    away = marks.away.astype(np.float64).T
    some = np.isfinite(away)
    middle = np.sort(away, axis=1)[np.arange(len(away)), np.maximum(some.sum(axis=1) - 1, 0) // 2]
    far = some & (away >= np.minimum(_FAR * step, middle)[:, np.newaxis])
    likely = np.where(far, marks.shares, 0.0)
    total = likely.sum(axis=1, keepdims=True)
    found = np.divide(
        likely, total, out=np.full(likely.shape, 1.0 / likely.shape[1]), where=total > 0
    )
    return np.pad(found, ((0, 0), (0, SECTORS - found.shape[1])))
