"""Walks over a space at one moment, on which footprints of sources are searched."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.ranges import farthest_within
from fieldcraft.kernels.shared.arrays import Floats, read_only
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.space import Space
from fieldcraft.space.sight.lines_on_grid import sees_cells
from fieldcraft.space.sight.viewers import SightHeights, heights_for_kernels
from fieldcraft.space.wrapping import nearest_images

Cells = NDArray[np.int64]


class Found(NamedTuple):
    """The cells of a footprint, and how far each is as a share of the radius, at most 1."""

    cells: Cells
    shares: Floats

    @classmethod
    def of(cls, cells: Cells, shares: Floats) -> Found:
        """Return cells within a radius; those that are beyond it by rounding are at it."""
        return cls(cells, np.minimum(shares, 1.0))

    @classmethod
    def within(cls, radius: float, limit: float, cells: Cells, squares: Floats) -> Found:
        """Return the cells within a radius; `squares` are the squares of their distances, and
        `limit` is the largest distance that counts as within.
        """
        near = squares <= limit * limit
        return cls.of(cells[near], np.sqrt(squares[near]) / radius)


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
    def over(self, heights: SightHeights | None) -> Self:
        """Return the walks with heights that hide cells along lines of sight."""

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
        """Return whether footprints of these reaches, in cells, are the same as on open ground."""
        return np.zeros(len(cells), dtype=np.bool_)


def squared_offsets(space: Space, positions: Floats, place: Floats) -> Floats:
    """Return the squared distances of positions from a place; the short way around."""
    away = nearest_images(positions - place, space.period)
    return np.asarray((away**2).sum(axis=1))


def rounded_radius(radius: float) -> float:
    """Return a radius in cells, rounded if it is a whole number to a billionth.

    So a radius of 0.3 on cells of 0.1 reaches three cells.
    """
    rounded = round(radius)
    if math.isclose(radius, rounded, rel_tol=1e-9):
        return float(rounded)
    return radius


def counted_walk(size: float, coordinate: float = 0.0) -> float:
    """Return the longest walk within a range, both in cells or in shortest steps of a graph.

    Walks count the lengths of their steps in whole numbers of 1 / LENGTH_SCALE, so each step may be
    too long by half of one, and by as much for its resistance.
    """
    steps = size / kernels.radial.radial_search.LENGTH_SCALE
    return farthest_within(size, coordinate) + steps


class FieldOfView:
    """Cells in sight on maps of one shape; scratch is cached by radius."""

    def __init__(self) -> None:
        self._scratch: dict[tuple[int, bool], tuple[Cells, Cells, Any]] = {}

    def cells(
        self,
        walls: NDArray[np.bool_],
        opaque: NDArray[np.bool_],
        wrap: int,
        cell: int,
        radius: float,
        limit: float,
        heights: SightHeights | None = None,
    ) -> Found:
        """Return the cells in sight of one, ascending, within a radius in cells. Those within
        `limit` cells are within the radius.

        `walls` and `opaque` (height, width) are the same array where just the walls hide.
        """
        square = kernels.sight.visible.squared_reach(limit)
        key = (square, heights is not None)
        if key not in self._scratch:
            size = kernels.sight.visible.most_cells(walls.shape, square)
            scratch = kernels.sight.visible.scratch(walls.shape, square, heights=key[1])
            self._scratch[key] = np.zeros(size, np.int64), np.zeros(size, np.int64), scratch
        cells, squares, scratch = self._scratch[key]
        hides = read_only(opaque.view(np.uint8))  # kernels are declared for such arrays
        ground, eye = heights_for_kernels(heights)
        count = kernels.sight.visible.sight_cells(
            hides, ground, eye, cell, square, wrap, False, cells, squares, scratch
        )
        found = cells[:count].copy()
        away = squares[:count].astype(np.float64)
        if opaque is not walls:
            found, away = _with_opaque_cells(
                walls, opaque, wrap, cell, square, found, away, heights
            )
        return Found.of(found, np.sqrt(away) / radius)


def _with_opaque_cells(
    walls: NDArray[np.bool_],
    opaque: NDArray[np.bool_],
    wrap: int,
    cell: int,
    limit: int,
    found: Cells,
    squares: Floats,
    heights: SightHeights | None,
) -> tuple[Cells, Floats]:
    """Return the cells in sight without walls that can be seen through, and with open cells that
    hide; and the squares of their distances.
    """
    is_open = ~walls.reshape(-1)[found]
    hidden = np.setdiff1d(np.flatnonzero(opaque & ~walls), found[is_open])
    here = np.array([cell])
    limits = np.array([limit])
    cones = kernels.sight.visible.NO_CONES
    seen = sees_cells(opaque, wrap, here, hidden, limits, cones, heights=heights)[0]
    hidden = hidden[seen]
    (height, width) = walls.shape
    down = np.abs(hidden // width - cell // width)
    right = np.abs(hidden % width - cell % width)
    if wrap & WRAP_Y:
        down = np.minimum(down, height - down)
    if wrap & WRAP_X:
        right = np.minimum(right, width - right)
    cells = np.concatenate([found[is_open], hidden])
    squares = np.concatenate([squares[is_open], (down * down + right * right).astype(np.float64)])
    order = np.argsort(cells, kind="stable")
    return cells[order], squares[order]
