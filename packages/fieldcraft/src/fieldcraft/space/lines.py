"""Lines that are given as paths, as front lines or as positions."""

from __future__ import annotations

from typing import Any


def line_of(line: Any) -> Any:
    """Return the positions of a path or the points of a front line; anything else unchanged."""
    for name in ("positions", "points"):
        held = getattr(line, name, None)
        if held is not None and not callable(held):
            return held
    return line
