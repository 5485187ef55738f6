"""The ground between the vertices of a graph: along its edges, inside the polygons of its mesh, and
how it slopes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Graph
from fieldcraft.space.ways import kept_until_walls_change, runs

__all__ = ["around", "fill_between", "slopes"]

Floats = NDArray[np.float32]
Cells = NDArray[np.int64]

# directions in which the neighbours lie less far away than this share of the farthest count for
# none
_FLAT = 1e-9


def _arcs_at(graph: Graph, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The vertices that open arcs join to each of `cells`, whichever way they lead: (place in
    `cells`, the other vertex).
    """
    topology = graph.topology
    into = runs(topology.starts[cells], np.diff(topology.starts)[cells])
    who_in = np.repeat(np.arange(len(cells)), np.diff(topology.starts)[cells])
    keep = ~graph.closed[into]
    who, others = who_in[keep], topology.origins[into[keep]].astype(np.int64)
    if graph.directed:
        starts, arcs = topology.leaving
        out = arcs[runs(starts[cells], np.diff(starts)[cells])]
        who_out = np.repeat(np.arange(len(cells)), np.diff(starts)[cells])
        keep = ~graph.closed[out]
        who = np.concatenate([who, who_out[keep]])
        others = np.concatenate([others, topology.ends[out[keep]].astype(np.int64)])
    free = ~graph.walls[others]
    return who[free], others[free]


def around(graph: Graph, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """These vertices and all that might be mixed with them, ascending: those beside them, and round
    their corners.
    """
    _, others = _arcs_at(graph, cells)
    if graph.mesh is not None:
        corners = np.unique(
            graph.mesh.rings[runs(graph.mesh.starts[cells], np.diff(graph.mesh.starts)[cells])]
        )
        others = np.concatenate(
            [others, graph.mesh.ring_owners[np.isin(graph.mesh.rings, corners)]]
        )
    return np.unique(np.concatenate([cells, others]))


def fill_between(
    graph: Graph,
    values: Floats,
    points: NDArray[np.float64],
    cells: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """Put into `found` (N,) what the values of vertices (V,) come to at positions in `cells`, where
    that is more than the vertex's own.
    """
    fill = _along_edges if graph.mesh is None else _inside_polygons
    fill(graph, values, points, cells, found)


def _along_edges(
    graph: Graph,
    values: Floats,
    points: NDArray[np.float64],
    cells: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """Put what lies at the nearest point of the edges at each position's vertex into `found`."""
    who, others = _arcs_at(graph, cells)
    free = ~graph.walls[cells[who]]
    who, others = who[free], others[free]
    start, end = graph.positions[cells[who]], graph.positions[others]
    along = graph.short_way(end - start)
    squares = (along * along).sum(axis=1)
    apart = squares > 0
    shares = np.zeros(len(who))
    shares[apart] = np.clip(
        (graph.short_way(points[who] - start) * along).sum(axis=1)[apart] / squares[apart], 0, 1
    )
    away = (graph.short_way(start + shares[:, np.newaxis] * along - points[who]) ** 2).sum(axis=1)
    order = np.lexsort((others, away, who))
    best = order[np.flatnonzero(np.diff(who[order], prepend=-1) != 0)]
    here, share = values[cells[who[best]]].astype(np.float64), shares[best]
    found[who[best]] = here * (1 - share) + values[others[best]] * share


def _inside_polygons(
    graph: Graph,
    values: Floats,
    points: NDArray[np.float64],
    cells: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """Put what lies inside the triangles into `found`: between their corners, which take the mean
    of the polygons round them.
    """
    mesh = graph.mesh
    assert mesh is not None
    triangles, shares, _ = mesh.locate(points, graph.max_height)
    inside = (
        np.flatnonzero((triangles >= 0) & (mesh.owners[triangles] == cells) & ~graph.walls[cells])
        if len(mesh.owners)
        else cells[:0]
    )
    if not len(inside):
        return
    fans, count = _fans_of(graph)
    free = ~graph.walls[mesh.ring_owners]
    weights = np.bincount(fans[free], minlength=count)
    sums = np.bincount(
        fans[free], weights=values[mesh.ring_owners[free]].astype(np.float64), minlength=count
    )
    means = sums / np.maximum(weights, 1)
    # The triangles of a polygon fan out from its first corner: the k-th has the corners 0, k + 1
    # and k + 2 of the ring.
    polygons = mesh.owners[triangles[inside]]
    first = np.searchsorted(mesh.owners, polygons)
    ring = mesh.starts[polygons]
    step = triangles[inside] - first
    corners = np.stack([ring, ring + step + 1, ring + step + 2], axis=1)
    found[inside] = (means[fans[corners]] * shares[inside]).sum(axis=1)


@kept_until_walls_change
def _fans_of(graph: Graph) -> tuple[NDArray[np.int64], int]:
    """The fans of a mesh, looked up once for each change of walls."""
    assert graph.mesh is not None
    ways = graph.ways
    return graph.mesh.fans(np.stack([ways.origins, ways.ends], axis=1))


def slopes(graph: Graph, values: Floats, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """The slope at vertices: the one that fits the differences to their neighbours best, and the
    smallest of those that do.
    """
    axes = graph.dimensions
    who, others = _arcs_at(graph, cells)
    away = graph.short_way(graph.positions[others] - graph.positions[cells[who]])
    size = np.sqrt((away * away).sum(axis=1))
    apart = (size > 0) & ~graph.walls[cells[who]]
    who, others, away = who[apart], others[apart], away[apart] / size[apart, np.newaxis]
    rise = (values[others].astype(np.float64) - values[cells[who]]) / size[apart]
    square = np.zeros((len(cells), axes, axes))
    right = np.zeros((len(cells), axes))
    for i in range(axes):
        right[:, i] = np.bincount(who, weights=away[:, i] * rise, minlength=len(cells))
        for j in range(axes):
            square[:, i, j] = np.bincount(
                who, weights=away[:, i] * away[:, j], minlength=len(cells)
            )
    return np.asarray(
        (np.linalg.pinv(square, rcond=_FLAT, hermitian=True) @ right[:, :, np.newaxis])[:, :, 0]
    )
