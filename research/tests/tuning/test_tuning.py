"""Searches for settings: the same whoever runs them, and a judgement that is not fooled by luck."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft_worlds.games.towers.settings import Settings
from fieldcraft_worlds.play.settings import read_table, settings_from
from research.__main__ import main
from research.experiments.study import Job, Row
from research.tuning import Tuning, parse_range, tune
from research.tuning.ranges import parse_fixed, toml_of
from research.tuning.report import report_lines, write_found
from research.tuning.tunables import TUNABLES, Tunable, find_tunable
from support.refusals import refused

pytest.importorskip("optuna", reason="Optuna is not installed")

USUAL = {"caution": 24.0, "squads": 6, "metric": "connected"}
PLAYED: list[Job] = []


def hill(job: Job) -> Row:
    """A world in which caution is best at 3 and nothing else matters, but for chance."""
    PLAYED.append(job)
    values = USUAL | json.loads(str(job["settings"]))
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
    found = tune(tuning(), tmp_path)
    assert abs(float(found.best.values["caution"]) - 3) < 3
    assert found.is_better
    assert max(found.importances, key=found.importances.__getitem__) == "caution"
    assert {trial.state for trial in found.trials} >= {"complete", "pruned"}
    files = write_found(found, tmp_path)
    assert [file.name for file in files] == [
        "tune-hill.csv",
        "tune-hill.json",
        "tune-hill.toml",
    ]
    assert len((tmp_path / "tune-hill.csv").read_text().splitlines()) == 25
    assert "better on unseen worlds" in "\n".join(report_lines(found))


def test_luck_is_not_taken_for_skill(tmp_path: Path) -> None:
    found = tune(tuning(chance, trials=40), tmp_path)
    value, usual = found.best.value, found.trials[0].value
    # The best of forty seems better where it was searched.
    assert value is not None and usual is not None and value - usual > 0.5
    assert not found.is_better
    assert "better on unseen worlds: the interval holds 0" in "\n".join(report_lines(found))


def test_no_judge_sees_a_world_that_was_searched(tmp_path: Path) -> None:
    PLAYED.clear()
    asked = tuning(first_seed=100)
    tune(asked, tmp_path)
    searched = {job["seed"] for job in PLAYED if job["settings"] != "{}"}
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
    failed = [trial for trial in found.trials if trial.state == "failed"]
    assert failed and all(
        trial.values["squads"] == 13 and "no luck" in trial.error for trial in failed
    )


def test_a_settings_file_is_one_that_play_takes(tmp_path: Path) -> None:
    file = tmp_path / "found.toml"
    file.write_text(
        toml_of({"caution": 3.5, "squads": 4, "tower.range": 9.0, "metric": "path"}, ["Found: ..."])
    )
    settings = settings_from(Settings, read_table(file))
    assert (settings.caution, settings.squads, settings.tower.range, settings.metric) == (
        3.5,
        4,
        9.0,
        "path",
    )
    assert tomllib.loads(file.read_text())["tower"] == {"range": 9.0}


@pytest.mark.parametrize("name", list(TUNABLES))
def test_everything_that_can_be_tuned_plays(name: str) -> None:
    tunable, objective = find_tunable(name, None)
    assert tunable.objectives[objective] in (1, -1)
    short = {"limit": 1.0} if "limit" in tunable.settings else {}
    short |= {"ants": {"ants": 50}, "flock": {"birds": 40}}.get(name, {})
    job = {"map": "rooms", "width": 40, "height": 28, "seed": 3, "settings": json.dumps(short)}
    job |= {"seconds": 0.5} if name in ("ants", "flock", "physarum") else {}
    usual = tunable.run(job)
    assert usual.keys() == tunable.objectives.keys()
    assert all(math.isfinite(value) for value in usual.values())


def test_what_is_fixed_is_so_for_all_and_stands_in_the_file(tmp_path: Path) -> None:
    PLAYED.clear()
    found = tune(tuning(search=("caution=1:30",), trials=4, fixed={"squads": 3}), tmp_path)
    assert {json.loads(str(job["settings"]))["squads"] for job in PLAYED} == {3}
    write_found(found, tmp_path)
    assert tomllib.loads((tmp_path / "tune-hill.toml").read_text())["squads"] == 3
    with refused(InvalidValue, "squads"):
        tuning(fixed={"squads": 3})
    for text in ("squds=3", "squads=three", "squads"):
        with refused(InvalidValue, "--fix" if "squads=" not in text else "squads"):
            parse_fixed([text], USUAL)


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
    with refused(InvalidValue, "each once"):
        tuning(search=())
    with refused(UnknownName, "towers-planner"):
        find_tunable("towers-planer", None)
    with refused(InvalidValue, "ahead"):
        find_tunable("towers", "beauty")
    assert main(["tune", "towers", "--search", "caution=-5:2", "--out", str(tmp_path)]) != 0
    assert "caution" in capsys.readouterr().err
