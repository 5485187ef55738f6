"""What diffuses drifts with the wind: it moves by the drift, and nothing of it is lost."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels import compiled
from support.diffusing import SEEDS, every_space, filled
from support.refusals import refused
from support.tiers import plain as uncompiled
from support.worlds import KINDS, open_cells

some = settings(max_examples=10, deadline=None)
drifting = [kind for kind in KINDS if kind != "knight"]


def winds(space: fc.Space, dice: np.random.Generator, *, each: bool) -> Any:
    """A random drift, for all cells or for each."""
    shape = (*space.shape, space.dimensions) if each else (space.dimensions,)
    return dice.normal(size=shape) * 0.4


def mean_of(layer: fc.Layer) -> Any:
    """The mean position of what is on a layer."""
    values = layer.values.reshape(-1).astype(np.float64)
    places = layer.space.position_of(np.arange(len(layer.space)))
    return (places * values[:, np.newaxis]).sum(axis=0) / values.sum()


@pytest.mark.parametrize("kind", drifting)
@some
@given(seed=SEEDS, each=st.booleans(), rate=st.sampled_from([0.0, 0.3]), resists=st.booleans())
def test_the_sum_stays_and_walls_are_empty(kind, seed, each, rate, resists):
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    drift = winds(space, dice, each=each)
    layer = filled(space, fc.Diffuse(rate, floor=0, drift=drift), dice)
    if resists:
        layer.resistance = dice.random(space.shape)
    total = layer.values.sum(dtype=np.float64)
    # What is in a closed part stays there.
    labels = space.parts().reshape(-1)
    parts = [layer.values.reshape(-1)[labels == part].sum() for part in range(labels.max() + 1)]
    layer.step(20)
    assert layer.values.sum(dtype=np.float64) == pytest.approx(total, rel=1e-5)
    assert not layer.values[space.walls].any()
    assert layer.values.min() >= 0
    if kind != "one way":
        for part, before in enumerate(parts):
            now = layer.values.reshape(-1)[labels == part].sum()
            assert now == pytest.approx(before, rel=1e-4, abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(
    drift=st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
    rate=st.sampled_from([0.0, 0.2]),
    neighbors=st.sampled_from([4, 8]),
    y_up=st.booleans(),
    cell_size=st.sampled_from([0.5, 1.0, 2.0]),
)
def test_the_mean_moves_by_the_drift(drift, rate, neighbors, y_up, cell_size):
    size = {"cell_size": cell_size, "origin": (7, -3), "y_up": y_up}
    grid = fc.Grid(61, 47, neighbors=neighbors, **size)
    wind = fc.Diffuse(rate, floor=0, drift=tuple(cell_size * each for each in drift))
    smoke = fc.InfluenceMap(grid).add_layer("smoke", wind)
    start = grid.position_of(23 * 61 + 30)
    smoke.deposit(start, 5.0)
    smoke.step(15)  # 1.5 seconds: nothing of it comes to the rim
    moved = 1.5 * cell_size * np.array(drift)
    np.testing.assert_allclose(mean_of(smoke) - start, moved, atol=1e-4 * cell_size)


@pytest.mark.parametrize("orientation", ["pointy", "flat"])
@pytest.mark.parametrize("y_up", [False, True])
def test_the_mean_moves_by_the_drift_on_hexagons(orientation, y_up):
    space = fc.HexGrid(41, 43, orientation=orientation, size=0.7, y_up=y_up)
    for angle in np.linspace(0, 6, 7):
        drift = 2.0 * np.array([np.cos(angle), np.sin(angle)])
        smoke = fc.InfluenceMap(space).add_layer("smoke", fc.Diffuse(0.1, floor=0, drift=drift))
        start = space.position_of(space.cell_at(space.extent.mean(axis=0)))
        smoke.deposit(start, 5.0)
        smoke.step(12)
        np.testing.assert_allclose(mean_of(smoke) - start, 1.2 * drift, atol=1e-4)


def test_one_cell_an_update_turns_a_torus():
    dice = np.random.default_rng(3)
    for y_up in (False, True):
        grid = fc.Grid(7, 5, wrap=True, y_up=y_up)
        layer = filled(grid, fc.Diffuse(0, floor=0, drift=(10, 0)), dice)
        before = layer.values.copy()
        layer.step(3)
        np.testing.assert_array_equal(layer.values, np.roll(before, 3, axis=1))
        layer = filled(grid, fc.Diffuse(0, floor=0, drift=(0, -10)), dice)
        before = layer.values.copy()
        layer.step(2)
        np.testing.assert_array_equal(layer.values, np.roll(before, 2 if y_up else -2, axis=0))
    narrow = fc.Grid(2, 3, wrap=True)
    layer = filled(narrow, fc.Diffuse(0, floor=0, drift=(10, 0)), dice)
    before = layer.values.copy()
    layer.step()
    np.testing.assert_array_equal(layer.values, before[:, ::-1])


def test_what_leaves_a_cell_goes_to_the_cells_downwind():
    grid = fc.Grid(walls=[[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    drift = np.zeros((3, 3, 2))
    drift[1, 1] = (2, -3)  # up is open, the right is a wall
    for edges, left in (("conserve", 8 * (1 - 0.3)), ("lose", 8 * (1 - 0.5))):
        settings_ = fc.Diffuse(0, floor=0, drift=drift, edges=edges)
        layer = fc.InfluenceMap(grid).add_layer("gas", settings_)
        layer.deposit((1.5, 1.5), 8.0)
        layer.step()
        assert layer.values[0, 1] == pytest.approx(8 * 0.3)
        assert layer.values[1, 1] == pytest.approx(left)
        assert layer.values.sum() == pytest.approx(left + 8 * 0.3)


def test_it_evaporates_and_is_held_by_walls():
    grid = fc.Grid(6, 3)
    layer = fc.InfluenceMap(grid).add_layer("gas", fc.Diffuse(0.2, keep=0.9, floor=0, drift=(6, 0)))
    layer.deposit((0.5, 1.5), 100.0)
    layer.step(10)
    assert layer.values.sum() == pytest.approx(100 * 0.9**10, rel=1e-5)
    assert layer.values[:, 4:].sum() > 0.8 * layer.values.sum()
    grid.set_walls(grid.cell_at([(5.5, 0.5), (5.5, 1.5), (5.5, 2.5)]))
    layer.step(5)
    assert not layer.values[:, 5].any()
    assert layer.values.sum() == pytest.approx(100 * 0.9**15, rel=1e-5)


@pytest.mark.skipif(not compiled(), reason="the compiled kernels are not in use here")
@pytest.mark.parametrize("kind", drifting)
@settings(max_examples=4, deadline=None)
@given(seed=SEEDS, edges=st.sampled_from(["conserve", "lose"]))
def test_compiled_kernels_give_the_bits_of_their_text(kind, seed, edges):
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    wind = fc.Diffuse(0.3, keep=0.9, edges=edges, drift=winds(space, dice, each=True))
    layer = filled(space, wind, dice)
    slow = fc.InfluenceMap(space).add_layer("heat", wind)
    slow.write(layer.values)
    for each in (layer, slow):
        each.add_source(space.position_of(open_cells(space)[0]), 2.0)
    layer.resistance = slow.resistance = dice.random(space.shape)
    with uncompiled():
        slow.step(4)
    layer.step(4)
    np.testing.assert_array_equal(layer.values, slow.values)


@pytest.mark.parametrize("kind", drifting)
@settings(max_examples=6, deadline=None)
@given(seed=SEEDS, keep=st.sampled_from([0.95, 0.7]), edges=st.sampled_from(["conserve", "lose"]))
def test_it_settles_where_steps_lead(kind, seed, keep, edges):
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    wind = fc.Diffuse(0.2, keep=keep, edges=edges, floor=0, drift=winds(space, dice, each=True))
    layer = filled(space, wind, dice)
    for cell in open_cells(space)[:2]:
        layer.add_source(space.position_of(int(cell)), 2.0)
    settled = fc.InfluenceMap(space).add_layer("heat", wind)
    settled.sync(["a"], [space.position_of(int(open_cells(space)[0]))], [2.0])
    settled.restore(layer.state())
    settled.settle()
    layer.step(600)
    np.testing.assert_allclose(layer.values, settled.values, rtol=1e-3, atol=1e-5)
    before = settled.values.copy()
    settled.step()
    np.testing.assert_allclose(settled.values, before, rtol=1e-4, atol=1e-6)


def test_without_a_balance_it_does_not_settle():
    wind = fc.Diffuse(0.2, drift=(1, 0))
    layer = fc.InfluenceMap(fc.Grid(6, 3)).add_layer("gas", wind)
    layer.settle()  # nothing is there
    layer.deposit((1.5, 1.5), 3.0)
    with refused(InvalidValue, "Take steps instead"):
        layer.settle()
    # A source feeds what a drift can't bring back, and what gets out over the rim leaves.
    one_way = fc.InfluenceMap(fc.Grid(6, 3)).add_layer("gas", fc.Diffuse(0, drift=(1, 0)))
    one_way.add_source((1.5, 1.5), 3.0)
    with refused(InvalidValue, "Take steps instead"):
        one_way.settle()
    open_rim = fc.Diffuse(0, drift=(1, 0), edges="lose")
    stream = fc.InfluenceMap(fc.Grid(6, 1)).add_layer("gas", open_rim)
    stream.add_source((1.5, 0.5), 3.0)
    stream.settle()
    np.testing.assert_allclose(stream.values, [[0, 3, 3, 3, 3, 3]], rtol=1e-6)


def test_forecasts_and_maps_without_a_source_drift_too():
    wind = fc.Diffuse(0.1, keep=0.8, drift=(4, 0))
    layer = fc.InfluenceMap(fc.Grid(12, 1)).add_layer("scent", wind)
    layer.sync(["me", "you"], [(1.5, 0.5), (6.5, 0.5)], [4.0, 2.0])
    layer.step(30)
    later = layer.at(0.5)
    twin = pickle.loads(pickle.dumps(layer))
    twin.step(5)
    np.testing.assert_array_equal(later.values, twin.values)
    alone = layer.without("me")
    assert alone.values[0, :4].max() < 1e-3 < layer.values[0, 1]
    assert alone.values[0, 9] == pytest.approx(layer.values[0, 9], rel=0.05)


@every_space
@settings(max_examples=3, deadline=None)
@given(seed=SEEDS, each=st.booleans())
def test_copies_pickles_and_saves_drift_on(tmp_path_factory, kind, seed, each):
    if kind == "knight":
        return
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    imap = fc.InfluenceMap(space)
    wind = fc.Diffuse(0.3, drift=winds(space, dice, each=each))
    layer = imap.add_layer("smoke", wind)
    layer.deposit(space.position_of(int(open_cells(space)[0])), 4.0)
    imap.step(3)
    file = Path(tmp_path_factory.mktemp("saves")) / "map.fieldcraft"
    imap.save(file)
    state = imap.state()
    twins = [imap.copy(), copy.deepcopy(imap), pickle.loads(pickle.dumps(imap))]
    twins.append(fc.InfluenceMap.load(file))
    imap.step(4)
    expected = layer.values.copy()
    for twin in twins:
        assert twin["smoke"].propagation == wind
        twin.step(4)
        np.testing.assert_array_equal(twin["smoke"].values, expected)
    imap.restore(state)
    imap.step(4)
    np.testing.assert_array_equal(layer.values, expected)


def test_a_cell_gives_away_no_more_than_it_has():
    imap = fc.InfluenceMap(fc.Grid(6, 4))
    smoke = imap.add_layer("smoke", fc.Diffuse(0.5, drift=(3, -2)))  # 0.5 + 0.3 + 0.2
    with refused(InvalidValue, "rate, plus every"):
        imap.add_layer("storm", fc.Diffuse(0.5, drift=(3, -2.1)))
    assert "storm" not in imap
    with refused(InvalidValue, "rate, plus every"):
        smoke.every = 0.11
    with refused(InvalidValue, "rate below 1"):
        smoke.tune(rate=1.0)
    assert smoke.every == 0.1 and smoke.propagation.rate == 0.5
    smoke.tune(drift=(0, 0), rate=1.0)
    smoke.tune(rate=0.1)
    smoke.tune(drift=(-9, 0))
    smoke.deposit((5.5, 0.5), 10.0)
    smoke.step()
    assert smoke.values[0, 4] == pytest.approx(9 + 0.1 * 10 / 4)


def test_whether_a_layer_drifts_is_chosen_when_it_is_made():
    imap = fc.InfluenceMap(fc.Grid(6, 4))
    still = imap.add_layer("still", fc.Diffuse(0.5))
    with refused(InvalidValue, "chosen when it is made"):
        still.tune(drift=(1, 0))
    smoke = imap.add_layer("smoke", fc.Diffuse(0.5, drift=(0, 0)))
    with refused(InvalidValue, "chosen when it is made"):
        smoke.tune(drift=None)
    smoke.deposit((2.5, 1.5), 8.0)
    still.deposit((2.5, 1.5), 8.0)
    imap.step(5)
    np.testing.assert_allclose(smoke.values, still.values, rtol=1e-5, atol=1e-6)


def test_a_resistance_holds_back_what_drifts():
    grid = fc.Grid(4, 1)
    gas = fc.InfluenceMap(grid).add_layer("gas", fc.Diffuse(0, floor=0, drift=(5, 0)))
    gas.resistance = [[0, 1, 0, 0]]
    gas.deposit((0.5, 0.5), 8.0)
    gas.step()
    entered = 4 * np.exp(-1)
    np.testing.assert_allclose(gas.values, [[8 - entered, entered, 0, 0]], rtol=1e-6)


def test_around_a_torus_of_one_column_nothing_is_lost():
    ring = fc.Grid(1, 4, wrap=True)
    wind = fc.Diffuse(0, floor=0, edges="lose", drift=(4, 5))
    gas = fc.InfluenceMap(ring).add_layer("gas", wind)
    gas.deposit((0.5, 1.5), 8.0)
    gas.step()
    assert gas.values.reshape(-1).tolist() == [0, 4, 4, 0]


def test_a_state_brings_its_own_drift_back():
    flow = np.zeros((1, 4, 2))
    flow[..., 0] = 5
    imap = fc.InfluenceMap(fc.Grid(4, 1))
    gas = imap.add_layer("gas", fc.Diffuse(0, floor=0, drift=flow))
    before = imap.state()
    gas.tune(drift=-flow)
    imap.restore(before)
    assert gas.propagation == fc.Diffuse(0, floor=0, drift=flow)
    gas.deposit((1.5, 0.5), 2.0)
    gas.step()
    assert gas.values.tolist() == [[0, 1, 1, 0]]
