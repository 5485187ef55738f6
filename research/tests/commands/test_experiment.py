from __future__ import annotations

import argparse
import re

import pytest

from fieldcraft.base.errors import FieldcraftError
from research import __main__ as cli
from research.commands.experiment import EXPERIMENTS, Experiment
from research.shared.study import words
from support.sample_study import study, throw

COINS = Experiment(
    "coins",
    "throws coins",
    "Throws coins, again and again.",
    {"--kinds": {"type": words, "default": ["plain"]}},
    lambda kinds: study(*kinds),
)


@pytest.fixture(autouse=True)
def coins(monkeypatch):
    monkeypatch.setattr("research.commands.experiment.EXPERIMENTS", (COINS,))


def call(*arguments: object) -> int:
    return cli.main(["experiment", "coins", "--workers", "1", *map(str, arguments)])


def test_a_table_and_the_files_are_printed(tmp_path, capsys):
    assert call("--out", tmp_path, "--kinds", "plain,other") == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "Coins"
    assert re.fullmatch(r"8 throws in \d+\.\d s on 1 worker", lines[1])
    assert lines[3].split() == ["throws", "heads", "sum"]
    assert re.fullmatch(r"plain  coin       4  \d+ % \[\d+, \d+\]  -?\d\.\d\d \[.*\]", lines[4])
    assert "Coins are fair." in lines
    assert [line.split()[1] for line in lines if line.startswith("wrote ")] == [
        str(tmp_path / name) for name in ("coins.csv", "coins.json", "coins.png")
    ]


def test_plots_are_drawn_again_from_what_was_written(tmp_path, capsys):
    assert call("--out", tmp_path, "--kinds", "plain,other", "--quiet") == 0
    first = (tmp_path / "coins.png").read_bytes()
    assert (
        cli.main(
            ["experiment", "draw", str(tmp_path / "coins.json"), "--out", str(tmp_path / "again")]
        )
        == 0
    )
    assert (tmp_path / "again" / "coins.png").read_bytes() == first
    assert capsys.readouterr().out.startswith(f"wrote {tmp_path / 'again' / 'coins.png'}")
    (tmp_path / "coins.json").write_text('{"title": "Coins"}')
    assert cli.main(["experiment", "draw", str(tmp_path / "coins.json")]) == 2
    assert "Plots are drawn of the JSON file" in capsys.readouterr().err


def test_what_failed_is_printed_and_has_code_2(tmp_path, capsys):
    assert call("--out", tmp_path, "--kinds", "plain,fails,odd") == 2
    out, err = capsys.readouterr()
    assert "wrote " in out
    lines = err.splitlines()
    failed = [line for line in lines if line.startswith("failed: ")]
    assert len(failed) == 5
    assert failed[0] == 'failed: {"kind": "fails", "seed": 0}: ValueError: seed 0 has no luck'
    assert lines[-1].startswith(
        "research: All throws of an experiment must succeed. Got 8 of 12 that failed. They are missing"
    )
    assert call("--out", tmp_path, "--kinds", "plain,fails,odd") == 2
    assert "8 throws in" in capsys.readouterr().out.splitlines()[1]


@pytest.mark.parametrize("after", [0, 3])
def test_stopping_says_how_far_it_got(tmp_path, monkeypatch, capsys, after):
    def stop(run, jobs, workers, scheduler):
        for index in range(after):
            yield index, {**jobs[index], **throw(jobs[index])}
        raise KeyboardInterrupt

    monkeypatch.setattr("research.shared.runner.outcomes", stop)
    assert call("--out", tmp_path) == 130
    kept = f"stopped; {after} of 4 throws are done, and the same command goes on from there"
    assert capsys.readouterr().err == f"research: {kept}\n"
    assert len(list(tmp_path.iterdir())) == (1 if after else 0)


def test_bad_arguments_have_code_2(tmp_path, capsys):
    assert call("--out", tmp_path, "--workers", 0) == 2
    assert "workers is at least 1" in capsys.readouterr().err
    for arguments in (
        ["experiment"],
        ["experiment", "nothing"],
        ["experiment", "coins", "--workers", "many"],
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        assert ended.value.code == 2


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda each: each.name)
def test_every_experiment_makes_a_study_of_its_options(experiment, tmp_path):
    parser = argparse.ArgumentParser()
    experiment.add_options(parser)
    options = ["--seeds", "1"] if "--seeds" in experiment.options else []
    options += ["--data", str(tmp_path)] if "--data" in experiment.options else []
    try:
        assert experiment.made(parser.parse_args(options)).jobs
    except FieldcraftError:
        assert "--data" in options
