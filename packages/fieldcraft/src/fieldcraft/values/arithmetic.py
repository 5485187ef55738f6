"""Arithmetic on the trees of expressions: one operation over maps, numbers and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.values import map_operations
from fieldcraft.space.labeled_arrays import unlabeled
from fieldcraft.values.ground import Ground, Term
from fieldcraft.values.tree import CELLWISE, CODES, Node, number
from fieldcraft.values.written import Written

LARGEST = float(map_operations.LARGEST)
"""The largest number of float32: infinity in `where`, and what results beyond float32 become."""

Parts = tuple[Node, Ground, Written]
"""What an expression is made of: its tree, its cells, and how it is written."""


def cellwise(verb: str, *operands: Any) -> Parts:
    """Apply one of `CELLWISE` to operands, at least one of them a map."""
    ground: Ground | None = None
    for each in operands:
        if isinstance(each, Term):
            own = each._own_ground()
            if ground is None:
                ground = own
            else:
                ground = ground.joined(own)
    assert ground is not None
    nodes = []
    for each in operands:
        if type(each) in (float, int) and -checks.LARGEST <= each <= checks.LARGEST:
            nodes.append(Node("number", (), np.float32(each)))
        elif isinstance(each, Term):
            nodes.append(each._node_on(ground))
        elif verb == "where" and len(nodes):
            nodes.append(_value_node(_with_largest(each), ground))
        else:
            nodes.append(_value_node(each, ground))
    if verb in CODES and verb != "clamp":
        node = Node(verb, tuple(nodes))
    else:
        node = CELLWISE[verb](*nodes)
    return node, ground, Written(verb, operands)


def of_numbers(verb: str, *operands: Any) -> float:
    """Apply one of `CELLWISE` to numbers."""
    return float(CELLWISE[verb](*(_number_node(each) for each in operands)).payload)


def _with_largest(operand: Any) -> Any:
    """Return numbers or an array with `LARGEST` in place of infinity, which costs read as walls."""
    if isinstance(operand, (float, np.floating)) or (
        isinstance(operand, np.ndarray) and operand.dtype.kind == "f"
    ):
        if isinstance(operand, np.ndarray) and operand.dtype == np.float16:
            operand = operand.astype(np.float32)  # `LARGEST` is too large for float16
        found = np.where(np.isinf(operand), np.copysign(LARGEST, operand), operand)
        if found.ndim == 0:
            return float(found)
        return found
    return operand


def _number_node(value: Any) -> Node:
    amount = checks.finite("An operand", value)
    if abs(amount) == LARGEST:
        return number(amount)
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
        hint = ""
        if array.shape == ground.shape[::-1]:
            hint = " (it looks like [x, y]: transpose it)"
        axes = "N,"
        if len(ground.shape) == 2:
            axes = "height, width"
        raise InvalidValue(
            f"An array in an expression has the map's shape ({axes})",
            got=f"shape {array.shape} with a map of {ground.shape}{hint}",
            remedy="Pass an array indexed [row, column]",
        )
    if array.dtype.kind != "b":
        sizes = np.abs(array)
        fits = (sizes <= checks.LARGEST) | (sizes == LARGEST)
    else:
        fits = np.ones_like(array)
    if not fits.all():
        index, place = checks.first(~fits)
        raise InvalidValue(
            f"Values are finite and at most {checks.LARGEST:g} in size",
            got=f"{array[index]} at {place}",
            remedy=(
                "Replace NaN, infinity and larger numbers before the call. A cost has walls by"
                " cost=fc.where(mask, np.inf, cost)"
            ),
        )
    return Node("array", payload=np.ascontiguousarray(array.astype(np.float32) + np.float32(0)))
