"""Layers that remember marks."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation import Fade
from fieldcraft.space.wrapping import Wrap
from support.fading import remembering
from support.refusals import refused, unchanged
from support.roads import open_cells
from support.worlds import WRAPS


class TestMarks:
    def test_never_lower_and_never_exceed(self) -> None:
        layer = remembering()
        layer.mark((3.5, 2.5), 60.0)
        layer.mark((3.5, 2.5), 20.0)
        assert layer.values[2, 3] == 60
        layer.mark((3.5, 2.5), 1e6)
        assert layer.values[2, 3] == 100
        layer.deposit((4.5, 2.5), 70.0)
        layer.deposit((4.5, 2.5), 70.0)
        assert layer.values[2, 4] == 100
        layer.deposit((4.5, 2.5), -30.0)
        assert layer.values[2, 4] == pytest.approx(70, abs=1e-5)

    @settings(max_examples=16)
    @given(
        seed=st.integers(0, 10**6),
        metric=st.sampled_from(["straight", "connected", "path", "sight"]),
        wrap=st.sampled_from(WRAPS),
        neighbors=st.sampled_from([4, 8]),
        radius=st.sampled_from([0.4, 2.0, 3.7, 30.0]),
    )
    def test_a_radius_is_that_of_radial(
        self, seed: int, metric: str, wrap: Wrap, neighbors: int, radius: float
    ) -> None:
        rng = np.random.default_rng(seed)
        walls = rng.random((9, 14)) < rng.choice([0.0, 0.15])
        imap = fc.InfluenceMap(
            fc.Grid(14, 9, walls=walls, wrap=wrap, neighbors=neighbors, cell_size=0.5)
        )
        memory = imap.add_layer("memory", Fade(maximum=64.0))
        peers = imap.add_layer("peers", fc.Radial(radius, "linear", metric=metric, blend="max"))
        cells = rng.choice(open_cells(imap.space), 3)
        positions, amounts = imap.space.position_of(cells), rng.integers(1, 64, 3).astype(float)
        memory.mark(positions, amounts, radius=radius, falloff="linear", metric=metric)
        peers.add_sources(positions, amounts)
        peers.step()
        np.testing.assert_allclose(memory.values, np.where(walls, 0, peers.values), atol=1e-5)

    def test_a_mask_marks_its_open_cells(self) -> None:
        walls = np.random.default_rng(4).random((7, 13)) < 0.2
        walls[2, 3] = False
        layer, other = remembering(walls=walls), remembering(walls=walls)
        cone = fc.visible(layer.space, (3.5, 2.5), 5.0, facing=(1, 0), angle=100, walls=True)
        assert (cone & walls).any()
        layer.mark(cone, 40.0)
        np.testing.assert_array_equal(layer.values, np.where(cone & ~walls, np.float32(40), 0))
        weights = np.random.default_rng(1).random((7, 13)) * 90
        other.mark(cone, weights)
        np.testing.assert_allclose(other.values, np.where(cone & ~walls, weights, 0), atol=1e-5)
        other.mark(cone.tolist())
        np.testing.assert_array_equal(other.values == 100, cone & ~walls)
        other.mark(np.zeros((7, 13), bool))

    def test_around_each_cell_of_a_mask(self) -> None:
        layer, other = remembering(), remembering()
        mask = np.zeros((7, 13), bool)
        mask[[1, 5], [2, 9]] = True
        layer.mark(mask, 50.0, radius=2.0)
        other.mark([(2.5, 1.5), (9.5, 5.5)], 50.0, radius=2.0)
        np.testing.assert_array_equal(layer.values, other.values)

    def test_a_radius_for_each_position(self) -> None:
        places, radii, amounts = (
            np.array([(2.5, 2.5), (6.5, 3.5), (10.5, 4.5)]),
            [3.0, 1.0, 3.0],
            [50.0, 70.0, 90.0],
        )
        layer, other = remembering(Fade(mark_spread=0.4)), remembering(Fade(mark_spread=0.4))
        layer.mark(places, amounts, radius=radii, falloff="linear")
        for place, radius, amount in zip(places, radii, amounts, strict=True):
            other.mark(place, amount, radius=radius, falloff="linear")
        np.testing.assert_array_equal(layer.values, other.values)
        layer.mark(np.zeros((0, 2)), radius=np.zeros(0))

    def test_many_large_ones_take_little_room(self) -> None:
        many, few = (
            remembering(Fade(mark_spread=0.3), 200, 150),
            remembering(Fade(mark_spread=0.3), 200, 150),
        )
        rng = np.random.default_rng(2)
        places, amounts = rng.uniform((0, 0), (200, 150), (400, 2)), rng.uniform(1, 9, 400)
        tracemalloc.start()
        many.mark(places, amounts, radius=40.0, falloff="linear")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 100e6
        for part in np.array_split(np.arange(400), 7):
            few.mark(places[part], amounts[part], radius=40.0, falloff="linear")
        np.testing.assert_array_equal(many.values, few.values)

    def test_come_in_any_order(self) -> None:
        rng = np.random.default_rng(3)
        points, amounts = rng.uniform(0, 7, (30, 2)), rng.random(30) * 100
        seen = []
        for order in (np.arange(30), rng.permutation(30), rng.permutation(30)):
            layer = remembering(Fade(mark_spread=0.6))
            for first in range(0, 30, 7):
                layer.mark(
                    points[order][first : first + 7], amounts[order][first : first + 7], radius=1.5
                )
            seen.append(layer.values.tobytes())
        assert len(set(seen)) == 1

    def test_follow_policies(self) -> None:
        walls = np.zeros((7, 13), bool)
        walls[2, 3] = True
        layer = remembering(walls=walls)
        layer.mark((3.5, 2.5), on_wall="nearest")
        layer.mark((-4.0, 6.5), outside="clamp")
        assert np.flatnonzero(layer.values).tolist() == [16, 78]


class TestAsALayer:
    def test_what_it_remembers_can_be_kept_elsewhere(self) -> None:
        layer = remembering(Fade(3.0, 1.0, mark_spread=0.3), 90, 40)
        layer.mark([(3.5, 2.5), (80.5, 33.5)], [80.0, 33.0], radius=2.5)
        layer.imap.advance(1.37)
        kept = layer.state()
        before = layer.values.copy()
        layer.imap.advance(5.0)
        layer.mark((40.5, 20.5))
        later = layer.values.copy()
        other = remembering(Fade(3.0, 1.0, mark_spread=0.3), 90, 40)
        other.mark((60.5, 3.5))
        for twin in (layer, other):
            version = twin.version
            twin.restore(kept)
            assert twin.version > version
            np.testing.assert_array_equal(twin.values, before)
            assert twin.time == pytest.approx(1.3)
            twin.imap.advance(5.0)
            twin.mark((40.5, 20.5))
            np.testing.assert_array_equal(twin.values, later)

    @pytest.mark.parametrize(
        "bad",
        [
            {},
            {"ticks": -1},
            {"ticks": (1 << 60) + 1},
            {"due": 1 << 61},
            {"shape": np.array([33, 20])},
            {"shape": "large"},
            {"due": 0.5},
            {"field": {"now": np.array([-1])}},
            {"field": {"now": 3}},
            {"field": {"tiles": np.array([99])}},
            {"field": {"tiles": np.array([0, 0])}},
            {"field": {"left": np.zeros((1, 16, 64))}},
            {"field": {"left": np.full((1, 16, 64), -1)}},
            {"field": {"left": np.full((1, 16, 64), 1 << 40)}},
        ],
    )
    def test_recalls_no_nonsense(self, bad: dict[str, Any]) -> None:
        layer = remembering()
        layer.mark((3.5, 2.5))
        kept = layer.state()
        with unchanged(layer), refused(InvalidValue, "result of state()"):
            if bad.get("field"):
                bad = {"field": kept["field"] | bad["field"]}
            layer.restore({**kept, **bad} if bad else {})

    def test_can_be_written(self) -> None:
        layer = remembering(Fade(1.0, 1.0))
        values = np.random.default_rng(0).random(layer.space.shape).astype(np.float32) * 100
        layer.write(values)
        np.testing.assert_allclose(layer.values, values, atol=1e-5)
        layer.imap.advance(20.0)
        np.testing.assert_allclose(layer.values, np.maximum(values - 20, 0), atol=1e-4)
        layer.settle()
        assert not layer.values.any()
        layer.imap.advance(1.0)
        assert not layer.values.any()

    def test_fades_otherwise_from_now_on(self) -> None:
        layer = remembering(Fade(1.0, 1.0))
        layer.mark((3.5, 2.5))
        layer.imap.advance(10.0)
        layer.propagation = Fade(4.0, 1.0)
        layer.imap.advance(10.0)
        assert layer.values[2, 3] == pytest.approx(50, abs=1e-4)
        layer.every = 0.5
        layer.imap.advance(2.0)
        assert layer.values[2, 3] == pytest.approx(42, abs=1e-4)
        layer.propagation = Fade(maximum=30.0)
        assert layer.values[2, 3] == 30

    def test_forgets_what_is_walled_up(self) -> None:
        layer = remembering(Fade(1.0, 1.0))
        layer.mark([(3.5, 2.5), (4.5, 2.5)])
        layer.space.set_walls([2 * 13 + 3])
        layer.imap.advance(1.0)
        assert np.flatnonzero(layer.values).tolist() == [2 * 13 + 4]
        layer.space.set_walls([2 * 13 + 3], False)
        layer.imap.advance(1.0)
        assert layer.values[2, 3] == 0
        layer.mark((4.5, 2.5), radius=1.0)
        assert layer.values[2, 3] == 100
        layer.settle()
        layer.mark((4.5, 2.5), radius=3.0)
        assert layer.values[2, 7] == 100
        layer.settle()
        layer.space.set_walls(np.arange(7) * 13 + 5)
        layer.mark((4.5, 2.5), radius=3.0)
        assert layer.values[2, 2] == 100
        assert not layer.values[:, 5:].any()

    @pytest.mark.parametrize(
        "space", [fc.Grid(13, 7), fc.Grid(13, 7).to_graph()], ids=["grid", "graph"]
    )
    def test_a_wall_shows_at_once_and_forgets_at_the_next_update(self, space: Any) -> None:
        imap = fc.InfluenceMap(space)
        layer = imap.add_layer("memory", Fade(1.0, 1.0), every=0.5)
        layer.mark([(3.5, 2.5), (4.5, 2.5)])
        twice, cell = layer * 2, 2 * 13 + 3
        assert twice.values.reshape(-1)[[cell, cell + 1]].tolist() == [200, 200]
        before = layer.version
        space.set_walls([cell])
        assert layer.version != before
        for values, high in ((layer.values, 100), (twice.values, 200), (layer.read(), 100)):
            assert values.reshape(-1)[[cell, cell + 1]].tolist() == [0, high]
        assert fc.sample(layer, (3.5, 2.5)) == 0
        space.set_walls([cell], False)
        assert layer.values.reshape(-1)[cell] == 100
        space.set_walls([cell])
        imap.advance(0.5)
        space.set_walls([cell], False)
        assert layer.values.reshape(-1)[[cell, cell + 1]].tolist() == [0, 99.5]

    @pytest.mark.parametrize("as_graph", [False, True])
    def test_what_is_kept_hears_of_a_wall_when_the_one_it_was_kept_from_does(
        self, as_graph: bool
    ) -> None:
        def made() -> tuple[Any, fc.InfluenceMap]:
            space = fc.Grid(13, 7).to_graph() if as_graph else fc.Grid(13, 7)
            imap = fc.InfluenceMap(space)
            return imap.add_layer("memory", Fade(1.0, 1.0)), imap

        (one, imap), (other, _) = made(), made()
        cell = 2 * 13 + 3
        one.mark([(3.5, 2.5), (4.5, 2.5)])
        for layer in (one, other):
            layer.space.set_walls([cell])
        other.restore(one.state())
        layers = [one, other, imap.copy()["memory"]]
        for blocked, steps, held in ((False, 0, 100), (True, 0, 0), (True, 1, 0), (False, 0, 0)):
            for layer in layers:
                layer.space.set_walls([cell], blocked)
                layer.step(steps)
                assert layer.values.reshape(-1)[cell] == held
                assert layer.values.reshape(-1)[cell + 1] > 90


@pytest.mark.parametrize("first", ["path", "straight", "connected"])
def test_marks_in_sight_stay_in_sight_whatever_was_marked_before(first: str) -> None:
    walls = np.zeros((7, 9), dtype=np.bool_)
    walls[0:6, 4] = True
    grid = fc.Grid(9, 7, walls=walls)
    graph = grid.to_graph()
    layer = fc.InfluenceMap(graph).add_layer("seen", fc.Fade())
    layer.mark((2.5, 2.5), radius=6.0, metric=first)
    layer.write(np.zeros(len(graph), dtype=np.float32))
    layer.mark((2.5, 2.5), radius=6.0, metric="sight")
    marked = layer.values > 0
    assert marked.tolist() == fc.visible(graph, (2.5, 2.5), 6.0).tolist()
