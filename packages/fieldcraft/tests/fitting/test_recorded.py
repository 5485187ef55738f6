"""Recordings to fit: events and choices in cells, and what is refused of them."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.fitting import Recorded
from fieldcraft.fitting.recorded import cells_of
from support.refusals import refused


@pytest.fixture
def seen() -> fc.recordings.Timeline:
    notes = fc.recordings.TimelineBuilder()
    notes.add(0.0, "a", "tank", (1.5, 1.5), 2.0)
    return notes.build()


def test_positions_in_walls_count_for_the_nearest_open_cell() -> None:
    walls = np.zeros((3, 5), dtype=bool)
    walls[:, 2] = True
    grid = fc.Grid(walls=walls)
    assert cells_of(grid, [(0.5, 0.5), (2.2, 1.5)]).tolist() == [0, 6]


def test_events_are_counted_in_each_cell_and_moment(seen: fc.recordings.Timeline) -> None:
    grid = fc.Grid(5, 3)
    recorded = Recorded.events(grid, seen, [1.0, 2.0, 1.0], [(0.5, 0.5), (4.5, 2.5), (0.5, 0.5)])
    assert recorded.seconds.tolist() == [1.0, 2.0]
    assert recorded.happened.sum() == 3
    assert recorded.happened[0].max() == 2


def test_choices_are_among_their_candidates(seen: fc.recordings.Timeline) -> None:
    grid = fc.Grid(5, 3)
    candidates = [[(0.5, 0.5), (4.5, 2.5)], [(1.5, 0.5), (2.5, 0.5), (3.5, 0.5)]]
    recorded = Recorded.choices(grid, seen, [1.0, 2.0], candidates, [1, 0])
    assert (recorded.options > 0).sum() == 5
    assert recorded.happened.sum() == 2
    with refused(InvalidValue, "chosen"):
        Recorded.choices(grid, seen, [1.0, 2.0], candidates, [2, 0])
