"""Searches for settings, and a judgement that luck does not fool."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft_worlds.library import GAMES
from fieldcraft_worlds.play.settings import read_table
from research.__main__ import main
from research.shared.study import Job, Row
from research.tuning.command import report_lines, write_found
from research.tuning.search import Tuning, parse_range, tune
from research.tuning.tunables import Tunable, find_tunable
from support.refusals import refused

pytest.importorskip("optuna", reason="Optuna is not installed")

USUAL = {"caution": 24.0, "squads": 6, "metric": "connected"}
PLAYED: list[Job] = []


def hill(job: Job) -> Row:
    """A world in which caution is best at 3 and nothing else matters, but for chance."""
    PLAYED.append(job)
    values = USUAL | read_table(None, json.loads(str(job["settings"])))
    if values["squads"] == 13:
        raise ValueError("no luck")
    chance = np.random.default_rng([int(str(job["seed"])), 1]).normal()
    return {"score": -((float(values["caution"]) - 3.0) ** 2) + chance}


def chance(job: Job) -> Row:
    """A world in which nothing matters."""
    return {"score": float(np.random.default_rng(list(f"{job}".encode())).normal())}


def tuning(run: Any = hill, **other: Any) -> Tuning:
    tunable = Tunable("hill", "a hill", USUAL, {"score": 1, "cost": -1}, run, lambda values: None)
    ranges = tuple(
        parse_range(text, USUAL) for text in other.pop("search", ("caution=1:30", "squads=2:9"))
    )
    worlds = ({"map": "open", "width": 9, "height": 7},)
    return Tuning(
        tunable, "score", ranges, worlds, **({"trials": 24, "seeds": 4, "judge": 12} | other)
    )


def test_it_finds_the_top_and_says_so(tmp_path: Path) -> None:
    found = tune(tuning(fixed=("spare=3",)), tmp_path)
    assert abs(float(found.best.values["caution"]) - 3) < 3
    assert found.ahead.low > 0
    assert {trial.state for trial in found.trials} >= {"complete", "pruned"}
    files = write_found(found, tmp_path)
    assert [file.name for file in files] == [
        "tune-hill.json",
        "tune-hill.toml",
    ]
    assert len(json.loads(files[0].read_text())["trials"]) == 24
    assert read_table(files[1]) == {**found.best.values, "spare": 3}
    assert "better in unseen worlds" in "\n".join(report_lines(found))


def test_luck_is_not_taken_for_skill(tmp_path: Path) -> None:
    found = tune(tuning(chance, trials=40), tmp_path)
    value, usual = found.best.value, found.trials[0].value
    # The best of forty seems better where it was searched.
    assert value is not None and usual is not None and value - usual > 0.5
    assert found.ahead.low <= 0
    assert "better in unseen worlds: the interval holds 0" in "\n".join(report_lines(found))


def test_no_judge_sees_a_world_that_was_searched(tmp_path: Path) -> None:
    PLAYED.clear()
    asked = tuning(first_seed=100)
    tune(asked, tmp_path)
    searched = {job["seed"] for job in PLAYED if job["settings"] != "[]"}
    assert searched == set(range(100, 116))
    assert {world["seed"] for world in asked.searched()} == {100, 101, 102, 103}
    assert {world["seed"] for world in asked.unseen()} == set(range(104, 116))


def test_an_interrupted_search_goes_on(tmp_path: Path) -> None:
    PLAYED.clear()

    def stopped(job: Job) -> Row:
        if len(PLAYED) == 40:
            raise KeyboardInterrupt
        return hill(job)

    with pytest.raises(KeyboardInterrupt):
        tune(tuning(stopped), tmp_path)
    again = tune(tuning(), tmp_path)
    assert 5 < again.resumed < 24 and len(again.trials) == 24
    assert not list(tmp_path.glob("*.log"))


def test_settings_that_fail_are_named(tmp_path: Path) -> None:
    found = tune(tuning(search=("squads=12:13",), trials=8), tmp_path)
    failed = [trial for trial in found.trials if trial.state == "fail"]
    assert failed and all(
        trial.values["squads"] == 13 and "no luck" in trial.error for trial in failed
    )


@pytest.mark.parametrize("name", GAMES)
def test_everything_that_can_be_tuned_plays(name: str) -> None:
    tunable, objective = find_tunable(name, None)
    assert tunable.objectives[objective] in (1, -1)
    short = ["limit=1.0"] if "limit" in tunable.settings else []
    short += {"ants": ["ants=50"], "flock": ["birds=40"]}.get(name, [])
    job = {"map": "rooms", "width": 40, "height": 28, "seed": 3, "settings": json.dumps(short)}
    job |= {"seconds": 0.5} if name in ("ants", "flock", "physarum") else {}
    usual = tunable.run(job)
    assert usual.keys() == tunable.objectives.keys()
    assert all(math.isfinite(value) for value in usual.values())


def test_a_list_names_settings_and_objectives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "towers", "--list"]) == 0
    said = capsys.readouterr().out
    assert "commander.wave = 0.2" in said and "ahead (more is better)" in said


def test_a_game_of_your_own_says_what_is_sought() -> None:
    tunable, objective = find_tunable("fieldcraft_worlds.games.flock.plugin:GAME", None)
    assert objective == "order" and tunable.settings["tuning.align"] == 0.8
    with refused(InvalidValue, "MeasuredGame"):
        find_tunable("fieldcraft_worlds.games.tether.plugin:GAME", None)


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in (
        "caution",
        "cautoin=1:2",
        "caution=3:2",
        "caution=0:2:log",
        "squads=1.5:3",
        "metric=path",
        "caution=a:b",
        "caution=1:2:lin",
    ):
        with refused(InvalidValue):
            parse_range(text, USUAL)
    with refused(InvalidValue, "each of another"):
        tuning(search=())
    with refused(UnknownName, "towers"):
        find_tunable("tower", None)
    with refused(InvalidValue, "ahead"):
        find_tunable("towers", "beauty")
    assert main(["tune", "towers", "--search", "caution=-5:2", "--out", str(tmp_path)]) != 0
    assert "caution" in capsys.readouterr().err
