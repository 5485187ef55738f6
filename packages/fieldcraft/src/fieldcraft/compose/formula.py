"""Expressions as text: `formula` and the functions that it knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from fieldcraft import checks
from fieldcraft.compose.expression import Expression, expression_of
from fieldcraft.compose.ground import Ground
from fieldcraft.compose.layered import Layered
from fieldcraft.compose.node import number
from fieldcraft.compose.parser import Function, Parser, Value
from fieldcraft.compose.verbs import MOST_POINTS, MOST_SMOOTHED, apply, power, smooth, sqrt
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.operand import Operand

__all__ = ["FUNCTIONS", "formula"]

MOST_CHARACTERS = 4096
_MOST_ARGUMENTS = 64


def _cellwise(verb: str) -> Callable[..., Value]:
    return partial(apply, verb)


def _of_map(verb: str) -> Callable[..., Value]:
    def call(operand: Value) -> Value:
        if not isinstance(operand, Operand):
            raise InvalidValue(
                f"{verb}() takes a map", got="a number", remedy="Use the name of a layer in it"
            )
        return apply(verb, operand)

    return call


def _smooth(operand: Value, cells: Value = 1.0) -> Value:
    if not isinstance(operand, Operand):
        raise InvalidValue(
            "smooth() takes a map", got="a number", remedy="Use the name of a layer in it"
        )
    if isinstance(cells, Operand) or cells != int(cells) or not 1 <= cells <= MOST_SMOOTHED:
        raise InvalidValue(
            "smooth() takes a whole number of cells",
            got="a map" if isinstance(cells, Operand) else f"{cells:g}",
            remedy=f"Write 1 to {MOST_SMOOTHED}",
        )
    return smooth(operand, int(cells))


def _sqrt(operand: Value) -> Value:
    if not isinstance(operand, Operand):
        raise InvalidValue("sqrt() takes a map", got="a number", remedy="Write the root out")
    return sqrt(operand)


def _power(operand: Value, low: Value, high: Value, exponent: Value) -> Value:
    if not isinstance(operand, Operand) or isinstance(exponent, Operand):
        raise InvalidValue(
            "power() takes a map and three numbers",
            got="something else",
            remedy="Write power(map, low, high, exponent)",
        )
    return power(apply("linear", operand, low, high), checks.positive("exponent", exponent))


FUNCTIONS = {
    "abs": Function(_cellwise("abs"), "abs(map)", (1,)),
    "min": Function(_cellwise("min"), "min(a, b, ...)", range(2, _MOST_ARGUMENTS + 1)),
    "max": Function(_cellwise("max"), "max(a, b, ...)", range(2, _MOST_ARGUMENTS + 1)),
    "clamp": Function(_cellwise("clamp"), "clamp(map, low, high)", (3,)),
    "lerp": Function(_cellwise("lerp"), "lerp(start, end, share)", (3,)),
    "where": Function(_cellwise("where"), "where(condition, then, otherwise)", (3,)),
    "normalize": Function(_of_map("normalize"), "normalize(map)", (1,)),
    "normalize_signed": Function(_of_map("normalize_signed"), "normalize_signed(map)", (1,)),
    "invert": Function(_of_map("invert"), "invert(map)", (1,)),
    "linear": Function(_cellwise("linear"), "linear(map, low, high)", (1, 3)),
    "quadratic": Function(_cellwise("quadratic"), "quadratic(map, low, high)", (1, 3)),
    "smoothstep": Function(_cellwise("smoothstep"), "smoothstep(map, low, high)", (1, 3)),
    "logistic": Function(_cellwise("logistic"), "logistic(map, low, high)", (1, 3)),
    "power": Function(_power, "power(map, low, high, exponent)", (4,)),
    "sqrt": Function(_sqrt, "sqrt(map)", (1,)),
    "step": Function(_cellwise("step"), "step(map, threshold)", (2,)),
    "points": Function(
        _cellwise("points"),
        "points(map, value1, answer1, value2, answer2, ...)",
        range(5, 2 * MOST_POINTS + 2, 2),
    ),
    "smooth": Function(_smooth, "smooth(map, cells)", (1, 2)),
}


def formula(text: str, maps: Layered | Mapping[str, Operand | float]) -> Expression:
    """The expression that a text describes, such as `"clamp(ally - 0.5*enemy, 0, 1)"`.

    Names are those of the layers of an influence map, or of a mapping to layers, expressions and
    numbers; names of other than
    letters, digits and `_` stand in quotes: `'red team' - 1`. There are `+ - * / **`, parentheses,
    the comparisons `< <= > >= == !=`, `and or not` (or `& | ~`) and the functions abs, min, max,
    clamp, lerp, where, normalize, normalize_signed, invert, linear, quadratic, smoothstep,
    logistic, power, step, points, sqrt and smooth, which do what those of `Operand` do.

    Raises `InvalidValue` that points at the place. The text is never run as code.
    """
    if not isinstance(text, str):
        raise InvalidValue(
            "A formula is a text",
            got=type(text).__name__,
            remedy="Pass a string such as 'ally - enemy'",
        )
    if len(text) > MOST_CHARACTERS:
        raise InvalidValue(
            f"A formula has at most {MOST_CHARACTERS} characters",
            got=str(len(text)),
            remedy="Put parts of it into expressions of their own",
        )
    known: Mapping[str, Any] = maps.layers if isinstance(maps, Layered) else maps
    if not isinstance(known, Mapping):
        raise InvalidValue(
            "Names are looked up in an influence map or a mapping",
            got=type(maps).__name__,
            remedy="Pass imap, or a dict",
        )
    result = Parser(text, known, FUNCTIONS).parse()
    if isinstance(result, Operand):
        return expression_of(result)
    if not isinstance(maps, Layered):
        raise InvalidValue(
            "A formula names at least one map",
            got=repr(text)[:80],
            remedy="Use the name of a layer in it",
        )
    return Expression(number(result), Ground((maps.space,)), result)
