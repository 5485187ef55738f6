"""Rectangular grids."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.base.synonyms import refuse_to_set
from fieldcraft.base.words import OUTSIDE, Corners, IfOutside
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.cached import cached
from fieldcraft.space.cells import Many, One, checked_cells
from fieldcraft.space.changes import WallChanges
from fieldcraft.space.grid.grid_adjacency import adjacency_of_links
from fieldcraft.space.grid.grid_layout import (
    GridLayout,
    coarse_cells,
    coarse_walls,
    nearest_of,
    origin_of,
    sides_of,
)
from fieldcraft.space.grid.neighborhood import (
    Neighborhood,
    Terrain,
    build_links,
    link_masks,
    patch_links,
)
from fieldcraft.space.opacity import match_opacity
from fieldcraft.space.rows_and_columns import (
    back_on_map,
    changeable_cells,
    check_precision,
    checked_walls,
    described,
    first_difference,
    text_of,
)
from fieldcraft.space.space import Space
from fieldcraft.space.wrapping import Wrap, checked_wrap, flags_of, period_of

if TYPE_CHECKING:
    from fieldcraft.space.graph.graph import Graph
    from fieldcraft.space.grid.map_objects import MapObjects

MAX_CELLS = 2**28
_PLACEMENT = ("shape", "cell_size", "origin", "y_up", "wrap")
"""The attributes that determine where cells are."""


class Grid(Space):
    """Map of square cells.

    World positions are (x, y) in world units, x to the right. Arrays are [row, column] of shape
    (height, width) and look like the picture: row 0 is the top. With `y_up=False` y grows
    downwards, so row 0 holds the smallest y; with `y_up=True` it holds the largest. `origin` is the
    corner with the smallest x and y in both cases. A cell is `row * width + column`; it covers its
    left and lower-y edges, not the opposite ones.

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
        corner. The origin is then half a cell off (0, 0); positions are multiples of `cell_size`.
    y_up : bool, optional
        Whether y grows upwards.
    walls : array_like, optional
        Bool of shape (height, width), True where the ground is blocked; or lists of 0 and 1; or a
        condition on maps of that shape, such as `clearance < 2`.
    terrain : Terrain, optional
        Kinds of ground, see `Terrain`; its impassable classes are walls as well.
    neighbors : int or array_like, optional
        4, 8, or a table of (dx, dy) steps in cells along the world's axes. Steps of more than one
        cell jump over walls between, as those of a knight in chess: see `Neighborhood`.
    corners : {"never", "if-one-open", "cut"}, optional
        Whether a diagonal step passes blocked cells beside it: never, if one of the two is open, or
        always, as in tcod and Mesa. Sight does not depend on it.
    wrap : bool or {"x", "y"}, optional
        Which edges are joined: with "x" the left and the right one, a cylinder; with "y" the upper
        and the lower one; with True both, a torus.

    Raises
    ------
    InvalidValue
        For wrong sizes, shapes and types.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 1],
    ...                       [1, 0, 0]])
    >>> grid
    <Grid 3 x 2, cell_size 1, 4 open cells>
    >>> grid.cell_at((2.5, 1.5))
    5
    >>> grid.position_of(5)
    array([2.5, 1.5])
    """

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
        corners: Corners = "never",
        wrap: Wrap = False,
    ) -> None:
        if width is None or height is None:
            width, height = sides_of(width, height, walls)
        self.width = checks.integer("width", width, minimum=1)
        self.height = checks.integer("height", height, minimum=1)
        if self.width * self.height > MAX_CELLS:
            raise InvalidValue(
                f"A grid has at most {MAX_CELLS:,} cells",
                got=f"{self.width} x {self.height}",
                remedy="Use a larger cell_size, or several maps",
            )
        self.cell_size = checks.positive("cell_size", cell_size)
        self.origin = origin_of(origin, checks.flag("tiles", tiles), self.cell_size)
        farthest = max(abs(low) + side for low, side in zip(self.origin, self.size, strict=True))
        check_precision("cell_size", self.cell_size, farthest)
        self.y_up = checks.flag("y_up", y_up)
        self.wrap = checked_wrap(wrap)
        self.neighborhood = Neighborhood.of(neighbors, y_up=self.y_up, corners=corners)
        self.layout = GridLayout(
            self.width, self.height, self.cell_size, self.origin, self.y_up, self.wrap
        )
        self._walls = checked_walls(self, walls, terrain)
        self._walls.flags.writeable = False
        self.terrain = terrain
        self._links: NDArray[np.unsignedinteger] | None = None
        self._link_masks = link_masks(self.neighborhood.steps)
        self._changes = WallChanges(len(self))
        self._parent: Grid | None = None
        self._followed = 0

    def _compared(self) -> tuple[ArrayLike, ...]:
        compared = (self.walls, self.opaque, self.world_steps, self.corners)
        if self.terrain is None:
            return compared
        return *compared, self.terrain.classes, self.terrain.enter

    def __len__(self) -> int:
        return self.width * self.height

    def __repr__(self) -> str:
        return text_of(self, f"cell_size {self.cell_size:g}", wrap=self.wrap)

    def describe(self, cell: int | None = None) -> str:
        """Return the size, "40 x 30", or the place of a cell: "row 2, column 5 (cell 85)"."""
        return described(self, cell)

    def describe_difference(self, other: object) -> str:
        """Return the first difference in where cells are; see `Space.describe_difference`."""
        if not isinstance(other, Grid):
            return f"on {other!r}"
        return first_difference(self, other, _PLACEMENT)

    def wrapped(self, positions: NDArray[Any]) -> NDArray[np.float64]:
        """See `Space.wrapped`."""
        return back_on_map(positions, self.origin, self.period)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of one array of values on this map: (height, width)."""
        return (self.height, self.width)

    @property
    def size(self) -> tuple[float, float]:
        """The extent along x and y, in world units."""
        return (self.width * self.cell_size, self.height * self.cell_size)

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Which cells are walls: bool of shape (height, width), [row, column].

        It is read-only: `set_walls` changes walls.
        """
        if self._parent is not None:
            self._follow_parent()
        return self._walls

    if not TYPE_CHECKING:  # type checkers refuse it themselves
        walls = walls.setter(refuse_to_set("walls"))

    @overload
    def cell_at(self, positions: One, *, outside: IfOutside = ...) -> int: ...
    @overload
    def cell_at(self, positions: Many, *, outside: IfOutside = ...) -> NDArray[np.int64]: ...
    @overload
    def cell_at(
        self, positions: ArrayLike, *, outside: IfOutside = ...
    ) -> int | NDArray[np.int64]: ...
    def cell_at(
        self, positions: ArrayLike, *, outside: IfOutside = "refuse"
    ) -> int | NDArray[np.int64]:
        """Return the cells at world positions; see `Space.cell_at`.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions.
        outside : {"refuse", "clamp"}
            With "clamp" positions off the map count as in the nearest cell.
        """
        one = self.layout.cell_of(positions)
        if one is not None and isinstance(outside, str) and outside in OUTSIDE:
            return one
        many = self.layout.quick_cells(positions, outside, None)
        if many is not None:
            return many
        return super().cell_at(positions, outside=outside)

    def _quick_cells(
        self, positions: object, outside: IfOutside, walls: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64] | None:
        """See `Space._quick_cells`."""
        return self.layout.quick_cells(positions, outside, walls)

    def _locate(self, points: NDArray[np.float64], outside: IfOutside) -> NDArray[np.int64]:
        if len(points) == 1:
            one = self.layout.cell_of(points[0])
            if one is not None:
                return np.array([one])
        return self.layout.cells(points, outside)

    def position_of(self, cells: ArrayLike) -> NDArray[np.float64]:
        """Return the world positions of the centers of cells: (2,) for one, (N, 2) for many."""
        one: object = cells
        if type(one) is int and 0 <= one < len(self):
            return self.layout.centers(one)
        return self.layout.centers(checked_cells(self, cells))

    def _centers_of(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `Space._centers_of`."""
        centers = np.empty((len(cells), 2))
        ids = np.ascontiguousarray(cells)
        kernels.shared.places.centers(ids, self.layout.frame, centers)
        return centers

    def _nearest_of(self, free: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return nearest_of(self, free, cells, wrap=self.wrap_flags)

    def links(self) -> NDArray[np.unsignedinteger]:
        """Return which steps may end in each cell: shape (height, width), with bit `k` for
        `neighborhood.steps[k]`; uint8 for up to 8 steps, else uint64; cached.

        Steps from walls to open cells are allowed, since sources may be placed on walls.
        """
        self._follow_parent()
        if self._links is None:
            self._links = build_links(self._walls, self.terrain, self.neighborhood, self.wrap_flags)
            self._links.flags.writeable = False
        return self._links

    @property
    def link_masks(self) -> NDArray[np.unsignedinteger]:
        """The bit of each step in `links()`, (len(self.neighborhood),), of the same dtype."""
        return self._link_masks

    @property
    def walls_version(self) -> int:
        """A number that grows whenever walls change."""
        if self._parent is not None:
            self._follow_parent()
        return self._changes.version

    def set_walls(self, cells: ArrayLike, blocked: bool = True) -> None:
        """Block or open cells, while maps on this grid run; layers update at their next step.

        Layers on coarser cells of this grid follow; layers with walls of their own don't.

        Parameters
        ----------
        cells : array_like
            Ids of cells, or a mask: bool of shape (height, width).
        blocked : bool, optional
            False opens them.

        Raises
        ------
        OutsideMap
            For cells that don't exist.
        InvalidValue
            For opening cells that the terrain makes impassable.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(3, 1)
        >>> grid.set_walls(1)
        >>> grid.walls
        array([[False,  True, False]])
        """
        ids = changeable_cells(self, cells, blocked, self.terrain)
        self._follow_parent()
        self._change_walls(ids, blocked)

    @atomic
    def _change_walls(self, ids: NDArray[np.int64], blocked: bool) -> None:
        changed = ids[self._walls.reshape(-1)[ids] != blocked]
        if not len(changed):
            return
        # New arrays, so that calculations with the old ones can finish.
        walls = self._walls.copy()
        walls.reshape(-1)[changed] = blocked
        walls.flags.writeable = False
        self._walls = walls
        if self._links is not None:
            self._links = patch_links(
                self._links, changed, walls, self.terrain, self.neighborhood, self.wrap_flags
            )
            self._links.flags.writeable = False
        self._changes.add(changed)

    def _follow_parent(self) -> None:
        """Apply changes of walls of the finer grid that this one was made of."""
        if self._parent is not None and self._parent.walls_version != self._followed:
            self._update_from(self._parent)

    @atomic
    def _update_from(self, parent: Grid) -> None:
        self._followed = parent.walls_version
        factor = round(self.cell_size / parent.cell_size)
        wanted = coarse_walls(parent.walls, factor, y_up=parent.y_up).reshape(-1)
        now = self._walls.reshape(-1)
        self._change_walls(np.flatnonzero(wanted & ~now), True)
        self._change_walls(np.flatnonzero(~wanted & now), False)
        match_opacity(self, coarse_walls(parent.opaque, factor, y_up=parent.y_up))

    def with_walls(self, walls: ArrayLike | None) -> Grid:
        """Return the same map with other walls (None for none) and without terrain."""
        twin = self._derived(self.width, self.height, self.cell_size, walls)
        twin.opacity_codes = self.opacity_codes
        return twin

    def coarser(self, cell_size: float) -> Grid:
        """Return the same ground in cells of `cell_size`, a whole multiple of this grid's.

        A coarse cell is open if any of its cells is, so that every open position stays open; walls
        thinner than `cell_size` leak. Terrain becomes walls. Later changes of walls are followed.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(walls=[[1, 1, 0, 1],
        ...                       [1, 1, 1, 1]])
        >>> grid.coarser(2).walls
        array([[ True, False]])
        """
        factor, (height, width) = coarse_cells(self.layout, cell_size)
        if factor == 1:
            return self
        walls = coarse_walls(self.walls, factor, y_up=self.y_up)
        coarse = self._derived(width, height, factor * self.cell_size, walls)
        coarse.follow(self)
        match_opacity(coarse, coarse_walls(self.opaque, factor, y_up=self.y_up))
        return coarse

    @property
    def corners(self) -> Corners:
        """When diagonals pass blocked cells beside them: "never", "if-one-open" or "cut"."""
        return self.neighborhood.corners

    @property
    def world_steps(self) -> list[tuple[int, int]]:
        """The steps as `neighbors` takes them: (dx, dy) in cells along the world's axes."""
        return [(dx, -dy if self.y_up else dy) for dx, dy in self.neighborhood.steps]

    def to_graph(self) -> Graph:
        """Return the same ground as a graph: vertex v at the center of cell v, an edge per step.

        Influence and sight have the same values on it. Walls become blocked vertices, with the
        edges that they would have if each alone were opened. Blocked vertices are opaque, blocked
        edges are not. Later changes of this grid are not followed: block vertices of the graph.
        """
        from fieldcraft.space.graph.from_grid import graph_of_grid

        return graph_of_grid(self)

    @property
    def extent(self) -> NDArray[np.float64]:
        """The lowest and the highest corner, (2, 2), in world units."""
        low = np.array(self.origin)
        return np.stack([low, low + self.size])

    @property
    def areas(self) -> NDArray[np.float64]:
        """The area of each cell, (N,), in square world units; read-only."""
        return np.broadcast_to(np.float64(self.cell_size**2), len(self))

    @property
    def sight_grid(self) -> Grid:
        """The grid itself."""
        return self

    @property
    def graph(self) -> Graph:
        """Raise `InvalidValue`: a grid has no graph, see `to_graph`."""
        raise InvalidValue("A grid is not a graph", got=repr(self), remedy="Use grid.to_graph()")

    def steps_into(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """See `Space.steps_into`."""
        row, column = divmod(cell, self.width)
        steps = np.array(self.neighborhood.steps)
        lengths = self.neighborhood.lengths(self.cell_size)
        rows = row - steps[:, 1]
        columns = column - steps[:, 0]
        # No step crosses an edge that does not wrap, so `arrives` leaves out what is off the map.
        rows = rows % self.height
        columns = columns % self.width
        into = self.links().reshape(-1)[cell]
        arrives = (into >> np.arange(len(steps), dtype=into.dtype)) & into.dtype.type(1) != 0
        return (rows * self.width + columns)[arrives], lengths[arrives]

    def _find_steps(self, *, from_walls: bool) -> Adjacency:
        closed = None
        if not from_walls:
            closed = self.walls
        return adjacency_of_links(self.links(), self.neighborhood, self.layout, closed)

    def _typical(self, median: float) -> float:
        return float(self.neighborhood.lengths(self.cell_size).min())

    @property
    @cached
    def period(self) -> NDArray[np.float64] | None:
        """See `Space.period`."""
        return period_of(self.wrap, np.array(self.size))

    @property
    def wrap_flags(self) -> int:
        """See `Space.wrap_flags`."""
        return flags_of(self.wrap)

    def follow(self, parent: Grid) -> None:
        """Apply later changes of walls of a finer grid to this one."""
        self._parent = parent
        self._followed = parent.walls_version

    def _derived(self, width: int, height: int, cell_size: float, walls: ArrayLike | None) -> Grid:
        return Grid(
            width,
            height,
            cell_size=cell_size,
            origin=self.origin,
            y_up=self.y_up,
            walls=walls,
            neighbors=self.world_steps,
            corners=self.corners,
            wrap=self.wrap,
        )

    def _history(self) -> dict[str, Any]:
        return super()._history() | {"_parent": self._parent, "_followed": self._followed}
