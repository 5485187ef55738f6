"""Grounds on which one walks freely: grids and meshes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths import flow_field
from fieldcraft.paths.on_graph.flow import GraphFlow
from fieldcraft.space import Graph, Grid
from fieldcraft.space.floors import floors_of
from fieldcraft.steering import Crowd, Neighbors, move, separation
from fieldcraft_worlds.games.chase.ground import GraphGround, Ground
from fieldcraft_worlds.games.chase.state import NOTHING
from fieldcraft_worlds.games.walking import away

__all__ = ["GridGround", "MeshGround"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_RESPONSE = 10.0  # per second: how fast a velocity follows the wish on a mesh
_ROOM = 0.75  # units that people keep to each other
_PUSH = 3.0  # units a second: how hard they push each other away


class GridGround(Ground):
    """Free walking on a grid, kept apart and off walls by a `Crowd`."""

    space: Grid

    def __init__(self, space: Grid, unit: float) -> None:
        super().__init__(space, unit)
        cell = space.cell_size
        self._crowd = Crowd(space, radius=0.3 * cell, keep_apart=_ROOM * unit, ahead=0.8 * cell)

    def away(self, starts: Floats, ends: Floats) -> Floats:
        """From starts to ends, both (..., 2); on a torus the short way."""
        return away(self.space, starts, ends)

    def advance(
        self, positions: Floats, velocities: Floats, cells: Ints, ahead: Ints, wishes: Floats, goals: Ints, speeds: Floats, dt: float
    ) -> tuple[Floats, Floats, Ints, Ints]:
        """See `Ground.advance`."""
        wishes = wishes.copy()
        for goal in np.unique(goals[goals != NOTHING]).tolist():
            rows = np.flatnonzero(goals == goal)
            wishes[rows] = self.field(goal).sample(positions[rows])
        positions, velocities = self._crowd.step(
            positions, velocities, wishes * speeds[:, None], dt, max_speed=speeds * 1.05, max_force=40 * self.unit
        )
        return positions, velocities, self.cells_of(positions), ahead

    def led(self, distances: Any, positions: Floats, cells: Ints, ahead: Ints) -> tuple[Floats, Ints]:
        """See `Ground.led`."""
        return flow_field(distances).sample(positions), np.full(len(cells), NOTHING)


class MeshGround(GraphGround):
    """Free walking over the polygons of a mesh. The player leaps over any gap that an edge leads over, others where their way does."""

    def __init__(self, space: Graph, unit: float) -> None:
        super().__init__(space, unit)
        doors = floors_of(space).doors
        self._is_gap = np.zeros(len(space.topology.origins) + 1, dtype=np.bool_)  # the last stands for no arc
        self._is_gap[doors.arcs[doors.leaps]] = True
        self._is_gap[doors.arcs[~doors.leaps]] = False

    def advance(
        self, positions: Floats, velocities: Floats, cells: Ints, ahead: Ints, wishes: Floats, goals: Ints, speeds: Floats, dt: float
    ) -> tuple[Floats, Floats, Ints, Ints]:
        """See `Ground.advance`."""
        wanted = _flat(wishes)
        leaping: list[tuple[GraphFlow, Ints]] = []
        for goal in np.unique(goals[goals != NOTHING]).tolist():
            rows, flow = np.flatnonzero(goals == goal), self.flow(goal)
            wanted[rows] = flow.sample(positions[rows], cells=cells[rows])[:, :2]
            leaps = rows[self._is_gap[flow.arcs[cells[rows]]] & (rows > 0)]
            if len(leaps):
                leaping.append((flow, leaps))
        pace = velocities[:, :2] + min(1.0, _RESPONSE * dt) * (wanted * speeds[:, None] - velocities[:, :2])
        near = Neighbors(positions[:, :2], radius=_ROOM * self.unit)
        shifts = (pace + separation(near, strength=_PUSH * self.unit)) * dt
        at = move(self.space, positions, shifts, leap=False)
        at[:1] = move(self.space, positions[:1], shifts[:1])
        for flow, rows in leaping:
            at[rows] = move(self.space, positions[rows], shifts[rows], leap=flow)
        gone = (at - positions) / dt
        gone *= np.minimum(1.0, 2 * speeds / np.maximum(np.sqrt((gone**2).sum(axis=1)), 1e-12))[:, None]  # a leap is no speed
        return at, gone, self.cells_of(at), ahead

    def led(self, distances: Any, positions: Floats, cells: Ints, ahead: Ints) -> tuple[Floats, Ints]:
        """See `Ground.led`."""
        return flow_field(distances).sample(positions), np.full(len(cells), NOTHING)


def _flat(vectors: Floats) -> Floats:
    """The part of directions (N, D) that lies in the plane, as long as they were: (N, 2)."""
    plane = vectors[:, :2]
    lengths = np.sqrt((plane**2).sum(axis=1, keepdims=True))
    whole = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return np.asarray(np.where(lengths > 0, plane * (whole / np.where(lengths > 0, lengths, 1.0)), 0.0))
