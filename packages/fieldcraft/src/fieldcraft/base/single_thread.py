"""A lock for objects that one thread uses at a time, without interruption in between."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - its fork hook has to run after ours
import os
import sys
import threading
import time
import weakref

from fieldcraft.base.errors import ConcurrentUse
from fieldcraft.base.interruption import defer_interrupt, deliver_interrupt

_get_ident = threading.get_ident


class SingleThreadLock:
    """A lock around each call that reads or changes an influence map, or another object.

    A second thread is refused with `ConcurrentUse`, and Ctrl-C is delayed until the call is done.
    """

    def __init__(
        self,
        what: str = "An influence map",
        remedy: str = "Put a lock around it, or give each thread its own with imap.copy()",
    ) -> None:
        self._what = what
        self._remedy = remedy
        self._lock = threading.Lock()
        self._owner = 0
        self._depth = 0
        _locks.add(self)

    def __reduce__(self) -> tuple[type[SingleThreadLock], tuple[str, str]]:
        return SingleThreadLock, (self._what, self._remedy)  # objects that share it share the copy

    def __enter__(self) -> None:
        me = _get_ident()
        if self._owner == me:
            self._depth += 1
            return
        defer_interrupt(me)
        if (_forks & 1 or not self._lock.acquire(False)) and not self._acquire_late(me):
            deliver_interrupt(me)
            raise ConcurrentUse(
                f"{self._what} is used by one thread at a time",
                got="a call while another thread is inside one",
                remedy=self._remedy,
            )
        self._owner = me

    def __exit__(self, *exception: object) -> None:
        if self._depth:
            self._depth -= 1
            return
        me = self._owner
        self._owner = 0
        self._lock.release()
        deliver_interrupt(me)

    def _acquire_late(self, me: int) -> bool:
        """Wait for a fork that holds the lock; returns whether it was acquired."""
        forks = _forks
        if not any(each._owner == me for each in _locks.copy()) and _fork_lock.acquire(
            timeout=_PATIENCE
        ):
            _fork_lock.release()
        patience = _PATIENCE if forks & 1 or forks != _forks else 0
        if self._lock.acquire(timeout=patience):
            return True
        if not self._is_abandoned():
            return False
        self._owner = 0
        self._depth = 0
        self._lock.release()
        return self._lock.acquire(False)

    def _is_abandoned(self) -> bool:
        """Return whether the call that acquired the lock has ended without releasing it: handlers
        of signals may raise exceptions at any moment, also while a call begins or ends.
        """
        if _forks & 1:
            return False
        me = _get_ident()
        owner = self._owner
        frames = sys._current_frames()
        if owner:
            return owner not in frames
        # The owner is set in the next moment, unless no thread is just acquiring or releasing.
        del frames[me]
        return all(frame.f_globals is not globals() for frame in frames.values())


# A fork waits until no other thread is inside of a map: the child would find it in the middle of
# a call, and locked for good.
_PATIENCE = 2.0  # seconds
_fork_lock = threading.Lock()
_locks: weakref.WeakSet[SingleThreadLock] = weakref.WeakSet()
_acquired: list[SingleThreadLock] = []
_forks = 0  # odd while one is under way


def _before_fork() -> None:
    global _forks
    _fork_lock.acquire()
    _forks += 1
    until = time.monotonic() + _PATIENCE
    me = _get_ident()
    while time.monotonic() < until:
        for lock in [each for each in _locks.copy() if each._owner != me]:
            if not lock._lock.acquire(timeout=0.02):
                break
            _acquired.append(lock)
        else:
            return
        _release()  # the thread inside may need one of these to come out


def _release() -> None:
    while _acquired:
        _acquired.pop()._lock.release()


def _after_fork() -> None:
    global _forks
    _release()
    _forks += 1
    _fork_lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
