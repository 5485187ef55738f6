"""Expressions as text: a small grammar, and nothing that runs code.

| part       | is                                                                              |
|------------|---------------------------------------------------------------------------------|
| either     | boths with `|` or `or` between them                                             |
| both       | comparisons with `&` or `and` between them                                      |
| comparison | sum, or sum sign sum with one of `< <= > >= == !=`                              |
| sum        | products with `+` and `-` between them                                          |
| product    | factors with `*` and `/` between them                                           |
| factor     | a power, or `-`, `+`, `~` or `not` and a factor                                 |
| power      | a value, or value `**` number, which may have a sign                            |
| value      | number, name, quoted name, `(` either `)`, or a call                            |
| call       | name of a function, `(`, eithers with `,` between them, `)`                     |
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fieldcraft import checks
from fieldcraft.compose.verbs import apply, power
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.operand import Operand

__all__ = ["Function", "Parser", "Value"]

DEEPEST = 64

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<quoted>'[^'\n]*'|"[^"\n]*")
      | (?P<sign>\*\*|<=|>=|==|!=|[-+*/<>(),&|~])""",
    re.VERBOSE,
)
_COMPARISONS = {
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "unequal",
}
_WORDS = {"and": "&", "or": "|", "not": "~"}
_SUMS = {"+": "add", "-": "subtract"}
_PRODUCTS = {"*": "multiply", "/": "divide"}

Value = Operand | float


@dataclass(frozen=True)
class Function:
    """The function that a name before parentheses calls, and how many arguments it takes."""

    call: Callable[..., Value]
    signature: str
    counts: Container[int]


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int
    is_word: bool = False


class Parser:
    """Reads one formula; `known` are the maps and numbers that it may name, `functions` what it may
    call.
    """

    def __init__(
        self, text: str, known: Mapping[str, Any], functions: Mapping[str, Function]
    ) -> None:
        self._text = text
        self._known = known
        self._functions = functions
        self._tokens = list(self._tokenized())
        self._next = 0
        self._depth = 0

    def parse(self) -> Value:
        """The map, or the number, that the whole text describes."""
        value = self._either()
        token = self._tokens[self._next]
        if token.kind != "end":
            raise self._rest(token)
        return value

    # Grammar

    def _either(self) -> Value:
        value = self._both()
        while sign := self._take("|"):
            value = self._applied(sign, "or", value, self._both())
        return value

    def _both(self) -> Value:
        value = self._comparison()
        while sign := self._take("&"):
            value = self._applied(sign, "and", value, self._comparison())
        return value

    def _comparison(self) -> Value:
        left = self._sum()
        sign = self._take(_COMPARISONS)
        if sign is None:
            return left
        value = self._applied(sign, _COMPARISONS[sign.text], left, self._sum())
        again = self._tokens[self._next]
        if again.text in _COMPARISONS and again.kind == "sign":
            raise self._error(
                again, "Comparisons don't chain", remedy="Join two of them: 0 < a and a < 1"
            )
        return value

    def _sum(self) -> Value:
        value = self._product()
        while sign := self._take(_SUMS):
            value = self._applied(sign, _SUMS[sign.text], value, self._product())
        return value

    def _product(self) -> Value:
        value = self._factor()
        while sign := self._take(_PRODUCTS):
            value = self._applied(sign, _PRODUCTS[sign.text], value, self._factor())
        return value

    def _factor(self) -> Value:
        sign = self._take("+-~")
        if sign is None:
            return self._power()
        self._enter(sign)
        # As one says it, `not a < b` is the contrary of `a < b`.
        value = self._comparison() if sign.text == "~" and sign.is_word else self._factor()
        self._depth -= 1
        return (
            value
            if sign.text == "+"
            else self._applied(sign, "negate" if sign.text == "-" else "not", value)
        )

    def _power(self) -> Value:
        value = self._value()
        sign = self._take(("**",))
        if sign is None:
            return value
        self._enter(sign)
        exponent = self._factor()
        self._depth -= 1
        if not isinstance(value, Operand) and not isinstance(exponent, Operand):
            return self._numeric_power(sign, value, exponent)
        result: Value = self._at(sign, power, value, exponent)
        return result

    def _numeric_power(self, sign: _Token, base: float, exponent: float) -> float:
        try:
            result = float(base**exponent)
        except (ArithmeticError, TypeError):
            result = float("nan")
        if not abs(result) <= checks.LARGEST:
            raise self._error(
                sign,
                f"Numbers are at most {checks.LARGEST:g} in size",
                got=f"{base:g} ** {exponent:g}",
                remedy="Use other numbers",
            )
        return result

    def _value(self) -> Value:
        token = self._tokens[self._next]
        self._next += 1
        if token.kind == "number":
            return self._number(token)
        if token.kind == "quoted":
            return self._named(token, token.text[1:-1])
        if token.kind == "name":
            if self._tokens[self._next].text == "(" and self._tokens[self._next].kind == "sign":
                return self._called(token)
            return self._named(token, token.text)
        if token.text == "(" and token.kind == "sign":
            self._enter(token)
            value = self._either()
            self._close(token)
            return value
        self._next -= 1
        if token.kind == "end":
            rule = (
                "A value is missing at the end" if self._text.strip() else "A formula is not empty"
            )
            raise self._error(token, rule, remedy="Add a name or a number")
        raise self._error(
            token,
            "A value stands here",
            got=repr(token.text),
            remedy="Write a name, a number or a parenthesis",
        )

    def _called(self, name: _Token) -> Value:
        function = self._functions.get(name.text)
        if function is None:
            raise self._unknown(name, name.text, "function", self._functions)
        opening = self._tokens[self._next]
        self._next += 1
        self._enter(opening)
        arguments: list[Value] = []
        if not self._peek(")"):
            arguments.append(self._either())
            while self._peek(","):
                self._next += 1
                arguments.append(self._either())
        self._close(opening)
        if len(arguments) not in function.counts:
            raise self._error(
                name,
                f"{name.text}() is called as {function.signature}",
                got=f"{len(arguments)} arguments",
                remedy="Give as many as that",
            )
        value: Value = self._at(name, function.call, *arguments)
        return value

    def _named(self, token: _Token, name: str) -> Value:
        if name not in self._known:
            raise self._unknown(token, name, "layer", self._known)
        value = self._known[name]
        if isinstance(value, Operand):
            return value
        amount: float = self._at(token, checks.finite, f"The number {name!r}", value)
        return amount

    def _number(self, token: _Token) -> float:
        value = float(token.text)
        if value > checks.LARGEST:
            raise self._error(
                token,
                f"Numbers are at most {checks.LARGEST:g} in size",
                got=token.text[:40],
                remedy="Use other units",
            )
        return value

    # Tokens

    def _tokenized(self) -> Iterable[_Token]:
        at = 0
        while at < len(self._text):
            found = _TOKEN.match(self._text, at)
            if found is None:
                raise self._character(at)
            kind = str(found.lastgroup)
            if kind == "name" and found.group() in _WORDS and found.group() not in self._known:
                yield _Token("sign", _WORDS[found.group()], at, is_word=True)
            elif kind != "space":
                yield _Token(kind, found.group(), at)
            at = found.end()
        yield _Token("end", "", at)

    def _take(self, signs: Iterable[str]) -> _Token | None:
        token = self._tokens[self._next]
        if token.kind != "sign" or token.text not in signs:
            return None
        self._next += 1
        return token

    def _peek(self, sign: str) -> bool:
        return self._tokens[self._next].kind == "sign" and self._tokens[self._next].text == sign

    def _enter(self, token: _Token) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._error(
                token,
                f"A formula is nested at most {DEEPEST} deep",
                got="one level more",
                remedy="Put parts into expressions of their own",
            )

    def _close(self, opening: _Token) -> None:
        token = self._tokens[self._next]
        if token.kind == "end":
            raise self._error(
                opening, "Every parenthesis is closed", got="one that is not", remedy="Add a )"
            )
        if not self._peek(")"):
            raise self._rest(token)
        self._next += 1
        self._depth -= 1

    # Errors

    def _applied(self, sign: _Token, verb: str, *operands: Value) -> Value:
        value: Value = self._at(sign, apply, verb, *operands)
        return value

    def _at(self, token: _Token, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call, and let what it refuses point at the token."""
        try:
            return call(*arguments)
        except InvalidValue as error:
            raise self._error(token, error.rule, got=error.got, remedy=error.remedy) from None

    def _unknown(
        self, token: _Token, name: str, what: str, known: Iterable[object]
    ) -> InvalidValue:
        names = sorted(each for each in known if isinstance(each, str))
        near = difflib.get_close_matches(name, names, n=1)
        listed = (
            ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") if names else "none yet"
        )
        remedy = f"Did you mean {near[0]!r}?" if near else f"Known: {listed}"
        return self._error(
            token, f"There is no {what} of that name", got=repr(name)[:80], remedy=remedy
        )

    def _rest(self, token: _Token) -> InvalidValue:
        if token.kind == "sign":
            return self._error(
                token,
                "An operator or the end stands here",
                got=repr(token.text),
                remedy="Take it out, or open a parenthesis before",
            )
        return self._error(
            token,
            "Two values have an operator between them",
            got=f"{token.text[:40]!r} after a value",
            remedy="Write + - * / or ,",
        )

    def _character(self, at: int) -> InvalidValue:
        token = _Token("character", self._text[at], at)
        if token.text in "'\"":
            return self._error(
                token,
                "A quoted name is closed on its line",
                got=f"{token.text} without another",
                remedy="Close it",
            )
        if token.text == ".":
            return self._error(
                token,
                "Names have no attributes",
                got="'.'",
                remedy="Use the name alone; in numbers a digit stands beside the point",
            )
        if token.text == "^":
            return self._error(
                token, "Powers are written with two stars", got="'^'", remedy="Write a ** 2"
            )
        return self._error(
            token,
            "A formula has names, numbers, + - * / ** ( ) , & | ~ and comparisons",
            got=repr(token.text),
            remedy="Put other names in quotes",
        )

    def _error(self, token: _Token, rule: str, *, got: str = "", remedy: str = "") -> InvalidValue:
        line_start = self._text.rfind("\n", 0, token.at) + 1
        line_end = self._text.find("\n", token.at)
        line = self._text[line_start : len(self._text) if line_end < 0 else line_end]
        column = token.at - line_start
        first = max(0, column - 40)
        shown = "".join(each if each.isprintable() else " " for each in line[first : column + 40])
        place = (
            f"In a formula at character {token.at + 1}:\n  {shown}\n  {' ' * (column - first)}^\n"
        )
        return InvalidValue(place + rule, got=got, remedy=remedy)
