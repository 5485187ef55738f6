"""Keywords of sources that are settings of layers."""

from __future__ import annotations

from typing import Any

import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue


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
