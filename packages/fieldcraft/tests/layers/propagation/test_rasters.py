"""Stamps at places, as weights of cells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation import Stamp
from fieldcraft.space.wrapping import Wrap
from support.refusals import refused, unchanged
from support.stamped import drawn, plain
from support.worlds import WRAPS


class TestPutting:
    @settings(max_examples=16)
    @given(
        seed=st.integers(0, 10**6),
        y_up=st.booleans(),
        wrap=st.sampled_from(WRAPS),
        how=st.sampled_from(["nearest", "bilinear"]),
        cell=st.sampled_from([1.0, 0.5]),
    )
    def test_is_what_numpy_slices_give(
        self, seed: int, y_up: bool, wrap: Wrap, how: str, cell: float
    ) -> None:
        rng = np.random.default_rng(seed)
        grid = fc.Grid(14, 9, cell_size=cell, origin=(-3, 2), y_up=y_up, wrap=wrap)
        layer = fc.InfluenceMap(grid).add_layer("plain", values=np.zeros(grid.shape))
        stamp = Stamp.cone(3.3 * cell, 100, "linear") - 0.5 * Stamp.line(2 * cell, 5 * cell)
        points = np.array(grid.origin) + rng.random((6, 2)) * grid.size
        amounts, turns = rng.normal(size=6), rng.integers(0, 8, 6) * 45.0
        layer.stamp(stamp, points, amounts, rotations=turns, how=how)
        expected = np.zeros(grid.shape)
        for point, amount, turn in zip(points, amounts, turns, strict=True):
            expected += amount * blotted(grid, stamp.rotated(turn), point, how)
        np.testing.assert_allclose(layer.values, expected, atol=1e-6)

    def test_order_changes_no_bit(self) -> None:
        rng = np.random.default_rng(2)
        points, amounts = (
            rng.uniform(0, 17, (300, 2)),
            rng.normal(size=300) * 10.0 ** rng.integers(-5, 5, 300),
        )
        seen = []
        for order in (np.arange(300), rng.permutation(300), rng.permutation(300)):
            layer = plain()
            for first in range(0, 300, 70):
                part = order[first : first + 70]
                layer.stamp(Stamp.disc(4, "gaussian"), points[part], amounts[part], how="bilinear")
            seen.append(layer.values.tobytes())
        assert len(set(seen)) == 1
        layer.stamp(Stamp.disc(4, "gaussian"), points, -amounts, how="bilinear")
        assert not layer.values.any()

    def test_threads_change_nothing(self) -> None:
        points, before, seen = (
            np.random.default_rng(1).uniform(0, 200, (3000, 2)),
            pool.threads(),
            [],
        )
        for count in (1, 2, 3):
            pool.set_threads(count)
            layer = plain(200, 203, wrap=True)
            layer.stamp(Stamp.disc(7, "linear"), points, how="bilinear")
            seen.append(layer.values.tobytes())
        pool.set_threads(before)
        assert len(set(seen)) == 1

    def test_bilinear_keeps_the_sum_and_the_centre(self) -> None:
        layer = plain()
        layer.stamp(Stamp.image([[1.0]], 1.0), (8.9, 7.2), 8.0, how="bilinear")
        rows, columns = np.nonzero(layer.values)
        assert layer.values.sum() == pytest.approx(8, abs=1e-6)
        assert (columns + 0.5) @ layer.values[rows, columns] / 8 == pytest.approx(8.9, abs=1e-6)
        assert (rows + 0.5) @ layer.values[rows, columns] / 8 == pytest.approx(7.2, abs=1e-6)

    def test_blends(self) -> None:
        layer = plain()
        layer.stamp(Stamp.disc(1), (8.5, 7.5), 5.0)
        layer.stamp(Stamp.disc(1), [(8.5, 7.5), (9.5, 7.5)], [3.0, -7.0], blend="max")
        assert layer.values[7, 8] == -7
        assert layer.values[6, 8] == 5
        layer.stamp(Stamp.disc(1), [(8.5, 7.5), (9.5, 7.5)], [1.0, 2.0], blend="replace")
        assert layer.values[7, 8] == 2
        assert layer.values[6, 8] == 1

    def test_what_lies_off_the_map_is_cut(self) -> None:
        layer = plain()
        layer.stamp(Stamp.disc(3), (-1.5, 8.5), outside="cut")
        assert np.count_nonzero(layer.values[:, 0]) == 5
        layer.stamp(Stamp.disc(3), [(-50.0, 8.5), (1e30, -1e30)], outside="cut")
        assert np.count_nonzero(layer.values[:, 5:]) == 0
        layer.stamp(Stamp.disc(3), (99.0, 99.0), outside="clamp")
        assert layer.values[-1, -1] == 1

    def test_may_be_larger_than_the_map(self) -> None:
        layer = plain()
        layer.stamp(Stamp.disc(1000), (3.5, 3.5))
        assert (layer.values == 1).all()

    @pytest.mark.parametrize("how", ["nearest", "bilinear"])
    def test_large_ones_reach_in_from_far_off_the_map(self, how: str) -> None:
        layer = plain()
        layer.stamp(Stamp.disc(150), (100.0, 8.5), outside="cut", how=how)
        assert (layer.values == 1).all()
        center = np.array([-60.5, 40.5])
        layer = plain()
        layer.stamp(
            Stamp.disc(35, "linear"), [center, (1e9, 1e9)], scales=2.0, how=how, outside="cut"
        )
        away = np.hypot(*(layer.space.position_of(np.arange(len(layer.space))) - center).T)
        assert layer.values.reshape(-1) == pytest.approx(np.maximum(1 - away / 70, 0), abs=1e-6)

    def test_a_ring_may_lie_around_the_map(self) -> None:
        layer = plain()
        for radius in range(2, 80, 6):
            layer.write(np.zeros(layer.space.shape))
            layer.stamp(Stamp.ring(radius - 1, radius + 1, "constant"), (3.5, 3.5))
            assert layer.values.any() == (radius < 25)
        with refused(InvalidValue, "center of a cell"):
            layer.stamp(Stamp.ring(3.1, 3.12), (3.5, 3.5))

    def test_on_a_torus_they_are_no_larger_than_the_map(self) -> None:
        layer = plain(wrap=True)
        with unchanged(layer), refused(InvalidValue, "longer side"):
            layer.stamp(Stamp.disc(12), (3.5, 3.5), scales=2.0)
        layer.stamp(Stamp.disc(23), (3.5, 3.5))
        assert layer.values.sum() == np.count_nonzero(np.hypot(*np.mgrid[-23:24, -23:24]) <= 23)

    def test_none_are_none(self) -> None:
        layer = plain()
        layer.stamp(Stamp.disc(3), np.zeros((0, 2)), np.zeros(0))
        layer.stamp(Stamp.disc(3), [])
        assert not layer.values.any()

    def test_goes_on_after_saving_and_copying(self, tmp_path: Path) -> None:
        imap = fc.InfluenceMap(fc.Grid(9, 7))
        layer = imap.add_layer("plain", values=np.full((7, 9), 1e4))
        layer.stamp(Stamp.disc(3, "gaussian"), (4.5, 3.5), 0.3)
        imap.save(tmp_path / "stamps.map")
        twins = [imap, imap.copy(), fc.InfluenceMap.load(tmp_path / "stamps.map")]
        for twin in twins:
            twin["plain"].stamp(Stamp.disc(3, "gaussian"), (4.5, 3.5), 0.3)
            twin["plain"].stamp(Stamp.disc(3, "gaussian"), (4.5, 3.5), -0.6)
        assert len({twin["plain"].values.tobytes() for twin in twins}) == 1
        assert (layer.values == 1e4).all()
        layer.write(np.zeros((7, 9)))
        layer.stamp(Stamp.disc(1), (4.5, 3.5))
        assert layer.values.sum() == 5


def blotted(
    grid: fc.Grid, stamp: Stamp, point: NDArray[np.float64], how: str
) -> NDArray[np.float64]:
    """One stamp on a map of its own: slowly, cell by cell."""
    found = np.zeros(grid.shape)
    x, y = (point - grid.origin) / grid.cell_size
    y = grid.height - y if grid.y_up else y
    for (dx, dy), weight in drawn(stamp, cell_size=grid.cell_size, y_up=grid.y_up).items():
        if how == "nearest":
            places = [(int(np.floor(y)) + dy, int(np.floor(x)) + dx, 1.0)]
        else:
            u, v = np.floor(x - 0.5), np.floor(y - 0.5)
            right, down = x - 0.5 - u, y - 0.5 - v
            places = [
                (
                    int(v) + dy + j,
                    int(u) + dx + i,
                    (down if j else 1 - down) * (right if i else 1 - right),
                )
                for j in (0, 1)
                for i in (0, 1)
            ]
        for row, column, share in places:
            if grid.wraps_y:
                row %= grid.height
            if grid.wraps_x:
                column %= grid.width
            if 0 <= row < grid.height and 0 <= column < grid.width:
                found[row, column] += share * weight
    return found
