"""The library's own threads.

Kernels release Python's lock, so plain threads run them side by side. Numba's own parallel loops
are not used: its thread layers abort or kill the host program in common cases (two Python threads
entering one, a fork).
"""

from __future__ import annotations

import itertools
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

from fieldcraft import kernels

__all__ = ["bands", "run", "set_threads", "shares", "threads"]

Call = tuple[Callable[..., Any], tuple[Any, ...]]


class _Worker:
    """A thread that makes calls. A call can be withdrawn until it begins."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Call] = queue.SimpleQueue()
        self._errors: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="fieldcraft", daemon=True).start()

    def begin(self, call: Call) -> None:
        """Make a call in the thread, once it is free."""
        self._calls.put(call)

    def withdraw(self) -> bool:
        """Withdraw the call; return whether it had not begun."""
        try:
            self._calls.get_nowait()
        except queue.Empty:
            return False
        return True

    def finish(self) -> BaseException | None:
        """Wait for the end of the call; return the error that it raised, if any."""
        return self._errors.get()

    def _work(self) -> None:
        """Make the calls that arrive, one after the other."""
        while True:
            function, arguments = self._calls.get()
            try:
                function(*arguments)
            except BaseException as error:
                self._errors.put(error)
            else:
                self._errors.put(None)
            del function, arguments


_lock = threading.Lock()
_count = os.cpu_count() or 1
_workers: list[_Worker] = []


def threads() -> int:
    """Return the number of threads that kernels may use, the calling one included."""
    return _count


def set_threads(count: int) -> None:
    """Set the number of threads that kernels may use, the calling one included. Results do not
    depend on it.
    """
    global _count
    _count = count


def shares(most: int) -> int:
    """Return the number of parts for work that is worth at most `most` threads: 1 if kernels are
    not compiled.
    """
    return max(1, min(_count, most)) if most > 1 and kernels.compiled() else 1


def bands(count: int, most: int, align: int = 1) -> list[tuple[int, int]]:
    """Return about even parts [first, last) of `count` rows, at most `most` and none of them empty;
    all begin at multiples of `align`.
    """
    units = -(-count // align)
    parts = shares(min(most, units))
    if parts == 1:
        return [(0, count)]
    edges = [units * part // parts * align for part in range(parts)] + [count]
    return list(itertools.pairwise(edges))


def run(calls: list[Call], *, are_shared: bool = False) -> None:
    """Make the calls side by side and return when all are done; the first on the calling thread.

    With `are_shared` each call goes on until no work is left, so calls that no worker has begun
    when the first is done are not made. A second thread that comes while the workers are busy makes
    its calls one after the other.
    """
    if len(calls) <= 1 or not _lock.acquire(blocking=False):
        for function, arguments in calls:
            function(*arguments)
        return
    finished = False
    try:
        while len(_workers) < len(calls) - 1:
            _workers.append(_Worker())
        busy = _workers[: len(calls) - 1]
        for worker, call in zip(busy, calls[1:], strict=True):
            worker.begin(call)
        try:
            function, arguments = calls[0]
            function(*arguments)
        finally:
            errors = [worker.finish() for worker in busy if not (are_shared and worker.withdraw())]
        finished = True
    finally:
        # Ctrl-C may have come between any two lines: workers in an unknown state serve no more
        if not finished:
            _workers.clear()
        _lock.release()
    for error in errors:
        if error is not None:
            raise error


def _forget_workers() -> None:
    """Reset the pool in a forked child, which has none of its parent's threads."""
    global _lock
    _lock = threading.Lock()
    _workers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
