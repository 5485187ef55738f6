"""Layers that spread."""

from __future__ import annotations

import fieldcraft as fc

POWERS = ("exponential", "linear", "quadratic", "cubic")


def stand(
    imap: fc.InfluenceMap, spread: fc.Spread, cells: dict[int, float], **settings: object
) -> fc.Layer:
    """A layer with sources in these cells."""
    layer = imap.add_layer("layer", spread, **settings)
    if cells:
        layer.add_sources(
            layer.space.position_of(list(cells)), list(cells.values()), on_wall="through"
        )
    return layer
