"""Places all over a map with the ways to them, worked out once: to see many ways ahead without a
search.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.paths import distance_map
from fieldcraft.space import Space
from fieldcraft.space.ways import Ways, kept_until_walls_change

__all__ = ["Landmarks", "landmarks_of", "shared_out"]

Ints = NDArray[np.int64]

_FEW = 20
_KEPT = 64  # other cells, to which ways are known too


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Cells `places` (K,), each as far as can be from those before it, with ways there and back.

    `links` (K, N) is the step on the way to each, by its number among the steps out of a cell in
    `ways`, `NOWHERE` at the place itself and where no way leads. `away` (K, N) is how long the
    whole way is, world units, infinite where there is none; `shares` (K,) the share of the cells
    that are nearest to each. `fields` (64, N) are the same as `away` for other cells, those asked
    for last.
    """

    places: Ints
    ways: Ways
    links: NDArray[np.uint16]
    away: NDArray[np.float32]
    shares: NDArray[np.float64]
    fields: NDArray[np.float32]
    _kept: dict[int, int] = field(default_factory=dict)

    def goal_of(self, space: Space, cell: int, limit: float) -> int:
        """The number by which ways lead to a cell of the space, at most so long, for as long as no
        more than 64 others are asked for.
        """
        number = self._kept.pop(cell, None)
        if number is None:
            number = (
                len(self._kept)
                if len(self._kept) < len(self.fields)
                else self._kept.pop(next(iter(self._kept)))
            )
            self.fields[number] = distance_map(
                space, space.position_of(cell), limit=limit
            ).values.reshape(-1)
        self._kept[cell] = number
        return len(self.places) + number

    def lead(
        self,
        ways: NDArray[np.int32],
        step: float,
        goals: Ints,
        begins: Ints,
        fields: NDArray[np.float32] | None = None,
    ) -> None:
        """Continue ways (P, T), a cell each moment, from the moments `begins` (P,) on to goals
        (P,); a moment is what a step takes.

        Goals are landmarks, and after these what distance maps lead to: those of other cells, or
        `fields` (F, N).
        """
        on = self.ways
        fields = self.fields if fields is None else fields
        kernels.foresee.lead(
            on.starts, on.ends, on.lengths, self.links, fields, step, goals, begins, ways
        )


@dataclass(eq=False)
class _Known:
    by_part: dict[tuple[int, int], Landmarks] = field(default_factory=dict)
    parts: Ints | None = None


@kept_until_walls_change
def _known(space: Space) -> _Known:
    return _Known()


def landmarks_of(space: Space, cell: int, count: int) -> Landmarks:
    """The landmarks of the part of the map that a cell lies in, at most so many."""
    known = _known(space)
    if known.parts is None:
        known.parts = _both_ways(space)
    part = int(known.parts[cell])
    if np.count_nonzero(known.parts == part) < _FEW:  # a ledge that one drops from, say
        part = int(np.bincount(known.parts[~space.walls.reshape(-1)]).argmax())
    found = known.by_part.get((part, count))
    if found is None:
        found = known.by_part[part, count] = _built(
            space, np.flatnonzero(known.parts == part), count
        )
    return found


def _both_ways(space: Space) -> Ints:
    """The part of each cell within which there are ways there and back."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ways = space.ways
    steps = csr_array(
        (np.ones(len(ways.ends), dtype=np.int8), ways.ends, ways.starts),
        shape=(len(space), len(space)),
    )
    return np.asarray(
        connected_components(steps, directed=True, connection="strong")[1], dtype=np.int64
    )


def _built(space: Space, cells: Ints, count: int) -> Landmarks:
    """Landmarks among cells, the first as far as can be from their middle."""
    off = ((space.positions[cells] - space.positions[cells].mean(axis=0)) ** 2).sum(axis=1)
    place = int(cells[np.argmax(off)])
    ways = space.ways
    count = min(count, len(cells))
    nearest = np.full(len(cells), np.inf, dtype=np.float32)
    owner = np.zeros(len(cells), dtype=np.int64)
    links = np.empty((count, len(space)), dtype=np.uint16)
    away = np.empty((count, len(space)), dtype=np.float32)
    places: list[int] = []
    for number in range(count):
        away[number] = distance_map(space, space.position_of(place)).values.reshape(-1)
        kernels.foresee.descents(ways.starts, ways.ends, ways.lengths, away[number], number, links)
        places.append(place)
        nearer = away[number, cells] < nearest
        owner[nearer] = number
        nearest = np.where(nearer, away[number, cells], nearest)
        place = int(cells[np.argmax(np.where(np.isfinite(nearest), nearest, -1.0))])
        if nearest.max() <= 0 or place in places:
            break
    found = len(places)
    shares = np.bincount(owner, minlength=found) / len(cells)
    fields = np.empty((_KEPT, len(space)), dtype=np.float32)
    return Landmarks(np.array(places), ways, links[:found], away[:found], shares, fields)


def shared_out(some: NDArray[np.bool_], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shares of some, none for the others; of all if there are none."""
    found = np.where(some, shares, 0.0) if some.any() else shares
    return np.asarray(found / found.sum())
