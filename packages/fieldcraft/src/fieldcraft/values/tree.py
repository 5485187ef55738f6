"""The tree behind an expression: its nodes, and the operations that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.values import map_operations

MOST_POINTS = 64
_LOGISTIC_STEEPNESS = 10.0
_TRUTH = 1.0  # the bound of "and" and "or": their values are 0 or 1
CODES = {
    "copy": map_operations.COPY,
    "negate": map_operations.NEGATE,
    "abs": map_operations.ABS,
    "exp": map_operations.EXP,
    "add": map_operations.ADD,
    "subtract": map_operations.SUBTRACT,
    "multiply": map_operations.MULTIPLY,
    "divide": map_operations.DIVIDE,
    "minimum": map_operations.MINIMUM,
    "maximum": map_operations.MAXIMUM,
    "less": map_operations.LESS,
    "less_equal": map_operations.LESS_EQUAL,
    "equal": map_operations.EQUAL,
    "unequal": map_operations.UNEQUAL,
    "where": map_operations.WHERE,
    "clamp": map_operations.CLAMP,
    "multiply_add": map_operations.MULTIPLY_ADD,
    "multiply_subtract": map_operations.MULTIPLY_SUBTRACT,
    "subtract_multiply": map_operations.SUBTRACT_MULTIPLY,
}
RANGED = ("low", "high", "span", "peak")
"""Numbers that follow from all values of their input."""
BEYOND = ("add", "subtract", "multiply", "divide")
"""Operations with results that may exceed float32."""


@dataclass(eq=False, slots=True)
class Node:
    """One step of a calculation.

    `kind` is an operation of `CODES` or a number of `RANGED` over `inputs`; or it has no inputs and
    `payload` is what it reads: a "number", an "array" of float32, or a "map". `bound` is a
    magnitude that the values do not exceed.
    """

    kind: str
    inputs: tuple[Node, ...] = ()
    payload: Any = None
    bound: float | None = None


def number(value: float) -> Node:
    """Return a number, rounded to float32."""
    return Node("number", payload=np.float32(value))


def contains_largest(node: Node) -> bool:
    """Return whether the largest number of float32 is among the numbers and arrays of a tree, apart
    from what maps hold.
    """
    if node.kind in ("number", "array"):
        return bool((np.abs(node.payload) == map_operations.LARGEST).any())
    if node.kind == "map":
        return bool(node.payload.may_be_infinite)
    return any(contains_largest(each) for each in node.inputs)


def operation(kind: str, *inputs: Node, bound: float | None = None) -> Node:
    """Return one operation; one of numbers only is computed at once."""
    for node in inputs:
        if node.kind != "number":
            return Node(kind, inputs, None, bound)
    rows = [np.full(1, node.payload, dtype=np.float32) for node in inputs]
    operands = (rows * 3)[:3]  # `apply` takes three, and reads as many as the operation has
    found = map_operations.limited(map_operations.apply(CODES[kind], *operands))
    return Node("number", payload=found[0])


_ZERO = number(0)
_ONE = number(1)


def _chain(kind: str) -> Callable[..., Node]:
    return lambda *nodes: reduce(lambda a, b: operation(kind, a, b), nodes)


def _swapped(kind: str) -> Callable[..., Node]:
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
    # Where both ends are equal this is their value to the bit, for any share.
    rise = operation("multiply", operation("subtract", end, start), share)
    between = operation("add", start, rise)
    if share.kind == "number" and share.payload != 1:
        return between
    return operation("where", operation("equal", share, _ONE), end, between)


def _normalize(x: Node) -> Node:
    above = operation("subtract", x, Node("low", (x,)))
    return operation("divide", above, Node("span", (x,)), bound=1.0)


def _normalize_signed(x: Node) -> Node:
    return operation("divide", x, Node("peak", (x,)), bound=1.0)


def _invert(x: Node) -> Node:
    return operation("subtract", Node("high", (x,)), x)


def _truth(x: Node) -> Node:
    """Return 1 where the value is not 0, else 0."""
    is_truth = x.kind in ("less", "less_equal", "equal", "unequal") or (
        x.kind in ("minimum", "maximum") and x.bound == _TRUTH
    )
    if is_truth:
        return x
    return operation("unequal", x, _ZERO)


def _and(a: Node, b: Node) -> Node:
    return operation("minimum", _truth(a), _truth(b), bound=_TRUTH)


def _or(a: Node, b: Node) -> Node:
    return operation("maximum", _truth(a), _truth(b), bound=_TRUTH)


def _not(x: Node) -> Node:
    return operation("equal", x, _ZERO)


def _square(x: Node) -> Node:
    return operation("multiply", x, x)


def _integer_power(x: Node, exponent: Node) -> Node:
    """Return a product, squared and multiplied from the first digit of the exponent on."""
    result = x
    for digit in f"{int(exponent.payload):b}"[1:]:
        result = _square(result)
        if digit == "1":
            result = operation("multiply", result, x)
    return result


def _literal(what: str, node: Node) -> float:
    if node.kind != "number":
        raise InvalidValue(
            f"{what} is a number", got="a map or an array", remedy="Write the number out"
        )
    return float(node.payload)


def _linear(x: Node, low: Node = _ZERO, high: Node = _ONE) -> Node:
    first = _literal("low", low)
    last = _literal("high", high)
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
            f"A curve has 2 to {MOST_POINTS} points (value, result)",
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
        if result is None:
            result = piece
        else:
            result = operation("where", operation("less_equal", number(x0), inside), piece, result)
    last_x, last_y = points[-1]
    assert result is not None
    return operation(
        "where", operation("less_equal", number(last_x), inside), number(last_y), result
    )


CELLWISE: dict[str, Callable[..., Node]] = {
    **{kind: partial(operation, kind) for kind in CODES},
    "greater": _swapped("less"),
    "greater_equal": _swapped("less_equal"),
    "min": _chain("minimum"),
    "max": _chain("maximum"),
    "clamp": _clamp,
    "lerp": _lerp,
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
    "integer_power": _integer_power,
    "points": _points,
}
