"""Layers with trails."""

from __future__ import annotations

import fieldcraft as fc
from fieldcraft.layers.propagation import Trail


def trailing(
    trail: Trail, width: int = 19, height: int = 13, every: float = 0.1, **settings: object
) -> fc.Layer:
    imap = fc.InfluenceMap(fc.Grid(width, height, **settings))
    layer = imap.add_layer("trail", trail, every=every)
    layer.imap = imap
    return layer
