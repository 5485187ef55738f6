"""Where the hills are."""

from __future__ import annotations

import numpy as np

from fieldcraft import checks, kernels
from fieldcraft.query import graph_spots
from fieldcraft.query.graph_ground import is_on_graph
from fieldcraft.query.ground import Ground, Readable, squared
from fieldcraft.space.beside import moves_beside
from fieldcraft.space.spots import Spots

__all__ = ["peaks"]


def peaks(layer: Readable, count: int | None = None, *, spacing: float = 0.0, threshold: float = 0.0) -> Spots:
    """The local maxima, strongest first: open cells beside which, one step of the space's neighbourhood away, nothing is higher.

    A plateau of equal values counts once, by its cell nearest to its middle. Of equal peaks the lowest cell comes first.

    Parameters
    ----------
    layer: a layer or an expression.
    count: how many at most; None for all.
    spacing: the least distance to the stronger peaks before it, world units from centre to centre.
    threshold: only values above this count.

    Returns `Spots` with as many entries as were found: positions (K, 2), values (K,), cells (K,). Raises `InvalidValue`.
    """
    if is_on_graph(layer):
        return graph_spots.peaks(layer, count, spacing, threshold)
    ground = Ground(layer)
    space = ground.space
    most = len(space) if count is None else min(checks.whole("count", count, minimum=1), len(space))
    spacing2 = squared(checks.not_negative("spacing", spacing), space.cell_size, at_least=True)
    above = checks.finite("threshold", threshold)
    ops = kernels.peaks
    found = np.empty(len(space), dtype=np.int64)
    cells = found[: ops.peaks(ground.values, ground.walls, *moves_beside(space), above, space.wrap, found)]
    cells = cells[np.lexsort((cells, -ground.flat[cells]))]
    if spacing > 0:
        kept = np.empty(min(most, len(cells)), dtype=np.int64)
        closed = np.zeros(space.shape, dtype=np.uint8)
        cells = kept[: kernels.best.thin(cells, closed, spacing2, space.wrap, len(kept), kept)]
    return Spots.at(cells[:most].copy(), space, ground.flat, ranked=True)
