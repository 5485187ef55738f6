"""Layers made from propagations: each kind has its class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers import MemoryLayer, RadialLayer, SpreadLayer, TrailLayer
from fieldcraft.layers.propagation.propagation import Propagation
from support.refusals import refused

KINDS = [
    (fc.Spread(0.1, 1.0), SpreadLayer),
    (fc.Diffuse(), SpreadLayer),
    (fc.Flood(), SpreadLayer),
    (fc.Radial(3), RadialLayer),
    (fc.Fade(1, 1), MemoryLayer),
    (fc.Trail(), TrailLayer),
    (None, fc.layers.ArrayLayer),
]


@pytest.mark.parametrize(("propagation", "kind"), KINDS)
def test_each_propagation_has_its_layer(propagation: Propagation | None, kind: type) -> None:
    values = np.zeros((4, 6)) if propagation is None else None
    layer = fc.InfluenceMap(fc.Grid(6, 4)).add_layer("a", propagation, values=values)
    assert type(layer) is kind
    assert layer.name == "a"
    assert layer.propagation == propagation


def test_walls_and_cells_of_its_own() -> None:
    walls = np.zeros((4, 6), dtype=bool)
    walls[1, 2] = True
    imap = fc.InfluenceMap(fc.Grid(walls=walls))
    assert not imap.add_layer("air", fc.Radial(3), walls=False).space.walls.any()
    coarse = imap.add_layer("coarse", fc.Radial(3), cell_size=2.0)
    assert coarse.space.shape == (2, 3)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"name": ""}, "name"),
        ({"name": 3}, "name"),
        ({"propagation": "spread"}, "Pass fc.Spread(decay, momentum)"),
        ({"propagation": fc.Trail}, "Got the class fc.Trail. Call it: fc.Trail(...)"),
        ({"walls": True}, "walls"),
        ({"every": 0}, "every"),
        ({"cell_size": 0.3}, "cell"),
    ],
)
def test_what_is_refused(given: dict[str, Any], word: str) -> None:
    imap = fc.InfluenceMap(fc.Grid(6, 4))
    with refused(InvalidValue, word):
        imap.add_layer(**{"name": "a", "propagation": fc.Radial(3), **given})
    assert list(imap.layers) == []
