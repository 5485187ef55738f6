"""A fixed sample of the MovingAI problems; all of them with FIELDCRAFT_SCENARIOS=1000000."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.scenarios import Scenarios, load_scenarios
from fieldcraft.paths.shortest import shortest_path, shortest_paths
from fieldcraft.space import Grid
from support import realdata

FILES = realdata.files("gridmaps", "scenarios/*/*.scen")
# problems of each file, the shortest and the longest among them
SAMPLE = int(os.environ.get("FIELDCRAFT_SCENARIOS", "30"))
# of a unit of the last place; the sources' sums were a little off before they were rounded
ROUNDED = 0.51
PER_LENGTH = 4e-10  # some sources added diagonals of 1.414213562
WRONG_AT_SOURCE = {("bloodvenomfalls.map.scen", 1098): 20.83}
"""A row whose listed length is not the shortest under the benchmark's own rules, and what is."""


def map_of(file: Path, problems: Scenarios) -> Grid:
    """The map of a scenario file."""
    home = file.parents[2]
    space = load_map(
        home / "maps" / file.parent.name / problems.map_name, neighbors=8, mobility="any"
    )
    assert space.shape == (problems.height, problems.width)
    return space


def check(file: Path, problems: Scenarios, space: Grid, rows: NDArray[np.int64]) -> list[str]:
    """Solve these rows; the problems whose length is not the listed one to its precision, 0.01 at
    the worst.
    """
    paths = shortest_paths(space, problems.starts[rows], problems.goals[rows])
    found = np.array([path.length for path in paths])
    listed = problems.lengths[rows].copy()
    for i, row in enumerate(rows.tolist()):
        listed[i] = WRONG_AT_SOURCE.get((file.name, row), listed[i])
    allowed = np.minimum(ROUNDED * problems.precision[rows] + PER_LENGTH * listed, 0.01)
    return [
        f"{file.name} row {rows[i]}: listed {listed[i]:g}, found {found[i]:g}"
        for i in np.flatnonzero(~(np.abs(found - listed) <= allowed))
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_ways_have_the_listed_length(file: Path) -> None:
    problems = load_scenarios(file)
    space = map_of(file, problems)
    rows = np.unique(
        np.linspace(0, len(problems) - 1, min(SAMPLE, len(problems))).round().astype(np.int64)
    )
    assert check(file, problems, space, rows) == []


def test_the_row_that_is_wrong_at_source_is_the_one_we_know() -> None:
    home = realdata.folder("gridmaps")
    (name, row), length = next(iter(WRONG_AT_SOURCE.items()))
    file = home / "scenarios/wc3maps512" / name
    problems = load_scenarios(file)
    space = map_of(file, problems)
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
    space = map_of(file, problems)
    rows = slice(100, None, 250)
    plain = shortest_paths(space, problems.starts[rows], problems.goals[rows])
    smooth = shortest_paths(space, problems.starts[rows], problems.goals[rows], smooth=True)
    straight = np.hypot(*(problems.goals[rows] - problems.starts[rows]).T)
    for one, other, distance in zip(plain, smooth, straight, strict=True):
        assert distance - 1e-9 <= other.length <= one.length
        assert len(other) <= len(one)
    assert sum(other.length for other in smooth) < 0.99 * sum(one.length for one in plain)
