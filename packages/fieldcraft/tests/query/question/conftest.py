from __future__ import annotations

import pytest

import fieldcraft as fc
from support.questions import RNG, WALLS


@pytest.fixture
def imap():
    imap = fc.InfluenceMap(fc.Grid(walls=WALLS, neighbors=8))
    imap.add_layer("threat", values=RNG.random(WALLS.shape))
    return imap
