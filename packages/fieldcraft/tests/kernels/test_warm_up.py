"""Threads, and kernels made ready before the first frame."""

from __future__ import annotations

import threading

import fieldcraft as fc


def test_progress_is_reported_and_a_thread_can_be_joined() -> None:
    reported: list[tuple[int, int]] = []
    thread = fc.warm_up(
        background=True, progress=lambda done, total: reported.append((done, total))
    )
    assert isinstance(thread, threading.Thread)
    thread.join(600)
    assert not thread.is_alive()
    assert reported[-1][0] == reported[-1][1] > 10


def test_threads_are_set_and_reset() -> None:
    before = fc.set_threads(1)
    assert fc.set_threads(before) == 1
