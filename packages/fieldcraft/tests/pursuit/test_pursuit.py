"""The flood after a fugitive: its front, its barrier, its guesses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.pursuit import Pursuit
from support.floods import FREE, cave, levels
from support.refusals import refused


@settings(max_examples=14)
@given(
    st.integers(0, 2**16),
    st.sampled_from([0.07, 0.1, 0.3, 1.0]),
    st.sampled_from([4, 8]),
    st.booleans(),
    st.booleans(),
    st.lists(st.integers(0, 9), max_size=12),
)
def test_with_nowhere_left_to_go_it_cools_to_nothing(
    seed: int, cooling: float, neighbors: int, wrap: bool, as_graph: bool, slices: list[int]
) -> None:
    grid = cave(seed, neighbors, walls=0.45, wrap=wrap)
    space = grid.to_graph() if as_graph else grid
    start = int(grid.nearest_open(11 * 37 + 18))
    hunt, twin = (
        Pursuit(space, grid.position_of(start), speed=1.0, cooling=cooling, most_steps=len(grid))
        for _ in range(2)
    )
    found = levels(space, start)
    level = np.array([found.get(cell, 10**6) for cell in range(len(grid))])
    for count in slices:
        hunt.step(count)
        heat = np.where(level <= hunt.steps, np.maximum(1 - cooling * (hunt.steps - level), 0), 0)
        np.testing.assert_allclose(hunt.values.reshape(-1), heat, atol=2e-6)
    twin.step(sum(slices))
    assert twin.state()["marks"].tolist() == hunt.state()["marks"].tolist()
    hunt.step(max(found.values()) + math.ceil(1 / cooling) + 1)
    assert (hunt.stopped, hunt.values.any(), hunt.hot.tolist()) == (
        "with nowhere left to go",
        False,
        [],
    )
    assert hunt.estimate().tolist() == hunt.last_seen.tolist()


class TestBarrier:
    def test_stands_behind_him_and_does_not_cool(self) -> None:
        hunt = Pursuit(
            fc.Grid(41, 21, neighbors=8), (20.5, 10.5), (1.0, 0.0), tail=6.0, barrier_angle=90.0
        )
        hunt.step(6)
        rows, columns = np.nonzero(hunt.barrier)
        assert (columns < 20).all()
        assert (np.hypot(columns - 20, rows - 10) <= 6).all()
        assert hunt.barrier[10, 14]
        assert hunt.values[10, 26] == 1.0
        assert hunt.values[hunt.barrier].max() == 0

    def test_keeps_the_flood_in_front(self) -> None:
        for angle in np.linspace(0, 2 * math.pi, 9):
            velocity = np.array([math.cos(angle), math.sin(angle)])
            hunt = Pursuit(fc.Grid(61, 53, neighbors=8), (30.5, 26.5), velocity, tail=100.0)
            hunt.step(12)
            ahead = (hunt.space.position_of(hunt.hot) - [30.5, 26.5]) @ velocity
            assert ahead.min() > -4
            assert (hunt.estimate("mean") - [30.5, 26.5]) @ velocity > 3

    def test_the_flood_comes_round_a_short_tail(self) -> None:
        hunt = Pursuit(
            fc.Grid(31, 21, neighbors=8),
            (15.5, 10.5),
            (1.0, 0.0),
            tail=3.0,
            **{**FREE, "barrier_angle": 90.0},
        )
        hunt.step(40)
        assert hunt.stopped == "with nowhere left to go"
        assert (hunt._flood.ignited.reshape(21, 31)[:, 0] > 0).all()

    def test_is_dropped_where_the_front_has_no_other_way(self) -> None:
        hall = fc.Grid(20, 1)
        whole, parts = (Pursuit(hall, (15.5, 0.5), (1.0, 0.0)) for _ in range(2))
        whole.step(4)
        assert whole.hot.tolist() == [19] and whole.barrier[0, 11:15].all()
        whole.step()
        assert whole.hot.tolist() == [14] and not whole.barrier.any()
        assert whole.values[0, 14:].tolist() == pytest.approx([1, 0.9, 0.6, 0.7, 0.8, 0.9])
        whole.step(9)
        for _ in range(14):
            parts.step()
        assert whole.hot.tolist() == parts.hot.tolist() == [5]
        again = Pursuit(hall, (15.5, 0.5), (1.0, 0.0))
        again.restore(whole.state())
        for hunt in (whole, again):
            hunt.step(2)
            assert (hunt.hot.tolist(), hunt.restarts, hunt.stopped) == ([3], 0, None)
        born = Pursuit(hall, (19.5, 0.5), (1.0, 0.0))  # a wall is ahead
        assert born.step() and born.hot.tolist() == [18]
        assert born.observe(np.arange(10, 20))  # it may just be coming out of view
        assert (born.hot.tolist(), born.restarts) == ([9], 0)

    @pytest.mark.parametrize("kind", ["cave", "maze", "rooms"])
    def test_no_flood_ends_beside_ground_that_can_be_reached(self, kind: str) -> None:
        for seed in range(12):
            dice = np.random.default_rng(seed)
            grid = fc.generate_map(kind, 48, 31, seed=seed, neighbors=8)
            space = grid if seed % 2 else grid.to_graph()
            start = int(dice.choice(np.flatnonzero(~grid.walls.reshape(-1))))
            angle = dice.uniform(0, 2 * math.pi)
            hunt = Pursuit(
                space, start, (2 * math.cos(angle), 2 * math.sin(angle)), most_steps=5000
            )
            hunt.step(12)
            assert hunt.stopped is None and hunt.hot.size
            hunt.step(4000)
            away = fc.distance_map(grid, grid.position_of(start)).values
            assert ((hunt._flood.ignited >= 0) == np.isfinite(away).reshape(-1)).all()


class TestStops:
    def test_says_why(self) -> None:
        grid = fc.Grid(50, 30)
        few = Pursuit(grid, (25.5, 15.5), speed=1.0, most_hot=20)
        assert not few.step(100)
        assert few.stopped == "with too many hot cells"
        assert np.count_nonzero(few.values) <= 20
        assert "too many hot cells" in repr(few)
        short = Pursuit(grid, (25.5, 15.5), speed=1.0, most_steps=3)
        assert not short.step(10)
        assert (short.stopped, short.steps) == ("after 3 steps", 3)
        shut = Pursuit(
            grid,
            (25.5, 15.5),
            speed=1.0,
            blocked=~grid.walls & (np.arange(1500).reshape(30, 50) != 15 * 50 + 25),
        )
        assert not shut.step()
        assert shut.stopped == "with nowhere left to go"
        assert shut.estimate().tolist() == [25.5, 15.5]

    @settings(max_examples=14)
    @given(
        st.integers(0, 2**16),
        st.integers(1, 300),
        st.sampled_from([0.05, 0.1, 0.34, 1.0]),
        st.sets(st.integers(0, 400), max_size=90),
    )
    def test_never_more_warm_cells_than_most_hot(
        self, seed: int, most: int, cooling: float, view: set[int]
    ) -> None:
        grid = cave(seed)
        start = grid.position_of(grid.nearest_open(11 * 37 + 18))
        hunt, free = (
            Pursuit(grid, start, (1.0, 0.2), cooling=cooling, most_hot=limit)
            for limit in (most, 10**9)
        )
        for step in range(60):
            runs = hunt.step()
            free.step()
            if step == 3:
                for each in (hunt, free):
                    each.observe(sorted(view))
            if not runs and hunt.stopped == "with too many hot cells":
                assert np.count_nonzero(free.values) > most
                break
            np.testing.assert_array_equal(hunt.values, free.values)
            assert np.count_nonzero(hunt.values) <= most or hunt.restarts
        assert np.count_nonzero(hunt.values) <= most or hunt.restarts

    def test_time_however_it_is_sliced(self) -> None:
        one, other = (
            Pursuit(cave(3), cave(3).position_of(cave(3).nearest_open(425)), (1.0, 0.5), every=0.25)
            for _ in range(2)
        )
        one.advance(3.1)
        for _ in range(31):
            other.advance(0.1)
        assert one.steps == other.steps == 12
        assert one.values.tobytes() == other.values.tobytes()


class TestGuesses:
    @settings(max_examples=12)
    @given(st.integers(0, 2**16), st.integers(0, 15))
    def test_medoid_and_peak_can_be_stood_on(self, seed: int, steps: int) -> None:
        grid = cave(seed)
        start = int(grid.nearest_open(400))
        hunt = Pursuit(grid, grid.position_of(start), (0.3, -1.0))
        hunt.step(steps)
        for how in ("medoid", "peak"):
            cell = grid.cell_at(hunt.estimate(how))
            assert not grid.walls.reshape(-1)[cell]
            assert hunt.values.reshape(-1)[cell] > 0 or (cell == start and not hunt.values.any())
        assert hunt.values.reshape(-1)[grid.cell_at(hunt.estimate("peak"))] == hunt.values.max()
        assert hunt.stopped or hunt.values.max() == 1.0

    def test_medoid_has_the_least_sum_of_squares(self) -> None:
        hunt = Pursuit(cave(8), cave(8).position_of(cave(8).nearest_open(300)), speed=1.0)
        hunt.step(7)
        cells = np.flatnonzero(hunt.values)
        places, heat = hunt.space.position_of(cells), hunt.values.reshape(-1)[cells].astype(float)
        sums = [(heat * ((places - place) ** 2).sum(axis=1)).sum() for place in places]
        found = np.flatnonzero((places == hunt.estimate()).all(axis=1))[0]
        assert sums[found] == pytest.approx(min(sums))

    def test_searchers_get_places_of_their_own(self) -> None:
        grid = fc.Grid(60, 40, neighbors=8)
        hunt = Pursuit(grid, (30.5, 20.5), (1.0, 0.0))
        hunt.step(12)
        agents = np.array([[2.0, 2.0], [55.0, 38.0], [55.0, 3.0], [29.0, 20.0]])
        places = hunt.assign(agents, spacing=5)
        apart = np.sqrt(((places[:, None] - places) ** 2).sum(axis=2))[~np.eye(4, dtype=bool)]
        assert apart.min() >= 5
        walks = np.sqrt(((agents[:, None] - places) ** 2).sum(axis=2))
        assert (
            np.trace(walks)
            <= min(np.trace(walks[:, np.roll(np.arange(4), k)]) for k in range(4)) + 3
        )
        assert all(hunt.values.reshape(-1)[grid.cell_at(place)] > 0 for place in places)
        assert hunt.assign(np.zeros((0, 2))).shape == (0, 2)

    def test_more_searchers_than_cells_and_walls_between(self) -> None:
        walls = np.zeros((9, 11), dtype=bool)
        walls[:, 5] = True
        hunt = Pursuit(fc.Grid(11, 9, walls=walls), (8.5, 4.5), speed=1.0)
        places = hunt.assign([(1.5, 1.5), (9.5, 4.5), (9.5, 8.5)])
        assert (places == [8.5, 4.5]).all()


def test_on_a_graph_in_three_dimensions() -> None:
    positions = np.array([[0, 0, 0], [3, 0, 0], [6, 0, 1], [-3, 0, 0], [6, 3, 1]], dtype=float)
    graph = fc.Graph(positions, [(0, 1), (1, 2), (0, 3), (2, 4)])
    hunt = Pursuit(graph, (0, 0, 0), (1.0, 0.0, 0.0))
    hunt.step(2)
    assert hunt.barrier.tolist() == [False, False, False, True, False]
    assert hunt.values.tolist() == pytest.approx([0.8, 0.9, 1, 0, 0])
    assert hunt.estimate("peak").tolist() == [6, 0, 1]
    assert hunt.assign([(6, 3, 1), (-3, 0, 0)], spacing=1).shape == (2, 3)


def test_a_velocity_in_three_dimensions_may_leave_out_z() -> None:
    stairs = fc.Graph([(x, 0, x / 2) for x in range(7)], [(x, x + 1) for x in range(6)])
    flat, full = Pursuit(stairs, 3, (-1.0, 0.0)), Pursuit(stairs, 3, (-1.0, 0.0, 0.0))
    assert flat.step(2) == full.step(2)
    assert flat.values.tolist() == full.values.tolist() and flat.values[4] == 0 < flat.values[2]
    with refused(InvalidValue, "velocity", "(1, 0, 0, 0)"):
        Pursuit(stairs, 3, (1, 0, 0, 0))


def test_bad_input() -> None:
    walls = np.zeros((6, 8), dtype=bool)
    walls[2] = True
    grid = fc.Grid(8, 6, walls=walls)
    with refused(InvalidValue, "velocity", "0.0, 0.0"):
        Pursuit(grid, (1.5, 1.5), (0.0, 0.0))
    for velocity in ((math.nan, 1.0), (1.0, 0.0, 0.0), 3.0, "left", (1e300, 0.0)):
        with refused(
            InvalidValue,
            "velocity is one vector (x, y)",
            str(velocity)[:5],
            "world units per second",
        ):
            Pursuit(grid, (1.5, 1.5), velocity)
    with refused(InvalidValue, "takes some time", "speed of 1e+20"):
        Pursuit(grid, (1.5, 1.5), (1e20, 0.0))
    with refused(OutsideMap, "vertices"):
        Pursuit(fc.Graph([], []), (1.5, 1.5), (1.0, 0.0))
    endless = Pursuit(grid, (1.5, 1.5), (1.0, 0.0), most_steps=2**62, most_hot=2**62)
    assert not endless.step(2**61)
    with refused(InvalidValue, "velocity"):
        Pursuit(grid, (1.5, 1.5), [(0.0, 1.0), (1.0, 1.0)])
    with refused(OutsideMap, "9.5"):
        Pursuit(grid, (9.5, 1.5), (1.0, 0.0))
    roads = grid.to_graph()
    with refused(OutsideMap, "30.0"):
        Pursuit(roads, (30.0, 1.5), (1.0, 0.0))
    assert Pursuit(roads, (8.5, 1.5), (1.0, 0.0)).last_seen.tolist() == [8.5, 1.5]
    for words, call in (
        ((OnWall, "2.5"), lambda: Pursuit(grid, (1.5, 2.5), (1.0, 0.0))),
        ((OnWall, "1.5", "(1.5, 0.5)"), lambda: Pursuit(grid, (1.5, 1.5), (1.0, 0.0), blocked=[9])),
        (
            (OnWall, "1.5", "Block less"),
            lambda: Pursuit(grid, (1.5, 1.5), (1.0, 0.0), blocked=np.ones((6, 8), dtype=bool)),
        ),
        ((InvalidValue, "speed"), lambda: Pursuit(grid, (1.5, 1.5))),
        ((InvalidValue, "space"), lambda: Pursuit(walls, (1.5, 1.5), (1.0, 0.0))),
        ((InvalidValue, "steps"), lambda: Pursuit(fc.Grid(1, 1), (0.5, 0.5), (1.0, 0.0))),
    ):
        with refused(*words):
            call()
    for name, value in {
        "barrier_angle": 181,
        "cooling": 0,
        "tail": -1,
        "every": 0,
        "most_hot": 0,
        "most_steps": 0.5,
        "speed": -1,
    }.items():
        with refused(InvalidValue, name):
            Pursuit(grid, (1.5, 1.5), (1.0, 0.0), **{name: value})
    for blocked in (np.zeros((8, 6), dtype=bool), [77], [0.5]):
        with pytest.raises(InvalidValue):
            Pursuit(grid, (1.5, 1.5), (1.0, 0.0), blocked=blocked)
    with refused(InvalidValue, "how"):
        Pursuit(grid, (1.5, 1.5), (1.0, 0.0)).estimate("guess")


def test_the_barrier_never_stands_where_he_was_last_seen() -> None:
    hunt = Pursuit(
        fc.Grid(9, 3, neighbors=8), (4.9, 1.5), (1.0, 0.0), barrier_angle=90.0
    )  # in front of the middle of his cell
    for _ in range(4):
        hunt.step()
        hunt.observe([13])
        assert not hunt.barrier[1, 4]


def test_a_look_that_finds_no_other_way_leaves_the_barrier_as_it_was() -> None:
    grid = cave(8)
    start = int(grid.nearest_open(11 * 37 + 18))
    hunt, twin = (
        Pursuit(grid, grid.position_of(start), (1.0, 0.0), most_hot=10**6) for _ in range(2)
    )
    for each in (hunt, twin):
        each.step(2)
        each.observe(each.hot[::2])
        each.step(1)
    before = hunt.state()["barrier_cells"]
    hunt.observe(np.ones(grid.shape, dtype=bool))
    np.testing.assert_array_equal(hunt.state()["barrier_cells"], before)
