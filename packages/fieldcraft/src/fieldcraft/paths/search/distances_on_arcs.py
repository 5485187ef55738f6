"""The search for distances over arcs: on graphs and meshes, and on every space for `charge="enter"`
and `outward`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Ints, read_only
from fieldcraft.kernels.shared.step_lists import Arcs
from fieldcraft.paths.cost import SAME_COST
from fieldcraft.paths.search.distances import DistanceSearch, SearchTask, Steps, incoming
from fieldcraft.space import GraphSnapshot, Grid, HexGrid, Snapshot, Space
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.cached import cached, cached_until_walls_change
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.space_saves import with_more_walls

CHARGES = ("mean", "enter")


@dataclass(frozen=True, eq=False)
class _Arcs:
    """Arcs in the order in which distances spread over them.

    Distances of vertex v spread over the arcs `starts[v]` up to `starts[v + 1]` to the vertices
    `receivers` (A,); `givers` (A,) are the vertices they spread from. `back_starts` and `back_arcs`
    list the arcs by receiver. `lengths` (A,) are in world units.
    """

    starts: Ints
    receivers: NDArray[np.int32]
    givers: NDArray[np.int32]
    back_starts: Ints
    back_arcs: Ints
    lengths: NDArray[np.float64]

    def reversed(self) -> _Arcs:
        """Return the same arcs reversed, in the order of the reversed search."""
        order = self.back_arcs
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return _Arcs(
            self.back_starts,
            np.ascontiguousarray(self.givers[order]),
            np.ascontiguousarray(self.receivers[order]),
            self.starts,
            rank,
            self.lengths[order],
        )


@cached
def _topology_arcs(space: Space) -> _Arcs:
    """Return the arcs of a graph, numbered as in its topology."""
    arcs = graph_of(space).topology
    return _Arcs(arcs.starts, arcs.origins, arcs.ends, *arcs.leaving, arcs.lengths)


@cached
def _topology_arcs_outward(space: Space) -> _Arcs:
    return _topology_arcs(space).reversed()


def _arcs_of(adjacency: Adjacency) -> _Arcs:
    """Return the steps of a grid, for distances that spread in the direction of walking."""
    origins = adjacency.origins.astype(np.int32)
    starts, _, order = incoming(adjacency)
    return _Arcs(adjacency.starts, adjacency.ends, origins, starts, order, adjacency.lengths)


@cached_until_walls_change
def _grid_arcs(space: Space) -> _Arcs:
    return _arcs_of(space.adjacency)


@cached
def _length_bounds(space: Space) -> tuple[float, float, float]:
    """Return the shortest, a typical and the longest step of a space."""
    if isinstance(space, Grid):
        lengths = np.array(space.neighborhood.lengths(space.cell_size))
        return float(lengths.min()), float(lengths.min()), float(lengths.max())
    lengths = graph_of(space).topology.lengths
    if not len(lengths):
        return 1.0, 1.0, 1.0
    return float(lengths.min()), float(np.median(lengths)), float(lengths.max())


class ArcSearch(DistanceSearch):
    """Distances over arcs, in float64.

    `charge` is "mean", the length of a step times the mean of its two cells' costs, or "enter", its
    length times the cost of the cell it ends in. With `outward` the distances are of walking from
    the goals. Along a path distances always grow, so a repair finds the arc of each distance.
    """

    def __init__(self, task: SearchTask) -> None:
        super().__init__(task)
        self.charge = task.charge
        self.outward = task.outward
        self._on_grid = isinstance(self.space, Grid)
        steady = self.charge == "mean" and not self.outward and self.costs.traffic is None
        self.repairable = not self._on_grid and steady
        if isinstance(self.space, HexGrid):
            # Neighbors are near each other in memory, which pays most where walls are opened.
            self.most_opened = 6.0
        elif len(self.space.adjacency.ends) < 4 * len(self.space):
            # On a mesh of triangles, say, a path has more cells.
            self.most_opened = 1.5
        self._sizes_ground: Snapshot | None = None
        self.costs_changed()

    def costs_changed(self) -> None:
        """See `DistanceSearch.costs_changed`."""
        costs = self.costs
        if costs.values is None or self.charge == "enter":
            self._cost = SAME_COST
        else:
            self._cost = read_only(np.asarray(costs.values))
        self._sizes_ground = None
        self._factors = self._traffic_factors()
        super().costs_changed()

    def _step_costs(self) -> tuple[float, float, float]:
        shortest, typical, longest = _length_bounds(self.space)
        least = self.costs.least
        greatest = self.costs.greatest * float(self._factors.max(initial=1.0))
        return shortest * least, typical * least, longest * greatest

    @cached_property
    def arcs(self) -> _Arcs:
        """The arcs of the snapshot; on a grid of the first snapshot."""
        if not self._on_grid:
            if self.outward:
                return _topology_arcs_outward(self.space)
            return _topology_arcs(self.space)
        if np.array_equal(self.ground.walls, self.space.walls.reshape(-1)):
            found = _grid_arcs(self.space)
        else:
            found = _arcs_of(adjacency_with_walls(self.space, self.ground.walls))
        if self.outward:
            return found
        return found.reversed()

    @property
    def _sizes(self) -> NDArray[np.float64]:
        """The costs of arcs, or half their lengths if cells have costs of their own."""
        if self._sizes_ground is not self.ground:
            arcs = self.arcs
            costs = self.costs
            sizes = arcs.lengths
            if isinstance(self.ground, GraphSnapshot):
                sizes = self.ground.sizes
                if self.outward:
                    sizes = sizes[_topology_arcs(self.space).back_arcs]
            if costs.values is not None and self.charge == "enter":
                entered = arcs.receivers if self.outward else arcs.givers
                # Not inf * 0, where the cost of a wall is 0.
                open_sizes = arcs.lengths * costs.values[entered]
                sizes = np.where(sizes == np.inf, np.inf, open_sizes)
            elif costs.factor != 1:
                sizes = sizes * costs.factor
            if costs.traffic is not None:
                sizes = sizes * self._factors
            self._known_sizes = read_only(np.ascontiguousarray(sizes))
            self._sizes_ground = self.ground
        return self._known_sizes

    def _traffic_factors(self) -> NDArray[np.float64]:
        """Return the factors of the costs of steps against the traffic; one 1 without traffic."""
        if self.costs.traffic is None:
            return SAME_COST
        arcs = self.arcs
        if self.outward:
            return self.costs.traffic.factors(arcs.givers, arcs.receivers)
        return self.costs.traffic.factors(arcs.receivers, arcs.givers)

    @property
    def steps(self) -> Steps:
        """See `DistanceSearch.steps`."""
        arcs = self.arcs
        ends = Arcs(arcs.starts, arcs.receivers, arcs.back_starts, arcs.back_arcs, arcs.givers)
        return ends, None, self._sizes, self._cost

    def cut_off(self, walls: Ints) -> Ints:
        """See `DistanceSearch.cut_off`."""
        if self.repairable:
            return super().cut_off(walls)
        search = ArcSearch(replace(self.task, ground=self.ground.walled(self.space, walls)))
        search.settle()
        return np.flatnonzero(np.isfinite(self.dist) & ~np.isfinite(search.dist))

    def minima(self, heights: NDArray[np.float64]) -> Ints:
        """See `DistanceSearch.minima`."""
        if self.outward:
            raise InvalidValue(
                "A flee map needs distances to the danger",
                got="a map with outward=True",
                remedy="Make the distance map without outward",
            )
        return super().minima(heights)

    def descend(self, cell: int) -> tuple[Ints, float]:
        """See `DistanceSearch.descend`."""
        path, length = super().descend(cell)
        if self.outward:
            path = path[::-1].copy()
        return path, length

    def _length(self, taken: Ints) -> float:
        return float(self.arcs.lengths[taken].sum())

    def steps_down(self, cells: Ints) -> tuple[Ints, Ints]:
        """Return the cell after each one on its shortest path, and the arc there; -1 at an end."""
        following = np.empty_like(cells)
        taken = np.empty_like(cells)
        kernels.distances.distance_search.downhill(
            *self.steps, self.dist, cells, self.far, 0, following, taken
        )
        return following, taken


def adjacency_with_walls(space: Space, walls: NDArray[np.bool_]) -> Adjacency:
    """Return the steps of a space with these walls; on a grid walls by infinite cost have corners
    too.
    """
    if not isinstance(space, Grid) or np.array_equal(walls, space.walls.reshape(-1)):
        return space.adjacency
    return with_more_walls(space, walls).adjacency
