"""Walkers: never in walls, the same for any number of threads, and led by what they are told to be
led by.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.errors import InvalidValue, OnWall, OutsideMap, WrongLayer
from fieldcraft.kernels import pool
from fieldcraft.propagation import Trail
from fieldcraft.query import sense
from fieldcraft.steering import Walk, Walkers
from support.refusals import refused, unchanged
from support.roads import open_cells


def meadow(width: int = 40, height: int = 30, **settings: object) -> fc.Grid:
    return fc.Grid(width, height, **settings)


def carrying(grid: fc.Grid, values: object) -> fc.Layer:
    return fc.InfluenceMap(grid).add_layer("layer", values=values)


class TestWalking:
    def test_straight_on_without_anything(self) -> None:
        walkers = Walkers.at(meadow(), [(5.5, 5.5), (20.0, 10.0)], [(3.0, 4.0), (0.0, -1.0)])
        after = walkers.walk(Walk(2.0, wander=0), 0.5)
        np.testing.assert_allclose(after.positions, [(6.1, 6.3), (20.0, 9.0)])
        np.testing.assert_allclose(after.headings, [(0.6, 0.8), (0.0, -1.0)])
        assert after.cells.tolist() == [6 * 40 + 6, 9 * 40 + 20]
        assert after.step == 1
        np.testing.assert_array_equal(walkers.positions, [(5.5, 5.5), (20.0, 10.0)])

    def test_wanders_within_its_angle(self) -> None:
        walkers = Walkers.at(meadow(), np.tile([20.0, 15.0], (3000, 1)), (1.0, 0.0), seed=4)
        after = walkers.walk(Walk(1.0, wander=30), 0.1)
        turned = np.degrees(np.arctan2(after.headings[:, 1], after.headings[:, 0]))
        assert np.abs(turned).max() <= 30 + 1e-9
        assert np.abs(turned).max() > 29
        assert abs(turned.mean()) < 1.5
        persistent = walkers.walk(Walk(1.0, wander=30, turn=5), 0.1)
        assert np.abs(np.degrees(np.arctan2(*persistent.headings.T[::-1]))).max() <= 5 + 1e-9

    @settings(max_examples=40)
    @given(
        seed=st.integers(0, 10**6),
        wrap=st.booleans(),
        y_up=st.booleans(),
        cell=st.sampled_from([1.0, 0.3]),
        speed=st.sampled_from([0.5, 7.0, 300.0]),
    )
    def test_never_ends_in_a_wall_nor_passes_one(
        self, seed: int, wrap: bool, y_up: bool, cell: float, speed: float
    ) -> None:
        rng = np.random.default_rng(seed)
        walls = rng.random((11, 17)) < 0.3
        walls[:, 8] = True
        walls[:, 0] = walls[:, 0] | wrap
        grid = fc.Grid(
            17, 11, walls=walls, wrap=wrap, y_up=y_up, cell_size=cell, origin=(-2.1, 3.3)
        )
        cells = rng.choice(open_cells(grid), 30)
        walkers = Walkers.at(grid, grid.position_of(cells), seed=seed)
        west = cells % 17 < 8
        for _ in range(20):
            walkers = walkers.walk(
                Walk(speed * cell, wander=60, avoid=1.0, distance=1.5 * cell), 0.1
            )
            assert not walls.reshape(-1)[walkers.cells].any()
            np.testing.assert_array_equal(
                np.atleast_1d(grid.cell_at(walkers.positions)), walkers.cells
            )
            np.testing.assert_array_equal(walkers.cells % 17 < 8, west)
            np.testing.assert_allclose(np.hypot(*walkers.headings.T), 1, rtol=1e-9)

    def test_rounding_puts_nobody_into_a_wall(self) -> None:
        """A place a hair before a wall may, in world units, round into it."""
        size, corner, x = 0.10725966401839813, 2.6738591731555017, 6.213428085762639
        assert (x - corner) / size < 33 <= ((x - corner) / size * size + corner - corner) / size
        walls = np.zeros((3, 40), bool)
        walls[:, 33] = True
        grid = fc.Grid(40, 3, walls=walls, cell_size=size, origin=(corner, 0.0))
        after = Walkers.at(grid, [(x, size)], (1.0, 0.0)).walk(Walk(0.0, wander=0), 0.1)
        assert after.cells[0] % 40 == 32
        assert grid.cell_at(after.positions)[0] == after.cells[0]

    def test_one_key_makes_one_run_on_any_threads(self) -> None:
        before, seen = pool.threads(), []
        for count in (1, 2, 3):
            pool.set_threads(count)
            grid = meadow(120, 90)
            imap = fc.InfluenceMap(grid)
            trails = [imap.add_layer(name, Trail(0.95)) for name in ("home", "food")]
            walkers = Walkers.at(grid, np.random.default_rng(0).uniform(0, 90, (9000, 2)), seed=5)
            roles = np.arange(9000) % 2
            for _ in range(6):
                walkers = walkers.walk(
                    Walk(10.0, follow=1.0, turn=40), 0.1, trail=trails, roles=roles
                )
                trails[0].deposit_at(walkers.cells[roles == 1])
                trails[1].deposit_at(walkers.cells[roles == 0])
                imap.step()
            seen.append(walkers.positions.tobytes() + trails[0].values.tobytes())
        pool.set_threads(before)
        assert len(set(seen)) == 1
        other = Walkers.at(grid, walkers.positions, seed=6).walk(Walk(10.0), 0.1)
        assert (
            other.positions
            != Walkers.at(grid, walkers.positions, seed=7).walk(Walk(10.0), 0.1).positions
        ).any()

    def test_goes_round_a_torus(self) -> None:
        walkers = Walkers.at(
            meadow(wrap=True), [(39.9, 29.9), (-0.5, 100.0)], [(1.0, 0.0), (0.0, 1.0)]
        )
        np.testing.assert_allclose(walkers.positions[1], (39.5, 10.0))
        after = walkers.walk(Walk(2.0, wander=0), 0.1)
        np.testing.assert_allclose(after.positions[0], (0.1, 29.9))

    def test_leaves_walls_built_around_it(self) -> None:
        grid = meadow()
        walkers = Walkers.at(grid, [(5.5, 5.5)], (1.0, 0.0))
        grid.set_walls([5 * 40 + 5])
        after = walkers.walk(Walk(0.0), 0.1)
        assert not grid.walls.reshape(-1)[after.cells].any()

    def test_freed_before_they_leave_something(self) -> None:
        grid = meadow()
        trail = fc.InfluenceMap(grid).add_layer("trail", Trail())
        walkers = Walkers.at(grid, [(5.5, 5.5), (9.2, 9.3)], (1.0, 0.0))
        assert walkers.freed() is walkers
        grid.set_walls([5 * 40 + 5])
        with refused(OnWall):
            trail.deposit_at(walkers.cells)
        after = walkers.freed()
        trail.deposit_at(after.cells)
        np.testing.assert_array_equal(np.atleast_1d(grid.cell_at(after.positions)), after.cells)
        assert after.positions[1].tolist() == [9.2, 9.3]
        assert after.step == walkers.step

    def test_none_walk_nowhere(self) -> None:
        walkers = Walkers.at(meadow(), np.zeros((0, 2)))
        assert (
            len(
                walkers.walk(
                    Walk(1.0, follow=1.0), 0.1, trail=carrying(meadow(), np.zeros((30, 40)))
                )
            )
            == 0
        )


class TestLeading:
    def test_follows_the_strongest_sensor(self) -> None:
        grid = meadow()
        values = np.zeros(grid.shape)
        values[18, 22] = 3.0  # right of the heading, seen from x towards y: y grows downwards
        walkers = Walkers.at(grid, [(20.5, 16.5)], (1.0, 0.0))
        how = Walk(1.0, wander=0, follow=1.0, distance=2.5)
        after = walkers.walk(how, 0.1, trail=carrying(grid, values))
        np.testing.assert_allclose(after.headings, [(np.cos(np.pi / 8), np.sin(np.pi / 8))])
        values[16, 23] = 5.0
        np.testing.assert_allclose(
            walkers.walk(how, 0.1, trail=carrying(grid, values)).headings, [(1.0, 0.0)]
        )

    def test_each_follows_the_trail_of_its_role(self) -> None:
        grid = meadow()
        up, down = np.zeros((2, *grid.shape))
        up[:16], down[17:] = 1.0, 1.0
        walkers = Walkers.at(grid, np.tile([20.5, 16.5], (2, 1)), (1.0, 0.0))
        after = walkers.walk(
            Walk(1.0, 0, follow=1.0),
            0.1,
            trail=[carrying(grid, up), carrying(grid, down)],
            roles=np.array([0, 1]),
        )
        assert after.headings[0, 1] < 0 < after.headings[1, 1]

    def test_aligns_with_what_passed(self) -> None:
        grid = meadow()
        imap = fc.InfluenceMap(grid)
        flow = imap.add_layer("flow", Trail(vector=True))
        flow.deposit(grid.position_of(np.arange(len(grid))), (0.0, -2.0))
        imap.step()
        walkers = Walkers.at(grid, [(20.5, 16.5)], (1.0, 0.0))
        for _ in range(30):
            walkers = walkers.walk(Walk(0.0, wander=0, align=0.5), 0.1, flow=flow)
        np.testing.assert_allclose(walkers.headings, [(0.0, -1.0)], atol=1e-3)

    def test_each_aligns_with_the_flow_of_its_role(self) -> None:
        grid = meadow()
        out = fc.InfluenceMap(grid).add_layer("out", Trail(vector=True))
        out.write(np.broadcast_to(np.float32([0.0, 2.0]), (30, 40, 2)))

        class Back:
            space, values, vectors = grid, out.values, -out.vectors

        walkers = Walkers.at(grid, np.tile([20.5, 16.5], (2, 1)), (1.0, 0.0))
        how = Walk(1.0, 0, align=1.0)
        after = walkers.walk(how, 0.1, flow=[out, Back()], roles=np.array([0, 1]))
        np.testing.assert_allclose(after.headings, np.array([(1, 1), (1, -1)]) / np.sqrt(2))
        np.testing.assert_array_equal(
            walkers.walk(how, 0.1, flow=out, roles=np.array([0, 1])).headings[1], after.headings[0]
        )

    def test_a_push_is_added(self) -> None:
        walkers = Walkers.at(meadow(), np.tile([20.5, 16.5], (2, 1)), (1.0, 0.0))
        after = walkers.walk(Walk(1.0, 0), 0.1, push=[(0.0, 1.0), (0.0, 0.0)])
        np.testing.assert_allclose(after.headings, [(np.sqrt(0.5), np.sqrt(0.5)), (1.0, 0.0)])
        np.testing.assert_allclose(
            walkers.walk(Walk(1.0, 0, turn=10), 0.1, push=(0.0, -9.0)).headings[1],
            (np.cos(np.pi / 18), -np.sin(np.pi / 18)),
        )

    @pytest.mark.parametrize("y_up", [False, True])
    def test_separates_and_coheres_along_slopes(self, y_up: bool) -> None:
        grid = meadow(y_up=y_up)
        hill = np.add.outer(np.arange(30.0), np.zeros(40)) + 1
        hill = hill[::-1] if y_up else hill
        walkers = Walkers.at(grid, [(20.5, 15.5)], (1.0, 0.0))
        up = walkers.walk(Walk(1.0, 0, cohere=1.0), 0.1, group_layer=carrying(grid, hill))
        down = walkers.walk(Walk(1.0, 0, separate=1.0), 0.1, crowd_layer=carrying(grid, hill))
        assert up.headings[0, 1] > 0 > down.headings[0, 1]

    def test_avoids_what_is_ahead(self) -> None:
        walls = np.zeros((30, 40), bool)
        walls[:17, 22:26] = True
        walkers = Walkers.at(meadow(walls=walls), [(20.5, 15.5)], (1.0, 0.0))
        assert walkers.walk(Walk(1.0, 0, avoid=1.0, distance=4.0), 0.1).headings[0, 1] > 0
        walls[:, 23:26] = True
        walls[:, 22] = False
        boxed = Walkers.at(meadow(walls=walls), [(22.5, 15.5)], (1.0, 0.0))
        assert boxed.walk(Walk(1.0, 0, avoid=2.0, distance=1.0, angle=30.0), 0.1).headings[0, 0] < 0

    def test_separation_cures_clumps(self) -> None:
        """Walkers that align with their own trail clump; a crowd layer spreads them out again."""
        spread = []
        for weight in (0.0, 4.0):
            grid = meadow(60, 60, wrap=True)
            imap = fc.InfluenceMap(grid)
            flow = imap.add_layer("flow", Trail(0.98, vector=True))
            crowd = imap.add_layer("crowd", Trail(accumulate=False, blur=5))
            walkers = Walkers.at(grid, np.random.default_rng(0).uniform(0, 60, (600, 2)), seed=1)
            how = Walk(10.0, wander=10, turn=40, align=1.0, separate=weight, distance=3.0)
            for _ in range(250):
                flow.deposit_at(walkers.cells, walkers.headings)
                crowd.deposit_at(walkers.cells)
                imap.step()
                walkers = walkers.walk(how, 0.1, flow=flow, crowd_layer=crowd)
            spread.append(len(np.unique(walkers.cells)))
        assert spread[1] > 1.15 * spread[0]


class TestSensing:
    def test_reads_left_middle_right(self) -> None:
        grid = meadow()
        layer = carrying(grid, np.arange(1200).reshape(30, 40))
        np.testing.assert_array_equal(
            sense(layer, (20.5, 16.5), (2.0, 0.0), 3.0, angle=90),
            [19 * 40 + 20, 16 * 40 + 23, 13 * 40 + 20],
        )
        many = sense(
            layer, [(20.5, 16.5), (0.5, 0.5)], [(1, 0), (-1, 0)], 3.0, angle=90, blocked=-5
        )
        assert many.tolist() == [[780, 663, 540], [-5, -5, 120]]
        upright = carrying(meadow(y_up=True), np.arange(1200).reshape(30, 40))
        assert sense(upright, (20.5, 13.5), (0.0, 1.0), 3.0)[1] == 13 * 40 + 20

    def test_reads_walls_as_blocked_and_vectors_as_vectors(self) -> None:
        grid = meadow(walls=np.arange(1200).reshape(30, 40) == 16 * 40 + 23)
        imap = fc.InfluenceMap(grid)
        flow = imap.add_layer("flow", Trail(vector=True, blur=1))
        flow.deposit((23.5, 17.5), (1.0, -2.0))
        imap.step()
        assert sense(flow, (20.5, 16.5), (1.0, 0.0), 3.0, blocked=-1)[1] == -1
        read = sense(flow, (20.5, 17.5), (1.0, 0.0), 3.0, vectors=True)
        assert read.shape == (3, 2)
        np.testing.assert_allclose(read[1], (1.0, -2.0))
        with refused(InvalidValue, "vector=True"):
            sense(carrying(grid, np.zeros((30, 40))), (20.5, 17.5), (1.0, 0.0), 3.0, vectors=True)


class TestRefusals:
    @pytest.mark.parametrize(
        "bad",
        [
            {"speed": -1},
            {"speed": float("nan")},
            {"wander": 180},
            {"wander": -1},
            {"turn": -1},
            {"follow": -0.5},
            {"distance": 0},
            {"angle": float("inf")},
            {"separate": "much"},
        ],
    )
    def test_of_weights(self, bad: dict[str, object]) -> None:
        with refused(InvalidValue):
            Walk(**({"speed": 1.0} | bad))

    def test_of_walkers(self) -> None:
        grid = meadow(walls=np.arange(1200).reshape(30, 40) == 41)
        with refused(OnWall):
            Walkers.at(grid, [(5.5, 5.5), (1.5, 1.5)])
        with refused(OutsideMap, "clip it"):
            Walkers.at(grid, (99.0, 1.0))
        with refused(InvalidValue, "Headings are finite"):
            Walkers.at(grid, (5.5, 5.5), (float("nan"), 1.0))
        for bad in ((0.0, 0.0), (float("nan"), 1.0), [(1.0, 0.0)] * 3):
            with refused(InvalidValue):
                Walkers.at(grid, [(5.5, 5.5)], bad)
        with refused(InvalidValue):
            Walkers.at(grid, (5.5, 5.5), seed=-1)

    def test_of_walking(self) -> None:
        grid = meadow()
        walkers = Walkers.at(grid, [(5.5, 5.5)])
        layer, other = (
            carrying(grid, np.zeros((30, 40))),
            carrying(meadow(20, 20), np.zeros((20, 20))),
        )
        for how, settings_ in (
            (Walk(1.0, follow=1.0), {}),
            (Walk(1.0, follow=1.0), {"trail": other}),
            (Walk(1.0, follow=1.0), {"trail": [layer]}),
            (Walk(1.0, follow=1.0), {"trail": [layer] * 3}),
            (Walk(1.0, follow=1.0), {"trail": [layer, layer], "roles": np.array([2])}),
            (Walk(1.0, follow=1.0), {"trail": [layer, layer], "roles": np.array([0, 1])}),
            (Walk(1.0, align=1.0), {"flow": layer}),
            (Walk(1.0, align=1.0), {"flow": [layer]}),
            (Walk(1.0), {"push": [(1.0, 0.0)] * 2}),
            (Walk(1.0), {"push": (float("nan"), 0.0)}),
            (Walk(1.0, separate=1.0), {}),
            (Walk(1.0, cohere=1.0), {"group_layer": np.zeros((30, 40))}),
            (Walk(1e9), {}),
        ):
            with refused(InvalidValue):
                walkers.walk(how, 0.1, **settings_)
        with refused(InvalidValue):
            walkers.walk(Walk(1.0), -0.1)
        with refused(InvalidValue, "how is a Walk"):
            walkers.walk(0.1, Walk(1.0))
        with refused(InvalidValue, "2 to 2"):
            walkers.walk(Walk(1.0), 0.1, roles=[2])
        with refused(InvalidValue, "Pushes are finite"):
            walkers.walk(Walk(1.0), 0.1, push=(float("nan"), 0.0))

    def test_of_deposits_by_cell(self) -> None:
        grid = meadow(walls=np.arange(1200).reshape(30, 40) == 41)
        imap = fc.InfluenceMap(grid)
        layer, plain = (
            imap.add_layer("trail", Trail()),
            imap.add_layer("plain", values=np.zeros((30, 40))),
        )
        with unchanged(layer, plain):
            with refused(OnWall):
                layer.deposit_at(np.array([41]))
            for bad in (np.array([-1]), np.array([1200])):
                with refused(OutsideMap):
                    layer.deposit_at(bad)
            with refused(InvalidValue):
                layer.deposit_at(np.array([1.5]))
            with refused(WrongLayer, "Trail"):
                plain.deposit_at(np.array([1]))
        layer.deposit_at(np.zeros(0, int))


def test_positions_may_lie_in_memory_as_they_like() -> None:
    grid = fc.Grid(9, 7)
    points = np.array([[1.5, 2.5], [3.5, 4.5], [5.5, 1.5]])
    plain, turned = (
        Walkers.at(grid, each, (1.0, 0.0)).walk(Walk(1.0), 0.1)
        for each in (points, np.asfortranarray(points))
    )
    np.testing.assert_array_equal(plain.positions, turned.positions)
