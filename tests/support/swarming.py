"""Small swarms."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.space.wrapping import Wrap
from fieldcraft.steering import Walk

HOW = Walk(4.0, follow=1.0, wander=9.0, turn=30.0, distance=4.0, avoid=1.0)


def world_of(
    *, wrap: Wrap = False, share: float = 0.1, y_up: bool = False
) -> tuple[fc.Grid, fc.InfluenceMap]:
    walls = np.random.default_rng(3).random((34, 51)) < share
    grid = fc.Grid(51, 34, cell_size=0.5, origin=(-3.0, 7.0), walls=walls, wrap=wrap, y_up=y_up)
    return grid, fc.InfluenceMap(grid)


def swarm() -> steering.Swarm:
    made = steering.Swarm.scattered(fc.Grid(14, 9), 20, seed=3)
    made.run(steering.Walk(2.0), 0.1, steps=4)
    return made
