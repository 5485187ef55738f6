"""The field that spreads: its fixed point, steps and symmetries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.space.wrapping import Wrap
from support.roads import open_cells, pick, settled
from support.spreading import POWERS, stand
from support.worlds import KNIGHT, WRAPS

pytestmark = pytest.mark.reference


def random_grid(rng: np.random.Generator, **more: object) -> fc.Grid:
    width, height = int(rng.integers(2, 13)), int(rng.integers(2, 10))
    more.setdefault("walls", rng.random((height, width)) < rng.choice([0, 0.2, 0.4]))
    return fc.Grid(width, height, **more)


class TestFixedPoint:
    @settings(max_examples=25)
    @given(
        seed=st.integers(0, 10**6),
        neighbors=st.sampled_from([4, 8, KNIGHT, [(1, 0), (0, 1), (2, -1)]]),
        wrap=st.sampled_from(WRAPS),
        y_up=st.booleans(),
        in_walls=st.booleans(),
        has_terrain=st.booleans(),
        decay=st.sampled_from([0.05, 0.3, 1.5]),
    )
    def test_is_multi_source_dijkstra(
        self,
        seed: int,
        neighbors: object,
        wrap: Wrap,
        y_up: bool,
        in_walls: bool,
        has_terrain: bool,
        decay: float,
    ) -> None:
        rng = np.random.default_rng(seed)
        grid = random_grid(
            rng,
            neighbors=neighbors,
            wrap=wrap,
            y_up=y_up,
            cell_size=float(rng.choice([1.0, 0.5, 3.0])),
            origin=(-4, 7),
        )
        if has_terrain:
            terrain = fc.Terrain(
                rng.integers(0, 2, grid.shape), np.array([[True, False], [True, True]])
            )
            grid = fc.Grid(
                grid.width,
                grid.height,
                walls=grid.walls,
                terrain=terrain,
                neighbors=neighbors,
                wrap=wrap,
                y_up=y_up,
                cell_size=grid.cell_size,
                origin=grid.origin,
            )
        cells = pick(rng, range(len(grid)) if in_walls else open_cells(grid), 4)
        sources = dict(
            zip(cells, (rng.random(len(cells)) * 9 + 0.5).astype(np.float32).tolist(), strict=True)
        )
        expected = settled(grid, sources, decay)

        imap = fc.InfluenceMap(grid)
        layer = stand(imap, fc.Spread(decay, 1.0, floor=0.0), sources)
        layer.settle()
        at_once = layer.values.copy()
        np.testing.assert_allclose(at_once, expected, rtol=1e-5, atol=1e-30)
        layer.write(np.zeros(grid.shape))
        imap.step(len(grid) + 1)
        np.testing.assert_allclose(layer.values, expected, rtol=1e-5, atol=1e-30)
        layer.write(rng.random(grid.shape))
        layer.settle()
        np.testing.assert_array_equal(layer.values, at_once)

    @pytest.mark.parametrize("momentum", [0.1, 0.5])
    def test_is_reached_with_any_momentum(self, momentum: float) -> None:
        walls = np.random.default_rng(5).random((9, 13)) < 0.2
        grid = fc.Grid(13, 9, walls=walls)
        sources = dict.fromkeys(open_cells(grid)[3:50:20], 4.0)
        imap = fc.InfluenceMap(grid)
        layer = stand(imap, fc.Spread(0.3, momentum, floor=0.0), sources)
        imap.step(600)
        np.testing.assert_allclose(layer.values, settled(grid, sources, 0.3), rtol=1e-5, atol=1e-12)

    @pytest.mark.parametrize("falloff", POWERS)
    @pytest.mark.parametrize("neighbors", [4, 8])
    def test_signed_settling_is_where_steps_lead(self, falloff: str, neighbors: int) -> None:
        rng = np.random.default_rng(3)
        for _ in range(6):
            grid = random_grid(rng, neighbors=neighbors)
            cells = pick(rng, open_cells(grid), 4)
            sources = dict(zip(cells, (rng.random(len(cells)) * 8 - 4).tolist(), strict=True))
            imap = fc.InfluenceMap(grid)
            layer = stand(imap, fc.Spread(0.3, 1.0, falloff=falloff), sources)
            imap.step(300)
            stepped = layer.values.copy()
            layer.settle()
            np.testing.assert_allclose(layer.values, stepped, rtol=2e-6, atol=1e-6)


class TestOneStep:
    def test_strongest_magnitude_wins_and_of_equals_the_positive(self) -> None:
        for left, right, middle in (
            (5.0, -6.0, -6.0),
            (6.0, -5.0, 6.0),
            (-5.0, 5.0, 5.0),
            (5.0, -5.0, 5.0),
            (-4.0, -5.0, -5.0),
        ):
            imap = fc.InfluenceMap(fc.Grid(3, 1))
            layer = stand(imap, fc.Spread(0.5, 1.0), {0: left, 2: right})
            imap.step()
            assert layer.values[0, 1] == pytest.approx(middle * math.exp(-0.5))

    def test_influence_passes_no_source_of_another(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(7, 1))
        layer = stand(imap, fc.Spread(0.1, 1.0), {0: 9.0, 3: 1.0})
        imap.step(20)
        layer_beyond = layer.values[0, 4]
        assert layer_beyond == pytest.approx(math.exp(-0.1))
        layer.settle()
        assert layer.values[0, 4] == layer_beyond


class TestFading:
    @pytest.mark.parametrize("falloff", POWERS)
    @pytest.mark.parametrize("half_life", [None, 0.5])
    @pytest.mark.parametrize("momentum", [0.05, 0.5, 1.0])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_without_sources_everything_becomes_exactly_zero(
        self, falloff: str, half_life: float | None, momentum: float, sign: int
    ) -> None:
        rng = np.random.default_rng(2)
        grid = fc.Grid(17, 11, walls=rng.random((11, 17)) < 0.2, neighbors=8)
        imap = fc.InfluenceMap(grid)
        cells = pick(rng, range(len(grid)), 4)
        layer = stand(
            imap,
            fc.Spread(0.15, momentum, falloff=falloff, half_life=half_life),
            dict(zip(cells, [5, 3, sign * 8, 1], strict=True)),
        )
        layer.deposit(grid.position_of(open_cells(grid)[:3]), 3)
        imap.step(40)
        assert np.count_nonzero(layer.values) > 50
        layer.sources.remove(layer.sources.ids)
        imap.step(6000)
        assert layer.values.tobytes() == bytes(4 * len(grid))

    @pytest.mark.parametrize("half_life", [0.5, 2.0])
    @pytest.mark.parametrize("every", [0.1, 0.05])
    def test_a_lonely_peak_halves_in_a_half_life(self, half_life: float, every: float) -> None:
        """Where two steps of distance weaken by more than a step of time, nothing around the peak
        holds it up.
        """
        imap = fc.InfluenceMap(fc.Grid(15, 9))
        layer = imap.add_layer(
            "scent", fc.Spread(decay=2.0, momentum=1.0, half_life=half_life), every=every
        )
        source = layer.add_source((7.5, 4.5), 8.0)
        imap.step(20)
        source.remove()
        for halves in range(1, 5):
            imap.step(round(half_life / every))
            assert layer.sample((7.5, 4.5)) == pytest.approx(8 / 2**halves, rel=1e-4)

    def test_what_neighbors_hold_up_falls_with_decay_alone(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(41, 41))
        layer = imap.add_layer(
            "scent", fc.Spread(decay=0.01, momentum=1.0, half_life=0.1), every=0.1
        )
        source = layer.add_source((20.5, 20.5), 8.0)
        layer.settle()
        source.remove()
        imap.step(20)
        assert layer.values.max() == pytest.approx(8 * math.exp(-0.01 * 20), rel=1e-3)

    def test_half_life_leaves_rising_alone(self) -> None:
        values = []
        for half_life in (None, 5.0):
            imap = fc.InfluenceMap(fc.Grid(15, 9))
            layer = stand(imap, fc.Spread(0.2, 0.3, half_life=half_life), {60: 7.0})
            imap.step(12)
            values.append(layer.values.tobytes())
        assert values[0] == values[1]


class TestSymmetry:
    @pytest.mark.parametrize("neighbors", [8, KNIGHT, [(2, 1), (0, -1), (-1, 0)]])
    def test_y_up_turns_arrays_and_nothing_else(self, neighbors: object) -> None:
        walls = np.random.default_rng(1).random((9, 14)) < 0.2
        sampled = []
        for y_up in (False, True):
            grid = fc.Grid(
                14,
                9,
                walls=walls[::-1] if y_up else walls,
                neighbors=neighbors,
                y_up=y_up,
                origin=(3, -2),
            )
            imap = fc.InfluenceMap(grid)
            layer = imap.add_layer("a", fc.Spread(0.2, 0.5))
            layer.add_sources([(5.5, 1.5), (10.5, 4.5)], [4, 7], on_wall="through")
            imap.step(12)
            sampled.append(layer.values[::-1] if y_up else layer.values)
        np.testing.assert_array_equal(sampled[0], sampled[1])

    @pytest.mark.parametrize("neighbors", [4, 8, KNIGHT])
    def test_a_torus_looks_the_same_from_everywhere(self, neighbors: object) -> None:
        results = []
        for dx, dy in ((0, 0), (7, 0), (0, 5), (12, 8)):
            imap = fc.InfluenceMap(fc.Grid(13, 9, wrap=True, neighbors=neighbors))
            layer = imap.add_layer("a", fc.Spread(0.2, 0.5))
            layer.add_sources([(2.5 + dx, 3.5 + dy), (6.5 + dx, 0.5 + dy)], [4, -7])
            imap.step(14)
            results.append(np.roll(layer.values, (-dy, -dx), axis=(0, 1)).tobytes())
        assert len(set(results)) == 1


class TestStack:
    def test_max(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(5, 3))
        layer = imap.add_layer("a", fc.Spread(0.5, 1.0, stack="max"))
        for strengths, reads in (
            ([1, 4, 2], 4),
            ([1, -4, 2], -4),
            ([4, -4], 4),
            ([-4, 4], 4),
            ([-1, -4], -4),
            ([0, 0], 0),
        ):
            layer.sync(range(len(strengths)), [(2.5, 1.5)] * len(strengths), strengths)
            imap.step()
            assert layer.values[1, 2] == reads

    def test_sum(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(5, 3))
        layer = imap.add_layer("a", fc.Spread(0.5, 1.0, stack="sum"))
        for strengths, reads in (
            ([1, 4, 2], 7),
            ([1, -4, 2], -1),
            ([4, -4], 0),
            ([0.1] * 10, np.float32(1.0)),
        ):
            layer.sync(range(len(strengths)), [(2.5, 1.5)] * len(strengths), strengths)
            imap.step()
            assert layer.values[1, 2] == pytest.approx(reads, rel=1e-7)

    def test_the_order_of_sources_does_not_matter(self) -> None:
        rng = np.random.default_rng(4)
        positions = rng.random((40, 2)) * (5, 3)
        strengths = rng.integers(-9, 9, 40)
        for stack in ("max", "sum"):
            results = set()
            for _ in range(4):
                order = rng.permutation(40)
                imap = fc.InfluenceMap(fc.Grid(5, 3))
                layer = imap.add_layer("a", fc.Spread(0.5, 0.5, stack=stack))
                layer.add_sources(positions[order], strengths[order])
                imap.step(5)
                results.add(layer.values.tobytes())
            assert len(results) == 1

    def test_may_change_while_it_runs(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(5, 3))
        layer = imap.add_layer("a", fc.Spread(0.5, 0.5))
        layer.add_sources([(2.5, 1.5)] * 2, [3, 4])
        imap.step()
        assert layer.values[1, 2] == 4
        layer.propagation = fc.Spread(0.5, 0.5, stack="sum")
        assert layer.values[1, 2] == 4
        imap.step()
        assert layer.values[1, 2] == 7


class TestNumbers:
    @pytest.mark.parametrize("falloff", POWERS)
    @pytest.mark.parametrize("momentum", [0.0, 0.5, 1.0])
    def test_the_largest_strengths_stay_finite(self, falloff: str, momentum: float) -> None:
        imap = fc.InfluenceMap(fc.Grid(7, 5, neighbors=8))
        layer = imap.add_layer("a", fc.Spread(0.0, momentum, falloff=falloff, stack="sum"))
        layer.add_sources(
            [(0.5, 0.5)] * 9 + [(3.5, 0.5)] * 9 + [(5.5, 3.5)], [1e30] * 9 + [-1e30] * 10
        )
        imap.step(40)
        assert np.isfinite(layer.values).all()
        layer.settle()
        assert np.isfinite(layer.values).all()

    def test_no_minus_zero(self) -> None:
        for stack in ("max", "sum"):
            imap = fc.InfluenceMap(fc.Grid(7, 5))
            layer = imap.add_layer(
                "a", fc.Spread(0.2, 0.5, stack=stack), values=np.full((5, 7), -0.0)
            )
            layer.add_sources([(0.5, 0.5), (3.5, 3.5)], [-0.0, -1e-42])
            layer.deposit((5.5, 0.5), -0.0)
            for _ in range(3):
                assert not np.signbit(layer.values[layer.values == 0]).any()
                imap.step()

    @pytest.mark.parametrize("decay", [1e3, 1e30, 1e300])
    @pytest.mark.parametrize("falloff", POWERS)
    def test_huge_decay_goes_nowhere(self, decay: float, falloff: str) -> None:
        imap = fc.InfluenceMap(fc.Grid(7, 5))
        layer = stand(imap, fc.Spread(decay, 0.5, falloff=falloff, floor=0.0), {10: 5.0})
        imap.step(3)
        assert np.count_nonzero(layer.values) == 1
        layer.settle()
        assert np.count_nonzero(layer.values) == 1
