"""Clearance: the largest footprint that fits in each cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space import Graph, Grid, HexGrid, Space
from fieldcraft.space.cached import cached
from fieldcraft.space.hexagons.hex_layout import STEPS
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.mesh.borders import widths_of
from fieldcraft.values.operand import Operand

Cells = NDArray[np.integer]

_KING = [(-1, -1), (0, -1), (-1, 0), (1, -1), (-1, 1), (1, 0), (0, 1), (1, 1)]
_UP_LEFT = 3  # the first steps of `_KING`: to the other cells around a cell's upper left corner


class Clearance(Operand):
    """The size of the largest footprint that fits in each cell, up to date with the walls.

    On a grid the footprint is a square, and its size the cells of a side. A square of odd size has
    its center in the cell, one of even size at the cell's corner towards row 0 and column 0. On
    hexagons it is a disc, and its size the cells across, always odd. It fits if it covers no wall
    and is on the map. The size is 0 in walls.

    On meshes it is the widest circle around the center of a polygon, and its size the world units
    across: twice the distance to the nearest border, which is the rim of the mesh, or the side of a
    blocked polygon or edge. That is no width of a path, which leads through polygons far from their
    centers: for paths of large agents load a mesh that was made for their radius.

    Parameters
    ----------
    space : Grid, HexGrid or Mesh
        The map. After a change of walls only changed sizes are computed again; on meshes all.

    Raises
    ------
    InvalidValue
        For other spaces.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> room = fc.question.Clearance(fc.Grid(walls=[[0, 0, 0, 0, 1],
    ...                                             [0, 0, 0, 0, 0],
    ...                                             [0, 0, 0, 0, 0]]))
    >>> room.values
    array([[1., 1., 1., 1., 0.],
           [1., 3., 3., 2., 1.],
           [1., 2., 2., 2., 2.]], dtype=float32)
    """

    name = "clearance"

    def __init__(self, space: Space) -> None:
        has_mesh = isinstance(space, Graph) and space.mesh is not None
        if not isinstance(space, (Grid, HexGrid)) and not has_mesh:
            raise InvalidValue(
                "Footprints fit on squares, hexagons and meshes",
                got=repr(space)[:80],
                remedy="Use a fieldcraft.Grid, a fieldcraft.HexGrid, or a graph with a mesh",
            )
        self.space: Space = space

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return self.space.walls_version

    @property
    def values(self) -> NDArray[np.float32]:
        """The sizes now, float32 in the space's shape; read-only."""
        space = self.space
        if isinstance(space, (Grid, HexGrid)):
            return read_only(_sizes_of(space).sizes(space).reshape(space.shape))
        return widths_of(graph_of(space))


class _Sizes:
    """The steps from each cell of a space to the nearest wall or the border, and the sizes."""

    def __init__(self, space: Grid | HexGrid) -> None:
        count = len(space)
        self._most = min(space.shape)
        self._around = _around(space)
        self._square = isinstance(space, Grid)
        # The last one stands for all that is off the map.
        self._steps = np.full(count + 1, self._most, dtype=np.int32)
        border = np.flatnonzero((self._around == count).any(axis=1))
        self._steps[border] = 1
        self._steps[np.flatnonzero(space.walls)] = 0
        self._steps[count] = 0
        self._last = np.empty(count + 1, dtype=np.int32)
        self._version = space.walls_version
        self._lower(np.union1d(border, np.flatnonzero(space.walls)))
        self._sizes = np.zeros(count, dtype=np.float32)
        self._measure(np.arange(count))

    def sizes(self, space: Grid | HexGrid) -> NDArray[np.float32]:
        """Return the sizes by cell, updated after changes of the walls."""
        if self._version != space.walls_version:
            changed = space.walls_changed(self._version)
            self._version = space.walls_version
            self._repair(changed, space.walls.reshape(-1)[changed])
        return self._sizes

    def _repair(self, changed: Cells, closed: NDArray[np.bool_]) -> None:
        """Update the steps of cells that may be `closed` now, and of the cells around them."""
        steps = self._steps
        around = self._around
        outside = len(self._sizes)
        before = steps.copy()
        frontier = changed[~closed & (steps[changed] == 0)]
        affected = frontier
        while len(frontier):  # cells that may have been nearest to a wall that is gone
            ends = around[frontier]
            farther = (steps[ends] == steps[frontier, np.newaxis] + 1) & (ends < outside)
            frontier = np.setdiff1d(ends[farther], affected)
            affected = np.union1d(affected, frontier)
        steps[affected] = self._most
        steps[changed[closed]] = 0
        if len(affected):
            near = steps[around[affected]].min(axis=1) + 1
            steps[affected] = np.minimum(steps[affected], near)
        self._lower(np.union1d(affected, changed[closed]))
        moved = np.flatnonzero(steps != before)
        touched = np.unique(np.append(around[moved], moved))
        self._measure(touched[touched < outside])

    def _lower(self, cells: Cells) -> None:
        """Lower the steps around cells with lower steps."""
        steps = self._steps
        while len(cells):
            ends = self._around[cells]
            fewer = np.broadcast_to(steps[cells][:, np.newaxis] + 1, ends.shape)
            better = fewer < steps[ends]
            cells = ends[better]
            fewer = fewer[better]
            np.minimum.at(steps, cells, fewer)
            order = np.arange(len(cells), dtype=np.int32)
            self._last[cells] = order
            cells = cells[self._last[cells] == order]  # each once

    def _measure(self, cells: Cells) -> None:
        """Update the sizes of cells."""
        steps = self._steps[cells]
        sizes = 2 * steps - 1
        if self._square:
            corner = self._steps[self._around[cells, :_UP_LEFT]].min(axis=1)
            sizes = np.maximum(sizes, 2 * np.minimum(corner, steps))
        self._sizes[cells] = np.clip(sizes, 0, self._most)


@cached
def _sizes_of(space: Grid | HexGrid) -> _Sizes:
    """Return the sizes on a space, shared by all of its clearances."""
    return _Sizes(space)


@cached
def _around(space: Grid | HexGrid) -> Cells:
    """Return the cells around each cell, (N, 8) or (N, 6); N where the map ends."""
    count = len(space)
    if isinstance(space, HexGrid):
        axial = space.to_axial(np.arange(count))[:, np.newaxis] + STEPS
        cells, inside = space.reached(axial)
        return np.where(inside, cells, count).astype(np.int32)
    height, width = space.shape
    numbers = np.arange(count, dtype=np.int32).reshape(space.shape)
    framed = numbers
    for margin, wraps in ((((0, 0), (1, 1)), space.wraps_x), (((1, 1), (0, 0)), space.wraps_y)):
        if wraps:
            framed = np.pad(framed, margin, mode="wrap")
        else:
            framed = np.pad(framed, margin, constant_values=count)
    shifts = [framed[1 + dy : height + 1 + dy, 1 + dx : width + 1 + dx] for dx, dy in _KING]
    return np.stack([shifted.reshape(-1) for shifted in shifts], axis=1)
