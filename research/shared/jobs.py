"""Parallel jobs: in this process, in other processes by joblib, or on a Dask scheduler."""

from __future__ import annotations

import ctypes
import gc
import hashlib
import os
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fieldcraft import set_threads
from fieldcraft.base.errors import FieldcraftError, InvalidValue, MissingLibrary
from research.shared.study import Job, Row, identity, plain

_PATIENCE = 30.0  # seconds in which a scheduler answers


@dataclass(frozen=True)
class Failure:
    """A job that failed: its arguments, the error, and the traceback."""

    job: Job
    error: str
    trace: str = ""

    def __str__(self) -> str:
        return f"{identity(self.job)}: {self.error}"


Outcome = Row | Failure


def outcomes(
    run: Callable[[Job], Row], jobs: Sequence[Job], workers: int, scheduler: str | None = None
) -> Generator[tuple[int, Outcome]]:
    """Run all jobs and yield the number and the outcome of each as it ends.

    With one worker they run in this process. A job that raises is a `Failure`, and the others
    continue. fieldcraft uses one thread in each. Raises `FieldcraftError` where a process dies.
    """
    if scheduler is None and (workers == 1 or len(jobs) < 2):
        for number, job in enumerate(jobs):
            yield _attempt(run, number, job)
        return
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with ExitStack() as stack:
        if scheduler is not None:
            stack.enter_context(_client(scheduler))
        stack.enter_context(parallel_config("loky" if scheduler is None else "dask"))
        parallel = Parallel(n_jobs=workers, return_as="generator_unordered")
        try:
            yield from parallel(delayed(_attempt)(run, *each) for each in enumerate(jobs))
        except TerminatedWorkerError as error:
            raise FieldcraftError(
                "The processes of an experiment run until the end",
                got=f"one that died: {error}"[:200],
                remedy="Run the same command again: finished rows are kept",
            ) from None


def _attempt(run: Callable[[Job], Row], number: int, job: Job) -> tuple[int, Outcome]:
    """Return the number of a job, and its row or its failure."""
    threads = set_threads(1)
    gc.freeze()  # what was there before the job is not searched for garbage after it
    try:
        results = plain(run(job), "The results of a job")
        if twice := set(results) & set(job):
            raise InvalidValue(
                "Results have other names than arguments",
                got=", ".join(sorted(twice)),
                remedy="Rename them",
            )
    except Exception as error:
        return number, Failure(
            dict(job), f"{type(error).__name__}: {error}", traceback.format_exc()
        )
    finally:
        set_threads(threads)
        _trim()
        gc.unfreeze()
    return number, {**job, **results}


def _trim() -> None:
    """Collect garbage, and return free memory of the allocator to Linux: without this a process
    that plays many matches on 512 x 512 grows to three times its use.
    """
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _client(scheduler: str) -> Any:
    """Return a client of a Dask scheduler; its workers need this version of fieldcraft."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingLibrary("distributed", "cluster", "An experiment on a scheduler") from None
    try:
        return Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise InvalidValue(
            "A scheduler answers at its address",
            got=f"{scheduler!r}: {error}"[:160],
            remedy="Start `dask scheduler`, and pass its tcp://...",
        ) from None


def cores() -> int:
    """Return the default number of processes of a run."""
    affinity = getattr(os, "sched_getaffinity", None)
    if affinity:
        return len(affinity(0))
    return os.cpu_count() or 1


@cache
def code_digest() -> str:
    """Return a digest of twelve letters of the source of fieldcraft and its worlds."""
    import fieldcraft
    import fieldcraft_worlds

    digest = hashlib.sha256()
    for package in (fieldcraft, fieldcraft_worlds):
        home = Path(str(package.__file__)).parent
        for path in sorted(home.rglob("*.py"), key=lambda path: path.relative_to(home).as_posix()):
            name = path.relative_to(home.parent).as_posix().encode()
            digest.update(name + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
