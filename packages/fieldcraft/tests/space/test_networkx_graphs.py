"""Graphs of networkx."""

from __future__ import annotations

import networkx as nx

from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Graph
from support.refusals import refused
from support.vertices import ROUND, SQUARE


def test_there_and_back_by_networkx() -> None:
    graph = Graph(SQUARE, ROUND, [1, 2, 3, 4], directed=True, blocked=[3])
    graph.set_edges((1, 2))
    other = graph.to_networkx()
    assert other.is_directed() and other.nodes[3] == {"pos": (0.0, 3.0), "blocked": True}
    assert other.edges[1, 2] == {"length": 2.0, "blocked": True}
    again = Graph.from_networkx(other, length="length")
    assert again.same_cells(graph) and again.labels == (0, 1, 2, 3)
    assert again.walls.tolist() == [False, False, False, True] and again.blocked_edges.tolist() == [
        [1, 2]
    ]


def test_what_is_blocked_comes_from_networkx() -> None:
    other = nx.MultiGraph()
    for number, place in enumerate(SQUARE):
        other.add_node(number, pos=place, blocked=number == 2)
    other.add_edge(3, 0, blocked=True)
    other.add_edge(0, 1, blocked=True)
    other.add_edge(1, 0)
    other.add_edge(1, 1, blocked=True)
    graph = Graph.from_networkx(other)
    assert graph.walls.tolist() == [False, False, True, False]
    assert [sorted(edge) for edge in graph.blocked_edges.tolist()] == [[0, 3]]
    other.nodes[1]["blocked"] = "no"
    with refused(InvalidValue, "blocked='no'"):
        Graph.from_networkx(other)
    other.nodes[1]["blocked"] = False
    other.edges[0, 3, 0]["blocked"] = 1
    with refused(InvalidValue, "blocked=1"):
        Graph.from_networkx(other)


def test_names_from_networkx() -> None:
    other = nx.Graph()
    for name, pos in (("hall", (0, 0)), ("cellar", (3, 4))):
        other.add_node(name, pos=pos)
    other.add_edge("hall", "cellar")
    graph = Graph.from_networkx(other)
    assert graph.labels == ("hall", "cellar") and graph.lengths.tolist() == [5]
    assert set(graph.to_networkx().edges) == {("hall", "cellar")}
    lattice = Graph.from_networkx(nx.grid_2d_graph(3, 2), position=None)
    assert (
        lattice.positions.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]
        and len(lattice.edges) == 7
    )
    assert len(Graph.from_networkx(nx.Graph())) == 0
    many = nx.MultiGraph()
    many.add_node(0, pos=(0, 0))
    many.add_node(1, pos=(1, 0))
    many.add_edge(0, 1, far=3)
    many.add_edge(0, 1, far=2)
    assert Graph.from_networkx(many, length="far").lengths.tolist() == [2]


def test_what_is_no_networkx_graph() -> None:
    with refused(InvalidValue, "list"):
        Graph.from_networkx([1, 2])
    with refused(InvalidValue, "'pos'"):
        Graph.from_networkx(nx.path_graph(3))
    placed = nx.path_graph(2)
    nx.set_node_attributes(placed, {0: (0, 0), 1: (1, 1, 1)}, "pos")
    with refused(InvalidValue, "Positions", "even"):
        Graph.from_networkx(placed)
    nx.set_node_attributes(placed, {0: (0, 0), 1: (1, 1)}, "pos")
    with refused(InvalidValue, "'length'"):
        Graph.from_networkx(placed, length="length")
