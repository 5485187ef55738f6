"""The field of a memory: how values fade, spread and diffuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft.layers.propagation import Fade
from fieldcraft.space.wrapping import Wrap
from support.fading import remembering
from support.roads import open_cells
from support.worlds import WRAPS

SLICES = [[5.0], [0.1] * 50, [1 / 60] * 300, [1 / 144] * 720, [0.7, 3.3, 0.05, 0.95]]


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


class TestBleeding:
    @settings(max_examples=14)
    @given(
        seed=st.integers(0, 10**6),
        neighbors=st.sampled_from([4, 8]),
        wrap=st.sampled_from(WRAPS),
        share=st.sampled_from([0.3, 0.7, 0.95]),
    )
    def test_goes_along_walks(self, seed: int, neighbors: int, wrap: Wrap, share: float) -> None:
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
