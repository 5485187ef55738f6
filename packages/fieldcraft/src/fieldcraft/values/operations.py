"""The operations behind the operators and methods of maps: each returns an expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Grid, grid_of
from fieldcraft.values import expression as expressions
from fieldcraft.values import operand as operands
from fieldcraft.values.arithmetic import cellwise
from fieldcraft.values.ground import Ground
from fieldcraft.values.passes import (
    FunctionPass,
    Refining,
    Smoothing,
    exponentials,
    logarithms,
    powers,
    roots,
)
from fieldcraft.values.tree import MOST_POINTS
from fieldcraft.values.written import Written

if TYPE_CHECKING:
    from fieldcraft.values.expression import Expression
    from fieldcraft.values.operand import Operand

_MOST_SMOOTHED = 64
_MOST_MULTIPLIED = 16  # powers up to this are products, beyond it NumPy's
_COUNTS = {"power": (3,), "step": (1,)}
"""How many numbers a curve takes, by its shape."""
_CALLS = {
    "power": "A power curve takes low, high and an exponent",
    "step": "A step takes one threshold",
}
_SHAPES = ("linear", "quadratic", "smoothstep", "logistic", "step", "power")


def combined(verb: str, *operands: Any) -> Expression:
    """Return one of `CELLWISE` over operands, at least one of them a map."""
    return expressions.Expression(*cellwise(verb, *operands))


def curve(
    operand: Operand,
    shape: str | Iterable[tuple[float, float]] | Callable[..., ArrayLike],
    *at: float,
) -> Operand:
    """See `Operand.curve`."""
    if isinstance(shape, str):
        return _shaped(operand, checks.choice("shape", shape, _SHAPES), at)
    if at:
        raise InvalidValue(
            "Points or a function define a curve completely",
            got=f"{at} after them",
            remedy="Leave the numbers out",
        )
    if callable(shape) and not isinstance(shape, type):
        name = getattr(shape, "__name__", "curve")
        return expressions.expression_of_pass(operand, FunctionPass(shape), name)
    try:
        points = [(x, y) for x, y in islice(shape, MOST_POINTS + 1)]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InvalidValue(
            "A curve is a word, points or a function",
            got=repr(shape)[:80],
            remedy="Pass a name such as 'linear', or pairs (value, result)",
        ) from None
    return combined("points", operand, *(each for point in points for each in point))


def _shaped(operand: Operand, shape: str, at: Sequence[float]) -> Operand:
    if len(at) not in _COUNTS.get(shape, (0, 2)):
        numbers = "low, ..."
        if shape == "step":
            numbers = "threshold"
        raise InvalidValue(
            _CALLS.get(shape, f"A {shape} curve takes low and high"),
            got=f"{len(at)} numbers",
            remedy=f"Call curve('{shape}', {numbers})",
        )
    if shape == "power":
        exponent = checks.positive("exponent", at[2])
        return power(combined("linear", operand, *at[:2]), exponent)
    return combined(shape, operand, *(at or (0.0, 1.0)))


def power(base: Any, exponent: Any) -> Operand:
    """Return a map to the power of a number, or a number to the power of a map.

    Whole and half powers up to 16 are products, roots and quotients in float32; 0 to a negative
    power is 0, as `1 / 0` is, and so is what is no number.
    """
    if isinstance(exponent, operands.Operand):
        if isinstance(base, operands.Operand):
            raise InvalidValue(
                "One of base and exponent is a number",
                got="two maps",
                remedy="Use map.curve(function) for one of them",
            )
        source = expressions.expression_of(exponent)
        calculation = exponentials(base)
        return expressions.expression_of_pass(source, calculation, "power", given=(base, source))
    number_ = checks.finite("The exponent of a power", exponent)
    size = abs(number_)
    if size > _MOST_MULTIPLIED or (2 * size) % 1:
        source = expressions.expression_of(base)
        calculation = powers(number_)
        return expressions.expression_of_pass(source, calculation, "power", given=(source, number_))
    if size == 0:
        return combined("add", combined("multiply", base, 0.0), 1.0)
    if size >= 1:
        result = combined("integer_power", base, int(size))
    else:
        result = sqrt(base)
    if size % 1 and size >= 1:
        result = combined("multiply", result, sqrt(base))
    if number_ < 0:
        result = combined("divide", 1.0, result)
    result.written = Written("power", (base, number_))
    return result


def sqrt(operand: Operand) -> Expression:
    """See `Operand.sqrt`."""
    return expressions.expression_of_pass(operand, roots(), "sqrt")


def logarithm(operand: Operand) -> Expression:
    """Return the natural logarithm of a map; that of 1e-38 where it is smaller."""
    return expressions.expression_of_pass(operand, logarithms(), "log")


def smooth(operand: Operand, cells: int = 1) -> Expression:
    """See `Operand.smooth`."""
    if checks.integer("cells", cells, minimum=1) > _MOST_SMOOTHED:
        raise InvalidValue(
            f"cells is at most {_MOST_SMOOTHED}",
            got=f"cells={cells}",
            remedy="Smooth twice, or a layer with larger cells",
        )
    grid_of(operand.space, "smooth()")
    source = expressions.expression_of(operand)
    return expressions.expression_of_pass(
        source, Smoothing(int(cells)), "smooth", given=(source, int(cells))
    )


def on(operand: Operand, space: Grid) -> Expression:
    """See `Operand.on`."""
    source = expressions.expression_of(operand)
    calculation = Refining(source.space, space)
    return expressions.expression_of_pass(source, calculation, "on", ground=Ground((space,)))
