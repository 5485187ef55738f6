"""Units of the sums that stamps are blended into, the tiles that changes mark, and the blends.

The library imports this file, and no file of kernels, when it is imported.
"""

from __future__ import annotations

__all__ = ["ADD", "ALL_ROWS", "MAX", "REPLACE", "SCALE", "TILE_COLUMNS", "TILE_ROWS"]

SCALE = float(1 << 24)
"""Sums are whole numbers of 1 / SCALE."""
TILE_ROWS = 8
TILE_COLUMNS = 32
ALL_ROWS = (1 << TILE_ROWS) - 1
"""The mark of a tile all of whose rows have changed: bit k is that of row k."""

ADD = 0
"""Amounts are added to the sums."""
MAX = 1
"""The stronger magnitude stays, the positive one of equals."""
REPLACE = 2
"""An amount replaces the sum, unless it is 0."""
