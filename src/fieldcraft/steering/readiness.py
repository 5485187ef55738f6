"""Compiling before the first step."""

from __future__ import annotations

import numpy as np

from fieldcraft.paths import distance_map, flow_field
from fieldcraft.space import Graph, Grid
from fieldcraft.steering.behaviors import follow_flow
from fieldcraft.steering.context import context
from fieldcraft.steering.crowd import Crowd
from fieldcraft.steering.neighbors import Neighbors, alignment, separation
from fieldcraft.steering.travellers import Travellers
from fieldcraft.steering.walkers import Walk, Walkers
from fieldcraft.steering.walls import avoid_walls, move

__all__ = ["compile_all"]


class _Small:
    """A map to look at."""

    def __init__(self) -> None:
        self.space = Grid(5, 4, neighbors=8)
        self.values = np.arange(20, dtype=np.float32).reshape(4, 5)


def compile_all() -> None:
    """Take every kind of step once."""
    small = _Small()
    places, still = np.array([[1.5, 1.5], [2.5, 1.5]]), np.zeros((2, 2))
    flow = flow_field(distance_map(small.space, (0.5, 0.5)))
    follow_flow(places, still, flow, 1.0)
    near = Neighbors(places, 2.0)
    near.nearest()
    separation(near)
    alignment(near, still)
    move(small.space, places, still)
    avoid_walls(small.space, places, still + 1.0, 1.0)
    context(places, still, small, max_speed=1.0, reach=2.0)
    Walkers.at(small.space, places, (1.0, 0.0)).walk(Walk(1.0), 0.1)
    Crowd(small.space).step(places, still, flow, 0.1, max_speed=1.0)
    corners = [(0, 0), (1, 0), (1, 1), (0, 1), (2, 0), (2, 1)]
    for shape in (corners, [(x, y, 0) for x, y in corners]):
        mesh = Graph.from_polygons(shape, [(0, 1, 2, 3), (1, 4, 5, 2)])
        way = flow_field(distance_map(mesh, mesh.positions[0]))
        for leap in (False, True, way):
            move(mesh, mesh.positions, still + 1.0, leap=leap)
        Crowd(mesh).step(mesh.positions, still, way, 0.1, max_speed=1.0)
        for choice in (way, [1, 0]):
            Travellers.at(mesh, mesh.positions).travel(choice, 0.5)
