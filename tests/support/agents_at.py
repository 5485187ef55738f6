"""Agents beside the centers of cells."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc


def random_space(kind: str, rng: np.random.Generator) -> fc.Space:
    walls = rng.random((7, 9)) < 0.25
    if kind == "hex":
        return fc.HexGrid(9, 7, walls=walls)
    grid = fc.Grid(
        9, 7, walls=walls, neighbors=4 if kind == "four" else 8, wrap=kind == "torus", cell_size=2.0
    )
    return grid.to_graph() if kind == "graph" else grid
