"""The operations of expressions: those behind operators, public functions and formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.compose.expression import Expression, Ground, expression_of
from fieldcraft.compose.passes import Mapped, Refined, Smoothed, exponential, powered, rooted
from fieldcraft.compose.tree import CELLWISE, CODES, MOST_POINTS, Node, Written, number
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.cells import unlabeled

_MOST_SMOOTHED = 64
_MOST_MULTIPLIED = 16  # powers up to this are products, beyond it NumPy's
_COUNTS = {"power": (3,), "step": (1,)}
"""How many numbers a curve takes, by its shape."""
_CALLS = {
    "power": "A power curve takes low, high and an exponent",
    "step": "A step takes one threshold",
}
_SHAPES = ("linear", "quadratic", "smoothstep", "logistic", "step", "power")


def minimum(*operands: Operand | ArrayLike) -> Operand:
    """Return the smallest of two or more maps, numbers and arrays in each cell.

    Parameters
    ----------
    *operands : layer, expression, float or array_like
        Two or more; at least one is a layer or an expression.

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
    return _map_of("min", operands)


def maximum(*operands: Operand | ArrayLike) -> Operand:
    """Return the largest of two or more maps, numbers and arrays in each cell.

    Parameters
    ----------
    *operands : layer, expression, float or array_like
        Two or more; at least one is a layer or an expression.

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
    return _map_of("max", operands)


def lerp(
    start: Operand | ArrayLike, end: Operand | ArrayLike, share: Operand | ArrayLike
) -> Operand:
    """Return `start + (end - start) * share` in each cell, also for shares beyond 0 and 1.

    Where `share` is 0, `share` is 1 or both ends are equal, the value is that of an end to the bit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
    >>> share = imap.add_layer("share", values=[[0, 0.5, 1]])
    >>> fc.compose.lerp(10, 20, share).values
    array([[10., 15., 20.]], dtype=float32)
    """
    return _map_of("lerp", (start, end, share))


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
    return _map_of("where", (condition, then, otherwise))


def apply(verb: str, *operands: Any) -> Operand | float:
    """Apply one of `CELLWISE`: return a map if any operand is one, else a number."""
    if any(isinstance(each, Operand) for each in operands):
        return cellwise(verb, *operands)
    return float(CELLWISE[verb](*(_number_node(each) for each in operands)).payload)


def cellwise(verb: str, *operands: Any) -> Expression:
    """Apply one of `CELLWISE` to operands, at least one of them a map."""
    ground: Ground | None = None
    for each in operands:
        if isinstance(each, Operand):
            own = each.ground if isinstance(each, Expression) else Ground((each.space,))
            ground = own if ground is None else ground.joined(own)
    assert ground is not None
    nodes = []
    for each in operands:
        if type(each) in (float, int) and -checks.LARGEST <= each <= checks.LARGEST:
            nodes.append(Node("number", (), np.float32(each)))
        elif isinstance(each, Expression):
            # Ranges and walls of the operand belong to its own ground.
            shared = each.ground is ground or each.ground.same_walls(ground)
            own_node = each._node if shared else None
            nodes.append(each.as_map() if own_node is None else own_node)
        elif isinstance(each, Operand):
            shared = ground.spaces == (each.space,) or expression_of(each).ground.same_walls(ground)
            nodes.append(Node("map", (), each) if shared else expression_of(each).as_map())
        else:
            nodes.append(_value_node(each, ground))
    simple = verb in CODES and verb != "clamp"
    node = Node(verb, tuple(nodes)) if simple else CELLWISE[verb](*nodes)
    return Expression(node, ground, Written(verb, operands))


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
        source = expression_of(operand)
        return Mapped(source, shape, Written(getattr(shape, "__name__", "curve"), (source,)))
    try:
        points = [(x, y) for x, y in islice(shape, MOST_POINTS + 1)]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InvalidValue(
            "A curve is a word, points or a function",
            got=repr(shape)[:80],
            remedy="Pass a name such as 'linear', or pairs (value, result)",
        ) from None
    return cellwise("points", operand, *(each for point in points for each in point))


def _shaped(operand: Operand, shape: str, at: Sequence[float]) -> Operand:
    if len(at) not in _COUNTS.get(shape, (0, 2)):
        raise InvalidValue(
            _CALLS.get(shape, f"A {shape} curve takes low and high"),
            got=f"{len(at)} numbers",
            remedy=f"Call curve('{shape}', " + ("threshold)" if shape == "step" else "low, ...)"),
        )
    if shape == "power":
        exponent = checks.positive("exponent", at[2])
        return power(cellwise("linear", operand, *at[:2]), exponent)
    return cellwise(shape, operand, *(at or (0.0, 1.0)))


def power(base: Any, exponent: Any) -> Operand:
    """Return a map to the power of a number, or a number to the power of a map.

    Whole and half powers up to 16 are products, roots and quotients in float32; 0 to a negative
    power is 0, as `1 / 0` is, and so is what is no number.
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
    if size == 0:
        return cellwise("add", cellwise("multiply", base, 0.0), 1.0)
    result = cellwise("integer_power", base, int(size)) if size >= 1 else sqrt(base)
    if size % 1 and size >= 1:
        result = cellwise("multiply", result, sqrt(base))
    if number_ < 0:
        result = cellwise("divide", 1.0, result)
    result.written = Written("power", (base, number_))
    return result


def sqrt(operand: Operand) -> Expression:
    """See `Operand.sqrt`."""
    return rooted(expression_of(operand))


def smooth(operand: Operand, cells: int = 1) -> Operand:
    """See `Operand.smooth`."""
    if checks.integer("cells", cells, minimum=1) > _MOST_SMOOTHED:
        raise InvalidValue(
            f"cells is at most {_MOST_SMOOTHED}",
            got=f"cells={cells}",
            remedy="Smooth twice, or a layer with larger cells",
        )
    grid_of(operand.space, "smooth()")
    return Smoothed(expression_of(operand), int(cells))


def on(operand: Operand, space: Grid) -> Operand:
    """See `Operand.on`."""
    return Refined(expression_of(operand), space)


def _map_of(verb: str, operands: Sequence[Any]) -> Operand:
    if len(operands) < 2 or not any(isinstance(each, Operand) for each in operands):
        raise InvalidValue(
            "This takes two operands or more, at least one map among them",
            got=", ".join(type(each).__name__ for each in operands) or "nothing",
            remedy="Pass a layer or an expression, or use NumPy for arrays",
        )
    return cellwise(verb, *operands)


def _number_node(value: Any) -> Node:
    amount = checks.finite("An operand", value)
    if abs(amount) > checks.LARGEST:
        rule = f"Numbers are at most {checks.LARGEST:g} in size"
        raise InvalidValue(rule, got=repr(value), remedy="Use other units")
    return number(amount)


def _value_node(operand: Any, ground: Ground) -> Node:
    if isinstance(operand, (bool, int, float, np.number)):
        return _number_node(operand)
    array = checks.array("The values of an operand", unlabeled(ground.spaces[0], operand))
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
