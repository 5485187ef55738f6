"""A lock for objects that one thread uses at a time, without interruption in between."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - its fork hook has to run after ours
import os
import sys
import threading
import time
from collections.abc import Sequence

from fieldcraft.base import interruption
from fieldcraft.base.errors import ConcurrentUse
from fieldcraft.base.interruption import (
    SIGINT,
    Deferring,
    Frames,
    all_locks,
    changing_locks,
    defer_interrupt,
    deliver_interrupt,
    each_of,
    frames_from,
    getsignal,
    locks,
)

_get_ident = threading.get_ident
_getframe = sys._getframe


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
        self.owner = 0
        self.frames: Frames | None = None
        locks.add(self)

    def __reduce__(self) -> tuple[type[SingleThreadLock], tuple[str, str]]:
        return SingleThreadLock, (self._what, self._remedy)  # objects that share it share the copy

    def __enter__(self) -> None:
        frame = _getframe(1)
        me = _get_ident()
        if self.owner == me:
            # No other thread runs between the comparison and the assignment.
            self.frames = (frame, self.frames)
            return
        if type(getsignal(SIGINT)) is not Deferring:
            defer_interrupt(me)
        if (_forks & 1 or not self._lock.acquire(False)) and not self._acquire_late(me):
            if interruption.pending is not None:
                deliver_interrupt(frame)
            raise ConcurrentUse(
                f"{self._what} is used by one thread at a time",
                got="a call while another thread is inside one",
                remedy=self._remedy,
            )
        self.owner = me
        self.frames = (frame, self.frames)

    def __exit__(self, *exception: object) -> None:
        frames = self.frames
        if frames is not None:
            self.frames = frames = frames[1]
        if frames is None:
            self.owner = 0
            self._lock.release()
        if interruption.pending is not None:
            deliver_interrupt(_getframe(1))

    def _acquire_late(self, me: int) -> bool:
        """Wait for a fork that holds the lock; returns whether it was acquired."""
        forks = _forks
        if not any(each.owner == me for each in all_locks()) and _fork_lock.acquire(
            timeout=_PATIENCE
        ):
            _fork_lock.release()
        patience = 0.0
        if forks & 1 or forks != _forks:
            patience = _PATIENCE
        if self._lock.acquire(timeout=patience):
            return True
        return self._release_abandoned() and self._lock.acquire(False)

    def _release_abandoned(self) -> bool:
        """Release the lock, and return True, where the blocks that acquired it have ended without
        releasing it: handlers of signals may raise exceptions at any moment, also while a block
        begins or ends.
        """
        if _forks & 1:
            return False
        me = _get_ident()
        owner = self.owner
        frames = self.frames
        stacks = sys._current_frames()
        if owner:
            stack = frames_from(stacks.get(owner))
            begins_or_ends = any(frame.f_globals is globals() for frame in stack)
            if begins_or_ends or any(frame in stack for frame in each_of(frames)):
                return False
        else:
            # The owner is set in the next moment, unless no thread is just acquiring or releasing.
            del stacks[me]
            if any(frame.f_globals is globals() for frame in stacks.values()):
                return False
        # No other thread runs between this comparison and the assignments.
        if self.owner != owner or self.frames is not frames:
            return False
        self.owner = 0
        self.frames = None
        self._lock.release()
        return True


class SeveralLocks:
    """Locks that are acquired and released together."""

    def __init__(self, locks: Sequence[SingleThreadLock]) -> None:
        self._locks = locks

    def __enter__(self) -> None:
        frame = _getframe(1)
        acquired: list[SingleThreadLock] = []
        try:
            for lock in self._locks:
                lock.__enter__()
                acquired.append(lock)
                # The block begins in the frame of the caller, not in this one.
                outer = None
                if lock.frames is not None:
                    outer = lock.frames[1]
                lock.frames = (frame, outer)
        except BaseException:
            for lock in reversed(acquired):
                lock.__exit__()
            raise

    def __exit__(self, *exception: object) -> None:
        for lock in reversed(self._locks):
            lock.__exit__()


changing_locks.update(
    method.__code__
    for kind in (SingleThreadLock, SeveralLocks)
    for method in (kind.__enter__, kind.__exit__)
)

# A fork waits until no other thread is inside of a map: the child would find it in the middle of
# a call, and locked for good.
_PATIENCE = 2.0  # seconds
_fork_lock = threading.Lock()
_acquired: list[SingleThreadLock] = []
_forks = 0  # odd while one is under way


def _before_fork() -> None:
    global _forks
    _fork_lock.acquire()
    _forks += 1
    until = time.monotonic() + _PATIENCE
    me = _get_ident()
    while time.monotonic() < until:
        for lock in all_locks():
            if not isinstance(lock, SingleThreadLock) or lock.owner == me:
                continue
            if not lock._lock.acquire(timeout=0.02):
                break
            _acquired.append(lock)
        else:
            return
        _release()  # the thread inside may need one of these to end its call


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
