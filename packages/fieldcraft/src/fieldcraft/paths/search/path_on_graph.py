"""Shortest paths on hexagons, graphs and meshes."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats, read_only
from fieldcraft.paths.cost import SAME_COST, CellCosts, Cost
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.search.path_on_mesh import OpenPortals, ends_in, open_portals, pulled
from fieldcraft.paths.search.path_problem import PathProblem
from fieldcraft.space import Graph, GraphSnapshot, Space
from fieldcraft.space.cached import cached
from fieldcraft.space.graph.topology import Topology
from fieldcraft.space.kinds import graph_of

# Bounds are shortened by this factor, so that rounding keeps them below the paths they bound.
_SHORTENED = 1 - 1e-9


class GraphProblem(PathProblem):
    """Shortest paths over the arcs of a graph."""

    def __init__(self, space: Space, cost: Cost, smooth: bool) -> None:
        if smooth and graph_of(space).mesh is None:
            raise InvalidValue(
                "Straight legs need a mesh",
                got=f"smooth=True on {space!r}",
                remedy="Pass smooth=False: agents walk from waypoint to waypoint",
            )
        self.space = space
        self.smooth = smooth
        costs = CellCosts(space, cost)
        self.costs = costs
        ground = GraphSnapshot.of(space, costs.walls)
        self.walls = ground.walls
        sizes = ground.sizes
        if costs.factor != 1:
            sizes = sizes * costs.factor
        self._sizes = read_only(sizes)
        self._scale = _straightness(graph_of(space).topology) * costs.least * _SHORTENED

    def solve(self, start: Floats, here: int, goal: Floats, there: int) -> Path:
        """See `PathProblem.solve`."""
        space = self.space
        graph = graph_of(self.space)
        costs = self.costs
        topology = graph.topology
        parts = _parts(graph).get(graph.walls_version)
        if parts is not None and parts[here] != parts[there]:
            return no_path(space)
        ends = None
        exact = None
        if self.smooth:
            ends = ends_in(space, np.array([here, there]), np.stack([start, goal]))
        if ends is not None and costs.uniform is not None:
            exact = self._straight(ends, here, there)
            if graph.dimensions == 2 and not open_portals(graph).leaps:
                if exact is None:
                    return self._not_connected()
                return exact
        if costs.values is None:
            values = SAME_COST
        else:
            values = read_only(costs.values)
        free = _free_scratch(graph)
        scratch = _take(free, lambda: kernels.paths.graph_search.scratch(len(space)))
        arcs = kernels.paths.graph_search.PathGraph(
            topology.starts, topology.origins, topology.ends, self._sizes, values
        )
        count, cost = kernels.paths.graph_search.search(
            arcs,
            self.walls,
            topology.positions,
            self._scale,
            here,
            there,
            scratch,
        )
        cells = scratch[0][:count].copy()
        free.append(scratch)
        if not count:
            return self._not_connected()
        length = float(topology.lengths[topology.arcs_between(cells[:-1], cells[1:])].sum())
        first_cost = partial(costs.of_step, charge="mean")
        stepped = Path.over_cells(space, cells, length, float(cost), start, first_cost)
        if ends is None:
            return stepped
        path = pulled(space, cells, ends, costs)
        if exact is not None and exact.cost <= path.cost:
            path = exact
        # Edges of 3D meshes may leave the ground, and be shorter than what follows it.
        ends_there = goal.tolist() == topology.positions[there].tolist()
        if ends_there and stepped.cost < path.cost * _SHORTENED:
            return stepped
        return path

    def _straight(self, ends: Floats, here: int, there: int) -> Path | None:
        """Return the shortest path, seen from above, without gaps, if there is one."""
        portals = open_portals(graph_of(self.space))
        scratch = _take(_free_rays(portals), portals.scratch)
        passed, length = kernels.paths.any_angle.search(
            portals.mesh,
            portals.tree,
            here,
            there,
            tuple(map(tuple, ends[:, :2].tolist())),
            scratch,
        )
        _free_rays(portals).append(scratch)
        if length == math.inf:
            return None
        cells = np.concatenate([[here], portals.behind[passed]]).astype(np.int64)
        return pulled(self.space, cells, ends, self.costs)

    def _not_connected(self) -> Path:
        """Find the parts of the graph, so that later calls need no search; return no path."""
        graph = graph_of(self.space)
        parts = _parts(graph)
        if graph.walls_version not in parts:
            parts.clear()
            parts[graph.walls_version] = graph.parts()
        return no_path(self.space)


@cached
def _parts(graph: Graph) -> dict[int, NDArray[np.int64]]:
    """Return the connected parts of a graph by the version of its walls, filled when needed."""
    return {}


@cached
def _free_scratch(graph: Graph) -> list[list[Any]]:
    """Return the free scratch of searches on a graph."""
    return []


@cached
def _free_rays(portals: OpenPortals) -> list[list[Any]]:
    """Return the free scratch of any-angle searches."""
    return []


def _take(free: list[list[Any]], make: Any) -> list[Any]:
    """Return scratch for one search at a time."""
    try:
        return free.pop()
    except IndexError:
        return list(make())


@cached
def _straightness(topology: Topology) -> float:
    """Return the least ratio of an arc's length to the straight distance: 1 on most graphs, less
    with shortcuts.
    """
    places = topology.positions
    straight = np.sqrt(((places[topology.ends] - places[topology.origins]) ** 2).sum(axis=1))
    some = straight > 0
    least = float((topology.lengths[some] / straight[some]).min(initial=math.inf))
    if least == math.inf:
        return 0.0
    return least
