"""The questions that every space answers, whatever its cells are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.hooks import Pictured
from fieldcraft.space import opacity
from fieldcraft.space.adjacency import Adjacency, by_area, cached_until_walls_change, pieces
from fieldcraft.space.cells import Many, One, checked_cells, checked_vectors

if TYPE_CHECKING:
    from typing import Self

    from fieldcraft.space.graph import Graph
    from fieldcraft.space.grid import Grid

__all__ = ["Space", "located"]


_NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


class Space(Pictured, ABC):
    """Cells with integer ids, world positions, walls, and steps from cell to cell.

    A grid counts its cells row by row (`row * width + column`), a graph by vertex. Values of a
    layer are arrays of `shape`; flattened, they are indexed by cell id. Everything here holds for
    the walls as they are when it is asked.

    `cell_name` is the word for a cell in messages, and `axes` says what the
    axes of `shape` are.
    """

    cell_name: ClassVar[str] = "cell"
    axes: ClassVar[str]
    y_up: bool
    _changes: list[NDArray[np.int64]]
    hides: NDArray[np.uint8] | None = None

    # Cells and where they are

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of one array of values on this space."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of cells, walls included."""

    @property
    def dimensions(self) -> int:
        """2 where positions are (x, y), 3 where they are (x, y, z)."""
        return 2

    @property
    @abstractmethod
    def extent(self) -> NDArray[np.float64]:
        """The lowest and the highest corner of a box round the space, (2, 2) or (2, 3), in world
        units.
        """

    @property
    @abstractmethod
    def areas(self) -> NDArray[np.float64]:
        """The area that each cell stands for, (N,), in square world units; 1 for vertices without a
        mesh. Read-only.
        """

    @property
    def positions(self) -> NDArray[np.float64]:
        """The world positions of the centers of all cells, (N, 2) or (N, 3)."""
        return self.position_of(np.arange(len(self)))

    @overload
    def cell_at(self, positions: One, *, outside: str = ...) -> int: ...
    @overload
    def cell_at(self, positions: Many, *, outside: str = ...) -> NDArray[np.int64]: ...
    @overload
    def cell_at(self, positions: ArrayLike, *, outside: str = ...) -> int | NDArray[np.int64]: ...
    def cell_at(self, positions: ArrayLike, *, outside: str = "refuse") -> int | NDArray[np.int64]:
        """The cells at world positions.

        `positions` is one (x, y) pair or an (N, 2) array; the answer is an int or an (N,) array. On
        a torus every position is on the map. Elsewhere one outside raises `OutsideMap`, or with
        `outside="clamp"` counts as the nearest cell of the rim.
        """
        checks.choice("outside", outside, ("refuse", "clamp"))
        points, single = checks.positions(positions, dimensions=self.dimensions)
        cells = self._locate(points, outside)
        return int(cells[0]) if single else cells

    @abstractmethod
    def _locate(self, points: NDArray[np.float64], outside: str) -> NDArray[np.int64]:
        """Return the cells, (N,), of checked points, (N, 2) or (N, 3); see `cell_at`."""

    @abstractmethod
    def position_of(self, cells: ArrayLike) -> NDArray[np.float64]:
        """The world positions of the centers of cells: (2,) for one cell, (N, 2) for many."""

    def same_cells(self, other: object) -> bool:
        """Whether another space has the same cells in the same places; walls may differ."""
        return not self.describe_difference(other)

    @abstractmethod
    def describe_difference(self, other: object) -> str:
        """The difference to the cells of another space, in the words of a message; empty where they
        are the same. Walls may differ.
        """

    @abstractmethod
    def describe(self, cell: int | None = None) -> str:
        """How large the space is in few words, or in the words of a message which cell it is."""

    # Walls

    @property
    @abstractmethod
    def walls(self) -> NDArray[np.bool_]:
        """Which cells are walls, in `shape`; read-only."""

    @property
    def walls_version(self) -> int:
        """A number that grows whenever walls change, or on graphs edges."""
        return len(self._changes)

    def walls_changed(self, since: int) -> NDArray[np.int64]:
        """The cells about whose walls or steps something has changed since a `walls_version`,
        ascending; some may be as they were then.
        """
        changes = self._changes[since:]
        return changes[0] if len(changes) == 1 else np.unique(np.concatenate([_NONE, *changes]))

    @abstractmethod
    def set_walls(self, cells: ArrayLike, blocked: bool = True) -> None:
        """Block or open cells, while maps on this space run; layers notice at their next step."""

    @property
    def opaque(self) -> NDArray[np.bool_]:
        """Which cells hide what is behind them, in `shape`: walls, or what `set_opaque` says."""
        return opacity.opaque_of(self)

    def set_opaque(self, cells: ArrayLike, opaque: bool | None = True) -> None:
        """Let cells hide what is behind them: with True a door hides but lets walk, with False
        glass shows but blocks, with None walls hide. All that looks follows.
        """
        opacity.set_opaque(self, cells, opaque)

    @abstractmethod
    def with_walls(self, walls: ArrayLike | None) -> Self:
        """The same space with other walls (None for none)."""

    def nearest_open(self, cells: ArrayLike) -> int | NDArray[np.int64]:
        """For each cell, itself if it is open, else the open cell whose center is nearest (lowest
        id on a tie).

        Raises
        ------
        InvalidValue
            If the map has no open cell.
        """
        ids, walls = checked_cells(self, cells), self.walls.reshape(-1)
        found = np.atleast_1d(ids).copy()
        blocked = walls[found]
        if blocked.any():
            free = np.flatnonzero(~walls)
            if not len(free):
                raise InvalidValue(
                    "A map needs an open cell to stand on",
                    got="walls everywhere",
                    remedy="Open a cell, or let the source act through the wall",
                )
            found[blocked] = self._nearest_of(free, found[blocked])
        return int(found[0]) if ids.ndim == 0 else found

    @abstractmethod
    def _nearest_of(self, free: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each cell the nearest of the open cells `free`, ascending."""

    def open_near(self, positions: ArrayLike) -> NDArray[np.float64]:
        """Return positions on open ground: each as it is, or if its cell is a wall, the center of
        the nearest open cell.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions; on a 3D graph of shape (3,) or (N, 3).

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(walls=[[0, 1, 1]])
        >>> grid.open_near([(0.3, 0.2), (2.5, 0.5)])
        array([[0.3, 0.2],
               [0.5, 0.5]])
        """
        points, single = checks.positions(positions, dimensions=self.dimensions)
        found = np.array(points, dtype=np.float64)
        cells = np.asarray(self.cell_at(points), dtype=np.int64)
        blocked = self.walls.reshape(-1)[cells]
        if blocked.any():
            found[blocked] = self.position_of(self.nearest_open(cells[blocked]))
        return found[0] if single else found

    # Steps

    @property
    def adjacency(self) -> Adjacency:
        """The steps between open cells as they are now; looked up again only after a change of
        walls.
        """
        return _ways(self)

    @property
    def adjacency_from_walls(self) -> Adjacency:
        """The steps to open cells, also from walls: what stands there acts out of them."""
        return _ways_from_walls(self)

    @abstractmethod
    def _find_ways(self, *, from_walls: bool) -> Adjacency:
        """Look the steps up."""

    @property
    def typical_step(self) -> float:
        """The length of a typical step, in world units: the shortest of a grid, the median of a
        graph.

        Raises
        ------
        InvalidValue
            If there is no step at all.
        """
        typical = self.adjacency.typical
        if not typical:
            raise InvalidValue(
                "A space has steps from cell to cell",
                got=f"{self!r}, which has none",
                remedy="Open cells, or connect the graph's vertices",
            )
        return self._typical(typical)

    def _typical(self, median: float) -> float:
        return median

    def step_lengths(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """The straight distances from each of (N,) cells to the next, (N - 1,); over the seam of a
        torus where that is shorter.
        """
        legs = (
            self.shortest_vectors(np.diff(self.position_of(cells), axis=0))
            if len(cells)
            else np.zeros((0, 2))
        )
        return np.hypot(legs[:, 0], legs[:, 1])

    @abstractmethod
    def steps_into(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The cells, walls among them, from which one step leads into a cell, and the lengths of
        these steps.
        """

    def neighbors_of(self, cell: int) -> NDArray[np.int64]:
        """The open cells that one step leads to from a cell, ascending."""
        cells = checked_cells(self, cell)
        if cells.ndim or not cells.size:
            raise InvalidValue(
                f"neighbors_of() takes one {self.cell_name}",
                got=f"shape {cells.shape}",
                remedy="Call it once for each",
            )
        ways = self.adjacency_from_walls
        return np.unique(ways.ends[ways.starts[int(cells)] : ways.starts[int(cells) + 1]]).astype(
            np.int64
        )

    def parts(self) -> NDArray[np.int64]:
        """The connected part of each cell, in `shape`: 0 for the largest by area; -1 for walls.

        Steps that lead one way only join as well. Of equal parts the one with the lowest cell comes
        first.
        """
        return by_area(self, pieces(self, ~self.walls)).reshape(self.shape)

    # Straight ways

    @property
    @abstractmethod
    def sight_grid(self) -> Grid | None:
        """The grid that lines of sight run over, its walls as they are now; None where they run
        over polygons or nothing hides.
        """

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The vertices and edges that kernels for graphs run on, of which vertex v is cell v; it
        follows the walls of this space.

        Raises
        ------
        InvalidValue
            On a grid, which keeps none: `Grid.to_graph` makes one.
        """

    def shortest_vectors(self, ways: ArrayLike) -> NDArray[np.float64]:
        """Straight ways in world units, (..., 2): on a torus of those that end in the same place
        the shortest, else as they are.

        Of two that are as short a way within the map stays as it was given. Raises `InvalidValue`
        for other things.
        """
        straight = checked_vectors(self, ways)
        size = self.period
        return straight if size is None else straight - np.rint(straight / size) * size

    @property
    def period(self) -> NDArray[np.float64] | None:
        """After how many world units along x and y a torus repeats, (2,); None for other spaces."""
        return None

    def wrapped(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Positions (..., 2) brought back onto the map of a torus; elsewhere as they are."""
        return positions

    def offsets_from(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """The ways from a position to all cells, (N, 2) or (N, 3); the short ones round a torus."""
        away = self.positions - position
        size = self.period
        return away if size is None else (away + size / 2) % size - size / 2

    def cell_ids(self, cells: ArrayLike) -> NDArray[np.int64]:
        """Cells as (N,) int64, from one id, a list or array of them, or a mask: bool in `shape`.

        Raises
        ------
        OutsideMap
            For ids that don't exist.
        InvalidValue
            For anything else, such as a tuple (x, y).
        """
        return np.atleast_1d(checked_cells(self, cells))

    # Python's own copies

    def __setstate__(self, history: dict[str, Any]) -> None:
        self.__dict__.update(history)

    def _history(self) -> dict[str, Any]:
        """The history that a copy has to know beside the parts, so that followers of the walls go
        on following.
        """
        return {}


@cached_until_walls_change
def _ways(space: Space) -> Adjacency:
    return space._find_ways(from_walls=False)


@cached_until_walls_change
def _ways_from_walls(space: Space) -> Adjacency:
    return space._find_ways(from_walls=True)


def located(space: Space, points: NDArray[np.float64], outside: str) -> NDArray[np.int64]:
    """Return the cells of points, (N,), that the caller has checked, as `outside`."""
    return space._locate(points, outside)
