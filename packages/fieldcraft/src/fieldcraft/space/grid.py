"""Rectangular grids."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.interruption import whole
from fieldcraft.space.neighborhood import (
    Neighborhood,
    Terrain,
    build_links,
    link_masks,
    patch_links,
)
from fieldcraft.space.protocol import Space
from fieldcraft.space.snapshots import GridSnapshot
from fieldcraft.space.ways import Ways, ways_on_grid

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

    from fieldcraft.space.graph import Graph

__all__ = ["MAX_CELLS", "Grid", "MapObjects"]


MAX_CELLS = 2**28


@dataclass(frozen=True, eq=False)
class MapObjects:
    """The objects of one name in a map file: the world positions of their centers, (N, 2), and the
    properties of each.
    """

    positions: NDArray[np.float64]
    properties: tuple[Mapping[str, Any], ...]


class Grid(Space):
    """A map of square cells.

    World positions are (x, y) in world units, x to the right. Arrays are [row, column] of shape
    (height, width) and
    look like the picture: row 0 is the top. With `y_up=False` y grows downwards, so row 0 holds the
    smallest y; with `y_up=True` it holds the largest. `origin` is the corner with the smallest x
    and y in both cases. A cell is `row * width + column`; it covers its left and lower-y edges, not
    the opposite ones.

    Parameters
    ----------
    width, height : int, optional
        Cells along x and y, at least 1 each and at most 2**28 together. Both may be left out where
        `walls` is an array, which then gives them.
    cell_size : float, optional
        World units per cell.
    origin : tuple[float, float], optional
        (x, y) of the corner with the smallest coordinates.
    tiles : bool, optional
        Whether positions are tiles: with True (3, 2) is the center of column 3, row 2, instead of a
        corner. It puts the origin half a cell off (0, 0); positions of other cell sizes are
        multiples of `cell_size`.
    y_up : bool, optional
        Whether y grows upwards.
    walls : array_like, optional
        Bool of shape (height, width), True where influence cannot go; or lists of 0 and 1.
    terrain : Terrain, optional
        Kinds of ground, see `Terrain`; its impassable classes are walls as well.
    neighbors : int or array_like, optional
        4, 8, or a table of (dx, dy) steps in cells along the world's axes. A diagonal never cuts a
        corner.
    wrap : bool, optional
        Whether the map is a torus.

    Raises
    ------
    InvalidValue
        For sizes, shapes and types that don't fit.
    """

    forms = ("grid",)
    axes = "(height, width)"
    objects: Mapping[str, MapObjects] = MappingProxyType({})
    """The objects of the map file that the grid was loaded from, by name. Saves leave them out."""

    def __init__(
        self,
        width: int | None = None,
        height: int | None = None,
        *,
        cell_size: float = 1.0,
        origin: tuple[float, float] | None = None,
        tiles: bool = False,
        y_up: bool = False,
        walls: ArrayLike | None = None,
        terrain: Terrain | None = None,
        neighbors: int | ArrayLike = 4,
        wrap: bool = False,
    ) -> None:
        if width is None or height is None:
            width, height = _sides(width, height, walls)
        self.width = checks.whole("width", width, minimum=1)
        self.height = checks.whole("height", height, minimum=1)
        if self.width * self.height > MAX_CELLS:
            raise InvalidValue(
                f"A grid has at most {MAX_CELLS:,} cells",
                got=f"{self.width} x {self.height}",
                remedy="Use a larger cell_size, or several maps",
            )
        self.cell_size = checks.positive("cell_size", cell_size)
        tiles = checks.flag("tiles", tiles)
        if tiles and origin is not None:
            raise InvalidValue(
                "A grid of tiles has its origin half a cell off (0, 0)",
                got=f"origin={origin!r}",
                remedy="Leave one out",
            )
        if origin is None:
            origin = (-self.cell_size / 2, -self.cell_size / 2) if tiles else (0.0, 0.0)
        corner, single = checks.positions(origin)
        if not single:
            raise InvalidValue(
                "origin is one (x, y) pair",
                got=f"origin={origin!r}",
                remedy="Pass the corner with the smallest x and y",
            )
        self.origin: tuple[float, float] = (float(corner[0, 0]), float(corner[0, 1]))
        farthest = max(
            abs(start) + extent for start, extent in zip(self.origin, self.size, strict=True)
        )
        if not farthest < 2**48 * self.cell_size or math.isinf(farthest):
            raise InvalidValue(
                "Cells are large enough for a float64 position to tell them apart",
                got=f"cell_size={cell_size!r} at coordinates up to {farthest:g}",
                remedy="Move the origin nearer to 0, or use other units",
            )
        self.y_up = checks.flag("y_up", y_up)
        self.wrap = checks.flag("wrap", wrap)
        self.neighborhood = Neighborhood.of(neighbors, y_up=self.y_up)
        if terrain is not None and not isinstance(terrain, Terrain):
            raise InvalidValue(
                "terrain is a fieldcraft.Terrain",
                got=type(terrain).__name__,
                remedy="Pass fc.Terrain(classes, enter)",
            )
        if terrain is not None and terrain.classes.shape != self.shape:
            raise InvalidValue(
                "The terrain has the map's shape (height, width)",
                got=f"{terrain.classes.shape} on a map of {self.shape}",
                remedy="Pass classes indexed [row, column]",
            )
        self.terrain = terrain
        self._walls = self._checked_walls(walls)
        if terrain is not None:
            self._walls |= terrain.walls
        self._walls.flags.writeable = False
        self._links: NDArray[np.unsignedinteger] | None = None
        self._link_masks = link_masks(self.neighborhood.steps)
        self._open_tree: cKDTree | None = None
        self._changes: list[NDArray[np.int64]] = []
        self._parent: Grid | None = None
        self._followed = 0

    @classmethod
    def from_walls(cls, walls: ArrayLike, **settings: Any) -> Grid:
        """The grid of an array of walls, bool of shape (height, width), [row, column]; settings as
        those of `Grid`.

        >>> dungeon = np.array([[1, 1, 1], [1, 0, 1]], dtype=bool)
        >>> fc.Grid.from_walls(dungeon, tiles=True)
        <Grid 3 x 2, cell_size 1, 1 open cells>
        """
        given = checks.array("walls", walls)
        if given.ndim != 2 or 0 in given.shape:
            raise InvalidValue(
                "walls have two axes, (height, width)",
                got=f"shape {given.shape}",
                remedy="Pass an array indexed [row, column]",
            )
        return cls(given.shape[1], given.shape[0], walls=given, **settings)

    def __repr__(self) -> str:
        blocked = int(np.count_nonzero(self.walls))
        extra = "".join([", y_up=True" if self.y_up else "", ", wrap=True" if self.wrap else ""])
        return (
            f"<Grid {self.width} x {self.height}, cell_size {self.cell_size:g}{extra},"
            f" {len(self) - blocked} open cells>"
        )

    def __len__(self) -> int:
        return self.width * self.height

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width): the shape of one array of values on this map."""
        return (self.height, self.width)

    @property
    def size(self) -> tuple[float, float]:
        """(x, y) extent in world units."""
        return (self.width * self.cell_size, self.height * self.cell_size)

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Bool of shape (height, width), [row, column]: True where influence cannot go. Read-only.

        Those of a coarser grid follow the grid that it was made of.
        """
        self._follow_parent()
        return self._walls

    def cell_at(self, positions: ArrayLike, *, outside: str = "refuse") -> int | NDArray[np.int64]:
        """The cells at world positions.

        `positions` is one (x, y) pair or an (N, 2) array; the answer is an int or an (N,) int64
        array. On a torus every position is on the map. Elsewhere a position outside raises
        `OutsideMap`, or with `outside="clamp"` counts as the nearest cell of the rim.
        """
        one = self._one_cell(positions)
        if one is not None and type(outside) is str and outside in ("refuse", "clamp"):
            return one
        checks.choice("outside", outside, ("refuse", "clamp"))
        points, single = checks.positions(positions)
        cells = self._located(points, outside)
        return int(cells[0]) if single else cells

    def position_of(self, cells: ArrayLike) -> NDArray[np.float64]:
        """The world positions of the centers of cells: (2,) for one cell, (N, 2) for many."""
        one: object = cells
        if isinstance(one, int) and not isinstance(one, bool) and 0 <= one < len(self):
            row, column = divmod(one, self.width)
            row = self.height - 1 - row if self.y_up else row
            return np.array(
                [
                    self.origin[0] + (column + 0.5) * self.cell_size,
                    self.origin[1] + (row + 0.5) * self.cell_size,
                ]
            )
        ids = self._checked_cells(cells)
        rows, columns = np.divmod(ids, self.width)
        if self.y_up:
            rows = self.height - 1 - rows
        return np.stack(
            [
                self.origin[0] + (columns + 0.5) * self.cell_size,
                self.origin[1] + (rows + 0.5) * self.cell_size,
            ],
            axis=-1,
        )

    def nearest_open(self, cells: ArrayLike) -> int | NDArray[np.int64]:
        """For each cell, itself if it is open, else the open cell whose center is nearest (lowest
        id on a tie).

        Raises
        ------
        InvalidValue
            If the map has no open cell.
        """
        ids = self._checked_cells(cells)
        found = np.atleast_1d(ids).copy()
        blocked = self.walls.reshape(-1)[found]
        if blocked.any():
            found[blocked] = self._nearest_open(found[blocked])
        return int(found[0]) if ids.ndim == 0 else found

    def links(self) -> NDArray[np.unsignedinteger]:
        """Which steps arrive: shape (height, width), bit `k` set where `neighborhood.steps[k]` may
        end in the cell.

        uint8 for up to 8 steps, else uint64. Walls are left by any step that ends on open ground,
        since a source may stand on one; nothing enters them. Built at the first call and kept.
        """
        self._follow_parent()
        if self._links is None:
            self._links = build_links(self._walls, self.terrain, self.neighborhood.steps, self.wrap)
            self._links.flags.writeable = False
        return self._links

    @property
    def link_masks(self) -> NDArray[np.unsignedinteger]:
        """The bit of each step in `links()`, of the same dtype: shape (len(self.neighborhood),)."""
        return self._link_masks

    @property
    def walls_version(self) -> int:
        """A number that grows whenever walls change."""
        if self._parent is not None:
            self._follow_parent()
        return len(self._changes)

    def walls_changed(self, since: int) -> NDArray[np.int64]:
        """The cells whose walls have changed since a `walls_version`, ascending; some may be as
        they were then.
        """
        changes = self._changes[since:]
        return (
            changes[0]
            if len(changes) == 1
            else np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *changes]))
        )

    def set_walls(self, cells: ArrayLike, blocked: bool = True) -> None:
        """Block or open cells, while maps on this grid run; layers notice at their next step.

        `cells` are ids or a mask, bool of shape (height, width).
        Layers on coarser cells of this grid follow; those with walls of their own don't. Raises
        `OutsideMap` for cells that don't exist and `InvalidValue` for opening what the terrain
        makes impassable.
        """
        ids = np.unique(self._checked_cells(cells))
        if (
            not checks.flag("blocked", blocked)
            and self.terrain is not None
            and self.terrain.walls.reshape(-1)[ids].any()
        ):
            bad = int(ids[self.terrain.walls.reshape(-1)[ids]][0])
            raise InvalidValue(
                "Impassable terrain stays a wall",
                got=f"cell {bad}",
                remedy="Leave it out, or use a grid without that terrain",
            )
        self._follow_parent()
        self._change_walls(ids, blocked)

    @whole
    def _change_walls(self, ids: NDArray[np.int64], blocked: bool) -> None:
        changed = ids[self._walls.reshape(-1)[ids] != blocked]
        if not len(changed):
            return
        # New arrays, so that whoever works with the old ones can finish.
        walls = self._walls.copy()
        walls.reshape(-1)[changed] = blocked
        walls.flags.writeable = False
        self._walls = walls
        if self._links is not None:
            self._links = patch_links(
                self._links, changed, walls, self.terrain, self.neighborhood.steps, self.wrap
            )
            self._links.flags.writeable = False
        self._open_tree = None
        changed.flags.writeable = False  # it is handed out as it is
        self._changes.append(changed)

    def _follow_parent(self) -> None:
        """Take over changes of the finer grid that this one was made of."""
        if self._parent is not None and self._parent.walls_version != self._followed:
            self._take_over(self._parent)

    @whole
    def _take_over(self, parent: Grid) -> None:
        self._followed = parent.walls_version
        wanted = self._coarsened(parent, round(self.cell_size / parent.cell_size)).reshape(-1)
        now = self._walls.reshape(-1)
        self._change_walls(np.flatnonzero(wanted & ~now), True)
        self._change_walls(np.flatnonzero(~wanted & now), False)

    def with_walls(self, walls: ArrayLike | None) -> Grid:
        """The same map with other walls (None for none) and no terrain: what another mobility walks
        on.
        """
        return self._derived(self.width, self.height, self.cell_size, walls, None)

    def coarser(self, cell_size: float) -> Grid:
        """The same ground in cells of `cell_size`, a whole multiple of this grid's.

        A coarse cell is open if any of its cells is, so that every open position stays open; walls
        thinner than `cell_size` therefore leak. Terrain is reduced to its walls.
        """
        size = checks.positive("cell_size", cell_size)
        ratio = size / self.cell_size
        factor = round(ratio) if ratio <= 2**31 else 0
        if factor < 1 or not math.isclose(factor * self.cell_size, size, rel_tol=1e-9):
            raise InvalidValue(
                f"A coarser cell_size is a whole multiple of the map's {self.cell_size:g}",
                got=f"cell_size={cell_size!r}",
                remedy=f"Pass {max(1, factor) * self.cell_size:g}, say",
            )
        if factor == 1:
            return self
        width, height = -(-self.width // factor), -(-self.height // factor)
        if self.wrap and (self.width % factor or self.height % factor):
            raise InvalidValue(
                "On a torus the coarser cells divide the map evenly",
                got=f"blocks of {factor} cells on a map of {self.width} x {self.height}",
                remedy=(
                    f"Pass a cell_size that is a multiple of {self.cell_size:g} and divides"
                    f" {self.size}"
                ),
            )
        coarse = self._derived(
            width, height, factor * self.cell_size, self._coarsened(self, factor), None
        )
        coarse.follow(self)
        return coarse

    @property
    def world_steps(self) -> list[tuple[int, int]]:
        """The steps as `neighbors` takes them: (dx, dy) in cells along the world's axes."""
        return [(dx, -dy if self.y_up else dy) for dx, dy in self.neighborhood.steps]

    @property
    def parent(self) -> Grid | None:
        """The finer grid whose walls this one follows, if it was made by `coarser`."""
        return self._parent

    def to_graph(self) -> Graph:
        """The same ground as a graph: a vertex at the center of each cell, with its number, and an
        edge for each step.

        What spreads on it comes to the same values. Walls become blocked vertices, with the edges
        that they would have if each alone were opened; other walls' corners stay as they are now.
        Blocked vertices hide as walls do, so that what is seen is the same too; closed edges don't.
        Later changes of this grid are not followed: block and open the vertices. Nobody walks
        between vertices.
        """
        from fieldcraft.space.graph import graph_of

        return graph_of(self)

    @property
    def dimensions(self) -> int:
        """2: positions are (x, y)."""
        return 2

    @property
    def extent(self) -> NDArray[np.float64]:
        """The lowest and the highest corner, (2, 2), in world units."""
        low = np.array(self.origin)
        return np.stack([low, low + self.size])

    @property
    def areas(self) -> NDArray[np.float64]:
        """The area that each cell stands for, (N,), in square world units. Read-only."""
        return np.broadcast_to(np.float64(self.cell_size**2), len(self))

    @property
    def sight_grid(self) -> Grid:
        """The grid itself: lines of sight run over its cells."""
        return self

    @property
    def graph(self) -> Graph:
        """Raise `InvalidValue`: a grid keeps no graph of itself."""
        raise InvalidValue("A grid is not a graph", got=repr(self), remedy="Use grid.to_graph()")

    def describe(self, cell: int | None = None) -> str:
        """The size, "40 x 30", or where a cell is: "row 2, column 5 (cell 85)"."""
        if cell is None:
            return f"{self.width} x {self.height}"
        cell = checks.cell("cell", cell, len(self))
        return f"row {cell // self.width}, column {cell % self.width} (cell {cell})"

    def snapshot(self) -> GridSnapshot:
        """Walls and links as they are now."""
        return GridSnapshot.of(self)

    def steps_into(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The cells, walls among them, from which one step leads into a cell, and the lengths of
        these steps.
        """
        row, column = divmod(cell, self.width)
        steps = np.array(self.neighborhood.steps)
        lengths = self.neighborhood.lengths(self.cell_size)
        rows, columns = row - steps[:, 1], column - steps[:, 0]
        if self.wrap:
            rows, columns = rows % self.height, columns % self.width
        into = self.links().reshape(-1)[cell]
        arrives = (into >> np.arange(len(steps), dtype=into.dtype)) & into.dtype.type(1) != 0
        return (rows * self.width + columns)[arrives], lengths[arrives]

    def _find_ways(self, *, from_walls: bool) -> Ways:
        return ways_on_grid(self, from_walls=from_walls)

    def _typical(self, median: float) -> float:
        return float(self.neighborhood.lengths(self.cell_size).min())

    def difference(self, other: object) -> str:
        """The first of shape, cell_size, origin, y_up and wrap in which another grid differs; walls
        may differ.
        """
        if not isinstance(other, Grid):
            return f"on {other!r}"
        for name in ("shape", "cell_size", "origin", "y_up", "wrap"):
            mine, yours = getattr(self, name), getattr(other, name)
            if mine != yours:
                return f"with {name} {yours} on a space with {name} {mine}"
        return ""

    def follow(self, parent: Grid) -> None:
        """Take over what changes from now on in the walls of the finer grid that this one was made
        of.
        """
        self._parent, self._followed = parent, parent.walls_version

    @staticmethod
    def _coarsened(grid: Grid, factor: int) -> NDArray[np.bool_]:
        """Whether all cells of each block of `factor` x `factor` are walls."""
        width, height = -(-grid.width // factor), -(-grid.height // factor)
        # Blocks are counted from `origin`, which is at the bottom of the array where y grows
        # upwards.
        left = np.arange(width) * factor
        top = (
            np.maximum(grid.height - np.arange(height, 0, -1) * factor, 0)
            if grid.y_up
            else np.arange(height) * factor
        )
        return np.asarray(
            np.logical_and.reduceat(np.logical_and.reduceat(grid.walls, top, axis=0), left, axis=1)
        )

    def _derived(
        self,
        width: int,
        height: int,
        cell_size: float,
        walls: ArrayLike | None,
        terrain: Terrain | None,
    ) -> Grid:
        return Grid(
            width,
            height,
            cell_size=cell_size,
            origin=self.origin,
            y_up=self.y_up,
            walls=walls,
            terrain=terrain,
            neighbors=self.world_steps,
            wrap=self.wrap,
        )

    def _checked_walls(self, walls: ArrayLike | None) -> NDArray[np.bool_]:
        if walls is None:
            return np.zeros(self.shape, dtype=np.bool_)
        array = checks.array("walls", walls)
        if array.shape != self.shape:
            hint = (
                " (these look like [x, y]: transpose them)"
                if array.shape == self.shape[::-1]
                else ""
            )
            raise InvalidValue(
                "walls have the map's shape (height, width)",
                got=f"shape {array.shape} on a map of {self.shape}{hint}",
                remedy="Pass an array indexed [row, column]",
            )
        if isinstance(walls, list | tuple) and np.isin(array, (0, 1)).all():
            array = array.astype(bool)
        if array.dtype != np.bool_:
            raise InvalidValue(
                "walls are an array of bool, or lists of 0 and 1 (1 is a wall)",
                got=f"dtype {array.dtype}",
                remedy="Pass `array == 0` or `array != 0`, whichever means wall",
            )
        return array.copy()

    def _history(self) -> dict[str, Any]:
        return {"_changes": self._changes, "_parent": self._parent, "_followed": self._followed}

    def _located(self, points: NDArray[np.float64], outside: str) -> NDArray[np.int64]:
        with np.errstate(over="ignore"):
            columns = np.floor((points[:, 0] - self.origin[0]) / self.cell_size)
            rows = np.floor((points[:, 1] - self.origin[1]) / self.cell_size)
        if self.wrap:
            countable = np.isfinite(columns) & np.isfinite(rows)
            if not countable.all():
                raise OutsideMap(
                    "Positions on a torus are near enough for their cell to be counted",
                    got=f"{tuple(points[int(np.flatnonzero(~countable)[0])].tolist())}",
                    remedy="Bring the position nearer to the map",
                )
            columns, rows = np.mod(columns, self.width), np.mod(rows, self.height)
        elif outside == "clamp":
            columns, rows = np.clip(columns, 0, self.width - 1), np.clip(rows, 0, self.height - 1)
        else:
            bad = (columns < 0) | (columns >= self.width) | (rows < 0) | (rows >= self.height)
            if bad.any():
                index = int(np.flatnonzero(bad)[0])
                far = (self.origin[0] + self.size[0], self.origin[1] + self.size[1])
                raise OutsideMap(
                    f"Positions lie on the map, from {self.origin} up to but not including {far}",
                    got=f"{tuple(points[index].tolist())}"
                    + (f" at index {index}" if len(points) > 1 else ""),
                    remedy='Mend the position, or pass outside="clamp"',
                )
        if self.y_up:
            rows = self.height - 1 - rows
        return (rows * self.width + columns).astype(np.int64)

    def _one_cell(self, position: ArrayLike) -> int | None:
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

    def _nearest_open(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        open_cells = np.flatnonzero(~self._walls.reshape(-1))
        if not len(open_cells):
            raise InvalidValue(
                "A map needs an open cell to stand on",
                got="walls everywhere",
                remedy="Open a cell, or let the source act through the wall",
            )
        if self._open_tree is None:
            from scipy.spatial import (
                cKDTree,
            )  # loading it takes longer than all of `import fieldcraft`

            period = (self.height, self.width) if self.wrap else None
            self._open_tree = cKDTree(
                np.stack(np.divmod(open_cells, self.width), axis=1), boxsize=period
            )
        points = np.stack(np.divmod(cells, self.width), axis=1)
        distance, _ = self._open_tree.query(points)
        # The tree breaks ties as it likes; the rule is the lowest id.
        ties = self._open_tree.query_ball_point(points, distance + 1e-6, return_sorted=True)
        return np.array([open_cells[near[0]] for near in ties], dtype=np.int64)


def _sides(width: int | None, height: int | None, walls: ArrayLike | None) -> tuple[int, int]:
    """Return the width and height of a grid whose walls are given as an array."""
    shape = np.shape(walls) if walls is not None else ()
    if width is not None or height is not None or len(shape) != 2:
        raise InvalidValue(
            "A grid needs width and height, or walls as an array of shape (height, width)",
            got=f"width={width!r}, height={height!r}, walls of shape {shape}",
            remedy="Pass fc.Grid(width, height) or fc.Grid(walls=array)",
        )
    return shape[1], shape[0]
