"""The polygons of a mesh as agents walk on them."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.space.mesh.floors import floors_of

CORNERS = [(0, 0), (2, 0), (2, 2), (0, 2), (4, 0), (4, 2)]
SQUARES = [[0, 1, 2, 3], [1, 4, 5, 2]]


def rooms() -> fc.Graph:
    return fc.Graph.from_polygons(CORNERS, SQUARES)


def test_a_portal_leads_to_the_other_room() -> None:
    floors = floors_of(rooms())
    portals = floors.portals
    assert portals.behind.tolist() == [1, 0]
    assert np.unique(portals.sides[:, [0, 2]]).tolist() == [2]
    assert not portals.leaps.any()
    assert not floors.blocked.any()


def test_blocked_rooms_and_edges_block_portals() -> None:
    graph = rooms()
    graph.set_walls(1)
    assert floors_of(graph).blocked.tolist() == [True, False]
    graph.set_walls(1, blocked=False)
    graph.set_edges((0, 1))
    assert floors_of(graph).blocked.all()
    assert floors_of(graph) is floors_of(graph)


def test_an_edge_over_a_gap_is_leapt_along() -> None:
    corners = [(0, 0), (2, 0), (2, 2), (0, 2), (3, 0), (5, 0), (5, 2), (3, 2)]
    mesh = fc.Mesh(corners, [[0, 1, 2, 3], [4, 5, 6, 7]])
    graph = fc.Graph(mesh.centers, [(0, 1)], mesh=mesh)
    floors = floors_of(graph)
    assert floors.portals.leaps.all()
    assert not floors.blocked.any()
