"""Maps of numbers that do not change."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.values.array_map import ArrayMap


def test_it_goes_wherever_maps_go() -> None:
    grid = fc.Grid(6, 4)
    numbers = np.arange(24, dtype=np.float32).reshape(4, 6)
    held = ArrayMap(grid, numbers, "hits")
    assert (held.values == numbers).all() and held.version == 0
    assert held.sample((2.5, 1.5)) == numbers[1, 2]
    assert ((2 * held).values == 2 * numbers).all()
    assert "hits" in repr(held)
    assert fc.best(held, (2.5, 1.5), 2).position.tolist() == [2.5, 3.5]
    with pytest.raises(ValueError, match="read-only"):
        held.values[0, 0] = 1
