"""Delays Ctrl-C until an operation has finished, so that no state is half changed."""

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
    # The plain one: `signal.getsignal` takes as long as a small step to make an enum of its answer.
    from _signal import getsignal as _current  # type: ignore[import-not-found]
except ImportError:
    _current = signal.getsignal

__all__ = [
    "atomic",
    "poll_interrupt",
]

Operation = TypeVar("Operation", bound=Callable[..., Any])
Result = TypeVar("Result")

A_FEW = 4
_MOMENT = 0.02
_main = threading.main_thread().ident
_depth = 0
_waiting: Callable[[int, FrameType | None], Any] | None = None


class _Held:
    """A handler of SIGINT in front of the one that was there: inside of an operation it only takes
    note.
    """

    def __init__(self, before: Callable[[int, FrameType | None], Any]) -> None:
        self.before = before

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        global _waiting
        if not _depth:
            return self.before(number, frame)
        _waiting = self.before
        return None


def defer_interrupt(thread: int) -> None:
    """Begin an operation of the thread with this `get_ident()`, which may be part of another one.

    Only the main thread is ever interrupted.
    """
    global _depth
    if thread != _main:
        return
    if _depth == 0:
        handler = _current(signal.SIGINT)
        if type(handler) is not _Held and callable(handler):
            signal.signal(signal.SIGINT, _Held(handler))
    _depth += 1


def deliver_interrupt(thread: int) -> None:
    """End an operation; at the end of the outermost one comes what was held back."""
    global _depth
    if thread == _main:
        _depth -= 1
        if _depth == 0 and _waiting is not None:
            _let_through()


def atomic(operation: Operation) -> Operation:
    """The same operation, not to be interrupted."""

    @functools.wraps(operation)
    def held(*arguments: Any, **named: Any) -> Any:
        thread = threading.get_ident()
        defer_interrupt(thread)
        try:
            return operation(*arguments, **named)
        finally:
            deliver_interrupt(thread)

    return held  # type: ignore[return-value]


def poll_interrupt() -> None:
    """Let an interruption through, between two parts of an operation after which everything agrees,
    unless it is part of another.
    """
    if _depth == 1 and _waiting is not None and threading.get_ident() == _main:
        _let_through()


def in_parts(count: int) -> Iterator[int]:
    """Yield `count` in parts that take about 20 ms each; the caller polls for SIGINT after each."""
    part = 1
    while count > 0:
        part = min(part, count)
        begun = time.perf_counter()
        yield part
        count -= part
        seconds = time.perf_counter() - begun
        if seconds < _MOMENT / 4:
            part *= 4
        elif seconds > 2 * _MOMENT:
            part = max(part // 4, 1)


def interruptible(operation: Callable[[], Result]) -> Result:
    """Return what a long call of another library returns, which changes nothing here. Ctrl-C is
    heard within 50 ms; the call then ends in the background, and its result is dropped.
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


def _after_fork() -> None:
    global _main, _depth, _waiting
    _main, _depth, _waiting = threading.get_ident(), 0, None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _let_through() -> None:
    global _waiting
    handler, _waiting = _waiting, None
    if handler is not None:
        handler(signal.SIGINT, inspect.currentframe())
