"""Grids of hexagons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.base.synonyms import refuse_to_set
from fieldcraft.base.words import IfOutside, Orientation
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.cached import cached
from fieldcraft.space.cells import checked_cells
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.grid.neighborhood import Terrain
from fieldcraft.space.hexagons import hex_layout
from fieldcraft.space.hexagons.hex_graph import HexGraph
from fieldcraft.space.hexagons.hex_layout import STEPS, HexLayout
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

MAX_HEXES = 2**24
ORIENTATIONS = ("pointy", "flat")
_PLACEMENT = ("shape", "orientation", "size", "origin", "y_up", "wrap")
"""The attributes that determine where cells are."""


class HexGrid(Space):
    """Map of hexagons, with six steps from each.

    Hexagons are arranged in columns and rows: odd rows of pointy ones are shifted half a hexagon to
    the right, odd columns of flat ones half a hexagon towards larger y. A cell is `row * columns +
    column`, and arrays are [row, column] of shape (rows, columns). World positions are (x, y) in
    world units. With `y_up=False` y grows downwards, so that row 0 holds the smallest y; with
    `y_up=True` it holds the largest, and rows are counted from the other side: the last row is the
    first one, which is not shifted.

    Rivers and cliffs between hexagons are blocked edges: `hexes.graph.set_edges(pairs)`.

    Parameters
    ----------
    columns, rows : int
        Hexagons along x and y, at least 1 each and at most 2**24 together.
    orientation : str, optional
        "pointy": with a corner above and below; "flat": with a corner left and right.
    size : float, optional
        World units from the center of a hexagon to its corners. Centers of neighbors are sqrt(3)
        times as far apart.
    origin : tuple[float, float], optional
        (x, y) of the corner with the smallest coordinates of a box around all hexagons.
    walls : array_like, optional
        Bool of shape (rows, columns), True for walls.
    terrain : Terrain, optional
        Kinds of ground, see `Terrain`; its impassable classes are walls as well.
    wrap : bool or {"x", "y"}, optional
        Which edges are joined, see `Grid`. Joining the upper and the lower edge of pointy hexagons
        needs an even number of rows, joining the left and the right edge of flat ones an even
        number of columns. Lines of sight and shots are not available then.
    y_up : bool, optional
        Whether y grows upwards.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> hexes = fc.HexGrid(4, 3)
    >>> hexes.neighbors_of(5)
    array([ 1,  2,  4,  6,  9, 10])
    >>> hexes.position_of(5)
    array([3.46410162, 2.5       ])
    """

    axes = "(rows, columns)"

    def __init__(
        self,
        columns: int,
        rows: int,
        *,
        orientation: Orientation = "pointy",
        size: float = 1.0,
        origin: tuple[float, float] = (0.0, 0.0),
        walls: ArrayLike | None = None,
        terrain: Terrain | None = None,
        wrap: Wrap = False,
        y_up: bool = False,
    ) -> None:
        self.columns = checks.integer("columns", columns, minimum=1)
        self.rows = checks.integer("rows", rows, minimum=1)
        if self.columns * self.rows > MAX_HEXES:
            raise InvalidValue(
                f"A grid of hexagons has at most {MAX_HEXES:,} cells",
                got=f"{self.columns} x {self.rows}",
                remedy="Use larger hexagons, or several maps",
            )
        self.orientation = checks.choice("orientation", orientation, ORIENTATIONS)
        self.size = checks.positive("size", size)
        self.origin = checks.pair("origin", origin)
        self.wrap = checked_wrap(wrap)
        self.y_up = checks.flag("y_up", y_up)
        if self._pointy:
            name = "rows"
            side = self.rows
            wraps = self.wraps_y
        else:
            name = "columns"
            side = self.columns
            wraps = self.wraps_x
        if wraps and side % 2:
            raise InvalidValue(
                f"{self.orientation.capitalize()} hexagons that wrap across {name} have an even"
                f" number of {name}, so that the seam fits",
                got=f"{name}={side}",
                remedy=f"Pass {side + 1} {name}",
            )
        if self._pointy:
            offset = (math.sqrt(3) * self.size / 2, self.size)
        else:
            offset = (self.size, math.sqrt(3) * self.size / 2)
        self.layout = HexLayout(
            self._pointy, self.size, (self.origin[0] + offset[0], self.origin[1] + offset[1])
        )
        check_precision("size", self.size, float(np.abs(self.extent).max()))
        blocked = checked_walls(self, walls, terrain)
        self.terrain = terrain
        self._graph = HexGraph(self, blocked.reshape(-1))
        self._changes = self._graph._changes  # one history: each change is one of both

    def __len__(self) -> int:
        return self.columns * self.rows

    def __repr__(self) -> str:
        return text_of(self, f"{self.orientation}, size {self.size:g}", wrap=self.wrap)

    @property
    def _pointy(self) -> bool:
        return self.orientation == "pointy"

    # Coordinates

    def to_offset(self, cells: ArrayLike) -> NDArray[np.int64]:
        """Return the (column, row) of cells, (2,) or (N, 2); row 0 has the smallest y."""
        rows, columns = np.divmod(checked_cells(self, cells), self.columns)
        if self.y_up:
            rows = self.rows - 1 - rows
        return np.stack([columns, rows], axis=-1)

    @overload
    def from_offset(self, offset: tuple[int, int]) -> int: ...
    @overload
    def from_offset(self, offset: ArrayLike) -> int | NDArray[np.int64]: ...
    def from_offset(self, offset: ArrayLike) -> int | NDArray[np.int64]:
        """Return the cells at (column, row), one or (N, 2), along axes that wrap any.
        Raises `OutsideMap`.
        """
        pairs, single = self._coordinates("Offset coordinates", offset)
        inside = self._turned(pairs)
        wrong = ((inside < 0) | (inside >= (self.columns, self.rows))).any(axis=1)
        if wrong.any():
            raise OutsideMap(
                f"Columns lie in 0 to {self.columns - 1} and rows in 0 to {self.rows - 1}",
                got=f"column {pairs[wrong][0][0]}, row {pairs[wrong][0][1]}",
                remedy="Leave out what is off the map",
            )
        cells = self._cells(inside)
        if single:
            return int(cells[0])
        return cells

    def to_axial(self, cells: ArrayLike) -> NDArray[np.int64]:
        """Return the axial (q, r) of cells, (2,) or (N, 2)."""
        return hex_layout.to_axial(self.to_offset(cells), pointy=self._pointy)

    @overload
    def from_axial(self, axial: tuple[int, int]) -> int: ...
    @overload
    def from_axial(self, axial: ArrayLike) -> int | NDArray[np.int64]: ...
    def from_axial(self, axial: ArrayLike) -> int | NDArray[np.int64]:
        """Return the cells at axial (q, r), one or (N, 2), along axes that wrap any. Raises
        `OutsideMap`.
        """
        pairs, single = self._coordinates("Axial coordinates", axial)
        offset = hex_layout.to_offset(pairs, pointy=self._pointy)
        return self.from_offset(offset[0] if single else offset)

    @overload
    def steps_between(self, cells: int, others: int) -> int: ...
    @overload
    def steps_between(self, cells: ArrayLike, others: ArrayLike) -> int | NDArray[np.int64]: ...
    def steps_between(self, cells: ArrayLike, others: ArrayLike) -> int | NDArray[np.int64]:
        """Return the number of steps between cells if all cells were open.

        Parameters
        ----------
        cells, others : int or array_like of shape (N,)
            Ids of cells; one of the two may be a single cell.

        Returns
        -------
        int or ndarray of int64, (N,)
            An int for two single cells.

        Raises
        ------
        OutsideMap
            For cells that don't exist.
        InvalidValue
            For different numbers of cells and others, unless one of the numbers is 1.
        """
        near = self.to_axial(cells)
        far = self.to_offset(others)
        if near.ndim == far.ndim > 1 and len(near) != len(far) and 1 not in (len(near), len(far)):
            raise InvalidValue(
                "Steps are between cells and as many others, or between one and many",
                got=f"{len(near)} cells and {len(far)} others",
                remedy="Pass as many of both",
            )
        turns = (-1, 0, 1)
        around_x = turns if self.wraps_x else (0,)
        around_y = turns if self.wraps_y else (0,)
        shifts = [(k * self.columns, m * self.rows) for k in around_x for m in around_y]
        ends = [hex_layout.to_axial(far + shift, pointy=self._pointy) for shift in shifts]
        found: NDArray[np.int64] = np.min(
            [hex_layout.distances(end - near) for end in ends], axis=0
        )
        if found.ndim == 0:
            return int(found)
        return found

    @staticmethod
    def _coordinates(what: str, value: ArrayLike) -> tuple[NDArray[np.int64], bool]:
        array = checks.array(what, value)
        is_pairs = array.shape[-1:] == (2,) and array.ndim <= 2 and array.dtype.kind in "iu"
        if array.size and not (is_pairs and np.abs(array.astype(np.float64)).max() <= 2**40):
            raise InvalidValue(
                f"{what} are 2 whole numbers, or an (N, 2) array of them, within 2**40 of 0",
                got=f"{array.dtype} of shape {array.shape}, {array.flat[0]}",
                remedy="Use cell_at() to turn positions into cells",
            )
        return array.reshape(-1, 2).astype(np.int64), array.ndim == 1 and array.size > 0

    def _turned(self, offset: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return offset coordinates (..., 2), along axes that wrap those on the map."""
        columns = offset[..., 0]
        rows = offset[..., 1]
        if self.wraps_x:
            columns = columns % self.columns
        if self.wraps_y:
            rows = rows % self.rows
        return np.stack([columns, rows], axis=-1)

    def _cells(self, offset: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cells at (column, row) on the map."""
        if self.y_up:
            rows = self.rows - 1 - offset[..., 1]
        else:
            rows = offset[..., 1]
        return np.asarray(rows * self.columns + offset[..., 0], dtype=np.int64)

    def reached(self, axial: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the cells at axial coordinates (..., 2), and which of them are on the map; other
        entries are undefined.
        """
        offset = hex_layout.to_offset(axial, pointy=self._pointy)
        offset = self._turned(offset)
        inside = np.asarray(((offset >= 0) & (offset < (self.columns, self.rows))).all(axis=-1))
        return self._cells(np.where(inside[..., np.newaxis], offset, 0)), inside

    def steps_from(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the cells to which the six steps lead from cells (N,), and which of them are on
        the map, (N, 6); other entries are undefined.
        """
        return self.reached(self.to_axial(cells)[:, np.newaxis] + STEPS)

    # Where cells are

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns): the shape of one array of values on this map."""
        return (self.rows, self.columns)

    @property
    def extent(self) -> NDArray[np.float64]:
        """The lowest and the highest corner of a box around all hexagons, (2, 2), in world
        units.
        """
        across, down = self.layout.pitch
        # A second row, or column, is shifted by half a hexagon.
        if self._pointy:
            shifted = self.rows > 1
            size = ((self.columns + shifted / 2) * across, (self.rows - 1) * down + 2 * self.size)
        else:
            shifted = self.columns > 1
            size = ((self.columns - 1) * across + 2 * self.size, (self.rows + shifted / 2) * down)
        low = np.array(self.origin)
        return np.stack([low, low + size])

    @property
    def areas(self) -> NDArray[np.float64]:
        """The area of each cell, (N,), in square world units; read-only."""
        return np.broadcast_to(np.float64(self.layout.area), len(self))

    @property
    @cached
    def period(self) -> NDArray[np.float64] | None:
        """See `Space.period`."""
        return period_of(self.wrap, np.array(self.layout.pitch) * (self.columns, self.rows))

    @property
    def wrap_flags(self) -> int:
        """See `Space.wrap_flags`."""
        return flags_of(self.wrap)

    def _locate(self, points: NDArray[np.float64], outside: IfOutside) -> NDArray[np.int64]:
        """See `Space._locate`."""
        with np.errstate(over="ignore", invalid="ignore"):
            axial = self.layout.axial(self.wrapped(points))
            near = np.abs(axial).max(axis=-1, initial=0) < 2**40
        cells, inside = self.reached(hex_layout.rounded(np.where(near[:, np.newaxis], axial, -1.0)))
        inside &= near
        if inside.all():
            return cells
        lost = np.flatnonzero(~inside)
        if outside == "clamp":
            reachable = np.clip(points[lost], -checks.LARGEST, checks.LARGEST)
            _, nearest = self._graph.topology.tree.query(reachable)
            cells[lost] = nearest
            return cells
        low, high = self.extent
        got = str(tuple(points[lost[0]].tolist()))
        if len(points) > 1:
            got += f" at index {lost[0]}"
        raise OutsideMap(
            f"Positions lie in a hexagon of the map, which reaches from {tuple(low.tolist())} to"
            f" {tuple(high.tolist())}",
            got=got,
            remedy='Correct the position, or pass outside="clamp"',
        )

    def position_of(self, cells: ArrayLike) -> NDArray[np.float64]:
        """Return the world positions of the centers of cells: (2,) for one cell, (N, 2) for
        many.
        """
        return self.layout.places(self.to_axial(cells))

    def describe(self, cell: int | None = None) -> str:
        """Return the size, "40 x 30 hexagons", or the place of a cell: "row 2, column 5 (cell
        85)".
        """
        place = described(self, cell)
        if cell is None:
            return f"{place} hexagons"
        return place

    def describe_difference(self, other: object) -> str:
        """Return the first difference in where cells are; see `Space.describe_difference`."""
        if not isinstance(other, HexGrid):
            return f"on {other!r}"
        return first_difference(self, other, _PLACEMENT)

    def wrapped(self, positions: NDArray[Any]) -> NDArray[np.float64]:
        """See `Space.wrapped`."""
        return back_on_map(positions, self.origin, self.period)

    # Walls

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Which cells are walls: bool of shape (rows, columns), [row, column].

        It is read-only: `set_walls` changes walls.
        """
        return self._graph.walls.reshape(self.shape)

    if not TYPE_CHECKING:  # type checkers refuse it themselves
        walls = walls.setter(refuse_to_set("walls"))

    def set_walls(self, cells: ArrayLike, blocked: bool = True) -> None:
        """Block or open cells, while maps on this grid run; layers update at their next step.

        Parameters
        ----------
        cells : array_like
            Ids of cells, or a mask: bool in `shape`.
        blocked : bool, optional
            False opens them.

        Raises
        ------
        OutsideMap
            For cells that don't exist.
        InvalidValue
            For opening cells that the terrain makes impassable.
        """
        ids = changeable_cells(self, cells, blocked, self.terrain)
        self._graph.set_walls(ids, blocked)

    @property
    def opaque(self) -> NDArray[np.bool_]:
        """Which cells are opaque; see `Space.opaque`."""
        return self._graph.opaque.reshape(self.shape)

    if not TYPE_CHECKING:  # type checkers refuse it themselves
        opaque = opaque.setter(refuse_to_set("opaque"))

    def set_opaque(self, cells: ArrayLike, opaque: bool | None = True) -> None:
        """Make cells opaque or transparent; see `Space.set_opaque`.

        Parameters
        ----------
        cells : array_like
            Ids of cells, or a mask: bool in `shape`.
        opaque : bool, optional
            True hides what is behind them, False does not, None does if they are walls.
        """
        self._graph.set_opaque(self.cell_ids(cells), opaque)

    def with_walls(self, walls: ArrayLike | None) -> HexGrid:
        """Return the same map with other walls (None for none), without terrain and blocked
        edges.
        """
        twin = HexGrid(
            self.columns,
            self.rows,
            orientation=self.orientation,
            size=self.size,
            origin=self.origin,
            walls=walls,
            wrap=self.wrap,
            y_up=self.y_up,
        )
        twin.graph.opacity_codes = self._graph.opacity_codes
        return twin

    def _nearest_of(self, free: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        if not self.wrap:
            return self._graph._nearest_of(free, cells)
        found = np.empty_like(cells)
        for index, place in enumerate(self.position_of(cells)):
            squares = (self.offsets_from(place)[free] ** 2).sum(axis=1)
            found[index] = free[np.argmax(squares <= squares.min() * (1 + 1e-9))]
        return found

    # Steps and lines

    @property
    def graph(self) -> Graph:
        """The graph of the centers of the hexagons and the steps between them. Edges that are
        blocked in it are blocked on this grid too.
        """
        return self._graph

    @property
    def sight_grid(self) -> None:
        """None: lines of sight run over hexagons."""
        return None

    def _find_steps(self, *, from_walls: bool) -> Adjacency:
        return self._graph._find_steps(from_walls=from_walls)

    def __setstate__(self, history: dict[str, Any]) -> None:
        super().__setstate__(history)
        self._graph._changes = self._changes

    def sides(self, pairs: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the sides between pairs of neighbors, (K, 2) cells: world positions of corners,
        (C, 2), and the two corners of each side, (K, 2). On a torus they are those of the first
        cell.
        """
        axial = self.to_axial(pairs[:, 0])
        ahead = [self.reached(axial + step) for step in STEPS]
        steps = np.stack([(cells == pairs[:, 1]) & inside for cells, inside in ahead])
        return self.layout.sides(axial, steps.argmax(axis=0))

    def steps_into(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """See `Space.steps_into`."""
        return self._graph.steps_into(cell)
