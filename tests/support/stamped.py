"""Stamps, drawn plainly."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.layers.propagation import Stamp


def drawn(
    stamp: Stamp, *, cell_size: float = 1.0, y_up: bool = False
) -> dict[tuple[int, int], float]:
    """The weights that are not 0, by their offset (columns, rows)."""
    weights, top, left = stamp.on(cell_size, y_up=y_up, most=50)
    rows, columns = np.nonzero(weights)
    keys = zip((columns + left).tolist(), (rows + top).tolist(), strict=True)
    return dict(zip(keys, weights[rows, columns].tolist(), strict=True))


def plain(width: int = 23, height: int = 17, **settings: object) -> fc.Layer:
    grid = fc.Grid(width, height, **settings)
    return fc.InfluenceMap(grid).add_layer("plain", values=np.zeros(grid.shape))
