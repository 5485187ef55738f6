"""Who sees what on a graph."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import pool
from fieldcraft.kernels.reference import sightlines as reference
from fieldcraft.space.graph import Graph
from fieldcraft.space.portals import portals_of

__all__ = ["Stand", "counted", "is_clear", "lines", "sees", "stand"]

Floats = NDArray[np.float64]
_AT_ONCE = 4_000_000
_PAIRS_PER_THREAD = 1_000
_NO_PORTALS = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros((0, 4)), np.zeros(0, dtype=np.uint8))


@dataclass(frozen=True, eq=False)
class Stand:
    """Positions on a graph: their vertices (N,), themselves (N, 2 or 3), and where their lines of sight begin, (N, 2)."""

    cells: NDArray[np.int64]
    points: Floats
    places: Floats


def stand(graph: Graph, points: Floats) -> Stand:
    """Positions on a graph; raises `OutsideMap`."""
    cells = np.atleast_1d(np.asarray(graph.cell_at(points), dtype=np.int64)) if len(points) else np.zeros(0, dtype=np.int64)
    if graph.mesh is None:
        return Stand(cells, points, points[:, :2])
    portals, _ = portals_of(graph)
    places = np.empty((len(points), 2))
    plan = np.ascontiguousarray(graph.mesh.centres[:, :2])
    lines().settle(portals.corners, portals.rings, plan, cells, np.ascontiguousarray(points), places)
    return Stand(cells, points, places)


def lines() -> Any:
    """The kernels of lines of sight."""
    if not kernels.compiled():
        return reference
    from fieldcraft.kernels import sightlines

    return sightlines


def sees(graph: Graph, viewers: Floats, targets: Floats, limits: Floats, facings: Floats, narrow: float) -> NDArray[np.bool_]:
    """Which viewers see which targets, (V, T); `limits` (V,) are squared distances, `facings` (V, 2) or none."""
    return _look(graph, stand(graph, viewers), stand(graph, targets), limits, facings, narrow, own=False)


def counted(graph: Graph, viewers: Floats, limits: Floats, facings: Floats, narrow: float) -> NDArray[np.int32]:
    """How many of the viewers see each open vertex, (N,) int32."""
    counts = np.zeros(len(graph), dtype=np.int32)
    free = np.flatnonzero(~graph.walls)
    here = stand(graph, viewers)
    there = Stand(free, graph.positions[free], np.ascontiguousarray(graph.positions[free, :2]))
    at_once = max(1, _AT_ONCE // max(len(free), 1))
    for low in range(0, len(viewers), at_once):
        some = slice(low, low + at_once)
        part = Stand(here.cells[some], here.points[some], here.places[some])
        counts[free] += _look(graph, part, there, limits[some], facings[some], narrow, own=True).sum(axis=0, dtype=np.int32)
    return counts


def is_clear(graph: Graph, cell: int, place: Floats, target: int) -> bool:
    """Whether nothing on a mesh hides the middle of a polygon from a place (x, y) in another."""
    portals, shut = portals_of(graph)
    goal = graph.positions[target, :2].tolist()
    ops = lines()
    return bool(ops.between(portals.starts, portals.ends, portals.sides, shut, cell, *place.tolist(), target, *goal, *ops.scratch()))


def _look(graph: Graph, here: Stand, there: Stand, limits: Floats, facings: Floats, narrow: float, *, own: bool) -> NDArray[np.bool_]:
    seen = np.zeros((len(here.cells), len(there.cells)), dtype=np.bool_)
    has_mesh = graph.mesh is not None
    common: tuple[NDArray[Any], ...] = _NO_PORTALS
    if has_mesh:
        portals, shut = portals_of(graph)
        common = (portals.starts, portals.ends, portals.sides, shut)
    parts = max(1, min(pool.threads(), len(seen), seen.size // _PAIRS_PER_THREAD)) if kernels.compiled() else 1
    cuts = [len(seen) * part // parts for part in range(parts + 1)]
    pool.run(
        [
            (
                lines().look_places,
                (
                    *common, has_mesh, here.cells, here.points, here.places, limits, facings, narrow,
                    there.cells, there.points, there.places, own, low, high, seen,
                ),
            )
            for low, high in itertools.pairwise(cuts)
        ]
    )  # fmt: skip
    return seen
