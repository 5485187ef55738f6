"""A progress bar for terminals."""

from __future__ import annotations

import time
from typing import TextIO

__all__ = ["Progress"]

_WIDTH = 30
_BETWEEN = 0.1


class Progress:
    """One line on `stream` that is redrawn while work goes on and wiped at the end; silent where
    `stream` is no terminal.

    Use it as a context manager: the line is wiped however the work ends.
    """

    def __init__(self, stream: TextIO | None, label: str = "") -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self.label = label
        self._begun = self._drawn = time.monotonic()
        self._length = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *reason: object) -> None:
        if self._stream is not None and self._length:
            self._stream.write("\r" + " " * self._length + "\r")
            self._stream.flush()

    def show(self, share: float) -> None:
        """Shows how much is done, 0 to 1, at most ten times a second."""
        now = time.monotonic()
        if self._stream is None or now - self._drawn < _BETWEEN:
            return
        self._drawn = now
        done = min(max(share, 0.0), 1.0)
        full = int(done * _WIDTH)
        left = f"{(now - self._begun) * (1 - done) / done:.0f} s left" if done > 0.02 else ""
        text = f"{self.label} [{'#' * full}{'.' * (_WIDTH - full)}] {done:4.0%} {left}"
        self._stream.write("\r" + text.ljust(self._length))
        self._stream.flush()
        self._length = len(text)
