"""Sources on a small map."""

from __future__ import annotations

OPEN, WALL, OFF = (0.5, 0.5), (3.5, 2.5), (9.5, 1.0)
