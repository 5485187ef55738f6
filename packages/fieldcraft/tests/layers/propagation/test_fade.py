"""Memory: marks, how they fade, spread and diffuse, whatever the slicing of time."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap, WrongLayer
from fieldcraft.layers.propagation import Fade
from support.refusals import refused, unchanged
from support.roads import open_cells

SLICES = [[5.0], [0.1] * 50, [1 / 60] * 300, [1 / 144] * 720, [0.7, 3.3, 0.05, 0.95]]


def remembering(
    fade: Fade | None = None,
    width: int = 13,
    height: int = 7,
    every: float = 0.1,
    **settings: object,
) -> fc.Layer:
    imap = fc.InfluenceMap(fc.Grid(width, height, **settings))
    layer = imap.add_layer("memory", fade or Fade(), every=every)
    layer.imap = imap
    return layer


class TestFading:
    def test_equals_the_double_loop_at_its_intervals(self) -> None:
        layer = remembering(Fade(2.0, 5.0, 30.0))
        rng = np.random.default_rng(1)
        plain = np.zeros(layer.space.shape)
        for _ in range(40):
            cells = rng.integers(0, len(layer.space), 3)
            layer.mark(layer.space.position_of(cells))
            plain.reshape(-1)[cells] = 30
            layer.imap.advance(5.0)
            plain = np.clip(plain - 2, 0, 30)
            np.testing.assert_allclose(layer.values, plain, atol=1e-5)
            np.testing.assert_array_equal(layer.values == 0, plain == 0)

    @pytest.mark.parametrize("fade", [Fade(1.0, 1.0, 10.0), Fade(maximum=10.0, half_life=0.8)])
    @pytest.mark.parametrize("reads", [1, 7])
    def test_what_is_forgotten_never_comes_back(self, fade: Fade, reads: int) -> None:
        layer, life = remembering(fade, 20, 18), fade._life(10.0)
        rng = np.random.default_rng(3)
        when = np.full(layer.space.shape, -np.inf)
        marked = set(np.cumsum(rng.integers(20, 260, 20)).tolist())
        for tick in range(max(marked) + 1):
            layer.imap.advance(0.1)
            now = (tick + 1) / 10
            if tick in marked:
                cells = rng.integers(0, len(layer.space), 3)
                layer.mark(layer.space.position_of(cells))
                when.reshape(-1)[cells] = now
            if tick % reads == 0 or tick in marked:
                assert not layer.values[now - when > life + 1e-6].any()

    @pytest.mark.parametrize(
        "fade", [Fade(3.0, 1.0), Fade(half_life=0.8), Fade(1.0, 0.01, 50.0), Fade(mark_spread=0.5)]
    )
    def test_time_may_be_cut_anyhow(self, fade: Fade) -> None:
        seen = []
        for times in SLICES:
            layer = remembering(fade)
            layer.mark([(3.5, 2.5), (9.5, 6.5)], [80.0, 33.3], radius=2.5, falloff="linear")
            for dt in times:
                layer.imap.advance(dt)
            seen.append(layer.values.tobytes())
        assert len(set(seen)) == 1

    def test_halves_and_is_forgotten_at_the_floor(self) -> None:
        layer = remembering(Fade(half_life=2.0, floor=1.1))
        layer.mark((3.5, 2.5), 64.0)
        read = []
        for _ in range(8):
            read.append(float(layer.values[2, 3]))
            layer.imap.advance(2.0)
        np.testing.assert_allclose(read, [64, 32, 16, 8, 4, 2, 0, 0], rtol=1e-6)

    def test_years_pass(self) -> None:
        layer = remembering(Fade(1.0, 1.0, 10.0))
        for _ in range(5):
            layer.mark((3.5, 2.5))
            layer.imap.advance(3e7)
            assert not layer.values.any()
        layer.mark((3.5, 2.5), 4.0)
        layer.imap.advance(1.0)
        assert layer.values[2, 3] == pytest.approx(3.0, abs=1e-5)
        slow = remembering(Fade(1.0, 1e6, 900.0))
        slow.mark((3.5, 2.5))
        for _ in range(9):
            slow.imap.advance(1e8)
        assert slow.values[2, 3] == 0


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
        wrap=st.booleans(),
        neighbors=st.sampled_from([4, 8]),
        radius=st.sampled_from([0.4, 2.0, 3.7, 30.0]),
    )
    def test_a_radius_is_that_of_radial(
        self, seed: int, metric: str, wrap: bool, neighbors: int, radius: float
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


class TestBleeding:
    @settings(max_examples=14)
    @given(
        seed=st.integers(0, 10**6),
        neighbors=st.sampled_from([4, 8]),
        wrap=st.booleans(),
        share=st.sampled_from([0.3, 0.7, 0.95]),
    )
    def test_goes_along_walks(self, seed: int, neighbors: int, wrap: bool, share: float) -> None:
        rng = np.random.default_rng(seed)
        grid = fc.Grid(11, 6, walls=rng.random((6, 11)) < 0.3, neighbors=neighbors, wrap=wrap)
        layer = fc.InfluenceMap(grid).add_layer("memory", Fade(mark_spread=share))
        cells = rng.choice(open_cells(grid), 2)
        amounts = np.array([100.0, 55.0])
        layer.mark(grid.position_of(cells), amounts)
        lengths = np.zeros((len(grid), len(grid)))
        links = grid.links()
        for cell in open_cells(grid):
            y, x = divmod(cell, 11)
            for k, (dx, dy) in enumerate(grid.neighborhood.steps):
                there = ((y + dy) % 6, (x + dx) % 11) if wrap else (y + dy, x + dx)
                if (
                    0 <= there[0] < 6
                    and 0 <= there[1] < 11
                    and links[there] >> k & 1
                    and there != (y, x)
                ):
                    lengths[cell, there[0] * 11 + there[1]] = np.hypot(dx, dy)
        away = dijkstra(lengths, indices=cells)
        arriving = amounts[:, None] * share**away
        expected = np.where(arriving >= 1.0, arriving, 0).max(axis=0)
        np.testing.assert_allclose(layer.values.reshape(-1), expected, atol=2e-5)

    def test_what_lies_beside_fades_with_it(self) -> None:
        layer = remembering(Fade(1.0, 1.0, mark_spread=0.5))
        layer.mark((3.5, 2.5))
        layer.imap.advance(30.0)
        np.testing.assert_allclose(layer.values[2, 3:7], [70, 20, 0, 0], atol=1e-4)


class TestSeeping:
    def test_fades_to_exactly_nothing_and_time_may_be_cut_anyhow(self) -> None:
        for fade in (Fade(5.0, 1.0, diffusion=0.5), Fade(half_life=1.0, floor=0.5, diffusion=0.5)):
            seen = set()
            for slices in SLICES:
                layer = remembering(fade)
                layer.mark((3.5, 2.5), radius=2.0)
                for seconds in slices:
                    layer.imap.advance(seconds, max_steps=1000)
                seen.add(layer.values.tobytes())
            assert len(seen) == 1 and layer.values.any()
            layer.imap.advance(20.0, max_steps=1000)
            assert not layer.values.any()
            assert layer.time == 25.0

    def test_goes_round_walls_and_hears_of_them(self) -> None:
        walls = np.zeros((7, 13), bool)
        walls[:, 6] = True
        layer = remembering(Fade(0.1, 1.0, diffusion=0.9), walls=walls)
        layer.mark((4.5, 3.5), radius=2.0)
        layer.imap.step(50)
        assert not layer.values[:, 6:].any()
        layer.space.set_walls([3 * 13 + 6], False)
        layer.imap.step(50)
        assert layer.values[3, 8] > 0 and not layer.values[layer.space.walls].any()

    def test_may_begin_and_end_while_it_runs(self) -> None:
        layer = remembering(Fade(1.0, 1.0))
        layer.mark((3.5, 2.5))
        layer.imap.advance(5.0)
        layer.tune(diffusion=0.5)
        layer.imap.advance(1.0)
        spread = np.count_nonzero(layer.values)
        layer.tune(diffusion=0.0)
        assert spread > 5 and layer.imap.advance(1e6).steps == {"memory": 10**7}
        assert not layer.values.any()


class TestAsALayer:
    def test_what_it_remembers_can_be_kept_elsewhere(self) -> None:
        layer = remembering(Fade(3.0, 1.0, mark_spread=0.3), 90, 40)
        layer.mark([(3.5, 2.5), (80.5, 33.5)], [80.0, 33.0], radius=2.5)
        layer.imap.advance(1.37)
        kept = layer.snapshot()
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
        assert all(isinstance(value, (int, np.ndarray)) for value in kept.values())

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
            {"now": np.array([-1])},
            {"now": 3},
            {"tiles": np.array([99])},
            {"tiles": np.array([0, 0])},
            {"left": np.zeros((1, 16, 64))},
            {"left": np.full((1, 16, 64), -1)},
            {"left": np.full((1, 16, 64), 1 << 40)},
        ],
    )
    def test_recalls_no_nonsense(self, bad: dict[str, object]) -> None:
        layer = remembering()
        layer.mark((3.5, 2.5))
        kept = layer.snapshot()
        with unchanged(layer), refused(InvalidValue, "result of snapshot()"):
            layer.restore({**kept, **bad} if bad else {})
        imap = fc.InfluenceMap(fc.Grid(5, 4))
        with refused(WrongLayer, "Fade"):
            imap.add_layer("a", fc.Spread(0.5, 0.5)).snapshot()

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
        other.restore(one.snapshot())
        layers = [one, other, imap.copy()["memory"]]
        for blocked, steps, held in ((False, 0, 100), (True, 0, 0), (True, 1, 0), (False, 0, 0)):
            for layer in layers:
                layer.space.set_walls([cell], blocked)
                layer.step(steps)
                assert layer.values.reshape(-1)[cell] == held
                assert layer.values.reshape(-1)[cell + 1] > 90


class TestOnGraphs:
    @pytest.mark.parametrize("fade", [Fade(1.0, 1.0, mark_spread=0.5), Fade(half_life=5.0)])
    @pytest.mark.parametrize(
        "how",
        [
            {},
            {"radius": 2.5, "falloff": "linear"},
            {"radius": 3.0, "metric": "path"},
            {"radius": 3.0, "metric": "straight"},
        ],
    )
    def test_a_grid_written_as_a_graph_remembers_the_same(
        self, fade: Fade, how: dict[str, object]
    ) -> None:
        grid = fc.Grid(29, 17, walls=np.random.default_rng(0).random((17, 29)) < 0.2, neighbors=8)
        seen = []
        for space in (grid, grid.to_graph()):
            imap = fc.InfluenceMap(space)
            layer = imap.add_layer("memory", fade)
            layer.mark(
                space.position_of(open_cells(grid)[3::60]),
                radius=how.get("radius"),
                **{k: v for k, v in how.items() if k != "radius"},
            )
            imap.advance(3.0)
            seen.append(layer.values.reshape(-1).copy())
        assert seen[0].any()
        np.testing.assert_array_equal(*seen)

    def test_a_field_of_view(self) -> None:
        mesh = fc.Mesh(
            [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)],
            [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6)],
        )
        graph = fc.Graph(mesh.centers, [(0, 1), (1, 2)], mesh=mesh)
        layer = fc.InfluenceMap(graph).add_layer("memory", Fade(maximum=80.0))
        layer.mark(graph.positions[0], radius=4.0, metric="sight", falloff="linear")
        np.testing.assert_allclose(layer.values, [80, 60, 40], atol=1e-4)
        twin = fc.InfluenceMap(graph).add_layer("memory", Fade(maximum=80.0))
        graph.set_walls([1])
        twin.mark(graph.positions[0], radius=4.0, metric="sight", falloff="linear")
        np.testing.assert_array_equal(
            twin.values > 0, fc.visible(graph, graph.positions[0], 4.0) & ~graph.walls
        )
        assert twin.values[2] == 0


class TestRefusals:
    @pytest.mark.parametrize(
        "bad",
        [
            {"amount": -0.25},
            {"amount": 0},
            {"interval": 0.0},
            {"interval": -5},
            {"maximum": 0},
            {"maximum": -1},
            {"half_life": 0},
            {"half_life": -3.0},
            {"mark_spread": -0.1},
            {"mark_spread": 1.0},
            {"amount": float("nan")},
            {"maximum": float("inf")},
            {"amount": "much"},
            {"half_life": 1.0, "floor": 200.0},
            {"maximum": 1e31},
            {"amount": 1e-12},
            {"half_life": 1e9},
            {"diffusion": 0.96},
        ],
    )
    def test_of_parameters(self, bad: dict[str, float]) -> None:
        with refused(InvalidValue):
            Fade(**bad)

    def test_of_marks(self) -> None:
        walls = np.zeros((7, 13), bool)
        walls[2, 3] = True
        layer = remembering(walls=walls)
        layer.mark((9.5, 2.5))
        with unchanged(layer):
            for kind, arguments, settings in (
                (OnWall, ((3.5, 2.5),), {}),
                (OutsideMap, ((99.0, 2.5),), {}),
                (InvalidValue, ((4.5, 2.5), -1.0), {}),
                (InvalidValue, ((4.5, 2.5), float("nan")), {}),
                (InvalidValue, ([(4.5, 2.5)], [1.0, 2.0]), {}),
                (InvalidValue, ((4.5, 2.5),), {"radius": 0.0}),
                (InvalidValue, ((4.5, 2.5),), {"radius": 2.0, "metric": "crow"}),
                (InvalidValue, ((4.5, 2.5),), {"radius": 2.0, "falloff": "steep"}),
                (InvalidValue, ([(4.5, 2.5), (5.5, 2.5)],), {"radius": [2.0, 0.0]}),
                (InvalidValue, ([(4.5, 2.5), (5.5, 2.5)],), {"radius": [2.0]}),
                (InvalidValue, (np.ones((13, 7), bool),), {}),
                (InvalidValue, (np.ones((7, 13), bool), np.full((7, 13), -1.0)), {}),
                (InvalidValue, (np.ones((7, 13), bool), [1.0, 2.0]), {}),
            ):
                with refused(kind):
                    layer.mark(*arguments, **settings)
            with refused(InvalidValue, "A mask is bool"):
                layer.mark(np.ones((7, 13), int))
            with refused(WrongLayer, "mark"):
                layer.add_source((4.5, 2.5))
            with refused(WrongLayer, "mark"):
                layer.sync(["a"], [(4.5, 2.5)])
            for bad in (-1.0, 101.0):
                with refused(InvalidValue, "maximum"):
                    layer.write(np.full((7, 13), bad))

    def test_of_marks_elsewhere(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(5, 4))
        for layer in (
            imap.add_layer("a", fc.Spread(0.5, 0.5)),
            imap.add_layer("b", values=np.zeros((4, 5))),
        ):
            with refused(WrongLayer, "Fade"):
                layer.mark((1.5, 1.5))
