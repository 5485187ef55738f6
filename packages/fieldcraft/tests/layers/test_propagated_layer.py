"""Settings of layers that are given to sources, and those of propagations to layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.refusals import refused


@pytest.mark.parametrize("propagation", [fc.Spread(0.2), fc.Radial(2.0)])
@pytest.mark.parametrize("method", ["add_source", "add_sources"])
@pytest.mark.parametrize("wrong", [{"decay": 0.2}, {"momentum": 0.9}, {"cooling": 0.1}])
def test_a_source_has_no_decay_of_its_own(
    propagation: Any, method: str, wrong: dict[str, float]
) -> None:
    layer = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("a", propagation)
    (name,) = wrong
    with pytest.raises(InvalidValue, match=f"{name}=.* Add a layer for each behavior"):
        getattr(layer, method)([(1.5, 1.5)] if method == "add_sources" else (1.5, 1.5), **wrong)
    with pytest.raises(TypeError, match="color"):
        getattr(layer, method)((1.5, 1.5), color=3)
    assert len(layer.sources) == 0


@pytest.mark.parametrize("propagation", [fc.Fade(), fc.Trail(), None])
def test_a_resistance_is_refused_where_it_does_nothing(propagation: Any) -> None:
    imap = fc.InfluenceMap(fc.Grid(5, 3))
    layer = imap.add_layer("a", propagation, values=np.zeros((3, 5)))
    with pytest.raises(InvalidValue, match=r"A resistance acts on layers with fc\.Spread"):
        layer.resistance = np.ones((3, 5))
    assert layer.resistance is None


@pytest.mark.parametrize("propagation", [fc.Spread(0.2), fc.Trail(), None])
def test_a_setting_of_a_propagation_is_not_set_on_its_layer(propagation: Any) -> None:
    layer: Any = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("a", propagation, values=np.zeros((3, 5)))
    with pytest.raises(InvalidValue, match=r"layer\.tune\(decay=0\.5\)"):
        layer.decay = 0.5
    assert hasattr(layer, "decay") == isinstance(propagation, fc.Spread)


def test_a_setting_with_the_name_of_the_steps_leaves_them_alone() -> None:
    layer: Any = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("a", fc.Flood())
    with refused(InvalidValue, "tune(steps=3)"):
        layer.steps = 3
    layer.step()
    assert layer.updates == 1


def test_a_layer_reads_the_settings_of_its_propagation() -> None:
    layer: Any = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("a", fc.Spread(decay=0.2))
    layer.tune(decay=0.5)
    assert layer.decay == 0.5
    assert not hasattr(layer, "cooling")


@pytest.mark.parametrize(
    ("space", "blur"),
    [(fc.Graph([(0, 0), (1, 0)], [(0, 1)]), 5), (fc.HexGrid(2, 1), (0.25, 0.5, 0.25))],
)
def test_a_refused_blur_changes_nothing(space: fc.space.Space, blur: object) -> None:
    layer = fc.InfluenceMap(space).add_layer("trail", fc.Trail(keep=1.0, blur=1))
    layer.write(np.reshape([1.0, 2.0], space.shape))
    with refused(InvalidValue, "blur"):
        layer.tune(blur=blur)
    layer.step()
    np.testing.assert_array_equal(layer.values.reshape(-1), [1, 2])


def test_a_refused_rate_of_validate_changes_nothing() -> None:
    imap = fc.InfluenceMap(fc.Grid(5, 1))
    layer = imap.add_layer("radial", fc.Radial(9.0, "constant"))
    layer.add_source((0.5, 0.5), 4.0)
    layer.step()
    imap.space.set_walls([2])
    before = np.array(layer.values)
    with refused(InvalidValue, "rate is above 0"):
        layer.validate(rate=-1.0)
    np.testing.assert_array_equal(layer.values, before)
