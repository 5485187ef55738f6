"""Squares in the plane: which cell holds a position, and where cells lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.errors import OutsideMap

__all__ = ["GridLayout"]


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
        return np.ascontiguousarray(np.array([x, y]).T)

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
        size = np.array([self.width, self.height], dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            places = np.floor((points - self.origin) / self.cell_size)
            around = np.mod(places, size) if self.wrap else places
        if self.wrap:
            wrong, places = ~np.isfinite(places).all(axis=1), around
        elif outside == "clamp":
            wrong, places = np.zeros(len(points), dtype=np.bool_), np.clip(places, 0, size - 1)
        else:
            wrong = ((places < 0) | (places >= size)).any(axis=1)
        if wrong.any():
            index = int(np.flatnonzero(wrong)[0])
            far = tuple((self.origin + size * self.cell_size).tolist())
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
        columns, rows = places.T
        rows = self.height - 1 - rows if self.y_up else rows
        return np.asarray(rows * self.width + columns, dtype=np.int64)
