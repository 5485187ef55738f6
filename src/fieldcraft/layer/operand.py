"""What can be calculated with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fieldcraft.space import AnySpace, Grid

__all__ = ["Operand"]


class Operand:
    """A map of values: a layer, or an expression over layers. Arithmetic on it gives an expression.

    Expressions are lazy: nothing is computed before `values`, `read`, `sample` or a window asks for it. The other operand
    is a map of the same cells, a number, or an array of shape (height, width), of which a copy is taken. Where both spaces
    have walls of their own, the result has a wall where all its maps have one.

    Arithmetic is float32, in the order in which it is written. `a / 0` is 0. A result beyond float32 becomes its largest
    number, 3.4e38, so that values are finite. Walls read 0.

    `<`, `<=`, `>` and `>=` give 1 where they hold and 0 elsewhere; `equals` and `differs` stand in for `==` and `!=`, which compare
    identity as for any object, so that layers can be kept in sets and dicts.
    """

    # NumPy leaves `array + layer` to the layer.
    __array_ufunc__ = None

    # Filled by fieldcraft.compose, which stands above this module.
    _verbs: ClassVar[dict[str, Callable[..., Operand]]] = {}

    if TYPE_CHECKING:
        name: str
        space: AnySpace

        @property
        def values(self) -> NDArray[np.float32]:
            """Read-only float32 of shape (height, width)."""
            ...

        @property
        def version(self) -> int:
            """Changes whenever the values may have changed."""
            ...

        def read(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
            """A copy of the values."""
            ...

        def sample(self, positions: ArrayLike, *, outside: str = "refuse") -> float | NDArray[np.float32]:
            """The values of the cells at world positions."""
            ...

    def __add__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["add"](self, other)

    def __radd__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["add"](other, self)

    def __sub__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["subtract"](self, other)

    def __rsub__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["subtract"](other, self)

    def __mul__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["multiply"](self, other)

    def __rmul__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["multiply"](other, self)

    def __truediv__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["divide"](self, other)

    def __rtruediv__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["divide"](other, self)

    def __neg__(self) -> Operand:
        return self._verbs["negate"](self)

    def __pos__(self) -> Operand:
        return self

    def __abs__(self) -> Operand:
        return self._verbs["abs"](self)

    def __lt__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["less"](self, other)

    def __le__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["less_equal"](self, other)

    def __gt__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["greater"](self, other)

    def __ge__(self, other: Operand | ArrayLike) -> Operand:
        return self._verbs["greater_equal"](self, other)

    def equals(self, other: Operand | ArrayLike) -> Operand:
        """1 where the values are equal, else 0."""
        return self._verbs["equal"](self, other)

    def differs(self, other: Operand | ArrayLike) -> Operand:
        """1 where the values are not equal, else 0."""
        return self._verbs["unequal"](self, other)

    def clamp(self, low: Operand | ArrayLike, high: Operand | ArrayLike) -> Operand:
        """The values cut to [low, high]: numbers, or maps (`high` wins where they cross)."""
        return self._verbs["clamp"](self, low, high)

    def normalise(self, *, signed: bool = False) -> Operand:
        """The values brought to [0, 1]: the smallest on open ground becomes 0, the largest 1; all 0 where they are equal.

        With `signed=True` to [-1, 1] instead: divided by the largest magnitude, so that 0 stays 0.
        """
        return self._verbs["normalise_signed" if signed else "normalise"](self)

    def invert(self) -> Operand:
        """The largest value on open ground minus the values: best becomes worst."""
        return self._verbs["invert"](self)

    def curve(self, shape: str | Iterable[tuple[float, float]], *at: float) -> Operand:
        """The answer of a response curve to the values.

        `shape` is one of

        - "linear", "quadratic", "smoothstep", "logistic" with `at` = (low, high), by default (0, 1): from 0 at `low` to 1 at
          `high`, and no further beyond them. With `low` above `high` the curve falls. Logistic is 0.5 half way, 0.0067 at
          `low` and 0.9933 at `high`;
        - "step" with `at` = (threshold,): 0 below it, 1 from there on;
        - two to 64 points (value, answer), values ascending: joined by straight lines, level beyond the first and last.
        """
        return self._verbs["curve"](self, shape, *at)

    def smooth(self, cells: int = 1) -> Operand:
        """The mean over the square of cells up to `cells` (1 to 64) rows and columns away; 1 is a 3 x 3 blur.

        Walls and what lies beyond the rim don't count, and a wall reads 0; ground on the other side of a thin wall does
        count. On a torus the square goes on at the other side.
        """
        return self._verbs["smooth"](self, cells)

    def on(self, space: Grid) -> Operand:
        """The same map on finer cells: each cell of `space` reads the cell that its centre lies in.

        For layers with a `cell_size` of their own: `coarse.on(fine.space) + fine`.
        """
        return self._verbs["on"](self, space)
