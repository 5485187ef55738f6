"""Lines through a space, whatever carries them."""

from __future__ import annotations

from typing import Any

__all__ = ["line_of"]


def line_of(line: Any) -> Any:
    """The positions of a path or the points of a front line; anything else as it is."""
    for name in ("positions", "points"):
        held = getattr(line, name, None)
        if held is not None and not callable(held):
            return held
    return line
