"""Jobs on the workers of a Dask scheduler. The only file of the worlds that imports Dask."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Sequence
from typing import Any

from fieldcraft import set_threads
from fieldcraft.errors import FieldcraftError, InvalidValue, MissingLibrary
from research.experiments.study import Job, Row
from research.experiments.workers import Failure, Outcome, attempt

__all__ = ["DaskCrew"]

_PATIENCE = 30.0  # seconds in which a scheduler answers


def _serve(job: Job, run: Callable[[Job], Row]) -> Outcome:
    """One job in a worker, with one thread."""
    threads = set_threads(1)
    try:
        return attempt(run, job)
    finally:
        set_threads(threads)


class DaskCrew:
    """The workers of a scheduler, which must have this version of fieldcraft.

    A job whose worker dies is begun again on another; one that kills worker after worker is a
    `Failure`, and the others go on.

    Raises `MissingLibrary` without `distributed`, and `InvalidValue` where no scheduler answers.
    """

    def __init__(self, run: Callable[[Job], Row], scheduler: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MissingLibrary("distributed", "cluster", "An experiment on a scheduler") from None
        try:
            pickle.dumps(run)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InvalidValue(
                "run is a function that other processes can find",
                got=str(error),
                remedy="Define it at the top level of a module",
            ) from None
        self._run = run
        try:
            self._client: Any = Client(scheduler, timeout=_PATIENCE)
        except (OSError, ValueError, TypeError) as error:
            raise InvalidValue(
                "A scheduler answers at its address",
                got=f"{scheduler!r}: {error}"[:160],
                remedy="Start `dask scheduler`, and pass its tcp://...",
            ) from None
        if not self._client.nthreads():
            self._client.close()
            raise InvalidValue(
                "A scheduler has workers",
                got=f"none at {scheduler}",
                remedy=f"Start `dask worker {scheduler}`",
            )

    @property
    def count(self) -> int:
        """How many jobs run side by side."""
        return sum(self._client.nthreads().values())

    @property
    def dashboard(self) -> str:
        """The address of the page that shows what workers do."""
        return str(self._client.dashboard_link)

    def work(self, jobs: Sequence[Job]) -> Generator[tuple[int, Outcome]]:
        """Run all jobs and yield (index, outcome) of each as it ends; closing the generator takes
        back those that have not begun.
        """
        from distributed import KilledWorker, as_completed

        futures = self._client.map(_serve, [dict(job) for job in jobs], run=self._run, pure=False)
        places = {future.key: index for index, future in enumerate(futures)}
        blamed: dict[int, BaseException] = {}
        try:
            for future in as_completed(futures):
                index = places[future.key]
                error = future.exception()
                if isinstance(error, KilledWorker):
                    blamed[index] = error
                else:
                    yield index, self._outcome(jobs[index], future, error)
                future.release()
        finally:
            self._client.cancel(futures)
        for (
            index,
            error,
            # who kills is always blamed; of several some may be blamed for another: now each is
            # alone
        ) in blamed.items():
            if len(blamed) == 1:
                yield index, self._outcome(jobs[index], None, error)
            else:
                future = self._client.submit(_serve, dict(jobs[index]), run=self._run, pure=False)
                yield index, self._outcome(jobs[index], future, future.exception())

    def _outcome(self, job: Job, future: Any, error: BaseException | None) -> Outcome:
        found: Outcome = (
            Failure(dict(job), f"{type(error).__name__}: {error}")
            if error is not None
            else future.result()
        )
        return found

    def results(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The outcomes of jobs, in their order."""
        found = dict(self.work(jobs))
        if len(found) < len(jobs):
            raise FieldcraftError(
                "A scheduler runs all jobs",
                got=f"{len(found)} of {len(jobs)}",
                remedy="Look at its log",
            )
        return [found[index] for index in range(len(jobs))]

    def dismiss(self) -> None:
        """Let the scheduler go; it and its workers stay."""
        self._client.close()
