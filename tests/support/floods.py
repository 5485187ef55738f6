"""Caves for floods."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc

FREE = {"barrier_angle": 180.0, "most_hot": 10**6, "most_steps": 10**6}


def cave(seed: int, neighbors: int = 8, walls: float = 0.3, **settings: object) -> fc.Grid:
    rng = np.random.default_rng(seed)
    return fc.Grid(37, 22, walls=rng.random((22, 37)) < walls, neighbors=neighbors, **settings)  # type: ignore[arg-type]


def levels(space: fc.Grid | fc.Graph, start: int) -> dict[int, int]:
    """Steps from a cell, by a plain breadth-first search."""
    ways = space.adjacency
    found, waiting = {start: 0}, [start]
    for cell in waiting:
        for end in ways.ends[ways.starts[cell] : ways.starts[cell + 1]].tolist():
            if end not in found:
                found[end] = found[cell] + 1
                waiting.append(end)
    return found
