"""The study of traffic: episodes keep the rules, and the table pairs them by instance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from research.pogema.calibration import calibration, unhindered
from research.pogema.player import Variant, play
from research.pogema.table import (
    PEER,
    PLANNER,
    Case,
    Row,
    against_planner,
    peers,
    published,
    read_rows,
    table,
    write_row,
)


def test_an_episode_keeps_the_rules_and_counts_goals() -> None:
    goals = [[0, 5], [2, 0]]
    instance = {
        "walls": [[0] * 6, [0, 1, 1, 1, 1, 0], [0] * 6],
        "starts": [[0, 0], [2, 5]],
        "goals": [[goals[k % 2] for k in range(first, 99)] for first in (0, 1)],
        "steps": 256,
    }
    episode = play(instance, Variant(look_ahead=5))
    assert episode.cells.shape == (257, 2)
    assert (episode.cells[1:, 0] != episode.cells[1:, 1]).all()
    rows, columns = np.divmod(episode.cells, 6)
    assert (np.abs(np.diff(rows, axis=0)) + np.abs(np.diff(columns, axis=0)) <= 1).all()
    assert 256 * episode.throughput == 2 * (256 // 7)


def between(first: int, last: int) -> dict[str, Any]:
    """Two agents that walk up and down a corridor for 256 steps."""
    goals = [[0, last], [0, first]] * 200
    return {
        "walls": [[0] * 5],
        "starts": [[0, first], [0, last]],
        "goals": [goals, goals[1:]],
        "steps": 256,
    }


def test_agents_that_walk_through_each_other_reach_the_most() -> None:
    assert unhindered(between(0, 4)) == 2 * (256 // 4) / 256
    rows = [Row(Case("set", 2, "map", seed), PLANNER, 0.1 * seed, 1.0) for seed in range(3)]
    found = calibration(rows, lambda row, _: between(row.case.seed, 4), False)
    assert len(found) == 1
    assert "set 2 (3) | as given | 0.721 | 0.100 | 3 of 3 |" in found[0]


def test_the_table_compares_the_same_instances(tmp_path: Path) -> None:
    cases = [Case("set", 4, "map", seed) for seed in range(5)]
    for k, case in enumerate(cases[:3]):
        write_row(tmp_path / "rows.csv", Row(case, "full", 1.0 + k, 0.001))
    theirs = [Row(case, PLANNER, 0.5 + k, 1.0) for k, case in enumerate(cases)]
    theirs += [Row(case, "Follower", 0.25 + k, 1.0) for k, case in enumerate(cases)]
    line = table(read_rows(tmp_path / "rows.csv"), theirs, ["full"])[-1]
    assert "set 4 (3)" in line
    assert "| 1.50 | 1.25 Follower |" in line
    assert "+0.50 (" in line and "+0.75 (" in line


def test_variants_with_plans_are_compared_with_the_planner() -> None:
    cases = [Case("set", 4, "map", seed) for seed in range(3)]
    ours = [Row(case, "full", 1.1, 0.001) for case in cases]
    ours += [Row(case, "more effort", 1.1, 0.003) for case in cases[:2]]
    ours += [Row(case, "neither", 9.9, 0.003) for case in cases]
    theirs = [Row(case, PLANNER, 0.8 + 0.2 * k, 1.0) for k, case in enumerate(cases)]
    full, more = against_planner(ours, theirs)[2:]
    assert full.startswith("| set 4 (3) | full | 1.10 | 1.00 | +0.10 (")
    assert full.endswith("| 2 of 3 | +10.0 % | 1.0 |")
    assert more.startswith("| set 4 (2) | more effort | 1.10 | 0.90 | +0.20 (")
    assert more.endswith("| 2 of 2 | +23.8 % | 3.0 |")


def test_a_single_episode_has_no_interval() -> None:
    case = Case("set", 4, "map", 0)
    theirs = [Row(case, name, 0.5, 1.0) for name in (PLANNER, "Follower")]
    line = table([Row(case, "full", 1.0, 0.001)], theirs, ["full"])[-1]
    assert "| 1.00 | 1.0 | 0.50 |" in line and "| +0.50 | +0.50 |" in line and "nan" not in line


def test_mazes_are_played_over_128_steps_as_published() -> None:
    assert Case("02-mazes", 64, "map", 0).steps == 128
    assert Case("01-random", 64, "map", 0).steps == 256
    short = play(between(0, 4) | {"steps": 128}, Variant(look_ahead=0))
    assert len(short.cells) == 129
    assert unhindered(between(0, 4) | {"steps": 128}) == 2 * (128 // 4) / 128


def test_published_run_time_is_divided_by_the_steps_of_the_set(tmp_path: Path) -> None:
    path = tmp_path / "published.csv"
    path.write_text(
        "set,algorithm,agents,map,seed,throughput,runtime_s\n"
        "02-mazes,RHCR,64,maze,0,2.5,12.8\n01-random,RHCR,64,random,0,2.5,25.6\n"
    )
    assert [row.seconds for row in published(path)] == [0.1, 0.1]


def test_planners_with_equal_information_are_compared_in_pairs(tmp_path: Path) -> None:
    cases = [Case("set", 4, "map", seed) for seed in range(5)]
    ours = [Row(case, "full", 2.0 + k, 0.002) for k, case in enumerate(cases)]
    ours += [Row(case, PEER, 3.0, 0.004) for case in cases[:3]]
    theirs = [Row(case, PLANNER, 1.0 + k, 1.0) for k, case in enumerate(cases)]
    line = peers(ours, theirs)[-1]
    assert line.startswith("| set 4 (3) | 3.00 | 3.00 | 2.00 | +0.00 (")
    assert "| 1 of 3 | +0.0 % | +1.00 (+1.00 to +1.00) | 3 of 3 | +50.0 % | 2.0 | 4.0 |" in line
