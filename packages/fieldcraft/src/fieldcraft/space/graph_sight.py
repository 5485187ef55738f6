"""The sight between the vertices of a graph, and vertices within a distance."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import read_only
from fieldcraft.space.graph import Graph
from fieldcraft.space.portals import portals_of, windows_of

__all__ = ["Outlook", "Stand", "counted", "is_clear", "sees", "stand", "vertices_within"]


def vertices_within(graph: Graph, points: NDArray[np.float64], radius: float) -> list[list[int]]:
    """The vertices within a straight distance of each point, round a torus the short way, in no
    order.
    """
    if not len(graph) or not len(points):
        return [[] for _ in points]
    tree, period = graph.topology.tree, graph.period
    if period is None:
        return list(tree.query_ball_point(points, radius))
    points = graph.wrapped(points)
    shifts = [np.array((dx, dy)) * period for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    found = [tree.query_ball_point(points + shift, radius) for shift in shifts]
    return [sorted(set(chain.from_iterable(each))) for each in zip(*found, strict=True)]


Floats = NDArray[np.float64]
_SEEN = 200  # polygons that a viewer sees, to begin with
_PAIRS_PER_THREAD = 1_000
_NO_PORTALS = (
    np.zeros(1, dtype=np.int64),
    np.zeros(0, dtype=np.int32),
    np.zeros((0, 4), dtype=np.int64),
    np.zeros(0, dtype=np.uint8),
)


@dataclass(frozen=True, eq=False)
class Stand:
    """Positions on a graph: their vertices (N,), themselves (N, 2 or 3), and where on a mesh their
    lines of sight begin, (N, 2).
    """

    cells: NDArray[np.int64]
    points: Floats
    places: NDArray[np.int64]


def stand(graph: Graph, points: Floats) -> Stand:
    """Positions on a graph; raises `OutsideMap`."""
    points = np.ascontiguousarray(points).view()
    # as those of vertices are: kernels are compiled anew for arrays that can be written to
    points.flags.writeable = False
    cells = (
        np.atleast_1d(np.asarray(graph.cell_at(points), dtype=np.int64))
        if len(points)
        else np.zeros(0, dtype=np.int64)
    )
    if graph.mesh is None:
        return Stand(cells, points, np.zeros((len(points), 2), dtype=np.int64))
    portals, _ = portals_of(graph)
    places = np.empty((len(points), 2))
    plan = np.ascontiguousarray(graph.mesh.centers[:, :2])
    kernels.mesh_moving.nearest(portals.corners, portals.rings, read_only(cells), points, places)
    places += (plan[cells] - places) * kernels.sees.INWARDS
    return Stand(cells, points, portals.rounded(places))


def sees(
    graph: Graph, viewers: Floats, targets: Floats, limits: Floats, facings: Floats, narrow: float
) -> NDArray[np.bool_]:
    """Which viewers see which targets, (V, T); `limits` (V,) are squared distances, `facings` (V,
    2) or none.
    """
    return _look(
        graph, stand(graph, viewers), stand(graph, targets), limits, facings, narrow, own=False
    )


def counted(
    graph: Graph, viewers: Floats, limits: Floats, facings: Floats, narrow: float
) -> NDArray[np.int32]:
    """How many of the viewers see each open vertex, (N,) int32."""
    here = stand(graph, viewers)
    if graph.mesh is None:
        there = Stand(
            np.arange(len(graph)), graph.positions, np.zeros((len(graph), 2), dtype=np.int64)
        )
        seen = _look(graph, here, there, limits, facings, narrow, own=True)
        return np.where(graph.walls, 0, seen.sum(axis=0)).astype(np.int32)
    portals, shut = windows_of(graph)
    bands = pool.bands(len(viewers), len(viewers) * min(len(graph), _SEEN) // _PAIRS_PER_THREAD)
    counts = [np.zeros(len(graph), dtype=np.int32) for _ in bands]
    pool.run(
        [
            (
                kernels.sees.look_round,
                (
                    (portals.starts, portals.ends, portals.fine, shut),
                    portals.middles,
                    graph.walls,
                    graph.positions,
                    (here.cells, here.points, here.places, limits, facings),
                    portals.scale,
                    narrow,
                    low,
                    high,
                    share,
                ),
            )
            for (low, high), share in zip(bands, counts, strict=True)
        ]
    )
    for share in counts[1:]:
        counts[0] += share
    if graph.opaque is not graph.walls:
        doors = np.flatnonzero(graph.opaque & ~graph.walls)
        seen = _look(graph, here, _middles(graph, doors), limits, facings, narrow, own=True)
        counts[0][doors] = seen.sum(axis=0)
    return counts[0]


def _middles(graph: Graph, cells: NDArray[np.int64]) -> Stand:
    """The middles of the polygons of a mesh."""
    portals = portals_of(graph)[0]
    return Stand(cells, graph.positions[cells], portals.middles[cells])


class Outlook:
    """The view from vertices of a graph as it was at one moment."""

    def __init__(
        self,
        graph: Graph,
        walls: NDArray[np.bool_],
        closed: NDArray[np.bool_],
        opaque: NDArray[np.bool_],
    ) -> None:
        self._graph = graph
        self._walls = walls.view()
        self._walls.flags.writeable = False  # as those of a graph are
        self._doors = np.flatnonzero(opaque & ~walls)
        self._shut = None if graph.mesh is None else portals_of(graph)[0].shut(opaque, closed)

    def seen_from(self, cell: int, radius: float) -> NDArray[np.int64]:
        """The open vertices in sight of the middle of one, within `radius` world units,
        ascending.
        """
        graph, here = self._graph, self._graph.positions[cell]
        limit = radius * radius * (1 + 1e-9)
        if graph.mesh is None or self._shut is None:
            near = ((graph.positions - here) ** 2).sum(axis=1) <= limit
            return np.flatnonzero(near & ~self._walls)
        portals, _ = portals_of(graph)
        counts = np.zeros(len(graph), dtype=np.int32)
        kernels.sees.look_round(
            (portals.starts, portals.ends, portals.fine, self._shut),
            portals.middles,
            self._walls,
            graph.positions,
            (
                np.array([cell]),
                here[np.newaxis],
                portals.middles[cell : cell + 1],
                np.array([limit]),
                kernels.sees.NO_FACINGS,
            ),
            portals.scale,
            -2.0,
            0,
            1,
            counts,
        )
        if len(self._doors):
            viewer = Stand(np.array([cell]), here[np.newaxis], portals.middles[cell : cell + 1])
            mesh = (portals.starts, portals.ends, portals.fine, self._shut)
            doors, limits = _middles(graph, self._doors), np.array([limit])
            seen = _look_over(
                mesh, True, viewer, doors, limits, kernels.sees.NO_FACINGS, -2.0, True
            )
            counts[self._doors] = seen[0]
        return np.flatnonzero(counts)


def is_clear(graph: Graph, cell: int, place: Floats, target: int) -> bool:
    """Whether nothing on a mesh hides the middle of a polygon from a place (x, y) in another."""
    portals, shut = portals_of(graph)
    ops, ground = kernels.sees, (portals.starts, portals.ends, portals.fine, shut)
    (x0, y0), (x1, y1) = portals.rounded(place).tolist(), portals.middles[target].tolist()
    return bool(ops.between(ground, cell, x0, y0, target, x1, y1, *ops.scratch()))


def _look(
    graph: Graph,
    here: Stand,
    there: Stand,
    limits: Floats,
    facings: Floats,
    narrow: float,
    *,
    own: bool,
) -> NDArray[np.bool_]:
    has_mesh = graph.mesh is not None
    mesh: tuple[NDArray[Any], ...] = _NO_PORTALS
    if has_mesh:
        portals, shut = windows_of(graph)
        mesh = (portals.starts, portals.ends, portals.fine, shut)
    return _look_over(mesh, has_mesh, here, there, limits, facings, narrow, own)


def _look_over(
    mesh: tuple[NDArray[Any], ...],
    has_mesh: bool,
    here: Stand,
    there: Stand,
    limits: Floats,
    facings: Floats,
    narrow: float,
    own: bool,
) -> NDArray[np.bool_]:
    seen = np.zeros((len(here.cells), len(there.cells)), dtype=np.bool_)
    pool.run(
        [
            (
                kernels.sees.look_places,
                (
                    mesh,
                    (here.cells, here.points, here.places, limits, facings),
                    (there.cells, there.points, there.places),
                    has_mesh,
                    narrow,
                    own,
                    low,
                    high,
                    seen,
                ),
            )
            for low, high in pool.bands(len(seen), seen.size // _PAIRS_PER_THREAD)
        ]
    )
    return seen
