"""Distances by other charges than the mean of two cells, and distances that run outward from where
they begin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.paths.prices import Prices
from fieldcraft.space import Snapshot, Space, Ways
from fieldcraft.space.apart import apart, together

__all__ = ["CHARGES", "ChargedDistances", "Rule", "ways_at"]

CHARGES = ("mean", "enter")
_SLACK = 1e-9  # a limit is met to one part in so many, so that 0.3 is three cells of 0.1
_EVERYWHERE = np.empty(0, dtype=np.int64)


class Rule:
    """The rule by which a step is charged, and the direction of the walk.

    `charge` is "mean", the length of the step times the mean of its two cells' costs, or "enter",
    its length times the cost of the cell that it ends in. `outward` says that one walks from the
    goals, not to them.
    """

    def __init__(self, charge: str, outward: bool) -> None:
        self.charge, self.outward = charge, outward

    @property
    def is_usual(self) -> bool:
        """Whether the searches made for it can answer."""
        return self.charge == "mean" and not self.outward

    def price(
        self,
        prices: Prices,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        lengths: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """The costs of steps that are walked from cells to cells."""
        if prices.costs is None:
            return lengths * (prices.uniform or 1.0)
        if self.charge == "enter":
            return np.asarray(lengths * prices.costs[ends])
        return np.asarray((lengths * 0.5) * (prices.costs[starts] + prices.costs[ends]))


class ChargedDistances:
    """Distances to the nearest of some goals, or outward from them, over the steps of any space, by
    a rule of one's own.

    What `Distances` is for grids and the usual rule: nothing is searched before `settle`, and then
    all of it, by SciPy's Dijkstra.
    """

    mendable = False

    def __init__(
        self,
        ground: Snapshot,
        prices: Prices,
        goals: NDArray[np.int64],
        start_costs: NDArray[np.float64],
        limit: float,
        rule: Rule,
    ) -> None:
        self.space: Space = prices.space
        self.ground, self.prices, self.goals, self.start_costs, self.rule = (
            ground,
            prices,
            goals,
            start_costs,
            rule,
        )
        self.finished = False
        self._limit = limit * (1 + _SLACK)
        self._ways: Ways = ways_at(self.space, ground.walls)
        self.dist: NDArray[np.float64] = np.empty(0)

    @property
    def links(self) -> NDArray[Any]:
        """The steps that the distances keep to, as `Grid.links` in its shape, or by arc of a
        graph.
        """
        links = self.ground.links
        return links.reshape(self.space.shape) if "grid" in self.space.forms else links

    def fit(self) -> None:
        """Prices are looked up when the search begins."""

    def settle(self, until: NDArray[np.int64] = _EVERYWHERE) -> None:
        """Search to the end."""
        if not self.finished:
            self.dist = self._searched(self.ground.walls)
            self.finished = True

    def _searched(self, walls: NDArray[np.bool_]) -> NDArray[np.float64]:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        count = len(walls)
        starts, ends, sizes = self._steps(walls)
        from_, to = (starts, ends) if self.rule.outward else (ends, starts)
        goals = ~walls[self.goals]
        if not goals.any():
            return np.full(count, np.inf)
        # One vertex more, before the goals. What they begin with is counted from 1 on, as a step of
        # 0 is none to SciPy.
        begun = float(self.start_costs.any())
        from_ = np.concatenate([from_, np.full(np.count_nonzero(goals), count)])
        to = np.concatenate([to, self.goals[goals]])
        sizes = np.concatenate([sizes, 1.0 + self.start_costs[goals]])
        # Of two steps between the same cells, as on a narrow torus, the cheaper one counts.
        order = np.lexsort((sizes, to, from_))
        same = (np.diff(from_[order]) == 0) & (np.diff(to[order]) == 0)
        order = order[np.concatenate([[True], ~same])]
        steps = csr_array((sizes[order], (from_[order], to[order])), shape=(count + 1, count + 1))
        if begun:
            return np.asarray(dijkstra(steps, indices=count, limit=self._limit + 1.0)[:count] - 1.0)
        return np.asarray(
            dijkstra(
                steps[:count, :count], indices=self.goals[goals], min_only=True, limit=self._limit
            )
        )

    def _steps(
        self, walls: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The steps between cells that are no walls, from where to where, and what each costs."""
        ways = self._ways if walls is self.ground.walls else ways_at(self.space, walls)
        starts, ends = ways.origins, ways.ends.astype(np.int64)
        open_ = ~(walls[starts] | walls[ends])
        starts, ends = starts[open_], ends[open_]
        return starts, ends, self.rule.price(self.prices, starts, ends, ways.lengths[open_])

    def mend(self, version: int, changed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Not offered: `mendable` says so."""
        raise NotImplementedError

    def cut_off(self, walls: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `Distances.cut_off`."""
        there = self._searched(self.ground.walled(self.space, walls).walls)
        return np.flatnonzero(np.isfinite(self.dist) & ~np.isfinite(there))

    def summits(self, heights: NDArray[np.float64]) -> NDArray[np.int64]:
        """The open cells, ascending, of which no neighbour's height and the step to it add up to
        less than their own.
        """
        if self.rule.outward:
            raise InvalidValue(
                "One flees from a map of how far it is to danger",
                got="a map with outward=True",
                remedy="Make it without outward",
            )
        starts, ends, sizes = self._steps(self.ground.walls)
        lower = np.zeros(len(heights), dtype=np.bool_)
        lower[starts[heights[ends] + sizes < heights[starts]]] = True
        return np.flatnonzero(~lower & ~self.ground.walls)

    def show(self, values: NDArray[np.float32], cells: NDArray[np.int64] | None = None) -> None:
        """Write the distances, all or those of some cells, into `values`, flat; inf on walls."""
        some = slice(None) if cells is None else cells
        values[some] = self.measured(some)

    def measured(self, cells: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """The distances of cells in world units, times cost; inf on walls."""
        found: NDArray[np.float64] = self.dist[cells].copy()
        found[self.ground.walls[cells]] = np.inf
        return found

    def descend(self, cell: int) -> tuple[NDArray[np.int64], float]:
        """The way between a settled cell and its goal, as it is walked, and its length in world
        units.
        """
        starts, ends, sizes = self._steps(self.ground.walls)
        here, there = (ends, starts) if self.rule.outward else (starts, ends)
        order = np.argsort(here, kind="stable")
        first = np.searchsorted(here[order], np.arange(len(self.dist) + 1))
        way = [cell]
        while True:
            arcs = order[first[cell] : first[cell + 1]]
            onward = arcs[self._leads(self.dist[cell], self.dist[there[arcs]], sizes[arcs])]
            if not len(onward):
                break
            cell = int(there[onward[np.argmin(self.dist[there[onward]] + sizes[onward])]])
            way.append(cell)
        walked = np.array(way[::-1] if self.rule.outward else way, dtype=np.int64)
        return walked, float(_lengths(self._ways, walked).sum())

    @staticmethod
    def _leads(
        here: NDArray[np.float64] | np.float64,
        there: NDArray[np.float64],
        sizes: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Which steps lie on a shortest way; none does at a goal."""
        return np.asarray((there < here) & (there + sizes <= here * (1 + _SLACK)))

    def nexts(self, taken: NDArray[np.int64], vertices: NDArray[np.int64] | None = None) -> None:
        """Write the arc of the graph's topology that `descend` takes from each vertex, or each of
        some, into `taken`; -1 where it ends.
        """
        starts, ends, sizes = self._steps(self.ground.walls)
        onward = self._leads(self.dist[starts], self.dist[ends], sizes)
        starts, ends, sizes = starts[onward], ends[onward], sizes[onward]
        order = np.lexsort((ends, self.dist[ends] + sizes, starts))
        who, first = np.unique(starts[order], return_index=True)
        found = np.full(len(self.dist), -1, dtype=np.int64)
        chosen = order[first]
        found[who] = self.space.graph.topology.arcs_between(starts[chosen], ends[chosen])
        if vertices is None:
            taken[:] = found
        else:
            taken[vertices] = found[vertices]


def ways_at(space: Space, walls: NDArray[np.bool_]) -> Ways:
    """The steps of a space, or those it would have with these walls: on a grid they cut no corners
    of walls by infinite cost either.
    """
    if "grid" not in space.forms or np.array_equal(walls, space.walls.reshape(-1)):
        return space.ways
    kind, parts = apart(space)
    return together(kind, parts | {"walls": np.packbits(walls)}).ways


def _lengths(ways: Ways, walked: NDArray[np.int64]) -> NDArray[np.float64]:
    """The lengths of the steps of a way."""
    found = np.zeros(max(len(walked) - 1, 0))
    for step, (here, there) in enumerate(
        zip(walked[:-1].tolist(), walked[1:].tolist(), strict=True)
    ):
        arcs = slice(int(ways.starts[here]), int(ways.starts[here + 1]))
        found[step] = ways.lengths[arcs][ways.ends[arcs] == there].min()
    return found
