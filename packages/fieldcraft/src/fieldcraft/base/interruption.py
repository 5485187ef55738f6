"""Ctrl-C is delayed until an operation has finished, so that no state is half changed."""

from __future__ import annotations

import functools
import inspect
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from types import CodeType, FrameType
from typing import Any, Protocol, TypeAlias, TypeVar

try:
    # `signal.getsignal` makes an enum of its result, which takes as long as a small step.
    from _signal import getsignal as _getsignal  # type: ignore[import-not-found]
except ImportError:
    _getsignal = signal.getsignal

__all__ = ["A_FEW", "atomic", "in_parts", "interruptible", "poll_interrupt"]

Operation = TypeVar("Operation", bound=Callable[..., Any])
Result = TypeVar("Result")
Handler = Callable[[int, FrameType | None], Any]
Frames: TypeAlias = "tuple[FrameType, Frames | None]"
"""Frames that began an operation, the innermost first: it, and the others."""


class Lock(Protocol):
    """A lock of one thread, whose `with` blocks are operations."""

    owner: int
    """The thread inside, by its `get_ident()`."""
    frames: Frames | None
    """The frames of the `with` blocks under way."""


A_FEW = 4
"""A count of steps that needs no interruption."""
SIGINT = signal.SIGINT
getsignal = _getsignal
_MOMENT = 0.02
_get_ident = threading.get_ident
_getframe = sys._getframe
_main = threading.main_thread().ident
pending: Handler | None = None
"""The handler of a SIGINT that waits for the end of an operation."""

# An operation is under way while the frame that began it is on the stack. A counter is not enough:
# the handler of another signal may raise an exception at any call, also at those that begin and end
# an operation, and that operation would stay counted.
_atomic: Frames | None = None  # of calls of atomic functions in the main thread
locks: weakref.WeakSet[Lock] = weakref.WeakSet()
"""All locks of one thread."""
changing_locks: set[CodeType] = set()
"""Code that begins and ends operations: it is not interrupted, and delivers a pending SIGINT."""


class Deferring:
    """A handler of SIGINT that calls another one, after the operation under way."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        """Call the other handler, or defer the signal if an operation is under way."""
        global pending
        stack = _interrupted(frame)
        if _operations(stack) or any(each.f_code in changing_locks for each in stack):
            pending = self.handler
            return None
        pending = None  # one call of the handler is enough
        return self.handler(number, frame)


def frames_from(frame: FrameType | None, until: CodeType | None = None) -> set[FrameType]:
    """Return a frame and those that called it, `until` one that runs this code."""
    stack = set()
    while frame is not None and frame.f_code is not until:
        stack.add(frame)
        frame = frame.f_back
    return stack


def _interrupted(frame: FrameType | None) -> set[FrameType]:
    """Return a frame and those that called it, up to a handler of SIGINT that is running."""
    return frames_from(frame, until=_deliver.__code__)


def all_locks() -> list[Lock]:
    """Return all locks of one thread."""
    while True:
        try:
            return list(locks)
        except RuntimeError:  # another thread made a lock meanwhile
            continue


def _operations(stack: set[FrameType]) -> int:
    """Return how many operations of the main thread are under way in a stack of frames."""
    count = sum(frame in stack for frame in each_of(_atomic))
    for lock in all_locks():
        if lock.owner == _main and any(frame in stack for frame in each_of(lock.frames)):
            count += 1
    return count


def each_of(frames: Frames | None) -> Iterator[FrameType]:
    """Yield the frames that began operations, the innermost first."""
    while frames is not None:
        frame, outer = frames
        yield frame
        frames = outer


def defer_interrupt(thread: int) -> None:
    """Delay SIGINT while operations are under way in a thread, by its `get_ident()`; only the main
    one is interrupted.
    """
    if thread != _main:
        return
    handler = getsignal(SIGINT)
    if type(handler) is not Deferring and callable(handler):
        signal.signal(SIGINT, Deferring(handler))


def deliver_interrupt(frame: FrameType | None) -> None:
    """Deliver a pending SIGINT where no operation is under way in a frame and those that called
    it.
    """
    if _get_ident() == _main and not _operations(_interrupted(frame)):
        while pending is not None:
            _deliver()


def atomic(operation: Operation) -> Operation:
    """Return the same function, not to be interrupted."""

    @functools.wraps(operation)
    def undivided(*arguments: Any, **named: Any) -> Any:
        global _atomic
        thread = _get_ident()
        if thread != _main:
            return operation(*arguments, **named)
        if type(getsignal(SIGINT)) is not Deferring:
            defer_interrupt(thread)
        outer = _atomic
        try:
            _atomic = (_getframe(), outer)
            return operation(*arguments, **named)
        finally:
            _atomic = outer
            if pending is not None:
                deliver_interrupt(_getframe(1))

    return undivided  # type: ignore[return-value]


def poll_interrupt() -> None:
    """Deliver a pending SIGINT between two parts of an operation, where the state is consistent;
    not inside another operation.
    """
    if pending is None or _get_ident() != _main:
        return
    if _operations(_interrupted(_getframe())) == 1:
        _deliver()


def in_parts(count: int) -> Iterator[int]:
    """Yield `count` in parts that take about 20 ms each, and poll for SIGINT after each.

    A part has at least `A_FEW` steps: several steps of a large map at once need much less time than
    one by one. The time that counts is that of the processor, so that other programs do not make
    parts small, unless the thread waits for long.
    """
    part = A_FEW
    while count > 0:
        part = min(part, count)
        begun = time.perf_counter()
        worked = time.thread_time()
        yield part
        poll_interrupt()
        count -= part
        seconds = time.thread_time() - worked
        waited = time.perf_counter() - begun
        if waited > 10 * _MOMENT:
            seconds = waited
        if seconds < _MOMENT / 4:
            part *= 4
        elif seconds < _MOMENT * 0.75:
            part *= 2
        elif seconds > 2 * _MOMENT:
            part = max(int(part * _MOMENT / seconds), A_FEW)


def interruptible(operation: Callable[[], Result]) -> Result:
    """Return the result of a long call of another library that changes no state.

    Ctrl-C is handled within 50 ms; the call then ends in the background, and its result is dropped.
    """
    if _get_ident() != _main or _operations(_interrupted(_getframe())) > 1:
        return operation()
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(operation())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, name="fieldcraft solver", daemon=True).start()
    while not outcome.done():
        poll_interrupt()
        wait([outcome], timeout=0.05)
    return outcome.result()


def _deliver() -> None:
    global pending
    handler = pending
    pending = None
    if handler is not None:
        handler(SIGINT, inspect.currentframe())


def _after_fork() -> None:
    global _main, pending
    _main = _get_ident()
    pending = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
