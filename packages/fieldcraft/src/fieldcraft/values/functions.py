"""Functions of several maps, numbers and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from fieldcraft.base.errors import InvalidValue
from fieldcraft.values.arithmetic import of_numbers
from fieldcraft.values.operand import Operand
from fieldcraft.values.operations import combined


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

    Infinity becomes 3.4e38, the largest number of float32. A cost of that size is a wall:
    `cost=fc.where(threat < 5, 1 + threat, np.inf)`.

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
        return combined(verb, *operands)
    return of_numbers(verb, *operands)


def _map_of(verb: str, operands: Sequence[Any]) -> Operand:
    if len(operands) < 2 or not any(isinstance(each, Operand) for each in operands):
        raise InvalidValue(
            "This takes two operands or more, at least one map among them",
            got=", ".join(type(each).__name__ for each in operands) or "nothing",
            remedy="Pass a layer or an expression, or use NumPy for arrays",
        )
    return combined(verb, *operands)
