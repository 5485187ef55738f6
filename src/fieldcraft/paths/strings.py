"""Paths over meshes, pulled taut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths.graph_kernels import searches as kernels_of_searches
from fieldcraft.paths.prices import Prices
from fieldcraft.paths.route import Path
from fieldcraft.space import Graph
from fieldcraft.space.floors import Floors, floors_of, kernel

__all__ = ["pulled"]

_EVEN_GROUND = 1e-9  # how far off a straight line a place may be and not be a bend, in shares of its length

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]


def pulled(graph: Graph, cells: Ints, start: Wide, goal: Wide, prices: Prices) -> Path:
    """The path from a start to a goal over these polygons, as straight as their doors allow.

    On ground of several prices the way over the middles of the doors is taken instead where it costs less.
    """
    floors = floors_of(graph)
    ends = np.empty((2, 2))
    _onto(floors, np.array([cells[0], cells[-1]]), np.stack([start[:2], goal[:2]]), ends)
    corridor = _corridor(floors, cells)
    doors = corridor.doors
    at, bends = np.empty((len(doors), 2)), np.empty(len(doors), dtype=np.bool_)
    kernels_of_searches().pull(doors, *ends[0].tolist(), *ends[1].tolist(), at, bends)
    path = _measured(graph, cells, corridor, ends, at, bends, prices)
    if prices.uniform is None and len(doors):
        middles = (doors[:, :2] + doors[:, 2:]) / 2
        other = _measured(graph, cells, corridor, ends, middles, np.ones(len(doors), dtype=np.bool_), prices)
        if other.cost < path.cost:
            return other
    return path


def _corridor(floors: Floors, cells: Ints) -> _Corridor:
    """The doors between polygons; a leap lands in one without width."""
    doors = floors.doors
    found: list[tuple[float, ...]] = []
    stood: list[int] = []
    behind: list[int] = []
    x, y = doors.middles[cells[0]].tolist()
    for here, there in zip(cells[:-1].tolist(), cells[1:].tolist(), strict=True):
        first, last = int(doors.starts[here]), int(doors.starts[here + 1])
        some = first + np.flatnonzero((doors.behind[first:last] == there) & ~floors.shut[first:last])
        middles = (doors.sides[some, :2] + doors.sides[some, 2:]) / 2
        door = int(some[np.argmin((middles[:, 0] - x) ** 2 + (middles[:, 1] - y) ** 2)])
        ux, uy, vx, vy = doors.sides[door].tolist()
        found.append((vx, vy, ux, uy))
        x, y = (ux + vx) / 2, (uy + vy) / 2
        stood.append(here if doors.leaps[door] else there)
        behind.append(there)
        if doors.leaps[door]:
            landing = np.empty((1, 2))
            _onto(floors, np.array([there]), np.array([[x, y]]), landing)
            x, y = landing[0].tolist()
            found.append((x, y, x, y))
            stood.append(there)
            behind.append(there)
    return _Corridor(np.array(found).reshape(-1, 4), np.array(stood, dtype=np.int64), np.array(behind, dtype=np.int64))


def _onto(floors: Floors, cells: Ints, places: Wide, out: Wide) -> None:
    """Places, or the nearest of their polygons."""
    doors = floors.doors
    nowhere, count = np.zeros((len(cells), 2)), len(cells)
    kernel().move(
        *floors.rings, *floors.gates, doors.leaps, np.empty(0, dtype=np.int64), cells, places, nowhere, 0, count, out, np.empty_like(cells)
    )


@dataclass(frozen=True, eq=False)
class _Corridor:
    """The doors on a way, (M, 4) as (left, right); the polygons in which one stands there, (M,); and those behind them, (M,)."""

    doors: Wide
    stood: Ints
    behind: Ints


def _measured(graph: Graph, cells: Ints, corridor: _Corridor, ends: Wide, at: Wide, bends: NDArray[np.bool_], prices: Prices) -> Path:
    """The path through these places in doors; of those that are no bends only the ones where the ground rises or falls are kept."""
    plan = np.concatenate([ends[:1], at, ends[1:]])
    within = np.concatenate([cells[:1], corridor.behind])
    kept = np.concatenate([[True], bends, [True]])
    places = plan
    if graph.dimensions == 3:
        assert graph.mesh is not None
        heights = np.empty(len(plan))
        stood = np.concatenate([cells[:1], corridor.stood, cells[-1:]])
        kernel().heights(floors_of(graph).doors.fans, graph.mesh.triangles, graph.mesh.corners, stood, plan, heights)
        places = np.concatenate([plan, heights[:, np.newaxis]], axis=1)
        kept |= _bent(places)
    legs = np.sqrt((np.diff(places, axis=0) ** 2).sum(axis=1))
    length = float(legs.sum())
    cost = length * prices.uniform if prices.uniform is not None else float((legs * prices.costs[within]).sum())  # type: ignore[index]
    turned, bend_cells = places[kept], np.append(within, cells[-1])[kept]
    turned.flags.writeable = bend_cells.flags.writeable = False
    return Path(graph, bend_cells, length, cost, turned)


def _bent(places: Wide) -> NDArray[np.bool_]:
    """Which of the places between the first and the last are higher or lower than the straight line past them."""
    found = np.zeros(len(places), dtype=np.bool_)
    last = 0
    for k in range(1, len(places) - 1):
        here, there = (float(np.hypot(*(places[b, :2] - places[a, :2]))) for a, b in ((last, k), (k, k + 1)))
        share = here / (here + there) if here + there > 0 else 0.0
        level = places[last, 2] + share * (places[k + 1, 2] - places[last, 2])
        if abs(places[k, 2] - level) > _EVEN_GROUND * (1 + here + there):
            found[k] = True
            last = k
    return found
