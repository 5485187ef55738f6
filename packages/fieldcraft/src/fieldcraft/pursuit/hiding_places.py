"""Which places of a map see which, and where a target can hide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.space import Space
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.sight.sight import visible
from fieldcraft.space.sight.viewers import SightHeights
from fieldcraft.space.space_ranges import at_walk, within_walk

_SIDE = 1.5  # The smallest box of a cluster, in typical steps.
_MOST_CLUSTERS = 4096
_PREFERENCE = 8  # The exponent by which places that fewer cells see are likelier.
_LEAST_CHANCE = 0.05  # The chance of the most open place, relative to the most hidden one.
_MOST_HIDING = 800


class SearcherSight:
    """How far searchers see, world units, and over which ground.

    `key` is equal for all who see the same.
    """

    def __init__(self, radius: float, heights: SightHeights | None = None) -> None:
        self.radius = radius
        self.heights = heights
        self.key: tuple[float, float, bytes] = (radius, 0.0, b"")
        if heights is not None:
            self.key = (radius, heights.eye, heights.ground.tobytes())

    def from_cell(self, space: Space, cell: int) -> NDArray[np.bool_]:
        """Return which cells are seen from a cell, (N,)."""
        place = space.position_of(cell)
        if self.heights is None:
            seen = visible(space, place, self.radius)
        else:
            ground = self.heights.ground.reshape(space.shape)
            seen = visible(space, place, self.radius, heights=ground, eye=self.heights.eye)
        return seen.reshape(-1)


class VisibilityCache:
    """Clusters of a few cells each, joined by steps within a box, and what is seen from their
    middles.

    `of` (N,) int32 is the cluster of each cell. `views` (S, S) says which clusters are seen from a
    cluster: those of which half of the cells or more are seen. A row is filled by `fill`.
    """

    def __init__(self, space: Space, sight: SearcherSight) -> None:
        self._space = space
        self._sight = sight
        self.of, self._middles = _clusters(space)
        opened = self.of[~space.walls.reshape(-1)]
        self._sizes = np.bincount(opened, minlength=len(self._middles))
        self.views = np.zeros((len(self._middles), len(self._middles)), dtype=np.uint8)
        self._filled = np.zeros(len(self._middles), dtype=np.bool_)

    def fill(self, clusters: NDArray[np.int32]) -> None:
        """Compute the views of clusters that have none yet."""
        for cluster in np.unique(clusters[~self._filled[clusters]]).tolist():
            seen = self.of[self.sees(int(self._middles[cluster]))]
            self.views[cluster] = 2 * np.bincount(seen, minlength=len(self._sizes)) >= self._sizes
            self._filled[cluster] = True

    def sees(self, cell: int) -> NDArray[np.bool_]:
        """Return which cells are seen from a cell, (N,)."""
        return self._sight.from_cell(self._space, cell)

    def seen_from(self, cell: int) -> NDArray[np.bool_]:
        """Return which cells lie in clusters that are seen from the cluster of a cell, (N,)."""
        cluster = self.of[cell : cell + 1]
        self.fill(cluster)
        return np.asarray(self.views[cluster[0]][self.of] > 0)

    def openness(self, cells: Ints) -> Ints:
        """Return about how many cells are seen from each of some cells."""
        clusters = self.of[cells]
        self.fill(clusters)
        each, which = np.unique(clusters, return_inverse=True)
        return (self.views[each].astype(np.int64) @ self._sizes)[which]


def _clusters(space: Space) -> tuple[NDArray[np.int32], Ints]:
    """Return the cluster of each cell, and the middle cell of each cluster: single cells on small
    maps, and else cells that steps join within boxes, larger ones on larger maps.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    arcs = space.adjacency
    walls = space.walls.reshape(-1)
    side = _SIDE
    origins = arcs.origins
    opened = np.flatnonzero(~walls)
    if len(opened) <= _MOST_CLUSTERS:
        single = np.zeros(len(space), dtype=np.int32)  # walls are in no view
        single[opened] = np.arange(len(opened))
        return single, opened
    if not len(arcs.ends):
        return np.zeros(len(space), dtype=np.int32), opened[:1]
    corner = space.positions.min(axis=0)
    while True:
        boxes = np.floor((space.positions - corner) / (side * space.typical_step)).astype(np.int64)
        same = (boxes[origins] == boxes[arcs.ends]).all(axis=1)
        if not boxes.any():
            # One box has too many components without steps between them.
            return np.zeros(len(space), dtype=np.int32), opened[:1]
        joined = csr_array(
            (np.ones(np.count_nonzero(same), dtype=np.int8), (origins[same], arcs.ends[same])),
            shape=(len(space),) * 2,
        )
        joint = connected_components(joined, directed=False)[1]
        of = np.unique(np.where(walls, -1, joint), return_inverse=True)[1] - int(walls.any())
        of = np.maximum(of, 0)
        if of.max(initial=0) < _MOST_CLUSTERS:
            break
        side *= 1.25
    of_open = of[opened]
    sizes = np.bincount(of_open)
    means = [np.bincount(of_open, weights=axis) / sizes for axis in space.positions[opened].T]
    off = ((space.positions[opened] - np.stack(means, axis=1)[of_open]) ** 2).sum(axis=1)
    order = np.lexsort((off, of_open))
    first = np.unique(of_open[order], return_index=True)[1]
    return of.astype(np.int32), opened[order][first]


@cached_until_walls_change
def _caches(space: Space) -> dict[tuple[float, float, bytes], VisibilityCache]:
    return {}


def visibility_cache(space: Space, sight: SearcherSight) -> VisibilityCache:
    """Return the visibility of a map for searchers."""
    caches = _caches(space)
    if sight.key not in caches:
        caches[sight.key] = VisibilityCache(space, sight)
    return caches[sight.key]


def hiding_chances(openness: NDArray[Any]) -> Floats:
    """Return how likely each hiding place is, (K,), not yet normalized: by the rank of how many
    cells see it.
    """
    order = np.argsort(openness, kind="stable")
    rank = np.argsort(order, kind="stable") / max(len(openness), 1)
    return np.asarray((1 - rank) ** _PREFERENCE + _LEAST_CHANCE)


def hiding_paths(
    space: Space,
    visibility: VisibilityCache,
    start: int,
    near: tuple[float, float],
    step: float,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], Floats]:
    """Return shortest paths (H, L), one cell per moment, to nearby cells out of sight of the start,
    and how likely each is: the likelier the fewer cells see it.

    `near` are the shortest and the longest path, and a `step` is walked in a moment, world units.
    """
    from scipy.sparse.csgraph import dijkstra

    steps = space.adjacency.to_sparse()
    least = at_walk(space, near[0])
    most = within_walk(space, near[1])
    away, before = dijkstra(steps, indices=start, limit=most, return_predecessors=True)
    cells = np.flatnonzero((away >= least) & (away <= most))
    dark = cells[~visibility.sees(start)[cells]]
    if len(dark):
        cells = dark
    if not len(cells):
        return np.empty((0, 1), dtype=np.int32), np.empty(0)
    if len(cells) > _MOST_HIDING:
        cells = np.sort(rng.choice(cells, _MOST_HIDING, replace=False))
    chances = hiding_chances(visibility.openness(cells))
    rows = [cells]  # backwards; shorter paths wait at the start
    while (rows[-1] != start).any():
        rows.append(np.where(rows[-1] == start, start, before[rows[-1]]).astype(np.int64))
    nodes = np.array(rows[::-1])
    passed = away[nodes]
    # A step counts as taken when half of it is, and the target was seen a moment ago.
    passed[1:] = (passed[1:] + passed[:-1]) / 2
    moments = np.arange(int(np.ceil(away[cells].max() / step)) + 2)
    walked = (moments + 1) * step
    at = np.array([(passed <= limit).sum(axis=0) - 1 for limit in walked])
    paths = nodes[np.maximum(at, 0), np.arange(len(cells))].T
    return np.ascontiguousarray(paths, dtype=np.int32), chances / chances.sum()
