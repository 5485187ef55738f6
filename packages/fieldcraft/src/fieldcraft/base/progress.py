"""Progress of long work, on a terminal or in a log."""

from __future__ import annotations

import time
from typing import TextIO

__all__ = ["Progress"]

_WIDTH = 30
_REDRAWN_EVERY = 0.1  # seconds, on a terminal
_LINE_EVERY = 5.0  # seconds, elsewhere


class Progress:
    """Progress of work on `stream`: on a terminal one line that is redrawn and removed at the end,
    elsewhere a line every five seconds.

    Use it as a context manager: the line is wiped however the work ends.
    """

    def __init__(self, stream: TextIO | None, label: str = "") -> None:
        self._stream = stream
        self._is_terminal = stream is not None and stream.isatty()
        self.label = label
        self._begun = time.monotonic()
        self._drawn = self._begun
        self._length = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *reason: object) -> None:
        if self._stream is not None and self._length:
            self._stream.write("\r" + " " * self._length + "\r")
            self._stream.flush()

    def show(self, share: float) -> None:
        """Show the share that is done, 0 to 1, at most ten times a second."""
        now = time.monotonic()
        pause = _LINE_EVERY
        if self._is_terminal:
            pause = _REDRAWN_EVERY
        if self._stream is None or now - self._drawn < pause:
            return
        self._drawn = now
        done = min(max(share, 0.0), 1.0)
        full = int(done * _WIDTH)
        left = ""
        if done > 0.02:
            left = f"{(now - self._begun) * (1 - done) / done:.0f} s left"
        if self._is_terminal:
            text = f"{self.label} [{'#' * full}{'.' * (_WIDTH - full)}] {done:4.0%} {left}"
            self._stream.write("\r" + text.ljust(self._length))
            self._length = len(text)
        else:
            self._stream.write(f"{self.label} {done:.0%} {left}".rstrip() + "\n")
        self._stream.flush()
