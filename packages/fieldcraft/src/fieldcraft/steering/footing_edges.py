"""Walking along the edges of waypoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths.flow import FlowField
from fieldcraft.paths.graph_flow import GraphFlow
from fieldcraft.space import Space

__all__ = ["NOTHING", "EdgeFooting"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NOTHING = -1
"""The cell that stands for none: no goal, no vertex ahead, no way on."""

_VERTICES_PASSED = 4  # at most, in one step
_RELUCTANCE = 0.35  # the cosine between a wish and an edge from which the edge is taken


class EdgeFooting:
    """Waypoints, on which agents walk from vertex to vertex: an agent between two is on the edge
    that joins them.
    """

    is_straight = False

    def __init__(
        self, space: Space, unit: float, field: Callable[[int], FlowField], is_within: Bools
    ) -> None:
        self.space, self.field, self.is_within = space, field, is_within

    def eyes(self, positions: Floats, cells: Ints, ahead: Ints) -> Floats:
        """See `Footing.eyes`."""
        starts, ends = (
            self.space.positions[cells],
            self.space.positions[np.where(ahead == NOTHING, cells, ahead)],
        )
        is_past = ((positions - ends) ** 2).sum(axis=1) < ((positions - starts) ** 2).sum(axis=1)
        return np.where(is_past[:, None], ends, starts)

    def step(
        self,
        positions: Floats,
        velocities: Floats,
        cells: Ints,
        ahead: Ints,
        wishes: Floats,
        goals: Ints,
        speeds: Floats,
        dt: float,
        leapers: Bools,
    ) -> tuple[Floats, Floats, Ints, Ints]:
        """See `Footing.step`."""
        at, cells, ahead = positions.copy(), cells.copy(), ahead.copy()
        vertices, left = self.space.positions, speeds * dt
        self._turn(at, cells, ahead, wishes, goals)
        for _ in range(_VERTICES_PASSED):
            waiting = np.flatnonzero((ahead == NOTHING) & (left > 0))
            ahead[waiting] = self._chosen(cells[waiting], wishes[waiting], goals[waiting])
            going = np.flatnonzero((ahead != NOTHING) & (left > 0))
            if not len(going):
                break
            gaps = vertices[ahead[going]] - at[going]
            far = np.sqrt((gaps**2).sum(axis=1))
            there = far <= left[going]
            share = np.where(there, 1.0, left[going] / np.where(far > 0, far, 1.0))
            at[going] += gaps * share[:, None]
            left[going] -= far * share
            reached = going[there]
            cells[reached] = ahead[reached]
            at[reached] = vertices[cells[reached]]
            ahead[reached] = NOTHING
        return at, (at - positions) / dt, cells, ahead

    def led(
        self, distances: Any, positions: Floats, cells: Ints, ahead: Ints
    ) -> tuple[Floats, Ints]:
        """See `Footing.led`."""
        following = GraphFlow(distances).next[cells].astype(np.int64)
        on_edge = np.flatnonzero(ahead != NOTHING)
        back, forth = cells[on_edge], ahead[on_edge]
        price = (
            np.ones(len(on_edge))
            if distances.costs is None
            else (distances.costs[back] + distances.costs[forth]) / 2
        )
        done, rest = (
            np.sqrt(((self.space.positions[ends] - positions[on_edge]) ** 2).sum(axis=1)) * price
            for ends in (back, forth)
        )
        turns = self._leads(forth, back) & (
            distances.exact[back] + done < distances.exact[forth] + rest
        )
        following[on_edge] = np.where(turns, back, forth)
        return np.zeros(positions.shape), following

    def _turn(self, at: Floats, cells: Ints, ahead: Ints, wishes: Floats, goals: Ints) -> None:
        """Let those turn round who are on an edge that leads both ways, and wish to go back, or
        have a shorter way to their goal there.
        """
        on_edge = np.flatnonzero(ahead != NOTHING)
        on_edge = on_edge[self._leads(ahead[on_edge], cells[on_edge])]
        vertices = self.space.positions
        back, forth = vertices[cells[on_edge]] - at[on_edge], vertices[ahead[on_edge]] - at[on_edge]
        done, rest = np.sqrt((back**2).sum(axis=1)), np.sqrt((forth**2).sum(axis=1))
        turns = (wishes[on_edge] * (back - forth)).sum(axis=1) > _RELUCTANCE * (done + rest)
        aims = goals[on_edge]
        for goal in np.unique(aims[aims != NOTHING]).tolist():
            rows = np.flatnonzero(aims == goal)
            far = self.field(goal).distance_map.exact
            turns[rows] = (
                far[cells[on_edge[rows]]] + done[rows] < far[ahead[on_edge[rows]]] + rest[rows]
            )
        rows = on_edge[turns]
        cells[rows], ahead[rows] = ahead[rows], cells[rows].copy()

    def _leads(self, starts: Ints, ends: Ints) -> NDArray[np.bool_]:
        """Whether edges lead from starts to ends."""
        keys = self.space.ways.origins * len(self.space) + self.space.ways.ends
        found = np.searchsorted(keys, starts * len(self.space) + ends)
        return np.asarray(
            (found < len(keys))
            & (keys[np.minimum(found, len(keys) - 1)] == starts * len(self.space) + ends)
        )

    def _chosen(self, cells: Ints, wishes: Floats, goals: Ints) -> Ints:
        """The vertices that those who stand at `cells` go to next, NOTHING for staying."""
        found = np.full(len(cells), NOTHING)
        for goal in np.unique(goals[goals != NOTHING]).tolist():
            rows = np.flatnonzero(goals == goal)
            found[rows] = _next_to(self.field(goal))[cells[rows]]
        free = np.flatnonzero((goals == NOTHING) & wishes.any(axis=1))
        starts, ends, vertices = self.space.ways.starts, self.space.ways.ends, self.space.positions
        for row in free.tolist():
            out = ends[starts[cells[row]] : starts[cells[row] + 1]].astype(np.int64)
            out = out[self.is_within[out]]
            if len(out):
                way = vertices[out, :2] - vertices[cells[row], :2]
                along = (way @ wishes[row, :2]) / np.maximum(np.sqrt((way**2).sum(axis=1)), 1e-12)
                best = int(np.argmax(along))
                if along[best] > _RELUCTANCE:
                    found[row] = out[best]
        return found


def _next_to(flow: FlowField) -> NDArray[Any]:
    assert isinstance(flow, GraphFlow)
    return flow.next
