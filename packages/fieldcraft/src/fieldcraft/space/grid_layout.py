"""Squares in the plane: which cell holds a position, and where cells lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, OutsideMap

__all__ = ["GridLayout", "sides_of"]

_NONE = np.zeros(0, dtype=np.bool_)


@dataclass(frozen=True)
class GridLayout:
    """Rows and columns of squares, row by row; `origin` is the corner with the smallest x and y."""

    width: int
    height: int
    cell_size: float
    origin: tuple[float, float]
    y_up: bool
    wrap: bool

    def centers(self, cells: int | NDArray[np.int64]) -> NDArray[np.float64]:
        """The world positions of the centers of cells: (2,) for one, (N, 2) for many."""
        rows, columns = divmod(cells, self.width)
        rows = self.height - 1 - rows if self.y_up else rows
        x = self.origin[0] + (columns + 0.5) * self.cell_size
        y = self.origin[1] + (rows + 0.5) * self.cell_size
        return np.array([x, y]) if isinstance(cells, int) else np.stack([x, y], axis=-1)

    def cell_of(self, position: ArrayLike) -> int | None:
        """The cell of one pair of floats on the map; None for anything that takes a closer look."""
        if type(position) is np.ndarray:
            if position.shape != (2,) or position.dtype != np.float64:
                return None
            x, y = position.tolist()
        elif (
            isinstance(position, tuple)
            and len(position) == 2
            and type(position[0]) is type(position[1]) is float
        ):
            x, y = position
        else:
            return None
        column, row = (x - self.origin[0]) / self.cell_size, (y - self.origin[1]) / self.cell_size
        if not (0 <= column < self.width and 0 <= row < self.height):
            return None
        return (self.height - 1 - int(row) if self.y_up else int(row)) * self.width + int(column)

    def cells(self, points: NDArray[np.float64], outside: str) -> NDArray[np.int64]:
        """The cells of positions (N, 2), (N,); see `Grid.cell_at`."""
        with np.errstate(over="ignore"):
            columns = np.floor((points[:, 0] - self.origin[0]) / self.cell_size)
            rows = np.floor((points[:, 1] - self.origin[1]) / self.cell_size)
        wrong = _NONE
        if self.wrap:
            wrong = ~(np.isfinite(columns) & np.isfinite(rows))
        elif outside == "clamp":
            columns, rows = np.clip(columns, 0, self.width - 1), np.clip(rows, 0, self.height - 1)
        else:
            wrong = (columns < 0) | (columns >= self.width) | (rows < 0) | (rows >= self.height)
        if wrong.any():
            index = int(np.flatnonzero(wrong)[0])
            far = tuple(
                low + count * self.cell_size
                for low, count in zip(self.origin, (self.width, self.height), strict=True)
            )
            raise OutsideMap(
                "Positions on a torus are near enough for their cell to be counted"
                if self.wrap
                else f"Positions lie on the map, from {self.origin} up to but not including {far}",
                got=f"{tuple(points[index].tolist())}"
                + (f" at index {index}" if len(points) > 1 else ""),
                remedy="Bring the position nearer to the map"
                if self.wrap
                else 'Mend the position, or pass outside="clamp"',
            )
        if self.wrap:
            columns, rows = np.mod(columns, self.width), np.mod(rows, self.height)
        rows = self.height - 1 - rows if self.y_up else rows
        return np.asarray(rows * self.width + columns, dtype=np.int64)


def sides_of(width: int | None, height: int | None, walls: ArrayLike | None) -> tuple[int, int]:
    """Return the width and height of a grid whose walls are given as an array."""
    shape = () if walls is None else checks.array("walls", walls).shape
    if width is not None or height is not None or len(shape) != 2:
        raise InvalidValue(
            "A grid needs width and height, or walls with two axes, (height, width)",
            got=f"width={width!r}, height={height!r}, walls of shape {shape}",
            remedy="Pass fc.Grid(width, height) or fc.Grid(walls=array)",
        )
    return shape[1], shape[0]
