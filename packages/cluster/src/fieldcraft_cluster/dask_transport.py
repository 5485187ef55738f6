"""Stores in the workers of a Dask cluster. The only file that imports Dask."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import FieldcraftError, InvalidValue, MissingLibrary
from fieldcraft.kernels import pool
from fieldcraft_cluster.plan import Box, Plan
from fieldcraft_cluster.store import Store, Stores, WorkerLost

__all__ = ["DaskStores", "array_of"]

_log = logging.getLogger("fieldcraft")
# seconds in which a cluster may replace a worker that died, and in which one that is well answers
_COMES_BACK = 15.0
_STARTS = 60.0  # seconds that a worker may take at least to import fieldcraft and to make its store
_LOOK = 0.2


class _WorkerStore(Store):
    """A store in a worker, with the threads of that worker."""

    def __init__(self, threads: int, *arguments: Any) -> None:
        pool.set_threads(threads)
        super().__init__(*arguments)


class DaskStores(Stores):
    """A store in each worker of a client, as a Dask actor: blocks stay where they are, and halos
    travel by way of the client.
    """

    can_be_lost = True

    def __init__(self, client: Any, timeout: float) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MissingLibrary("distributed", "cluster", "A world on workers") from None
        if not isinstance(client, Client):
            raise InvalidValue(
                "client is a dask.distributed.Client",
                got=repr(client),
                remedy='Pass Client("tcp://...") or Client(n_workers=2)',
            )
        super().__init__(0)
        self._client, self._timeout = client, timeout
        self._wanted = 0
        self._given_up: set[str] = set()
        self._homes: list[str] = []

    def open(self, folder: str, label: str, memory: float) -> None:
        """Have empty stores, one in each worker that answers."""
        self.close()
        workers = self._workers()
        self._wanted = max(self._wanted, len(workers))
        self._homes, self.count = list(workers), len(workers)
        made = [
            self._client.submit(
                _WorkerStore,
                threads,
                place,
                self.count,
                folder,
                label,
                memory,
                actor=True,
                workers=[home],
                pure=False,
                allow_other_workers=False,
            )
            for place, (home, threads) in enumerate(workers.items())
        ]
        limit = max(self._timeout, _STARTS)
        self.stores = [
            self._result(place, future.result, limit) for place, future in enumerate(made)
        ]

    def _workers(self) -> dict[str, int]:
        """Workers that answer, and their threads; waits a while for those that may come back."""
        until = time.monotonic() + (_COMES_BACK if self._wanted else self._timeout)
        while True:
            with contextlib.suppress(OSError, TimeoutError):
                found = self._answering()
                if len(found) >= max(self._wanted, 1) or (found and time.monotonic() > until):
                    return found
            if time.monotonic() > until:
                raise WorkerLost(
                    "none", f"no worker in {_COMES_BACK if self._wanted else self._timeout:g} s"
                )
            time.sleep(_LOOK)

    def _answering(self) -> dict[str, int]:
        """The workers that do a small task now, and their threads: the scheduler still knows of one
        that is stopped.
        """
        threads = {
            home: count
            for home, count in sorted(self._client.nthreads().items())
            if home not in self._given_up
        }
        asked = {
            home: self._client.submit(
                os.getpid, workers=[home], pure=False, allow_other_workers=False
            )
            for home in threads
        }
        until = time.monotonic() + min(self._timeout, _COMES_BACK)
        while time.monotonic() < until:
            known = self._client.nthreads()
            if all(task.done() or home not in known for home, task in asked.items()):
                break
            time.sleep(_LOOK / 10)
        return {home: threads[home] for home, task in asked.items() if task.status == "finished"}

    def each(self, verb: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """Call a verb of every store that has arguments, side by side."""
        told = self._tell(verb, arguments)
        return [
            None if future is None else self._result(place, future.result)
            for place, future in enumerate(told)
        ]

    def _tell(self, verb: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """The answers to come of the stores that have arguments, None for the others."""
        told: list[Any] = []
        for place, given in enumerate(arguments):
            told.append(
                None
                if given is None
                else self._result(
                    place, lambda p=place, g=given, **_: getattr(self.stores[p], verb)(*g)
                )
            )
        return told

    def _result(self, place: int, ask: Callable[..., Any], limit: float | None = None) -> Any:
        """The answer of a worker; raises `WorkerLost` where it is dead or takes longer than the
        limit, by default that of a superstep.
        """
        home = self._homes[place]
        seconds = self._timeout if limit is None else limit
        try:
            return ask(timeout=seconds)
        except FieldcraftError:
            raise
        except TimeoutError:
            self._give_up(home, seconds)
            raise WorkerLost(home, f"no answer in {seconds:g} s") from None
        except Exception as error:
            if _is_loss(error):
                _log.warning(
                    "worker %s was lost (%s); its part is done again", home, type(error).__name__
                )
                raise WorkerLost(home, f"{type(error).__name__}") from error
            raise

    def _give_up(self, home: str, seconds: float) -> None:
        """Do without a worker that hangs; where something watches over it, that starts it anew."""
        _log.warning(
            "worker %s did not answer in %g s and is given up; its part is done again",
            home,
            seconds,
        )
        self._given_up.add(home)
        with contextlib.suppress(Exception):
            self._client.restart_workers([home], timeout=_COMES_BACK, raise_for_error=False)


def _is_loss(error: Exception) -> bool:
    from asyncio import CancelledError

    from distributed import CancelledError as TaskCancelled
    from distributed.scheduler import KilledWorker

    lost = isinstance(error, (OSError, KilledWorker, TaskCancelled, CancelledError))
    return lost or (isinstance(error, (ValueError, RuntimeError)) and "Actor" in str(error))


def array_of(plan: Plan, values_in: Callable[[Box], NDArray[np.float32]]) -> Any:
    """A Dask array of a layer's values, a chunk a block."""
    try:
        import dask.array
        from dask import delayed
    except ImportError:
        raise MissingLibrary("dask", "cluster", "A Dask array") from None
    rows = [
        [
            dask.array.from_delayed(
                delayed(values_in)(plan.interior(i * plan.across + j)),
                plan.interior(i * plan.across + j).shape,
                np.float32,
            )
            for j in range(plan.across)
        ]
        for i in range(plan.down)
    ]
    return dask.array.block(rows)
