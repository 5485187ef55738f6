"""The sweep that corrects a radial layer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.layers.propagation.radial.radial import METRICS


def filled(metric: str, blend: str, **options: float) -> tuple[fc.InfluenceMap, fc.Layer]:
    rng = np.random.default_rng(0)
    imap = fc.InfluenceMap(fc.generate_map("cave", 50, 35, seed=2, neighbors=8))
    layer = imap.add_layer("a", fc.Radial(6, metric=metric, blend=blend), **options)
    open_cells = np.flatnonzero(~imap.space.walls.reshape(-1))
    layer.add_sources(imap.space.position_of(rng.choice(open_cells, 20)), rng.random(20) * 4 - 1)
    imap.step()
    return imap, layer


def sweep(layer: fc.Layer, cells: int = 500, **options: float) -> int:
    return sum(layer.validate(cells, **options) for _ in range(-(-35 // (cells // 50 // 8 * 8))))


@pytest.mark.parametrize("blend", ["sum", "max"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_right_layer_is_found_right_and_a_wrong_one_mended(metric: str, blend: str) -> None:
    _, layer = filled(metric, blend)
    truth = layer.read()
    assert sweep(layer) == 0
    layer.write(np.random.default_rng(1).random((35, 50)))
    wrong = np.count_nonzero(layer.values != truth)
    assert sweep(layer) == wrong > 500
    np.testing.assert_array_equal(layer.values, truth)
    assert sweep(layer) == 0


def test_one_slice_is_mended_at_a_time() -> None:
    _, layer = filled("connected", "sum")
    truth = layer.read()
    layer.write(truth + 1)
    layer.validate(8 * 50)
    np.testing.assert_array_equal(layer.values[:8], truth[:8])
    assert (layer.values[8:][~layer.space.walls[8:]] != truth[8:][~layer.space.walls[8:]]).all()


def test_at_a_rate_cells_come_nearer_and_arrive() -> None:
    imap, layer = filled("connected", "sum")
    truth = layer.read()
    layer.write(np.where(layer.space.walls, 0, truth + 3))
    away = [3.0]
    while layer.validate(10**6, rate=5):
        away.append(float(np.abs(layer.values - truth).max()))
        imap.step()
    assert len(away) > 5
    assert all(later <= earlier + 1e-5 for earlier, later in itertools.pairwise(away))
    assert max(earlier - later for earlier, later in itertools.pairwise(away)) <= 5 * 0.1 + 1e-5
    np.testing.assert_array_equal(layer.values, truth)


def test_sources_that_change_meanwhile_are_followed() -> None:
    imap, layer = filled("path", "sum")
    layer.write(np.ones((35, 50)))
    layer.sources.remove(layer.sources.ids)
    imap.step()
    sweep(layer)
    assert not layer.values.any()


def test_refuses() -> None:
    imap, layer = filled("connected", "sum")
    with pytest.raises(fc.FieldcraftError, match="rate"):
        layer.validate(rate=-1)
    with pytest.raises(fc.FieldcraftError, match="max_cells"):
        layer.validate(0)
    with pytest.raises(fc.FieldcraftError, match="1,048,576"):
        layer.write(np.full((35, 50), 1e9))
    with pytest.raises(fc.FieldcraftError, match="settle"):
        imap.add_layer("b", fc.Spread(0.1, 0.5)).validate()
