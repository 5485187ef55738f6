"""Stamps: their shapes, and putting them on layers in any order to the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap, WrongLayer
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation import Fade, Stamp, Trail
from support.refusals import refused, unchanged


def drawn(
    stamp: Stamp, *, cell_size: float = 1.0, y_up: bool = False
) -> dict[tuple[int, int], float]:
    """The weights that are not 0, by their offset (columns, rows)."""
    weights, top, left = stamp.on(cell_size, y_up=y_up, most=50)
    rows, columns = np.nonzero(weights)
    keys = zip((columns + left).tolist(), (rows + top).tolist(), strict=True)
    return dict(zip(keys, weights[rows, columns].tolist(), strict=True))


def plain(width: int = 23, height: int = 17, **settings: object) -> fc.Layer:
    grid = fc.Grid(width, height, **settings)
    return fc.InfluenceMap(grid).add_layer("plain", values=np.zeros(grid.shape))


class TestShapes:
    def test_disc_is_the_footprint_of_radial(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(23, 17, cell_size=0.5))
        peers = imap.add_layer("peers", fc.Radial(2.3, "smoothstep", metric="straight"))
        peers.add_source((5.6, 4.1), 3.0)
        layer = imap.add_layer("stamps", values=np.zeros((17, 23)))
        layer.stamp(Stamp.disc(2.3, "smoothstep"), (5.6, 4.1), 3.0)
        peers.step()
        np.testing.assert_array_equal(layer.values, peers.values)

    def test_ring_is_best_half_way(self) -> None:
        ring = drawn(Stamp.ring(2, 6))
        assert ring[4, 0] == 1
        assert (2, 0) not in ring
        assert (6, 0) not in ring
        assert ring[3, 0] == ring[0, -5] == 0.75
        flat = drawn(Stamp.ring(2, 6, "constant"))
        assert set(flat.values()) == {1.0}
        assert (2, 0) in flat
        assert (1, 0) not in flat

    def test_cone_opens_along_x(self) -> None:
        cone = drawn(Stamp.cone(4, 90))
        assert {(0, 0), (4, 0), (2, 2), (2, -2)} <= set(cone)
        assert not {(-1, 0), (1, 2), (0, 1)} & set(cone)
        assert len(drawn(Stamp.cone(4, 360))) == len(drawn(Stamp.disc(4)))

    def test_line_goes_along_x_and_falls_off_to_its_end(self) -> None:
        assert drawn(Stamp.line(4, 1, "linear")) == {
            (0, 0): 1.0,
            (1, 0): 0.75,
            (2, 0): 0.5,
            (3, 0): 0.25,
        }
        assert set(drawn(Stamp.line(4, 3).moved(-2, 0))) == {
            (x, y) for x in range(-2, 3) for y in (-1, 0, 1)
        }

    def test_image_lies_as_it_is(self) -> None:
        pixels = np.array([[1.0, 2.0, 0.0], [3.0, -4.0, 5.0]])
        made = drawn(Stamp.image(pixels, 3.0).moved(0, 0.5))
        assert made == {(-1, 0): 1, (0, 0): 2, (-1, 1): 3, (0, 1): -4, (1, 1): 5}

    def test_turn_from_x_towards_y(self) -> None:
        line = Stamp.line(3, 1)
        assert set(drawn(line.rotated(90))) == {(0, 0), (0, 1), (0, 2), (0, 3)}
        assert set(drawn(line.rotated(90), y_up=True)) == {(0, 0), (0, -1), (0, -2), (0, -3)}
        assert set(drawn(line.rotated(-90))) == {(0, 0), (0, -1), (0, -2), (0, -3)}

    def test_grow_and_add(self) -> None:
        assert drawn(Stamp.disc(2).scaled(2.5)) == drawn(Stamp.disc(5))
        assert drawn(Stamp.disc(4), cell_size=2.0) == drawn(Stamp.disc(2))
        both = drawn(Stamp.disc(3) - 2 * Stamp.disc(1))
        assert both[0, 0] == -1
        assert both[3, 0] == 1
        assert drawn(-Stamp.disc(1))[0, 0] == -1
        assert drawn((Stamp.disc(1) + Stamp.disc(1).moved(1, 0)) * 0.5)[1, 0] == 1

    def test_tether_is_a_donut_round_his_range(self) -> None:
        donut = drawn(Stamp.tether(8, 4))
        assert donut[6, 0] == max(donut.values()) == 1.0
        assert (4, 0) not in donut  # he reaches me, I reach him
        assert donut[0, -5] == donut[7, 0] == pytest.approx(0.75)
        wary = drawn(Stamp.tether(8, 4, threat=3.0))
        assert wary[4, 0] == wary[0, 0] == -2
        outranged = drawn(Stamp.tether(3, 6))
        assert outranged[5, 0] == -1
        assert (2, 0) not in outranged
        assert min(drawn(Stamp.tether(3, 6, threat=0.5)).values()) == -0.5


class TestPutting:
    @settings(max_examples=16)
    @given(
        seed=st.integers(0, 10**6),
        y_up=st.booleans(),
        wrap=st.booleans(),
        how=st.sampled_from(["nearest", "bilinear"]),
        cell=st.sampled_from([1.0, 0.5]),
    )
    def test_is_what_numpy_slices_give(
        self, seed: int, y_up: bool, wrap: bool, how: str, cell: float
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
            if grid.wrap:
                found[row % grid.height, column % grid.width] += share * weight
            elif 0 <= row < grid.height and 0 <= column < grid.width:
                found[row, column] += share * weight
    return found


class TestRefusals:
    @pytest.mark.parametrize(
        "make",
        [
            lambda: Stamp.disc(0),
            lambda: Stamp.disc(-2),
            lambda: Stamp.disc(3, "x"),
            lambda: Stamp.ring(3, 3),
            lambda: Stamp.ring(-1, 3),
            lambda: Stamp.cone(3, 0),
            lambda: Stamp.cone(3, 361),
            lambda: Stamp.line(3, 0),
            lambda: Stamp.image(np.zeros(3), 1),
            lambda: Stamp.image([[np.nan]], 1),
            lambda: Stamp.image([[99.0]], 1),
            lambda: Stamp.image(np.zeros((0, 3)), 1),
            lambda: Stamp.disc(2).scaled(0),
            lambda: Stamp.disc(2).rotated(float("inf")),
            lambda: Stamp.disc(2) * float("nan"),
            lambda: Stamp.tether(0, 3),
            lambda: Stamp.tether(3, -1),
            lambda: Stamp.tether(3, 1, threat=-1),
            lambda: Stamp.tether(3, 1, threat=99),
        ],
    )
    def test_of_shapes(self, make: object) -> None:
        with refused(InvalidValue):
            make()

    def test_of_putting(self) -> None:
        layer = plain()
        layer.stamp(Stamp.disc(2), (4.5, 4.5))
        disc = Stamp.disc(2)
        with unchanged(layer):
            for arguments, settings in (
                ((disc, (4.5, 4.5), float("nan")), {}),
                ((disc, (4.5, 4.5), 2.0**21), {}),
                ((disc, [(4.5, 4.5)], [1, 2]), {}),
                ((disc, (4.5, 4.5)), {"scales": 0}),
                ((disc, (4.5, 4.5)), {"rotations": [1, 2]}),
                ((disc, (4.5, 4.5)), {"how": "trilinear"}),
                ((disc, (4.5, 4.5)), {"blend": "mean"}),
                (("disc", (4.5, 4.5)), {}),
                ((disc * 99, (4.5, 4.5)), {}),
                ((Stamp.image([[1.0]], 0.5).moved(0.4, 0.5), (4.5, 4.5)), {}),
            ):
                with refused(InvalidValue):
                    layer.stamp(*arguments, **settings)
            with refused(OutsideMap):
                layer.stamp(disc, [(4.5, 4.5), (-4.5, 4.5)])
            with refused(InvalidValue, "adds up"):
                layer.stamp(disc, np.full((2**18 + 1, 2), 4.5), 2.0**20)
        many = np.full((2**17 - 1, 2), 4.5)
        layer.stamp(disc, many, 2.0**20)
        with unchanged(layer), refused(InvalidValue, "adds up"):
            layer.stamp(disc, np.full((2**17 + 1, 2), 4.5), 2.0**20)
        layer.stamp(disc, many, -(2.0**20))
        layer.stamp(disc, many, 2.0**20)

    def test_of_other_layers(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(5, 4))
        for kind in (fc.Spread(0.5, 0.5), fc.Radial(2.0), Fade()):
            with refused(WrongLayer, "Trail"):
                imap.add_layer(type(kind).__name__, kind).stamp(Stamp.disc(1), (2.5, 2.5))
        imap.add_layer("trail", Trail()).stamp(Stamp.disc(1), (2.5, 2.5))
