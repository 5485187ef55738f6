"""Ctrl-C is delayed until an operation has finished, so that no state is half changed."""

from __future__ import annotations

import functools
import inspect
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from types import FrameType
from typing import Any, TypeVar

try:
    # `signal.getsignal` makes an enum of its result, which takes as long as a small step.
    from _signal import getsignal as _getsignal  # type: ignore[import-not-found]
except ImportError:
    _getsignal = signal.getsignal

__all__ = ["A_FEW", "atomic", "in_parts", "interruptible", "poll_interrupt"]

Operation = TypeVar("Operation", bound=Callable[..., Any])
Result = TypeVar("Result")
Handler = Callable[[int, FrameType | None], Any]

A_FEW = 4
"""A count of steps that needs no interruption."""
_MOMENT = 0.02
_main = threading.main_thread().ident
_depth = 0  # operations of the main thread under way, one inside of the other
_pending: Handler | None = None  # the handler of a SIGINT that arrived meanwhile


class _Deferring:
    """A handler of SIGINT that calls another one, after the operation under way."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        global _depth, _pending
        if not _depth or not _is_inside(frame):
            # The handler of another signal may have ended an operation without `deliver_interrupt`.
            _depth = 0
            return self.handler(number, frame)
        _pending = self.handler
        return None


def _is_inside(frame: FrameType | None) -> bool:
    """Return whether a call of one of our packages is on the stack of a frame."""
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith("fieldcraft"):
            return True
        frame = frame.f_back
    return False


def defer_interrupt(thread: int) -> None:
    """Begin an operation in a thread, by its `get_ident()`; only the main one is interrupted."""
    global _depth
    if thread != _main:
        return
    if _depth == 0:
        handler = _getsignal(signal.SIGINT)
        if type(handler) is not _Deferring and callable(handler):
            signal.signal(signal.SIGINT, _Deferring(handler))
    _depth += 1


def deliver_interrupt(thread: int) -> None:
    """End an operation; the end of the outermost one delivers a pending SIGINT."""
    global _depth
    if thread == _main:
        _depth -= 1
        if _depth == 0 and _pending is not None:
            _deliver()


def atomic(operation: Operation) -> Operation:
    """Return the same function, not to be interrupted."""

    @functools.wraps(operation)
    def undivided(*arguments: Any, **named: Any) -> Any:
        thread = threading.get_ident()
        defer_interrupt(thread)
        try:
            return operation(*arguments, **named)
        finally:
            deliver_interrupt(thread)

    return undivided  # type: ignore[return-value]


def poll_interrupt() -> None:
    """Deliver a pending SIGINT between two parts of an operation, where the state is consistent;
    not inside another operation.
    """
    if _depth == 1 and _pending is not None and threading.get_ident() == _main:
        _deliver()


def in_parts(count: int) -> Iterator[int]:
    """Yield `count` in parts that take about 20 ms each, and poll for SIGINT after each."""
    part = 1
    while count > 0:
        part = min(part, count)
        begun = time.perf_counter()
        yield part
        poll_interrupt()
        count -= part
        seconds = time.perf_counter() - begun
        if seconds < _MOMENT / 4:
            part *= 4
        elif seconds > 2 * _MOMENT:
            part = max(part // 4, 1)


def interruptible(operation: Callable[[], Result]) -> Result:
    """Return the result of a long call of another library that changes no state.

    Ctrl-C is handled within 50 ms; the call then ends in the background, and its result is dropped.
    """
    if threading.get_ident() != _main or _depth > 1:
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
    global _pending
    handler = _pending
    _pending = None
    if handler is not None:
        handler(signal.SIGINT, inspect.currentframe())


def _after_fork() -> None:
    global _main, _depth, _pending
    _main = threading.get_ident()
    _depth = 0
    _pending = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
