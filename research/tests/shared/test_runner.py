from __future__ import annotations

import csv
import json
import resource
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft.base.errors import FieldcraftError, InvalidValue
from research.shared import Study, run_study, runner
from research.shared.jobs import outcomes
from research.shared.study import Job, Row
from support import sample_study
from support.sample_study import study


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_files_do_not_depend_on_the_number_of_workers(tmp_path):
    for workers in (1, 2, 3):
        report = run_study(study("plain", "slow"), tmp_path / str(workers), workers=workers)
        assert [path.name for path in report.files] == ["coins.csv", "coins.json", "coins.png"]
        assert report.failures == ()
    first, *others = (contents(tmp_path / str(workers)) for workers in (1, 2, 3))
    assert set(first) == {"coins.csv", "coins.json", "coins.png"}
    assert others == [first, first]


def test_every_row_holds_arguments_and_results(tmp_path):
    report = run_study(study("plain", seeds=3), tmp_path, workers=2)
    with (tmp_path / "coins.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["0", "1", "2"]
    assert list(rows[0]) == ["kind", "seed", "heads", "sum", "threads", "note"]
    assert [float(row["sum"]) for row in rows] == [row["sum"] for row in report.rows]
    assert {row["heads"] for row in rows} <= {"true", "false"}
    assert {(row["threads"], row["note"]) for row in rows} == {("1", "")}


def test_the_summary_is_written_with_its_intervals(tmp_path):
    report = run_study(study("plain", "slow", salt=3), tmp_path, workers=1)
    document = json.loads((tmp_path / "coins.json").read_text())
    assert document["settings"] == {"salt": 3}
    assert (document["jobs"], document["finished"], document["failures"]) == (8, 8, [])
    assert document["notes"] == ["Coins are fair"]
    found = document["found"][0]
    interval = report.summary.found["plain", "coin", "heads"]
    assert (found["group"], found["measure"], found["low"], found["high"]) == (
        "plain",
        "heads",
        interval.low,
        interval.high,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_process_that_plays_many_matches_does_not_grow() -> None:
    def play(job: Job) -> Row:
        match: dict[str, Any] = {"layers": [np.ones(2**18, np.float32) for _ in range(40)]}
        match["itself"] = match
        return {"count": len(match)}

    pages = [
        int(Path("/proc/self/statm").read_text().split()[1])
        for _ in outcomes(play, [{"seed": seed} for seed in range(8)], workers=1)
    ]
    assert (pages[-1] - pages[0]) * resource.getpagesize() < 60e6


@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_is_reported_and_the_others_go_on(tmp_path, workers):
    kinds = ["fails", "plain", "odd"]
    report = run_study(study(*kinds, seeds=2), tmp_path, workers=workers)
    assert [row["kind"] for row in report.rows] == ["plain"] * 2
    errors = {
        (failure.job["kind"], failure.job["seed"]): failure.error for failure in report.failures
    }
    assert len(errors) == 2 * (len(kinds) - 1)
    assert errors["fails", 1] == "ValueError: seed 1 has no luck"
    assert "sum=nan" in errors["odd", 0]
    assert 'seed": 1}: ValueError' in str(report.failures[-3])
    failures = json.loads((tmp_path / "coins.json").read_text())["failures"]
    assert [failure["arguments"]["kind"] for failure in failures][-4:] == [
        "fails",
        "fails",
        "odd",
        "odd",
    ]
    # What is missing is tried again, what is there is not run twice.
    again = run_study(study(*kinds, seeds=2), tmp_path, workers=workers)
    assert again.resumed == 2
    assert (again.rows, [f.job for f in again.failures]) == (
        report.rows,
        [f.job for f in report.failures],
    )


def test_no_success_at_all_is_an_error(tmp_path):
    with pytest.raises(
        FieldcraftError, match=r"none of 4; the first failed with ValueError: seed 0 has no luck"
    ) as refused:
        run_study(study("fails"), tmp_path, workers=1)
    assert "'seed': 0" in str(refused.value)


def interrupted(folder: Path, lines: int = 3) -> bytes:
    """Leaves an unfinished run of `lines` rows; answers the CSV of a finished one."""
    run_study(study("plain", "slow"), folder / "whole", workers=1)
    made = study("plain", "slow")
    folder.joinpath("part").mkdir()
    kept = runner.FinishedRows(folder / "part" / "coins.unfinished.csv", made.settings)
    for job in made.jobs[:lines]:
        kept.add(job, {**job, **sample_study.throw(job), "threads": 1})
    return (folder / "whole" / "coins.csv").read_bytes()


def test_an_interrupted_run_goes_on_and_ends_alike(tmp_path):
    whole = interrupted(tmp_path)
    report = run_study(study("plain", "slow"), tmp_path / "part", workers=2)
    assert report.resumed == 3
    assert contents(tmp_path / "part") == contents(tmp_path / "whole")
    assert (tmp_path / "part" / "coins.csv").read_bytes() == whole


def test_what_a_kill_cut_off_is_run_again(tmp_path):
    whole = interrupted(tmp_path)
    path = tmp_path / "part" / "coins.unfinished.csv"
    path.write_bytes(path.read_bytes()[:-20] + b"\xff[[")
    assert run_study(study("plain", "slow"), tmp_path / "part", workers=1).resumed == 2
    assert (tmp_path / "part" / "coins.csv").read_bytes() == whole


def test_ctrl_c_keeps_the_rows_that_are_done(tmp_path):
    thrown = []

    def throw(job):
        if len(thrown) == 2:
            raise KeyboardInterrupt
        thrown.append(job)
        return sample_study.throw(job)

    stopped = replace(study("plain"), run=throw)
    with pytest.raises(KeyboardInterrupt, match="stopped; 2 of 4 throws"):
        run_study(stopped, tmp_path, workers=1)
    assert run_study(study("plain"), tmp_path, workers=1).resumed == 2


def test_finished_files_stay_until_the_next_run_is_complete(tmp_path):
    run_study(study("plain"), tmp_path, workers=1)
    before = contents(tmp_path)
    broken = replace(study("plain", seeds=5), summarise=lambda rows: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_study(broken, tmp_path, workers=1)
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"coins.unfinished.csv"}


def job(**values: object) -> dict[str, object]:
    return values


@pytest.mark.parametrize(
    ("jobs", "says"),
    [
        ([], "has things to run"),
        ([job(a=1), job(b=1)], "same arguments"),
        ([job(a=1), job(a=2), job(a=1)], "alike"),
        ([job(a=[1])], "finite numbers"),
        ([job(a=float("inf"))], "finite numbers"),
        ([[1]], "same arguments|by name"),
        ([{1: 2}], "have names"),
    ],
)
def test_jobs_that_are_refused(jobs, says):
    with pytest.raises(InvalidValue, match=says):
        Study("x", "X", "things", tuple(jobs), sample_study.throw, sample_study.summarise)


def test_other_things_that_are_refused(tmp_path):
    with pytest.raises(InvalidValue, match="workers is at least 1"):
        run_study(study("plain"), tmp_path, workers=0)
    with pytest.raises(InvalidValue, match="at most 256"):
        run_study(study("plain"), tmp_path, workers=1000)
    tmp_path.joinpath("file").write_text("")
    with pytest.raises(InvalidValue, match="--out"):
        run_study(study("plain"), tmp_path / "file" / "deeper", workers=1)
    assert (
        run_study(
            replace(study("plain"), jobs=({"kind": "plain", "seed": 1},)),
            tmp_path / "np",
            workers=1,
        ).rows[0]["seed"]
        == 1
    )


def test_groups_that_are_numbers_become_curves(tmp_path):
    def over(*groups: str) -> Study:
        made = study(*groups)
        return replace(
            made, summarise=lambda rows: replace(sample_study.summarise(rows), axis="coins")
        )

    report = run_study(over("1", "2", "4"), tmp_path, workers=1)
    assert report.summary.places() == [1, 2, 4]
    assert (tmp_path / "coins.png").exists()
    with pytest.raises(InvalidValue, match="axis are numbers"):
        run_study(over("many"), tmp_path, workers=1)
