"""How an expression is written: operations and operands, and their text."""

from __future__ import annotations

import ast
import keyword
from dataclasses import dataclass
from typing import Any

import numpy as np

VERBS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "unequal",
    ast.And: "and",
    ast.Or: "or",
    ast.Not: "not",
    ast.USub: "negate",
}
"""The operations of expressions by the operators of Python."""


_OPERATORS: dict[str, Any] = {verb: operator for operator, verb in VERBS.items()}


_DEEPEST = 8  # levels of a formula that are written out


@dataclass(frozen=True)
class Written:
    """An operation and its operands: maps, numbers, arrays, or others of these."""

    verb: str
    operands: tuple[Any, ...]


def text_of(expression: object) -> str:
    """Return the formula of an expression; `...` replaces arrays and what is nested deeper
    than eight levels.
    """
    return ast.unparse(_node_of(expression, _DEEPEST))


def _node_of(thing: Any, levels: int) -> ast.expr:
    if isinstance(thing, (float, int, np.number)):
        short = float(f"{float(thing):.7g}")
        size = abs(short)
        if size.is_integer():
            size = int(size)
        if short < 0:
            return ast.UnaryOp(ast.USub(), ast.Constant(size))
        return ast.Constant(size)
    written = getattr(thing, "written", None)
    if isinstance(thing, Written):
        written = thing
    if written is None or getattr(thing, "is_named", False):
        name = getattr(thing, "name", None)
        if not isinstance(name, str):
            return ast.Constant(...)
        if name.isidentifier() and not keyword.iskeyword(name):
            return ast.Name(name)
        return ast.Constant(name)
    if not isinstance(written, Written):
        return _node_of(written, levels)
    if levels == 0:
        return ast.Constant(...)
    nodes = [_node_of(each, levels - 1) for each in written.operands]
    operator = _OPERATORS.get(written.verb, type(None))()
    if isinstance(operator, ast.unaryop):
        return ast.UnaryOp(operator, nodes[0])
    if isinstance(operator, ast.boolop):
        return ast.BoolOp(operator, nodes)
    if isinstance(operator, ast.cmpop):
        return ast.Compare(nodes[0], [operator], nodes[1:])
    if isinstance(operator, ast.operator):
        return ast.BinOp(nodes[0], operator, nodes[1])
    return ast.Call(ast.Name(written.verb), nodes, [])
