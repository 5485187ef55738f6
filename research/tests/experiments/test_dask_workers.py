"""Experiments on a Dask scheduler: the same files as with processes here, and a worker that dies
costs its own jobs only.
"""

from __future__ import annotations

import io
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldcraft.errors import InvalidValue
from research.experiments.runner import run_study
from research.experiments.statistics import mean
from research.experiments.study import Job, Measure, Row, Study, Summary, number
from support.refusals import refused

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    with (
        dask.config.set(
            {"distributed.scheduler.allowed-failures": 1}
        ),  # each costs a worker, which is started anew
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster.scheduler_address


def squared(job: Job) -> Row:
    """Fails for 3, and for 5 takes its worker along."""
    seed = int(str(job["seed"]))
    if seed == 3:
        raise ValueError("three")
    if seed == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"value": seed * seed, "process": os.getpid() if seed < 0 else 0}


def summarise(rows: Any) -> Summary:
    return Summary(
        ("all",),
        ("square",),
        (Measure("value"),),
        {("all", "square", "value"): mean([number(row, "value") for row in rows])},
    )


def slow(job: Job) -> Row:
    """Says which process it runs in, and takes its time."""
    place = Path(str(job["place"]))
    (place / f"{os.getpid()}.process").touch()
    time.sleep(0.1)
    return {"value": int(str(job["seed"])) ** 2}


def study(seeds: list[int]) -> Study:
    return Study(
        "squares", "Squares", "squares", tuple({"seed": seed} for seed in seeds), squared, summarise
    )


def test_the_files_are_those_of_processes_here(scheduler: str, tmp_path: Path) -> None:
    here = run_study(study(list(range(6, 18))), tmp_path / "here", workers=1)
    there = run_study(study(list(range(6, 18))), tmp_path / "there", scheduler=scheduler)
    assert there.rows == here.rows and there.workers == 2
    for first, second in zip(here.files, there.files, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_what_fails_and_what_kills_is_named_and_the_others_go_on(
    scheduler: str, tmp_path: Path
) -> None:
    report = run_study(study([1, 2, 3, 4, 5, 6, 7]), tmp_path, scheduler=scheduler)
    assert [row["value"] for row in report.rows] == [1, 4, 16, 36, 49]
    assert [failure.job["seed"] for failure in report.failures] == [3, 5]
    assert "three" in report.failures[0].error and "KilledWorker" in report.failures[1].error
    assert (tmp_path / "squares.unfinished.jsonl").exists()


def test_a_worker_that_is_killed_costs_no_match_of_others(scheduler: str, tmp_path: Path) -> None:
    jobs = tuple({"seed": seed, "place": str(tmp_path)} for seed in range(24))
    killed: list[int] = []

    def kill() -> None:
        while len(found := list(tmp_path.glob("*.process"))) < 2:
            time.sleep(0.01)
        killed.append(int(found[0].stem))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    said = io.StringIO()
    report = run_study(
        Study("slow", "Slow squares", "squares", jobs, slow, summarise),
        tmp_path,
        scheduler=scheduler,
        progress=said,
    )
    killer.join()
    assert killed and not report.failures
    assert [row["value"] for row in report.rows] == [seed**2 for seed in range(24)]
    assert "dashboard: http://" in said.getvalue()


def test_refusals(scheduler: str, tmp_path: Path) -> None:
    with refused(InvalidValue, "top level"):
        run_study(
            Study(
                "squares", "Squares", "squares", ({"seed": 1},), lambda job: {"value": 1}, summarise
            ),
            tmp_path,
            scheduler=scheduler,
        )
    with refused(InvalidValue, "dask scheduler"):
        run_study(study([1]), tmp_path, scheduler="nowhere:1")
