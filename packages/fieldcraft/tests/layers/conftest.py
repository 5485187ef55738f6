from __future__ import annotations

import pytest

import fieldcraft as fc
from support.small_layers import WALLS


@pytest.fixture
def imap() -> fc.InfluenceMap:
    return fc.InfluenceMap(fc.Grid(9, 6, walls=WALLS))


@pytest.fixture
def layer(imap: fc.InfluenceMap) -> fc.Layer:
    return imap.add_layer("a", fc.Spread(0.2, 0.5))
