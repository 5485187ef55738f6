"""Checks of arrays for layers, and the text of values for `print(layer)`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Grid, Space

_SHADES = " .:-=+*%@"
_WALL = "#"
_COLUMNS = 78
_ROWS = 32


def as_text(space: Space, values: NDArray[np.float32]) -> str:
    """Return the values of a grid as `text`, of another space the strongest one and its cell."""
    if isinstance(space, Grid):
        return text(values, space.walls)
    flat = values.reshape(-1)
    if not len(flat):
        return "no cells"
    cell = int(np.abs(flat).argmax())
    return f"strongest {flat[cell]:g} in {space.describe(cell)}"


def text(values: NDArray[np.float32], walls: NDArray[np.bool_]) -> str:
    """Return the map as rows of characters: two for a cell, one, or one for a block of cells.

    Darker characters are stronger, negative values are letters a to h, walls are `#`. A block shows
    its strongest value, and is a wall if all of its cells are.
    """
    height, width = values.shape
    block = max(1, -(-width // _COLUMNS), -(-height // _ROWS))
    down = -(-height // block)
    across = -(-width // block)
    padding = ((0, down * block - height), (0, across * block - width))
    blocks = (down, block, across, block)
    solid = np.pad(walls, padding, constant_values=True).reshape(blocks).all(axis=(1, 3))
    cells = np.pad(values, padding).reshape(blocks)
    high = cells.max(axis=(1, 3))
    low = cells.min(axis=(1, 3))
    strongest = np.where(high >= -low, high, low)
    peak = float(np.abs(strongest).max(initial=0))
    share = np.abs(strongest) / (peak or 1)
    most = len(_SHADES) - 1
    level = np.where(share > 0, 1 + np.minimum(share * most, most - 1).astype(int), 0)
    # Shades, letters for negative values, and the sign of walls, one after the other.
    signs = np.array([*_SHADES, *"abcdefgh", _WALL])
    shown = signs[np.where(solid, -1, np.where(strongest < 0, most + level, level))]
    repeat = 2 if block == 1 and width * 2 <= _COLUMNS else 1
    lines = ["".join(row).rstrip() for row in np.repeat(shown, repeat, axis=1)]
    if block > 1:
        scale = f", {block} x {block} cells a character"
    else:
        scale = ""
    return "\n".join([*lines, f"strongest {peak:g}{scale}"])
