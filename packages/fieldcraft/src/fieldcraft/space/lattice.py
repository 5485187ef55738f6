"""The common base of grids of squares and of hexagons."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space.cells import checked_cells, unlabeled
from fieldcraft.space.neighborhood import Terrain
from fieldcraft.space.protocol import Space

__all__ = ["Lattice"]


class Lattice(Space):
    """Space of cells in rows and columns. Cells of a terrain's impassable classes are walls.

    `placement` lists the attributes that determine where cells are.
    """

    placement: ClassVar[tuple[str, ...]]
    terrain: Terrain | None
    origin: tuple[float, float]
    wrap: bool

    def __len__(self) -> int:
        return self.shape[0] * self.shape[1]

    def __repr__(self) -> str:
        extra = "".join([", y_up=True" if self.y_up else "", ", wrap=True" if self.wrap else ""])
        free = len(self) - int(np.count_nonzero(self.walls))
        return (
            f"<{type(self).__name__} {self.shape[1]} x {self.shape[0]}, {self._form()}{extra},"
            f" {free} open cells>"
        )

    def _form(self) -> str:
        """Return the form and size of a cell, for `repr`."""
        raise NotImplementedError

    def describe(self, cell: int | None = None) -> str:
        """Return the size, "40 x 30", or the place of a cell: "row 2, column 5 (cell 85)"."""
        if cell is None:
            return f"{self.shape[1]} x {self.shape[0]}"
        row, column = divmod(checks.cell("cell", cell, len(self)), self.shape[1])
        return f"row {row}, column {column} (cell {cell})"

    def describe_difference(self, other: object) -> str:
        """Return the first attribute of `placement` that differs; see `Space`."""
        if not isinstance(other, Lattice) or other.placement != self.placement:
            return f"on {other!r}"
        for name in self.placement:
            mine, yours = getattr(self, name), getattr(other, name)
            if mine != yours:
                return f"with {name} {yours} on a space with {name} {mine}"
        return ""

    def wrapped(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `Space.wrapped`."""
        low, period = np.array(self.origin), self.period
        return positions if period is None else np.asarray(low + np.mod(positions - low, period))

    def _check_precision(self, name: str, size: float, farthest: float) -> None:
        """Refuse cells that are too small for float64 coordinates of this size."""
        if not farthest < 2**48 * size or math.isinf(farthest):
            raise InvalidValue(
                "Cells are large enough for a float64 position to tell them apart",
                got=f"{name}={size!r} at coordinates up to {farthest:g}",
                remedy="Move the origin nearer to 0, or use other units",
            )

    def _blocked(self, walls: ArrayLike | None, terrain: Terrain | None) -> NDArray[np.bool_]:
        """Return the walls of the map, including those of its terrain."""
        if terrain is not None and not isinstance(terrain, Terrain):
            raise InvalidValue(
                "terrain is a fieldcraft.Terrain",
                got=type(terrain).__name__,
                remedy="Pass fc.Terrain(classes, enter)",
            )
        blocked = np.zeros(self.shape, dtype=np.bool_)
        if walls is not None:
            given = checks.array("walls", unlabeled(self, walls))
            if isinstance(walls, list | tuple) and np.isin(given, (0, 1)).all():
                given = given.astype(bool)
            blocked |= checks.shaped("walls", given, self.shape, "b")
        if terrain is not None:
            checks.shaped("The classes of a terrain", terrain.classes, self.shape)
            blocked |= terrain.walls
        return blocked

    def _changeable(self, cells: ArrayLike, blocked: bool) -> NDArray[np.int64]:
        """Return the cells to block or open, ascending; refuse to open impassable terrain."""
        ids = np.unique(checked_cells(self, cells))
        if not checks.flag("blocked", blocked) and self.terrain is not None:
            stuck = ids[self.terrain.walls.reshape(-1)[ids]]
            if len(stuck):
                raise InvalidValue(
                    "Impassable terrain stays a wall",
                    got=f"cell {stuck[0]}",
                    remedy="Leave it out, or use a grid without that terrain",
                )
        return ids
