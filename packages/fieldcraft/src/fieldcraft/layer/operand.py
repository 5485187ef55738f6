"""The operand: anything that can be calculated with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, hooks
from fieldcraft.errors import InvalidValue, NotAnArray
from fieldcraft.hooks import Pictured

if TYPE_CHECKING:
    from fieldcraft.space import Grid, Space
    from fieldcraft.space.cells import Many, One

__all__ = ["Operand", "checked_out"]

# What NumPy's functions do to a map lazily; any other function of one array goes in as a curve.
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


class Operand(Pictured):
    """A map of values: a layer, a belief, a distance map, or an expression over such. Arithmetic on
    it gives an expression.

    Expressions are lazy: nothing is computed before `values`, `read`, `sample` or a window asks for
    it. The other operand is a map of the same cells, a number, or an array of shape (height,
    width), of which a copy is taken. Where both spaces have walls of their own, the result has a
    wall where all its maps have one.

    Arithmetic is float32, in the order in which it is written. `a / 0` is 0. A result beyond
    float32 becomes its largest number, 3.4e38, so that values are finite. Walls read 0.

    `<`, `<=`, `>` and `>=` give 1 where they hold and 0 elsewhere; `equals` and `differs` stand in
    for `==` and `!=`, which compare identity as for any object, so that layers can be kept in sets
    and dicts. `&`, `|` and `~` take any value but 0 for true.

    NumPy sees the values: `np.asarray(map)`, `np.max(map)` and `plt.imshow(map)` look at the array
    as it is now. NumPy's
    arithmetic gives expressions: `np.maximum(map, 0)`, `np.sqrt(map)` and `array + map` stay live.
    A map is no array, though: `map[...]` is refused, since arrays are read at [row, column] and
    maps are asked at (x, y).
    """

    name: str = "map"
    """Its name in a formula."""

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

    def finite_values(self) -> NDArray[np.float32]:
        """The values as expressions, windows and curves read them: where a map has infinite ones,
        numbers that stand for them.
        """
        return self.values

    def read(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """A copy of the values, into `out` (float32 of shape (height, width), contiguous) if
        given.
        """
        if out is None:
            return self.values.copy()
        checked_out(out, self.space.shape)[:] = self.values
        return out

    @overload
    def sample(self, positions: One, *, how: str = ..., outside: str = ...) -> float: ...
    @overload
    def sample(
        self, positions: Many, *, how: str = ..., outside: str = ...
    ) -> NDArray[np.float32]: ...
    @overload
    def sample(
        self, positions: ArrayLike, *, how: str = ..., outside: str = ...
    ) -> float | NDArray[np.float32]: ...
    def sample(
        self, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse"
    ) -> float | NDArray[np.float32]:
        """The values at world positions: a float for one (x, y) pair, (N,) float32 for an (N, 2)
        array.

        `how` is "nearest", the cell that holds the position, or "bilinear", between cells; see
        `fieldcraft.sample`.
        """
        if not isinstance(how, str) or how != "nearest":
            return hooks.sample(self, positions, how=how, outside=outside)
        cells = self.space.cell_at(positions, outside=outside)
        found = self.values.reshape(-1)[cells]
        return float(found) if isinstance(cells, int) else np.asarray(found)

    # What arrays have and maps don't

    if not TYPE_CHECKING:  # a type checker says itself what a map cannot do

        def __getattr__(self, name: str) -> Any:
            if hasattr(np.ndarray, name) and not name.startswith("_"):
                raise NotAnArray(
                    f"A map has no {name!r}", got=f"map.{name}", remedy=f"Use map.values.{name}"
                )
            kind = type(self).__name__
            raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=self)

        def __getitem__(self, key: Any) -> Any:
            raise InvalidValue(
                "A map is asked at world positions (x, y), an array at [row, column]",
                got=f"map[{_told(key)}]",
                remedy="Write map.sample((x, y)), or map.values[row, column]",
            )

        def __setitem__(self, key: Any, value: Any) -> None:
            raise InvalidValue(
                "The values of a map follow from what feeds it",
                got=f"map[{_told(key)}] = {_told(value)}",
                remedy=(
                    "Give a layer a source or a deposit at (x, y), or replace all its values:"
                    " layer.write(array)"
                ),
            )

        def __float__(self) -> float:
            raise InvalidValue(
                "A map is many numbers",
                got="float(map)",
                remedy="Write map.sample((x, y)) for one of them, np.max(map) for the largest",
            )

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, float, np.number, np.ndarray)):
            raise InvalidValue(
                "== asks of a map whether it is the same object",
                got=f"map == {_told(other)}",
                remedy="Write map.equals(3) or map.differs(3) for a map of 1 and 0",
            )
        return self is other

    __hash__ = object.__hash__

    # NumPy

    if TYPE_CHECKING:
        # In place of `__array__`: NumPy's functions take a map, but `array - map` is an expression.
        def __buffer__(self, flags: int) -> memoryview: ...
    else:

        def __array__(self, dtype=None, copy=None):
            values = self.values
            return np.array(values, dtype=dtype) if copy else np.asarray(values, dtype=dtype)

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
            return hooks.calculus.power(*inputs)
        if ufunc is np.sqrt:
            return hooks.calculus.sqrt(*inputs)
        if ufunc.__name__ in _UFUNCS:
            return hooks.calculus.cellwise(_UFUNCS[ufunc.__name__], *inputs)
        if ufunc.nin == ufunc.nout == 1:
            return self.curve(ufunc)
        raise InvalidValue(
            "Of NumPy's functions maps take arithmetic, comparisons and those of one array",
            got=f"np.{ufunc.__name__}",
            remedy="Call it on map.values, or on map.read() for a copy of your own",
        )

    # Arithmetic

    def __add__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("add", self, other)

    def __radd__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("add", other, self)

    def __sub__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("subtract", self, other)

    def __rsub__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("subtract", other, self)

    def __mul__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("multiply", self, other)

    def __rmul__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("multiply", other, self)

    def __truediv__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("divide", self, other)

    def __rtruediv__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("divide", other, self)

    def __pow__(self, exponent: float) -> Operand:
        return hooks.calculus.power(self, exponent)

    def __rpow__(self, base: float) -> Operand:
        return hooks.calculus.power(base, self)

    def __and__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("and", self, other)

    def __rand__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("and", other, self)

    def __or__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("or", self, other)

    def __ror__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("or", other, self)

    def __invert__(self) -> Operand:
        return hooks.calculus.cellwise("not", self)

    def __neg__(self) -> Operand:
        return hooks.calculus.cellwise("negate", self)

    def __pos__(self) -> Operand:
        return self

    def __abs__(self) -> Operand:
        return hooks.calculus.cellwise("abs", self)

    def __lt__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("less", self, other)

    def __le__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("less_equal", self, other)

    def __gt__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("greater", self, other)

    def __ge__(self, other: Operand | ArrayLike) -> Operand:
        return hooks.calculus.cellwise("greater_equal", self, other)

    def equals(self, other: Operand | ArrayLike) -> Operand:
        """1 where the values are equal, else 0."""
        return hooks.calculus.cellwise("equal", self, other)

    def differs(self, other: Operand | ArrayLike) -> Operand:
        """1 where the values are not equal, else 0."""
        return hooks.calculus.cellwise("unequal", self, other)

    def sqrt(self) -> Operand:
        """The square root; 0 where the value is negative."""
        return hooks.calculus.sqrt(self)

    def clamp(self, low: Operand | ArrayLike, high: Operand | ArrayLike) -> Operand:
        """The values cut to [low, high]: numbers, or maps (`high` wins where they cross)."""
        return hooks.calculus.cellwise("clamp", self, low, high)

    def normalize(self, *, signed: bool = False) -> Operand:
        """The values brought to [0, 1]: the smallest on open ground becomes 0, the largest 1; all 0
        where they are equal.

        With `signed=True` to [-1, 1] instead: divided by the largest magnitude, so that 0 stays 0.
        """
        return hooks.calculus.cellwise(
            "normalize_signed" if checks.flag("signed", signed) else "normalize", self
        )

    def invert(self) -> Operand:
        """The largest value on open ground minus the values: best becomes worst."""
        return hooks.calculus.cellwise("invert", self)

    def curve(
        self,
        shape: str | Iterable[tuple[float, float]] | Callable[[NDArray[np.float32]], ArrayLike],
        *at: float,
    ) -> Operand:
        """The answer of a response curve to the values.

        `shape` is one of

        - "linear", "quadratic", "smoothstep", "logistic" with `at` = (low, high), by default (0,
          1): from 0 at `low` to 1 at `high`, and no further beyond them. With `low` above `high`
          the curve falls. Logistic is 0.5 half way, 0.0067 at `low` and 0.9933 at `high`;
        - "power" with `at` = (low, high, exponent): the linear curve raised to an exponent above 0;
        - "step" with `at` = (threshold,): 0 below it, 1 from there on;
        - two to 64 points (value, answer), values ascending: joined by straight lines, level beyond
          the first and last;
        - a function that answers a float32 array of values with an array of as many numbers:
          `np.tanh`,
          `lambda threat: np.exp(-threat / 8)`. It is called when values are asked for, and is to
          answer equal values equally.
        """
        return hooks.calculus.curve(self, shape, *at)

    def smooth(self, cells: int = 1) -> Operand:
        """The mean over the square of cells up to `cells` (1 to 64) rows and columns away; 1 is a 3
        x 3 blur.

        Walls and what lies beyond the rim don't count, and a wall reads 0; ground on the other side
        of a thin wall does count. On a torus the square goes on at the other side.
        """
        return hooks.calculus.smooth(self, cells)

    def on(self, space: Grid) -> Operand:
        """The same map on finer cells: each cell of `space` reads the cell that its center lies in.

        For layers with a `cell_size` of their own: `coarse.on(fine.space) + fine`.
        """
        return hooks.calculus.on(self, space)


def _told(thing: object) -> str:
    said = repr(thing)
    return said if len(said) <= 40 else f"{said[:40]}..."


def checked_out(out: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """The array that values can be read into, or `InvalidValue`."""
    if (
        isinstance(out, np.ndarray)
        and out.shape == shape
        and out.dtype == np.float32
        and out.flags.carray
    ):
        return out
    kind = (
        f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
    )
    locked = (
        ", read-only or not contiguous"
        if isinstance(out, np.ndarray) and not out.flags.carray
        else ""
    )
    raise InvalidValue(
        f"out is a writable, contiguous float32 array of shape {shape}",
        got=kind + locked,
        remedy="Pass np.empty(map.space.shape, np.float32), or leave it out",
    )
