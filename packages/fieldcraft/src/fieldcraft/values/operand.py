"""Operands: maps of values, which expressions are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, NotAnArray
from fieldcraft.base.missing_names import missing
from fieldcraft.base.pictured import Pictured
from fieldcraft.base.words import Between, IfOutside
from fieldcraft.values import expression as expressions
from fieldcraft.values import operations
from fieldcraft.values.checked_arrays import checked_out
from fieldcraft.values.exclusion import Near, Removal, SourcesOf, have_sources
from fieldcraft.values.ground import Ground, Term
from fieldcraft.values.sampling import sample
from fieldcraft.values.tree import Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fieldcraft.base.single_thread import SingleThreadLock
    from fieldcraft.space import Grid, Space
    from fieldcraft.space.cells import Many, One

# The operations for NumPy's functions; any other function of one array becomes a curve.
_UFUNCS = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "divide": "divide",
    "negative": "negate",
    "absolute": "abs",
    "fabs": "abs",
    "less": "less",
    "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "equal": "equal",
    "not_equal": "unequal",
    "minimum": "min",
    "maximum": "max",
    "fmin": "min",
    "fmax": "max",
    "square": "square",
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "invert": "not",
}


class Operand(Pictured, Term):
    """A map of values: a layer, a belief, a distance map, or an expression over maps.

    Arithmetic returns expressions, which are lazy: nothing is computed before `values`, `read`,
    `sample` or a window needs it. The other operand is a map of the same cells, a number, or an
    array of shape (height, width), which is copied. If maps have walls of their own, the result has
    a wall where all of them have one.

    Arithmetic is float32, in written order. `a / 0` is 0. Results beyond float32
    are capped at 3.4e38. Walls are 0.

    `<`, `<=`, `>` and `>=` are 1 where they hold, else 0. `equals` and `differs` replace `==` and
    `!=`, which compare identity, so that layers can be in sets and dicts. `&`, `|` and `~` treat
    all values but 0 as true.

    NumPy functions of the values, such as `np.max(map)` and `plt.imshow(map)`, read the current
    array; NumPy's arithmetic, such as `np.maximum(map, 0)` and `array + map`, returns expressions.
    With NumPy 2.5, type checkers want `np.max(map.values)`.
    `map[...]` is refused: arrays are indexed [row, column], maps are sampled at (x, y).

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
    >>> food = imap.add_layer("food", values=[[0, 4, 8]])
    >>> threat = imap.add_layer("threat", values=[[1, 3, 9]])
    >>> (food - 0.5 * threat).values
    array([[-0.5,  2.5,  3.5]], dtype=float32)
    """

    name: str = "map"
    """Its name in a formula."""

    may_be_infinite: bool = False
    """Whether it has infinite numbers, which make walls of cells as a cost."""

    if TYPE_CHECKING:
        space: Space

        @property
        def values(self) -> NDArray[np.float32]:
            """Read-only float32 of shape (height, width)."""

        @property
        def version(self) -> int:
            """Changes whenever the values may have changed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values: (height, width) on grids, (N,) on graphs."""
        return self.space.shape

    def _own_lock(self) -> SingleThreadLock | None:
        """Return the lock that expressions of the map enter, too; None for a map without."""
        return None

    def _node_on(self, ground: Ground) -> Node:
        """See `Term._node_on`."""
        if ground.spaces == (self.space,):
            return Node("map", (), self)
        own = expressions.expression_of(self)
        if own.ground.same_walls(ground):
            return Node("map", (), self)
        return own.as_map()

    def finite_values(self) -> NDArray[np.float32]:
        """Return the values for expressions, with finite numbers for infinite ones."""
        return self.values

    def values_without(self, removal: Removal) -> NDArray[np.float32]:
        """Return the values that this would have without what is left out."""
        if removal.concerns(self):
            return removal.values_of(self)
        return self.finite_values()

    def source_ids(self, keys: Sequence[object]) -> NDArray[np.int64]:
        """Return the ids of this map's own live sources with these keys, -1 where there is none."""
        return np.full(len(keys), -1, dtype=np.int64)

    def values_near(self, near: Near) -> NDArray[np.float32]:
        """Return the values of cells near agents, (N, k), each without the agent's own sources."""
        found: NDArray[np.float32] = self.finite_values().reshape(-1)[near.cells]
        mine = np.flatnonzero(have_sources(self, near.keys))
        for key, rows in near.rows_by_key(mine):
            values = self.values_without(SourcesOf(key)).reshape(-1)
            found[rows] = values[near.cells[rows]]
        return found

    def read(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return a copy of the values, in `out` (float32 of shape (height, width)) if given."""
        if out is None:
            return self.values.copy()
        checked_out(out, self.space.shape)[:] = self.values
        return out

    @overload
    def sample(
        self,
        positions: One,
        *,
        how: Between = ...,
        without: object = ...,
        outside: IfOutside = ...,
    ) -> float: ...
    @overload
    def sample(
        self,
        positions: Many,
        *,
        how: Between = ...,
        without: object = ...,
        outside: IfOutside = ...,
    ) -> NDArray[np.float32]: ...
    @overload
    def sample(
        self,
        positions: ArrayLike,
        *,
        how: Between = ...,
        without: object = ...,
        outside: IfOutside = ...,
    ) -> float | NDArray[np.float32]: ...
    def sample(
        self,
        positions: ArrayLike,
        *,
        how: Between = "nearest",
        without: object = None,
        outside: IfOutside = "refuse",
    ) -> float | NDArray[np.float32]:
        """Return the values at world positions: a float for one (x, y) pair, (N,) float32 for an
        (N, 2) array.

        `how` is "nearest", the cell that contains the position, or "bilinear", between cells.
        `without` are keys whose influence is left out, one for each position or one for all; see
        `fieldcraft.sample`.
        """
        if without is not None or not isinstance(how, str) or how != "nearest":
            return sample(self, positions, how=how, without=without, outside=outside)
        cells = self.space.cell_at(positions, outside=outside)
        found = self.values.reshape(-1)[cells]
        if isinstance(cells, int):
            return float(found)
        return np.asarray(found)

    # What arrays have and maps don't

    if not TYPE_CHECKING:  # type checkers report these themselves

        def __getattr__(self, name: str) -> Any:
            if hasattr(np.ndarray, name) and not name.startswith("_"):
                raise NotAnArray(
                    f"A map has no {name!r}", got=f"map.{name}", remedy=f"Use map.values.{name}"
                )
            raise missing(self, name)

        def __getitem__(self, key: Any) -> Any:
            raise InvalidValue(
                "A map is sampled at world positions (x, y), an array is indexed [row, column]",
                got=f"map[{checks.short(key)}]",
                remedy="Write map.sample((x, y)), or map.values[row, column]",
            )

        def __setitem__(self, key: Any, value: Any) -> None:
            raise InvalidValue(
                "The values of a map are not set one by one",
                got=f"map[{checks.short(key)}] = {checks.short(value)}",
                remedy=(
                    "Add a source or a deposit at (x, y) to a layer, or replace all its values:"
                    " layer.write(array)"
                ),
            )

        def __float__(self) -> float:
            raise InvalidValue(
                "A map is many numbers",
                got="float(map)",
                remedy="Write map.sample((x, y)) for one of them, map.values.max() for the largest",
            )

        def __iadd__(self, other: Any) -> Any:
            raise InvalidValue(
                "Arithmetic on a map returns an expression and changes no map",
                got="an operator that assigns, such as map += 1",
                remedy="Write shifted = map + 1, or layer.write(layer.values + 1) for a layer",
            )

        __isub__ = __imul__ = __itruediv__ = __ipow__ = __iand__ = __ior__ = __iadd__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, float, np.number, np.ndarray)):
            raise InvalidValue(
                "== tests whether two maps are the same object",
                got=f"map == {checks.short(other)}",
                remedy="Write map.equals(3) or map.differs(3) for a map of 1 and 0",
            )
        return self is other

    __hash__ = object.__hash__

    # NumPy

    if TYPE_CHECKING:
        # In place of `__array__`: NumPy's functions take a map, but `array - map` is an expression.
        # NumPy 2.5 declares some functions, `np.max` among them, for `__array__` only, as it does
        # `array - map`: see "Wheels" in docs/shipping.md.
        def __buffer__(self, flags: int) -> memoryview: ...
    else:

        def __array__(self, dtype=None, copy=None):
            values = self.values
            if copy:
                return np.array(values, dtype=dtype)
            return np.asarray(values, dtype=dtype)

    def __dlpack__(self, *, copy: bool | None = None, **options: Any) -> Any:
        if copy is False:
            raise BufferError("The values of a map are exported as a copy")
        return np.array(self.values).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the memory of the CPU

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        outs = options.get("out", ())
        if any(isinstance(each, Operand) for each in outs):
            raise InvalidValue(
                "NumPy writes into arrays, not into maps",
                got=f"out={type(outs[0]).__name__}",
                remedy="Use layer.write(array), or an expression: a + b",
            )
        if outs or method != "__call__":
            return getattr(ufunc, method)(
                *(np.asarray(each) if isinstance(each, Operand) else each for each in inputs),
                **options,
            )
        if options:
            raise InvalidValue(
                f"np.{ufunc.__name__} on a map takes maps, numbers and arrays",
                got=", ".join(f"{name}=" for name in options),
                remedy="Leave it out, or call it on map.values",
            )
        if ufunc is np.positive:
            return self
        if ufunc in (np.power, np.float_power):
            return operations.power(*inputs)
        if ufunc is np.sqrt:
            return operations.sqrt(*inputs)
        if ufunc.__name__ in _UFUNCS:
            return operations.combined(_UFUNCS[ufunc.__name__], *inputs)
        if ufunc.nin == ufunc.nout == 1:
            return self.curve(ufunc)
        raise InvalidValue(
            "Maps take NumPy's arithmetic, comparisons and functions of one array",
            got=f"np.{ufunc.__name__}",
            remedy="Call it on map.values, or on map.read() for a copy of your own",
        )

    # Arithmetic

    def __add__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("add", self, other)

    def __radd__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("add", other, self)

    def __sub__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("subtract", self, other)

    def __rsub__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("subtract", other, self)

    def __mul__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("multiply", self, other)

    def __rmul__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("multiply", other, self)

    def __truediv__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("divide", self, other)

    def __rtruediv__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("divide", other, self)

    def __pow__(self, exponent: float) -> Operand:
        return operations.power(self, exponent)

    def __rpow__(self, base: float) -> Operand:
        return operations.power(base, self)

    def __and__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("and", self, other)

    def __rand__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("and", other, self)

    def __or__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("or", self, other)

    def __ror__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("or", other, self)

    def __invert__(self) -> Operand:
        return operations.combined("not", self)

    def __neg__(self) -> Operand:
        return operations.combined("negate", self)

    def __pos__(self) -> Operand:
        return self

    def __abs__(self) -> Operand:
        return operations.combined("abs", self)

    def __lt__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("less", self, other)

    def __le__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("less_equal", self, other)

    def __gt__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("greater", self, other)

    def __ge__(self, other: Operand | ArrayLike) -> Operand:
        return operations.combined("greater_equal", self, other)

    def equals(self, other: Operand | ArrayLike) -> Operand:
        """Return 1 where the values are equal, else 0."""
        return operations.combined("equal", self, other)

    def differs(self, other: Operand | ArrayLike) -> Operand:
        """Return 1 where the values are not equal, else 0."""
        return operations.combined("unequal", self, other)

    def sqrt(self) -> Operand:
        """Return the square root; 0 where the value is negative."""
        return operations.sqrt(self)

    def clamp(self, low: Operand | ArrayLike, high: Operand | ArrayLike) -> Operand:
        """Return the values limited to [low, high], numbers or maps; `high` wins if lower."""
        return operations.combined("clamp", self, low, high)

    def normalize(self, *, signed: bool = False) -> Operand:
        """Return the values scaled to [0, 1]: the smallest on open cells becomes 0, the largest 1;
        0 if they are equal.

        With `signed=True` they are divided by the largest magnitude, so that 0 stays 0.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> food = fc.InfluenceMap(fc.Grid(3, 1)).add_layer("food", values=[[2, 4, 10]])
        >>> food.normalize().values
        array([[0.  , 0.25, 1.  ]], dtype=float32)
        """
        return operations.combined(
            "normalize_signed" if checks.flag("signed", signed) else "normalize", self
        )

    def invert(self) -> Operand:
        """Return the largest value on open cells minus the values: best becomes worst."""
        return operations.combined("invert", self)

    def curve(
        self,
        shape: str | Iterable[tuple[float, float]] | Callable[[NDArray[np.float32]], ArrayLike],
        *at: float,
    ) -> Operand:
        """Return a response curve of the values.

        Parameters
        ----------
        shape : str, iterable of (float, float) or callable
            One of

            - "linear", "quadratic", "smoothstep", "logistic" with `at` = (low, high), by default
              (0, 1): from 0 at `low` to 1 at `high`, constant beyond them. With `low` above `high`
              the curve falls. Logistic is 0.5 in the middle, 0.0067 at `low` and 0.9933 at `high`
            - "power" with `at` = (low, high, exponent): the linear curve raised to an exponent
              above 0
            - "step" with `at` = (threshold,): 0 below it, else 1
            - two to 64 points (value, result), values ascending: joined by straight lines, constant
              beyond the first and last
            - a function from a float32 array to an array of the same length, such as `np.tanh`. It
              is called when values are needed, and must return equal results for equal values
        *at : float
            Where the curve begins and ends.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> food = fc.InfluenceMap(fc.Grid(3, 1)).add_layer("food", values=[[0, 4, 10]])
        >>> food.curve("linear", 0, 8).values
        array([[0. , 0.5, 1. ]], dtype=float32)
        """
        return operations.curve(self, shape, *at)

    def smooth(self, cells: int = 1) -> Operand:
        """Return the mean over the square of cells up to `cells` (1 to 64) rows and columns away; 1
        is a 3 x 3 blur.

        Walls and cells beyond the rim do not count; cells behind a thin wall do. Along an
        axis that wraps the square continues at the other side.
        """
        return operations.smooth(self, cells)

    def on(self, space: Grid) -> Operand:
        """Return the same map on finer cells: each cell of `space` has the value of the cell that
        contains its center.

        For layers with a `cell_size` of their own: `coarse.on(fine.space) + fine`.
        """
        return operations.on(self, space)
