"""Radial footprints, called as the compiled kernels are; see
`fieldcraft.kernels.reference.radial`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import radial as reference
from fieldcraft.kernels.reference.radial import (
    clear,
    mark_boxes,
    publish,
    reaching,
    scatter,
    scatter_strongest,
    stamp,
    stamp_many,
    stamp_strongest,
)

__all__ = [
    "clear",
    "connected",
    "connected_many",
    "mark_boxes",
    "path",
    "publish",
    "reaching",
    "scatter",
    "scatter_strongest",
    "stamp",
    "stamp_many",
    "stamp_strongest",
]

Cells = NDArray[np.int64]
Links = NDArray[np.unsignedinteger]


def connected(
    links: Links,
    _masks: Links,
    steps: Cells,
    cell: int,
    radius: float,
    wrap: bool,
    _seen: Cells,
    _mark: int,
    cells: Cells,
    squares: Cells,
    _head: int,
    _tail: int,
    _most: int,
) -> tuple[int, int]:
    """Search outwards from a cell over linked cells within a radius (in cells); returns (count,
    count), since it is done.
    """
    found = reference.connected(links, steps, cell, radius, wrap)
    cells[: len(found)], squares[: len(found)] = list(found), list(found.values())
    return len(found), len(found)


def connected_many(
    sums: Cells,
    dirty: NDArray[np.uint8],
    links: Links,
    _masks: Links,
    steps: Cells,
    wrap: bool,
    cells: Cells,
    strengths: NDArray[np.float64],
    which: Cells,
    radii: NDArray[np.float64],
    weights: NDArray[np.float64],
    starts: Cells,
    _seen: Cells,
    mark: int,
    *_scratch: Any,
) -> int:
    """`connected` and `scatter` for many sources of small radius, one after the other; returns the
    mark.
    """
    for cell, strength, shape in zip(
        cells.tolist(), strengths.tolist(), which.tolist(), strict=True
    ):
        found = reference.connected(links, steps, cell, float(radii[shape]), wrap)
        shares = weights[starts[shape] + np.array(list(found.values()), dtype=np.int64)]
        scatter(sums, dirty, np.array(list(found), dtype=np.int64), shares, strength, 0, len(found))
    return mark


def path(
    links: Links,
    _masks: Links,
    steps: Cells,
    lengths: Cells,
    cell: int,
    limit: int,
    wrap: bool,
    _best: Cells,
    _seen: Cells,
    _mark: int,
    _heads: Cells,
    _node_cells: Cells,
    _node_next: Cells,
    state: Cells,
    cells: Cells,
    gone: Cells,
    _most: int,
) -> None:
    """Search outwards by walking distance up to `limit`; `state` = [bucket, found, waiting, nodes]
    says that it is done.
    """
    found = reference.path(links, steps, lengths, cell, limit, wrap)
    cells[: len(found)], gone[: len(found)] = list(found), list(found.values())
    state[:] = 0, len(found), 0, 1
