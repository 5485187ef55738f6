"""Compiling before the first question."""

from __future__ import annotations

import numpy as np

from fieldcraft.paths import search
from fieldcraft.paths.blocking import would_block
from fieldcraft.paths.distance import DistanceMap
from fieldcraft.paths.flee import flee_map
from fieldcraft.paths.flow import flow_field
from fieldcraft.space import Graph, Grid

__all__ = ["compile_distances", "compile_graphs"]


def compile_distances() -> None:
    """Make, ask and repair a distance map of every kind once."""
    knight = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1), (1, 1)]
    for neighbors in (8, knight):
        for cost in (None, np.float32, np.float64):
            space = Grid(9, 5, neighbors=neighbors)
            field = DistanceMap(space, (4.5, 2.5), cost=None if cost is None else np.ones(space.shape, dtype=cost))
            field.at((0.5, 0.5))
            _use(field)
            would_block(space, [2], field)
            flee_map(field).descend((0.5, 0.5))
        _use(DistanceMap(Grid(9, 5, neighbors=neighbors), (4.5, 2.5), start_costs=1.0))
    for cost in (None, np.float64):
        _use(DistanceMap(Grid(9, 5, wrap=True), (4.5, 2.5), cost=None if cost is None else np.ones((5, 9))))


def compile_graphs() -> None:
    """Look for every kind of way on a graph and a mesh once."""
    corners = [(0, 0), (1, 0), (1, 1), (0, 1), (2, 0), (2, 1)]
    for shape in (corners, [(x, y, 0) for x, y in corners]):
        mesh = Graph.from_polygons(shape, [(0, 1, 2, 3), (1, 4, 5, 2)])
        uneven = Graph(mesh.positions, [(0, 1)], lengths=[1.0])
        for graph in (mesh, uneven):
            places = graph.positions
            for cost in (None, np.ones(2)):
                field = DistanceMap(graph, places[0], cost=cost)
                field.at(places[1])
                flow = flow_field(field)
                flow.sample(places)
                field.descend(places[1])
                graph.set_walls([1])
                field.repair()
                graph.set_walls([1], False)
                field.repair()
                flow.version  # noqa: B018
                search.shortest_path(graph, places[0], places[1], cost=cost, smooth=graph is mesh)
            flee_map(DistanceMap(graph, places[0]))


def _use(field: DistanceMap) -> None:
    field.descend((0.5, 0.5))
    assert field.values.size
    field.space.set_walls([3])
    field.repair()
