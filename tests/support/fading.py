"""Layers that remember marks."""

from __future__ import annotations

import fieldcraft as fc
from fieldcraft.layers.propagation import Fade


def remembering(
    fade: Fade | None = None,
    width: int = 13,
    height: int = 7,
    every: float = 0.1,
    **settings: object,
) -> fc.Layer:
    imap = fc.InfluenceMap(fc.Grid(width, height, **settings))
    layer = imap.add_layer("memory", fade or Fade(), every=every)
    layer.imap = imap
    return layer
