"""An expression written out, the way `formula` reads it."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Written", "text"]

_SIGNS = {
    "or": ("|", 0.3),
    "and": ("&", 0.6),
    "less": ("<", 1),
    "less_equal": ("<=", 1),
    "greater": (">", 1),
    "greater_equal": (">=", 1),
    "equal": ("==", 1),
    "unequal": ("!=", 1),
    "add": ("+", 2),
    "subtract": ("-", 2),
    "multiply": ("*", 3),
    "divide": ("/", 3),
}
_UNARY, _POWER, _ATOM = 4, 4.5, 5
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_DEEPEST = 8


@dataclass(frozen=True)
class Written:
    """A verb and what it was applied to: maps, numbers, arrays, or others of these."""

    verb: str
    arguments: tuple[Any, ...]


def text(what: Any) -> str:
    """The formula of an expression; parts nested deeper than eight levels, and arrays, are
    `...`.
    """
    return _text(what, 0, _DEEPEST)


def _text(what: Any, least: float, deepest: int) -> str:
    """The text of a node in a formula, in parentheses where it binds less strongly than `least`."""
    if isinstance(what, (float, int, np.number)):
        short = f"{float(what):.7g}"
        return f"({short})" if short.startswith("-") and least > _UNARY else short
    if isinstance(what, Written):
        return _applied(what, least, deepest)
    written = getattr(what, "written", None)
    if isinstance(written, Written) and what.is_named:
        written = None
    if written is not None:
        return _text(written, least, deepest)
    name = getattr(what, "name", None)
    if not isinstance(name, str):
        return "..."
    if _PLAIN_NAME.fullmatch(name) and not keyword.iskeyword(name):
        return name
    return f'"{name}"' if "'" in name else f"'{name}'"


def _applied(what: Written, least: float, deepest: int) -> str:
    if deepest == 0:
        return "..."
    if what.verb in _SIGNS:
        sign, strength = _SIGNS[what.verb]
        # Comparisons don't chain, the others group from the left.
        left = _text(what.arguments[0], max(strength + (strength == 1), 2), deepest - 1)
        right = _text(what.arguments[1], max(strength + 1, 2), deepest - 1)
        written, binds = f"{left} {sign} {right}", strength
    elif what.verb in ("negate", "not"):
        written, binds = (
            ("-" if what.verb == "negate" else "~") + _text(what.arguments[0], _UNARY, deepest - 1),
            _UNARY,
        )
    elif what.verb == "power":
        written, binds = (
            (
                f"{_text(what.arguments[0], _ATOM, deepest - 1)} **"
                f" {_text(what.arguments[1], _UNARY, deepest - 1)}"
            ),
            _POWER,
        )
    else:
        written, binds = (
            f"{what.verb}({', '.join(_text(each, 0, deepest - 1) for each in what.arguments)})",
            _ATOM,
        )
    return f"({written})" if binds < least else written
