"""Which places of a map see which, and where a target may hide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit.backend import backend
from fieldcraft.space import Space
from fieldcraft.space.sight import visible
from fieldcraft.space.ways import kept_until_walls_change

__all__ = [
    "VisibilityCache",
    "by_moment",
    "hiding_chances",
    "hiding_places",
    "joined",
    "traced",
    "visibility_cache",
]

Ints = NDArray[np.int64]

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

    ways, walls, side = space.ways, space.walls.reshape(-1), _SIDE
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


@kept_until_walls_change
def _known(space: Space) -> dict[float, VisibilityCache]:
    return {}


def visibility_cache(space: Space, sight: float) -> VisibilityCache:
    """The visibility of a map within a distance, world units."""
    known = _known(space)
    if sight not in known:
        known[sight] = VisibilityCache(space, sight)
    return known[sight]


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
