from __future__ import annotations

import _thread
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import types
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fieldcraft.errors import FieldcraftError, InvalidValue
from fieldcraft.kernels import pool
from research.experiments import Study, run_study
from research.experiments import journal as journals
from support import sample_study
from support.sample_study import study

TESTS = Path(__file__).resolve().parents[3] / "tests"


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


def test_one_worker_gives_the_threads_back(tmp_path):
    before = pool.threads()
    pool.set_threads(5)
    try:
        run_study(study("plain"), tmp_path, workers=1)
        assert pool.threads() == 5
    finally:
        pool.set_threads(before)


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


@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_is_reported_and_the_others_go_on(tmp_path, workers):
    kinds = ["dies"] * (workers > 1) + ["fails", "plain", "odd"]
    report = run_study(study(*kinds, seeds=2), tmp_path, workers=workers)
    assert [row["kind"] for row in report.rows] == ["plain"] * 2
    errors = {
        (failure.job["kind"], failure.job["seed"]): failure.error for failure in report.failures
    }
    assert len(errors) == 2 * (len(kinds) - 1)
    assert errors["fails", 1] == "ValueError: seed 1 has no luck"
    assert "sum=nan" in errors["odd", 0]
    if workers > 1:
        assert errors["dies", 0] == "its process ended with code 7"
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
    with journals.Journal(folder / "part" / "coins.unfinished.jsonl", made) as journal:
        for job in made.jobs[:lines]:
            journal.add({**job, **sample_study.throw(job), "threads": 1})
    return (folder / "whole" / "coins.csv").read_bytes()


def test_an_interrupted_run_goes_on_and_ends_alike(tmp_path):
    whole = interrupted(tmp_path)
    report = run_study(study("plain", "slow"), tmp_path / "part", workers=2)
    assert report.resumed == 3
    assert contents(tmp_path / "part") == contents(tmp_path / "whole")
    assert (tmp_path / "part" / "coins.csv").read_bytes() == whole


def test_more_seeds_may_be_asked_of_an_interrupted_run(tmp_path):
    interrupted(tmp_path)
    report = run_study(study("plain", seeds=7), tmp_path / "part", workers=1)
    assert (report.resumed, len(report.rows)) == (3, 7)


def test_what_a_kill_cut_off_is_run_again(tmp_path):
    whole = interrupted(tmp_path)
    path = tmp_path / "part" / "coins.unfinished.jsonl"
    path.write_bytes(path.read_bytes()[:-20] + b"\xff[[")
    assert run_study(study("plain", "slow"), tmp_path / "part", workers=1).resumed == 2
    assert (tmp_path / "part" / "coins.csv").read_bytes() == whole


def test_an_interrupted_run_goes_on_only_with_the_same_code_and_settings(tmp_path, monkeypatch):
    interrupted(tmp_path)
    with pytest.raises(InvalidValue, match="differs in: settings"):
        run_study(study("plain", "slow", salt=1), tmp_path / "part", workers=1)
    monkeypatch.setattr(journals, "code_digest", lambda: "another")
    with pytest.raises(InvalidValue, match=r"differs in: code\. Pass --fresh"):
        run_study(study("plain", "slow"), tmp_path / "part", workers=1)
    assert run_study(study("plain", "slow"), tmp_path / "part", workers=1, fresh=True).resumed == 0


def test_ctrl_c_while_a_row_is_written_counts_those_that_are(tmp_path, monkeypatch):
    dumps, written = json.dumps, []

    def interrupted(value: object, **options: object) -> str:
        if "heads" in value:
            written.append(value)
            if len(written) == 3:
                raise KeyboardInterrupt
        return dumps(value, **options)

    monkeypatch.setattr(journals.json, "dumps", interrupted)
    with pytest.raises(KeyboardInterrupt, match="stopped; 2 of 4 throws"):
        run_study(study("plain"), tmp_path, workers=1)
    assert run_study(study("plain"), tmp_path, workers=1).resumed == 2


@pytest.mark.parametrize("text", ["", "no json", "[1]", "{}", "[" * 100_000])
def test_a_damaged_file_of_an_interrupted_run_is_refused(tmp_path, text):
    tmp_path.joinpath("coins.unfinished.jsonl").write_text(text)
    with pytest.raises(InvalidValue, match="begin anew"):
        run_study(study("plain"), tmp_path, workers=1)
    assert run_study(study("plain"), tmp_path, workers=1, fresh=True).resumed == 0


def test_finished_files_stay_until_the_next_run_is_complete(tmp_path):
    run_study(study("plain"), tmp_path, workers=1)
    before = contents(tmp_path)
    broken = replace(study("plain", seeds=5), summarise=lambda rows: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_study(broken, tmp_path, workers=1)
    after = contents(tmp_path)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"coins.unfinished.jsonl"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_counts_jobs_and_failures(tmp_path):
    terminal = Terminal()
    run_study(study("slow", "fails", "slow2", seeds=1), tmp_path, workers=1, progress=terminal)
    assert "coins, 1 of 3 throws [" in terminal.getvalue()


SCRIPT = """
import signal
import sys
sys.path.insert(0, {tests!r})
from support.sample_study import study
from research.experiments import run_study

def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background of a shell ignores it
    try:
        run_study(study("slow", seeds=200), {out!r}, workers=2)
    except KeyboardInterrupt as stopped:
        print(stopped)

{guard}main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("after", [0, 2])
def test_ctrl_c_stops_cleanly_and_keeps_what_is_done(tmp_path, after):
    psutil = pytest.importorskip("psutil")

    def goes_on(child) -> bool:
        with suppress(psutil.NoSuchProcess):
            return child.is_running() and child.status() != psutil.STATUS_ZOMBIE
        return False

    script = tmp_path / "script.py"
    script.write_text(
        SCRIPT.format(
            tests=str(TESTS), out=str(tmp_path / "out"), guard='if __name__ == "__main__": '
        )
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    path = tmp_path / "out" / "coins.unfinished.jsonl"
    until = time.monotonic() + 240
    # The rows stand under one line; two workers and a helper of Python's are there before the first
    # of them.
    while (
        not (path.exists() and path.read_bytes().count(b"\n") > after)
        or len(psutil.Process(process.pid).children()) < 3
    ):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    children = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to all processes of the command
    out, err = process.communicate(timeout=120)
    assert err == ""
    done = path.read_bytes().count(b"\n") - 1 if path.exists() else 0
    assert done >= after
    assert out == (
        f"stopped; {done} of 200 throws are done, and the same command goes on from there\n"
        if done
        else "\n"
    )
    until = time.monotonic() + 60
    while any(map(goes_on, children)):
        assert time.monotonic() < until
        time.sleep(0.02)


def test_ctrl_c_while_a_process_is_being_started_waits_until_it_is_told_all(
    tmp_path, monkeypatch, capfd
):
    """Another thread may take the signal whatever this one masks: Python then raises here, between
    any two steps.
    """
    popen = pytest.importorskip("multiprocessing.popen_spawn_posix")
    spawn, begun = popen.util.spawnv_passfds, []

    def interrupted(*arguments: object) -> int:
        begun.append(spawn(*arguments))
        if "spawn_main" in str(arguments):  # and not a helper of Python's
            _thread.interrupt_main()
        return begun[-1]

    monkeypatch.setattr(popen.util, "spawnv_passfds", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_study(study("slow", seeds=20), tmp_path, workers=2)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    with suppress(ChildProcessError):
        os.waitpid(begun[-1], 0)
    assert capfd.readouterr().err == ""


def test_a_script_without_a_guard_is_told_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(tests=str(TESTS), out=str(tmp_path / "out"), guard=""))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert '`if __name__ == "__main__":`' in done.stderr.splitlines()[-1]


def test_a_function_that_other_processes_cannot_find_is_named(tmp_path, monkeypatch):
    fleeting = types.ModuleType("fleeting")
    exec("def run(job): return {}", fleeting.__dict__)
    monkeypatch.setitem(sys.modules, "fleeting", fleeting)
    with pytest.raises(InvalidValue, match=r"other processes can find\. Got ModuleNotFoundError"):
        run_study(replace(study("plain"), run=fleeting.run), tmp_path, workers=2)


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
    with pytest.raises(InvalidValue, match="top level of a module, or use one worker"):
        run_study(replace(study("plain"), run=lambda job: {}), tmp_path, workers=2)
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


def test_numpys_numbers_become_plain(tmp_path):
    report = run_study(replace(study("plain"), run=numpy_result), tmp_path, workers=1)
    assert type(report.rows[0]["sum"]) is float
    assert type(report.rows[0]["heads"]) is bool


def numpy_result(job):
    return {"sum": np.float64(2.5), "heads": np.bool_(True)}
