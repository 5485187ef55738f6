"""The verbs behind the operators, the public functions and the text form: all that can be done with
maps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.compose.expression import Expression, expression_of
from fieldcraft.compose.ground import Ground
from fieldcraft.compose.mapped import Mapped, exponential, powered, rooted
from fieldcraft.compose.node import Node, number, operation
from fieldcraft.compose.passes import Refined, Smoothed
from fieldcraft.compose.writing import Written
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Grid, grid_of

__all__ = [
    "CELLWISE",
    "MOST_POINTS",
    "MOST_SMOOTHED",
    "apply",
    "cellwise",
    "curve",
    "lerp",
    "maximum",
    "minimum",
    "on",
    "power",
    "smooth",
    "sqrt",
    "where",
]

MOST_SMOOTHED = 64
_MOST_MULTIPLIED = 16  # powers up to this are products, beyond it NumPy's
MOST_POINTS = 64
_LOGISTIC_STEEPNESS = 10.0
_ZERO, _ONE = number(0), number(1)
_TRUTH = 1.0  # the bound of the smaller or larger of two truths, which are 0 or 1


def minimum(*operands: Operand | ArrayLike) -> Operand:
    """Return the smallest of two or more maps, numbers and arrays in each cell.

    Parameters
    ----------
    *operands : layer, expression, float or array_like
        Two or more, of which at least one is a layer or an expression.

    Returns
    -------
    Expression
        A map that follows its operands.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
    >>> threat = imap.add_layer("threat", values=[[1, 2, 3]])
    >>> fc.minimum(threat, 2).values
    array([[1., 2., 2.]], dtype=float32)
    """
    return _map("minimum", "min", operands, least=2)


def maximum(*operands: Operand | ArrayLike) -> Operand:
    """Return the largest of two or more maps, numbers and arrays in each cell.

    Parameters
    ----------
    *operands : layer, expression, float or array_like
        Two or more, of which at least one is a layer or an expression.

    Returns
    -------
    Expression
        A map that follows its operands.

    Raises
    ------
    InvalidValue
        If there are fewer than two operands, no map among them, or maps of different cells.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
    >>> threat = imap.add_layer("threat", values=[[1, 2, 3]])
    >>> cover = imap.add_layer("cover", values=[[3, 0, 0]])
    >>> fc.maximum(threat, cover, 2).values
    array([[3., 2., 3.]], dtype=float32)
    """
    return _map("maximum", "max", operands, least=2)


def lerp(
    start: Operand | ArrayLike, end: Operand | ArrayLike, share: Operand | ArrayLike
) -> Operand:
    """Return `start * (1 - share) + end * share` in each cell, also for shares beyond 0 and 1.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
    >>> share = imap.add_layer("share", values=[[0, 0.5, 1]])
    >>> fc.compose.lerp(10, 20, share).values
    array([[10., 15., 20.]], dtype=float32)
    """
    return _map("lerp", "lerp", (start, end, share), least=3)


def where(
    condition: Operand | ArrayLike, then: Operand | ArrayLike, otherwise: Operand | ArrayLike
) -> Operand:
    """Return `then` in the cells where `condition` is not 0, else `otherwise`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
    >>> threat = imap.add_layer("threat", values=[[1, 2, 3]])
    >>> fc.where(threat < 2.5, threat, 0).values
    array([[1., 2., 0.]], dtype=float32)
    """
    return _map("where", "where", (condition, then, otherwise), least=3)


def apply(verb: str, *operands: Any) -> Operand | float:
    """Apply one of `CELLWISE`; a map if any operand is one, else a number."""
    grounds = [expression_of(each).ground for each in operands if isinstance(each, Operand)]
    if not grounds:
        return float(CELLWISE[verb](*(_number_node(each) for each in operands)).payload)
    ground = reduce(Ground.joined, grounds)
    nodes = [_node(each, ground) for each in operands]
    return Expression(CELLWISE[verb](*nodes), ground, Written(verb, operands))


def cellwise(verb: str, *operands: Any) -> Operand:
    """Apply one of `CELLWISE` to operands of which at least one is a map."""
    return _sure(apply(verb, *operands))


def curve(
    operand: Operand,
    shape: str | Iterable[tuple[float, float]] | Callable[..., ArrayLike],
    *at: float,
) -> Operand:
    """See `Operand.curve`."""
    if callable(shape) and not isinstance(shape, type):
        if at:
            raise InvalidValue(
                "A function says all about a curve",
                got=f"a function and {at}",
                remedy="Leave the numbers after it out",
            )
        source = expression_of(operand)
        return Mapped(source, shape, Written(getattr(shape, "__name__", "curve"), (source,)))
    if not isinstance(shape, str):
        try:
            points = [(x, y) for x, y in shape]  # type: ignore[union-attr]
        except (TypeError, ValueError):
            raise InvalidValue(
                "A curve is a word, points or a function",
                got=repr(shape)[:80],
                remedy="Pass a name such as 'linear', or pairs (value, answer)",
            ) from None
        if at:
            raise InvalidValue(
                "Points say all about a curve",
                got=f"points and {at}",
                remedy="Leave the numbers after them out",
            )
        return _sure(apply("points", operand, *(each for point in points for each in point)))
    checks.choice(
        "shape", shape, ("linear", "quadratic", "smoothstep", "logistic", "step", "power")
    )
    if shape == "power":
        if len(at) != 3:
            raise InvalidValue(
                "A power curve takes low, high and an exponent",
                got=f"{len(at)} numbers",
                remedy="Call curve('power', low, high, 2.5)",
            )
        return power(apply("linear", operand, *at[:2]), checks.positive("exponent", at[2]))
    if shape == "step":
        if len(at) != 1:
            raise InvalidValue(
                "A step takes one threshold",
                got=f"{len(at)} numbers",
                remedy="Call curve('step', threshold)",
            )
        return _sure(apply("step", operand, *at))
    if len(at) not in (0, 2):
        raise InvalidValue(
            f"A {shape} curve takes low and high",
            got=f"{len(at)} numbers",
            remedy=f"Call curve('{shape}', low, high)",
        )
    return _sure(apply(shape, operand, *(at or (0.0, 1.0))))


def power(base: Any, exponent: Any) -> Operand:
    """A map to the power of a number, or a number to the power of a map.

    Whole and half powers up to 16 are products, roots and quotients in float32 of the order in
    which they stand; 0 to a negative power is 0, as `1 / 0` is, and so is what is no number.
    """
    if isinstance(exponent, Operand):
        if isinstance(base, Operand):
            raise InvalidValue(
                "One of base and exponent is a number",
                got="two maps",
                remedy="Use map.curve(function) for one of them",
            )
        return exponential(base, expression_of(exponent))
    number_ = checks.finite("The exponent of a power", exponent)
    size = abs(number_)
    if size > _MOST_MULTIPLIED or (2 * size) % 1:
        return powered(expression_of(base), number_)
    result: Operand | None = _sure(apply("whole_power", base, int(size))) if size >= 1 else None
    if size % 1:
        root = sqrt(base)
        result = root if result is None else _sure(apply("multiply", result, root))
    if result is None:
        return _sure(apply("add", apply("multiply", base, 0.0), 1.0))
    if number_ < 0:
        result = _sure(apply("divide", 1.0, result))
    if isinstance(result, Expression):
        result.written = Written("power", (base, number_))
    return result


def sqrt(operand: Operand) -> Operand:
    """See `Operand.sqrt`."""
    return rooted(expression_of(operand))


def smooth(operand: Operand, cells: int = 1) -> Operand:
    """See `Operand.smooth`."""
    if checks.whole("cells", cells, minimum=1) > MOST_SMOOTHED:
        raise InvalidValue(
            f"cells is at most {MOST_SMOOTHED}",
            got=f"cells={cells}",
            remedy="Smooth twice, or a layer with larger cells",
        )
    grid_of(operand.space, "smooth()")
    return Smoothed(expression_of(operand), int(cells))


def on(operand: Operand, space: Grid) -> Operand:
    """See `Operand.on`."""
    return Refined(expression_of(operand), space)


# Trees
# -----------------------------------------------------------------------------


def _chain(kind: str) -> Callable[..., Node]:
    return lambda *nodes: reduce(lambda a, b: operation(kind, a, b), nodes)


def _simple(kind: str) -> Callable[..., Node]:
    return lambda *nodes: operation(kind, *nodes)


def _turned(kind: str) -> Callable[..., Node]:
    return lambda a, b: operation(kind, b, a)


def _clamp(x: Node, low: Node, high: Node) -> Node:
    if low.kind == "number" and high.kind == "number" and low.payload > high.payload:
        raise InvalidValue(
            "clamp() takes low <= high",
            got=f"low={low.payload:g}, high={high.payload:g}",
            remedy="Swap them",
        )
    return operation("clamp", x, low, high)


def _lerp(start: Node, end: Node, share: Node) -> Node:
    rest = operation("subtract", _ONE, share)
    return operation("add", operation("multiply", start, rest), operation("multiply", end, share))


def _normalize(x: Node) -> Node:
    above = operation("subtract", x, Node("low", (x,)))
    return operation("divide", above, Node("span", (x,)), bound=1.0)


def _normalize_signed(x: Node) -> Node:
    return operation("divide", x, Node("peak", (x,)), bound=1.0)


def _invert(x: Node) -> Node:
    return operation("subtract", Node("high", (x,)), x)


def _truth(x: Node) -> Node:
    """1 where the value is not 0, else 0."""
    is_truth = x.kind in ("less", "less_equal", "equal", "unequal") or (
        x.kind in ("minimum", "maximum") and x.bound == _TRUTH
    )
    return x if is_truth else operation("unequal", x, _ZERO)


def _and(a: Node, b: Node) -> Node:
    return operation("minimum", _truth(a), _truth(b), bound=_TRUTH)


def _or(a: Node, b: Node) -> Node:
    return operation("maximum", _truth(a), _truth(b), bound=_TRUTH)


def _not(x: Node) -> Node:
    return operation("equal", x, _ZERO)


def _square(x: Node) -> Node:
    return operation("multiply", x, x)


def _whole_power(x: Node, exponent: Node) -> Node:
    """A product, squared and multiplied from the first digit of the exponent on."""
    result = x
    for digit in f"{int(exponent.payload):b}"[1:]:
        result = _square(result)
        result = operation("multiply", result, x) if digit == "1" else result
    return result


def _linear(x: Node, low: Node = _ZERO, high: Node = _ONE) -> Node:
    first, last = _literal("low", low), _literal("high", high)
    if first == last:
        raise InvalidValue(
            "A curve goes from low to another high",
            got=f"low={first:g}, high={last:g}",
            remedy="Use step for a jump",
        )
    share = operation("divide", operation("subtract", x, low), operation("subtract", high, low))
    return operation("clamp", share, _ZERO, _ONE)


def _quadratic(x: Node, low: Node = _ZERO, high: Node = _ONE) -> Node:
    share = _linear(x, low, high)
    return operation("multiply", share, share)


def _smoothstep(x: Node, low: Node = _ZERO, high: Node = _ONE) -> Node:
    share = _linear(x, low, high)
    rest = operation("subtract", number(3), operation("add", share, share))
    return operation("multiply", operation("multiply", share, share), rest)


def _logistic(x: Node, low: Node = _ZERO, high: Node = _ONE) -> Node:
    share = _linear(x, low, high)
    falling = operation(
        "multiply", operation("subtract", number(0.5), share), number(_LOGISTIC_STEEPNESS)
    )
    return operation("divide", _ONE, operation("add", _ONE, operation("exp", falling)), bound=1.0)


def _step(x: Node, threshold: Node) -> Node:
    _literal("threshold", threshold)
    return operation("less_equal", threshold, x)


def _points(x: Node, *coordinates: Node) -> Node:
    numbers = [_literal("A point's coordinate", node) for node in coordinates]
    points = list(zip(numbers[::2], numbers[1::2], strict=False))
    if len(numbers) % 2 or not 2 <= len(points) <= MOST_POINTS:
        raise InvalidValue(
            f"A curve has 2 to {MOST_POINTS} points (value, answer)",
            got=f"{len(numbers)} numbers",
            remedy="Give two numbers per point",
        )
    for (before, _), (after, _) in pairwise(points):
        if not before < after:
            raise InvalidValue(
                "The points of a curve ascend",
                got=f"{before:g} before {after:g}",
                remedy="Sort them by value",
            )
    inside = operation("clamp", x, number(points[0][0]), number(points[-1][0]))
    result: Node | None = None
    for (x0, y0), (x1, y1) in pairwise(points):
        slope = (y1 - y0) / (x1 - x0)
        if not abs(slope) <= checks.LARGEST:
            raise InvalidValue(
                f"A curve is no steeper than {checks.LARGEST:g}",
                got=f"from ({x0:g}, {y0:g}) to ({x1:g}, {y1:g})",
                remedy="Draw the two values apart",
            )
        rise = operation("multiply", operation("subtract", inside, number(x0)), number(slope))
        piece = operation("add", rise, number(y0))
        result = (
            piece
            if result is None
            else operation("where", operation("less_equal", number(x0), inside), piece, result)
        )
    last_x, last_y = points[-1]
    assert result is not None
    return operation(
        "where", operation("less_equal", number(last_x), inside), number(last_y), result
    )


CELLWISE: dict[str, Callable[..., Node]] = {
    "add": _simple("add"),
    "subtract": _simple("subtract"),
    "multiply": _simple("multiply"),
    "divide": _simple("divide"),
    "negate": _simple("negate"),
    "abs": _simple("abs"),
    "less": _simple("less"),
    "less_equal": _simple("less_equal"),
    "greater": _turned("less"),
    "greater_equal": _turned("less_equal"),
    "equal": _simple("equal"),
    "unequal": _simple("unequal"),
    "min": _chain("minimum"),
    "max": _chain("maximum"),
    "clamp": _clamp,
    "lerp": _lerp,
    "where": _simple("where"),
    "normalize": _normalize,
    "normalize_signed": _normalize_signed,
    "invert": _invert,
    "linear": _linear,
    "quadratic": _quadratic,
    "smoothstep": _smoothstep,
    "logistic": _logistic,
    "step": _step,
    "and": _and,
    "or": _or,
    "not": _not,
    "square": _square,
    "whole_power": _whole_power,
    "points": _points,
}


# Operands
# -----------------------------------------------------------------------------


def _map(name: str, verb: str, operands: Sequence[Any], *, least: int) -> Operand:
    if len(operands) < least:
        raise InvalidValue(
            f"{name}() takes {least} or more operands",
            got=str(len(operands)),
            remedy="Pass maps, numbers or arrays",
        )
    if not any(isinstance(each, Operand) for each in operands):
        raise InvalidValue(
            f"{name}() takes at least one map",
            got=", ".join(type(each).__name__ for each in operands),
            remedy="Pass a layer or an expression, or use NumPy for arrays",
        )
    return _sure(apply(verb, *operands))


def _sure(result: Operand | float) -> Operand:
    assert isinstance(result, Operand)
    return result


def _literal(what: str, node: Node) -> float:
    if node.kind != "number":
        raise InvalidValue(
            f"{what} is a number", got="a map or an array", remedy="Write the number out"
        )
    return float(node.payload)


def _number_node(value: Any) -> Node:
    amount = checks.finite("An operand", value)
    if abs(amount) > checks.LARGEST:
        raise InvalidValue(
            f"Numbers are at most {checks.LARGEST:g} in size",
            got=repr(value),
            remedy="Use other units",
        )
    return number(amount)


def _node(operand: Any, ground: Ground) -> Node:
    if isinstance(operand, Operand):
        mine = expression_of(operand)
        # Ranges and walls of the operand are those of its own ground.
        return mine.node if mine.ground.same_walls(ground) else mine.as_map()
    if isinstance(operand, (bool, int, float, np.number)):
        return _number_node(operand)
    array = checks.array("The values of an operand", operand)
    if array.shape == () and array.dtype.kind in "iuf":
        return _number_node(array[()])
    if array.dtype.kind not in "iufb":
        raise InvalidValue(
            "An operand is a map, a number or an array of numbers",
            got=f"{type(operand).__name__} {operand!r}"[:80],
            remedy="Pass one of these",
        )
    if array.shape != ground.shape:
        hint = " (it looks like [x, y]: transpose it)" if array.shape == ground.shape[::-1] else ""
        raise InvalidValue(
            "An array in an expression has the map's shape"
            f" ({'height, width' if len(ground.shape) == 2 else 'N,'})",
            got=f"shape {array.shape} with a map of {ground.shape}{hint}",
            remedy="Pass an array indexed [row, column]",
        )
    fits = np.abs(array) <= checks.LARGEST if array.dtype.kind != "b" else np.ones_like(array)
    if not fits.all():
        index, place = checks.first(~fits)
        raise InvalidValue(
            f"Values are finite and at most {checks.LARGEST:g} in size",
            got=f"{array[index]} at {place}",
            remedy=(
                "Replace NaN, infinity and larger numbers before the call. A cost has walls by"
                " cost=np.where(mask, np.inf, cost)"
            ),
        )
    return Node("array", payload=np.ascontiguousarray(array.astype(np.float32) + np.float32(0)))
