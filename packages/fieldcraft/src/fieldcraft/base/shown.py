"""The names that Python's own messages show for methods of private classes."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TypeVar

_Kind = TypeVar("_Kind")


def shown_as(name: str) -> Callable[[type[_Kind]], type[_Kind]]:
    """Return a decorator that gives the methods of a private class the name of a public one.

    `imap.advance()` without an argument then says "InfluenceMap.advance() missing ...".
    """

    def named(kind: type[_Kind]) -> type[_Kind]:
        for each, thing in vars(kind).items():
            if isinstance(thing, FunctionType) and not each.startswith("__"):
                thing.__qualname__ = f"{name}.{each}"
        return kind

    return named
