"""Moving on meshes: over polygons through doors, along rims, never off the mesh or onto another
floor.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support import graphs, realdata

SQUARE = fc.Graph.from_polygons([(0, 0), (4, 0), (4, 3), (0, 3)], [(0, 1, 2, 3)])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 9_999), far=st.sampled_from([0.3, 2.0, 30.0]))
def test_nobody_leaves_the_part_of_the_mesh_that_it_is_in(seed: int, far: float) -> None:
    rng = np.random.default_rng(seed)
    mesh, _ = graphs.squares(fc.Grid(14, 9, cell_size=0.7, walls=rng.random((9, 14)) < 0.3))
    mesh.set_walls(rng.integers(0, len(mesh), 4))
    if len(mesh.edges):
        mesh.set_edges(mesh.edges[rng.integers(0, len(mesh.edges), 6)])
    free = np.flatnonzero(~mesh.walls)
    parts = mesh.parts()
    at = mesh.positions[rng.choice(free, 50)]
    part = parts[mesh.cell_at(at)]
    for _ in range(6):
        before = at
        at = steering.move(mesh, at, rng.normal(size=(50, 2)) * far)
        assert (mesh.mesh.locate(at)[0] >= 0).all()  # type: ignore[union-attr]
        cells = np.asarray(mesh.cell_at(at))
        np.testing.assert_array_equal(parts[cells], part)
        assert not mesh.walls[cells].any()
        assert np.isfinite(at).all() and (np.abs(at - before) < 40 * far).all()


@settings(max_examples=16, deadline=None)
@given(seed=st.integers(0, 9_999))
def test_who_meets_no_rim_goes_where_it_wants_and_so_on_a_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid = fc.Grid(14, 9, walls=rng.random((9, 14)) < 0.2)
    mesh, cells = graphs.squares(grid)
    at = grid.position_of(rng.choice(cells, 60)) + rng.uniform(-0.45, 0.45, (60, 2))
    shifts = rng.normal(size=(60, 2))
    ours, theirs = steering.move(mesh, at, shifts), steering.move(grid, at, shifts)
    free = np.linalg.norm(theirs - at - shifts, axis=1) < 1e-9
    np.testing.assert_allclose(ours[free], (at + shifts)[free], atol=2e-6)


class TestRims:
    def test_along_a_rim_what_leads_along_it_goes_on(self) -> None:
        assert steering.move(SQUARE, (1, 1), (1, -50)) == pytest.approx((2, 0), abs=1e-4)
        assert steering.move(SQUARE, (1, 1), (100, 1)) == pytest.approx((4, 2), abs=1e-4)
        assert steering.move(SQUARE, (1, 1), (100, 100)) == pytest.approx((4, 3), abs=1e-4)
        assert steering.move(SQUARE, [(1, 1), (2, 2)], (0.5, 0)).tolist() == [[1.5, 1], [2.5, 2]]

    def test_slopes_are_slid_along(self) -> None:
        wedge = fc.Graph.from_polygons([(0, 0), (6, 0), (6, 6)], [(0, 1, 2)])
        place = steering.move(wedge, (3, 1), (0, 4))
        assert place == pytest.approx(
            (4, 4), abs=1e-4
        )  # two units up to the slope, and half of the other two along each axis

    def test_closed_edges_and_blocked_polygons_are_rims(self) -> None:
        mesh, _ = graphs.squares(fc.Grid(5, 2))
        assert steering.move(mesh, (0.5, 0.5), (4, 0)) == pytest.approx((4.5, 0.5))
        mesh.set_edges((1, 2))
        assert steering.move(mesh, (0.5, 0.5), (4, 0)) == pytest.approx((2, 0.5), abs=1e-5)
        assert steering.move(mesh, (0.5, 1.5), (4, 0)) == pytest.approx((4.5, 1.5))
        mesh.set_walls(7)
        assert steering.move(mesh, (0.5, 1.5), (4, 0)) == pytest.approx((2, 1.5), abs=1e-5)

    def test_who_stands_beside_or_in_a_blocked_polygon_is_put_back(self) -> None:
        assert steering.move(SQUARE, (9, 1), (0, 0)) == pytest.approx((4, 1), abs=1e-4)
        mesh, _ = graphs.squares(fc.Grid(5, 2))
        mesh.set_walls(2)
        x, y = steering.move(mesh, (2.2, 0.5), (0, 0))
        assert (x, y) == pytest.approx((2, 0.5), abs=1e-5) and mesh.cell_at((x, y)) == 1

    def test_one_way_sides(self) -> None:
        corners = [(0, 0), (2, 0), (2, 2), (0, 2), (4, 0), (4, 2)]
        mesh = fc.Mesh(corners, [(0, 1, 2, 3), (1, 4, 5, 2)])
        ledge = fc.Graph(mesh.centers, [(0, 1)], directed=True, mesh=mesh)
        assert steering.move(ledge, (1, 1), (2, 0)) == pytest.approx((3, 1))
        assert steering.move(ledge, (3, 1), (-2, 0)) == pytest.approx((2, 1), abs=1e-5)


class TestLeaps:
    def banks(self) -> fc.Graph:
        corners = [(0, 0), (2, 0), (2, 2), (0, 2), (3, 0), (5, 0), (5, 2), (3, 2)]
        mesh = fc.Mesh(corners, [(0, 1, 2, 3), (4, 5, 6, 7)])
        return fc.Graph(mesh.centers, [(0, 1)], directed=True, mesh=mesh)

    def test_gaps_are_leapt_over_whole(self) -> None:
        banks = self.banks()
        assert steering.move(banks, (1, 1), (3, 0)) == pytest.approx((4, 1))
        assert steering.move(banks, (1, 1), (1.2, 0)) == pytest.approx(
            (3, 1), abs=1e-5
        )  # nobody hangs in the air
        assert steering.move(banks, (4, 1), (-3, 0)) == pytest.approx(
            (3, 1), abs=1e-5
        )  # not back: the edge leads one way
        assert steering.move(banks, (1, 1), (3, 0), leap=False) == pytest.approx((2, 1), abs=1e-5)

    def test_only_where_the_field_leads(self) -> None:
        banks = self.banks()
        there = fc.flow_field(fc.distance_map(banks, (4, 1)))
        here = fc.flow_field(fc.distance_map(banks, (1, 1)))
        assert steering.move(banks, (1, 1), (3, 0), leap=there) == pytest.approx((4, 1))
        assert steering.move(banks, (1, 1), (3, 0), leap=here) == pytest.approx((2, 1), abs=1e-5)

    def test_hexagons_that_wrap_are_refused_under_their_name(self) -> None:
        strip = fc.HexGrid(4, 2, wrap="x")
        with pytest.raises(InvalidValue, match=r"hexagons that do not wrap\. Got <HexGrid 4 x 2"):
            steering.move(strip, strip.position_of(0), (1, 0))
        flat = fc.HexGrid(4, 2)
        assert steering.move(flat, flat.position_of(0), (0.1, 0)).shape == (2,)

    def test_refusals(self) -> None:
        banks = self.banks()
        with pytest.raises(InvalidValue, match="True, False or a flow field"):
            steering.move(banks, (1, 1), (3, 0), leap=2)  # type: ignore[arg-type]
        with pytest.raises(InvalidValue, match="their own mesh"):
            steering.move(
                banks, (1, 1), (3, 0), leap=fc.flow_field(fc.distance_map(SQUARE, (1, 1)))
            )


class TestCrowds:
    @settings(max_examples=14, deadline=None)
    @given(seed=st.integers(0, 9_999), share=st.sampled_from([0.0, 0.2]))
    def test_feelers_feel_what_they_feel_on_a_grid(self, seed: int, share: float) -> None:
        rng = np.random.default_rng(seed)
        grid = fc.Grid(14, 9, cell_size=0.7, walls=rng.random((9, 14)) < share)
        mesh, cells = graphs.squares(grid)
        at = grid.position_of(rng.choice(cells, 40)) + rng.uniform(-0.34, 0.34, (40, 2))
        moving = rng.normal(size=(40, 2))
        ours, theirs = (
            steering.avoid_walls(mesh, at, moving, 1.7),
            steering.avoid_walls(grid, at, moving, 1.7),
        )
        np.testing.assert_allclose(ours, theirs, atol=1e-9)

    @settings(max_examples=12, deadline=None)
    @given(seed=st.integers(0, 9_999))
    def test_a_crowd_walks_as_on_a_grid(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        grid = fc.Grid(16, 11)
        mesh, _ = graphs.squares(grid)
        at, moving = rng.uniform(1, 10, (60, 2)), rng.normal(size=(60, 2))
        wish = rng.normal(size=(60, 2))
        keywords = {"max_speed": rng.uniform(0.5, 3, 60), "max_force": 20.0}
        here = steering.Crowd(grid).step(at, moving, wish, 0.05, **keywords)  # type: ignore[arg-type]
        there = steering.Crowd(mesh).step(at, moving, wish, 0.05, **keywords)  # type: ignore[arg-type]
        for one, other in zip(here, there, strict=True):
            np.testing.assert_allclose(other, one, atol=1e-5)

    def test_it_follows_a_field_to_the_other_floor_and_keeps_apart_on_each(self) -> None:
        house = graphs.two_floors()
        flow = fc.flow_field(fc.distance_map(house, (1, 1, 3)))
        crowd = steering.Crowd(house, separation_radius=0.4, ahead=0.3)
        at, moving = np.array([(1.0, 3.0, 0.0), (3.0, 1.0, 0.0), (1.0, 1.0, 0.0)]), np.zeros((3, 2))
        for _ in range(600):
            at, moving = crowd.step(at, moving, flow, 0.05, max_speed=1.5, max_force=20)
        assert at[:, 2].tolist() == pytest.approx([3, 3, 3])
        away = np.linalg.norm(at[:, np.newaxis] - at, axis=2)
        assert away[~np.eye(3, dtype=bool)].min() > 0.05
        above = np.array([(1.0, 1.0, 0.0), (1.001, 1.0, 3.0)])
        places, speeds = crowd.step(above, np.zeros((2, 2)), np.zeros((2, 2)), 0.05, max_speed=1.0)
        np.testing.assert_allclose(
            places, above, atol=1e-9
        )  # one floor above the other is not beside each other
        assert not speeds.any()

    def test_who_touches_a_rim_gets_on_along_it(self) -> None:
        places, speeds = steering.Crowd(SQUARE, ahead=0).step(
            [(3.95, 1.0)], [(2.0, 1.0)], [(2.0, 1.0)], 0.1, max_speed=9.0
        )
        assert places == pytest.approx(np.array([[4, 1.1]]), abs=1e-3)
        assert speeds == pytest.approx(np.array([[0.5, 1]]), abs=1e-2)


class TestFloors:
    def test_who_walks_in_a_hall_stays_on_its_floor(self) -> None:
        house = graphs.two_floors()
        rng = np.random.default_rng(2)
        for height in (0.0, 3.0):
            at = np.concatenate([rng.uniform(0.2, 3.8, (80, 2)), np.full((80, 1), height)], axis=1)
            for _ in range(30):
                shift = rng.normal(size=(80, 2)) * 2
                shift[:, 0] = np.where(
                    at[:, 0] + shift[:, 0] > 3.9, 0, shift[:, 0]
                )  # not out over the ramps
                at = steering.move(house, at, shift)
                np.testing.assert_allclose(at[:, 2], height, atol=1e-9)

    def test_ramps_lead_up(self) -> None:
        house = graphs.two_floors()
        assert steering.move(house, (3, 1, 0), (3, 0)) == pytest.approx((6, 1, 0.75))
        assert steering.move(house, (3, 3, 3), (3, 0, 99)) == pytest.approx(
            (6, 3, 2.25)
        )  # the z of a displacement is left out

    def test_a_real_level(self) -> None:
        level = fc.load_map(realdata.folder("navmesh") / "recast-output" / "poly_mesh.json")
        rng = np.random.default_rng(1)
        at = level.positions[rng.integers(0, len(level), 300)]
        parts = level.parts()
        part = parts[level.cell_at(at)]
        for _ in range(20):
            at = steering.move(level, at, rng.normal(size=(300, 2)) * 4)
            inside, _, off = level.mesh.locate(at)  # type: ignore[union-attr]
            assert (inside >= 0).all() and off.max() < 1e-6
        np.testing.assert_array_equal(parts[level.cell_at(at)], part)


class TestRefusals:
    def test_spaces_and_sizes(self) -> None:
        roads = fc.Graph([(0, 0), (1, 0)], [(0, 1)])
        for word, call in (
            ("along paths", lambda: steering.move(roads, (0, 0), (1, 0))),
            ("made for agents", lambda: steering.move(SQUARE, (1, 1), (1, 0), radius=0.3)),
            ("along paths", lambda: steering.Crowd(roads)),
            ("made for agents", lambda: steering.Crowd(SQUARE, radius=0.2)),
            ("along paths", lambda: steering.avoid_walls(roads, (1, 1), (1, 0), 2.0)),
        ):
            with pytest.raises(InvalidValue, match=word):
                call()

    def test_places(self) -> None:
        with pytest.raises(OutsideMap):
            steering.move(graphs.two_floors(), (1, 1, 9), (1, 0))
        with pytest.raises(InvalidValue):
            steering.move(SQUARE, [(1, np.nan)], (1, 0))
        with pytest.raises(InvalidValue):
            steering.move(SQUARE, (1, 1), (np.inf, 0))
        assert steering.move(SQUARE, np.zeros((0, 2)), (1, 0)).shape == (0, 2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("far", [1e160, 1.7e308])
def test_the_farthest_steps_and_agents_end_on_the_mesh(far: float) -> None:
    moved = steering.move(SQUARE, [(1.0, 1.0), (far, -far)], [(far, far), (0.0, 0.0)])
    path = fc.shortest_path(SQUARE, (far, 1.0), (1.0, 1.0), smooth=True)
    assert SQUARE.mesh is not None
    for places in (moved, path.positions):
        assert (SQUARE.mesh.locate(places)[0] >= 0).all()
    assert 3 - 1e-4 < moved[0, 1] <= 3 and 2.9 < path.length < 5
