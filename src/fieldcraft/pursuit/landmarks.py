"""Places all over a map with the ways to them, worked out once: to see many ways ahead without a search."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths import distance_map
from fieldcraft.space import Space
from fieldcraft.space.keeping import kept_until_walls_change

__all__ = ["Landmarks", "landmarks_of"]

Ints = NDArray[np.int64]

_FEW = 20


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Cells `places` (K,), each as far as can be from those before it, with ways there and back.

    `ahead` (K, N) is the next cell on the way to each, itself where there is none, `sizes` (K, N) how long that step is, and `away` (K, N)
    how long the whole way, world units, infinite where there is none.
    """

    places: Ints
    ahead: NDArray[np.int32]
    away: NDArray[np.float32]
    sizes: NDArray[np.float32]


@dataclass(eq=False)
class _Known:
    by_part: dict[int, Landmarks] = field(default_factory=dict)
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
    found = known.by_part.get(part)
    if found is None or len(found.places) > count:
        found = known.by_part[part] = _built(space, np.flatnonzero(known.parts == part), count)
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
    nearest = np.full(len(cells), np.inf, dtype=np.float32)
    places, ahead, away, sizes = [], [], [], []
    for _ in range(min(count, len(cells))):
        values = distance_map(space, space.position_of(place)).values.reshape(-1)
        next_cell, size = _next(space, values)
        places.append(place)
        ahead.append(next_cell)
        away.append(values)
        sizes.append(size)
        nearest = np.minimum(nearest, values[cells])
        reachable = np.where(np.isfinite(nearest), nearest, -1.0)
        place = int(cells[np.argmax(reachable)])
        if nearest.max() <= 0 or place in places:
            break
    return Landmarks(np.array(places), np.stack(ahead), np.stack(away), np.stack(sizes))


def _next(space: Space, values: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The cell after each on the way down a distance map, and how long the step there is."""
    ways = space.ways
    own = np.arange(len(values), dtype=np.int32)
    sizes = np.zeros(len(values), dtype=np.float32)
    if not len(ways.ends):
        return own, sizes
    total = ways.lengths + values[ways.ends]
    some = np.diff(ways.starts) > 0
    least = np.full(len(values), np.inf)
    least[some] = np.minimum.reduceat(total, ways.starts[:-1][some])
    origins = ways.origins
    best = np.flatnonzero(total == least[origins])[::-1]  # of equal ones the first is written last
    best = best[np.isfinite(total[best])]
    own[origins[best]] = ways.ends[best]
    sizes[origins[best]] = ways.lengths[best]
    home = values == 0
    own[home], sizes[home] = np.flatnonzero(home), 0
    return own, sizes
