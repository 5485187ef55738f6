"""The geometry of a world: positions and cells, walls that are read in parts, and changes of
them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.base.words import IfOutside
from fieldcraft.space import Grid
from fieldcraft_cluster.partition import Box

if TYPE_CHECKING:
    from fieldcraft_cluster.transfer import WorldPlan

Make = Callable[[slice, slice], ArrayLike]


class LazyArray:
    """A value for each cell of a map that may be too large for memory, read in parts.

    `source` is None for zeros, an array-like of shape (height, width) that can be sliced (NumPy, a
    memory map, zarr), or a function of a slice of rows and a slice of columns that returns the
    array there, the same each time.
    """

    def __init__(self, source: Any, shape: tuple[int, int], dtype: type, what: str) -> None:
        is_made = source is None or (callable(source) and not isinstance(source, type))
        if not is_made and not hasattr(source, "shape"):
            source = checks.array(what, source)
        self.source = source
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.what = what
        if not is_made:
            given = tuple(source.shape)
            if given != shape:
                raise InvalidValue(
                    f"{what} have the map's shape (height, width)",
                    got=f"shape {given} on a map of {shape}",
                    remedy="Pass an array indexed [row, column], or a function of two slices",
                )

    def read(self, box: Box) -> NDArray[Any]:
        """Return the values of a box; beyond the map those of its other side."""
        found = np.zeros(box.shape, dtype=self.dtype)
        if self.source is None:
            return found
        for rows, to_rows in _segments(box.top, box.bottom, self.shape[0]):
            for columns, to_columns in _segments(box.left, box.right, self.shape[1]):
                found[to_rows, to_columns] = self._part(rows, columns)
        return found

    def _part(self, rows: slice, columns: slice) -> NDArray[Any]:
        if callable(self.source):
            part = np.asarray(self.source(rows, columns))
        else:
            part = np.asarray(self.source[rows, columns])
        wanted = (rows.stop - rows.start, columns.stop - columns.start)
        if (
            part.shape != wanted
            or (self.dtype == np.bool_ and part.dtype != np.bool_)
            or part.dtype.kind not in "biuf"
        ):
            raise InvalidValue(
                f"{self.what} of rows {rows.start} to {rows.stop} and columns {columns.start} to"
                f" {columns.stop} are {self.dtype} of shape {wanted}",
                got=f"{part.dtype} of shape {part.shape}",
                remedy="Correct the function: it takes two slices and returns the array there",
            )
        return part


def _segments(low: int, high: int, size: int) -> list[tuple[slice, slice]]:
    """Split a range that may lie beyond the edges of a line of `size` cells where it begins again:
    return the slices of the line, and their places in the range.
    """
    found = []
    at = low
    while at < high:
        place = at % size
        length = min(size - place, high - at)
        found.append((slice(place, place + length), slice(at - low, at - low + length)))
        at += length
    return found


class WallChanges:
    """All cells whose walls have changed since the world was created, ascending."""

    def __init__(
        self, cells: NDArray[np.int64] | None = None, blocked: NDArray[np.bool_] | None = None
    ) -> None:
        if cells is None:
            self.cells = np.zeros(0, dtype=np.int64)
        else:
            self.cells = cells
        if blocked is None:
            self.blocked = np.zeros(0, dtype=np.bool_)
        else:
            self.blocked = blocked

    def add(self, cells: NDArray[np.int64], blocked: bool) -> None:
        """Block or open cells, ascending."""
        is_other = ~np.isin(self.cells, cells)
        every = np.concatenate([self.cells[is_other], cells])
        order = np.argsort(every)
        self.cells = every[order]
        self.blocked = np.concatenate([self.blocked[is_other], np.full(len(cells), blocked)])[order]

    def apply(self, walls: NDArray[np.bool_], box: Box, shape: tuple[int, int]) -> None:
        """Apply the changes to the initial walls of a box."""
        if not len(self.cells):
            return
        for rows, to_rows in _segments(box.top, box.bottom, shape[0]):
            first, last = np.searchsorted(self.cells, (rows.start * shape[1], rows.stop * shape[1]))
            down, right = np.divmod(self.cells[first:last], shape[1])
            for columns, to_columns in _segments(box.left, box.right, shape[1]):
                here = (right >= columns.start) & (right < columns.stop)
                part = walls[to_rows, to_columns]
                blocked = self.blocked[first:last][here]
                part[down[here] - rows.start, right[here] - columns.start] = blocked


def walls_in(cover: LazyArray, changes: WallChanges, box: Box) -> NDArray[np.bool_]:
    """Return the current walls of a box."""
    walls = cover.read(box)
    changes.apply(walls, box, cover.shape)
    return walls


def grid_of(plan: WorldPlan, box: Box, walls: NDArray[np.bool_], origin: Any = (0, 0)) -> Grid:
    """Return a grid of the cells of a box."""
    return Grid(
        box.shape[1],
        box.shape[0],
        cell_size=plan.cell_size,
        origin=origin,
        y_up=plan.y_up,
        neighbors=np.array(plan.neighbors),
        walls=walls,
    )


class WorldGeometry:
    """Positions, cells and walls of a map that may be too large for memory."""

    plan: WorldPlan
    wall_changes: WallChanges
    """The walls that have changed since the world was created."""

    def cells(
        self, positions: ArrayLike, *, outside: IfOutside = "refuse"
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows and columns of world positions, (N,) each; see `Grid.cell_at`."""
        checks.choice("outside", outside, ("refuse", "clamp"))
        points, _ = checks.positions(positions)
        plan = self.plan
        with np.errstate(over="ignore"):
            columns = np.floor((points[:, 0] - plan.origin[0]) / plan.cell_size)
            rows = np.floor((points[:, 1] - plan.origin[1]) / plan.cell_size)
        if plan.wrap and np.isfinite(columns).all() and np.isfinite(rows).all():
            if plan.wraps_x:
                columns = np.mod(columns, plan.width)
            if plan.wraps_y:
                rows = np.mod(rows, plan.height)
        if outside == "clamp":
            columns = np.clip(columns, 0, plan.width - 1)
            rows = np.clip(rows, 0, plan.height - 1)
        bad = ~((columns >= 0) & (columns < plan.width) & (rows >= 0) & (rows < plan.height))
        if bad.any():
            index = int(np.flatnonzero(bad)[0])
            far = (
                plan.origin[0] + plan.width * plan.cell_size,
                plan.origin[1] + (plan.height * plan.cell_size),
            )
            raise OutsideMap(
                f"Positions lie on the map, from {plan.origin} up to but not including {far}",
                got=f"{tuple(points[index].tolist())} at index {index}",
                remedy='Correct the position, or pass outside="clamp"',
            )
        if plan.y_up:
            rows = plan.height - 1 - rows
        return rows.astype(np.int64), columns.astype(np.int64)

    def box(self, low: ArrayLike, high: ArrayLike) -> Box:
        """Return the box of the cells between two world positions; raises `OutsideMap`."""
        rows, columns = self.cells([checks.pair("low", low), checks.pair("high", high)])
        return Box(int(rows.min()), int(rows.max()) + 1, int(columns.min()), int(columns.max()) + 1)

    def grid(self, box: Box) -> Grid:
        """Return a box of the map as a grid, at its place in the world, with its current walls."""
        plan = self.plan
        size = self.plan.cell_size
        if plan.y_up:
            below = plan.height - box.bottom
        else:
            below = box.top
        origin = (plan.origin[0] + box.left * size, plan.origin[1] + below * size)
        return grid_of(plan, box, walls_in(plan.walls, self.wall_changes, box), origin)

    def walls_at(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether cells are walls, (N,)."""
        found = np.zeros(len(rows), dtype=np.bool_)
        tile = min(self.plan.block, 256)
        keys = rows // tile * (self.plan.width // tile + 1) + columns // tile
        for key in np.unique(keys).tolist():
            here = keys == key
            down = rows[here]
            right = columns[here]
            box = Box(int(down.min()), int(down.max()) + 1, int(right.min()), int(right.max()) + 1)
            found[here] = walls_in(self.plan.walls, self.wall_changes, box)[
                down - box.top, right - box.left
            ]
        return found

    def check_around(self, cells: int, what: str) -> None:
        """Refuse a radius that would reach itself around an axis that wraps."""
        plan = self.plan
        side = 2 * cells + 1
        if (plan.wraps_x and side > plan.width) or (plan.wraps_y and side > plan.height):
            raise InvalidValue(
                "A radius does not reach around a map that wraps, where cells would count twice",
                got=f"{what} on {plan.width} x {plan.height}",
                remedy="Use one fieldcraft.Grid: a map as small as this fits into an array",
            )
