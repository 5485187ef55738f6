"""Small graphs."""

from __future__ import annotations

SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)]
ROUND = [(0, 1), (1, 2), (2, 3), (3, 0)]
