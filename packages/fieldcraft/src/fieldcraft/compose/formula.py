"""Expressions as text: Python's own syntax tree of a formula, of which only arithmetic is taken."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldcraft import checks
from fieldcraft.compose.expression import Expression, expression_of
from fieldcraft.compose.ground import Ground, Layered
from fieldcraft.compose.tree import MOST_POINTS, number
from fieldcraft.compose.verbs import MOST_SMOOTHED, apply, power, smooth, sqrt
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.operand import Operand

__all__ = ["FUNCTIONS", "Function", "formula"]

MOST_CHARACTERS = 4096
DEEPEST = 64
_MOST_ARGUMENTS = 64
_REMEDY = "Put other names in quotes"
_SUPPORTED = "A formula has names, numbers, + - * / ** ( ) , & | ~ and comparisons"

Value = Operand | float

_SPECIAL = re.compile(r"""'[^'\n]*'|"[^"\n]*"|[&|\n]""")
_WORDS = {"&": " and ", "|": " or ", "\n": " "}
_VERBS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "unequal",
    ast.And: "and",
    ast.Or: "or",
    ast.Not: "not",
    ast.Invert: "not",
    ast.USub: "negate",
}
"""Operations by the operators of Python."""


@dataclass(frozen=True)
class Function:
    """A function of formulas: the operation that it applies, and how many arguments it takes."""

    verb: str
    signature: str
    counts: Container[int]


FUNCTIONS = {
    "abs": Function("abs", "abs(map)", (1,)),
    "min": Function("min", "min(a, b, ...)", range(2, _MOST_ARGUMENTS + 1)),
    "max": Function("max", "max(a, b, ...)", range(2, _MOST_ARGUMENTS + 1)),
    "clamp": Function("clamp", "clamp(map, low, high)", (3,)),
    "lerp": Function("lerp", "lerp(start, end, share)", (3,)),
    "where": Function("where", "where(condition, then, otherwise)", (3,)),
    "normalize": Function("normalize", "normalize(map)", (1,)),
    "normalize_signed": Function("normalize_signed", "normalize_signed(map)", (1,)),
    "invert": Function("invert", "invert(map)", (1,)),
    "linear": Function("linear", "linear(map, low, high)", (1, 3)),
    "quadratic": Function("quadratic", "quadratic(map, low, high)", (1, 3)),
    "smoothstep": Function("smoothstep", "smoothstep(map, low, high)", (1, 3)),
    "logistic": Function("logistic", "logistic(map, low, high)", (1, 3)),
    "power": Function("power", "power(map, low, high, exponent)", (4,)),
    "sqrt": Function("sqrt", "sqrt(map)", (1,)),
    "step": Function("step", "step(map, threshold)", (2,)),
    "points": Function(
        "points",
        "points(map, value1, answer1, value2, answer2, ...)",
        range(5, 2 * MOST_POINTS + 2, 2),
    ),
    "smooth": Function("smooth", "smooth(map, cells)", (1, 2)),
}
_OF_MAPS = ("normalize", "normalize_signed", "invert", "power", "sqrt", "smooth")


def formula(text: str, maps: Layered | Mapping[str, Operand | float]) -> Expression:
    """Return the expression that a text describes.

    The text is never run as code.

    Parameters
    ----------
    text : str
        Names, numbers, `+ - * / **`, parentheses, the comparisons `< <= > >= == !=`, `and or not`
        (or `& | ~`), and the functions abs, min, max, clamp, lerp, where, normalize,
        normalize_signed, invert, linear, quadratic, smoothstep, logistic, power, step, points, sqrt
        and smooth, which do what those of a layer do. Names of other than letters, digits and `_`
        stand in quotes: `'red team' - 1`.
    maps : InfluenceMap or mapping
        What the names stand for: the layers of an influence map, or layers, expressions and numbers
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
    remedy = "Pass a string such as 'ally - enemy'"
    if len(checks.instance(text, str, "A formula is a text", remedy)) > MOST_CHARACTERS:
        raise InvalidValue(
            f"A formula has at most {MOST_CHARACTERS} characters",
            got=str(len(text)),
            remedy="Put parts of it into expressions of their own",
        )
    known: Mapping[str, Any] = maps.layers if isinstance(maps, Layered) else maps
    checks.instance(
        known,
        Mapping,
        "Names are looked up in an influence map or a mapping",
        "Pass imap, or a dict",
    )
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


class _Formula:
    """One formula over known maps and numbers.

    Python parses the text after quoted names became plain ones, and `&` and `|` became `and` and
    `or`, which bind less strongly than comparisons. `_origins` has the place in the text of each
    byte of what Python reads.
    """

    def __init__(self, text: str, known: Mapping[str, Any]) -> None:
        self._text, self._known = text, known
        self._quoted: dict[str, str] = {}
        pieces, self._origins, at = [], list[int](), 0
        for match in [*_SPECIAL.finditer(text), None]:
            begin = len(text) if match is None else match.start()
            pieces.append(text[at:begin])
            for place in range(at, begin):
                width = len(text[place].encode("utf-8", "replace"))
                self._origins += [place] * width
            if match is not None:
                pieces.append(_WORDS.get(match[0]) or self._unquoted(match[0]))
                self._origins += [begin] * len(pieces[-1])
                at = match.end()
        self._origins.append(len(text))
        self._source = "".join(pieces)

    def value(self) -> Value:
        """The map, or the number, that the text describes."""
        if not self._text.strip():
            raise self._error(
                len(self._text), "A formula is not empty", remedy="Add a name or a number"
            )
        source = self._source.lstrip()
        self._cut = len(self._source.encode("utf-8", "replace")) - len(
            source.encode("utf-8", "replace")
        )
        try:
            tree = ast.parse(source, mode="eval")
        except (MemoryError, RecursionError):
            raise self._error(
                0, f"A formula is nested at most {DEEPEST} deep", remedy="Split it up"
            ) from None
        except (SyntaxError, ValueError) as error:
            offset = getattr(error, "offset", None) or len(source) + 1  # 0 is the end
            at = len(source[: offset - 1].encode("utf-8", "replace"))
            message = getattr(error, "msg", None) or str(error)
            raise self._error(self._place(at), _SUPPORTED, got=message, remedy=_REMEDY) from None
        return self._of(tree.body, 0)

    def _unquoted(self, quoted: str) -> str:
        name = f"_quoted{len(self._quoted)}"
        while name in self._known:
            name += "_"
        self._quoted[name] = quoted[1:-1]
        return f" {name} "

    def _of(self, node: ast.expr, depth: int) -> Value:
        if depth > DEEPEST:
            raise self._error(
                node, f"A formula is nested at most {DEEPEST} deep", remedy="Split it up"
            )
        if isinstance(node, ast.Name):
            return self._named(node)
        number = node.value if isinstance(node, ast.Constant) else None
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return self._checked(node, number)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._called(node, node.func.id, depth)
        if isinstance(node, ast.UnaryOp):
            operand = self._of(node.operand, depth + 1)
            if isinstance(node.op, ast.UAdd):
                return operand
            return self._applied(node, _VERBS[type(node.op)], operand)
        if isinstance(node, ast.BoolOp):
            value = self._of(node.values[0], depth + 1)
            for each in node.values[1:]:
                value = self._applied(each, _VERBS[type(node.op)], value, self._of(each, depth + 1))
            return value
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _VERBS:
            if len(node.ops) > 1:
                second = node.comparators[1]
                raise self._error(
                    second, "Comparisons don't chain", remedy="Join two: 0 < a and a < 1"
                )
            left, right = self._of(node.left, depth + 1), self._of(node.comparators[0], depth + 1)
            return self._applied(node, _VERBS[type(node.ops[0])], left, right)
        if isinstance(node, ast.BinOp):
            return self._chained(node, depth)
        raise self._error(
            node,
            "Names have no attributes" if isinstance(node, ast.Attribute) else _SUPPORTED,
            got=type(node).__name__,
            remedy=_REMEDY,
        )

    def _chained(self, node: ast.BinOp, depth: int) -> Value:
        """The value of a + b - c ..., which Python nests to the left as deep as it is long."""
        chain: list[ast.BinOp] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp):
            chain.append(first)
            first = first.left
        value = self._of(first, depth + 1)
        for each in reversed(chain):
            right = self._of(each.right, depth + 1)
            if isinstance(each.op, ast.Pow):
                value = self._raised(each.right, value, right)
            elif type(each.op) in _VERBS:
                value = self._applied(each.right, _VERBS[type(each.op)], value, right)
            else:
                name = type(each.op).__name__
                raise self._error(each.right, _SUPPORTED, got=name, remedy="Powers are a ** 2")
        return value

    def _raised(self, node: ast.expr, base: Value, exponent: Value) -> Value:
        if isinstance(base, Operand) or isinstance(exponent, Operand):
            return self._at(node, power, base, exponent)
        try:
            return self._checked(node, float(base**exponent))
        except (ArithmeticError, TypeError):
            return self._checked(node, float("nan"))

    def _called(self, node: ast.Call, name: str, depth: int) -> Value:
        function = FUNCTIONS.get(name)
        if function is None:
            raise self._unknown(node, name, "function", FUNCTIONS)
        arguments = [self._of(each, depth + 1) for each in node.args]
        if len(arguments) not in function.counts:
            raise self._error(
                node,
                f"{name}() is called as {function.signature}",
                got=f"{len(arguments)} arguments",
                remedy="Give as many as that",
            )
        first = arguments[0]
        if name in _OF_MAPS and not isinstance(first, Operand):
            raise self._error(
                node, f"{name}() takes a map", got="a number", remedy="Name a layer in it"
            )
        if name == "smooth":
            return self._at(node, _smooth, *arguments)
        if name == "sqrt":
            return self._at(node, sqrt, first)
        if name == "power":
            share = self._applied(node, "linear", *arguments[:3])
            return self._at(node, _raise, share, arguments[3])
        return self._applied(node, function.verb, *arguments)

    def _named(self, node: ast.Name) -> Value:
        name = self._quoted.get(node.id, node.id)
        if name not in self._known:
            raise self._unknown(node, name, "layer", self._known)
        value = self._known[name]
        if isinstance(value, Operand):
            return value
        return self._at(node, checks.finite, f"The number {name!r}", value)

    def _checked(self, node: ast.expr, value: float) -> float:
        if not abs(value) <= checks.LARGEST:
            raise self._error(
                node, f"Numbers are at most {checks.LARGEST:g} in size", remedy="Use other units"
            )
        return float(value)

    def _applied(self, node: ast.expr, verb: str, *operands: Value) -> Value:
        return self._at(node, apply, verb, *operands)

    def _at(self, node: ast.expr, call: Callable[..., Value], *arguments: Any) -> Value:
        """Call, and let what it refuses point at the node."""
        try:
            return call(*arguments)
        except InvalidValue as error:
            raise self._error(node, error.rule, got=error.got, remedy=error.remedy) from None

    def _unknown(
        self, node: ast.expr, name: str, what: str, known: Iterable[object]
    ) -> InvalidValue:
        names = sorted(each for each in known if isinstance(each, str))
        near = difflib.get_close_matches(name, names, n=1)
        listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        return self._error(
            node,
            f"There is no {what} of that name",
            got=repr(name)[:80],
            remedy=f"Did you mean {near[0]!r}?" if near else f"Known: {listed or 'none yet'}",
        )

    def _place(self, byte: int) -> int:
        """The place in the text of a byte of what Python reads."""
        return self._origins[min(byte + self._cut, len(self._origins) - 1)]

    def _error(
        self, where: ast.expr | int, rule: str, *, got: str = "", remedy: str = ""
    ) -> InvalidValue:
        at = where if isinstance(where, int) else self._place(where.col_offset)
        start, end = self._text.rfind("\n", 0, at) + 1, self._text.find("\n", at)
        line = self._text[start : len(self._text) if end < 0 else end]
        first = max(0, at - start - 40)
        shown = "".join(each if each.isprintable() else " " for each in line[first : first + 80])
        pointer = " " * (at - start - first)
        return InvalidValue(
            f"In a formula at character {at + 1}:\n  {shown}\n  {pointer}^\n{rule}",
            got=got,
            remedy=remedy,
        )


def _smooth(operand: Operand, cells: Value = 1.0) -> Operand:
    if isinstance(cells, Operand) or cells != int(cells) or not 1 <= cells <= MOST_SMOOTHED:
        raise InvalidValue(
            "smooth() takes a whole number of cells",
            got="a map" if isinstance(cells, Operand) else f"{cells:g}",
            remedy=f"Write 1 to {MOST_SMOOTHED}",
        )
    return smooth(operand, int(cells))


def _raise(share: Operand, exponent: Value) -> Operand:
    return power(share, checks.positive("exponent", exponent))
