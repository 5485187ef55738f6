"""A fixed sample of the problems that `make scenarios` solves in full."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.maps.scenarios import load_scenarios
from fieldcraft.paths.shortest import shortest_path, shortest_paths
from support import realdata, scenarios

FILES = realdata.files("gridmaps", "scenarios/*/*.scen")
SAMPLE = 30  # problems of each file, the shortest and the longest among them


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_ways_have_the_listed_length(file: Path) -> None:
    problems = load_scenarios(file)
    space = scenarios.map_of(file, problems)
    rows = np.unique(np.linspace(0, len(problems) - 1, SAMPLE).round().astype(np.int64))
    assert scenarios.check(file, problems, space, rows) == []


def test_the_row_that_is_wrong_at_source_is_the_one_we_know() -> None:
    home = realdata.folder("gridmaps")
    (name, row), length = next(iter(scenarios.WRONG_AT_SOURCE.items()))
    file = home / "scenarios/wc3maps512" / name
    problems = load_scenarios(file)
    space = scenarios.map_of(file, problems)
    assert problems.lengths[row] == 23.31
    assert shortest_path(space, problems.starts[row], problems.goals[row]).length == pytest.approx(
        length, abs=0.005
    )


def test_all_problems_of_the_data_are_there() -> None:
    realdata.folder("gridmaps")
    assert sum(len(load_scenarios(file)) for file in FILES) == 66_442


def test_smooth_ways_on_a_real_map_are_shorter() -> None:
    file = realdata.folder("gridmaps") / "scenarios/dao/brc202d.map.scen"
    problems = load_scenarios(file)
    space = scenarios.map_of(file, problems)
    rows = slice(100, None, 250)
    plain = shortest_paths(space, problems.starts[rows], problems.goals[rows])
    smooth = shortest_paths(space, problems.starts[rows], problems.goals[rows], smooth=True)
    straight = np.hypot(*(problems.goals[rows] - problems.starts[rows]).T)
    for one, other, distance in zip(plain, smooth, straight, strict=True):
        assert distance - 1e-9 <= other.length <= one.length
        assert len(other) <= len(one)
    assert sum(other.length for other in smooth) < 0.99 * sum(one.length for one in plain)
