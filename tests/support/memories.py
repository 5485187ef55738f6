"""Snapshots of searches."""

from __future__ import annotations

from typing import Any

import fieldcraft as fc

GRID = fc.generate_map("cave", 31, 22, seed=5, neighbors=8)
SPACES = {"grid": GRID, "graph": GRID.to_graph(), "torus": fc.Grid(9, 7, wrap=True)}


def middle(space: Any) -> Any:
    return space.position_of(space.nearest_open(len(space) // 2))
