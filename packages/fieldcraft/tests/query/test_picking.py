"""A random good cell: good, within reach, evenly drawn, and the same for the same dice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.worlds import KINDS, open_cells


class Numbers:
    """Values on a space."""

    def __init__(self, space, values):
        self.space, self.values = space, values


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(seed=st.integers(0, 2**20))
def test_what_is_picked_is_what_best_could_have_chosen(kind, seed):
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    layer = Numbers(space, dice.normal(size=space.shape).astype(np.float32))
    at = space.position_of(dice.choice(open_cells(space), 3))
    step = space.adjacency.typical or 1.0
    radius, walk = 4 * step, [None, 5 * step][dice.integers(2)]
    good = dice.random(space.shape) < 0.7
    every = fc.best(
        layer, at, radius, count=len(space), where=good & (layer.values > 0.2), walk=walk
    )
    found = fc.pick(
        layer,
        at,
        radius,
        rng=np.random.default_rng(seed),
        above=0.2,
        where=good,
        walk=walk,
        count=len(space),
    )
    for drawn, allowed in zip(found.cells, every.cells, strict=True):
        assert sorted(drawn.tolist()) == sorted(allowed.tolist())  # all of them, in another order
    one = fc.pick(
        layer, at, radius, rng=np.random.default_rng(seed), above=0.2, where=good, walk=walk
    )
    assert (
        one.cells.tolist() == found.cell.tolist()
        and one.found.tolist() == (every.cell >= 0).tolist()
    )
    assert np.array_equal(one.values[one.found], layer.values.reshape(-1)[one.cells[one.found]])


def test_each_good_cell_is_as_likely_as_the_other_and_agents_draw_for_themselves():
    layer = fc.InfluenceMap(fc.Grid(9, 5)).add_layer("good", values=np.arange(45.0).reshape(5, 9))
    found = fc.pick(layer, [(4.5, 2.5)] * 4000, 20, rng=np.random.default_rng(7), above=34)
    counts = np.bincount(found.cells, minlength=45)
    assert (
        not counts[:35].any() and counts[35:].min() > 320 and counts[35:].max() < 480
    )  # 400 each, deviation 19
    pairs = found.cells.reshape(-1, 2)
    assert (pairs[:, 0] == pairs[:, 1]).mean() == pytest.approx(0.1, abs=0.03)


def test_choices_keep_apart_and_nothing_good_is_nothing_found():
    layer = fc.InfluenceMap(fc.Grid(20, 12)).add_layer("good", values=np.ones((12, 20)))
    rng = np.random.default_rng(1)
    three = fc.pick(layer, (10, 6), 8, rng=rng, above=0, count=3, spacing=4)
    away = np.linalg.norm(three.positions[:, None] - three.positions, axis=2)
    assert three.found.all() and (away[~np.eye(3, dtype=bool)] >= 4).all()
    assert not fc.pick(layer, (10, 6), 8, rng=rng, above=1).found


def test_dice_that_are_none_are_refused():
    layer = fc.InfluenceMap(fc.Grid(4, 3)).add_layer("good", values=np.ones((3, 4)))
    for wrong in (7, None, np.random):
        with pytest.raises(InvalidValue, match="default_rng"):
            fc.pick(layer, (1, 1), 3, rng=wrong)
    with pytest.raises(InvalidValue, match="above"):
        fc.pick(layer, (1, 1), 3, rng=np.random.default_rng(1), above=np.nan)
    rng = np.random.default_rng(1)
    with pytest.raises(fc.errors.OutsideMap):
        fc.pick(layer, [(1, 1), (9, 9)], 3, rng=rng)
    assert rng.random() == np.random.default_rng(1).random()  # nothing was drawn
