"""Where the cells of a grid are: their positions, coarser cells, and the nearest of some cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.base.words import OUTSIDE, IfOutside
from fieldcraft.kernels.shared.arrays import is_rows
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y, GridFrame
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.space import Space
from fieldcraft.space.wrapping import Wrap, flags_of


@dataclass(frozen=True)
class GridLayout:
    """Rows and columns of squares, row by row; `origin` is the corner with the smallest x and y."""

    width: int
    height: int
    cell_size: float
    origin: tuple[float, float]
    y_up: bool
    wrap: Wrap
    frame: GridFrame = field(init=False, repr=False, compare=False)
    """The layout as kernels take it."""

    def __post_init__(self) -> None:
        wrap = flags_of(self.wrap)
        frame = GridFrame(*self.origin, self.cell_size, self.width, self.height, self.y_up, wrap)
        object.__setattr__(self, "frame", frame)

    def centers(self, cells: int | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the world positions of the centers of cells: (2,) for one, (N, 2) for many."""
        rows, columns = divmod(cells, self.width)
        if self.y_up:
            rows = self.height - 1 - rows
        x = self.origin[0] + (columns + 0.5) * self.cell_size
        y = self.origin[1] + (rows + 0.5) * self.cell_size
        if isinstance(cells, int):
            return np.array([x, y])
        found = np.empty((*cells.shape, 2))
        found[..., 0] = x
        found[..., 1] = y
        return found

    def cell_of(self, position: ArrayLike) -> int | None:
        """Return the cell of one pair of floats on the map, or None for any other argument."""
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
        column = (x - self.origin[0]) / self.cell_size
        row = (y - self.origin[1]) / self.cell_size
        if not (0 <= column < self.width and 0 <= row < self.height):
            return None
        if self.y_up:
            return (self.height - 1 - int(row)) * self.width + int(column)
        return int(row) * self.width + int(column)

    def cells(self, points: NDArray[np.float64], outside: IfOutside) -> NDArray[np.int64]:
        """Return the cells (N,) of positions (N, 2); see `Grid.cell_at`."""
        found = np.empty(len(points), dtype=np.int64)
        refused = kernels.shared.places.cells(points, None, self.frame, outside == "clamp", found)
        if refused >= 0:
            raise self._off_map(points, refused)
        return found

    def quick_cells(
        self, positions: object, outside: str, walls: NDArray[np.bool_] | None
    ) -> NDArray[np.int64] | None:
        """See `Space._quick_cells`."""
        if type(outside) is not str or outside not in OUTSIDE or not is_rows(positions, 2):
            return None
        found = np.empty(len(positions), dtype=np.int64)
        refused = kernels.shared.places.cells(
            positions, walls, self.frame, outside == "clamp", found
        )
        if refused >= 0:
            return None
        return found

    def _off_map(self, points: NDArray[np.float64], index: int) -> OutsideMap:
        """Return the error for a position that is not on the map."""
        where = str(tuple(points[index].tolist()))
        if len(points) > 1:
            where += f" at index {index}"
        is_finite = bool(np.isfinite(points[index]).all())
        if self.wrap is True or (self.wrap and not is_finite):
            rule = "Positions on a map that wraps have a finite column and row"
            return OutsideMap(rule, got=where, remedy="Bring the position nearer to the map")
        far = tuple(
            low + count * self.cell_size
            for low, count in zip(self.origin, (self.width, self.height), strict=True)
        )
        rule = f"Positions lie on the map, from {self.origin} up to but not including {far}"
        if self.wrap == "x":
            rule = f"y lies on the map, from {self.origin[1]:g} up to but not including {far[1]:g}"
        elif self.wrap == "y":
            rule = f"x lies on the map, from {self.origin[0]:g} up to but not including {far[0]:g}"
        return OutsideMap(
            rule,
            got=where,
            remedy='Correct the position, or pass outside="clamp"',
        )


def sides_of(width: int | None, height: int | None, walls: ArrayLike | None) -> tuple[int, int]:
    """Return the width and height of a grid whose walls are given as an array."""
    shape: tuple[int, ...] = ()
    if walls is not None:
        shape = checks.array("walls", walls).shape
    if width is not None or height is not None or len(shape) != 2:
        raise InvalidValue(
            "A grid needs width and height, or walls with two axes, (height, width)",
            got=f"width={width!r}, height={height!r}, walls of shape {shape}",
            remedy="Pass fc.Grid(width, height) or fc.Grid(walls=array)",
        )
    return shape[1], shape[0]


def origin_of(
    origin: tuple[float, float] | None, tiles: bool, cell_size: float
) -> tuple[float, float]:
    """Return the origin of a grid, by default half a cell before (0, 0) for `tiles`."""
    if tiles and origin is not None:
        raise InvalidValue(
            "A grid of tiles has its origin half a cell off (0, 0)",
            got=f"origin={origin!r}",
            remedy="Pass only one of them",
        )
    if origin is None:
        if tiles:
            return (-cell_size / 2, -cell_size / 2)
        return (0.0, 0.0)
    x, y = checks.position(origin, "origin is one (x, y) pair").tolist()
    return x, y


def coarse_cells(grid: GridLayout, cell_size: float) -> tuple[int, tuple[int, int]]:
    """Return how many cells of a grid a cell of this size is wide, and how many rows and columns
    of these there are.
    """
    size = checks.positive("cell_size", cell_size)
    ratio = size / grid.cell_size
    if ratio <= 2**31:
        factor = round(ratio)
    else:
        factor = 0
    if factor < 1 or not math.isclose(factor * grid.cell_size, size, rel_tol=1e-9):
        raise InvalidValue(
            f"A coarser cell_size is a whole multiple of the map's {grid.cell_size:g}",
            got=f"cell_size={cell_size!r}",
            remedy=f"Pass {max(1, factor) * grid.cell_size:g}, say",
        )
    flags = flags_of(grid.wrap)
    if (flags & WRAP_X and grid.width % factor) or (flags & WRAP_Y and grid.height % factor):
        raise InvalidValue(
            "Coarser cells divide a map evenly along axes that wrap",
            got=f"blocks of {factor} cells on a map of {grid.width} x {grid.height}",
            remedy=(
                f"Pass a cell_size that is a multiple of {grid.cell_size:g} and divides"
                f" {(grid.width * grid.cell_size, grid.height * grid.cell_size)}"
            ),
        )
    return factor, (-(-grid.height // factor), -(-grid.width // factor))


def coarse_walls(walls: NDArray[np.bool_], factor: int, *, y_up: bool) -> NDArray[np.bool_]:
    """Return whether all cells of each block of `factor` x `factor` cells are walls."""
    height, width = walls.shape
    left = np.arange(0, width, factor)
    # Blocks are counted from `origin`, which is at the bottom of the array where y grows upwards.
    top = np.arange(0, height, factor)
    if y_up:
        top = np.maximum(height - top[::-1] - factor, 0)
    rows = np.logical_and.reduceat(walls, top, axis=0)
    return np.asarray(np.logical_and.reduceat(rows, left, axis=1))


def nearest_of(
    grid: Space, free: NDArray[np.int64], cells: NDArray[np.int64], *, wrap: int
) -> NDArray[np.int64]:
    """Return for each cell of a grid the nearest of the cells `free`, ascending: all open ones, or
    some. `wrap` says which axes wrap, see `Space.wrap_flags`.
    """
    if len(free) == len(grid) - np.count_nonzero(grid.walls):
        tiles = _tiles_of_open_cells(grid)
    else:
        tiles = _tiles_of(grid, free)
    values, bounds, closed = tiles
    rows, columns = np.divmod(cells, grid.shape[1])
    centers = np.stack([columns, rows], axis=1) + 0.5
    rule = kernels.values.best.BestRule(
        y_up=False, wrap=wrap, sign=np.float32(1), reach2=np.inf, spacing2=0.0
    )
    found = np.full((len(cells), 1), -1, dtype=np.int64)
    # Of equal values the kernel takes the nearest cell, of equally near ones the lowest.
    kernels.values.best.best(values, bounds, centers, rule, False, 0, len(cells), found, closed)
    return found[:, 0]


_Tiles = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.uint8]]
"""Values that are all equal, the highest ones of tiles, and the cells that are not free."""


@cached_until_walls_change
def _tiles_of_open_cells(grid: Space) -> _Tiles:
    return _tiles_of(grid, np.flatnonzero(~grid.walls.reshape(-1)))


def _tiles_of(grid: Space, free: NDArray[np.int64]) -> _Tiles:
    height, width = grid.shape
    tile = kernels.values.best.TILE
    values = np.zeros(grid.shape, dtype=np.float32)
    closed = np.ones(grid.shape, dtype=np.uint8)
    closed.reshape(-1)[free] = 0
    bounds = np.empty((-(-height // tile), -(-width // tile)), dtype=np.float32)
    kernels.values.best.bounds(values, closed, np.float32(1), bounds)
    return values, bounds, closed
