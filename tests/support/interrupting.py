"""Ctrl-C at a chosen moment."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import fieldcraft as fc

HOUSE = str(Path(fc.__file__).parent)  # of the worlds, too, whose folder begins with the same name


def interrupted(call: Callable[[], object], moment: int) -> bool:
    """Whether a call was interrupted, at the `moment`-th line of fieldcraft or its worlds that it
    runs.
    """
    lines = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(HOUSE) or frame.f_code.co_filename.endswith(
            "interruption.py"
        ):
            return None
        if event == "line":
            lines += 1
            if lines == moment:
                signal.raise_signal(signal.SIGINT)
        return trace if lines < moment else None

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False
