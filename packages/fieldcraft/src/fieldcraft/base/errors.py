"""Errors that fieldcraft raises: the rule, the value and the remedy.

Every error has three parts: the rule, the value that breaks it, and the remedy. All are
subclasses of :class:`FieldcraftError`; those about a bad argument are also `ValueError`, so that
`except ValueError` keeps working.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from fieldcraft.base import install
from fieldcraft.base.spelling import most_similar

__all__ = [
    "BadMapFile",
    "BadRecipe",
    "BadSaveFile",
    "BadSettings",
    "BadTimeline",
    "ConcurrentUse",
    "DeadSource",
    "DeviceLost",
    "FieldcraftError",
    "InvalidValue",
    "MissingLibrary",
    "MissingPackage",
    "NameTaken",
    "NoDevice",
    "NoSuchArgument",
    "NoSuchName",
    "NotAnArray",
    "OnWall",
    "OutsideMap",
    "UnknownName",
    "WrongLayer",
]


class FieldcraftError(Exception):
    """The base of all errors of fieldcraft.

    `rule` is the broken rule, `got` the value that breaks it, `remedy` the advice; the message
    joins the three. `about` names the setting that the rule is about, where it is one of several.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> try:
    ...     fc.Grid(0, 3)
    ... except fc.FieldcraftError as error:
    ...     print(error)
    width is at least 1. Got width=0. Pass 1 or more.
    """

    def __init__(self, rule: str, *, got: str = "", remedy: str = "", about: str = "") -> None:
        self.rule = rule
        self.about = about
        self.got = got
        self.remedy = remedy
        sentences = [_sentence(rule)]
        if got:
            sentences.append(_sentence(f"Got {got}"))
        if remedy:
            sentences.append(_sentence(remedy))
        super().__init__(" ".join(sentences))

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors are sent to other processes, whatever arguments their `__init__` takes.
        return _rebuilt, (type(self), self.args), self.__dict__


def _sentence(text: str) -> str:
    """Return a text that ends with a full stop or a question mark."""
    if text.endswith((".", "?")):
        return text
    return text + "."


def _rebuilt(kind: type[FieldcraftError], arguments: tuple[Any, ...]) -> FieldcraftError:
    """Return an error with its arguments, without a call of its `__init__`."""
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    return error


class InvalidValue(FieldcraftError, ValueError):
    """An argument is outside of what the call takes."""


class OutsideMap(InvalidValue):
    """A position is outside the map."""


class OnWall(InvalidValue):
    """A position is in a wall and the policy refuses that."""


class NameTaken(InvalidValue):
    """A layer of this name exists already."""


class UnknownName(FieldcraftError, KeyError):
    """Nothing has this name; the message suggests the nearest one."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        names = sorted(known)
        near = most_similar(str(name), names)
        if names:
            listed = ", ".join(names[:12])
            if len(names) > 12:
                listed += ", ..."
        else:
            listed = "none yet"
        if near:
            remedy = f"Did you mean {near!r}?"
        else:
            remedy = f"Known: {listed}"
        super().__init__(f"There is no {what} of that name", got=repr(name), remedy=remedy)

    def __str__(self) -> str:  # KeyError would show the message's repr
        return str(self.args[0])


class WrongLayer(FieldcraftError, AttributeError):
    """A layer lacks a method that layers of another kind have."""

    def __init__(self, verb: str, others: str, layer: str, instead: str) -> None:
        super().__init__(f"{verb} is for {others}", got=f"layer {layer}", remedy=instead)
        self.name = verb


class NotAnArray(FieldcraftError, AttributeError):
    """A map lacks an attribute that arrays have."""


class DeadSource(InvalidValue):
    """A source is used after it was removed or its lifetime ended."""


class ConcurrentUse(FieldcraftError, RuntimeError):
    """Two threads used one influence map at the same time."""


class NoDevice(FieldcraftError, RuntimeError):
    """There is no graphics device, or none that supports the call."""


class DeviceLost(FieldcraftError, RuntimeError):
    """A graphics device stopped responding; its contents are lost."""


class MissingLibrary(FieldcraftError, ImportError):
    """A feature needs an optional library that is not installed."""

    def __init__(self, library: str, extra: str, feature: str) -> None:
        super().__init__(
            f"{feature} needs {library}, which is not installed",
            remedy=install.remedy(extra),
        )


class MissingPackage(FieldcraftError, AttributeError):
    """`fc.gpu` or `fc.lab` is used where that package of the project is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"fc.{name} needs fieldcraft-{name}, which is not installed",
            remedy=install.remedy(name),
        )
        self.name = name


class NoSuchName(FieldcraftError, AttributeError):
    """An object or a module has no attribute of that name; the message suggests one."""


class NoSuchArgument(FieldcraftError, TypeError):
    """A class takes no argument of that name; the message suggests one."""


@contextlib.contextmanager
def needs(library: str, extra: str, feature: str) -> Iterator[None]:
    """Raise `MissingLibrary` where the imports of a block fail."""
    try:
        yield
    except ImportError:
        raise MissingLibrary(library, extra, feature) from None


class BadMapFile(FieldcraftError, ValueError):
    """A map file is malformed, truncated, or larger than fieldcraft takes."""


class BadTimeline(FieldcraftError, ValueError):
    """A timeline or a recording cannot be read."""


class BadSaveFile(FieldcraftError, ValueError):
    """A saved influence map is damaged, or of a version that this fieldcraft cannot read."""


class BadSettings(InvalidValue):
    """A settings file has problems; `problems` lists all of them, with line and remedy."""

    def __init__(self, where: str, problems: list[str]) -> None:
        self.problems = problems
        if len(problems) == 1:
            count = "1 problem"
        else:
            count = f"{len(problems)} problems"
        super().__init__(f"{where}: {count}\n  " + "\n  ".join(problems))


class BadRecipe(BadSettings):
    """A recipe has problems."""
