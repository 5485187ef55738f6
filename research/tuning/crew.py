"""A crew that stays: processes that take one batch of jobs after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing import connection
from typing import Protocol

from fieldcraft import set_threads
from research.experiments.study import Job, Row
from research.experiments.workers import Failure, Outcome, Worker, attempt, engage

__all__ = ["Crew", "Lone", "Processes", "crew_of"]


class Crew(Protocol):
    """Whoever runs jobs."""

    def results(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The outcomes of jobs, in their order."""
        ...

    def dismiss(self) -> None:
        """End it."""
        ...


class Lone:
    """Jobs in this process, one after the other."""

    def __init__(self, run: Callable[[Job], Row]) -> None:
        self._run = run

    def results(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The outcomes of jobs, in their order."""
        threads = set_threads(1)
        try:
            return [attempt(self._run, job) for job in jobs]
        finally:
            set_threads(threads)

    def dismiss(self) -> None:
        """Nothing is to be ended."""


class Processes:
    """Jobs in processes of their own, each with one thread; one that dies costs the job that it
    had, and is replaced.
    """

    def __init__(self, run: Callable[[Job], Row], workers: int) -> None:
        self._run, self._count = run, workers
        self._crew: list[Worker] = []

    def results(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The outcomes of jobs, in their order."""
        found: dict[int, Outcome] = {}
        pending = deque(enumerate(jobs))
        while len(self._crew) < min(self._count, len(jobs)):
            engage(self._crew, self._run)
        for worker in self._crew:
            if worker.begun and pending:
                worker.take(*pending.popleft())
        while len(found) < len(jobs):
            for line in connection.wait(
                [
                    worker.line
                    for worker in self._crew
                    if worker.index is not None or not worker.begun
                ]
            ):
                worker = next(each for each in self._crew if each.line is line)
                index, outcome = worker.index, worker.hear()
                if index is not None and outcome is not None:
                    found[index] = outcome
                if worker.lost:
                    self._crew.remove(worker)
                    worker.stop()
                    engage(self._crew, self._run)
                elif pending:
                    worker.take(*pending.popleft())
        return [found[index] for index in range(len(jobs))]

    def dismiss(self) -> None:
        """End all processes."""
        for worker in self._crew:
            worker.stop()
        self._crew.clear()


def crew_of(run: Callable[[Job], Row], workers: int) -> Crew:
    """A crew of so many processes; one works in this process."""
    return Lone(run) if workers == 1 else Processes(run, workers)


def good(outcomes: Sequence[Outcome]) -> list[Row]:
    """The rows among outcomes."""
    return [outcome for outcome in outcomes if not isinstance(outcome, Failure)]
