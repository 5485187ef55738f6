"""Landmarks: cells far from each other, and the shortest paths to them from every cell."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.kernels.shared.step_lists import OutSteps
from fieldcraft.paths import distance_map
from fieldcraft.space import Space
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.cached import cached_until_walls_change

_FEW = 20  # A component of fewer cells is too small for landmarks.
_FIELDS = 64  # The distances to so many other cells are cached.


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Cells `places` (K,), each as far as possible from those before it, with paths there and back.

    `links` (K, N) is the arc on the path to each, by its number among the arcs out of a cell,
    `NOWHERE` at the landmark itself and where no path leads. `away` (K, N) are distances in world
    units, infinite without a path; `shares` (K,) is the share of the cells nearest to each.
    `fields` (64, N) caches distances to other cells, those requested last.
    """

    places: Ints
    adjacency: Adjacency
    links: NDArray[np.uint16]
    away: NDArray[np.float32]
    shares: Floats
    fields: NDArray[np.float32]
    _cached: dict[int, int] = field(default_factory=dict)

    def goal_of(self, space: Space, cell: int, limit: float) -> int:
        """Return the number of a cell as a goal, with paths up to a length; valid until 64 other
        cells were requested.
        """
        number = self._cached.pop(cell, None)
        if number is None:
            number = len(self._cached)
            if number == len(self.fields):
                number = self._cached.pop(next(iter(self._cached)))
            distances = distance_map(space, space.position_of(cell), limit=limit)
            self.fields[number] = distances.values.reshape(-1)
        self._cached[cell] = number
        return len(self.places) + number

    def extend(
        self,
        paths: NDArray[np.int32],
        step: float,
        goals: Ints,
        begins: Ints | None = None,
        fields: NDArray[np.float32] | None = None,
    ) -> None:
        """Extend paths (P, T), one cell per moment, from the moments `begins` (P,), 0 if absent, on
        to goals (P,); a step's length is walked in a moment.

        Goals are landmarks, and after these the distance maps of other cells, or `fields` (F, N).
        """
        steps = self.adjacency
        arcs = OutSteps(steps.starts, steps.ends, steps.lengths)
        if begins is None:
            begins = np.zeros(len(paths), dtype=np.int64)
        if fields is None:
            fields = self.fields
        kernels.pursuit.rollout_steps.extend(arcs, self.links, fields, goals, begins, step, paths)


def landmarks_of(space: Space, cell: int, count: int) -> Landmarks:
    """Return at most `count` landmarks of the strongly connected component of a cell; cached."""
    components = _components(space)
    component = int(components[cell])
    if np.count_nonzero(components == component) < _FEW:  # such as a ledge to drop from
        component = int(np.bincount(components[~space.walls.reshape(-1)]).argmax())
    cache = _landmarks(space)
    if (component, count) not in cache:
        cells = np.flatnonzero(components == component)
        cache[component, count] = _spread_out(space, cells, count)
    return cache[component, count]


@cached_until_walls_change
def _landmarks(space: Space) -> dict[tuple[int, int], Landmarks]:
    return {}


@cached_until_walls_change
def _components(space: Space) -> Ints:
    """Return the component of each cell within which paths lead there and back."""
    from scipy.sparse.csgraph import connected_components

    steps = space.adjacency.to_sparse()
    return np.asarray(connected_components(steps, connection="strong")[1], dtype=np.int64)


def _spread_out(space: Space, cells: Ints, count: int) -> Landmarks:
    """Return landmarks among some cells, the first as far as possible from their middle."""
    off = ((space.positions[cells] - space.positions[cells].mean(axis=0)) ** 2).sum(axis=1)
    place = int(cells[np.argmax(off)])
    arcs = space.adjacency
    count = min(count, len(cells))
    nearest = np.full(len(cells), np.inf, dtype=np.float32)
    owner = np.zeros(len(cells), dtype=np.int64)
    links = np.empty((count, len(space)), dtype=np.uint16)
    away = np.empty((count, len(space)), dtype=np.float32)
    places: list[int] = []
    for number in range(count):
        away[number] = distance_map(space, space.position_of(place)).values.reshape(-1)
        kernels.pursuit.rollout_steps.descents(
            arcs.starts, arcs.ends, arcs.lengths, away[number], number, links
        )
        places.append(place)
        nearer = away[number, cells] < nearest
        owner[nearer] = number
        nearest = np.where(nearer, away[number, cells], nearest)
        place = int(cells[np.argmax(np.where(np.isfinite(nearest), nearest, -1.0))])
        if nearest.max() <= 0 or place in places:
            break
    found = len(places)
    shares = np.bincount(owner, minlength=found) / len(cells)
    fields = np.empty((_FIELDS, len(space)), dtype=np.float32)
    return Landmarks(np.array(places), arcs, links[:found], away[:found], shares, fields)


def normalized_shares(some: NDArray[np.bool_], shares: Floats) -> Floats:
    """Return the shares of some landmarks, 0 for the others, scaled to the sum 1; those of all if
    there are none.
    """
    if some.any():
        shares = np.where(some, shares, 0.0)
    return np.asarray(shares / shares.sum())
