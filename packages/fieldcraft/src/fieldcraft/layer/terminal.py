"""A layer as text, for `print(layer)`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Grid, Space

__all__ = ["drawn", "text"]

_SHADES = " .:-=+*%@"
_WALL = "#"
_COLUMNS, _ROWS = 78, 32


def drawn(space: Space, values: NDArray[np.float32]) -> str:
    """The map of a space as `text`; a graph as seen from above, the strongest vertex of each
    character, `#` for blocked ones.
    """
    return text(values, space.walls) if isinstance(space, Grid) else _from_above(space, values)


def _from_above(space: Space, values: NDArray[np.float32]) -> str:
    if not len(space):
        return "no vertices"
    plan = space.positions[:, :2]
    low, extent = plan.min(axis=0), np.maximum(np.ptp(plan, axis=0), 1e-30)
    # A character is about twice as high as wide; a few vertices take a small picture.
    share = min(1.0, (2 + len(space) ** 0.5) / _ROWS)
    unit = max(
        float(extent[0]) / (share * _COLUMNS - 1), float(extent[1]) / (2 * (share * _ROWS - 1))
    )
    columns, rows = np.rint((plan - low) / (unit, 2 * unit)).astype(int).T
    if space.y_up:
        rows = rows.max() - rows
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    flat, blocked = values.reshape(-1), space.walls.reshape(-1)
    order = np.argsort(np.where(blocked, -1, np.abs(flat)), kind="stable")
    picture, solid = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.bool_)
    picture[rows[order], columns[order]] = flat[order]
    solid[rows[order], columns[order]] = blocked[order]
    return text(picture, solid, doubled=False)


def text(values: NDArray[np.float32], walls: NDArray[np.bool_], *, doubled: bool = True) -> str:
    """The map as rows of characters, two a cell where there is room, blocks of cells where there is
    not.

    Darker characters are stronger, negative values are letters a to h, walls are `#`. A block shows
    its strongest value, and is a wall if all of it is.
    """
    height, width = values.shape
    block = max(1, -(-width // _COLUMNS), -(-height // _ROWS))
    down, across = -(-height // block), -(-width // block)
    padding = ((0, down * block - height), (0, across * block - width))
    solid: NDArray[np.bool_] = np.asarray(
        np.pad(walls, padding, constant_values=True)
        .reshape(down, block, across, block)
        .all(axis=(1, 3))
    )
    cells = (
        np.pad(values, padding)
        .reshape(down, block, across, block)
        .swapaxes(1, 2)
        .reshape(down, across, -1)
    )
    strongest = np.take_along_axis(cells, np.abs(cells).argmax(axis=2)[..., None], axis=2)[..., 0]
    peak = float(np.abs(strongest).max(initial=0))
    share = np.abs(strongest) / peak if peak else np.zeros_like(strongest)
    most = len(_SHADES) - 1
    level = np.where(share > 0, 1 + np.minimum(share * most, most - 1).astype(int), 0)
    repeat = 2 if doubled and block == 1 and width * 2 <= _COLUMNS else 1
    # Shades, letters for negative values, and the sign of walls, one after the other.
    signs = np.array([*_SHADES, *"abcdefgh", _WALL])
    shown = np.where(strongest < 0, most + level, np.minimum(level, most))
    shown = np.repeat(signs[np.where(solid, -1, shown)], repeat, axis=1)
    lines = ["".join(row).rstrip() for row in shown]
    scale = f", {block} x {block} cells a character" if block > 1 else ""
    return "\n".join([*lines, f"strongest {peak:g}{scale}"])
