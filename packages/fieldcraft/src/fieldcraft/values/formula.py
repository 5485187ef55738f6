"""Expressions from text: the arithmetic subset of Python's own syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.spelling import most_similar
from fieldcraft.values.expression import Expression, expression_of
from fieldcraft.values.functions import apply
from fieldcraft.values.ground import Ground
from fieldcraft.values.layered import Layered
from fieldcraft.values.operand import Operand
from fieldcraft.values.operations import logarithm, power, smooth, sqrt
from fieldcraft.values.tree import MOST_POINTS, number
from fieldcraft.values.written import VERBS

_MOST_CHARACTERS = 4096
_DEEPEST = 64
_SUPPORTED = "A formula has names, numbers, + - * / ** ( ) , and or not, and comparisons"
_REMEDY = "Put other names in quotes"

Value = Operand | float


@dataclass(frozen=True)
class Function:
    """A function of formulas: how it is written, how many arguments it takes, and what it calls; by
    default the operation of its name.
    """

    signature: str
    counts: Container[int]
    call: Callable[..., Value] | None = None
    takes_map: bool = False


def _smooth(operand: Operand, cells: Value = 1.0) -> Operand:
    if isinstance(cells, Operand) or cells != int(cells):
        got = "a map" if isinstance(cells, Operand) else f"{cells:g}"
        raise InvalidValue(
            "smooth() takes a whole number of cells", got=got, remedy="Write 1 to 64"
        )
    return smooth(operand, int(cells))


def _power_curve(operand: Operand, low: Value, high: Value, exponent: Value) -> Operand:
    return power(apply("linear", operand, low, high), checks.positive("exponent", exponent))


def _raised(base: Value, exponent: Value) -> Value:
    if isinstance(base, Operand) or isinstance(exponent, Operand):
        return power(base, exponent)
    try:
        return float(base**exponent)
    except (ArithmeticError, TypeError):
        return float("nan")


_SEVERAL = range(2, 65)
FUNCTIONS = {
    "abs": Function("abs(map)", (1,)),
    "min": Function("min(a, b, ...)", _SEVERAL),
    "max": Function("max(a, b, ...)", _SEVERAL),
    "clamp": Function("clamp(map, low, high)", (3,)),
    "lerp": Function("lerp(start, end, share)", (3,)),
    "where": Function("where(condition, then, otherwise)", (3,)),
    "normalize": Function("normalize(map)", (1,), takes_map=True),
    "normalize_signed": Function("normalize_signed(map)", (1,), takes_map=True),
    "invert": Function("invert(map)", (1,), takes_map=True),
    "linear": Function("linear(map, low, high)", (1, 3)),
    "quadratic": Function("quadratic(map, low, high)", (1, 3)),
    "smoothstep": Function("smoothstep(map, low, high)", (1, 3)),
    "logistic": Function("logistic(map, low, high)", (1, 3)),
    "power": Function("power(map, low, high, exponent)", (4,), _power_curve, True),
    "sqrt": Function("sqrt(map)", (1,), sqrt, True),
    "log": Function("log(map)", (1,), logarithm, True),
    "step": Function("step(map, threshold)", (2,)),
    "points": Function(
        "points(map, value1, result1, value2, result2, ...)", range(5, 2 * MOST_POINTS + 2, 2)
    ),
    "smooth": Function("smooth(map, cells)", (1, 2), _smooth, True),
}


def formula(text: str, maps: Layered | Mapping[str, Operand | float]) -> Expression:
    """Return the expression that a text describes.

    The text is never run as code.

    Parameters
    ----------
    text : str
        Names, numbers, `+ - * / **`, parentheses, the comparisons `< <= > >= == !=`, `and`, `or`
        and `not`, with the precedence that they have in Python, and the functions abs, min, max,
        clamp, lerp, where, normalize, normalize_signed, invert, linear, quadratic, smoothstep,
        logistic, power, step, points, sqrt, log and smooth, with the meaning of the methods.
        Names with other characters than letters, digits and `_` are quoted: `'red team' - 1`.
    maps : InfluenceMap or mapping
        The meaning of the names: the layers of an influence map, or layers, expressions and numbers
        by name.

    Returns
    -------
    Expression
        A map that follows the layers.

    Raises
    ------
    InvalidValue
        If the text is no formula. The message points at the character.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
    >>> ally = imap.add_layer("ally", values=[[1, 2, 3]])
    >>> enemy = imap.add_layer("enemy", values=[[2, 2, 0]])
    >>> fc.formula("clamp(ally - 0.5 * enemy, 0, 1)", imap).values
    array([[0., 1., 1.]], dtype=float32)
    """
    _checked_text(text)
    known: Mapping[str, Any] = maps.layers if isinstance(maps, Layered) else maps
    rule = "The names of a formula come from an influence map or a mapping"
    checks.instance(known, Mapping, rule, "Pass imap, or a dict")
    result = _Formula(text, known).value()
    if isinstance(result, Operand):
        return expression_of(result)
    if not isinstance(maps, Layered):
        raise InvalidValue(
            "A formula names at least one map",
            got=repr(text)[:80],
            remedy="Use the name of a layer in it",
        )
    return Expression(number(result), Ground((maps.space,)), result)


def check_syntax(text: str) -> None:
    """Raise `InvalidValue` for a text that is no formula, whatever its names stand for."""
    _Formula(_checked_text(text), {}).parsed()


def _checked_text(text: str) -> str:
    """Return a text that is short enough for a formula."""
    remedy = "Pass a string such as 'ally - enemy'"
    if len(checks.instance(text, str, "A formula is a text", remedy)) > _MOST_CHARACTERS:
        raise InvalidValue(
            f"A formula has at most {_MOST_CHARACTERS} characters",
            got=str(len(text)),
            remedy="Put parts of it into expressions of their own",
        )
    return text


class _Formula:
    """A formula over known maps and numbers."""

    def __init__(self, text: str, known: Mapping[str, Any]) -> None:
        self._text = text
        self._known = known
        self._source = text.replace("\n", " ").lstrip()
        self._cut = len(text) - len(self._source)

    def value(self) -> Value:
        """Return the map, or the number, that the text describes."""
        return self._of(self.parsed(), 0)

    def parsed(self) -> ast.expr:
        """Return the text as the tree of an expression of Python."""
        if not self._source:
            raise self._error(
                len(self._text), "A formula is not empty", remedy="Add a name or a number"
            )
        try:
            tree = ast.parse(self._source, mode="eval")
        except (MemoryError, RecursionError):
            raise self._too_deep(0) from None
        except (SyntaxError, ValueError) as error:
            offset = getattr(error, "offset", None) or len(self._source) + 1  # 0 is the end
            message = getattr(error, "msg", None) or str(error)
            at = min(self._cut + offset - 1, len(self._text))
            raise self._error(at, _SUPPORTED, got=message, remedy=_REMEDY) from None
        return tree.body

    def _of(self, node: ast.expr, depth: int) -> Value:
        if depth > _DEEPEST:
            raise self._too_deep(node)
        value = self._value_of(node, depth)
        if isinstance(value, Operand):
            return value
        if abs(value) <= checks.LARGEST:
            return float(value)
        rule = f"Numbers are at most {checks.LARGEST:g} in size"
        raise self._error(node, rule, remedy="Use other units")

    def _value_of(self, node: ast.expr, depth: int) -> Value:
        if isinstance(node, ast.Constant):
            number = node.value
        else:
            number = None
        if isinstance(node, ast.Name):
            return self._named(node, node.id)
        if isinstance(number, str):
            return self._named(node, number)
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return number
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._called(node, node.func.id, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
            return self._of(node.operand, depth + 1)
        if isinstance(node, ast.UnaryOp) and type(node.op) in VERBS:
            return self._at(node, apply, VERBS[type(node.op)], self._of(node.operand, depth + 1))
        if isinstance(node, ast.BoolOp):
            value = self._of(node.values[0], depth + 1)
            for each in node.values[1:]:
                value = self._at(
                    each, apply, VERBS[type(node.op)], value, self._of(each, depth + 1)
                )
            return value
        if isinstance(node, ast.Compare) and type(node.ops[0]) in VERBS:
            if len(node.ops) > 1:
                remedy = "Join two comparisons: 0 < a and a < 1"
                raise self._error(node.comparators[1], "Comparisons don't chain", remedy=remedy)
            left = self._of(node.left, depth + 1)
            right = self._of(node.comparators[0], depth + 1)
            return self._at(node, apply, VERBS[type(node.ops[0])], left, right)
        if isinstance(node, ast.BinOp):
            return self._chained(node, depth)
        if isinstance(node, ast.Attribute):
            rule = "Names have no attributes"
        else:
            rule = _SUPPORTED
        raise self._error(node, rule, got=type(node).__name__, remedy=_REMEDY)

    def _chained(self, node: ast.BinOp, depth: int) -> Value:
        """Return the value of a + b - c ..., which Python nests to the left as deep as it is
        long.
        """
        chain: list[ast.BinOp] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp):
            chain.append(first)
            first = first.left
        value = self._of(first, depth + 1)
        for each in reversed(chain):
            right = self._of(each.right, depth + 1)
            if type(each.op) not in VERBS:
                remedy = "Write and, or, not, and a ** 2 for powers"
                raise self._error(each.right, _SUPPORTED, got=type(each.op).__name__, remedy=remedy)
            if isinstance(each.op, ast.Pow):
                value = self._at(each.right, _raised, value, right)
            else:
                value = self._at(each.right, apply, VERBS[type(each.op)], value, right)
        return value

    def _called(self, node: ast.Call, name: str, depth: int) -> Value:
        function = FUNCTIONS.get(name)
        if function is None:
            raise self._unknown(node, name, "function", FUNCTIONS)
        arguments = [self._of(each, depth + 1) for each in node.args]
        if len(arguments) not in function.counts:
            rule = f"{name}() is called as {function.signature}"
            got = f"{len(arguments)} arguments"
            raise self._error(node, rule, got=got, remedy="Pass as many")
        if function.takes_map and not isinstance(arguments[0], Operand):
            rule = f"{name}() takes a map"
            raise self._error(node, rule, got="a number", remedy="Name a layer in it")
        return self._at(node, function.call or partial(apply, name), *arguments)

    def _named(self, node: ast.expr, name: str) -> Value:
        if name not in self._known:
            raise self._unknown(node, name, "layer", self._known)
        value = self._known[name]
        if isinstance(value, Operand):
            return value
        return self._at(node, checks.finite, f"The number {name!r}", value)

    def _at(self, node: ast.expr, call: Callable[..., Value], *arguments: Any) -> Value:
        """Call a function; its errors name the node."""
        try:
            return call(*arguments)
        except InvalidValue as error:
            raise self._error(node, error.rule, got=error.got, remedy=error.remedy) from None

    def _unknown(
        self, node: ast.expr, name: str, what: str, known: Iterable[object]
    ) -> InvalidValue:
        names = sorted(each for each in known if isinstance(each, str))
        near = most_similar(name, names)
        listed = ", ".join(names[:12])
        if len(names) > 12:
            listed += ", ..."
        if near:
            remedy = f"Did you mean {near!r}?"
        else:
            remedy = f"Known: {listed or 'none yet'}"
        rule = f"There is no {what} of that name"
        return self._error(node, rule, got=repr(name)[:80], remedy=remedy)

    def _too_deep(self, where: ast.expr | int) -> InvalidValue:
        return self._error(
            where, f"A formula is nested at most {_DEEPEST} deep", remedy="Split it up"
        )

    def _error(
        self, where: ast.expr | int, rule: str, *, got: str = "", remedy: str = ""
    ) -> InvalidValue:
        if isinstance(where, int):
            at = where
        else:  # Python counts bytes
            before = self._source.encode()[: where.col_offset]
            at = self._cut + len(before.decode(errors="ignore"))
        start = self._text.rfind("\n", 0, at) + 1
        end = self._text.find("\n", at)
        if end < 0:
            end = len(self._text)
        line = self._text[start:end]
        first = max(0, at - start - 40)
        shown = "".join(each if each.isprintable() else " " for each in line[first : first + 80])
        pointer = " " * (at - start - first)
        return InvalidValue(
            f"In a formula at character {at + 1}:\n  {shown}\n  {pointer}^\n{rule}",
            got=got,
            remedy=remedy,
        )
