"""What footprints of sources are searched on: a space as it was at one moment."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.arrays import Floats, read_only
from fieldcraft.space import Space
from fieldcraft.space.cells import sees_cells

__all__ = ["FieldOfView", "Found", "Walks", "squared_offsets", "whole_radius"]

Cells = NDArray[np.int64]


class Found(NamedTuple):
    """The cells of a footprint, and how far each is as a share of the radius."""

    cells: Cells
    shares: Floats

    @classmethod
    def within(cls, radius: float, cells: Cells, squares: Floats) -> Found:
        """Return those of some cells that lie within a radius; `squares` are of their distances."""
        near = squares <= radius * radius
        return cls(cells[near], np.sqrt(squares[near]) / radius)


class Walks(ABC):
    """A space as it was at one moment: footprints cut before a change of walls can be cut again
    after it.

    `walls` (rows, columns) are laid out as an `Accumulator` of the space is.
    """

    walls: NDArray[np.bool_]

    @cached_property
    def some_walls(self) -> NDArray[np.bool_] | None:
        """The walls, if there are any."""
        return self.walls if self.walls.any() else None

    @abstractmethod
    def renewed(self) -> Self:
        """Return the walks over the space as it is now."""

    @abstractmethod
    def opened(self, cell: int, reach: float) -> Self:
        """Return the walks if the block of walls around a cell were open, up to `reach` world units
        from it.
        """

    @abstractmethod
    def search(self, metric: str, cell: int, radius: float, place: Floats | None) -> Found:
        """Return the cells within a radius of a cell, in world units.

        With a `place`, distances are measured from that position; the cells are those that can be
        reached or seen from the cell.
        """

    def open_around(self, cells: Cells, reaches: Cells) -> NDArray[np.bool_]:
        """Return whether footprints of these reaches, in cells, are those of open ground."""
        return np.zeros(len(cells), dtype=np.bool_)


def squared_offsets(space: Space, positions: Floats, place: Floats) -> Floats:
    """Return the squared distances of positions from a place; the short way around a torus."""
    away = positions - place
    if space.period is not None:
        away = (away + space.period / 2) % space.period - space.period / 2
    return np.asarray((away**2).sum(axis=1))


def whole_radius(radius: float) -> float:
    """Return a radius in cells, rounded if it is a whole number to a billionth.

    So a radius of 0.3 on cells of 0.1 reaches three cells.
    """
    whole = round(radius)
    return float(whole) if math.isclose(radius, whole, rel_tol=1e-9) else radius


class FieldOfView:
    """Cells in sight on maps of one shape; scratch is cached by radius."""

    def __init__(self) -> None:
        self._scratch: dict[int, tuple[Cells, Cells, Any]] = {}

    def cells(
        self,
        walls: NDArray[np.bool_],
        opaque: NDArray[np.bool_],
        wrap: bool,
        cell: int,
        radius: float,
    ) -> Found:
        """Return the cells in sight of one, ascending, within a radius in cells.

        `walls` and `opaque` (height, width) are the same array where just the walls hide.
        """
        limit = kernels.visible.squared_reach(radius)
        row, column = divmod(cell, walls.shape[1])
        if limit not in self._scratch:
            size = kernels.visible.most_cells(walls.shape, limit)
            scratch = kernels.visible.scratch(walls.shape, limit)
            self._scratch[limit] = np.zeros(size, np.int64), np.zeros(size, np.int64), scratch
        cells, squares, scratch = self._scratch[limit]
        hides = read_only(opaque.view(np.uint8))  # kernels are declared for such arrays
        none = kernels.visible.NO_HEIGHTS
        count = kernels.visible.sight_cells(
            hides, none, 1.0, row, column, limit, wrap, False, cells, squares, scratch
        )
        found, away = cells[:count].copy(), squares[:count].astype(np.float64)
        if opaque is not walls:
            found, away = _with_doors(walls, opaque, wrap, cell, limit, found, away)
        return Found(found, np.sqrt(away) / radius)


def _with_doors(
    walls: NDArray[np.bool_],
    opaque: NDArray[np.bool_],
    wrap: bool,
    cell: int,
    limit: int,
    found: Cells,
    squares: Floats,
) -> tuple[Cells, Floats]:
    """Return the cells in sight without walls that can be seen through, and with open cells that
    hide; and the squares of their distances.
    """
    is_open = ~walls.reshape(-1)[found]
    doors = np.setdiff1d(np.flatnonzero(opaque & ~walls), found[is_open])
    here, limits = np.array([cell]), np.array([limit])
    seen = sees_cells(opaque, wrap, here, doors, limits, kernels.visible.NO_FACINGS, -2.0)[0]
    doors, (height, width) = doors[seen], walls.shape
    down, right = np.abs(doors // width - cell // width), np.abs(doors % width - cell % width)
    if wrap:
        down, right = np.minimum(down, height - down), np.minimum(right, width - right)
    cells = np.concatenate([found[is_open], doors])
    squares = np.concatenate([squares[is_open], (down * down + right * right).astype(np.float64)])
    order = np.argsort(cells, kind="stable")
    return cells[order], squares[order]
