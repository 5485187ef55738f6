"""The rule for ranges: a distance of exactly a range is within it, whatever rounding says."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.space import space_ranges as ranges

SPACES = {
    "grid": fc.Grid(9, 7, cell_size=0.1, origin=(1e4, -3e4)),
    "hexagons": fc.HexGrid(9, 7, size=0.3),
    "graph": fc.Grid(9, 7, cell_size=0.1).to_graph(),
}


@pytest.mark.parametrize("name", SPACES)
def test_a_step_is_within_a_range_of_a_step(name: str) -> None:
    space = SPACES[name]
    step = space.typical_step
    lengths = np.sqrt((space.offsets_from(space.position_of(10)) ** 2).sum(axis=1))
    beside = lengths[space.neighbors_of(10)].min()
    assert beside <= ranges.within_range(space, step)
    assert beside >= ranges.at_spacing(space, step)
    assert ranges.within_range(space, step) < 1.001 * step
    assert ranges.at_spacing(space, step) > 0.999 * step


@pytest.mark.parametrize("name", SPACES)
def test_a_path_of_five_steps_is_within_five(name: str) -> None:
    space = SPACES[name]
    step = space.typical_step
    walked = fc.distance_map(space, space.position_of(0)).values.reshape(-1)[5]
    assert ranges.at_walk(space, 5 * step) <= walked * (1 + 1e-6)
    assert np.float64(5 * step) <= ranges.within_walk(space, 5 * step) < 5.001 * step


def test_no_spacing_stays_none() -> None:
    assert ranges.at_spacing(SPACES["grid"], 0) == 0
    assert ranges.largest_coordinate(SPACES["grid"]) == pytest.approx(3e4)
