"""Matches against the real game; skipped where Java or the game is missing."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from research.microrts.__main__ import _paths
from research.microrts.install import PYTHON, missing
from research.microrts.report import picture, score, table
from research.microrts.runner import Match, Row, matches

FOLDER = Path(os.environ.get("MICRORTS", "out/microrts_game"))
LACKING = missing(FOLDER)


needs_game = pytest.mark.skipif(
    bool(LACKING), reason=f"{LACKING} (the variable MICRORTS names the folder)"
)


@needs_game
def test_a_study_plays_both_corners_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def run(seeds: int) -> str:
        command = [sys.executable, "-m", "research.microrts", "play", str(FOLDER)]
        command += ["--out", str(tmp_path), "--bots", "lightRush", "--variants", "full"]
        command += ["--maps", "8x8/basesWorkers8x8A.xml", "--seeds", str(seeds)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    first = run(1)
    with (tmp_path / "matches.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["corner"] for row in rows} == {"0", "1"} and len(rows) == 2
    assert all(0 < int(row["cycles"]) <= 3000 for row in rows)
    assert first.count("full lightRush 8x8/basesWorkers8x8A.xml") == 2
    assert run(1) == ""


def test_matches_of_the_first_seed_come_first() -> None:
    games = matches(["full"], ["a", "b"], ["m"], 2)
    assert len(games) == 8 and {game.seed for game in games[:4]} == {0}


def test_variants_take_turns() -> None:
    games = matches(["full", "blank"], ["a"], ["m"], 1)
    assert [(game.variant, game.corner) for game in games] == [
        ("full", 0),
        ("blank", 0),
        ("full", 1),
        ("blank", 1),
    ]


BROKEN_BOT = """
import sys
from pathlib import Path
import jpype
from research.microrts.agent import Agent
from research.microrts.board import Settings
from research.microrts.bridge import Arena

class Broken:
    def getAction(self, player, game):
        raise jpype.JClass("java.lang.IndexOutOfBoundsException")("Index -1")

arena = Arena(Path(sys.argv[1]) / "game")
arena._bot = lambda name, seed: Broken()
outcome = arena.play(Agent(Settings()), "coac", "8x8/basesWorkers8x8A.xml", 0, 0)
print(outcome.points, outcome.bot_errors == outcome.cycles)
"""


@needs_game
def test_a_bot_that_raises_an_exception_does_nothing_in_that_cycle() -> None:
    command = [str(FOLDER / PYTHON), "-c", BROKEN_BOT, str(FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, env=_paths())
    assert done.stdout == "1.0 True\n", done.stderr


def test_the_tables_count_draws_half_and_leave_out_matches_of_the_agent_against_itself() -> None:
    rows = [
        Row("full", "a", "8x8/m.xml", k % 2, k, p, 10, 1.0, 2.0, 0.1, 0)
        for k, p in enumerate((1.0, 0.5, 0.0, 1.0))
    ]
    rows.append(Row("blank", "a", "16x16/basesWorkers16x16A.xml", 0, 0, 1.0, 10, 1.0, 2.0, 0.1, 0))
    rows.append(Row("full", "blank", "8x8/m.xml", 0, 0, 1.0, 10, 1.0, 2.0, 0.1, 0))
    lines = table(rows)
    assert "| m | 4 | 62% | 22% to 91% | 0 |  |  |" in lines
    assert "| basesWorkers16x16A (tuned) | 0 |  |  | 1 | 100% | 21% to 100% |" in lines
    assert "| a | 4 | 62% | 22% to 91% | 1 | 100% | 21% to 100% |" in lines
    assert rows[0].match() == Match("full", "a", "8x8/m.xml", 0, 0)
    assert picture(rows).shape[2] == 4
    share, low, high = score([1.0] * 40)
    assert share == 1 and 0.90 < low < 0.92 and high == pytest.approx(1)


@needs_game
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("--maps", "basesWorkers8x8A.xml"), "like '16x16/basesWorkers16x16A.xml'"),
        (("--bots", "lightrush"), "no bot 'lightrush'. Bots are workerRush"),
    ],
)
def test_an_unknown_map_or_bot_is_an_error_in_words(
    tmp_path: Path, changed: tuple[str, str], message: str
) -> None:
    chosen = {"--maps": "8x8/basesWorkers8x8A.xml", "--bots": "lightRush"} | dict([changed])
    command = [sys.executable, "-m", "research.microrts", "play", str(FOLDER)]
    command += ["--out", str(tmp_path), *(part for pair in chosen.items() for part in pair)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode and message in done.stderr
