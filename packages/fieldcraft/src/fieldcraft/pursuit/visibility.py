"""What is worked out once for a map: landmarks, which places see which, hiding places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.backend import backend
from fieldcraft.space import Space
from fieldcraft.space.adjacency import Adjacency, cached_until_walls_change
from fieldcraft.space.sight import visible

__all__ = [
    "Landmarks",
    "VisibilityCache",
    "by_moment",
    "hiding_chances",
    "hiding_places",
    "joined",
    "landmarks_of",
    "shared_out",
    "traced",
    "visibility_cache",
]

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
    ways: Adjacency
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
            (on.starts, on.ends, on.lengths), self.links, fields, goals, begins, step, ways
        )


@dataclass(eq=False)
class _Known:
    by_part: dict[tuple[int, int], Landmarks] = field(default_factory=dict)
    parts: Ints | None = None


@cached_until_walls_change
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

    ways = space.adjacency
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
    ways = space.adjacency
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


_SIDE = 1.5  # typical steps
_MOST_PLACES = 4096
_NARROW = 8  # exponent of how much likelier a hiding place is that fewer cells see
_EVEN = 0.05  # chance of the most open place beside the most hidden one


class VisibilityCache:
    """Places of a few cells each, joined by steps within a box, and what is seen from their middles
    within a distance.

    `of` (N,) int32 is the place of each cell, and `views` (S, S) which places are seen from a
    place, those that are, by half of their cells or more; a row holds nothing before `know` was
    asked for it.
    """

    def __init__(self, space: Space, sight: float) -> None:
        self._space, self._sight = space, sight
        self.of, self._middles = _places(space)
        opened = self.of[~space.walls.reshape(-1)]
        self._sizes = np.bincount(opened, minlength=len(self._middles))
        self.views = np.zeros((len(self._middles), len(self._middles)), dtype=np.uint8)
        self._known = np.zeros(len(self._middles), dtype=np.bool_)

    def know(self, places: NDArray[np.int32]) -> None:
        """Look from all of these places from which nobody has looked yet."""
        for place in np.unique(places[~self._known[places]]).tolist():
            seen = self.of[self.sees(int(self._middles[place]))]
            self.views[place] = 2 * np.bincount(seen, minlength=len(self._sizes)) >= self._sizes
            self._known[place] = True

    def sees(self, cell: int) -> NDArray[np.bool_]:
        """Which cells are seen from a cell."""
        return visible(self._space, self._space.position_of(cell), self._sight).reshape(-1)

    def seen_from(self, cell: int) -> NDArray[np.bool_]:
        """Return which cells lie in places that are seen from the place of a cell, (N,)."""
        place = self.of[cell : cell + 1]
        self.know(place)
        return np.asarray(self.views[place[0]][self.of] > 0)

    def openness(self, cells: Ints) -> Ints:
        """How many cells are seen from about where each of these is."""
        places = self.of[cells]
        self.know(places)
        each, which = np.unique(places, return_inverse=True)
        return (self.views[each].astype(np.int64) @ self._sizes)[which]


def _places(space: Space) -> tuple[NDArray[np.int32], Ints]:
    """The place of each cell, and the cell in the middle of each place: cells that steps join
    within boxes, larger ones on larger maps.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ways, walls, side = space.adjacency, space.walls.reshape(-1), _SIDE
    origins = ways.origins
    opened = np.flatnonzero(~walls)
    if len(opened) <= _MOST_PLACES:
        single = np.zeros(len(space), dtype=np.int32)  # a wall is no place; it is in nobody's view
        single[opened] = np.arange(len(opened))
        return single, opened
    while True:
        boxes = np.floor(
            (space.positions - space.positions.min(axis=0)) / (side * space.typical_step)
        ).astype(np.int64)
        same = (boxes[origins] == boxes[ways.ends]).all(axis=1)
        if not boxes.any():  # and yet too many: parts that no step joins
            return np.zeros(len(space), dtype=np.int32), opened[:1]
        joined = csr_array(
            (np.ones(np.count_nonzero(same), dtype=np.int8), (origins[same], ways.ends[same])),
            shape=(len(space),) * 2,
        )
        joint = connected_components(joined, directed=False)[1]
        of = np.unique(np.where(walls, -1, joint), return_inverse=True)[1] - int(walls.any())
        of = np.maximum(of, 0)
        if of.max(initial=0) < _MOST_PLACES:
            break
        side *= 1.25
    many = int(of.max(initial=0)) + 1
    sizes = np.maximum(np.bincount(of[opened], minlength=many), 1)
    means = np.stack(
        [
            np.bincount(of[opened], weights=axis, minlength=many) / sizes
            for axis in space.positions[opened].T
        ],
        axis=1,
    )
    off = ((space.positions[opened] - means[of[opened]]) ** 2).sum(axis=1)
    order = np.lexsort((off, of[opened]))
    first = np.unique(of[opened][order], return_index=True)[1]
    return of.astype(np.int32), opened[order][first]


@cached_until_walls_change
def _caches(space: Space) -> dict[float, VisibilityCache]:
    return {}


def visibility_cache(space: Space, sight: float) -> VisibilityCache:
    """The visibility of a map within a distance, world units."""
    caches = _caches(space)
    if sight not in caches:
        caches[sight] = VisibilityCache(space, sight)
    return caches[sight]


def hiding_chances(openness: NDArray[Any]) -> NDArray[np.float64]:
    """Return how likely each hiding place is, (K,), not yet normalized: by the rank of how many
    cells see it.
    """
    order = np.argsort(openness, kind="stable")
    rank = np.argsort(order, kind="stable") / max(len(openness), 1)
    return np.asarray((1 - rank) ** _NARROW + _EVEN)


Floats = NDArray[np.float64]

_MOST_HIDING = 200


def hiding_places(
    space: Space,
    visibility: VisibilityCache,
    start: int,
    near: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], Floats]:
    """Return paths (H, L), a cell each moment, to cells near by out of sight of the start, and how
    likely each is: the likelier the fewer cells see it.

    `near` are the shortest and the longest path, world units.
    """
    ground = backend(space)
    away, back = ground.shortest_tree(start, near[1])
    cells = np.flatnonzero((away >= near[0]) & (away <= near[1]))
    dark = cells[~visibility.sees(start)[cells]]
    cells = dark if len(dark) else cells
    if not len(cells):
        return np.empty((0, 1), dtype=np.int32), np.empty(0)
    if len(cells) > _MOST_HIDING:
        cells = np.sort(rng.choice(cells, _MOST_HIDING, replace=False))
    chances = hiding_chances(visibility.openness(cells))
    nodes = traced(start, cells, back)
    passed = away[nodes]
    # A step counts as taken when half of it is, and the target was seen a moment ago.
    passed[1:] = (passed[1:] + passed[:-1]) / 2
    moments = np.arange(int(np.ceil(away[cells].max() / ground.step)) + 2)
    return by_moment(nodes, passed, (moments + 1) * ground.step).astype(
        np.int32
    ), chances / chances.sum()


def traced(start: int, cells: Ints, before: Ints) -> Ints:
    """Return the paths to some cells, (L, P), from the start on; shorter ones wait at the start."""
    rows = [cells]
    while (rows[-1] != start).any():
        rows.append(np.where(rows[-1] == start, start, before[rows[-1]]).astype(np.int64))
    return np.array(rows[::-1])


def by_moment(nodes: Ints, passed: Floats, limits: NDArray[Any]) -> Ints:
    """Return the cells (P, T) on paths (L, P) at moments by which so much has been walked: the
    last whose `passed` (L, P) is at most the limit of the moment.
    """
    at = np.array([(passed <= limit).sum(axis=0) - 1 for limit in limits])
    return np.ascontiguousarray(nodes[np.maximum(at, 0), np.arange(nodes.shape[1])].T)


def joined(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return two sets of paths as one; those that end sooner stay where they end."""
    last = max(one.shape[1], other.shape[1]) - 1
    found = [ways[:, np.minimum(np.arange(last + 1), ways.shape[1] - 1)] for ways in (one, other)]
    return np.ascontiguousarray(np.concatenate(found), dtype=np.int32)
