"""First legs of paths: straight to the next cell, or along an edge between waypoints."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Graph, Space

_BESIDE = 1e-6  # of its length, that an agent on an edge may be beside it


def _has_waypoints(space: Space) -> bool:
    """Return whether agents on a space walk along straight edges."""
    return isinstance(space, Graph) and space.mesh is None


def from_edge(
    space: Space, start: NDArray[np.float64], cells: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Return the cells of a path and its first position, None for the center of the first cell.

    Agents on waypoints walk along edges. For an agent on an edge of the first vertex the path
    starts on the edge, and the edge's other vertex is put in front, unless the path follows the
    edge back.
    """
    if not _has_waypoints(space) or start.tolist() == space.position_of(cells[0]).tolist():
        return cells, start
    if _on_edges(space, start, cells[0], cells[1:2]).any():
        return cells, start
    origins = space.steps_into(int(cells[0]))[0]
    behind = origins[_on_edges(space, start, cells[0], origins)][:1]
    return np.concatenate([behind, cells]), start if len(behind) else None


def _on_edges(
    space: Space,
    position: NDArray[np.float64],
    vertex: NDArray[np.int64],
    others: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return whether a position is between a vertex and each of some others, (N,)."""
    center = space.position_of(vertex)
    edges = space.shortest_vectors(space.position_of(others) - center)
    leg = space.shortest_vectors(position - center)
    squares = np.maximum((edges**2).sum(axis=1), np.finfo(np.float64).tiny)
    shares = edges @ leg / squares
    off = ((leg - shares[:, np.newaxis] * edges) ** 2).sum(axis=1)
    return np.asarray((shares > 0) & (shares < 1) & (off <= _BESIDE**2 * squares))


def first_leg(space: Space, cells: NDArray[np.int64], start: NDArray[np.float64]) -> float:
    """Return the length from a start to the second cell of a path."""
    second = space.position_of(cells.item(1))
    leg = math.hypot(*space.shortest_vectors(second - start).tolist())
    if not _has_waypoints(space):
        return leg
    edge = math.hypot(*space.shortest_vectors(second - space.position_of(cells.item(0))).tolist())
    return leg / edge * float(space.step_lengths(cells[:2])[0])
