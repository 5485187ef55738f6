"""Shortest paths on hexagons, graphs and meshes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import frozen
from fieldcraft.paths.cost import CellCosts, Cost
from fieldcraft.paths.mesh_doors import OpenDoors, open_doors
from fieldcraft.paths.mesh_strings import ends_in, pulled, taut
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.places import resolve_pairs
from fieldcraft.space import Graph, GraphSnapshot, Space
from fieldcraft.space.topology import Topology
from fieldcraft.space.ways import kept

__all__ = ["shortest_path", "shortest_paths"]

_PER_CHUNK = 8  # problems that a thread takes at a time
# Bounds are shortened by this factor, so that rounding keeps them below the paths they bound.
_SHORTENED = 1 - 1e-9
_EVEN = frozen(np.ones(1))


def shortest_path(
    space: Space, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool, on_wall: str
) -> Path:
    """See `fieldcraft.shortest_path`."""
    for what, place in (("start", start), ("goal", goal)):
        if not checks.positions(place, dimensions=space.dimensions)[1]:
            raise InvalidValue(
                f"{what} is one position",
                got=f"an array of shape {np.shape(place)}",
                remedy="Call shortest_paths for many",
            )
    return shortest_paths(space, start, goal, cost, smooth, on_wall)[0]


def shortest_paths(
    space: Space, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool, on_wall: str
) -> list[Path]:
    """See `fieldcraft.shortest_paths`."""
    problem = _Problem.of(space, cost, smooth)
    walls = problem.ground.walls
    from_, here, to, there = resolve_pairs(space, walls, starts, goals, on_wall)
    if on_wall == "nearest":
        from_, to = _moved(space, from_, here), _moved(space, to, there)
    count = len(here)
    paths = [no_path(space)] * count
    chunks = itertools.count()  # taking a number is atomic

    def work() -> None:
        scratch = _take(_free_scratch(space.graph), lambda: kernels.graph_search.room(len(space)))
        while (first := next(chunks) * _PER_CHUNK) < count:
            for i in range(first, min(first + _PER_CHUNK, count)):
                paths[i] = problem.solve(from_[i], int(here[i]), to[i], int(there[i]), scratch)
        _free_scratch(space.graph).append(scratch)

    pool.run([(work, ())] * pool.shares(-(-count // _PER_CHUNK)))
    return paths


def _moved(
    space: Space, places: NDArray[np.float64], cells: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the places, or the positions of their cells where they lie in other ones."""
    outside = np.atleast_1d(space.cell_at(places)) != cells
    return np.where(outside[:, np.newaxis], space.position_of(cells), places)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The part that all searches of one call share."""

    space: Space
    ground: GraphSnapshot
    costs: CellCosts
    sizes: NDArray[np.float64]
    scale: float
    smooth: bool

    @classmethod
    def of(cls, space: Space, cost: Cost, smooth: bool) -> _Problem:
        """Read the costs."""
        if smooth and space.graph.mesh is None:
            raise InvalidValue(
                "Straight legs need to know what lies between two places: a mesh",
                got=f"smooth=True on {space!r}",
                remedy="Pass smooth=False: agents walk from waypoint to waypoint",
            )
        costs = CellCosts(space, cost)
        ground = GraphSnapshot.of(space, costs.walls)
        share = costs.uniform or 0.5
        sizes = frozen(ground.sizes if share == 1 else ground.sizes * share)
        scale = _straightness(space.graph.topology) * costs.least * _SHORTENED
        return cls(space, ground, costs, sizes, scale, smooth)

    def solve(
        self,
        start: NDArray[np.float64],
        here: int,
        goal: NDArray[np.float64],
        there: int,
        scratch: list[Any],
    ) -> Path:
        """Return the path between two positions in two vertices."""
        space, graph = self.space, self.space.graph
        topology = graph.topology
        parts = _parts(graph)
        if (known := parts.get(graph.walls_version)) is not None and known[here] != known[there]:
            return no_path(space)
        ends = None
        if self.smooth:
            ends = ends_in(space, np.array([here, there]), np.stack([start, goal]))
        exact = None
        if ends is not None and self.costs.uniform is not None:
            exact = self._straight(ends, here, there)
            if graph.dimensions == 2 and not open_doors(graph).leaps:
                return exact or self._nowhere()
        costs = _EVEN if self.costs.values is None else frozen(self.costs.values)
        count, cost = kernels.graph_search.search(
            topology.starts,
            topology.origins,
            topology.ends,
            self.sizes,
            costs,
            self.ground.walls,
            topology.positions,
            self.scale,
            here,
            there,
            *scratch,
        )
        if not count:
            return self._nowhere()
        cells = scratch[0][:count].copy()
        if ends is not None:
            string = pulled(space, cells, ends, self.costs)
            return string if exact is None or string.cost < exact.cost else exact
        length = float(topology.lengths[topology.arcs_between(cells[:-1], cells[1:])].sum())
        first_cost = self.costs.uniform or float(costs[cells[:2]].mean())
        return Path.over_cells(space, cells, length, float(cost), start, first_cost)

    def _straight(self, ends: NDArray[np.float64], here: int, there: int) -> Path | None:
        """Return the shortest path seen from above that leaps over no gap, if there is one."""
        doors = open_doors(self.space.graph)
        scratch = _take(_free_rays(doors), doors.room)
        passed, length = kernels.any_angle.search(
            *doors.arrays, here, there, *ends.reshape(-1).tolist(), *scratch
        )
        _free_rays(doors).append(scratch)
        if length == math.inf:
            return None
        cells = np.concatenate([[here], doors.behind[passed]]).astype(np.int64)
        return taut(self.space, cells, ends, self.costs)

    def _nowhere(self) -> Path:
        graph, parts = self.space.graph, _parts(self.space.graph)
        if graph.walls_version not in parts:
            parts.clear()
            parts[graph.walls_version] = graph.parts()  # later calls know what is not connected
        return no_path(self.space)


@kept
def _parts(graph: Graph) -> dict[int, NDArray[np.int64]]:
    """Return the connected parts of a graph by the version of its walls, filled when needed."""
    return {}


@kept
def _free_scratch(graph: Graph) -> list[list[Any]]:
    """Return the scratch that searches on a graph have left."""
    return []


@kept
def _free_rays(doors: OpenDoors) -> list[list[Any]]:
    """Return the scratch that any-angle searches have left."""
    return []


def _take(free: list[list[Any]], make: Any) -> list[Any]:
    """Return scratch for one search at a time."""
    try:
        return free.pop()
    except IndexError:
        return list(make())


@kept
def _straightness(topology: Topology) -> float:
    """Return the least ratio of an arc's length to the straight distance: 1 on most graphs, less
    with shortcuts.
    """
    places = topology.positions
    straight = np.sqrt(((places[topology.ends] - places[topology.origins]) ** 2).sum(axis=1))
    some = straight > 0
    least = float((topology.lengths[some] / straight[some]).min(initial=math.inf))
    return least if least < math.inf else 0.0
