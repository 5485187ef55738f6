"""One thread at a time, and no interruption in between."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - its fork hook has to run after ours
import os
import threading
import time
import weakref

from fieldcraft import interruption
from fieldcraft.errors import ConcurrentUse

__all__ = ["SingleThreadLock"]


class SingleThreadLock:
    """Entered around each call that reads or changes an influence map, or another thing.

    It refuses a second thread instead of breaking, and holds Ctrl-C back until the call is done.
    """

    def __init__(
        self,
        what: str = "An influence map",
        remedy: str = "Put a lock around it, or give each thread its own with imap.copy()",
    ) -> None:
        self._what, self._remedy = what, remedy
        self._lock = threading.Lock()
        self._owner = 0
        self._depth = 0
        _locks.add(self)

    def __reduce__(
        self,
    ) -> tuple[
        type[SingleThreadLock], tuple[str, str]
    ]:  # whoever shared it shares a new one, which nobody is in
        return SingleThreadLock, (self._what, self._remedy)

    def __enter__(self) -> None:
        me = threading.get_ident()
        if self._owner == me:
            self._depth += 1
            return
        interruption.defer_interrupt(me)
        forks = _forks
        if forks & 1 and not any(each._owner == me for each in _locks.copy()):
            _wait_for_fork()
        if not self._lock.acquire(False) and not (
            (forks & 1 or forks != _forks) and self._lock.acquire(timeout=_PATIENCE)
        ):
            interruption.deliver_interrupt(me)
            raise ConcurrentUse(
                f"{self._what} is used by one thread at a time",
                got="a call while another thread is inside one",
                remedy=self._remedy,
            )
        self._owner = me
        self._depth = 1

    def __exit__(self, *exception: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            me, self._owner = self._owner, 0
            self._lock.release()
            interruption.deliver_interrupt(me)


# A fork waits until no other thread is inside of a map: the child would find it in the middle of
# a call, and locked for good.
_PATIENCE = 2.0  # seconds
_fork_lock = threading.Lock()
_locks: weakref.WeakSet[SingleThreadLock] = weakref.WeakSet()
_held: list[SingleThreadLock] = []
_forks = 0  # odd while one is under way


def _before_fork() -> None:
    global _forks
    _fork_lock.acquire()
    _forks += 1
    until, me = time.monotonic() + _PATIENCE, threading.get_ident()
    while time.monotonic() < until:
        for lock in [each for each in _locks.copy() if each._owner != me]:
            if not lock._lock.acquire(timeout=0.02):
                break
            _held.append(lock)
        else:
            return
        _release_held()  # the thread inside may need one of these to come out


def _release_held() -> None:
    while _held:
        _held.pop()._lock.release()


def _after_fork() -> None:
    global _forks
    _release_held()
    _forks += 1
    _fork_lock.release()


def _wait_for_fork() -> None:
    if _fork_lock.acquire(timeout=_PATIENCE):
        _fork_lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
