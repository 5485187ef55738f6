"""Stamps that are taken off again when their time is over."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, WrongLayer
from support.refusals import refused, unchanged
from support.small_layers import WALLS

DISC = fc.Stamp.disc(2.3, "linear")


def zones(space: Any = None) -> tuple[fc.InfluenceMap, Any]:
    imap = fc.InfluenceMap(fc.Grid(17, 11) if space is None else space)
    return imap, imap.add_layer("danger", values=np.full(imap.space.shape, 0.3), every=0.1)


@pytest.mark.parametrize("space", [fc.Grid(17, 11, wrap=True), fc.HexGrid(17, 12)])
def test_they_go_to_the_bit_whatever_else_came(space: Any) -> None:
    imap, layer = zones(space)
    _, plain = zones(space)
    dice = np.random.default_rng(1)
    places = space.positions[dice.permutation(len(space))]
    for at, seconds in enumerate((0.3, None, 1.0, None, 0.05, 0.3)):
        amount = float(dice.uniform(-3, 3))
        layer.stamp(DISC, places[at], amount, seconds=seconds)
        if seconds is None:
            plain.stamp(DISC, places[at], amount)
    assert not np.array_equal(layer.values, plain.values)
    imap.advance(0.9, max_steps=20)
    assert not np.array_equal(layer.values, plain.values)
    imap.advance(0.1)
    np.testing.assert_array_equal(layer.values, plain.values)


def test_each_lasts_as_long_as_it_was_told_to() -> None:
    imap, layer = zones()
    layer.write(np.zeros((11, 17)))
    layer.stamp(DISC, (5.5, 5.5), 2.0, seconds=0.25)
    layer.stamp(DISC, [(5.5, 5.5), (9.5, 5.5)], 1.0, seconds=0.5)
    read = [float(layer.sample((5.5, 5.5)))]
    for _ in range(6):
        imap.step()
        read.append(float(layer.sample((5.5, 5.5))))
    assert read == [3.0, 3.0, 3.0, 1.0, 1.0, 0.0, 0.0]
    assert not layer.values.any()


def test_saves_and_copies_keep_their_time(tmp_path: Any) -> None:
    imap, layer = zones()
    layer.stamp(DISC, (5.5, 5.5), 2.0, seconds=0.3)
    imap.step()
    imap.save(tmp_path / "a.fieldcraft")
    twins = [
        fc.InfluenceMap.load(tmp_path / "a.fieldcraft"),
        imap.copy(),
        pickle.loads(pickle.dumps(imap)),
    ]
    for _ in range(3):
        imap.step()
        for twin in twins:
            twin.step()
            np.testing.assert_array_equal(twin["danger"].values, layer.values)
    assert (layer.values == np.float32(0.3)).all()


def test_what_was_written_over_is_not_taken_off() -> None:
    imap, layer = zones()
    layer.stamp(DISC, (5.5, 5.5), 2.0, seconds=0.2)
    layer.put(imap.space.cell_at((5.5, 5.5)), 7.0)
    imap.step(2)
    assert layer.sample((5.5, 5.5)) == 7.0 and layer.sample((6.5, 5.5)) == np.float32(0.3)
    layer.stamp(DISC, (5.5, 5.5), 2.0, seconds=0.2)
    layer.write(np.ones((11, 17)))
    imap.step(2)
    assert (layer.values == 1.0).all()


def test_what_cannot_last_says_so() -> None:
    imap, layer = zones()
    trail: Any = imap.add_layer("trail", fc.Trail())
    for one, options in ((trail, {}), (layer, {"blend": "max"})):
        with pytest.raises(InvalidValue, match="an array of your own"):
            one.stamp(DISC, (5.5, 5.5), 1.0, seconds=1.0, **options)
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(InvalidValue, match="seconds"):
            layer.stamp(DISC, (5.5, 5.5), 1.0, seconds=wrong)
    assert (layer.values == np.float32(0.3)).all()


@pytest.mark.parametrize("how", ["nearest", "bilinear"])
def test_values_finer_than_sums_come_back_to_the_bit(how: str, tmp_path: Any) -> None:
    imap, layer = zones()
    fine = np.random.default_rng(1).normal(size=(11, 17)).astype(np.float32) / 100
    layer.write(fine)
    layer.stamp(DISC, (5.4, 5.3), 1.7, seconds=0.3, how=how)
    layer.stamp(DISC, (7.5, 5.5), 1.7, seconds=0.2)
    imap.step()
    imap.save(tmp_path / "map")
    for each in (imap, imap.copy(), fc.InfluenceMap.load(tmp_path / "map")):
        assert not np.array_equal(each["danger"].values, fine)
        each.step(2)
        np.testing.assert_array_equal(each["danger"].values, fine)


def test_values_that_are_put_beside_them_change_nothing_else() -> None:
    imap, layer = zones()
    fine = np.full((11, 17), 0.1, np.float32)
    layer.write(fine)
    layer.stamp(DISC, (5.5, 5.5), 1000.3, seconds=0.1)
    with pytest.raises(InvalidValue, match="stamps for a time"):
        layer.put([0], [1e20])
    layer.put([0], [1e-9])
    imap.step()
    fine[0, 0] = 1e-9
    np.testing.assert_array_equal(layer.values, fine)
    layer.put([0], [1e20])
    assert layer.values[0, 0] == np.float32(1e20)


@pytest.mark.reference
class TestArrayLayer:
    def test_carries_an_array(self, imap: fc.InfluenceMap) -> None:
        height = imap.add_layer("height", values=np.arange(54).reshape(6, 9))
        assert height.propagation is None
        assert height.values[2, 3] == 21  # on a wall too: it is your array
        imap.step(3)
        imap.advance(1.0)
        assert height.values[5, 8] == 53
        height.write(np.zeros((6, 9)))
        assert not height.values.any()
        assert height.sample((0.5, 0.5)) == 0

    def test_takes_neither_sources_nor_parameters(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("height", values=np.ones((6, 9)))
        for call in (
            lambda: layer.add_source((0.5, 0.5)),
            lambda: layer.add_sources([(0.5, 0.5)]),
            lambda: layer.sync(["a"], [(0.5, 0.5)]),
            lambda: layer.deposit((0.5, 0.5)),
            lambda: layer.settle(),
            lambda: layer.tune(decay=1.0),
        ):
            with unchanged(layer), refused(WrongLayer, "'height'", "layer.write"):
                call()
        with unchanged(layer), pytest.raises(AttributeError, match="propagation"):
            layer.propagation = fc.Spread(0.2, 0.5)

    def test_values_need_not_be_given_to_a_spreading_layer_but_may(
        self, imap: fc.InfluenceMap
    ) -> None:
        start = np.full((6, 9), 2.0)
        layer = imap.add_layer("a", fc.Spread(0.2, 0.5), values=start)
        np.testing.assert_array_equal(layer.values, np.where(WALLS, 0, 2))
