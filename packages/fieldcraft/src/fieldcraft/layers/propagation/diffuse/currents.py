"""The parts of their values that cells give to neighbors in the direction of a drift (upwind)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Grid, HexGrid, Space
from fieldcraft.space.hexagons.hex_layout import STEPS
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.wrapping import both_directions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_AXES = ((1, 0), (-1, 0), (0, 1), (0, -1))
_OF_HEXAGONS = 2 / 3
"""The directions downwind add up to three halves of a drift on hexagons."""
_MOST_ON_MESHES = 2.0
"""By how much flows on a mesh grow so that their sum moves by the drift: as much as where regular
triangles point against it.
"""


@dataclass(frozen=True, eq=False)
class Currents:
    """The parts that a drift moves in an update, as if there were no walls.

    Parameters
    ----------
    origins, ends : ndarray of int64, (A,)
        Where they begin and end.
    parts : ndarray of float64, (A,)
        The part of the value of the origin.
    totals : ndarray of float64, (N,)
        The part of its value that each cell gives, beyond the rim too.
    """

    origins: Ints
    ends: Ints
    parts: Floats
    totals: Floats

    @classmethod
    def of(cls, space: Space, moves: Floats) -> Currents:
        """Return the currents of moves in an update, (N, D) in world units."""
        if isinstance(space, Grid):
            return _on_grid(space, moves)
        return _on_graph(space, moves)


def _on_grid(grid: Grid, moves: Floats) -> Currents:
    """Return the currents along the axes: the mean of what moves from a cell moves exactly."""
    missing = set(_AXES) - set(map(tuple, grid.neighborhood.steps))
    if missing:
        raise InvalidValue(
            "A drift moves along both axes",
            got=f"a grid of {len(grid.neighborhood.steps)} steps without {min(missing)}",
            remedy="Use a grid with neighbors=4 or neighbors=8",
            about="drift",
        )
    rows, columns = np.divmod(np.arange(len(grid)), grid.width)
    totals = np.zeros(len(grid))
    origins = []
    ends = []
    parts = []
    for across, down in _AXES:
        up = -down if grid.y_up else down
        part = np.maximum(moves @ np.array([across, up]), 0) / grid.cell_size
        column = columns + across
        row = rows + down
        if grid.wraps_x:
            column = column % grid.width
        if grid.wraps_y:
            row = row % grid.height
        inside = (column >= 0) & (column < grid.width) & (row >= 0) & (row < grid.height)
        there = row * grid.width + column
        totals += part
        some = np.flatnonzero(inside & (part > 0))
        origins.append(some)
        ends.append(there[some])
        parts.append(part[some])
    return Currents(np.concatenate(origins), np.concatenate(ends), np.concatenate(parts), totals)


def _on_graph(space: Space, moves: Floats) -> Currents:
    """Return the currents along edges: the component of the drift in the direction of each edge.

    On hexagons and meshes, whose cells cover the ground, all flows of a cell are scaled so that
    what moves from it moves by the drift in its direction.
    """
    graph = graph_of(space)
    topology = graph.topology
    origins = topology.origins.astype(np.int64)
    ends = topology.ends.astype(np.int64)
    away = graph.shortest_vectors(graph.positions[ends] - graph.positions[origins])
    which, away = both_directions(away, graph.period)
    origins = origins[which]
    ends = ends[which]
    lengths = np.sqrt((away * away).sum(axis=1))
    lengths[lengths == 0] = np.inf
    along = np.maximum((away * moves[origins]).sum(axis=1), 0) / lengths
    parts = along / lengths
    if isinstance(space, HexGrid):
        parts *= _OF_HEXAGONS
        steps = space.layout.places(STEPS) - space.layout.places(np.zeros((1, 2), dtype=np.int64))
        squares = (steps * steps).sum(axis=1)
        given = np.maximum(moves @ steps.T, 0) / squares
        cells = np.arange(len(space))
        there, inside = space.steps_from(cells)
        given[inside & (there == cells[:, np.newaxis])] = 0
        return Currents(origins, ends, parts, _OF_HEXAGONS * given.sum(axis=1))
    if graph.mesh is not None:
        moved = np.bincount(origins, weights=along * along, minlength=len(space))
        wanted = (moves * moves).sum(axis=1)
        scales = np.ones(len(space))
        np.divide(wanted, moved, out=scales, where=moved > 0)
        parts *= np.minimum(scales, _MOST_ON_MESHES)[origins]
    totals = np.bincount(origins, weights=parts, minlength=len(space)).astype(np.float64)
    return Currents(origins, ends, parts, totals)
