"""Stores in the workers of a Dask cluster. The only file that imports Dask."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import FieldcraftError, InvalidValue, MissingLibrary
from fieldcraft.kernels.compiling import pool
from fieldcraft_cluster.partition import Box, Partition
from fieldcraft_cluster.store import Store, Stores, WorkerLost

_log = logging.getLogger("fieldcraft")
_RESTART_SECONDS = 15.0  # for the replacement of a worker, and for its answer to a small task
_START_SECONDS = 60.0  # the least limit for importing fieldcraft and creating a store
_POLL_SECONDS = 0.2


class _WorkerStore(Store):
    """A store in a worker, with the threads of that worker."""

    def __init__(self, threads: int, *arguments: Any) -> None:
        pool.set_threads(threads)
        super().__init__(*arguments)


class DaskStores(Stores):
    """A store in each worker of a client, as a Dask actor: blocks stay there, and halos go through
    the client.
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
        self._client = client
        self._timeout = timeout
        self._wanted = 0
        self._abandoned: set[str] = set()
        self._addresses: list[str] = []

    def open(self, folder: str, label: str, memory: float) -> None:
        """Create empty stores, one in each worker that answers."""
        self.close()
        workers = self._workers()
        self._wanted = max(self._wanted, len(workers))
        self._addresses = list(workers)
        self.count = len(workers)
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
                workers=[address],
                pure=False,
                allow_other_workers=False,
            )
            for place, (address, threads) in enumerate(workers.items())
        ]
        limit = max(self._timeout, _START_SECONDS)
        self.stores = [
            self._result(place, future.result, limit) for place, future in enumerate(made)
        ]

    def _workers(self) -> dict[str, int]:
        """Return the workers that answer, with their threads; wait for lost ones to restart."""
        if self._wanted:
            limit = _RESTART_SECONDS
        else:
            limit = self._timeout
        until = time.monotonic() + limit
        while True:
            with contextlib.suppress(OSError, TimeoutError):
                found = self._answering()
                if len(found) >= max(self._wanted, 1) or (found and time.monotonic() > until):
                    return found
            if time.monotonic() > until:
                raise WorkerLost("none", f"no worker in {limit:g} s")
            time.sleep(_POLL_SECONDS)

    def _answering(self) -> dict[str, int]:
        """Return the workers that finish a small task, with their threads. The scheduler still
        lists stopped ones.
        """
        threads = {
            address: count
            for address, count in sorted(self._client.nthreads().items())
            if address not in self._abandoned
        }
        tasks = {
            address: self._client.submit(
                os.getpid, workers=[address], pure=False, allow_other_workers=False
            )
            for address in threads
        }
        until = time.monotonic() + min(self._timeout, _RESTART_SECONDS)
        while time.monotonic() < until:
            known = self._client.nthreads()
            if all(task.done() or address not in known for address, task in tasks.items()):
                break
            time.sleep(_POLL_SECONDS / 10)
        return {
            address: threads[address]
            for address, task in tasks.items()
            if task.status == "finished"
        }

    def call(self, method: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """Call a method of every store that has arguments, in parallel."""
        futures = self._submit(method, arguments)
        found: list[Any] = []
        for place, future in enumerate(futures):
            if future is None:
                found.append(None)
            else:
                found.append(self._result(place, future.result))
        return found

    def _submit(self, method: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """Return the futures of the stores that have arguments, None for the others."""
        futures: list[Any] = []
        for place, given in enumerate(arguments):
            if given is None:
                futures.append(None)
            else:
                begin = partial(self._begin, place, method, given)
                futures.append(self._result(place, begin))
        return futures

    def _begin(self, place: int, method: str, given: tuple[Any, ...], *, timeout: float) -> Any:
        """Return the future of a call of a store; it is made at once, so no limit applies."""
        return getattr(self.stores[place], method)(*given)

    def _result(self, place: int, wait: Callable[..., Any], limit: float | None = None) -> Any:
        """Return the result of a worker; raises `WorkerLost` if it is dead or exceeds the limit, by
        default that of a superstep.
        """
        address = self._addresses[place]
        if limit is None:
            seconds = self._timeout
        else:
            seconds = limit
        try:
            return wait(timeout=seconds)
        except FieldcraftError:
            raise
        except TimeoutError:
            self._abandon(address, seconds)
            raise WorkerLost(address, f"no answer in {seconds:g} s") from None
        except Exception as error:
            if _is_loss(error):
                _log.warning(
                    "worker %s was lost (%s); its part is computed again",
                    address,
                    type(error).__name__,
                )
                raise WorkerLost(address, f"{type(error).__name__}") from error
            raise

    def _abandon(self, address: str, seconds: float) -> None:
        """Ignore a worker from now on, and try to restart it."""
        _log.warning(
            "worker %s did not answer in %g s and is abandoned; its part is computed again",
            address,
            seconds,
        )
        self._abandoned.add(address)
        with contextlib.suppress(Exception):
            self._client.restart_workers([address], timeout=_RESTART_SECONDS, raise_for_error=False)


def _is_loss(error: Exception) -> bool:
    from asyncio import CancelledError

    from distributed import CancelledError as TaskCancelled
    from distributed.scheduler import KilledWorker

    lost = isinstance(error, (OSError, KilledWorker, TaskCancelled, CancelledError))
    return lost or (isinstance(error, (ValueError, RuntimeError)) and "Actor" in str(error))


def array_of(partition: Partition, values_in: Callable[[Box], NDArray[np.float32]]) -> Any:
    """Return a Dask array of a layer's values, one chunk per block."""
    try:
        import dask.array
        from dask import delayed
    except ImportError:
        raise MissingLibrary("dask", "cluster", "A Dask array") from None
    rows = []
    for row in range(partition.down):
        chunks = []
        for column in range(partition.across):
            box = partition.interior(row * partition.across + column)
            values = delayed(values_in)(box)
            chunks.append(dask.array.from_delayed(values, box.shape, np.float32))
        rows.append(chunks)
    return dask.array.block(rows)
