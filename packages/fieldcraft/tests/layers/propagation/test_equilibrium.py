"""Where diffusion ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.diffusing import SEEDS, every_space, filled
from support.refusals import refused
from support.worlds import KINDS, open_cells


@every_space
@settings(max_examples=5, deadline=None)
@given(seed=SEEDS, edges=st.sampled_from(["conserve", "lose"]), is_fed=st.booleans())
def test_settling_is_where_steps_lead(kind: str, seed: int, edges: str, is_fed: bool) -> None:
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    layer = filled(space, fc.Diffuse(0.5, keep=0.97, edges=edges, floor=0), dice)
    if is_fed:
        layer.add_source(space.position_of(open_cells(space)[0]), 3.0)
    layer.step(900)
    walked = np.array(layer.values)
    layer.settle()
    np.testing.assert_allclose(layer.values, walked, rtol=1e-4, atol=1e-6)


def test_settling_evens_out_what_nothing_feeds() -> None:
    walls = np.zeros((4, 7), dtype=bool)
    walls[:, 3] = True
    layer = fc.InfluenceMap(fc.Grid(7, 4, walls=walls)).add_layer("gas", fc.Diffuse(0.5))
    layer.deposit((0.5, 0.5), 12.0)
    layer.settle()
    np.testing.assert_allclose(layer.values[:, :3], 1.0)
    assert not layer.values[:, 3:].any()
    graph = fc.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
    vessel = fc.InfluenceMap(graph).add_layer("gas", fc.Diffuse(0.5))
    vessel.deposit((0, 0), 4.0)
    vessel.settle()
    np.testing.assert_allclose(vessel.values, [1, 2, 1])
    one_way = fc.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)], directed=True)
    with refused(InvalidValue, "steps instead"):
        fc.InfluenceMap(one_way).add_layer("gas", fc.Diffuse(0.5)).settle()


@pytest.mark.parametrize("resistance", [0.0, 1.0, 5.0, 10.0, 20.0, 36.0, 50.0, 100.0])
def test_settling_behind_a_strong_resistance(resistance: float) -> None:
    layer = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("gas", fc.Diffuse(0.5, floor=0))
    layer.resistance = [[0, 0, resistance, 0]]
    layer.add_source((0.5, 0.5), 8.0)
    layer.deposit((3.5, 0.5), 1.0)
    layer.settle()
    np.testing.assert_allclose(
        layer.values, [[8, 8, 8 * np.exp(-resistance), 8]], rtol=1e-5, atol=1e-40
    )


@pytest.mark.parametrize("resistance", [15.0, 40.0, 60.0, 90.0])
def test_settling_between_two_strong_resistances(resistance: float) -> None:
    layer = fc.InfluenceMap(fc.Grid(9, 1)).add_layer("gas", fc.Diffuse(0.5, floor=0))
    layer.resistance = [[0, 0, resistance, 0, 0, 0, resistance + 2, 0, 0]]
    layer.add_source((0.5, 0.5), 8.0)
    layer.add_source((8.5, 0.5), 2.0)
    layer.settle()
    # Each side counts as much as its resistance lets through: 1 and exp(-2).
    middle = (8 + 2 * np.exp(-2)) / (1 + np.exp(-2))
    np.testing.assert_allclose(layer.values[0, 3:6], middle, rtol=1e-6)
    np.testing.assert_allclose(layer.values[0, [1, 7]], [8, 2], rtol=1e-6)


def test_what_is_in_cells_that_nothing_enters_leaves_them() -> None:
    layer = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("gas", fc.Diffuse(0.5, floor=0))
    layer.resistance = [[0, 0, 700, 0, 0]]
    layer.write([[1.0, 0.0, 6.0, 2.0, 4.0]])
    layer.settle()
    np.testing.assert_allclose(layer.values, [[2, 2, 0, 4.5, 4.5]])
    layer.add_source((0.5, 0.5), 8.0)
    layer.settle()
    np.testing.assert_allclose(layer.values, [[8, 8, 0, 4.5, 4.5]])


def test_a_refused_settle_leaves_new_sources_and_walls_to_the_next_step() -> None:
    graph = fc.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
    gas, twin = (fc.InfluenceMap(graph).add_layer("gas", fc.Diffuse()) for _ in range(2))
    for layer in (gas, twin):
        layer.add_source((0, 0), 8.0)
    graph.set_walls([0])
    with refused(InvalidValue, "settles"):
        gas.settle()
    gas.step(2)
    twin.step(2)
    assert gas.values.tobytes() == twin.values.tobytes()
    assert twin.values.all()
