"""Layers whose sources move by themselves."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc


def patrol(
    kind: fc.Radial | fc.Spread | fc.Diffuse | fc.Flood, space: str = "grid"
) -> fc.InfluenceMap:
    """A map with one layer whose sources have a velocity, a path, a schedule and a lifetime."""
    walls = np.zeros((7, 13), dtype=bool)
    walls[2:5, 7] = True
    grid = fc.HexGrid(13, 7, walls=walls) if space == "hexagons" else fc.Grid(walls=walls)
    imap = fc.InfluenceMap(grid.to_graph() if space == "graph" else grid)
    layer = imap.add_layer("threat", kind, every=0.25)
    layer.add_source((1.5, 1.5), 5.0).move((1.5, 1.5), velocity=(0.5, 0.25))
    guard = layer.add_source((9.5, 1.5), 3.0)
    guard.follow([(9.5, 5.5), (9.5, 1.5)], 2.0, repeat=True)
    guard.schedule([0, 1], [3.0, 1.0], period=1.5)
    layer.add_source((4.5, 5.5), -4.0, lifetime=1.0)
    return imap
