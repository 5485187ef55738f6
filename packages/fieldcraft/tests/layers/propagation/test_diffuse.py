"""Diffusion: what cells share with their neighbors, on every kind of space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.refusals import refused


def test_sources_are_held_and_deposits_run_out() -> None:
    grid = fc.Grid(21, 9, neighbors=8)
    layer = fc.InfluenceMap(grid).add_layer("heat", fc.Diffuse(0.9, keep=0.95))
    stove = layer.add_source((4.5, 4.5), 10.0)
    for _ in range(50):
        layer.step()
        assert layer.sample((4.5, 4.5)) == 10
    assert 0 < layer.sample((16.5, 4.5)) < layer.sample((6.5, 4.5)) < 10
    stove.move((16.5, 4.5))
    layer.step(50)
    assert layer.sample((4.5, 4.5)) < layer.sample((14.5, 4.5))
    stove.remove()
    layer.step(1000)
    assert not layer.values.any()
    assert fc.explain(layer, (3.5, 3.5)).remainder_is == "mixed"


def test_numbers_out_of_range_are_refused() -> None:
    for wrong, says in (
        ({"rate": 1.5}, "rate is in"),
        ({"keep": 2.0}, "keep is in"),
        ({"edges": "wrap"}, "edges"),
        ({"half_life": 0}, "half_life"),
    ):
        with refused(InvalidValue, says):
            fc.Diffuse(**wrong)
    with refused(InvalidValue, "Pass one"):
        fc.Diffuse(keep=0.5, half_life=2.0)


@pytest.mark.parametrize("wrap", ["x", "y", True])
def test_a_drift_crosses_edges_that_wrap_and_no_others(wrap: Any) -> None:
    grid = fc.Grid(8, 6, wrap=wrap)
    for axis, drift in ((0, (1.0, 0.0)), (1, (0.0, 1.0))):
        smoke = fc.InfluenceMap(grid).add_layer("s", fc.Diffuse(rate=0.0, drift=drift, floor=0))
        last = (7.5, 2.5) if axis == 0 else (3.5, 5.5)
        first = (0.5, 2.5) if axis == 0 else (3.5, 0.5)
        smoke.deposit(last, 1.0)
        smoke.step(12)
        wraps = grid.wraps_x if axis == 0 else grid.wraps_y
        assert (smoke.sample(first) > 0) == wraps
        assert smoke.values.sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("drift", [None, (0.0, 0.0)])
def test_each_edge_of_a_vertex_takes_an_equal_share(drift: Any) -> None:
    star = fc.Graph([(0, 0), (1, 0), (0, 1), (-1, 0), (5, 5)], [(0, 1), (0, 2), (0, 3)])
    heat = fc.InfluenceMap(star).add_layer("heat", fc.Diffuse(rate=0.5, drift=drift, floor=0))
    heat.deposit((0, 0), 12.0)
    heat.step()
    np.testing.assert_allclose(heat.values, [6, 2, 2, 2, 0])
    star.set_edges((0, 3))
    heat.write(np.array([12, 0, 0, 0, 1], dtype=np.float32))
    heat.step()
    np.testing.assert_allclose(heat.values, [8, 2, 2, 0, 1])


@pytest.mark.parametrize("drift", [None, (0.5, 0.0), (0.3, -0.4)])
@pytest.mark.parametrize(
    ("columns", "rows", "orientation"),
    [(1, 2, "pointy"), (2, 2, "pointy"), (2, 4, "flat"), (3, 2, "pointy"), (2, 1, "flat")],
)
def test_on_narrow_hexagons_that_wrap_nothing_is_lost_and_even_values_stay_even(
    columns: int, rows: int, orientation: Any, drift: Any
) -> None:
    torus = fc.HexGrid(columns, rows, wrap=True, orientation=orientation)
    gas = fc.InfluenceMap(torus).add_layer("gas", fc.Diffuse(0.4, edges="lose", drift=drift))
    gas.write(np.ones(torus.shape))
    gas.step(5)
    np.testing.assert_allclose(gas.values, 1.0, rtol=1e-5)
    gas.write(np.arange(len(torus)).reshape(torus.shape))
    before = gas.values.sum()
    gas.step(5)
    assert gas.values.sum() == pytest.approx(before, rel=1e-5)
