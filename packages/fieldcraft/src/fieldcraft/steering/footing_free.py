"""Walking freely: over the cells of a grid, and over the polygons of a mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths.flow import FlowField, flow_field
from fieldcraft.paths.graph_flow import GraphFlow
from fieldcraft.space import Grid, Space
from fieldcraft.space.floors import floors_of
from fieldcraft.steering.crowd import Crowd
from fieldcraft.steering.footing_edges import NOTHING
from fieldcraft.steering.neighbors import Neighbors, separation
from fieldcraft.steering.walls import move

__all__ = ["GridFooting", "MeshFooting"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_RESPONSE = 10.0  # per second: how fast a velocity follows the wish on a mesh
_ROOM = 0.75  # units that agents keep to each other
_PUSH = 3.0  # units a second: how hard they push each other away


class _Free:
    is_straight = True

    def eyes(self, positions: Floats, cells: Ints, ahead: Ints) -> Floats:
        """See `Footing.eyes`."""
        return positions

    def led(
        self, distances: Any, positions: Floats, cells: Ints, ahead: Ints
    ) -> tuple[Floats, Ints]:
        """See `Footing.led`."""
        return flow_field(distances).sample(positions), np.full(len(cells), NOTHING)


class GridFooting(_Free):
    """A grid, on which a `Crowd` keeps agents apart and off walls."""

    def __init__(
        self, space: Grid, unit: float, field: Callable[[int], FlowField], is_within: Bools
    ) -> None:
        self.space, self.unit, self.field = space, unit, field
        cell = space.cell_size
        self._crowd = Crowd(space, radius=0.3 * cell, keep_apart=_ROOM * unit, ahead=0.8 * cell)

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
        wishes = wishes.copy()
        for goal in np.unique(goals[goals != NOTHING]).tolist():
            rows = np.flatnonzero(goals == goal)
            wishes[rows] = self.field(goal).sample(positions[rows])
        positions, velocities = self._crowd.step(
            positions,
            velocities,
            wishes * speeds[:, None],
            dt,
            max_speed=speeds * 1.05,
            max_force=40 * self.unit,
        )
        return positions, velocities, _cells(self.space, positions), ahead


class MeshFooting(_Free):
    """A mesh, over whose polygons agents walk; `leapers` leap over any gap that an edge leads over,
    others where their way does.
    """

    def __init__(
        self, space: Space, unit: float, field: Callable[[int], FlowField], is_within: Bools
    ) -> None:
        self.space, self.unit, self.field = space, unit, field
        doors = floors_of(space.graph).doors
        self._is_gap = np.zeros(
            len(space.graph.topology.origins) + 1, dtype=np.bool_
        )  # the last stands for no arc
        self._is_gap[doors.arcs[doors.leaps]] = True
        self._is_gap[doors.arcs[~doors.leaps]] = False

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
        wanted = _flat(wishes)
        leaping: list[tuple[GraphFlow, Ints]] = []
        for goal in np.unique(goals[goals != NOTHING]).tolist():
            rows, flow = np.flatnonzero(goals == goal), self.field(goal)
            assert isinstance(flow, GraphFlow)
            wanted[rows] = flow.sample(positions[rows], cells=cells[rows])[:, :2]
            leaps = rows[self._is_gap[flow.arcs[cells[rows]]] & ~leapers[rows]]
            if len(leaps):
                leaping.append((flow, leaps))
        pace = velocities[:, :2] + min(1.0, _RESPONSE * dt) * (
            wanted * speeds[:, None] - velocities[:, :2]
        )
        near = Neighbors(positions[:, :2], radius=_ROOM * self.unit)
        shifts = (pace + separation(near, strength=_PUSH * self.unit)) * dt
        at = move(self.space, positions, shifts, leap=False)
        if leapers.any():
            at[leapers] = move(self.space, positions[leapers], shifts[leapers])
        for flow, rows in leaping:
            at[rows] = move(self.space, positions[rows], shifts[rows], leap=flow)
        gone = (at - positions) / dt
        gone *= np.minimum(1.0, 2 * speeds / np.maximum(np.sqrt((gone**2).sum(axis=1)), 1e-12))[
            :, None
        ]  # a leap is no speed
        return at, gone, _cells(self.space, at), ahead


def _cells(space: Space, positions: Floats) -> Ints:
    return np.atleast_1d(space.cell_at(positions, outside="clamp")).astype(np.int64)


def _flat(vectors: Floats) -> Floats:
    """The part of directions (N, D) that lies in the plane, as long as they were: (N, 2)."""
    plane = vectors[:, :2]
    lengths = np.sqrt((plane**2).sum(axis=1, keepdims=True))
    whole = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return np.asarray(
        np.where(lengths > 0, plane * (whole / np.where(lengths > 0, lengths, 1.0)), 0.0)
    )
