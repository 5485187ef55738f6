"""Layers that diffuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.space import Space
from support.worlds import KINDS

every_space = pytest.mark.parametrize("kind", list(KINDS))
SEEDS = st.integers(0, 2**16)


def filled(space: Space, diffuse: fc.Diffuse, dice: np.random.Generator) -> fc.layer.SpreadLayer:
    layer = fc.InfluenceMap(space).add_layer("heat", diffuse)
    assert isinstance(layer, fc.layer.SpreadLayer)
    layer.write(np.where(space.walls, 0, dice.random(space.shape)).astype(np.float32))
    return layer
