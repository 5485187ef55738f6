"""The ground of a chase: one asks alike on a grid, on a mesh and on waypoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.paths import FlowField, distance_map, flow_field
from fieldcraft.paths.on_graph.flow import GraphFlow
from fieldcraft.space import AnySpace, Graph, Grid
from fieldcraft_worlds.games.chase.state import People
from fieldcraft_worlds.games.walking import largest_part

__all__ = ["GraphGround", "Ground"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_KEPT = 12_000_000  # cells in all the flow fields that are kept
_FEWEST = 30  # cells: on fewer nobody can run away


class Ground(ABC):
    """A map to walk on.

    `space` is the map, `unit` world units in a unit of length, `home` (H,) the cells of its largest part within which one gets from
    everywhere to everywhere.
    """

    def __init__(self, space: AnySpace, unit: float) -> None:
        self.space = space
        self.unit = unit
        self.home = largest_part(space)
        if len(self.home) < _FEWEST:
            raise InvalidValue(
                f"A chase needs {_FEWEST} cells that are joined both ways", got=f"{len(self.home)} on {space!r}", remedy="Pass a larger map"
            )
        self._fields: dict[int, FlowField] = {}
        self._most_fields = max(12, min(512, _KEPT // len(space)))
        self.is_home = np.zeros(len(space), dtype=np.bool_)
        self.is_home[self.home] = True

    @property
    def dimensions(self) -> int:
        """Of positions: 2 or 3."""
        return self.space.dimensions

    @property
    def body(self) -> float:
        """World units that a unit is drawn as for people and things."""
        return self.unit

    def away(self, starts: Floats, ends: Floats) -> Floats:
        """From starts to ends, both (..., D)."""
        return np.asarray(ends - starts)

    def cells_of(self, positions: Floats) -> Ints:
        """The cells of positions (N, D)."""
        return np.atleast_1d(self.space.cell_at(positions, outside="clamp")).astype(np.int64)

    def eyes(self, people: People, rows: Ints | slice = slice(None)) -> Floats:
        """The positions that some see from and are seen at: on waypoints those of the vertices that they are nearest to."""
        return people.positions[rows]

    def place(self, x: float, y: float, near: Floats) -> int:
        """The home cell nearest to a point seen from above; of several floors the one at the height of a position `near`."""
        point = near.copy()
        point[:2] = (x, y)
        if isinstance(self.space, Grid):
            self.space.cell_at(point)
        gaps = self.away(point, self.space.position_of(self.home))
        return int(self.home[np.argmin((gaps**2).sum(axis=1))])

    def field(self, goal: int) -> FlowField:
        """The flow field to a cell; those that were not asked for the longest are forgotten."""
        found = self._fields.pop(goal, None)
        if found is None:
            found = flow_field(distance_map(self.space, self.space.position_of(goal)))
            while len(self._fields) >= self._most_fields:
                del self._fields[next(iter(self._fields))]
        self._fields[goal] = found
        return found

    @abstractmethod
    def advance(
        self, positions: Floats, velocities: Floats, cells: Ints, ahead: Ints, wishes: Floats, goals: Ints, speeds: Floats, dt: float
    ) -> tuple[Floats, Floats, Ints, Ints]:
        """Everybody after `dt` seconds: positions, velocities (N, D), cells and vertices ahead (N,).

        Who has a goal walks there by the shortest way at its speed, world units a second; others walk as they wish: (N, D) vectors up
        to 1 long.
        """

    @abstractmethod
    def led(self, distances: Any, positions: Floats, cells: Ints, ahead: Ints) -> tuple[Floats, Ints]:
        """The directions down a distance map, unit vectors (N, D), and the cells that are next on the way, NOTHING where there is none."""

    @property
    def is_straight(self) -> bool:
        """Whether one can walk straight to whatever one sees."""
        return True


class GraphGround(Ground):
    """A graph to walk on."""

    space: Graph

    def flow(self, goal: int) -> GraphFlow:
        """The flow field to a vertex."""
        found = self.field(goal)
        assert isinstance(found, GraphFlow)
        return found
