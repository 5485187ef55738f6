"""Commands of the page of measurements exist, and rows with a wrong one are found."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[1] / "measured.py"
specification = importlib.util.spec_from_file_location("measured", PLACE)
assert specification is not None and specification.loader is not None
measured = importlib.util.module_from_spec(specification)
sys.modules["measured"] = measured
specification.loader.exec_module(measured)

ROWS = list(measured.rows(measured.PAGE.read_text(encoding="utf-8")))
COMMANDS = sorted({command for row in ROWS for command in row.commands})


def test_each_row_has_a_command_and_a_commit() -> None:
    assert len(ROWS) > 25
    for row in ROWS:
        assert row.commands and row.commits, row.question


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_page_exist(command: str) -> None:
    assert measured.wrong_with(command) == ""


@pytest.mark.parametrize(
    ("command", "fragment"),
    [
        ("python -m bench spreads", "spreads"),
        ("python -m bench", "no suites"),
        ("python -m bench.labs", "ends with"),
        ("python -m research experiment tower", "ends with 2"),
        ("python -m research experiment towers --seed 3 --seat 4", "--seat"),
        ("python -m research.pogema", "needs data"),
        ("python -m research tune", "needs NAME"),
    ],
)
def test_wrong_commands_are_found(command: str, fragment: str) -> None:
    assert fragment in measured.wrong_with(command)


def test_rows_are_read() -> None:
    command = "python -m research experiment duel --seeds 2"
    text = f"| question | result | c | d |\n|---|\n| what | 3 | `{command}`, 7a88fa5; x | y |"
    (row,) = measured.rows(text)
    assert row == ("what", [command], ["7a88fa5"])
