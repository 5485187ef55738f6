"""A layer without some of its sources is the layer that never had them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.refusals import refused

KINDS = {
    "sum": lambda: fc.Radial(4, metric="path"),
    "max": lambda: fc.Radial(5, "linear", metric="sight", blend="max"),
    "straight": lambda: fc.Radial(3.5, metric="straight"),
    "spread": lambda: fc.Spread(decay=0.4, momentum=0.6),
}


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(sorted(KINDS)), graph=st.booleans())
def test_is_the_layer_that_never_had_them(seed, kind, graph):
    rng = np.random.default_rng(seed)
    grid = fc.Grid(walls=rng.random((8, 13)) < 0.2)
    space = grid.to_graph() if graph else grid
    free = np.flatnonzero(~space.walls.reshape(-1))
    layer, never = (fc.InfluenceMap(space).add_layer("units", KINDS[kind]()) for _ in range(2))
    single = layer.add_source(space.position_of(int(free[0])), strength=3.0)
    others = layer.without("me", single)
    mine = layer.without("me")
    for _ in range(4):
        keys = ["me", *(key for key in "abcd" if rng.random() < 0.7)]
        places = space.position_of(rng.choice(np.delete(free, 5), len(keys)))
        strengths = rng.normal(size=len(keys)) * 4
        layer.sync(keys, places, strengths)
        never.sync(keys[1:], places[1:], strengths[1:])
        if rng.random() < 0.5:
            space.set_walls([int(free[5])], bool(rng.random() < 0.5))
        for each in (layer, never):
            each.step() if kind != "spread" else each.settle()
        np.testing.assert_array_equal(others.values, never.values)
        assert not others.values.flags.writeable
    never.add_source(single.position, single.strength)
    (never.step if kind != "spread" else never.settle)()
    np.testing.assert_array_equal(mine.values, never.values)
    single.remove()
    layer.step()
    np.testing.assert_array_equal(mine.values, others.values)


def test_goes_where_maps_go():
    layer = fc.InfluenceMap(fc.Grid(9, 6)).add_layer("units", fc.Radial(4))
    layer.sync(["me", "you"], [(2.5, 2.5), (6.5, 2.5)], [5.0, 1.0])
    layer.step()
    shy = -layer.without("me")
    assert shy.name == "-'units without me'"
    near = fc.window(shy, (2.5, 2.5), 2)
    assert np.array_equal(near.values, np.where(near.inside, shy.values[:5, :5], 0))
    assert shy.sample((2.5, 2.5)) == 0
    assert layer.without("nobody").values.tobytes() == layer.values.tobytes()
    with refused(InvalidValue, "leave out"):
        layer.without()
    with pytest.raises(AttributeError):
        fc.InfluenceMap(layer.space).add_layer("own", values=np.zeros((6, 9))).without("me")


def test_follows_sources_before_they_act():
    layer = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("units", fc.Radial(2.0, "linear"))
    others = layer.without("me")
    assert not others.values.any()
    layer.sync(["me", "you"], [(0.5, 0.5), (3.5, 0.5)])
    assert others.values.tobytes() == layer.without("me").values.tobytes()
    assert others.values[0, 3] == 1


def test_nothing_is_left_in_a_part_that_walls_have_cut_off():
    grid = fc.Grid(6, 1)
    gas = fc.InfluenceMap(grid).add_layer("gas", fc.Diffuse(rate=1.0))
    gas.add_source((3.5, 0.5), 3.0)
    others = gas.without("me")
    assert others.values[0, 0] > 0
    grid.set_walls([1, 4])
    assert others.values.tobytes() == gas.without("me").values.tobytes()
    assert others.values[0, 0] == 0
