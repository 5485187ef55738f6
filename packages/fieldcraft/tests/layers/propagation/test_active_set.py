"""The active parts of a map."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.layers.propagation.spread.active_set import ActiveSet, ActiveTiles


def test_too_many_active_parts_are_tested_again_later_and_later() -> None:
    flags = np.ones(8, dtype=np.uint8)
    parts = ActiveSet(flags)
    assert parts.by_parts and not parts.is_known
    waits = []
    for _ in range(6):
        parts.update(7, most=4)
        waits.append(parts.until_test)
        parts.until_test = 0
    assert waits == sorted(waits) and waits[0] < waits[-1] == waits[-2]
    parts.update(3, most=4)
    assert parts.is_known and parts.active == 3


def test_all_none_and_some() -> None:
    flags = np.zeros(8, dtype=np.uint8)
    parts = ActiveSet(flags)
    parts.activate_all()
    assert flags.all() and parts.active == 8
    parts.rest()
    assert not flags.any() and parts.active == 0 and parts.by_parts
    flags[2] = 1
    parts.recount()
    assert parts.active == 1


def test_tiles_cover_the_map_and_a_step_reaches_the_next_rows_of_them() -> None:
    tiles = ActiveTiles(fc.Grid(70, 40), 1)
    assert tiles.flags[0].shape == (3, 3)
    assert tiles.count == 9
    new, pending, counts = tiles.scratch
    assert new.shape[0] == len(pending) == len(counts) == 2
