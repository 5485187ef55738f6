"""Trails: gathering, blurring, evaporating; what is kept and what keeps its direction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, WrongLayer
from fieldcraft.layers.propagation import Stamp, Trail
from support.refusals import refused, unchanged
from support.roads import open_cells


def trailing(
    trail: Trail, width: int = 19, height: int = 13, every: float = 0.1, **settings: object
) -> fc.Layer:
    imap = fc.InfluenceMap(fc.Grid(width, height, **settings))
    layer = imap.add_layer("trail", trail, every=every)
    layer.imap = imap
    return layer


class TestUpdate:
    def test_keeps_blurs_and_adds(self) -> None:
        layer = trailing(Trail(0.5, blur=3))
        layer.deposit((9.5, 6.5), 18.0)
        assert not layer.values.any()
        layer.imap.step()
        assert layer.values[6, 9] == 18
        layer.deposit([(9.5, 6.5), (9.5, 6.5), (3.5, 3.5)], [1.0, 2.0, 4.0])
        layer.imap.step()
        np.testing.assert_allclose(layer.values[5:8, 8:11], [[1, 1, 1], [1, 4, 1], [1, 1, 1]])
        assert layer.values[3, 3] == 4

    @pytest.mark.parametrize("width", [1, 3, 5, 9])
    def test_blurs_as_scipy_does(self, width: int) -> None:
        layer = trailing(Trail(0.9, blur=width, edges="lose", floor=0), 31, 22)
        values = np.random.default_rng(0).random((22, 31))
        layer.write(values)
        layer.imap.step()
        np.testing.assert_allclose(
            layer.values, 0.9 * ndimage.uniform_filter(values, width, mode="constant"), atol=1e-6
        )
        layer = trailing(Trail(0.9, blur=width, floor=0), 31, 22, wrap=True)
        layer.write(values)
        layer.imap.step()
        np.testing.assert_allclose(
            layer.values, 0.9 * ndimage.uniform_filter(values, width, mode="wrap"), atol=1e-6
        )

    def test_weights_are_applied_along_both_axes(self) -> None:
        weights = [0.1, 0.2, 0.4, 0.2, 0.1]
        layer = trailing(Trail(1.0, blur=weights, edges="lose", floor=0))
        values = np.random.default_rng(0).random((13, 19))
        layer.write(values)
        layer.imap.step()
        expected = ndimage.convolve1d(
            ndimage.convolve1d(values, weights, axis=1, mode="constant"),
            weights,
            axis=0,
            mode="constant",
        )
        np.testing.assert_allclose(layer.values, expected, atol=1e-6)

    def test_half_life_is_in_seconds(self) -> None:
        for every in (0.1, 0.5):
            layer = trailing(Trail(half_life=2.0, blur=1), every=every)
            layer.deposit((9.5, 6.5), 8.0)
            layer.imap.advance(0.5)
            start = float(layer.values[6, 9])
            for _ in range(4):
                layer.imap.advance(0.5)
            assert layer.values[6, 9] == pytest.approx(start / 2, rel=1e-5)

    def test_small_values_become_nothing(self) -> None:
        layer = trailing(Trail(0.5, floor=0.01))
        layer.deposit((2.5, 2.5), 1.0)
        layer.imap.step(30)
        assert not layer.values.any()


class TestConservation:
    @settings(max_examples=12)
    @given(
        seed=st.integers(0, 10**6),
        wrap=st.booleans(),
        blur=st.sampled_from([3, 5, (0.25, 0.5, 0.25), (0.05, 0.2, 0.5, 0.2, 0.05)]),
        share=st.sampled_from([0.0, 0.2, 0.5]),
    )
    def test_a_conserving_blur_keeps_the_sum(
        self, seed: int, wrap: bool, blur: object, share: float
    ) -> None:
        rng = np.random.default_rng(seed)
        layer = trailing(
            Trail(1.0, blur=blur, floor=0), walls=rng.random((13, 19)) < share, wrap=wrap
        )
        layer.write(rng.random((13, 19)))
        before = layer.values.sum(dtype=np.float64)
        layer.imap.step(300)
        assert layer.values.sum(dtype=np.float64) == pytest.approx(before, rel=1e-6)
        assert not layer.values[layer.space.walls].any()

    def test_a_losing_blur_loses_at_the_rim(self) -> None:
        layer = trailing(Trail(1.0, edges="lose", floor=0))
        layer.deposit([(9.5, 6.5), (0.5, 0.5)], 9.0)
        layer.imap.step(2)
        assert layer.values[4:9, 7:12].sum() == pytest.approx(9)
        assert layer.values[:3, :3].sum() == pytest.approx(4)

    @settings(max_examples=12)
    @given(
        seed=st.integers(0, 10**6),
        blur=st.sampled_from([3, 5, (0.05, 0.2, 0.5, 0.2, 0.05)]),
        edges=st.sampled_from(["conserve", "lose"]),
    )
    def test_is_symmetric(self, seed: int, blur: object, edges: str) -> None:
        """What a gives b, b gives a; and a mirrored map blurs to the mirrored result."""
        rng = np.random.default_rng(seed)
        walls = rng.random((7, 9)) < 0.25
        one, two = rng.choice(open_cells(fc.Grid(9, 7, walls=walls)), 2)
        given_away = []
        for start, end in ((one, two), (two, one)):
            layer = trailing(Trail(1.0, blur=blur, edges=edges, floor=0), 9, 7, walls=walls)
            layer.deposit(layer.space.position_of(start), 1.0)
            layer.imap.step(4)
            given_away.append(float(layer.values.reshape(-1)[end]))
        assert given_away[0] == pytest.approx(given_away[1], rel=1e-5, abs=1e-9)
        values = rng.random((7, 9)) * ~walls
        seen = []
        for flip in (lambda a: a, np.flipud, np.fliplr, np.transpose):
            turned = flip(values)
            layer = trailing(
                Trail(1.0, blur=blur, edges=edges, floor=0), *turned.shape[::-1], walls=flip(walls)
            )
            layer.write(turned)
            layer.imap.step(3)
            seen.append(flip(layer.values))
        for other in seen[1:]:
            np.testing.assert_allclose(other, seen[0], rtol=1e-5, atol=1e-8)

    @pytest.mark.parametrize("blur", [3, 5, 7])
    def test_nothing_passes_walls_or_their_corners(self, blur: int) -> None:
        walls = np.zeros((13, 19), bool)
        walls[:, 9] = True
        walls[np.arange(13), np.arange(13)] = True
        layer = trailing(Trail(1.0, blur=blur, floor=0), walls=walls)
        layer.deposit((6.5, 2.5), 1.0)
        layer.imap.step(200)
        rows, columns = np.nonzero(layer.values)
        assert (columns > rows).all()
        assert (columns < 9).all()
        assert len(rows) > 20


class TestVectors:
    def test_parts_blur_like_scalars(self) -> None:
        vector, scalars = trailing(Trail(vector=True)), [trailing(Trail()), trailing(Trail())]
        points = np.random.default_rng(0).uniform(0, 13, (9, 2))
        amounts = np.random.default_rng(1).normal(size=(9, 2))
        for layer, given_parts in (
            (vector, amounts),
            (scalars[0], amounts[:, 0]),
            (scalars[1], amounts[:, 1]),
        ):
            layer.stamp(Stamp.disc(2, "linear"), points, given_parts, how="bilinear")
            layer.imap.step(3)
        for k in (0, 1):
            np.testing.assert_array_equal(vector.vectors[..., k], scalars[k].values)
        np.testing.assert_allclose(
            vector.values, np.hypot(scalars[0].values, scalars[1].values), rtol=1e-6
        )

    def test_one_vector_serves_all(self) -> None:
        layer = trailing(Trail(vector=True))
        layer.deposit([(4.5, 4.5), (6.5, 4.5)], (3.0, 4.0))
        layer.imap.step()
        assert layer.values[4, 4] == layer.values[4, 6] == 5

    def test_are_written_as_they_are_read(self) -> None:
        walls = np.zeros((13, 19), bool)
        walls[2, 3] = True
        layer, again = (trailing(Trail(0.9, vector=True), walls=walls) for _ in range(2))
        layer.deposit([(4.5, 2.5), (9.5, 7.5)], [(3.0, -4.0), (1.0, 0.5)])
        layer.imap.step(3)
        assert layer.values[7, 9] > 0
        again.write(layer.vectors)
        np.testing.assert_array_equal(again.vectors, layer.vectors)
        np.testing.assert_array_equal(again.values, layer.values)
        for each in (layer, again):
            each.deposit((5.5, 5.5), (0.0, 1.0))
            each.imap.step(2)
        np.testing.assert_array_equal(again.vectors, layer.vectors)
        again.write(np.ones((13, 19, 2)))
        assert again.vectors[2, 3].tolist() == [0, 0]
        with refused(InvalidValue, "finite"):
            again.write(np.full((13, 19, 2), np.nan))


class TestCompanion:
    def test_is_rebuilt_at_each_update(self) -> None:
        layer = trailing(Trail(accumulate=False, blur=3))
        layer.deposit((9.5, 6.5), 9.0)
        layer.imap.step()
        np.testing.assert_allclose(layer.values[5:8, 8:11], 1)
        layer.deposit((3.5, 3.5), 9.0)
        layer.imap.step()
        assert np.count_nonzero(layer.values) == 9
        layer.imap.step()
        assert not layer.values.any()


class TestAsALayer:
    def test_follows_walls(self) -> None:
        layer = trailing(Trail(1.0, floor=0))
        layer.deposit((9.5, 6.5), 9.0)
        layer.imap.step(2)
        layer.space.set_walls([6 * 19 + 10])
        layer.imap.step()
        assert layer.values[6, 10] == 0
        before = layer.values.sum(dtype=np.float64)
        layer.imap.step(5)
        assert layer.values.sum(dtype=np.float64) == pytest.approx(before, rel=1e-6)

    def test_can_be_tuned_and_settled(self) -> None:
        layer = trailing(Trail(0.5, blur=1))
        layer.deposit((9.5, 6.5), 16.0)
        layer.imap.step(2)
        layer.propagation = Trail(0.25, blur=1)
        layer.imap.step()
        assert layer.values[6, 9] == 2
        layer.deposit((9.5, 6.5), 16.0)
        layer.settle()
        layer.imap.step()
        assert not layer.values.any()
        with refused(InvalidValue):
            layer.propagation = Trail(vector=True)
        assert layer.propagation == Trail(0.25, blur=1)
        assert "trail" in str(fc.explain(layer, (3.5, 3.5)))


class TestRefusals:
    @pytest.mark.parametrize(
        "bad",
        [
            {"keep": 1.01},
            {"keep": -0.1},
            {"keep": float("nan")},
            {"keep": 0.5, "half_life": 1.0},
            {"half_life": 0},
            {"half_life": -1},
            {"blur": 2},
            {"blur": 0},
            {"blur": -3},
            {"blur": 65},
            {"blur": True},
            {"blur": [0.5, 0.5]},
            {"blur": [0.2, 0.5, 0.2]},
            {"blur": [0.4, 0.5, 0.1]},
            {"blur": [-0.25, 1.5, -0.25]},
            {"blur": [0.5, 0.5, 0.5], "edges": "lose"},
            {"blur": [float("nan")]},
            {"blur": np.ones((3, 3)) / 9},
            {"blur": "wide"},
            {"edges": "mirror"},
            {"floor": -1},
            {"vector": 2},
            {"accumulate": "no"},
        ],
    )
    def test_of_parameters(self, bad: dict[str, object]) -> None:
        with refused(InvalidValue):
            Trail(**bad)

    def test_keep_above_one_says_the_limit(self) -> None:
        with refused(InvalidValue, "is in [0, 1]"):
            Trail(1.5)

    def test_a_lossy_kernel_may_lose(self) -> None:
        assert Trail(blur=[0.2, 0.5, 0.2], edges="lose").weights()[0].sum() == pytest.approx(0.9)

    def test_of_what_comes(self) -> None:
        walls = np.zeros((13, 19), bool)
        walls[2, 3] = True
        layer, vector = trailing(Trail(), walls=walls), trailing(Trail(vector=True))
        with unchanged(layer, vector):
            with refused(OnWall):
                layer.deposit((3.5, 2.5))
            for bad in (float("nan"), 2.0**21, [1.0, 2.0]):
                with refused(InvalidValue):
                    layer.deposit((4.5, 2.5), bad)
            for bad in (1.0, [(1.0, 2.0), (1.0, 2.0)]):
                with refused(InvalidValue):
                    vector.deposit([(4.5, 2.5)], bad)
            with refused(WrongLayer, "deposit"):
                layer.add_source((4.5, 2.5))
            with refused(InvalidValue, "(13, 19, 2)"):
                vector.write(np.zeros((13, 19)))
            with refused(InvalidValue, "vector=True"):
                layer.vectors
        layer.deposit(np.zeros((0, 2)), np.zeros(0))
        vector.deposit(np.zeros((0, 2)), np.zeros((0, 2)))
