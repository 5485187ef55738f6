"""Seconds since each cell was last seen."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit import LastSeen
from support.refusals import refused

pytestmark = pytest.mark.reference


class TestStaleness:
    def test_counts_seconds_since_each_cell_was_seen(self) -> None:
        walls = np.zeros((3, 5), dtype=bool)
        walls[1, 1] = True
        stale = LastSeen(fc.Grid(5, 3, walls=walls), unseen=60, most=100)
        stale.advance(2.5)
        stale.observe([0, 1])
        view = np.zeros((3, 5), dtype=bool)
        view[2] = True
        stale.advance(0.5)
        stale.observe(view)
        stale.advance(1.0)
        assert stale.values[0].tolist() == [1.5, 1.5, 64, 64, 64]
        assert stale.values[1].tolist() == [64, 0, 64, 64, 64]
        assert stale.values[2].tolist() == [1.0] * 5
        stale.advance(1000)
        assert stale.values.max() == 100
        assert fc.best(stale, (0.5, 0.5), 9).value == 100

    def test_bad_input(self) -> None:
        stale = LastSeen(fc.Grid(5, 3))
        for call in (
            lambda: stale.advance(-1),
            lambda: stale.observe([15]),
            lambda: stale.observe(np.ones((5, 3), dtype=bool)),
        ):
            with pytest.raises(InvalidValue):
                call()
        with refused(InvalidValue, "most"):
            LastSeen(fc.Grid(5, 3), most=0)
