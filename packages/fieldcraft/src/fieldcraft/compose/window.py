"""Working maps: a piece of a map around each agent, weighed and searched."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.compose.expression import expression_of
from fieldcraft.compose.frames import Frame, GraphFrame, GridFrame, eligible
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.kernels import operations
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Grid
from fieldcraft.space.answers import Spots, checked_none

__all__ = ["Window", "window"]

Floats = NDArray[np.float32]


def window(
    layer: Operand,
    positions: ArrayLike,
    radius: float,
    *,
    where: Operand | ArrayLike | None = None,
    walk: float | None = None,
    outside: str = "refuse",
) -> Window:
    """Return working maps around agents: the cells within a radius of each agent's cell.

    Only the cells of the windows are computed of an expression.

    Parameters
    ----------
    layer : layer or expression
        The map to cut from.
    positions : array_like of shape (2,) or (N, 2)
        World positions of agents; shape (3,) or (N, 3) on 3D graphs.
    radius : float
        World units from the center of the agent's cell to the centers of others, above 0.
    where : layer, expression or bool array, optional
        Keeps only cells where it is not 0, or True. Others read 0 and count neither in `normalize`
        nor in `best`. To have them count in the first, pass it to `best` instead.
    walk : float, optional
        Keeps only cells to which a path of at most this length leads, in world units.
    outside : "refuse" or "clamp"
        Whether a position off the map is an error, or stands for the nearest cell of the rim.

    Returns
    -------
    Window
        One window, or N of them.

    Raises
    ------
    OutsideMap
        If a position is off the map.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
    >>> cover = imap.add_layer("cover", values=[[0, 1, 2, 3, 9], [0, 0, 0, 0, 0], [0, 0, 0, 4, 0]])
    >>> near = fc.window(cover, (2.5, 1.5), radius=1.5)
    >>> near.values
    array([[1., 2., 3.],
           [0., 0., 0.],
           [0., 0., 4.]], dtype=float32)
    >>> near.best().positions
    array([3.5, 2.5])
    """
    space = checks.instance(
        layer, Operand, "A window is cut from a map", "Pass a layer or an expression"
    ).space
    far = checks.positive("radius", radius)
    points, single = checks.positions(positions, dimensions=space.dimensions)
    cells = np.asarray(space.cell_at(points, outside=outside), dtype=np.int64)
    frame: Frame
    if isinstance(space, Grid):
        frame = GridFrame(space, cells, far, single)
    else:
        frame = GraphFrame(space, cells, far, single)
    frame.inside = eligible(frame, where, walk)
    values = np.zeros(frame.shape, dtype=np.float32)
    expression_of(layer).fill(values, frame.segments())
    return Window(frame, values)


class Window:
    """Small maps around agents, on the side: changing them changes nothing else.

    Arrays have shape (side, side), [row, column] like the map's, with the agent's cell in the
    middle; cut around N agents, (N, side, side). On a graph they are (K,), or (N, K): the vertices
    within the straight distance, nearest first, and K as many as the largest window has. Cells off
    the map, walls and cells beyond the radius read 0, are not `inside`, and are never chosen.

    `+ - * /`, `abs`, `clamp`, `normalize` and `invert` give new windows and reckon as expressions
    do; the other operand is a window around the same cells, a number, or an array that NumPy can
    spread over this one's.
    """

    __array_ufunc__ = None

    def __init__(self, frame: Frame, values: Floats) -> None:
        self._frame = frame
        values[~frame.inside] = 0
        values.flags.writeable = False
        self._values = values

    def __repr__(self) -> str:
        count = self._frame.shape[0]
        return (
            f"<Window {self._frame.size}"
            + ("" if self._frame.single else f", {count} of them")
            + f", on {self._frame.space!r}>"
        )

    @property
    def values(self) -> Floats:
        """The values, float32, read-only."""
        return self._frame.shown(self._values)

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Which cells can be chosen: open ones on the map within the radius, and of these what
        `where` and `walk` left.
        """
        return self._frame.shown(self._frame.inside)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The map's cells, -1 off the map."""
        return self._frame.shown(self._frame.cells)

    @property
    def origin(self) -> NDArray[np.float64]:
        """The corner with the smallest world x and y, (2,) or (N, 2); it may lie off the map."""
        corner = self._frame.corners
        return np.asarray(corner[0] if self._frame.single else corner)

    @property
    def distances(self) -> NDArray[np.float64]:
        """World distance of each cell's center from the middle cell's, (side, side); on a graph
        (K,) or (N, K).
        """
        return self._frame.distances

    def __add__(self, other: Window | ArrayLike) -> Window:
        return self._with(operations.ADD, self, other)

    def __radd__(self, other: ArrayLike) -> Window:
        return self._with(operations.ADD, other, self)

    def __sub__(self, other: Window | ArrayLike) -> Window:
        return self._with(operations.SUBTRACT, self, other)

    def __rsub__(self, other: ArrayLike) -> Window:
        return self._with(operations.SUBTRACT, other, self)

    def __mul__(self, other: Window | ArrayLike) -> Window:
        return self._with(operations.MULTIPLY, self, other)

    def __rmul__(self, other: ArrayLike) -> Window:
        return self._with(operations.MULTIPLY, other, self)

    def __truediv__(self, other: Window | ArrayLike) -> Window:
        return self._with(operations.DIVIDE, self, other)

    def __rtruediv__(self, other: ArrayLike) -> Window:
        return self._with(operations.DIVIDE, other, self)

    def __neg__(self) -> Window:
        return self._with(operations.NEGATE, self)

    def __abs__(self) -> Window:
        return self._with(operations.ABS, self)

    def clamp(self, low: Window | ArrayLike, high: Window | ArrayLike) -> Window:
        """The values cut to [low, high]."""
        return self._with(operations.CLAMP, self, low, high)

    def normalize(self) -> Window:
        """Each window brought to [0, 1] by its own smallest and largest value inside; all 0 where
        they are equal.
        """
        low, high = self._range()
        above = self._with(operations.SUBTRACT, self, low)
        return above._with(operations.DIVIDE, above, np.minimum(high - low, operations.LARGEST))

    def invert(self) -> Window:
        """Each window's largest value inside minus its values."""
        _, high = self._range()
        return self._with(operations.SUBTRACT, high, self)

    def weigh(self, falloff: Any = "linear") -> Window:
        """Times an interest template: the falloff of the distance from the agent, 1 in the middle
        and 0 at the radius.

        `falloff` is what `fc.Radial` takes: a name, a ring, a table, a callable.
        """
        weights = Falloff.of(falloff)(self._frame.steps / self._frame.radius)
        return self._with(operations.MULTIPLY, self, weights.astype(np.float32))

    def best(
        self,
        *,
        count: int | None = None,
        spacing: float = 0.0,
        where: Operand | ArrayLike | None = None,
        walk: float | None = None,
        none: str = "refuse",
    ) -> Spots:
        """The cell with the largest value inside; of equals the nearest to the agent, then the one
        with the lowest row and column.

        `count` and `spacing` ask for so many cells, so far apart, as in `fieldcraft.best`; `where`
        and `walk` narrow the choice as in `window`. Where a window has no cell to choose (an agent
        walled in) this raises `InvalidValue`; with `none="stay"` it gives the agent's own cell,
        with `none="nan"` nothing, and neither is `found`.
        """
        return self._search(self._values, count, spacing, where, walk, none)

    def worst(
        self,
        *,
        count: int | None = None,
        spacing: float = 0.0,
        where: Operand | ArrayLike | None = None,
        walk: float | None = None,
        none: str = "refuse",
    ) -> Spots:
        """The cell with the smallest value inside; the rest as in `best`."""
        return self._search(-self._values, count, spacing, where, walk, none)

    def _search(
        self,
        wishes: Floats,
        count: int | None,
        spacing: float,
        where: Operand | ArrayLike | None,
        walk: float | None,
        none: str,
    ) -> Spots:
        frame, otherwise = self._frame, checked_none(none)
        apart = checks.not_negative("spacing", spacing)
        wanted = (
            1
            if count is None
            else checks.integer("count", count, minimum=1, maximum=len(frame.space))
        )
        found = self._ranked(wishes, eligible(frame, where, walk), wanted, apart)
        missing = found < 0
        if otherwise == "refuse" and missing.any():
            bad = int(np.flatnonzero(missing.any(axis=1))[0])
            place = tuple(frame.space.position_of(frame.centers[bad]).tolist())
            raise InvalidValue(
                (
                    "A window has an open cell to choose"
                    if count is None
                    else f"A window has {wanted} open cells to choose"
                ),
                got=f"{'fewer' if count else 'none'} within the radius of {place}"
                + ("" if frame.single else f", agent {bad}"),
                remedy='Use a larger radius, or none="stay"',
            )
        agents, flat = (
            np.arange(len(found))[:, np.newaxis],
            (len(found), frame.shape[1] * frame.shape[2]),
        )
        places = np.where(missing, frame.middle, found)
        cells = frame.cells.reshape(flat)[agents, places]
        values = self._values.reshape(flat)[agents, places]
        positions = np.array(frame.space.position_of(cells.reshape(-1))).reshape(
            *cells.shape, frame.space.dimensions
        )
        if otherwise == "nan":
            cells, values, positions[missing] = (
                np.where(missing, -1, cells),
                np.where(missing, np.float32("nan"), values),
                np.nan,
            )
        if count is None:
            cells, values, positions, missing = (
                cells[:, 0],
                values[:, 0],
                positions[:, 0],
                missing[:, 0],
            )
        if frame.single:
            return Spots(
                positions[0], values[0], cells[0], ~missing[0], cells[0], ranked=count is not None
            )
        return Spots(positions, values, cells, ~missing, cells, ranked=count is not None)

    def _ranked(
        self, wishes: Floats, allowed: NDArray[np.bool_], wanted: int, apart: float
    ) -> NDArray[np.int64]:
        """The places of the choices in each window, the best first, (N, wanted); -1 where no more
        are allowed.
        """
        frame = self._frame
        count, rows, columns = frame.shape
        agents, flat = np.arange(count), (count, rows * columns)
        left, values = allowed.reshape(flat).copy(), wishes.reshape(flat)
        places = None
        if wanted > 1 and apart > 0:
            places = frame.space.position_of(np.maximum(frame.cells, 0).reshape(-1)).reshape(
                *left.shape, frame.space.dimensions
            )
        found = np.full((len(agents), wanted), -1, dtype=np.int64)
        for number in range(wanted):
            first = frame.nearest_first[
                np.where(left, values, -np.inf)[:, frame.nearest_first].argmax(axis=1)
            ]
            is_one = left[agents, first]
            if not is_one.any():
                break
            found[:, number] = np.where(is_one, first, -1)
            left[agents, first] = False
            if places is not None:
                away = frame.space.shortest_vectors(
                    (places - places[agents, first][:, np.newaxis]).reshape(-1, places.shape[-1])
                )
                too_near = ((away**2).sum(axis=1) < (apart * (1 - 1e-9)) ** 2).reshape(left.shape)
                left &= ~(too_near & is_one[:, np.newaxis])
        return found

    def _range(self) -> tuple[Floats, Floats]:
        """The smallest and largest value inside each window, (N, 1, 1); 0 where nothing is
        inside.
        """
        inside = self._frame.inside
        low = self._values.min(axis=(1, 2), initial=np.inf, where=inside, keepdims=True)
        high = self._values.max(axis=(1, 2), initial=-np.inf, where=inside, keepdims=True)
        return np.where(low > high, np.float32(0), low), np.where(low > high, np.float32(0), high)

    def _with(self, operation: int, *operands: Any) -> Window:
        arrays = [np.broadcast_to(self._operand(each), self._frame.shape) for each in operands]
        result = operations.apply(operation, *(arrays * 3)[:3])
        return Window(self._frame, operations.limited(result))

    def _operand(self, operand: Any) -> Floats:
        if isinstance(operand, Window):
            if operand._frame is not self._frame and not self._frame.matches(operand._frame):
                raise InvalidValue(
                    "Windows are combined around the same cells",
                    got=f"{operand!r} with {self!r}",
                    remedy="Cut both with the same positions, radius, where and walk",
                )
            return operand._values
        if isinstance(operand, Operand):
            raise InvalidValue(
                "A window is combined with windows, numbers and arrays",
                got=repr(operand),
                remedy="Cut one from it: fc.window(map, positions, radius)",
            )
        array = checks.array("The values of an operand", operand)
        if (
            array.dtype.kind not in "iufb"
            or not (np.abs(array.astype(np.float64)) <= operations.LARGEST).all()
        ):
            raise InvalidValue(
                "The values of an operand are finite float32 numbers",
                got=repr(operand)[:80],
                remedy="Replace what is not",
            )
        try:
            array = self._frame.spread(array)
            fits = (
                len(array.shape) <= 3
                and np.broadcast_shapes(array.shape, self._frame.shape) == self._frame.shape
            )
        except ValueError:
            fits = False
        if not fits:
            raise InvalidValue(
                "An array in a window spreads over its shape"
                f" {self._frame.shown(self._values).shape}",
                got=f"shape {array.shape}",
                remedy="Pass one number per cell",
            )
        return array.astype(np.float32)
