"""Radial footprints on a graph, called as the compiled kernels are; see
`fieldcraft.kernels.reference.graph_radial`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import graph_radial as reference

__all__ = ["connected", "path"]

Whole = NDArray[np.int64]
Ends = NDArray[np.int32]


def connected(
    starts: Whole,
    ends: Ends,
    positions: NDArray[np.float64],
    vertex: int,
    radius: float,
    _seen: Whole,
    _mark: int,
    cells: Ends,
    squares: NDArray[np.float64],
    _head: int,
    _tail: int,
    _most: int,
) -> tuple[int, int]:
    """Search outwards from a vertex within a straight radius; returns (count, count), since it is
    done.
    """
    found = reference.connected(starts, ends, positions, vertex, radius)
    cells[: len(found)], squares[: len(found)] = list(found), list(found.values())
    return len(found), len(found)


def path(
    starts: Whole,
    ends: Ends,
    lengths: Whole,
    vertex: int,
    limit: int,
    _best: Whole,
    _seen: Whole,
    _mark: int,
    _keys: Whole,
    _nodes: Ends,
    state: Whole,
    cells: Ends,
    gone: Whole,
    _most: int,
) -> None:
    """Search outwards by walking distance up to `limit`; `state` = [waiting, found, begun] says
    that it is done.
    """
    found = reference.path(starts, ends, lengths, vertex, limit)
    cells[: len(found)], gone[: len(found)] = list(found), list(found.values())
    state[:] = 0, len(found), 1
