"""Calls of functions of the library, counted in place of time, which other programs change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import fieldcraft

_HOME = str(Path(fieldcraft.__file__).parent)


def library_calls(act: Callable[[], object]) -> list[str]:
    """Return the names of the library's Python functions that are called, in order."""
    calls: list[str] = []

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_HOME):
            calls.append(frame.f_code.co_name)

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return calls
