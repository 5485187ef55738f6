"""Radial layers on graphs: the same values as on the grid, exact under change, and what they
refuse.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.layers.propagation.radial import footprints
from fieldcraft.space.wrapping import Wrap

pytestmark = pytest.mark.reference

METRICS = ("straight", "connected", "path")


def grid(seed: int, neighbors: int = 8, wrap: Wrap = False) -> fc.Grid:
    rng = np.random.default_rng(seed)
    return fc.Grid(21, 17, walls=rng.random((17, 21)) < 0.25, neighbors=neighbors, wrap=wrap)


def scattered(seed: int, directed: bool = False, dimensions: int = 2) -> fc.Graph:
    """Vertices all over, joined to some near ones, with lengths of their own."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(0, 30, (150, dimensions))
    away = np.sqrt(((places[:, None] - places) ** 2).sum(axis=2))
    edges = np.argwhere((away < 5) & (away > 0) & (rng.random(away.shape) < 0.7))
    lengths = away[edges[:, 0], edges[:, 1]] * rng.uniform(0.7, 1.4, len(edges))
    return fc.Graph(places, edges, lengths, directed, blocked=rng.permutation(150)[:15])


@settings(max_examples=12)
@given(
    st.integers(0, 2**16),
    st.sampled_from(METRICS),
    st.sampled_from(["sum", "max"]),
    st.sampled_from([4, 8]),
    st.booleans(),
)
def test_a_grid_and_its_graph_have_the_same_values(
    seed: int, metric: str, blend: str, neighbors: int, wrap: Wrap
) -> None:
    space, rng = grid(seed, neighbors, wrap), np.random.default_rng(seed)
    places = space.position_of(rng.integers(0, len(space), 8))
    strengths, radii = rng.uniform(-5, 5, 8), rng.uniform(0.4, 7, 8)
    found = []
    for each in (space, space.to_graph()):
        layer = fc.InfluenceMap(each).add_layer("a", fc.Radial(3, "parabolic", metric, blend))
        layer.add_sources(places, strengths, radii=radii, on_wall="through")
        layer.step()
        found.append(layer.values.reshape(-1))
    np.testing.assert_array_equal(*found)


@settings(max_examples=12)
@given(
    st.integers(0, 2**16), st.sampled_from(METRICS), st.sampled_from(["sum", "max"]), st.booleans()
)
def test_exact_under_change(seed: int, metric: str, blend: str, directed: bool) -> None:
    graph, rng = scattered(seed, directed), np.random.default_rng(seed)
    imap = fc.InfluenceMap(graph)
    layer = imap.add_layer("a", fc.Radial(6, "linear", metric, blend))
    ids = layer.add_sources(graph.position_of(rng.integers(0, 150, 9)), 2.0, on_wall="through")
    for turn in range(6):
        some = rng.choice(ids, 4, replace=False)
        layer.sources.move(some, graph.position_of(rng.integers(0, 150, 4)), on_wall="through")
        layer.sources.set_radii(some[:2], rng.uniform(1, 12, 2))
        if turn % 2:
            graph.set_walls(rng.integers(0, 150, 3), bool(rng.random() < 0.5))
            graph.set_edges(
                graph.edges[rng.integers(0, len(graph.edges), 3)], blocked=bool(rng.random() < 0.5)
            )
        if turn == 3:
            imap.advance(0.1, budget_work=3)
        imap.step()
        fresh = fc.InfluenceMap(graph).add_layer("a", layer.propagation)
        held = layer.sources.rows
        radii = [radius or 6.0 for radius in held.radii[held.alive].tolist()]
        fresh.add_sources(
            layer.sources.positions, layer.sources.strengths, radii=radii, on_wall="through"
        )
        fresh.step()
        assert layer.values.tobytes() == fresh.values.tobytes()
        assert not layer.values[graph.walls].any()
    layer.sources.remove(layer.sources.ids)
    imap.step()
    assert not layer.values.any()


def test_teams_are_owned_by_their_strongest_source() -> None:
    graph = scattered(8)
    imap = fc.InfluenceMap(graph)
    teams = imap.add_teams(["red", "blue"], fc.Radial(8, metric="path"))
    places = graph.position_of(np.flatnonzero(~graph.walls)[:12])
    teams["red"].add_sources(places[:6], 2.0)
    teams["blue"].add_sources(places[6:], 3.0)
    imap.step()
    total = sum(np.abs(teams[name].values) for name in ("red", "blue"))
    np.testing.assert_allclose(teams.tension().values, total, rtol=1e-6)
    strongest = [
        fc.InfluenceMap(graph).add_layer("a", fc.Radial(8, metric="path", blend="max"))
        for _ in range(2)
    ]
    for layer, name in zip(strongest, ("red", "blue"), strict=True):
        layer.add_sources(teams[name].sources.positions, teams[name].sources.strengths)
        layer.step()
    one, other = (layer.values for layer in strongest)
    np.testing.assert_array_equal(
        teams.owner(by="source"),
        np.where((one == 0) & (other == 0), -1, np.where(other > one, 1, 0)),
    )


def squares(space: fc.Grid) -> fc.Graph:
    """All cells of a grid as the polygons of a mesh, its walls blocked."""
    corner = np.add.outer(
        np.arange(space.height) * (space.width + 1), np.arange(space.width)
    ).ravel()
    places = np.stack(
        np.meshgrid(np.arange(space.width + 1), np.arange(space.height + 1)), axis=-1
    ).reshape(-1, 2)
    rings = np.stack(
        [corner, corner + 1, corner + space.width + 2, corner + space.width + 1], axis=1
    )
    graph = fc.Graph.from_polygons(places, rings)
    graph.set_walls(np.flatnonzero(space.walls))
    return graph


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**16), st.sampled_from(["sum", "max"]))
def test_sight_on_a_mesh_of_squares_is_sight_on_the_grid(seed: int, blend: str) -> None:
    space, rng = grid(seed), np.random.default_rng(seed)
    graph = squares(space)
    places = space.position_of(rng.integers(0, len(space), 6))
    for turn in range(3):
        if turn:
            cells = rng.integers(0, len(space), 12)
            for each in (space, graph):
                each.set_walls(cells, turn == 1)
        layers = [
            fc.InfluenceMap(each).add_layer("a", fc.Radial(6, "linear", "sight", blend))
            for each in (space, graph)
        ]
        strength = int(rng.integers(1, 9))
        for layer in layers:
            layer.add_sources(places, strength, on_wall="through")
            layer.step()
        np.testing.assert_allclose(layers[0].values.reshape(-1), layers[1].values, atol=1e-5)


@pytest.mark.parametrize("blend", ["sum", "max"])
def test_sight_is_exact_under_change(blend: str) -> None:
    graph = squares(grid(5))
    rng = np.random.default_rng(5)
    imap, slow = fc.InfluenceMap(graph), fc.InfluenceMap(graph)
    layers = [
        each.add_layer("a", fc.Radial(7, "linear", "sight", blend), every=0.1)
        for each in (imap, slow)
    ]
    for layer in layers:
        ids = layer.add_sources(graph.positions[::40], 2.0, on_wall="through")
    for turn in range(6):
        some = rng.integers(0, len(graph), 4)
        graph.set_walls(some, bool(turn % 2))
        graph.set_edges(graph.edges[rng.integers(0, len(graph.edges), 30)], blocked=bool(turn % 2))
        for layer in layers:
            layer.sources.move(ids[turn : turn + 2], graph.positions[some[:2]], on_wall="through")
        imap.advance(0.1)
        slow.advance(0.1, budget_work=1)
        while layers[1].lag:
            slow.advance(0, budget_work=1)
        fresh = fc.InfluenceMap(graph).add_layer("a", fc.Radial(7, "linear", "sight", blend))
        fresh.add_sources(layers[0].sources.positions, 2.0, on_wall="through")
        fresh.step()
        np.testing.assert_array_equal(layers[0].values, fresh.values)
        np.testing.assert_array_equal(layers[1].values, fresh.values)
        assert not fresh.values[graph.walls].any()


@pytest.mark.parametrize("metric", ["connected", "path", "sight"])
@pytest.mark.parametrize("blend", ["sum", "max"])
def test_what_a_wall_cuts_off_is_gone_however_far_away(metric: str, blend: str) -> None:
    graph = fc.Grid(60, 40).to_graph()
    radial = fc.Radial(30, "linear", metric, blend)
    layer = fc.InfluenceMap(graph).add_layer("a", radial)
    layer.add_sources([(30.5, 5.5), (4.5, 37.5)], [2.0, 1.0])
    layer.step()
    for blocked in (True, False):
        graph.set_walls(np.arange(1200, 1260), blocked)
        layer.step()
        fresh = fc.InfluenceMap(graph).add_layer("a", radial)
        fresh.add_sources([(30.5, 5.5), (4.5, 37.5)], [2.0, 1.0])
        fresh.step()
        np.testing.assert_array_equal(layer.values, fresh.values)


def test_footprints_are_forgotten_once_they_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph, found = scattered(1), []
    for most in (4_000_000, 50):
        monkeypatch.setattr(footprints, "_MOST_CACHED", most)
        layer = fc.InfluenceMap(graph).add_layer("a", fc.Radial(8, "linear", "connected"))
        ids = layer.add_sources(graph.positions[::30], 2.0, on_wall="through")
        for turn in range(3):
            layer.sources.move(ids, graph.positions[turn::30][: len(ids)], on_wall="through")
            layer.step()
        found.append(layer.values.copy())
    np.testing.assert_array_equal(*found)


def test_sight_without_a_mesh_is_straight() -> None:
    graph = scattered(1)
    found = []
    for metric in ("straight", "sight"):
        layer = fc.InfluenceMap(graph).add_layer("a", fc.Radial(8, "linear", metric))
        layer.add_sources(graph.positions[::30], 2.0, on_wall="through")
        layer.step()
        found.append(layer.values)
    np.testing.assert_array_equal(*found)


def test_an_empty_graph_and_a_lone_vertex() -> None:
    for places, expected in (([], []), ([(2.0, 1.0)], [3.0])):
        layer = fc.InfluenceMap(fc.Graph(places, [])).add_layer("a", fc.Radial(3, metric="path"))
        layer.add_sources(places, 3.0)
        layer.step()
        assert layer.values.tolist() == expected


@pytest.mark.parametrize("metric", ["connected", "path"])
@pytest.mark.parametrize("thickness", [0.0, 1.5])
def test_a_source_in_a_block_of_walls_acts_from_all_around_it(
    metric: str, thickness: float
) -> None:
    """As on the grid: the block is what walls within the thickness touch the source's cell."""
    walls = np.zeros((9, 13), dtype=np.bool_)
    walls[3:6, 4:11] = True
    walls[4, 8] = False  # within the radius, but behind walls that stay closed
    walls[7, 8] = walls[0, 0] = True
    squares = fc.Grid(walls=walls)
    layers = []
    for space in (squares, squares.to_graph()):
        radial = fc.Radial(5, metric=metric, thickness=thickness)
        layer = fc.InfluenceMap(space).add_layer("a", radial)
        layer.add_source((5.5, 4.5), 4.0, on_wall="through")
        layer.step()
        layers.append(layer.values.reshape(walls.shape))
    np.testing.assert_array_equal(layers[1], layers[0])
    assert layers[1][~walls].any() == (thickness > 0)
    assert layers[1][4, 8] == 0
