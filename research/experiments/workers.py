"""Jobs side by side, in processes of their own."""

from __future__ import annotations

import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, resource_tracker

from fieldcraft import set_threads
from fieldcraft.errors import InvalidValue
from research.experiments.study import Job, Row, identity, plain

__all__ = ["Failure", "Outcome", "Worker", "attempt", "engage", "work"]

_PATIENCE = 5.0

Line = connection.Connection


@dataclass(frozen=True)
class Failure:
    """A job that came to nothing: its arguments, what was said, and the trace of calls if there is
    one.
    """

    job: Job
    error: str
    trace: str = ""

    def __str__(self) -> str:
        return f"{identity(self.job)}: {self.error}"


Outcome = Row | Failure


def work(
    run: Callable[[Job], Row], jobs: Sequence[Job], workers: int, *, tick: float = 0.5
) -> Generator[tuple[int, Outcome] | None]:
    """Runs all jobs and yields (index, outcome) of each as it ends, and None after `tick` seconds
    in which none did.

    With one worker they run in this process, one after the other; more are processes started afresh
    ("spawn"), with a job at a time each. In each of them fieldcraft uses one thread. A job that
    raises, or whose process dies, is a `Failure`, and the others go on. Closing the generator ends
    the processes at once; they leave Ctrl-C to this one.

    Raises `InvalidValue` where processes can't be started, or can't find `run`.
    """
    if workers == 1 or len(jobs) < 2:
        yield from _here(run, jobs)
    else:
        yield from _apart(run, jobs, min(workers, len(jobs)), tick)


def _here(run: Callable[[Job], Row], jobs: Sequence[Job]) -> Generator[tuple[int, Outcome]]:
    threads = set_threads(1)
    try:
        for index, job in enumerate(jobs):
            yield index, attempt(run, job)
    finally:
        set_threads(threads)


def _apart(
    run: Callable[[Job], Row], jobs: Sequence[Job], workers: int, tick: float
) -> Generator[tuple[int, Outcome] | None]:
    try:
        pickle.dumps(run)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise _not_found(str(error)) from None
    pending = deque(enumerate(jobs))
    crew: list[Worker] = []
    try:
        for _ in range(workers):
            engage(crew, run)
        while crew:
            ready = connection.wait([worker.line for worker in crew], tick)
            if not ready:
                yield None
            for worker in [worker for worker in crew if worker.line in ready]:
                index, outcome = worker.index, worker.hear()
                if index is not None and outcome is not None:
                    yield index, outcome
                if pending and worker.lost:
                    engage(crew, run)
                elif pending:
                    worker.take(*pending.popleft())
                if worker.index is None:
                    crew.remove(worker)
                    worker.dismiss()
    finally:
        for worker in crew:
            worker.stop()


def engage(crew: list[Worker], run: Callable[[Job], Row]) -> None:
    """Start a process, and have it in the crew."""
    with _deaf_to_ctrl_c():  # until it is in the crew, nobody would stop it
        crew.append(Worker(run))


class Worker:
    """A process and the line to it. `index` is that of the job in hand; `lost` says that the
    process has died.
    """

    def __init__(self, run: Callable[[Job], Row]) -> None:
        self.index: int | None = None
        self.lost = False
        self._job: Job = {}
        self.begun = False
        context = get_context("spawn")
        self.line, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs,), name="fieldcraft experiment", daemon=True
        )
        self._process.start()
        theirs.close()
        with suppress(OSError):  # a process that is gone already shows when it is heard
            self.line.send(run)

    def hear(self) -> Outcome | None:
        """The message of the process: the outcome of its job, or None when it is ready for the
        first.
        """
        try:
            said: Outcome | str | None = self.line.recv()
        except (EOFError, OSError):
            self.lost = True
            self._process.join(_PATIENCE)
            code = self._process.exitcode
            if not self.begun:
                raise InvalidValue(
                    "The processes of an experiment can start",
                    got=f"one that ended with code {code} before its first job",
                    remedy=(
                        'In a script, call under `if __name__ == "__main__":`, or use one worker'
                    ),
                ) from None
            said = Failure(self._job, f"its process ended with code {code}")
        if isinstance(said, str):
            raise _not_found(said)
        self.begun = True
        self.index = None
        return said

    def take(self, index: int, job: Job) -> None:
        """Give it a job."""
        self.index, self._job = index, job
        with suppress(OSError):
            self.line.send(job)

    def dismiss(self) -> None:
        """There is nothing more to do."""
        self.line.close()
        self._process.join(_PATIENCE)
        self.stop()

    def stop(self) -> None:
        """End the process whatever it does."""
        self.line.close()
        self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


def _not_found(said: str) -> InvalidValue:
    return InvalidValue(
        "run is a function that other processes can find",
        got=said,
        remedy="Define it at the top level of a module, or use one worker",
    )


def _serve(line: Line) -> None:
    """The loop of a process: it takes jobs until the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_threads(1)
    with suppress(EOFError, OSError):
        try:
            run = line.recv()
        except (AttributeError, ImportError) as error:
            line.send(f"{type(error).__name__}: {error}")
            return
        line.send(None)
        while True:
            job = line.recv()
            line.send(attempt(run, job))


def attempt(run: Callable[[Job], Row], job: Job) -> Outcome:
    """The row of a job, or its failure."""
    try:
        results = plain(run(job), "The results of a job")
        if twice := set(results) & set(job):
            raise InvalidValue(
                "Results have other names than arguments",
                got=", ".join(sorted(twice)),
                remedy="Rename them",
            )
    except Exception as error:
        return Failure(dict(job), f"{type(error).__name__}: {error}", traceback.format_exc())
    return {**job, **results}


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Put Ctrl-C off while a process is being started.

    The process inherits the mask: it would die with a trace of calls. The mask alone is not enough,
    since another thread of this process may take the signal, and Python raises in this one then,
    which would leave a process that waits for the rest of what it is told.
    """
    caught: list[int] = []
    handler = (
        signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread()
        else None
    )
    if handler is not None:
        signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    before = None
    try:
        resource_tracker.ensure_running()  # starting it unmasks Ctrl-C, so not later
        if hasattr(signal, "pthread_sigmask"):
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        if caught:
            signal.raise_signal(signal.SIGINT)
