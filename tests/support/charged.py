"""Small spaces for searches with charges on entering cells."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc


def charged_space(seed: int, kind: str):
    rng = np.random.default_rng(seed)
    walls = rng.random((5, 8)) < 0.2
    walls[2, 3] = False
    grid = fc.Grid(
        walls=walls, neighbors=8 if kind == "king" else 4, wrap=kind == "torus", cell_size=2.0
    )
    if kind != "graph":
        return grid
    edges = [(a, b) for a in range(12) for b in range(12) if a != b and rng.random() < 0.25]
    return fc.Graph(rng.random((12, 2)) * 9, np.array(edges), directed=True)
