"""Sight over polygons, on graphs without any, and between pairs of places on grids."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation import Flood
from fieldcraft.space import incoming, sees, visible, watchers
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.mesh.portals import portals_of
from fieldcraft.space.sight.over_polygons import near_any, vertices_within
from support import realdata
from support.meshes import CORNERS, ROOMS, a_grid, squares
from support.refusals import refused
from support.worlds import EVERY


class TestMeshes:
    @settings(max_examples=12, deadline=None)
    @given(st.integers(0, 9999), st.sampled_from([0.5, 1.0, 8.0]), st.floats(1, 20))
    def test_squares_see_as_the_cells_of_a_grid_do(
        self, seed: int, cell_size: float, radius: float
    ) -> None:
        grid = a_grid(seed, cell_size=cell_size)
        graph, cells = squares(grid)
        rng = np.random.default_rng(seed)
        for number in rng.choice(len(cells), 4):
            place, facing = graph.positions[number], rng.normal(size=2)
            for options in ({}, {"facing": facing, "angle": 130}):
                seen = visible(grid, place, radius * cell_size, **options).reshape(-1)[cells]
                np.testing.assert_array_equal(
                    visible(graph, place, radius * cell_size, **options), seen
                )

    def test_blocked_polygons_are_walls(self) -> None:
        grid = a_grid(4)
        graph, cells = squares(grid, walls=True)
        graph.set_walls(np.flatnonzero(grid.walls.reshape(-1)[cells]))
        for number in (5, 60, 120):
            seen = visible(grid, graph.positions[number], 9).reshape(-1)[cells]
            np.testing.assert_array_equal(visible(graph, graph.positions[number], 9), seen)
        graph.set_walls(np.arange(len(graph)), False)
        assert visible(graph, (0.5, 0.5), 99).all()

    def test_closed_edges_are_doors(self) -> None:
        graph = fc.Graph.from_polygons(CORNERS, ROOMS)
        assert visible(graph, (2, 1.5), 20).all()
        assert visible(graph, (2, 3.8), 20).tolist() == [True, False, False]
        graph.set_edges((0, 1))
        assert visible(graph, (2, 1.5), 20).tolist() == [True, False, False]
        graph.set_edges((0, 1), blocked=False)
        assert (
            sees(graph, (2, 1.5), (12, 1.5), 20).all()
            and not sees(graph, (2, 1.5), (12, 3.5), 20).any()
        )

    def test_one_sees_from_where_one_stands_not_from_the_middle(self) -> None:
        graph = fc.Graph.from_polygons(CORNERS, ROOMS)
        # Through the passage, 5 long and 1 wide, one sees 1/5 up per unit.
        assert sees(
            graph, (3.5, 1.5), [(9.5, 1.5), (9.5, 2.01), (9.5, 2.2), (12, 2.4)], 20
        ).tolist() == [[True, True, False, False]]
        assert sees(graph, [(3.9, 1.02)], [(9.5, 2.05), (9.5, 2.3)], 20).tolist() == [[True, False]]

    def test_corners_may_be_touched_on_one_side_not_on_both(self) -> None:
        # Three squares round a corner, and two that only touch.
        corners = [(x, y) for y in range(3) for x in range(3)]
        bend = fc.Graph.from_polygons(corners, [(0, 1, 4, 3), (1, 2, 5, 4), (4, 5, 8, 7)])
        assert sees(bend, (0.5, 0.5), (1.5, 1.5), 9).all()
        assert (
            sees(bend, (0.25, 0.5), (1.5, 1.5), 9).all()
            ^ sees(bend, (0.5, 0.25), (1.5, 1.5), 9).all()
        )
        touching = fc.Graph.from_polygons(corners, [(0, 1, 4, 3), (4, 5, 8, 7)])
        assert not sees(touching, (0.5, 0.5), (1.5, 1.5), 9).any()

    @settings(max_examples=12, deadline=None)
    @given(st.integers(0, 9999))
    def test_sight_is_symmetric_wherever_two_stand(self, seed: int) -> None:
        grid = a_grid(seed, 0.3)
        graph, _ = squares(grid)
        rng = np.random.default_rng(seed)
        # In the middles, on corners, on sides and anywhere.
        places = graph.positions[rng.choice(len(graph), 30)] + rng.choice(
            [-0.5, 0, 0.5, 0.3], (30, 2)
        )
        seen = sees(graph, places, places, 30)
        np.testing.assert_array_equal(seen, seen.T)
        assert seen.diagonal().all()

    @settings(max_examples=12, deadline=None)
    @given(st.integers(0, 9999), st.sampled_from([0.003, 1.0, 700.0]), st.booleans())
    def test_views_all_round_are_made_of_lines(self, seed: int, size: float, lattice: bool) -> None:
        rng = np.random.default_rng(seed)
        if lattice:
            graph, _ = squares(a_grid(seed, 0.2, cell_size=0.3 * size))
        else:
            corners = rng.random((70, 2)) * (2 * size, size)
            triangles = Delaunay(corners).simplices
            graph = fc.Graph.from_polygons(corners, triangles[rng.random(len(triangles)) < 0.85])
        places = graph.positions[rng.choice(len(graph), 12)]
        for radius in (0.7 * size, 9 * size):
            seen = sees(graph, places, graph.positions, radius)
            own = graph.cell_at(places)
            assert seen[np.arange(12), own].all()
            np.testing.assert_array_equal(watchers(graph, places, radius), seen.sum(axis=0))

    def test_floors_see_each_other_only_over_ramps(self) -> None:
        # A ground floor, a ramp at its end, and a floor above that comes back beside it.
        corners = [
            (0, 0, 0),
            (6, 0, 0),
            (6, 2, 0),
            (0, 2, 0),
            (9, 0, 2),
            (9, 2, 2),
            (12, 0, 3),
            (12, 2, 3),
            (12, 4, 3),
            (0, 4, 3),
            (0, 2, 3),
        ]
        level = fc.Graph.from_polygons(
            corners, [(0, 1, 2, 3), (1, 4, 5, 2), (4, 6, 7, 5), (5, 7, 8, 9, 10)], max_height=1.0
        )
        assert level.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
        assert sees(level, (11, 1, 2.8), [(1, 1, 0), (11, 3, 3), (1, 3, 3)], 30).tolist() == [
            [True, True, False]
        ]
        assert not sees(level, (1, 1, 0), (1, 3, 3), 30).any()
        assert not sees(level, (1, 1, 0), (11, 1, 2.8), 10.1).any()  # the way up counts

    def test_jumps_can_be_looked_along_and_drops_looked_up(self) -> None:
        corners = [
            (0, 0, 0),
            (2, 0, 0),
            (2, 2, 0),
            (0, 2, 0),
            (3, 0, 1),
            (5, 0, 1),
            (5, 2, 1),
            (3, 2, 1),
            (5, 4, 1),
            (3, 4, 1),
        ]
        mesh = fc.Mesh(corners, [(0, 1, 2, 3), (4, 5, 6, 7), (7, 6, 8, 9)])
        leap = fc.Graph(
            mesh.centers, [(1, 0), (1, 2)], directed=True, mesh=mesh
        )  # a drop from the second to the first
        assert sees(leap, (1, 1, 0), [(4, 1, 1), (4, 3, 1)], 9).tolist() == [
            [True, False]
        ]  # past the rim of the gap
        assert not sees(leap, (1.9, 1.9, 0), (3.5, 2.4, 1), 9).any()
        assert sees(leap, (1.5, 1, 0), (3.5, 1.9, 1), 9).all()
        assert visible(leap, (4, 1, 1), 9).all()
        leap.set_edges((1, 0))
        assert not sees(leap, (1, 1, 0), (4, 1, 1), 9).any()

    def test_sides_that_meet_in_pieces(self) -> None:
        # One long side along two short ones, without corners in common: as in navigation files of
        # shooters.
        corners = [
            (0, 0),
            (4, 0),
            (4, 2),
            (0, 2),
            (0, 2),
            (1, 2),
            (1, 4),
            (0, 4),
            (3, 2),
            (4, 2),
            (4, 4),
            (3, 4),
        ]
        mesh = fc.Mesh(corners, [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)])
        yard = fc.Graph(mesh.centers, [(0, 1), (0, 2)], mesh=mesh)
        portals, _ = portals_of(yard)
        assert portals.starts.tolist() == [0, 2, 3, 4]
        assert sees(yard, (0.5, 1), [(0.5, 3.5), (3.5, 3.5), (3.5, 2.1)], 9).tolist() == [
            [True, False, True]
        ]

    def test_places_beside_the_mesh_look_from_its_rim(self) -> None:
        graph = fc.Graph.from_polygons(CORNERS, ROOMS)
        assert sees(graph, (-3, 1.5), (12, 1.5), 20).all()
        assert not sees(
            graph, (-3, 1.5), (12, 1.5), 14
        ).any()  # as the crow flies from where one is

    def test_polygons_that_lie_over_each_other_end_as_well(self) -> None:
        rng = np.random.default_rng(2)
        for _ in range(30):
            corners = rng.integers(0, 5, (9, 2))
            rings = [rng.permutation(9)[:3].tolist() for _ in range(8)]
            tangle = fc.Graph.from_polygons(corners, rings)
            places = rng.random((6, 2)) * 5
            assert watchers(tangle, places, 9).shape == (8,)
            assert sees(tangle, places, places, 9).diagonal().all()
            incoming(tangle, places[0], places[1], speed=1, width=2)

    def test_degenerate_polygons_do_no_harm(self) -> None:
        flat = fc.Graph.from_polygons([(0, 0), (1, 0), (2, 0), (1, 1)], [(0, 1, 3), (0, 1, 2)])
        assert visible(flat, (0.6, 0.3), 9)[0]
        assert visible(fc.Graph.from_polygons([(0, 0)], []), np.zeros((0, 2)), 3).shape == (0,)


def test_without_a_mesh_distance_and_cone_count() -> None:
    graph = fc.Graph([(0, 0), (3, 0), (0, 4), (9, 9)], [(0, 1)])
    assert visible(graph, (0, 0), 4).tolist() == [True, True, True, False]
    assert visible(graph, (0, 0), 4, facing=(1, 0)).tolist() == [True, True, False, False]
    assert watchers(graph, [(0, 0), (3, 4)], [4, 3]).tolist() == [1, 1, 2, 0]
    tall = fc.Graph([(0, 0, 0), (0, 0, 5)], [])
    assert visible(tall, (0, 0, 0), 4).tolist() == [True, False]
    assert sees(
        tall, (0, 0, 0), [(1, 0, 2), (-1, 0, 0)], 4, facing=(1, 0, 7), angle=60
    ).tolist() == [[True, False]]
    assert not visible(fc.Graph([(0, 0), (1, 0)], [], blocked=[1]), (0, 0), 4)[1]


def test_graphs_with_nothing_to_walk_carry_every_kind_of_layer() -> None:
    for graph in (
        fc.Graph([], []),
        fc.Graph([(0, 0), (5, 5)], []),
        fc.Graph([(0, 0, 0)], [(0, 0)]),
    ):
        imap = fc.InfluenceMap(graph)
        for name, kind in {
            "s": fc.Spread(0.1, 0.5),
            "r": fc.Radial(3),
            "f": fc.Fade(),
            "fl": Flood(),
        }.items():
            imap.add_layer(name, kind)
        imap.step(2)
        assert all(
            layer.values.shape == (len(graph),) and not layer.values.any()
            for layer in imap.layers.values()
        )
        assert fc.view.frame(imap["s"], size=40).shape[2] == 4
        assert fc.LastSeen(graph).values.shape == (len(graph),)
        with refused(InvalidValue, "steps from cell to cell"):
            fc.Belief(graph, 1.0)


class TestPairsOnGrids:
    @settings(max_examples=14, deadline=None)
    @given(st.integers(0, 9999), st.booleans(), st.booleans(), st.floats(1, 12))
    def test_pairs_are_what_is_visible(
        self, seed: int, wrap: bool, even: bool, radius: float
    ) -> None:
        grid = a_grid(
            seed, shape=(8, 12 if even else 11), wrap=wrap, cell_size=0.5, y_up=bool(seed % 2)
        )
        rng = np.random.default_rng(seed)
        cells = np.flatnonzero(~grid.walls)
        viewers = grid.position_of(rng.choice(cells, 5))
        facing = rng.normal(size=(5, 2))
        for options in ({}, {"facing": facing, "angle": 150}):
            seen = sees(grid, viewers, grid.position_of(cells), radius / 2, **options)
            for number, place in enumerate(viewers):
                one = {**options, "facing": facing[number]} if options else {}
                np.testing.assert_array_equal(
                    seen[number], visible(grid, place, radius / 2, **one).reshape(-1)[cells]
                )

    def test_hills_hide(self) -> None:
        grid = fc.Grid(9, 3)
        heights = np.zeros((3, 9))
        heights[:, 4] = 3
        viewers, targets = [(0.5, 1.5), (8.5, 1.5)], [(2.5, 1.5), (7.5, 1.5), (7.5, 0.5)]
        assert sees(grid, viewers, targets, 20, heights=heights).tolist() == [
            [True, False, False],
            [False, True, True],
        ]
        assert sees(grid, viewers, targets, 20, heights=heights, eye=3).all()
        turned = sees(grid, viewers, targets, 20, heights=heights, eye=3, facing=[(1, 0), (0, -1)])
        assert turned.tolist() == [[True, True, True], [False, False, True]]
        assert sees(grid, np.zeros((0, 2)), targets, 20, heights=heights).shape == (0, 3)

    def test_two_who_stand_on_walls_see_each_other(self) -> None:
        grid = fc.Grid(9, 3, walls=np.arange(27).reshape(3, 9) % 9 == 4)
        assert sees(grid, (4.5, 1.5), [(0.5, 0.5), (4.5, 2.5)], 9).tolist() == [[True, True]]
        assert not sees(grid, (4.5, 0.5), (4.5, 2.5), 9).any()


def test_both_tiers_and_any_threads_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = a_grid(8, 0.3, (9, 12))
    graph, _ = squares(grid)
    torus = a_grid(3, 0.3, (8, 10), wrap=True)
    rng = np.random.default_rng(3)
    places, facing = (
        graph.positions[rng.choice(len(graph), 9)] + rng.choice([0, 0.5, 0.2], (9, 2)),
        rng.normal(size=(9, 2)),
    )
    threads = pool.threads()
    answers = []
    try:
        for count, compiled in ((1, True), (3, True), (1, False)):
            pool.set_threads(count)
            if not compiled:
                monkeypatch.setattr(kernels, "compiled", lambda: False)
            answers.append(
                [
                    watchers(graph, places, 8, facing=facing, angle=200).tobytes(),
                    sees(graph, places, places, 8).tobytes(),
                    sees(torus, places % (9, 8), places % (9, 8), 8, facing=facing).tobytes(),
                    incoming(graph, places[0], (12, 3), speed=1, width=1.5).seconds.tobytes(),
                ]
            )
    finally:
        pool.set_threads(threads)
    assert answers[0] == answers[1] == answers[2]


class TestRealLevels:
    def test_walls_of_dust_hide(self) -> None:
        dust = fc.load_map(realdata.folder("navmesh") / "cs2" / "de_dust2.json")
        places = dust.positions[::25]
        seen = sees(dust, places, places, 10_000)
        np.testing.assert_array_equal(seen, seen.T)
        assert 0.02 < seen.mean() < 0.5
        far = np.sqrt(((places[:, np.newaxis] - places) ** 2).sum(axis=2))
        assert far[seen].max() > 1_000  # down the long alleys
        np.testing.assert_array_equal(visible(dust, places[7], 10_000)[::25], seen[7])

    def test_floors_of_a_dungeon_stay_apart(self) -> None:
        level = fc.load_map(realdata.folder("navmesh") / "recast" / "dungeon.obj")
        assert level.mesh is not None and len(level.mesh) == len(level)
        places = level.positions[::20]
        seen = sees(level, places, places, 100)
        np.testing.assert_array_equal(seen, seen.T)
        np.testing.assert_array_equal(visible(level, places[3], 100)[::20], seen[3])
        parts = level.parts()[::20]
        assert not seen[parts[:, np.newaxis] != parts].any()


@pytest.mark.parametrize("orientation", ["pointy", "flat"])
@pytest.mark.parametrize("size", [1.0, 0.3, 7.7])
def test_lines_that_touch_hexagons_on_one_side_are_seen_in_all_directions(
    orientation: str, size: float
) -> None:
    across = {(1, -2): (1, -1), (-1, 2): (0, 1), (1, 1): (1, 0), (2, -1): (1, 0)}
    across |= {(-1, -1): (-1, 0), (-2, 1): (-1, 0)}
    for (dq, dr), (wall_q, wall_r) in across.items():
        hexes = fc.HexGrid(9, 9, orientation=orientation, size=size, origin=(3.1, -2.7))
        q, r = hexes.to_axial(40)
        hexes.set_walls([hexes.from_axial((q + wall_q, r + wall_r))])
        target = hexes.from_axial((q + dq, r + dr))
        assert fc.visible(hexes, hexes.position_of(40), 99).reshape(-1)[target]
        assert fc.sees(hexes, hexes.position_of(40), hexes.position_of(target), 99).all()
        shot = incoming(hexes, hexes.position_of(40), hexes.position_of(target), speed=1)
        assert not shot.blocked and shot.cells[[0, -1]].tolist() == [40, target]


@pytest.mark.parametrize("kind", EVERY)
def test_vertices_near_any_point_are_those_within_the_range_of_one(kind: str) -> None:
    for seed in range(5):
        dice = np.random.default_rng(seed)
        space = EVERY[kind](dice)
        graph = space.to_graph() if isinstance(space, fc.Grid) else graph_of(space)
        points = graph.position_of(dice.choice(len(graph), int(dice.integers(4))))
        radius = float(dice.choice([0.0, 0.7, 1.0, 2.5, 1e9]))
        wanted = np.zeros(len(graph), dtype=np.bool_)
        for each in vertices_within(graph, points, radius):
            wanted[each] = True
        np.testing.assert_array_equal(near_any(graph, points, radius), wanted)


def test_what_is_hit_from_many_cells_takes_no_memory_for_pairs() -> None:
    hexes = fc.HexGrid(60, 60)
    reach = fc.reach(hexes, hexes.position_of(1830), 99.0, ranges=1e9)
    tracemalloc.start()
    hits = reach.hits
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert hits.all()
    assert most < 5_000_000  # all pairs take 90 MB
