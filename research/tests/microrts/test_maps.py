"""Distance maps of the agent, without Java."""

from __future__ import annotations

import numpy as np

from research.microrts.board import Settings
from research.microrts.game import State
from research.microrts.maps import Maps


def test_a_path_leads_around_the_cells_of_others_if_that_is_short_enough() -> None:
    walls = np.zeros((3, 5), dtype=bool)
    walls[1, 1:4] = True
    maps = Maps(State(0, 100, walls, (0, 0), (), {}), Settings())
    free = maps.distances([(4, 0)])
    assert free[0, 0] == 4 and free[1, 0] == 5
    around = maps.distances_around([(4, 0)], [(2, 0)], 6.0)
    assert around[1, 0] == 7  # by the lower row
    assert around[0, 1] == 9  # back and by the lower row, in place of 3 + 6 past the other
    assert maps.distances_around([(4, 0)], [(2, 0)], 1.0)[1, 0] == 6
    assert maps.distances([(4, 0)])[1, 0] == 5
