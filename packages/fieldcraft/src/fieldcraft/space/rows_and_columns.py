"""What spaces of cells in rows and columns share, grids of squares and of hexagons: their text,
their differences and their walls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.cells import checked_cells, condition
from fieldcraft.space.grid.neighborhood import Terrain
from fieldcraft.space.labeled_arrays import unlabeled
from fieldcraft.space.space import Space
from fieldcraft.space.wrapping import Wrap, within_period, wraps_everywhere


def text_of(space: Space, form: str, *, wrap: Wrap) -> str:
    """Return the `repr` of a space; `form` is the form and the size of its cells."""
    parts = [f"{space.shape[1]} x {space.shape[0]}", form]
    if space.y_up:
        parts.append("y_up=True")
    if wrap:
        parts.append(f"wrap={wrap!r}")
    free = len(space) - int(np.count_nonzero(space.walls))
    parts.append(f"{free} open cells")
    return f"<{type(space).__name__} {', '.join(parts)}>"


def described(space: Space, cell: int | None) -> str:
    """Return the size, "40 x 30", or the place of a cell: "row 2, column 5 (cell 85)"."""
    if cell is None:
        return f"{space.shape[1]} x {space.shape[0]}"
    row, column = divmod(checks.cell("cell", cell, len(space)), space.shape[1])
    return f"row {row}, column {column} (cell {cell})"


def first_difference(space: Space, other: Space, names: Sequence[str]) -> str:
    """Return the first of these attributes that differs, as part of a message; "" if none does."""
    for name in names:
        mine = getattr(space, name)
        yours = getattr(other, name)
        if mine != yours:
            return f"with {name} {yours} on a space with {name} {mine}"
    return ""


def back_on_map(
    positions: NDArray[np.float64],
    origin: tuple[float, float],
    period: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return positions (..., 2) brought back onto the map; see `Space.wrapped`."""
    positions = np.asarray(positions, dtype=np.float64)
    if period is None:
        return positions
    low = np.array(origin)
    around = low + within_period(positions - low, period)
    if wraps_everywhere(period):
        return around
    # Coordinates along an axis that does not wrap stay as they are, to the bit.
    return np.where(np.isfinite(period), around, positions)


def check_precision(name: str, size: float, farthest: float) -> None:
    """Refuse cells that are too small for float64 coordinates of this size."""
    if not farthest < 2**48 * size or math.isinf(farthest):
        raise InvalidValue(
            "Cells are large enough for a float64 position to tell them apart",
            got=f"{name}={size!r} at coordinates up to {farthest:g}",
            remedy="Move the origin nearer to 0, or use other units",
        )


def checked_walls(
    space: Space, walls: ArrayLike | None, terrain: Terrain | None
) -> NDArray[np.bool_]:
    """Return the walls of a space, including those of its terrain, as a new array."""
    if terrain is not None and not isinstance(terrain, Terrain):
        raise InvalidValue(
            "terrain is a fieldcraft.Terrain",
            got=type(terrain).__name__,
            remedy="Pass fc.Terrain(classes, enter)",
        )
    blocked = np.zeros(space.shape, dtype=np.bool_)
    if walls is not None:
        given = checks.array("walls", unlabeled(space, condition(space, "walls", walls)))
        if isinstance(walls, list | tuple) and np.isin(given, (0, 1)).all():
            given = given.astype(bool)
        blocked |= checks.shaped("walls", given, space.shape, "b")
    if terrain is not None:
        checks.shaped("The classes of a terrain", terrain.classes, space.shape)
        blocked |= terrain.walls
    return blocked


def changeable_cells(
    space: Space, cells: ArrayLike, blocked: bool, terrain: Terrain | None
) -> NDArray[np.int64]:
    """Return the cells to block or open, ascending; refuse to open impassable terrain."""
    ids = np.unique(checked_cells(space, cells))
    if not checks.flag("blocked", blocked) and terrain is not None:
        stuck = ids[terrain.walls.reshape(-1)[ids]]
        if len(stuck):
            raise InvalidValue(
                "Impassable terrain stays a wall",
                got=f"cell {stuck[0]}",
                remedy="Leave it out, or use a grid without that terrain",
            )
    return ids
