from __future__ import annotations

import numpy as np
import pytest

from support.sc2 import Game


@pytest.fixture
def game() -> Game:
    pathing = np.ones((30, 44), dtype=np.uint8)
    pathing[12:14, 5:30] = 0
    return Game(pathing, minerals=((20.0, 20.5),))
