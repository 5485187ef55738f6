"""First legs of paths: straight to the next cell, or along an edge between waypoints."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Graph, Space

# An agent is on an edge if it is no farther beside it than this share of the edge's length.
_BESIDE = 1e-6


def has_waypoints(space: Space) -> bool:
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
    if not has_waypoints(space) or start.tolist() == space.position_of(cells[0]).tolist():
        return cells, start
    if on_edges(space, start, int(cells[0]), cells[1:2]).any():
        return cells, start
    origins = space.steps_into(int(cells[0]))[0]
    behind = origins[on_edges(space, start, int(cells[0]), origins)][:1]
    if not len(behind):
        return cells, None
    return np.concatenate([behind, cells]), start


def on_edges(
    space: Space, position: NDArray[np.float64], vertex: int, others: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether a position is between a vertex and each of some others, (N,)."""
    edges, leg = _from_vertex(space, position, vertex, others)
    shares = share_of_edges(space, position, vertex, others)
    off = ((leg - shares[:, np.newaxis] * edges) ** 2).sum(axis=1)
    squares = np.maximum((edges**2).sum(axis=1), np.finfo(np.float64).tiny)
    return np.asarray((shares > 0) & (shares < 1) & (off <= _BESIDE**2 * squares))


def share_of_edges(
    space: Space, position: NDArray[np.float64], vertex: int, others: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how far along the edges from a vertex to some others a position lies, as shares of
    their lengths, (N,).
    """
    edges, leg = _from_vertex(space, position, vertex, others)
    squares = np.maximum((edges**2).sum(axis=1), np.finfo(np.float64).tiny)
    return np.asarray(edges @ leg / squares)


def _from_vertex(
    space: Space, position: NDArray[np.float64], vertex: int, others: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the vectors from a vertex to some others, and to a position."""
    center = space.position_of(vertex)
    edges = space.shortest_vectors(space.position_of(others) - center)
    return edges, space.shortest_vectors(position - center)


def first_leg(space: Space, cells: NDArray[np.int64], start: NDArray[np.float64]) -> float:
    """Return the length from a start to the second cell of a path."""
    second = space.position_of(cells.item(1))
    leg = math.hypot(*space.shortest_vectors(second - start).tolist())
    if not has_waypoints(space):
        return leg
    edge = math.hypot(*space.shortest_vectors(second - space.position_of(cells.item(0))).tolist())
    return leg / edge * float(space.step_lengths(cells[:2])[0])
