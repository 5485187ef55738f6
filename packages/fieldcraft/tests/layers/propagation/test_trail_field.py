"""The field of a trail: what an update keeps, blurs and adds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation import Stamp, Trail
from support.refusals import refused
from support.trails import trailing


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
