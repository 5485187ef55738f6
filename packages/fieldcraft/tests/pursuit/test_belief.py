"""Occupancy maps: a belief sums to 1, wanders as fast as its target, and gives way to what is
seen.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.pursuit import Belief
from fieldcraft.space.wrapping import Wrap
from support.refusals import refused
from support.worlds import KNIGHT

pytestmark = pytest.mark.reference


def spaces(seed: int, neighbors: object, wrap: Wrap, as_graph: bool) -> fc.Grid | fc.Graph:
    rng = np.random.default_rng(seed)
    width, height = (int(n) for n in rng.integers(2, 24, 2))
    walls = rng.random((height, width)) < 0.25
    walls[0, :2] = False
    grid = fc.Grid(width, height, walls=walls, neighbors=neighbors, wrap=wrap, cell_size=0.5)  # type: ignore[arg-type]
    return grid.to_graph() if as_graph else grid


@settings(max_examples=16)
@given(st.integers(0, 2**16), st.sampled_from([4, 8, KNIGHT]), st.booleans(), st.booleans())
def test_never_negative_and_always_sums_to_one(
    seed: int, neighbors: object, wrap: Wrap, as_graph: bool
) -> None:
    space = spaces(seed, neighbors, wrap, as_graph)
    if not len(space.adjacency.ends):
        return
    rng = np.random.default_rng(seed)
    belief = Belief(space, 2.0, targets=2, stay=float(rng.choice([0, 0.3])))
    open_cells = np.flatnonzero(~space.walls.reshape(-1))
    for _ in range(12):
        target = int(rng.integers(2))
        what = rng.integers(5)
        if what == 0:
            belief.see(space.position_of(rng.choice(open_cells)), target=target)
        elif what == 1:
            belief.observe(
                rng.random(space.shape) < rng.choice([0.2, 1.0]), missed=float(rng.choice([0, 0.3]))
            )
        elif what == 2:
            belief.report(space.position_of(rng.choice(open_cells)), 1.2, target=target)
        elif what == 3 and rng.random() < 0.4 and len(open_cells) > 4:
            space.set_walls(rng.choice(open_cells, 1))
        belief.advance(0.3)
        open_cells = np.flatnonzero(~space.walls.reshape(-1))
        for number in range(2):
            chance = belief.probability(number)
            assert (chance >= 0).all()
            assert chance.sum() == pytest.approx(1, abs=1e-9)
            assert not chance[space.walls].any() or belief._walls_version != space.walls_version
        assert belief.values.sum() == pytest.approx(2, abs=1e-4)


@settings(max_examples=12)
@given(st.integers(0, 2**16), st.sampled_from([4, 8]), st.floats(0.2, 3))
def test_grid_and_graph_believe_the_same(seed: int, neighbors: int, stride: float) -> None:
    grid = spaces(seed, neighbors, False, False)
    if not len(grid.adjacency.ends):
        return
    start = grid.position_of(int(grid.nearest_open(len(grid) // 2)))
    beliefs = [Belief(space, stride, every=0.5) for space in (grid, grid.to_graph())]
    for belief in beliefs:
        belief.see(start)
        belief.step(6)
    np.testing.assert_allclose(
        beliefs[0].probability().reshape(-1), beliefs[1].probability(), rtol=1e-12, atol=1e-15
    )


class TestWhatIsSeen:
    def test_a_look_clears_and_scales_up(self) -> None:
        belief = Belief(fc.Grid(10, 2), 1.0)
        view = np.zeros((2, 10), dtype=bool)
        view[:, :5] = True
        assert belief.observe(view)
        np.testing.assert_allclose(belief.probability(), np.where(view, 0, 0.1))
        assert belief.observe(np.arange(10), missed=0.5)
        assert belief.probability()[0, 9] == pytest.approx(0.5 * belief.probability()[1, 9])

    def test_a_belief_that_was_wrong_begins_anew_out_of_view_likelier_near_by(self) -> None:
        first = np.arange(12).reshape(2, 6) == 0
        belief = Belief(fc.Grid(6, 2), 1.0, where=first)
        assert not belief.observe([0, 1])
        away = np.array([[np.inf, np.inf, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]])
        np.testing.assert_allclose(
            belief.probability(), np.exp(-away / 4) / np.exp(-away / 4).sum(), rtol=1e-6
        )
        assert not belief.observe(np.ones((2, 6), dtype=bool))
        assert belief.probability().sum() == pytest.approx(1)

    def test_where_no_way_leads_out_of_view_it_begins_anew_everywhere_out_of_view(self) -> None:
        belief = Belief(fc.Grid(5, 1, walls=[[False, False, True, False, False]]), 1.0)
        belief.see((0.5, 0.5))
        assert not belief.observe([0, 1])
        assert belief.probability()[0].tolist() == [0, 0, 0, 0.5, 0.5]

    def test_a_noise_draws_belief(self) -> None:
        belief = Belief(fc.Grid(40, 30), 1.0)
        belief.report((10.5, 10.5), 5, certainty=0.75)
        inside = belief.probability()[6:16, 6:16].sum()
        assert 0.75 < inside < 0.78
        belief.see((35.5, 25.5))
        belief.report((5.5, 5.5), 3, certainty=0.5)
        assert belief.probability()[25, 35] == pytest.approx(0.5)
        assert belief.probability()[3:9, 3:9].sum() == pytest.approx(0.5)

    @pytest.mark.parametrize("as_graph", [False, True])
    def test_at_once_and_not_only_at_the_next_step(self, as_graph: bool) -> None:
        grid = fc.Grid(8, 3)
        space = grid.to_graph() if as_graph else grid
        belief = Belief(space, 1.0, targets=2)
        belief.see((3.5, 1.5))
        belief.step(2)
        kept = belief.state()
        space.set_walls(np.flatnonzero(belief.probability()))
        other = Belief(space, 1.0, targets=2)
        other.restore(kept)
        for each in (belief, other):
            assert not each.values[space.walls].any()
            assert each.values.sum() == pytest.approx(2)
            assert not space.walls.reshape(-1)[space.cell_at(each.assign([(0.5, 0.5)]))].any()
            assert not space.walls.reshape(-1)[space.cell_at(each.estimate())]
            assert each.observe([0, 1])
            each.step()
        np.testing.assert_array_equal(belief.values, other.values)

    def test_without_any_ground_it_stays_as_it_was(self) -> None:
        graph = fc.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
        belief = Belief(graph, 1.0)
        belief.see((1, 0))
        graph.set_walls([0, 1, 2])
        with refused(InvalidValue, "open cells"):
            belief.step()
        assert belief.values.tolist() == [0, 1, 0]
        graph.set_walls([0, 1], False)
        belief.step()
        assert belief.values.sum() == pytest.approx(1) and belief.values[2] == 0


@pytest.mark.skipif(not kernels.compiled(), reason="the reference has no threads")
@pytest.mark.parametrize("motion", [None, fc.pursuit.motion.Run()], ids=["wanders", "runs"])
def test_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch, motion: Any) -> None:
    from fieldcraft.pursuit import transitions as backend

    states = []
    for least in (10**9, 100):
        monkeypatch.setattr(backend, "_CELLS_PER_THREAD", least)
        walls = np.random.default_rng(1).random((50, 60)) < 0.2
        grid = fc.Grid(60, 50, walls=walls, neighbors=8)
        belief = Belief(grid, 1.0, motion=motion)
        belief.see(grid.position_of(grid.nearest_open(1500)), velocity=(0, 1))
        belief.step(20)
        states.append(belief.probability().tobytes())
    assert states[0] == states[1]


def test_bad_input() -> None:
    walls = np.zeros((4, 6), dtype=bool)
    walls[1] = True
    grid = fc.Grid(6, 4, walls=walls)
    for settings_, word in (
        ({"speed": 0}, "speed"),
        ({"targets": 0}, "targets"),
        ({"stay": 1}, "stay"),
        ({"every": -1}, "every"),
        ({"where": np.zeros((4, 6), dtype=bool)}, "possible"),
        ({"where": np.zeros((6, 4), dtype=bool)}, "where"),
    ):
        with refused(InvalidValue, word):
            Belief(grid, **{"speed": 1.0, **settings_})  # type: ignore[arg-type]
    with refused(InvalidValue, "targets times cells", "targets=1000000000 on 24 cells"):
        Belief(grid, 1.0, targets=10**9)
    for speed in (1e-12, 1e12, 5e-324):
        with refused(InvalidValue, "takes some time", f"speed of {speed:g}"):
            Belief(grid, speed)
    belief = Belief(grid, 1.0)
    belief.report((1.5, 2.5), 1e200, certainty=1)
    assert belief.values.sum() == pytest.approx(1)
    before = belief.probability()
    for error, call in (
        (OnWall, lambda: belief.see((1.5, 1.5))),
        (OutsideMap, lambda: belief.see((9.5, 1.5))),
        (InvalidValue, lambda: belief.see([(1.5, 0.5), (2.5, 0.5)])),
        (InvalidValue, lambda: belief.see((1.5, 0.5), target=1)),
        (InvalidValue, lambda: belief.observe(np.ones((6, 4), dtype=bool))),
        (InvalidValue, lambda: belief.observe([99])),
        (InvalidValue, lambda: belief.observe([1], missed=1.0)),
        (InvalidValue, lambda: belief.report((1.5, 0.5), 0)),
        (InvalidValue, lambda: belief.report((1.5, 0.5), 1, certainty=2)),
        (InvalidValue, lambda: belief.estimate("guess")),
        (InvalidValue, lambda: belief.step(-1)),
    ):
        with pytest.raises(error):
            call()
    assert (belief.probability() == before).all()


def corner() -> fc.Grid:
    """A corridor along the first row and then down the last column."""
    walls = np.ones((40, 12), dtype=bool)
    walls[0, :] = walls[:, 11] = False
    return fc.Grid(12, 40, walls=walls, neighbors=4)


@pytest.mark.parametrize("motion", [None, fc.Motion()], ids=["wanders", "motion"])
@pytest.mark.parametrize("dt", [1 / 60, 1 / 30, 1 / 7, 1 / 3])
def test_no_mass_is_farther_than_the_target_can_walk_at_any_frame_rate(
    motion: fc.Motion | None, dt: float
) -> None:
    grid = corner()
    view = fc.visible(grid, (0.5, 0.5), 50.0)
    belief = fc.Belief(grid, speed=3.0, motion=motion)
    belief.see((11.5, 0.5), velocity=(0, 3.0))
    for _ in range(round(2 / dt)):
        belief.advance(dt)
        belief.observe(view)
    assert belief.probability()[8:].sum() == 0
    assert belief.probability().sum() == pytest.approx(1)


def test_a_belief_goes_on_by_its_age_after_a_save() -> None:
    grid = corner()
    view = fc.visible(grid, (0.5, 0.5), 50.0)
    one, other = (fc.Belief(grid, speed=3.0) for _ in range(2))
    one.see((11.5, 0.5))
    other.restore(one.state())
    for belief in (one, other):
        belief.observe(view)
    np.testing.assert_array_equal(one.probability(), other.probability())
    assert one.probability()[3:].sum() == 0


@pytest.mark.parametrize("kind", [fc.Belief, fc.LastSeen])
def test_agents_off_the_map_are_refused_or_clamped(kind: Any) -> None:
    grid = fc.Grid(9, 6)
    guess = kind(grid, 1.0) if kind is fc.Belief else kind(grid)
    with pytest.raises(OutsideMap):
        guess.assign([(-5.0, 2.0)])
    np.testing.assert_array_equal(
        guess.assign([(-5.0, 2.5)], outside="clamp"), guess.assign([(0.5, 2.5)])
    )


@pytest.mark.parametrize("motion", [None, fc.Motion()], ids=["wanders", "motion"])
def test_nothing_is_beyond_reach_where_each_step_fits_into_an_interval(motion: Any) -> None:
    walls = np.zeros((30, 30), dtype=bool)
    walls[10:20, 10:20] = True
    grid = fc.Grid(walls=walls, neighbors=8)
    corner, every = (9.5, 9.5), math.sqrt(2) / 2 + 0.001
    away = fc.distance_map(grid, corner).values
    belief = fc.Belief(grid, 2.0, motion=motion, every=every)
    belief.see(corner, velocity=(0.0, -2.0))
    for step in range(1, 20):
        belief.step()
        assert not belief.values[away > 2.0 * belief.every * step + 1e-6].any()
    ahead = fc.Belief(grid, 2.0, motion=motion)  # a straight step fits, a diagonal one does not
    ahead.see(corner, velocity=(0.0, -2.0))
    ahead.step(2)
    assert 0 < ahead.values[away > 4.0 * ahead.every + 1e-6].sum() < 0.35
