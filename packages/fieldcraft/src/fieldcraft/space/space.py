"""The properties and methods that all spaces have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.base.pictured import Pictured
from fieldcraft.base.synonyms import refuse_to_set
from fieldcraft.base.words import OUTSIDE, IfOutside
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.cells import Many, One, checked_cells, checked_vectors, occupied_mask
from fieldcraft.space.changes import WallChanges
from fieldcraft.space.components import by_area, components
from fieldcraft.space.opacity import opaque_of, set_opaque
from fieldcraft.space.wrapping import nearest_images

if TYPE_CHECKING:
    from typing import Self


class Space(Pictured, Suggesting, SuggestingArguments, ABC):
    """Cells with integer ids, world positions, walls, and steps from cell to cell.

    A grid counts its cells row by row (`row * width + column`), a graph by vertex. Values of a
    layer are arrays of `shape`; flattened, they are indexed by cell id.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 0],
    ...                       [0, 1, 0]])
    >>> isinstance(grid, fc.Space), grid.shape, len(grid)
    (True, (2, 3), 6)
    >>> grid.cell_at((2.5, 1.5))
    5
    >>> grid.neighbors_of(0)
    array([1, 3])
    """

    cell_name: ClassVar[str] = "cell"  # in messages
    axes: ClassVar[str]  # the names of the axes of `shape`
    y_up: bool
    _changes: WallChanges
    opacity_codes: NDArray[np.uint8] | None = None
    _cache: dict[str, Any]  # results of functions of the space, see `cached`

    # Cells and their positions

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of one array of values on this space."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of cells, walls included."""

    @property
    def dimensions(self) -> int:
        """2 for positions (x, y), 3 for (x, y, z)."""
        return 2

    @property
    @abstractmethod
    def extent(self) -> NDArray[np.float64]:
        """The lowest and the highest corner of the space, (2, 2) or (2, 3), in world units."""

    @property
    @abstractmethod
    def areas(self) -> NDArray[np.float64]:
        """The area of each cell, (N,), in square world units; 1 for vertices without a mesh."""

    @property
    def positions(self) -> NDArray[np.float64]:
        """The world positions of the centers of all cells, (N, 2) or (N, 3)."""
        return self.position_of(np.arange(len(self)))

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
        """Return the cells at world positions: an int for one position, (N,) int64 for many.

        On a torus every position is on the map. On a graph the nearest vertex is meant; with a
        mesh, the polygon straight below or above, if its surface is nearer than the nearest center
        of one; with squares, the square that holds the position. Of equally near vertices always
        the same one is returned, and blocked vertices count.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions; on a 3D graph of shape (3,) or (N, 3).
        outside : {"refuse", "clamp"}
            With "clamp" positions off the map count as in the nearest cell.

        Raises
        ------
        OutsideMap
            For positions off the map; on a graph with `max_height`, for those without a vertex at
            about their height.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> fc.Grid(4, 3).cell_at([(0.1, 0.1), (9, 2)], outside="clamp")
        array([ 0, 11])
        """
        checks.choice("outside", outside, OUTSIDE)
        points, single = checks.positions(positions, dimensions=self.dimensions)
        cells = self._locate(points, outside)
        if single:
            return int(cells[0])
        return cells

    def _quick_cells(
        self, positions: object, outside: IfOutside, walls: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64] | None:
        """Return the cells of positions, (N,), in one call of a kernel, if they are an array that
        kernels take and none of them is refused; else None.

        The general way then finds the error, or the cells. Positions are refused that are not
        finite, off the map unless `outside` is "clamp", or in one of `walls`, (cells,).
        """
        return None

    @abstractmethod
    def _locate(self, points: NDArray[np.float64], outside: IfOutside) -> NDArray[np.int64]:
        """Return the cells, (N,), of checked points, (N, 2) or (N, 3); see `cell_at`."""

    @abstractmethod
    def position_of(self, cells: ArrayLike) -> NDArray[np.float64]:
        """Return the world positions of the centers of cells: (2,) for one cell, (N, 2) for many;
        on a 3D graph (3,) or (N, 3).
        """

    def _centers_of(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the centers of checked cells (N,): (N, 2), or (N, 3) on a 3D graph; NaN for -1."""
        centers = np.full((len(cells), self.dimensions), np.nan)
        found = cells >= 0
        centers[found] = self.position_of(cells[found])
        return centers

    def same_cells(self, other: object) -> bool:
        """Return whether another space has the same cells in the same places; walls may differ."""
        return not self.describe_difference(other)

    def __eq__(self, other: object) -> bool:
        """Return whether another space has the same cells, walls, steps and opaque cells."""
        if self is other:
            return True
        if not isinstance(other, Space) or not self.same_cells(other):
            return False
        mine = self._compared()
        yours = other._compared()
        return len(mine) == len(yours) and all(map(np.array_equal, mine, yours))

    __hash__ = object.__hash__  # spaces change: equal ones are two keys

    def _compared(self) -> tuple[ArrayLike, ...]:
        """Return what `==` compares beside the places of cells."""
        steps = self.adjacency_from_walls
        return self.walls, self.opaque, steps.starts, steps.ends, steps.lengths

    @abstractmethod
    def describe_difference(self, other: object) -> str:
        """Return the difference to the cells of another space, as part of a message; "" where they
        are the same. Walls may differ.
        """

    @abstractmethod
    def describe(self, cell: int | None = None) -> str:
        """Return the size of the space, or the place of a cell, as part of a message."""

    # Walls

    @property
    @abstractmethod
    def walls(self) -> NDArray[np.bool_]:
        """Which cells are walls, bool in `shape`; read-only."""

    @property
    def walls_version(self) -> int:
        """A number that grows whenever walls change, opaque cells, or on graphs edges."""
        return self._changes.version

    def walls_changed(self, since: int) -> NDArray[np.int64]:
        """Return the cells whose walls, steps or opacity have changed since a `walls_version`,
        ascending; some may have changed back.

        The history is bounded: all cells are returned for a version that is too old, and for -1.
        """
        return self._changes.since(since)

    @abstractmethod
    def set_walls(self, cells: ArrayLike, blocked: bool = True) -> None:
        """Block or open cells, while maps on this space run; layers update at their next step.

        Parameters
        ----------
        cells : array_like
            Ids of cells, or a mask: bool in `shape`.
        blocked : bool, optional
            False opens them.
        """

    @property
    def opaque(self) -> NDArray[np.bool_]:
        """Which cells hide what is behind them, bool in `shape`: walls, unless `set_opaque` has
        changed that.
        """
        return opaque_of(self)

    if not TYPE_CHECKING:  # type checkers refuse it themselves
        opaque = opaque.setter(refuse_to_set("opaque"))

    def set_opaque(self, cells: ArrayLike, opaque: bool | None = True) -> None:
        """Make cells opaque or transparent, whether or not they are walls. All functions of sight
        follow.

        Parameters
        ----------
        cells : array_like
            Ids of cells, or a mask: bool in `shape`.
        opaque : bool, optional
            True for cells such as curtains, that hide what is behind them and can be entered;
            False for cells such as windows; None for cells that hide if they are walls.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(4, 1)
        >>> grid.set_opaque(2)
        >>> fc.visible(grid, (0.5, 0.5), radius=9)
        array([[ True,  True,  True, False]])
        """
        set_opaque(self, cells, opaque)

    def _check_hides(self) -> None:
        """Raise `InvalidValue` where there are no lines of sight that opaque cells could end."""

    @abstractmethod
    def with_walls(self, walls: ArrayLike | None) -> Self:
        """Return the same space with other walls (None for none)."""

    def nearest_open(
        self, cells: ArrayLike, *, occupied: ArrayLike | None = None
    ) -> int | NDArray[np.int64]:
        """Return each cell itself if it is open, else the open cell whose center is nearest, of
        equally near ones the one with the lowest id.

        Parameters
        ----------
        cells : array_like
            Ids of cells, or a mask: bool in `shape`.
        occupied : array_like, optional
            Cells that others hold, and that count as walls here: world positions of shape (M, 2),
            ids of cells, or a mask.

        Raises
        ------
        InvalidValue
            If no cell is open and free.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(walls=[[0, 0, 1, 0]])
        >>> grid.nearest_open([0, 2]), grid.nearest_open([0, 2], occupied=[0, 1])
        (array([0, 1]), array([3, 3]))
        """
        ids = checked_cells(self, cells)
        taken = self.walls.reshape(-1)
        if occupied is not None:
            taken = taken | occupied_mask(self, occupied)
        found = np.atleast_1d(ids).copy()
        blocked = taken[found]
        if blocked.any():
            free = np.flatnonzero(~taken)
            if not len(free):
                if self.walls.all():
                    rule = "A map needs an open cell"
                    got = "walls everywhere"
                    remedy = "Open a cell, or let the source act through the wall"
                else:
                    rule = "A map needs a cell that is open and not occupied"
                    got = "none"
                    remedy = "Pass fewer occupied cells"
                raise InvalidValue(rule, got=got, remedy=remedy)
            found[blocked] = self._nearest_of(free, found[blocked])
        if ids.ndim == 0:
            return int(found[0])
        return found

    @abstractmethod
    def _nearest_of(self, free: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each cell the nearest of the open cells `free`, ascending."""

    def open_near(
        self, positions: ArrayLike, *, occupied: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return positions on open ground: each as it is, or if its cell is a wall, the center of
        the nearest open cell. One position has the shape (2,), or (3,) on a 3D graph.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions.
        occupied : array_like, optional
            Cells that others hold, and that count as walls here: world positions of shape (M, 2),
            ids of cells, or a mask. Two of the positions may still get one cell.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(walls=[[0, 0, 1, 1]])
        >>> grid.open_near([(0.3, 0.2), (2.5, 0.5)])
        array([[0.3, 0.2],
               [1.5, 0.5]])
        >>> grid.open_near((2.5, 0.5), occupied=[(1.2, 0.5)])
        array([0.5, 0.5])
        """
        points, single = checks.positions(positions, dimensions=self.dimensions)
        found = np.array(points, dtype=np.float64)
        cells = np.asarray(self.cell_at(points), dtype=np.int64)
        taken = self.walls.reshape(-1)
        if occupied is not None:
            taken = taken | occupied_mask(self, occupied)
        moved = taken[cells]
        if moved.any():
            found[moved] = self.position_of(self.nearest_open(cells[moved], occupied=occupied))
        if single:
            return np.asarray(found[0])
        return found

    # Steps

    @property
    def adjacency(self) -> Adjacency:
        """The steps between open cells as they are now; cached until walls change."""
        return _steps(self)

    @property
    def adjacency_from_walls(self) -> Adjacency:
        """The steps to open cells, also from walls: sources in walls act on their neighbors."""
        return _steps_from_walls(self)

    @abstractmethod
    def _find_steps(self, *, from_walls: bool) -> Adjacency:
        """Return the steps as they are now."""

    @property
    def typical_step(self) -> float:
        """The length of a typical step: the shortest of a grid, the median of a graph. Raises
        `InvalidValue` if there is no step at all.
        """
        typical = self.adjacency.typical
        if not typical:
            rule = "A space has steps from cell to cell"
            got = f"{self!r}, which has none"
            remedy = "Open cells, or connect the graph's vertices"
            raise InvalidValue(rule, got=got, remedy=remedy)
        return self._typical(typical)

    def _typical(self, median: float) -> float:
        return median

    def step_lengths(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the lengths of the steps from each of (N,) cells to the next, (N - 1,)."""
        steps = self.shortest_vectors(np.diff(self.position_of(cells), axis=0))
        return np.hypot(steps[:, 0], steps[:, 1])

    @abstractmethod
    def steps_into(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the cells, also walls, with a step into a cell, and the lengths of the steps."""

    def neighbors_of(self, cell: int) -> NDArray[np.int64]:
        """Return the open cells that one step leads to from a cell, ascending."""
        cells = checked_cells(self, cell)
        if cells.ndim or not cells.size:
            rule = f"neighbors_of() takes one {self.cell_name}"
            got = f"shape {cells.shape}"
            raise InvalidValue(rule, got=got, remedy="Call it once for each")
        steps = self.adjacency_from_walls
        start = int(cells)
        ends = steps.ends[steps.starts[start] : steps.starts[start + 1]]
        return np.unique(ends).astype(np.int64)

    def parts(self) -> NDArray[np.int64]:
        """Return the connected part of each cell, in `shape`: 0 for the largest by area; -1 for
        walls.

        Steps that lead one way only join as well. Of equal parts the one with the lowest cell comes
        first.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(walls=[[0, 1, 0, 0]])
        >>> grid.parts()
        array([[ 1, -1,  0,  0]])
        """
        walls = self.walls
        numbers = components(self.adjacency, walls, ~walls)
        return by_area(self.areas, numbers).reshape(self.shape)

    # Straight lines

    @property
    @abstractmethod
    def sight_grid(self) -> Space | None:
        """The grid that lines of sight run over, its walls as they are now; None where they run
        over polygons or nothing hides. `kinds.sight_grid_of` returns it as a `Grid`.
        """

    @property
    @abstractmethod
    def graph(self) -> Space:
        """The vertices and edges that kernels for graphs run on, of which vertex v is cell v; it
        follows the walls of this space. Raises `InvalidValue` on grids, see `Grid.to_graph`.
        `kinds.graph_of` returns it as a `Graph`.
        """

    def shortest_vectors(self, vectors: ArrayLike) -> NDArray[np.float64]:
        """Return straight vectors in world units, (..., 2): along axes that wrap the shortest with
        the same end, or of two equally short ones the given one; elsewhere each as it is.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> torus = fc.Grid(10, 6, wrap=True)
        >>> torus.shortest_vectors((8, 1))
        array([-2.,  1.])
        """
        straight = checked_vectors(self, vectors)
        size = self.period
        if size is None:
            return straight
        rounds = np.rint(straight / size)
        return np.asarray(straight - rounds * np.where(np.isfinite(size), size, 0.0))

    @property
    def period(self) -> NDArray[np.float64] | None:
        """The size of the space along each axis in world units, (2,), infinite along an axis that
        does not wrap; None where none does.
        """
        return None

    @property
    def wrap_flags(self) -> int:
        """Which axes wrap: 0 for none, 1 for x, 2 for y, 3 for both."""
        return 0

    @property
    def wraps_x(self) -> bool:
        """Whether the left and the right edge are joined."""
        return self.wrap_flags & WRAP_X != 0

    @property
    def wraps_y(self) -> bool:
        """Whether the upper and the lower edge are joined."""
        return self.wrap_flags & WRAP_Y != 0

    def wrapped(self, positions: NDArray[Any]) -> NDArray[np.float64]:
        """Return positions (..., 2) brought back onto the map along axes that wrap."""
        return np.asarray(positions, dtype=np.float64)

    def offsets_from(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the (shortest) vectors from a position to all cells, (N, 2) or (N, 3)."""
        return nearest_images(self.positions - position, self.period)

    def cell_ids(self, cells: ArrayLike) -> NDArray[np.int64]:
        """Return cells as (N,) int64, from one id, a list or array of ids, or a mask: bool in
        `shape`. Raises `OutsideMap` for ids that don't exist.
        """
        return np.atleast_1d(checked_cells(self, cells))

    # Copies

    def _history(self) -> dict[str, Any]:
        """Return what a copy needs besides the parts, so that followers of the walls continue."""
        return {"_changes": self._changes.copy()}

    def __setstate__(self, history: dict[str, Any]) -> None:
        self.__dict__.update(history)


@cached_until_walls_change
def _steps(space: Space) -> Adjacency:
    return space._find_steps(from_walls=False)


@cached_until_walls_change
def _steps_from_walls(space: Space) -> Adjacency:
    return space._find_steps(from_walls=True)
