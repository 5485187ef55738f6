"""Places all over a map with the ways to them, worked out once: to see many ways ahead without a search."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.paths import distance_map
from fieldcraft.space import Space
from fieldcraft.space.keeping import kept_until_walls_change
from fieldcraft.space.ways import Ways

__all__ = ["Landmarks", "landmarks_of"]

Ints = NDArray[np.int64]

_FEW = 20
_KEPT = 64  # other cells, to which ways are known too


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Cells `places` (K,), each as far as can be from those before it, with ways there and back.

    `links` is the step on the way to each, by its number among the steps out of a cell in `ways`, `NOWHERE` at the place itself and
    where no way leads; its first K columns, (N, ..), are those of the landmarks, the others those of cells asked for last. `away` (K, N)
    is how long the whole way is, world units, infinite where there is none; `shares` (K,) the share of the cells that are nearest to each.
    """

    places: Ints
    ways: Ways
    links: NDArray[np.uint16]
    away: NDArray[np.float32]
    shares: NDArray[np.float64]
    _kept: dict[int, int] = field(default_factory=dict)

    def column_of(self, space: Space, cell: int) -> int:
        """The column of `links` that leads to a cell of the space, for as long as no more than 64 others are asked for."""
        column = self._kept.pop(cell, None)
        if column is None:
            free = len(self._kept) + len(self.places)
            column = free if free < self.links.shape[1] else self._kept.pop(next(iter(self._kept)))
            values = distance_map(space, space.position_of(cell)).values.reshape(-1)
            kernels.foresee.descents(self.ways.starts, self.ways.ends, self.ways.lengths, values, column, self.links)
        self._kept[cell] = column
        return column


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
        found = known.by_part[part, count] = _built(space, np.flatnonzero(known.parts == part), count)
    return found


def _both_ways(space: Space) -> Ints:
    """The part of each cell within which there are ways there and back."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ways = space.ways
    steps = csr_array((np.ones(len(ways.ends), dtype=np.int8), ways.ends, ways.starts), shape=(len(space), len(space)))
    return np.asarray(connected_components(steps, directed=True, connection="strong")[1], dtype=np.int64)


def _built(space: Space, cells: Ints, count: int) -> Landmarks:
    """Landmarks among cells, the first as far as can be from their middle."""
    off = ((space.positions[cells] - space.positions[cells].mean(axis=0)) ** 2).sum(axis=1)
    place = int(cells[np.argmax(off)])
    ways = space.ways
    count = min(count, len(cells))
    nearest = np.full(len(cells), np.inf, dtype=np.float32)
    owner = np.zeros(len(cells), dtype=np.int64)
    links = np.empty((len(space), count + _KEPT), dtype=np.uint16)
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
    links = np.ascontiguousarray(links[:, : found + _KEPT])
    shares = np.bincount(owner, minlength=found) / len(cells)
    return Landmarks(np.array(places), ways, links, away[:found], shares)
