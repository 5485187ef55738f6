"""Graphs of squares, made from grids: what is seen there is what is seen on the grid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space.encoding import from_bytes, to_bytes
from fieldcraft.space.wrapping import Wrap
from support.grids import World, worlds
from support.refusals import refused
from support.worlds import WRAPS


def places_on(grid: fc.Grid, rng: np.random.Generator, count: int) -> np.ndarray:
    """In the middles of cells, on their corners and sides, and anywhere."""
    inside = rng.integers(0, 4 * np.array([grid.width, grid.height]), (count, 2)) / 4
    return (
        np.array(grid.origin)
        + np.where(rng.random((count, 1)) < 0.7, inside, rng.random((count, 2)) * grid.shape[::-1])
        * grid.cell_size
    )


def assert_same_sight(grid: fc.Grid, graph: fc.Graph, rng: np.random.Generator) -> None:
    places, others = (places_on(grid, rng, 5) for _ in range(2))
    radii, facing = rng.uniform(0.5, 9, 5) * grid.cell_size, rng.normal(size=(5, 2))
    heights = rng.integers(0, 3, grid.shape).astype(float)
    np.testing.assert_array_equal(graph.cell_at(places), grid.cell_at(places))
    for options in (
        {},
        {"facing": facing, "angle": 130},
        {"facing": (0, 1)},
        {"heights": heights, "eye": 0.5},
    ):
        here: dict[str, Any] = dict(options)
        there = {**options, "heights": heights.ravel()} if "heights" in options else here
        for walls in (False, True):
            seen = fc.query.watchers(grid, places, radii, walls=walls, **here)
            np.testing.assert_array_equal(
                fc.query.watchers(graph, places, radii, walls=walls, **there), seen.ravel()
            )
            np.testing.assert_array_equal(
                fc.visible(graph, places, radii, walls=walls, **there), seen.ravel() > 0
            )
        np.testing.assert_array_equal(
            fc.sees(graph, places, others, radii, **there),
            fc.sees(grid, places, others, radii, **here),
        )


@settings(max_examples=25, deadline=None)
@given(worlds(14))
def test_a_graph_of_squares_sees_what_the_grid_sees(world: World) -> None:
    grid, rng = world.grid(), np.random.default_rng(world.seed)
    graph = grid.to_graph()
    assert graph.sight_grid is not None and graph.sight_grid.same_cells(grid)
    assert_same_sight(grid, graph, rng)
    for blocked in (True, False):
        cells = rng.integers(0, len(grid), 5)
        cells = (
            cells if blocked or grid.terrain is None else cells[~grid.terrain.walls.ravel()[cells]]
        )
        for space in (grid, graph):
            space.set_walls(cells, blocked)
        assert_same_sight(grid, graph, rng)
    shots = [
        fc.incoming(space, *ends, speed=3, width=grid.cell_size)
        for ends in [places_on(grid, rng, 2)]
        for space in (grid, graph)
    ]
    assert (
        shots[0].cells.tolist() == shots[1].cells.tolist()
        and shots[0].seconds.tolist() == shots[1].seconds.tolist()
    )
    assert shots[0].end == shots[1].end and shots[0].blocked == shots[1].blocked


@settings(max_examples=16, deadline=None)
@given(
    worlds(14),
    st.sampled_from(["sum", "max"]),
    st.sampled_from(["linear", "constant"]),
    st.sampled_from([0.3, 3.0, 3.3, 7.0, 40.0]),
)
def test_radial_sight_has_the_values_of_the_grid(
    world: World, blend: str, falloff: str, reach: float
) -> None:
    grid, rng = world.grid(), np.random.default_rng(world.seed)
    if grid.walls.all():
        return
    graph, radius = grid.to_graph(), reach * grid.cell_size
    layers = [
        fc.InfluenceMap(space).add_layer("seen", fc.Radial(radius, falloff, "sight", blend))
        for space in (grid, graph)
    ]
    memories = [fc.InfluenceMap(space).add_layer("known", fc.Fade(9.0)) for space in (grid, graph)]
    places = places_on(grid, rng, 4)
    for turn in range(3):
        for space, layer, memory in zip((grid, graph), layers, memories, strict=True):
            if turn == 0:
                layer.add_sources(
                    places, rng.permutation(4) * 0 + np.array([1.0, 2, -1, 4]), on_wall="nearest"
                )
            elif turn == 1:
                space.set_walls(np.arange(world.seed % 5, len(space), 5))
            elif grid.terrain is None:
                space.set_walls(np.arange(world.seed % 5, len(space), 5), False)
            layer.step()
            if not np.all(space.walls):
                memory.mark(
                    places, radius=radius, metric="sight", falloff=falloff, on_wall="nearest"
                )
        for one, other in (layers, memories):
            assert one.values.tobytes() == other.values.tobytes()


def a_yard(**options: Any) -> fc.Grid:
    walls = np.zeros((5, 9), dtype=bool)
    walls[:3, 4] = True
    return fc.Grid(9, 5, walls=walls, **options)


def test_views_of_guards_on_the_graph_are_those_on_the_grid() -> None:
    rng, torus = np.random.default_rng(3), a_yard(wrap=True)
    for grid in (a_yard(neighbors=8), torus):
        spaces = (grid, grid.to_graph())
        guards, thieves = places_on(grid, rng, 3), places_on(grid, rng, 4)
        looks = [fc.Sight(space, radius=6, angle=200) for space in spaces]
        contacts = [
            look.observe(look.nobody(4), guards, thieves, 0.5, facing=(1, 0)) for look in looks
        ]
        moved = (thieves + 0.75) % (9, 5)
        contacts = [
            look.observe(each, guards, moved, 0.5, facing=(1, 0))
            for look, each in zip(looks, contacts, strict=True)
        ]
        for name in ("seen", "in_sight", "found", "lost", "positions", "velocities"):
            np.testing.assert_array_equal(*(getattr(each, name) for each in contacts))
        views = [look.view(guards, facing=(0, 1)) for look in looks]
        beliefs, rounds = (
            [fc.Belief(space, 1.0) for space in spaces],
            [fc.LastSeen(space) for space in spaces],
        )
        for belief, patrol, view in zip(beliefs, rounds, views, strict=True):
            belief.observe(view)
            patrol.advance(2.0)
            patrol.observe(view)
        np.testing.assert_allclose(beliefs[0].values.ravel(), beliefs[1].values, rtol=1e-12)
        np.testing.assert_array_equal(rounds[0].values.ravel(), rounds[1].values)


def test_closed_edges_bar_the_way_not_the_view() -> None:
    grid = fc.Grid(5, 1)
    graph = grid.to_graph()
    graph.set_edges((1, 2))
    assert fc.visible(graph, (0.5, 0.5), 9).all()
    graph.set_walls(2)
    assert fc.visible(graph, (0.5, 0.5), 9).tolist() == [True, True, False, False, False]
    graph.set_walls(2, False)
    assert fc.visible(graph, (0.5, 0.5), 9).all()


def test_the_graph_and_its_squares_are_apart_from_the_grid() -> None:
    grid = a_yard()
    graph = grid.to_graph()
    before = fc.visible(graph, (0.5, 0.5), 20)
    grid.set_walls(np.arange(9, 18))
    assert graph.sight_grid is not None
    graph.sight_grid.set_walls(np.arange(9, 18))
    np.testing.assert_array_equal(fc.visible(graph, (0.5, 0.5), 20), before)
    air = graph.with_walls(None)
    assert (
        fc.visible(air, (0.5, 0.5), 20).all()
        and air.sight_grid is not None
        and not air.sight_grid.walls.any()
    )
    np.testing.assert_array_equal(fc.visible(graph, (0.5, 0.5), 20), before)
    layer = fc.InfluenceMap(graph).add_layer(
        "birds", fc.Radial(20, "constant", "sight"), walls=np.zeros(45, dtype=bool)
    )
    layer.add_source((0.5, 0.5))
    layer.step()
    assert (layer.values == 1).all()


def test_coarser_squares_follow_the_finer_ones_until_they_are_a_graph() -> None:
    fine = fc.Grid(11, 6, y_up=True)
    coarse = fine.coarser(2)
    fine.set_walls(np.arange(66).reshape(6, 11)[:, 4:6].ravel())
    graph = coarse.to_graph()
    assert not fc.visible(coarse, (1, 1), 20)[:, 2:].any()
    assert_same_sight(coarse, graph, np.random.default_rng(1))
    fine.set_walls(np.arange(66).reshape(6, 11)[:, 4:6].ravel(), False)
    assert fc.visible(coarse, (1, 1), 20).all() and not fc.visible(graph, (1, 1), 20).all()


def test_positions_off_the_map_belong_to_the_rim_or_come_round() -> None:
    grid = a_yard()
    graph, torus = grid.to_graph(), a_yard(wrap=True).to_graph()
    assert graph.cell_at([(-3, 2.5), (20, 9), (4.5, -1)]).tolist() == [18, 44, 4]
    assert torus.cell_at([(-3, 2.5), (20, 9), (4.5, -1)]).tolist() == [24, 38, 40]
    np.testing.assert_array_equal(
        fc.visible(graph, (-3, 2.5), 5), fc.visible(grid, (0.5, 2.5), 5).ravel()
    )
    with refused(OutsideMap, "(-3.0, 2.5)"):
        fc.incoming(graph, (-3, 2.5), (5, 2.5), speed=1)


@pytest.mark.parametrize("wrap", WRAPS)
def test_squares_outlast_saves_and_copies(tmp_path: Path, wrap: Wrap) -> None:
    grid = a_yard(cell_size=0.5, y_up=True, origin=(-3, 1), wrap=wrap)
    graph = grid.to_graph()
    imap = fc.InfluenceMap(graph)
    layer = imap.add_layer("seen", fc.Radial(2, "linear", "sight"))
    layer.add_source((-2.9, 3.4))
    imap.step()
    imap.add_layer("birds", fc.Radial(2, "linear", "sight"), walls=np.zeros(45, dtype=bool))
    imap.save(tmp_path / "yard.fc")
    loaded = fc.InfluenceMap.load(tmp_path / "yard.fc")
    again = [
        loaded.space,
        loaded["birds"].space,
        imap.copy().space,
        from_bytes(to_bytes(graph, ()), ()),
    ]
    for number, space in enumerate(again):
        expected = grid.with_walls(space.walls.reshape(grid.shape))
        assert (
            isinstance(space, fc.Graph)
            and space.sight_grid is not None
            and space.sight_grid.same_cells(grid)
            and space.y_up
        )
        assert space.walls.any() == (number != 1)
        assert_same_sight(expected, space, np.random.default_rng(2))
    for each in (imap, loaded):
        each.space.set_walls([19, 28])
        each.step(2)
    assert loaded["seen"].values.tobytes() == imap["seen"].values.tobytes()


def test_squares_that_do_not_fit_are_refused() -> None:
    grid = fc.Grid(3, 2)
    places = grid.position_of(np.arange(6))
    graph = fc.Graph(places, [(0, 1)], blocked=[1], squares=grid)
    assert fc.visible(graph, (0.5, 0.5), 9).tolist() == [True, False, False, True, True, False]
    for squares in (fc.Grid(2, 3), fc.Grid(3, 2, cell_size=2), places):
        with refused(InvalidValue, "squares"):
            fc.Graph(places, [(0, 1)], squares=squares)  # type: ignore[arg-type]
    with refused(InvalidValue, "shape (6,)"):
        fc.visible(graph, (0.5, 0.5), 9, heights=np.zeros((2, 3)))
    with refused(InvalidValue, "leave heights out"):
        fc.visible(fc.Graph(places, []), (0.5, 0.5), 9, heights=np.zeros(6))


def test_the_plain_reference_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = fc.Grid(
        11, 8, walls=np.random.default_rng(5).random((8, 11)) < 0.25, wrap=True
    ).to_graph()
    answers = []
    for compiled in (True, False):
        if not compiled:
            monkeypatch.setattr(kernels, "compiled", lambda: False)
        layer = fc.InfluenceMap(graph).add_layer("seen", fc.Radial(4, "linear", "sight"))
        layer.add_sources(graph.positions[::9], on_wall="through")
        layer.step()
        answers.append(
            (
                layer.values.tobytes(),
                fc.query.watchers(graph, graph.positions[::7], 5, facing=(1, 1)).tobytes(),
            )
        )
    assert answers[0] == answers[1]


def test_a_wall_that_comes_while_squares_are_made_is_not_missed() -> None:
    class Busy(fc.Grid):
        """Another thread, which blocks a vertex and looks at the squares just after those that are
        asked for are made.
        """

        def with_walls(self, walls: Any) -> fc.Grid:
            made = super().with_walls(walls)
            if not graph.walls.any():
                graph.set_walls([2])
                assert graph.sight_grid is not None
            return made

    graph = Busy(3, 2).to_graph()
    assert graph.sight_grid is not None
    assert graph.sight_grid.walls.tolist() == [[False, False, True], [False, False, False]]


@pytest.mark.parametrize("neighbors", [4, 8, [(1, 2), (2, -1), (-1, 0)]])
@pytest.mark.parametrize("wrap", WRAPS)
def test_a_grid_as_a_graph_has_its_links(neighbors, wrap: Wrap) -> None:
    rng = np.random.default_rng(5)
    grid = fc.Grid(
        9,
        7,
        cell_size=2,
        origin=(3, -4),
        walls=rng.random((7, 9)) < 0.25,
        neighbors=neighbors,
        wrap=wrap,
        y_up=True,
    )
    graph = grid.to_graph()
    np.testing.assert_array_equal(graph.walls, grid.walls.reshape(-1))
    np.testing.assert_array_equal(graph.positions, grid.position_of(np.arange(63)))
    assert graph.directed == (len(np.shape(neighbors)) > 0)
    other = {(int(cell), end) for cell in range(63) for end in graph.neighbors_of(cell).tolist()}
    links, expected = grid.links().reshape(-1), set()
    for bit, (dx, dy) in enumerate(grid.neighborhood.steps):
        for end in np.flatnonzero(links & grid.link_masks[bit]).tolist():
            y, x = divmod(end, 9)
            expected.add(((y - dy) % 7 * 9 + (x - dx) % 9, end))
    assert other == expected
    wall = int(np.flatnonzero(grid.walls)[0])
    graph.set_walls(wall, False)
    grid.set_walls(wall, False)
    straight = {(0, 1), (1, 0), (0, -1), (-1, 0)} & set(grid.neighborhood.steps)
    into = np.bitwise_or.reduce(
        [grid.link_masks[grid.neighborhood.steps.index(step)] for step in straight]
    )
    steps = [
        step
        for step, mask in zip(grid.neighborhood.steps, grid.link_masks, strict=True)
        if grid.links().reshape(-1)[wall] & into & mask
    ]
    y, x = divmod(wall, 9)
    for dx, dy in steps:
        assert wall in graph.neighbors_of((y - dy) % 7 * 9 + (x - dx) % 9)
