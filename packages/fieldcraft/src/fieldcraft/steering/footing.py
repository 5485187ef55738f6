"""Walking on any space: agents on a grid, over a mesh and along the edges of waypoints are moved by
the same call.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.distances import DistanceMap, distance_map
from fieldcraft.paths.flow import FlowField, flow_field
from fieldcraft.space import Grid, Space, checked_space
from fieldcraft.steering.arguments import limits
from fieldcraft.steering.footing_edges import NOTHING, EdgeFooting
from fieldcraft.steering.footing_free import GridFooting, MeshFooting

__all__ = ["Footing"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_KEPT = 12_000_000  # cells in all the flow fields that are kept


class _Steps(Protocol):
    is_straight: bool

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
    ) -> tuple[Floats, Floats, Ints, Ints]: ...

    def led(
        self, distances: Any, positions: Floats, cells: Ints, ahead: Ints
    ) -> tuple[Floats, Ints]: ...

    def eyes(self, positions: Floats, cells: Ints, ahead: Ints) -> Floats: ...


class Footing:
    """The ground under the feet of agents, whatever the map is.

    On a grid and over the polygons of a mesh agents walk freely, keep apart and stay off walls; on
    waypoints they walk from vertex to vertex along edges. A footing keeps flow fields and no agent:
    agents are arrays that each step takes and gives back.

    An agent is a position and a velocity (world units, a second), the cell that it stands in, and
    the vertex `ahead` that it walks to: `NOTHING` off waypoints, and for who stands on a vertex.

    Parameters
    ----------
    space : Space
        The map. On a grid it should be one of 8 neighbors.
    unit : float
        The world units in a unit of length, about the width of an agent with some room around it.
    within : array_like, optional
        The cells that agents on waypoints go to by a wish of their own, ids; all by default.
    """

    def __init__(self, space: Space, unit: float, *, within: ArrayLike | None = None) -> None:
        self.space = checked_space(space, "A footing is on")
        self.unit = checks.positive("unit", unit)
        cells = np.arange(len(space)) if within is None else space.cell_ids(within)
        is_within = np.zeros(len(space), dtype=np.bool_)
        is_within[cells] = True
        self._walk: _Steps
        if isinstance(space, Grid):
            self._walk = GridFooting(space, self.unit, self.field, is_within)
        else:
            kind = EdgeFooting if space.graph.mesh is None else MeshFooting
            self._walk = kind(space, self.unit, self.field, is_within)
        self._fields: dict[int, FlowField] = {}
        self._most_fields = max(12, min(512, _KEPT // max(len(space), 1)))

    @property
    def is_straight(self) -> bool:
        """Whether an agent can walk straight to whatever it sees: not on waypoints, off whose edges
        there is no ground.
        """
        return self._walk.is_straight

    def away(self, starts: ArrayLike, ends: ArrayLike) -> Floats:
        """The straight ways from starts to ends, arrays of shape (..., D) in world units that
        broadcast; on a torus the short ones.
        """
        here, there = (
            checks.array(name, value) for name, value in (("starts", starts), ("ends", ends))
        )
        numbers = all(
            each.dtype.kind in "iuf" and np.isfinite(each).all() for each in (here, there)
        )
        if (
            not numbers
            or not here.shape[-1:] == there.shape[-1:] == (self.space.dimensions,)
            or not _broadcast(here, there)
        ):
            raise InvalidValue(
                f"starts and ends are world positions of {self.space.dimensions} finite numbers",
                got=f"{here.dtype} of shape {here.shape} and {there.dtype} of shape {there.shape}",
                remedy=f"Pass two arrays of shape (N, {self.space.dimensions})",
            )
        return self.space.short_way(there.astype(np.float64) - here.astype(np.float64))

    def cells_of(self, positions: ArrayLike) -> Ints:
        """The cells (N,) of positions (N, D); beside the map the nearest ones."""
        return np.atleast_1d(self.space.cell_at(positions, outside="clamp")).astype(np.int64)

    def eyes(self, positions: Floats, cells: Ints, ahead: Ints) -> Floats:
        """The positions (N, D) that agents see from and are seen at: on waypoints those of the
        vertices that they are nearest to.
        """
        return self._walk.eyes(
            checks.positions(positions, dimensions=self.space.dimensions)[0], cells, ahead
        )

    def field(self, goal: int) -> FlowField:
        """The flow field to a cell; those that were not asked for the longest are forgotten."""
        found = self._fields.pop(goal, None)
        if found is None:
            found = flow_field(distance_map(self.space, self.space.position_of(goal)))
            while len(self._fields) >= self._most_fields:
                del self._fields[next(iter(self._fields))]
        self._fields[goal] = found
        return found

    def step(
        self,
        positions: ArrayLike,
        velocities: ArrayLike,
        cells: Ints,
        ahead: Ints,
        wishes: ArrayLike,
        goals: Ints,
        speeds: ArrayLike,
        dt: float,
        *,
        leapers: Bools | None = None,
    ) -> tuple[Floats, Floats, Ints, Ints]:
        """Move all agents for `dt` seconds: their positions, velocities (N, D), cells and vertices
        ahead (N,) afterwards.

        An agent with a goal, a cell, walks there by the shortest way; others (goal `NOTHING`) walk
        as they wish: vectors (N, D) up to 1 long, in shares of their `speeds`, world units a
        second. On a mesh the `leapers` (N,), nobody by default, leap over any gap that an open edge
        leads over, others only where the way to their goal does.

        Raises
        ------
        InvalidValue
            If the arrays don't fit together.
        """
        at, moving, wanted = (
            checks.positions(value, dimensions=self.space.dimensions)[0]
            for value in (positions, velocities, wishes)
        )
        count = len(at)
        if len(moving) != count or len(wanted) != count:
            raise InvalidValue(
                "An agent has a position, a velocity and a wish",
                got=f"{count}, {len(moving)} and {len(wanted)}",
                remedy="Pass three arrays of shape (N, 2), or (N, 3) in 3D",
            )
        standing, onward, aims = (
            self._cells(name, value, count)
            for name, value in (("cells", cells), ("ahead", ahead), ("goals", goals))
        )
        if count and standing.min() < 0:
            raise InvalidValue(
                "An agent stands in a cell",
                got="NOTHING in cells",
                remedy="footing.cells_of(positions) says which",
            )
        quick = limits("speeds", speeds, count)
        bold = (
            np.zeros(count, dtype=np.bool_)
            if leapers is None
            else checks.array("leapers", leapers).astype(np.bool_)
        )
        if bold.shape != (count,):
            raise InvalidValue(
                "leapers is a bool for each agent",
                got=f"shape {bold.shape}",
                remedy=f"Pass shape ({count},)",
            )
        return self._walk.step(
            at, moving, standing, onward, wanted, aims, quick, checks.positive("dt", dt), bold
        )

    def led(
        self, distances: DistanceMap, positions: Floats, cells: Ints, ahead: Ints
    ) -> tuple[Floats, Ints]:
        """How agents go down a distance map: directions, unit vectors (N, D), and the cells next on
        the way, `NOTHING` where there is none.

        On waypoints the cells lead and directions are 0; elsewhere the directions do.
        """
        return self._walk.led(distances, positions, cells, ahead)

    def _cells(self, name: str, cells: ArrayLike, count: int) -> Ints:
        given = checks.array(name, cells)
        if given.shape != (count,) or given.dtype.kind not in "iu":
            raise InvalidValue(
                f"{name} are a cell for each agent",
                got=f"{given.dtype} of shape {given.shape}",
                remedy=f"Pass shape ({count},)",
            )
        if count and not NOTHING <= int(given.min()) <= int(given.max()) < len(self.space):
            wrong = given[(given < NOTHING) | (given >= len(self.space))][0]
            raise InvalidValue(
                f"{name} are cells of the space, or NOTHING",
                got=str(int(wrong)),
                remedy=f"Pass -1 to {len(self.space) - 1}",
            )
        return given.astype(np.int64, copy=False)


def _broadcast(one: NDArray[Any], other: NDArray[Any]) -> bool:
    try:
        np.broadcast_shapes(one.shape, other.shape)
    except ValueError:
        return False
    return True
