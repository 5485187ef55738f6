"""The value and the slope at a position on a graph, and what lies along a way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.query.graph_ground import GraphGround
from fieldcraft.space import Graph
from fieldcraft.space.keeping import kept_until_walls_change
from fieldcraft.space.runs import runs

__all__ = ["gradient", "sample", "way"]

_FLAT = 1e-9  # directions in which the neighbours lie less far away than this share of the farthest count for none


def sample(layer: Any, positions: ArrayLike, between: bool, outside: str) -> tuple[NDArray[np.float32], bool]:
    """The values at positions, (N,), and whether it was one position; see `fieldcraft.sample`."""
    ground = GraphGround(layer)
    points, cells, single = ground.points(positions, outside)
    if not between:
        return ground.values[cells], single
    found = ground.values[cells].astype(np.float64)
    if ground.space.mesh is None:
        _along_edges(ground, points, cells, found)
    else:
        _inside_polygons(ground, points, cells, found)
    return found.astype(np.float32), single


def gradient(layer: Any, positions: ArrayLike, between: bool, outside: str) -> tuple[NDArray[np.float64], bool]:
    """The direction in which values grow at positions, (N, 2) or (N, 3); see `fieldcraft.gradient`."""
    ground = GraphGround(layer)
    points, cells, single = ground.points(positions, outside)
    used, inverse = np.unique(cells, return_inverse=True)
    slopes = _slopes(ground, used)
    if not between:
        return slopes[inverse], single
    found = slopes[inverse]
    for axis in range(found.shape[1]):
        every = np.zeros(len(ground.space), dtype=np.float32)
        needed = _around(ground.space, used)
        every[needed] = _slopes(ground, needed)[:, axis]
        part = GraphGround.__new__(GraphGround)
        part.space, part.values, part.walls = ground.space, every, ground.walls
        column = every[cells].astype(np.float64)
        if ground.space.mesh is None:
            _along_edges(part, points, cells, column)
        else:
            _inside_polygons(part, points, cells, column)
        found[:, axis] = column
    return found, single


def way(layer: Any, path: NDArray[np.float64], outside: str) -> tuple[float, float, float, float, NDArray[np.float64]]:
    """Sum, length, mean, maximum and where it is, along positions joined by straight lines; see `fieldcraft.along`."""
    ground = GraphGround(layer)
    points, cells, _ = ground.points(path, outside)
    values = ground.values[cells].astype(np.float64)
    lengths = np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1))
    length = float(lengths.sum())
    total = float((lengths * (values[1:] + values[:-1]) / 2).sum())
    top = int(values.argmax())
    return total, length, total / length if length > 0 else float(values[0]), float(values[top]), points[top]


def _arcs_at(space: Graph, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The vertices that open arcs join to each of `cells`, whichever way they lead: (place in `cells`, the other vertex)."""
    topology = space.topology
    into = runs(topology.starts[cells], np.diff(topology.starts)[cells])
    who_in = np.repeat(np.arange(len(cells)), np.diff(topology.starts)[cells])
    keep = ~space.closed[into]
    who, others = who_in[keep], topology.origins[into[keep]].astype(np.int64)
    if space.directed:
        starts, arcs = topology.leaving
        out = arcs[runs(starts[cells], np.diff(starts)[cells])]
        who_out = np.repeat(np.arange(len(cells)), np.diff(starts)[cells])
        keep = ~space.closed[out]
        who = np.concatenate([who, who_out[keep]])
        others = np.concatenate([others, topology.ends[out[keep]].astype(np.int64)])
    free = ~space.walls[others]
    return who[free], others[free]


def _around(space: Graph, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """These vertices and all that might be mixed with them, ascending: those beside them, and round their corners."""
    _, others = _arcs_at(space, cells)
    if space.mesh is not None:
        corners = np.unique(space.mesh.rings[runs(space.mesh.starts[cells], np.diff(space.mesh.starts)[cells])])
        others = np.concatenate([others, space.mesh.ring_owners[np.isin(space.mesh.rings, corners)]])
    return np.unique(np.concatenate([cells, others]))


def _along_edges(ground: GraphGround, points: NDArray[np.float64], cells: NDArray[np.int64], found: NDArray[np.float64]) -> None:
    """Put what lies at the nearest point of the edges at each position's vertex into `found`."""
    who, others = _arcs_at(ground.space, cells)
    free = ~ground.walls[cells[who]]
    who, others = who[free], others[free]
    start, end = ground.space.positions[cells[who]], ground.space.positions[others]
    along = end - start
    squares = (along * along).sum(axis=1)
    apart = squares > 0
    shares = np.zeros(len(who))
    shares[apart] = np.clip(((points[who] - start) * along).sum(axis=1)[apart] / squares[apart], 0, 1)
    away = ((start + shares[:, np.newaxis] * along - points[who]) ** 2).sum(axis=1)
    order = np.lexsort((others, away, who))
    best = order[np.flatnonzero(np.diff(who[order], prepend=-1) != 0)]
    here, share = ground.values[cells[who[best]]].astype(np.float64), shares[best]
    found[who[best]] = here * (1 - share) + ground.values[others[best]] * share


def _inside_polygons(ground: GraphGround, points: NDArray[np.float64], cells: NDArray[np.int64], found: NDArray[np.float64]) -> None:
    """Put what lies inside the triangles into `found`: between their corners, which take the mean of the polygons round them."""
    space, mesh = ground.space, ground.space.mesh
    assert mesh is not None
    triangles, shares, _ = mesh.locate(points, space.max_height)
    inside = np.flatnonzero((triangles >= 0) & (mesh.owners[triangles] == cells) & ~ground.walls[cells]) if len(mesh.owners) else cells[:0]
    if not len(inside):
        return
    fans, count = _fans_of(ground.space)
    free = ~ground.walls[mesh.ring_owners]
    weights = np.bincount(fans[free], minlength=count)
    sums = np.bincount(fans[free], weights=ground.values[mesh.ring_owners[free]].astype(np.float64), minlength=count)
    means = sums / np.maximum(weights, 1)
    # The triangles of a polygon fan out from its first corner: the k-th has the corners 0, k + 1 and k + 2 of the ring.
    polygons = mesh.owners[triangles[inside]]
    first = np.searchsorted(mesh.owners, polygons)
    ring = mesh.starts[polygons]
    step = triangles[inside] - first
    corners = np.stack([ring, ring + step + 1, ring + step + 2], axis=1)
    found[inside] = (means[fans[corners]] * shares[inside]).sum(axis=1)


@kept_until_walls_change
def _fans_of(space: Graph) -> tuple[NDArray[np.int64], int]:
    """The fans of a mesh, looked up once for each change of walls."""
    assert space.mesh is not None
    ways = space.ways
    return space.mesh.fans(np.stack([ways.origins, ways.ends], axis=1))


def _slopes(ground: GraphGround, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """The slope at vertices: the one that fits the differences to their neighbours best, and the smallest of those that do."""
    space = ground.space
    axes = space.dimensions
    who, others = _arcs_at(space, cells)
    away = space.positions[others] - space.positions[cells[who]]
    size = np.sqrt((away * away).sum(axis=1))
    apart = (size > 0) & ~ground.walls[cells[who]]
    who, others, away = who[apart], others[apart], away[apart] / size[apart, np.newaxis]
    rise = (ground.values[others].astype(np.float64) - ground.values[cells[who]]) / size[apart]
    square = np.zeros((len(cells), axes, axes))
    right = np.zeros((len(cells), axes))
    for i in range(axes):
        right[:, i] = np.bincount(who, weights=away[:, i] * rise, minlength=len(cells))
        for j in range(axes):
            square[:, i, j] = np.bincount(who, weights=away[:, i] * away[:, j], minlength=len(cells))
    return np.asarray((np.linalg.pinv(square, rcond=_FLAT, hermitian=True) @ right[:, :, np.newaxis])[:, :, 0])
