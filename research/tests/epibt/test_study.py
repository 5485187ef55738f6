"""The table of the study pairs both planners by instance."""

from __future__ import annotations

from pathlib import Path

from research.epibt.__main__ import Case, read_results, table, write_result
from research.pogema.peer import Played


def test_the_table_pairs_instances_and_says_who_is_ahead(tmp_path: Path) -> None:
    path = tmp_path / "episodes.csv"
    for turn in range(3):
        case = Case("random", 100, turn, 1000)
        write_result(path, case, "full", Played(4.0 + turn, 0.002))
        write_result(path, case, "EPIBT", Played(4.5, 0.003))
    write_result(path, Case("city", 1000, 0, 1000), "full", Played(9.0, 0.1))
    city, random = table(read_results(path))[-2:]
    assert random.startswith("| random-32-32-20 100, 1000 (3) | 4.50 (3.0 ms) | 5.00 (2.0 ms) | -")
    assert "| +11.1 % (" in random
    assert random.endswith("), 2 of 3 | - |")
    assert city.startswith("| Paris-1-256 1000, 1000 (1) | - | 9.00 (100.0 ms) |")
    assert city.endswith("| - | - |")
    write_result(path, Case("city", 1000, 0, 1000), "EPIBT", Played(10.0, 0.1))
    write_result(path, Case("city", 1000, 0, 1000), "all rows", Played(9.9, 0.1))
    assert table(read_results(path))[-2].endswith("| -10.0 % | -1.0 % |")
