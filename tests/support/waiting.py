"""Waiting for what other threads, processes and pages do."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["eventually"]


def eventually(true: Callable[[], Any]) -> None:
    """Wait until a condition holds; fail after a minute."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)
