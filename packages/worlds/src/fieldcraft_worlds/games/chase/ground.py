"""Ground of a chase: a map, its unit of length, and the part of it that is played on."""

from __future__ import annotations

import numpy as np

from fieldcraft import Graph, Grid, Layer
from fieldcraft.base.errors import InvalidValue
from fieldcraft.query import gradient, uphill
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.chase.movement import movement_on
from fieldcraft_worlds.games.chase.state import People
from fieldcraft_worlds.games.walking import largest_part, walking_grid

_FEWEST = 30  # cells
_UNITS_OF_MESH = 2000  # square units of a mesh
_BODY = 1.8  # factor on waypoints, which are drawn as discs


class ChaseGround:
    """A map to play on: grid, mesh or waypoints.

    `space` is the map, `unit` world units in a unit of length, `home` (H,) the cells of its largest
    strongly connected part, and `movement` how people move there.
    """

    def __init__(self, space: Grid | Graph, unit: float) -> None:
        self.space = space
        self.unit = unit
        self.home = largest_part(space)
        if len(self.home) < _FEWEST:
            raise InvalidValue(
                f"A chase needs {_FEWEST} connected cells",
                got=f"{len(self.home)} on {space!r}",
                remedy="Pass a larger map",
            )
        self.is_home = np.zeros(len(space), dtype=np.bool_)
        self.is_home[self.home] = True
        self.movement = movement_on(space, unit, self.is_home)
        self.cells_of = self.movement.cells_of
        self.downhill_step = self.movement.downhill_step

    def away(self, starts: Floats, ends: Floats) -> Floats:
        """Return the straight vectors from starts to ends, (..., D); on a torus the short ones."""
        return self.space.shortest_vectors(ends - starts)

    @property
    def dimensions(self) -> int:
        """Of positions: 2 or 3."""
        return self.space.dimensions

    @property
    def is_grid(self) -> bool:
        """Whether the map is a grid, not a mesh or waypoints."""
        return isinstance(self.space, Grid)

    @property
    def is_straight(self) -> bool:
        """Whether people can walk straight to a target in sight."""
        return self.movement.is_straight

    @property
    def body(self) -> float:
        """The size in world units at which people and items are drawn."""
        if self.is_straight:
            return self.unit
        return _BODY * self.unit

    def eyes(self, people: People, rows: Ints | slice = slice(None)) -> Floats:
        """Return the positions that people see from and are seen at."""
        return self.movement.eyes(people.positions[rows], people.cells[rows], people.ahead[rows])

    def place(self, x: float, y: float, near: Floats) -> int:
        """Return the home cell nearest to a point in the plane; of several floors the one at the
        height of a position `near`.
        """
        point = near.copy()
        point[:2] = (x, y)
        self._check(point)
        gaps = self.away(point, self.space.position_of(self.home))
        return int(self.home[np.argmin((gaps**2).sum(axis=1))])

    def _check(self, point: Floats) -> None:
        """Raise an error for a point outside a grid."""
        if self.is_grid:
            self.space.cell_at(point)

    def downhill(self, layer: Layer, positions: Floats, cells: Ints) -> Floats:
        """Return the vectors (N, D) along which a layer falls from people, in cells."""
        if self.is_grid:
            return -np.asarray(gradient(layer, positions), dtype=np.float64)
        return uphill(-layer, self.space.position_of(cells)).positions - positions


def ground_of(space: Grid | Graph, scale: float) -> ChaseGround:
    """Return the ground on a map; `scale` world units are a unit, 0 for the default of the map.
    Raises `InvalidValue` for anything but a map.
    """
    if not isinstance(space, Grid | Graph):
        raise InvalidValue(
            "A chase is played on a map",
            got=type(space).__name__,
            remedy="Pass fc.Grid(...), fc.Graph(...) or fc.load_map(path)",
        )
    if isinstance(space, Grid):
        return ChaseGround(walking_grid(space), scale or space.cell_size)
    return ChaseGround(space, scale or _unit_of(space))


def _unit_of(space: Graph) -> float:
    """Return the default length of a unit, in world units."""
    if space.mesh is not None:
        return float(np.sqrt(space.areas.sum() / _UNITS_OF_MESH))
    return space.typical_step / 2
