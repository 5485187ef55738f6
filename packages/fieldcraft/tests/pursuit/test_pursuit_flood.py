"""The flood of a pursuit: views and walls that change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.pursuit import Pursuit
from support.floods import FREE, cave, levels


class TestLook:
    def test_what_is_hot_in_view_goes_out(self) -> None:
        hunt = Pursuit(fc.Grid(20, 1), (5.5, 0.5), (1.0, 0.0), **{**FREE, "barrier_angle": 100.0})
        hunt.step(3)
        assert hunt.hot.tolist() == [8]
        assert hunt.observe([8, 9])
        assert np.flatnonzero(hunt.values).tolist() == [5, 6, 7]
        assert not hunt.step()  # nothing is hot; what is warm waits to be looked at
        assert hunt.stopped == "with nowhere left to go"
        assert np.flatnonzero(hunt.values).tolist() == [5, 6, 7]
        assert hunt.restarts == 0

    def test_it_goes_round_what_is_in_view_and_comes_back(self) -> None:
        hunt = Pursuit(fc.Grid(7, 2, neighbors=4), (0.5, 0.5), speed=1.0, **FREE)
        for _ in range(4):
            hunt.step()
            hunt.observe([2, 3])
        assert hunt.values[0].tolist() == pytest.approx([0.6, 0.7, 0, 0, 0, 0, 0])
        assert hunt.values[1].tolist() == pytest.approx([0.7, 0.8, 0.9, 1, 0, 0, 0])
        hunt.step()
        assert hunt.values[0, 3] == 1  # out of view, untouched, and beside the front

    @pytest.mark.parametrize("as_graph", [False, True])
    def test_when_all_is_cold_it_begins_anew_wherever_he_can_be(self, as_graph: bool) -> None:
        grid = cave(8)
        space = grid.to_graph() if as_graph else grid
        start = int(grid.nearest_open(11 * 37 + 18))
        hunt = Pursuit(space, grid.position_of(start), (1.0, 0.0), most_hot=10**6, tail=10.0)
        hunt.step(9)
        assert hunt.barrier.any()
        warm = np.flatnonzero(hunt.values)
        assert hunt.observe(warm)  # he may just be coming out of view
        assert hunt.barrier.any()
        assert not set(hunt.hot.tolist()) & set(warm.tolist())
        view = hunt.hot
        assert not hunt.observe(view)
        expected = {cell for cell, level in levels(space, start).items() if level <= 9} - set(
            view.tolist()
        )
        assert set(np.flatnonzero(hunt.values).tolist()) == expected == set(hunt.hot.tolist())
        assert (hunt.restarts, hunt.stopped, hunt.steps, hunt.barrier.any()) == (1, None, 9, False)
        assert hunt.step()

    def test_where_he_cannot_be_out_of_view_yet_it_waits_for_him_to_come_out(self) -> None:
        hunt = Pursuit(fc.Grid(20, 1), (0.5, 0.5), (1.0, 0.0), **FREE)
        hunt.step(2)
        assert hunt.observe(np.arange(6))
        assert (hunt.hot.tolist(), hunt.restarts) == ([6], 0)
        assert not hunt.observe(np.arange(20))
        assert not hunt.values.any()
        assert hunt.estimate().tolist() == [0.5, 0.5]
        assert hunt.assign([(3.5, 0.5), (9.5, 0.5)]).tolist() == [[0.5, 0.5]] * 2
        assert hunt.observe(np.arange(3))
        assert hunt.hot.tolist() == [3]

    def test_in_the_moment_in_which_he_is_lost_it_keeps_to_the_way_he_ran(self) -> None:
        hunt = Pursuit(fc.Grid(21, 5), (10.5, 2.5), (3.0, 0.0))
        view = fc.visible(hunt.space, (10.5, 2.5), 3)
        for _ in range(20):
            hunt.advance(1 / 60)
            assert hunt.observe(view)
        assert hunt.restarts == 0
        assert (hunt.hot % 21 > 10).all()
        hunt.step(2)
        assert (hunt.hot % 21 > 10).all()

    @settings(max_examples=16)
    @given(
        st.integers(0, 2**16),
        st.booleans(),
        st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**16)), max_size=12),
    )
    def test_never_warm_in_view_or_in_a_wall(
        self, seed: int, wrap: bool, looks: list[tuple[int, int]]
    ) -> None:
        grid = cave(seed, wrap=wrap)
        start = grid.nearest_open(11 * 37 + 18)
        hunt, twin = (
            Pursuit(grid, grid.position_of(start), (1.0, 0.5), most_steps=30) for _ in range(2)
        )
        for count, view_seed in looks:
            view = np.random.default_rng(view_seed).random(grid.shape) < 0.6
            steps = hunt.steps
            hunt.step(count)
            assert hunt.steps == steps + count or hunt.stopped
            sound = hunt.observe(view)
            assert sound == (hunt.restarts == twin.restarts and bool(hunt.values.any()))
            assert not (hunt.values[view | grid.walls] > 0).any()
            assert len(set(hunt.hot.tolist())) == len(hunt.hot)
            assert sorted(hunt.hot.tolist()) == np.flatnonzero(hunt.values == 1).tolist()
            assert not grid.walls.reshape(-1)[grid.cell_at(hunt.estimate())]
            twin.restore(hunt.state())
        for each in (hunt, twin):
            each.step(3)
        np.testing.assert_array_equal(hunt.values, twin.values)
        np.testing.assert_array_equal(hunt.barrier, twin.barrier)


class TestWallsThatChange:
    @pytest.mark.parametrize("as_graph", [False, True])
    @pytest.mark.parametrize("seed", [3, 8, 21])
    def test_nothing_is_warm_in_a_wall_and_guesses_can_be_stood_on(
        self, seed: int, as_graph: bool
    ) -> None:
        grid = cave(seed)
        space = grid.to_graph() if as_graph else grid
        start = int(grid.nearest_open(11 * 37 + 18))
        hunt = Pursuit(space, grid.position_of(start), (1.0, 0.3), most_hot=10**6)
        rng = np.random.default_rng(seed)
        for built in (True, False, True):
            hunt.step(4)
            assert hunt.hot.size and hunt.barrier.any()
            space.set_walls(
                np.union1d(
                    rng.choice(hunt.hot, len(hunt.hot) // 2), np.flatnonzero(hunt.barrier)[:3]
                ),
                built,
            )
            walls = space.walls.reshape(-1)
            for how in ("peak", "medoid"):
                assert not walls[space.cell_at(hunt.estimate(how))]
            assert not walls[space.cell_at(hunt.assign(grid.position_of([start, start])))].any()
            assert not (hunt.values > 0)[space.walls].any() and not hunt.barrier[space.walls].any()
            assert sorted(hunt.hot.tolist()) == np.flatnonzero(hunt.values == 1).tolist()

    def test_a_door_stops_it_and_lets_it_go_on(self) -> None:
        hall = fc.Grid(9, 1)
        hunt = Pursuit(hall, (0.5, 0.5), (1.0, 0.0))
        hall.set_walls([4])
        assert not hunt.step(6)
        assert (hunt.stopped, hunt.hot.tolist()) == ("with nowhere left to go", [])
        assert hunt.values[0, :4].tolist() == pytest.approx([0.4, 0.5, 0.6, 0.7])
        hall.set_walls([4], False)
        assert hunt.step(2)
        assert hunt.hot.tolist() == [5]
        roads = hall.to_graph()
        hunt = Pursuit(roads, (0.5, 0.5), (1.0, 0.0), blocked=[7])
        roads.set_edges((2, 3))
        assert not hunt.step(16) and not hunt.values.any()
        roads.set_edges((2, 3), blocked=False)
        assert hunt.step(4) and hunt.hot.tolist() == [6]
        assert (
            not hunt.step(6) and not hunt.values[7:].any()
        )  # no further: what was blocked for him stays so

    @pytest.mark.parametrize("waiting", [0, 3, 30])
    def test_what_waits_at_a_door_goes_through_it_later(self, waiting: int) -> None:
        hall = fc.Grid(9, 1)
        hunt, other = (Pursuit(hall, (0.5, 0.5), (1.0, 0.0)) for _ in range(2))
        hall.set_walls([4])
        hunt.step(3 + waiting)
        other.restore(hunt.state())
        assert hunt.values.any() == (waiting < 10)
        hall.set_walls([8])  # the front wakes, finds no way yet, and cools on
        hunt.step()
        other.step()
        hall.set_walls([4], False)
        for each in (hunt, other):
            assert each.step(2)
            assert each.values[0, 4:].tolist() == pytest.approx([0.9, 1, 0, 0, 0])
            assert each.steps == 3 + waiting + 3

    def test_where_he_was_last_seen_is_a_wall_by_now(self) -> None:
        grid = fc.Grid(9, 3)
        hunt = Pursuit(grid, (4.5, 1.5), (1.0, 0.0))
        grid.set_walls([13])
        assert not hunt.values.any()
        assert hunt.estimate().tolist() == [4.5, 0.5]
        assert hunt.assign([(0.5, 0.5)]).tolist() == [[4.5, 0.5]]
        assert not hunt.observe([0]) and hunt.hot.tolist() == [4]
        grid.set_walls(np.arange(27))
        assert not hunt.observe([0]) and not hunt.values.any() and not hunt.step()

    def test_a_memory_comes_back_on_other_walls(self) -> None:
        grid = fc.Grid(9, 3)
        hunt, other = (Pursuit(grid, (4.5, 1.5), (1.0, 0.0)) for _ in range(2))
        hunt.step(2)
        kept = hunt.state()
        grid.set_walls(hunt.hot)
        other = Pursuit(grid, (4.5, 1.5), (1.0, 0.0))
        other.restore(kept)
        assert not other.values.reshape(-1)[kept["state"] == 3].any()
        np.testing.assert_array_equal(other.values, hunt.values)
        assert other.step(3) == hunt.step(3)
        np.testing.assert_array_equal(other.values, hunt.values)
