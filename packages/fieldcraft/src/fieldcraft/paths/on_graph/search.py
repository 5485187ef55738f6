"""Shortest paths on graphs and meshes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import frozen
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.on_graph.doors import OpenDoors, open_doors
from fieldcraft.paths.on_graph.strings import ends_in, pulled, taut
from fieldcraft.paths.prices import Prices
from fieldcraft.paths.route import Path, no_path
from fieldcraft.paths.standing import standing
from fieldcraft.space import Graph, GraphSnapshot, Space
from fieldcraft.space.topology import Topology
from fieldcraft.space.ways import kept

__all__ = ["shortest_path", "shortest_paths"]

_PER_CHUNK = 8  # problems that a thread takes at a time
_HAIR = 1 - 1e-9  # what bounds are shorter, so that roundings keep them below the ways they bound
_EVEN = frozen(np.ones(1))


def shortest_path(
    space: Space, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool
) -> Path:
    """See `paths.search.shortest_path`."""
    task = _Task.of(space, cost, smooth)
    ends = []
    for what, place in (("start", start), ("goal", goal)):
        points, single = checks.positions(place, dimensions=space.dimensions)
        if not single:
            raise InvalidValue(
                f"{what} is one position",
                got=f"an array of shape {np.shape(place)}",
                remedy="Call shortest_paths for many",
            )
        cells, _ = standing(space, task.ground.walls, what, points)
        ends.append((points[0], int(cells[0])))
    scratch = _take(space.graph)
    path = task.solve(*ends[0], *ends[1], scratch)
    _give(space.graph, scratch)
    return path


def shortest_paths(
    space: Space, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool
) -> list[Path]:
    """See `paths.search.shortest_paths`."""
    task = _Task.of(space, cost, smooth)
    (from_points, one_start), (to_points, one_goal) = (
        checks.positions(points, dimensions=space.dimensions) for points in (starts, goals)
    )
    if not one_start and not one_goal and len(from_points) != len(to_points):
        raise InvalidValue(
            "There are as many goals as starts, or one for all",
            got=f"{len(from_points)} starts and {len(to_points)} goals",
            remedy="Pass one goal per start, or one position",
        )
    count = len(to_points) if one_start else len(from_points)
    sides = []
    for what, points in (("start", from_points), ("goal", to_points)):
        cells = (
            standing(space, task.ground.walls, what, points)[0]
            if len(points)
            else np.empty(0, dtype=np.int64)
        )
        sides += [np.broadcast_to(points, (count, space.dimensions)), np.broadcast_to(cells, count)]
    paths = [no_path(space)] * count
    chunks = (
        itertools.count()
    )  # the next one for whichever thread is free; taking a number is atomic

    def work() -> None:
        scratch = _take(space.graph)
        while (first := next(chunks) * _PER_CHUNK) < count:
            for i in range(first, min(first + _PER_CHUNK, count)):
                paths[i] = task.solve(
                    sides[0][i], int(sides[1][i]), sides[2][i], int(sides[3][i]), scratch
                )
        _give(space.graph, scratch)

    pool.run([(work, ())] * pool.shares(-(-count // _PER_CHUNK)))
    return paths


@dataclass(frozen=True, eq=False)
class _Task:
    """The part that all searches of one call share."""

    space: Space
    ground: GraphSnapshot
    prices: Prices
    sizes: NDArray[np.float64]
    scale: float
    smooth: bool

    @classmethod
    def of(cls, space: Space, cost: Cost, smooth: bool) -> _Task:
        if smooth and space.graph.mesh is None:
            raise InvalidValue(
                "Straight legs need to know what lies between two places: a mesh",
                got=f"smooth=True on {space!r}",
                remedy="Pass smooth=False: waypoints are walked from one to the next",
            )
        prices = Prices(space, cost)
        ground = GraphSnapshot.of(space, prices.shut)
        share, least = (
            (0.5, prices.least) if prices.uniform is None else (prices.uniform, prices.uniform)
        )
        sizes = frozen(ground.sizes if share == 1 else ground.sizes * share)
        return cls(
            space,
            ground,
            prices,
            sizes,
            _straightness(space.graph.topology) * least * _HAIR,
            smooth,
        )

    def solve(
        self,
        start: NDArray[np.float64],
        here: int,
        goal: NDArray[np.float64],
        there: int,
        scratch: list[Any],
    ) -> Path:
        space, graph = self.space, self.space.graph
        topology = graph.topology
        parts = _parts.get(graph)
        if (
            parts is not None
            and parts[0] == graph.walls_version
            and parts[1][here] != parts[1][there]
        ):
            return no_path(space)
        ends = (
            ends_in(space, np.array([here, there]), np.stack([start, goal]))
            if self.smooth
            else None
        )
        exact = None
        if ends is not None and self.prices.uniform is not None:
            exact = self._straight(ends, here, there)
            doors = open_doors(graph)
            if graph.dimensions == 2 and not doors.leaps:
                return exact or self._nowhere(parts)
        costs = _EVEN if self.prices.costs is None else frozen(self.prices.costs)
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
            return self._nowhere(parts)
        cells = scratch[0][:count].copy()
        if ends is not None:
            string = pulled(space, cells, ends, self.prices)
            return string if exact is None or string.cost < exact.cost else exact
        cells.flags.writeable = False
        length = float(topology.lengths[topology.arcs_between(cells[:-1], cells[1:])].sum())
        return Path(space, cells, length, float(cost))

    def _straight(self, ends: NDArray[np.float64], here: int, there: int) -> Path | None:
        """The shortest way seen from above that leaps over no gap, if there is one."""
        doors = open_doors(self.space.graph)
        scratch = _take_rays(doors)
        passed, length = kernels.any_angle.search(
            *doors.arrays, here, there, *ends.reshape(-1).tolist(), *scratch
        )
        _rays.setdefault(doors, []).append(scratch)
        if length == math.inf:
            return None
        cells = np.concatenate([[here], doors.behind[passed]]).astype(np.int64)
        return taut(self.space, cells, ends, self.prices)

    def _nowhere(self, parts: tuple[int, NDArray[np.int64]] | None) -> Path:
        graph = self.space.graph
        if parts is None or parts[0] != graph.walls_version:
            _parts[graph] = (
                graph.walls_version,
                graph.parts(),
            )  # what lies apart is known from now on
        return no_path(self.space)


_parts: WeakKeyDictionary[Graph, tuple[int, NDArray[np.int64]]] = WeakKeyDictionary()
_free: WeakKeyDictionary[Graph, list[list[Any]]] = WeakKeyDictionary()


_rays: WeakKeyDictionary[OpenDoors, list[list[Any]]] = WeakKeyDictionary()


def _take_rays(doors: OpenDoors) -> list[Any]:
    """Scratch for one any-angle search at a time."""
    try:
        return _rays.setdefault(doors, []).pop()
    except IndexError:
        return doors.room()


def _take(graph: Graph) -> list[Any]:
    """Scratch for one search at a time; bring it back by `_give`, except after an error."""
    try:
        return _free.setdefault(graph, []).pop()
    except IndexError:
        return list(kernels.graph_search.room(len(graph)))


def _give(graph: Graph, scratch: list[Any]) -> None:
    _free.setdefault(graph, []).append(scratch)


@kept
def _straightness(topology: Topology) -> float:
    """The least that an arc's length is beside the straight distance: 1 on most graphs, less where
    shortcuts lead through the air.
    """
    places = topology.positions
    straight = np.sqrt(((places[topology.ends] - places[topology.origins]) ** 2).sum(axis=1))
    some = straight > 0
    least = float((topology.lengths[some] / straight[some]).min(initial=math.inf))
    return least if least < math.inf else 0.0
