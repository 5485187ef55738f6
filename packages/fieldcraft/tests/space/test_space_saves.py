"""Spaces as plain data."""

from __future__ import annotations

import numpy as np

from fieldcraft import Grid, Terrain
from fieldcraft.space import Graph
from fieldcraft.space.encoding import digest, from_bytes, to_bytes


def test_grids_come_back() -> None:
    rng = np.random.default_rng(3)
    enter = np.ones((3, 3), np.bool_)
    enter[2, 2] = False
    terrain = Terrain(rng.integers(0, 3, (5, 9)), enter, ["road", "mud", "rock"])
    grids = [
        Grid(9, 5, walls=rng.random((5, 9)) < 0.3),
        Grid(
            9,
            5,
            cell_size=0.5,
            origin=(-3.0, 2.5),
            y_up=True,
            neighbors=[(1, 2), (-1, 0)],
            wrap=True,
        ),
        Grid(9, 5, neighbors=8, terrain=terrain, y_up=True),
    ]
    grids[1].set_walls([3, 7])
    for grid in grids:
        again = from_bytes(to_bytes((grid,)))[0]
        for name in ("shape", "cell_size", "origin", "y_up", "wrap", "neighborhood"):
            assert getattr(again, name) == getattr(grid, name)
        assert (again.walls == grid.walls).all()
        assert (again.links() == grid.links()).all()
        assert digest(again) == digest(grid)
    assert len({digest(grid) for grid in grids}) == 3


def test_graphs_come_back() -> None:
    corners = [
        (0.0, 0.0, 0.0),
        (2.0, 0.0, 0.0),
        (2.0, 2.0, 0.0),
        (0.0, 2.0, 0.0),
        (4.0, 0.0, 1.0),
        (4.0, 2.0, 1.0),
    ]
    graphs = [
        Graph(
            [(0, 0), (1, 0), (1, 3)],
            [(0, 1), (1, 2)],
            blocked=[2],
            y_up=True,
            labels=["a", ("b", 1), 3],
        ),
        Graph([(0, 0), (1, 0), (1, 3)], [(0, 1), (2, 1)], [5.0, 7.0], True),
        Graph.from_polygons(corners, [(0, 1, 2, 3), (1, 4, 5, 2)]),
        Graph(np.zeros((0, 2)), np.zeros((0, 2), np.int64)),
    ]
    graphs[0].set_edges([(0, 1)])
    for graph in graphs:
        again = from_bytes(to_bytes(graph))
        assert (again.positions == graph.positions).all()
        assert (again.edges == graph.edges).all()
        assert (again.walls == graph.walls).all()
        assert (again.blocked_arcs == graph.blocked_arcs).all()
        assert (again.directed, again.y_up, again.dimensions) == (
            graph.directed,
            graph.y_up,
            graph.dimensions,
        )
        assert digest(again) == digest(graph)
    assert len({digest(graph) for graph in graphs}) == 4
