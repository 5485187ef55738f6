"""Spread on graphs: the same bits as the reference, as on a grid, and in the end what Dijkstra
says.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.layers.propagation.spread.spread import FALLOFFS
from fieldcraft.layers.propagation.spread.spread_on_graph import GraphSpreadField
from fieldcraft.space import Graph
from fieldcraft.space.wrapping import Wrap
from oracles import spread as reference
from oracles.spread import moved, settled
from support.refusals import refused
from support.worlds import WRAPS

SPREADS = [
    fc.Spread(0.3, 0.6),
    fc.Spread(0.05, 1.0, floor=0),
    fc.Spread(0.2, 0.5, half_life=0.3),
    fc.Spread(0.2, 0.5, "linear"),
    fc.Spread(0.1, 0.4, "quadratic", half_life=2.0),
    fc.Spread(0.1, 1.0, "cubic"),
]


def scattered(rng: np.random.Generator, count: int, *, directed: bool = False) -> Graph:
    """Random places in the plane, each joined to some near it and some far away."""
    places = rng.random((count, 2)) * np.sqrt(count)
    tree_like = np.stack([np.arange(1, count), rng.integers(0, np.arange(1, count))], axis=1)
    chance = rng.integers(0, count, (2 * count, 2))
    return Graph(
        places, np.concatenate([tree_like, chance[chance[:, 0] != chance[:, 1]]]), directed=directed
    )


def plain(
    field: GraphSpreadField, spread: fc.Spread, values: NDArray[np.float32]
) -> NDArray[np.float32]:
    """What the reference makes of values by vertex, for the walls and held vertices of a field,
    over the arcs as they are numbered.
    """
    topology, walls = field.space.topology, field.space.walls.astype(np.uint8)
    walls[field.pinned] = 1
    exponent = FALLOFFS[spread.falloff]
    loss = spread.decay * topology.lengths
    way = (np.exp(-loss) if exponent == 0 else loss).astype(np.float32)
    way[field.space.blocked_arcs] = 0 if exponent == 0 else np.finfo(np.float32).max
    keep = np.float32(-1 if spread.half_life is None else 0.5 ** (0.1 / spread.half_life))
    target = arriving(topology, values, way, exponent)
    after = moved(values, target, np.float32(spread.momentum), keep, np.float32(spread.floor))
    return np.where(walls != 0, values, after)


def arriving(
    topology: Any, values: NDArray[np.float32], losses: NDArray[np.float32], exponent: int
) -> NDArray[np.float32]:
    """What the reference says arrives in each vertex."""
    ends = np.repeat(np.arange(len(values)), np.diff(topology.starts))
    return reference.arriving(values, ends, topology.origins, losses, exponent, len(values))


@pytest.mark.parametrize("spread", SPREADS, ids=str)
@pytest.mark.parametrize(("count", "directed"), [(37, False), (900, True), (6_000, False)])
def test_steps_are_those_of_the_reference(spread: fc.Spread, count: int, directed: bool) -> None:
    rng = np.random.default_rng(count)
    graph = scattered(rng, count, directed=directed)
    graph.set_walls(rng.choice(count, count // 9, replace=False))
    imap = fc.InfluenceMap(graph)
    layer = imap.add_layer("noise", spread)
    strengths = rng.normal(size=5) * 4 if count != 900 else rng.random(5) * 4
    layer.add_sources(
        graph.positions[rng.choice(np.flatnonzero(~graph.walls), 5, replace=False)], strengths
    )
    field = layer.steps.field
    assert isinstance(field, GraphSpreadField)
    for turn in range(30):
        if turn == 8:
            graph.set_walls(rng.choice(count, 3, replace=False), blocked=bool(rng.random() < 0.5))
        if turn == 12:
            graph.set_edges(
                graph.edges[rng.choice(len(graph.edges), len(graph.edges) // 4, replace=False)]
            )
        if turn == 16:
            layer.sources.remove(layer.sources.ids[:2])
        if turn == 20:
            layer.deposit(graph.positions[np.flatnonzero(~graph.walls)[-1]], -3.0)
        before = layer.read()
        layer.steps.feed()
        held = np.array(layer.steps.values)
        imap.step()
        np.testing.assert_array_equal(
            layer.values, plain(field, spread, held), err_msg=f"turn {turn}, {before[:3]}"
        )


@pytest.mark.parametrize("spread", SPREADS[:3], ids=str)
def test_what_is_at_rest_is_skipped_and_woken(spread: fc.Spread) -> None:
    rng = np.random.default_rng(8)
    graph = fc.Grid(90, 60, neighbors=8).to_graph()
    layer = fc.InfluenceMap(graph).add_layer("noise", spread)
    field = layer.steps.field
    assert isinstance(field, GraphSpreadField)
    values = np.array(layer.values)
    fewest = field._active_set.count
    for turn in range(260):
        if turn in (0, 60, 200):
            layer.add_source(
                graph.positions[rng.integers(len(graph))], float(rng.random() * 3), lifetime=3.0
            )
        if turn == 230:
            graph.set_walls(rng.choice(len(graph), 200, replace=False))
        layer.steps.feed()
        values = plain(field, spread, np.array(layer.steps.values))
        layer.step()
        np.testing.assert_array_equal(layer.values, values, err_msg=f"turn {turn}")
        fewest = min(fewest, field._active_set.active)
    if kernels.compiled():
        assert fewest < field._active_set.count


@pytest.mark.parametrize("neighbors", [4, 8, [(1, 2), (2, 1), (-1, 0)]])
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("spread", SPREADS[::2], ids=str)
def test_a_grid_as_a_graph_gives_the_same_values(neighbors, wrap: Wrap, spread: fc.Spread) -> None:
    rng = np.random.default_rng(4)
    grid = fc.Grid(
        23, 17, cell_size=1.5, walls=rng.random((17, 23)) < 0.2, neighbors=neighbors, wrap=wrap
    )
    maps = [fc.InfluenceMap(grid), fc.InfluenceMap(grid.to_graph())]
    layers = [imap.add_layer("noise", spread) for imap in maps]
    spots = grid.position_of(rng.choice(np.flatnonzero(~grid.walls), 6, replace=False))
    for imap, layer in zip(maps, layers, strict=True):
        layer.add_sources(spots, [3, -2, 0.5, 8, -8, 1], lifetimes=1.0)
        layer.add_source(grid.position_of(np.flatnonzero(grid.walls)[0]), 5, on_wall="through")
        imap.step(7)
    np.testing.assert_array_equal(layers[0].values.reshape(-1), layers[1].values)
    for imap in maps:
        imap.step(30)
    np.testing.assert_array_equal(layers[0].values.reshape(-1), layers[1].values)
    layers[0].settle()
    layers[1].settle()
    np.testing.assert_array_equal(layers[0].values.reshape(-1), layers[1].values)


@settings(max_examples=16, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6), st.sampled_from(SPREADS), st.booleans())
def test_settling_is_that_of_the_reference(seed: int, spread: fc.Spread, directed: bool) -> None:
    rng = np.random.default_rng(seed)
    graph = scattered(rng, int(rng.integers(2, 60)), directed=directed)
    layer = fc.InfluenceMap(graph).add_layer("noise", spread)
    layer.add_sources(graph.positions[rng.integers(0, len(graph), 3)], rng.integers(-2, 3, 3) * 1.5)
    layer.steps.feed()
    ground = graph.topology
    loss = spread.decay * ground.lengths
    exponent = FALLOFFS[spread.falloff]
    way = (np.exp(-loss) if exponent == 0 else loss).astype(np.float32)
    frozen = np.isin(np.arange(len(graph)), layer.sources.cells).astype(np.uint8)
    expected = settled(
        np.array(layer.steps.values),
        frozen,
        lambda values: arriving(ground, values, way, exponent),
        np.float32(spread.floor),
    )
    layer.settle()
    np.testing.assert_array_equal(layer.values, expected)


@pytest.mark.parametrize("spread", [SPREADS[0], SPREADS[4]], ids=str)
def test_threads_budgets_and_batches_change_nothing(spread: fc.Spread) -> None:
    graph = fc.Grid(
        260, 240, neighbors=8, walls=np.arange(62400).reshape(240, 260) % 29 == 0
    ).to_graph()
    results = []
    for way in range(4):
        fc.set_threads(1 if way == 0 else 2)
        imap = fc.InfluenceMap(graph)
        layer = imap.add_layer("noise", spread)
        layer.add_sources([(9.5, 9.5), (200.5, 100.5)], [5, 3], on_wall="nearest")
        if way == 2:
            imap.step(24)
        elif way == 3:
            for _ in range(3):
                imap.advance(0.8, budget_work=7, max_steps=99)
            while layer.lag > 0:
                imap.advance(0, budget_work=1, max_steps=99)
        else:
            for _ in range(24):
                imap.step()
        results.append(layer.read())
    for one, other in itertools.pairwise(results):
        np.testing.assert_array_equal(one, other)


def test_a_saved_mesh_comes_back(tmp_path) -> None:
    corners = [(0, 0, 0), (2, 0, 0), (2, 2, 1), (0, 2, 1), (4, 1, 0.5)]
    graph = Graph.from_polygons(corners, [(0, 1, 2, 3), (1, 4, 2)], max_height=2, y_up=True)
    named = Graph(graph.positions, graph.edges, labels=["hall", ("tower", 2)])
    for number, each in enumerate((graph, named)):
        each.set_edges(each.edges[:1])
        imap = fc.InfluenceMap(each)
        imap.add_layer("air", fc.Spread(0.1, 0.5), walls=False)
        imap.save(tmp_path / f"{number}.fc")
        loaded = fc.InfluenceMap.load(tmp_path / f"{number}.fc")
        again = loaded.space
        assert loaded["air"].space.same_cells(each)
        np.testing.assert_array_equal(again.blocked_edges, each.blocked_edges)
        assert (
            again.same_cells(each)
            and again.labels == each.labels
            and again.max_height == each.max_height
        )
        assert again.y_up == each.y_up and (again.mesh is None) == (each.mesh is None)
    assert fc.InfluenceMap.load(tmp_path / "0.fc").space.cell_at(
        [(0.1, 1.9, 1), (3.9, 1, 0.4)]
    ).tolist() == [0, 1]


def test_sources_stand_on_vertices_in_3d() -> None:
    graph = Graph([(0, 0, 0), (0, 0, 5), (3, 0, 0)], [(0, 2)], blocked=[2])
    layer = fc.InfluenceMap(graph).add_layer("noise", fc.Spread(0.1, 1.0))
    source = layer.add_source((0.2, 0.1, 4), strength=2)
    assert (
        source.position == (0.2, 0.1, 4.0)
        and repr(source) == f"<Source {source.id} at (0.2, 0.1, 4), strength 2>"
    )
    layer.step()
    assert layer.values.tolist() == [0, 2, 0] and layer.sample((0, 0, 6)) == 2
    source.move((0, 0, 0))
    with refused(OnWall, "(0.0, 0.0, 0.0)"):
        source.move((3, 0, 0))
    with refused(InvalidValue, "(x, y, z)"):
        layer.add_source((1, 2))
    assert source.position == (0, 0, 0)
    assert "strongest 2" in str(layer) and repr(layer).startswith("<SpreadLayer 'noise' on 3, ")


def test_an_edge_that_opens_lets_influence_through() -> None:
    graph = Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
    graph.set_edges((1, 2))
    layer = fc.InfluenceMap(graph).add_layer("noise", fc.Spread(0, 1.0))
    layer.add_source((0, 0))
    layer.step(3)
    assert layer.values.tolist() == [1, 1, 0]
    graph.set_edges((2, 1), blocked=False)
    layer.step(1)
    assert layer.values.tolist() == [1, 1, 1]
    graph.set_walls(1)
    layer.step(2)
    assert layer.values.tolist() == [1, 0, 0]


def test_layers_on_graphs_mix_in_expressions_and_teams() -> None:
    rng = np.random.default_rng(0)
    graph = scattered(rng, 80)
    imap = fc.InfluenceMap(graph)
    teams = imap.add_teams(["red", "blue"], fc.Spread(0.3, 1.0))
    teams["red"].add_source(graph.positions[3], 4)
    teams["blue"].add_source(graph.positions[60], 3)
    own = imap.add_layer("own", values=rng.random(80))
    imap.step(30)
    red, blue = teams["red"].values, teams["blue"].values
    np.testing.assert_array_equal((teams["red"] - 2 * own).values, red - np.float32(2) * own.values)
    np.testing.assert_array_equal(teams.influence("red").values, red - blue)
    np.testing.assert_array_equal(teams.owner(), np.where(red >= blue, 0, 1))
    np.testing.assert_array_equal(fc.maximum(teams["red"], rng.random(80).round() * 0).values, red)
    assert (teams["red"].normalize()).values.max() == 1
    assert (own + 0).sample(graph.positions[5]) == own.values[5]
    with refused(InvalidValue, "vertex 3"):
        own.write(np.where(np.arange(80) == 3, np.nan, 0))
    with refused(InvalidValue, "same space"):
        own + fc.InfluenceMap(scattered(rng, 80)).add_layer("x", values=np.zeros(80))
    with refused(InvalidValue, "same space"):
        own + fc.InfluenceMap(fc.Grid(8, 10)).add_layer("x", values=np.zeros((10, 8)))


def test_what_needs_a_grid_says_so() -> None:
    imap = fc.InfluenceMap(Graph([(0, 0)], []))
    with refused(InvalidValue, "grid"):
        imap.add_layer("a", fc.Spread(1, 1), cell_size=2)
    assert "a" not in imap


def test_an_empty_graph_carries_layers() -> None:
    imap = fc.InfluenceMap(Graph([], []))
    layer = imap.add_layer("noise", fc.Spread(0.1, 0.5))
    imap.step(3)
    layer.settle()
    assert layer.values.shape == (0,) and (layer + 1).values.shape == (0,)
    str(layer)
