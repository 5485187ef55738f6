"""Running a study: its jobs side by side, its rows kept as they come, its files put in place when
all is done.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from fieldcraft import checks
from fieldcraft.errors import FieldcraftError, InvalidValue
from fieldcraft.progress import Progress
from research.experiments.journal import Journal
from research.experiments.outputs import write_outputs
from research.experiments.study import Job, Row, Study, Summary
from research.experiments.workers import Failure, Outcome, work

__all__ = ["Report", "cores", "run_study"]

MOST_WORKERS = 256


@dataclass(frozen=True)
class Report:
    """The report of a study: a row for each job that went well, in the order of the jobs, and their
    summary.

    `resumed` is how many rows came from an unfinished run, `took` the seconds of this one on
    `workers` processes; `files` are all written.
    """

    study: Study
    rows: tuple[Row, ...]
    summary: Summary
    failures: tuple[Failure, ...]
    resumed: int
    workers: int
    took: float
    files: tuple[Path, ...]


def run_study(
    study: Study,
    out: str | Path = "out",
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    progress: TextIO | None = None,
) -> Report:
    """Runs every job of a study and writes `NAME.csv`, `NAME.json` and `NAME.png` into the folder
    `out`, which is made if absent.

    Parameters
    ----------
    workers:
        how many processes, all cores if absent; with 1, or for a study that is `alone`, the jobs
        run in this one. The results don't depend on it.
    scheduler:
        the address of a Dask scheduler, tcp://..., on whose workers jobs run instead; they have
        this version of fieldcraft.
    fresh:
        whether to begin anew where an unfinished run lies in the folder. Otherwise its rows are
        kept and only the missing jobs run.
    progress:
        where a progress bar is drawn if it is a terminal.

    The rows lie in `NAME.unfinished.jsonl` until all jobs are done; then the three files take their
    places together. A job that fails is in `failures` with its arguments, and is missing from the
    rows; its file stays unfinished, so that the next run tries again. In a script, call this under
    `if __name__ == "__main__":`, since every process reads the script.

    Raises `InvalidValue` for bad arguments and an unfinished run that began with other code or
    settings, and `FieldcraftError` if not one job went well. Ctrl-C raises `KeyboardInterrupt` that
    says how far it got; the next run goes on from there.
    """
    count = cores() if workers is None else checks.whole("workers", workers, minimum=1)
    if count > MOST_WORKERS:
        raise InvalidValue(
            f"workers is at most {MOST_WORKERS}",
            got=f"workers={count}",
            remedy="Pass as many as there are cores",
        )
    count = 1 if study.alone else count
    if scheduler is not None and study.alone:
        raise InvalidValue(
            "Jobs that are timed run in this process",
            got=f"scheduler={scheduler!r}",
            remedy="Leave it out",
        )
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
    with Journal(folder / f"{study.name}.unfinished.jsonl", study, fresh=fresh) as journal:
        resumed = _done(study, journal)
        try:
            failures, count = _run_missing(study, journal, count, scheduler, progress)
            rows = tuple(row for job in study.jobs if (row := journal.row(job)) is not None)
            if not rows:
                raise FieldcraftError(
                    f"An experiment sums up {study.unit} that went well",
                    got=f"none of {len(study.jobs)}; the first failed with {failures[0].error}",
                    remedy=f"Its arguments were {dict(failures[0].job)}",
                )
            summary = study.summarise(rows)
            files = write_outputs(study, rows, summary, failures, folder)
        except KeyboardInterrupt:
            journal.reread()
            if not (done := _done(study, journal)):
                journal.discard()
                raise
            raise KeyboardInterrupt(
                f"stopped; {done} of {len(study.jobs)} {study.unit} are done, and the same command"
                " goes on from there"
            ) from None
        if not failures:
            journal.discard()
    return Report(
        study, rows, summary, failures, resumed, count, time.perf_counter() - begun, files
    )


def _done(study: Study, journal: Journal) -> int:
    return sum(journal.row(job) is not None for job in study.jobs)


def _run_missing(
    study: Study, journal: Journal, workers: int, scheduler: str | None, progress: TextIO | None
) -> tuple[tuple[Failure, ...], int]:
    """Run the jobs that have no row: those that failed, and on how many workers."""
    missing = [job for job in study.jobs if journal.row(job) is None]
    failures: dict[int, Failure] = {}
    done = 0
    with ExitStack() as stack:
        outcomes, workers = _outcomes(study, missing, workers, scheduler, progress, stack)
        bar = stack.enter_context(Progress(progress))
        for each in outcomes:
            if each is not None:
                index, outcome = each
                done += 1
                if isinstance(outcome, Failure):
                    failures[index] = outcome
                else:
                    journal.add(outcome)
            failed = f", {len(failures)} failed" if failures else ""
            bar.label = (
                f"{study.name}, {len(study.jobs) - len(missing) + done} of {len(study.jobs)}"
                f" {study.unit}{failed}"
            )
            bar.show(done / len(missing))
    return tuple(failures[index] for index in sorted(failures)), workers


def _outcomes(
    study: Study,
    jobs: list[Job],
    workers: int,
    scheduler: str | None,
    progress: TextIO | None,
    stack: ExitStack,
) -> tuple[Iterable[tuple[int, Outcome] | None], int]:
    """The outcomes of jobs as they end, here or on a scheduler, and how many workers there are;
    both end with the stack.
    """
    if scheduler is None:
        return stack.enter_context(closing(work(study.run, jobs, workers))), workers
    from research.experiments.dask_workers import DaskCrew

    crew = DaskCrew(study.run, scheduler)
    stack.callback(crew.dismiss)
    if progress is not None:
        print(f"dashboard: {crew.dashboard}", file=progress)
    return stack.enter_context(closing(crew.work(jobs))), crew.count


def cores() -> int:
    """How many processes a run takes if nobody says."""
    return min(
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        MOST_WORKERS,
    )
