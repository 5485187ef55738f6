"""Run a study: jobs in parallel, rows saved at once, files written at the end."""

from __future__ import annotations

import csv
import hashlib
import json
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.base.progress import Progress
from research.shared.jobs import Failure, code_digest, cores, outcomes
from research.shared.outputs import write_outputs
from research.shared.study import Job, Row, Study, Summary, identity, plain

MOST_WORKERS = 256


@dataclass(frozen=True)
class Report:
    """The report of a study: a row for each job that succeeded, in the order of the jobs, and
    their summary.

    `resumed` is the number of rows from an unfinished run, `took` the seconds of this one on
    `workers` processes; `files` are all files.
    """

    study: Study
    rows: tuple[Row, ...]
    summary: Summary
    failures: tuple[Failure, ...]
    resumed: int
    workers: int
    took: float
    files: tuple[Path, ...]


class FinishedRows:
    """A CSV file of finished rows, to continue an interrupted run.

    Rows of other code or settings, and truncated lines, are skipped: their jobs run again.
    """

    def __init__(self, path: Path, settings: Row, *, fresh: bool = False) -> None:
        self.path = path
        text = json.dumps([code_digest(), np.__version__, dict(settings)])
        self._code = hashlib.sha256(text.encode()).hexdigest()[:12]
        self._rows: dict[str, Row] = {}
        if fresh:
            path.unlink(missing_ok=True)
        if path.exists():
            with path.open(encoding="utf-8", errors="replace", newline="") as file:
                for line in csv.reader(file):
                    self._read(line)

    def _read(self, line: list[str]) -> None:
        if len(line) == 3 and line[0] == self._code:
            try:
                self._rows[line[1]] = plain(json.loads(line[2]), "A row")
            except (ValueError, FieldcraftError):
                return

    def of(self, job: Job) -> Row | None:
        """Return the row of a job that is done."""
        return self._rows.get(identity(job))

    def add(self, job: Job, row: Row) -> None:
        """Append a row to the file."""
        with self.path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow([self._code, identity(job), json.dumps(dict(row))])
        self._rows[identity(job)] = row

    def discard(self) -> None:
        """Delete the file."""
        self.path.unlink(missing_ok=True)


def run_study(
    study: Study,
    out: str | Path = "out",
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    progress: TextIO | None = None,
) -> Report:
    """Run every job of a study and write `NAME.csv`, `NAME.json` and `NAME.png` into a folder.

    Finished rows are stored in `NAME.unfinished.csv` until all jobs are done; an interrupted run
    continues from there, and runs failed jobs again. In a script, call this under `if __name__ ==
    "__main__":`, because every process imports the script.

    Ctrl-C raises `KeyboardInterrupt` with the number of finished jobs.

    Parameters
    ----------
    out : str or Path, optional
        The folder, made if absent.
    workers : int, optional
        The number of processes, by default all cores; with 1 the jobs run in this process. The
        results do not depend on it.
    scheduler : str, optional
        The address of a Dask scheduler, tcp://..., to run jobs on its workers; they need this
        version of fieldcraft.
    fresh : bool, optional
        Whether to discard an unfinished run in the folder.
    progress : TextIO, optional
        A terminal for a progress bar.

    Raises
    ------
    InvalidValue
        For bad arguments.
    FieldcraftError
        If no job succeeded.
    """
    if workers is None:
        wanted = cores()
    else:
        wanted = workers
    count = checks.integer("workers", wanted, minimum=1, maximum=MOST_WORKERS)
    begun = time.perf_counter()
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidValue(
            "The output folder can be written",
            got=f"{folder}: {error.strerror or error}",
            remedy="Choose another with --out",
        ) from None
    finished = FinishedRows(folder / f"{study.name}.unfinished.csv", study.settings, fresh=fresh)
    resumed = sum(finished.of(job) is not None for job in study.jobs)
    try:
        failures = _run_missing(study, finished, count, scheduler, progress)
    except KeyboardInterrupt:
        done = sum(finished.of(job) is not None for job in study.jobs)
        raise KeyboardInterrupt(
            f"stopped; {done} of {len(study.jobs)} {study.unit} are done, and the same command"
            " goes on from there"
        ) from None
    rows = tuple(row for job in study.jobs if (row := finished.of(job)) is not None)
    if not rows:
        raise FieldcraftError(
            f"An experiment sums up {study.unit} that went well",
            got=f"none of {len(study.jobs)}; the first failed with {failures[0].error}",
            remedy=f"Its arguments were {dict(failures[0].job)}",
        )
    summary = study.summarise(rows)
    files = write_outputs(study, rows, summary, failures, folder)
    if not failures:
        finished.discard()
    took = time.perf_counter() - begun
    return Report(study, rows, summary, failures, resumed, count, took, files)


def _run_missing(
    study: Study,
    finished: FinishedRows,
    workers: int,
    scheduler: str | None,
    progress: TextIO | None,
) -> tuple[Failure, ...]:
    """Run the jobs without a row; return the failures."""
    missing = [job for job in study.jobs if finished.of(job) is None]
    failures: dict[int, Failure] = {}
    running = outcomes(study.run, missing, workers, scheduler)
    with closing(running), Progress(progress) as bar:
        for done, (number, outcome) in enumerate(running, 1):
            if isinstance(outcome, Failure):
                failures[number] = outcome
            else:
                finished.add(missing[number], outcome)
            if failures:
                failed = f", {len(failures)} failed"
            else:
                failed = ""
            bar.label = (
                f"{study.name}, {len(study.jobs) - len(missing) + done} of {len(study.jobs)}"
                f" {study.unit}{failed}"
            )
            bar.show(done / len(missing))
    return tuple(failures[number] for number in sorted(failures))
