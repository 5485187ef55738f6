"""Which ground a map is."""

from __future__ import annotations

import numpy as np

from fieldcraft.errors import InvalidValue
from fieldcraft.space import AnySpace, Graph, Grid
from fieldcraft_worlds.games.chase.free_ground import GridGround, MeshGround
from fieldcraft_worlds.games.chase.ground import Ground
from fieldcraft_worlds.games.chase.waypoint_ground import WaypointGround
from fieldcraft_worlds.games.walking import walking_grid

__all__ = ["ground_of"]

_UNITS_OF_MESH = 2000  # square units that a mesh is large


def ground_of(space: AnySpace, scale: float) -> Ground:
    """The ground on a map; `scale` world units are a unit, 0 for what suits the map. Raises `InvalidValue` where one can't play."""
    if isinstance(space, Grid):
        return GridGround(walking_grid(space), scale or space.cell_size)
    if isinstance(space, Graph):
        kind = WaypointGround if space.mesh is None else MeshGround
        return kind(space, scale or _unit_of(space))
    raise InvalidValue(
        "A chase is played on a map", got=type(space).__name__, remedy="Pass fc.Grid(...), fc.Graph(...) or fc.load_map(path)"
    )


def _unit_of(space: Graph) -> float:
    if space.mesh is not None:
        return float(np.sqrt(space.areas.sum() / _UNITS_OF_MESH))
    return space.typical_step / 2
