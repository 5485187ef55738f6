"""Errors for names that a class, its constructor or the module `fc` does not have, with what is
meant by them.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fieldcraft.base.errors import NoSuchArgument, NoSuchName
from fieldcraft.base.spelling import most_similar
from fieldcraft.base.synonyms import ALIKE, ALIKE_ARGUMENTS, SUBJECTS, WORDS

_NOUNS = {
    "InfluenceMap": "An influence map",
    "Layer": "A layer",
    "Operand": "A map",
    "Space": "A space",
    "Path": "A path",
    "FlowField": "A flow field",
    "Source": "A source",
    "Teams": "A set of teams",
    "ChosenCells": "A choice of cells",
    "Questions": "A file of questions",
    "Belief": "A belief",
}

_HOLDERS = {"InfluenceMap": "imap", "Teams": "teams", "Questions": "questions"}
"""Classes with items of names that the user chose, and a variable for each."""

_VARIABLES = {
    "imap": "InfluenceMap",
    "layer": "SourceLayer",
    "source": "Source",
    "teams": "Teams",
    "path": "Path",
    "distances": "DistanceMap",
    "flow": "FlowField",
    "belief": "Belief",
    "space": "Grid",
}
"""The classes whose methods are suggested, by the variables that stand for them in the guides."""

# Names that agree in so many of their letters are the same one, misspelled.
_MISSPELLED = 0.84
_SIMILAR = 0.7


class Suggesting:
    """A class that answers names that it does not have with what is meant."""

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers report missing names themselves

        def __getattr__(self, name: str) -> Any:
            raise missing(self, name)


class SuggestingArguments:
    """A class whose constructor answers arguments that it does not take with what is meant.

    Its signature is that of `__init__`: `inspect` takes the method that a class nearer to it has.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers report them themselves

        def __new__(cls, *_: object, **named: object) -> Any:
            """Return a new object, if `__init__` takes arguments of these names."""
            if named and not named.keys() <= _arguments(cls).keys():
                _check_arguments(cls, named)
            return super().__new__(cls)

    @classmethod
    def _about_argument(cls, name: str) -> str:
        """Return what else has an argument of a name, or ""."""
        return ""


@functools.cache
def _arguments(kind: Any) -> Mapping[str, inspect.Parameter]:
    """Return the arguments of a constructor that may be named."""
    parameters = dict(list(inspect.signature(kind.__init__).parameters.items())[1:])
    unnamed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    return {name: each for name, each in parameters.items() if each.kind not in unnamed}


def _check_arguments(kind: Any, named: Iterable[str]) -> None:
    """Raise `NoSuchArgument` for the first argument that a constructor does not take."""
    known = _arguments(kind)
    if any(each.kind is each.VAR_KEYWORD for each in known.values()):
        return
    name = next(each for each in named if each not in known)
    remedy = _first(
        _did_you_mean(nearest(name, known, _MISSPELLED)),
        _did_you_mean(_alike(name, known, ALIKE_ARGUMENTS)),
        kind._about_argument(name),
        _did_you_mean(nearest(name, known, _SIMILAR)),
        f"It takes {', '.join(known) or 'none'}",
    )
    called = kind.__name__
    raise NoSuchArgument(
        f"{called} takes no argument {name!r}", got=f"{called}({name}=...)", remedy=remedy
    )


def missing(thing: object, name: str) -> AttributeError:
    """Return the error for an attribute that an object does not have."""
    error = None
    if not name.startswith("_"):
        kind_of_thing: Any = type(thing)
        variable = _HOLDERS.get(kind_of_thing.__name__)
        holder: Any = thing
        if variable is not None and name in holder:
            rule = f"{_noun(kind_of_thing)} has its items under their names"
            return NoSuchName(rule, got=f".{name}", remedy=f"Write {variable}[{name!r}]")
        error = _missing(kind_of_thing, tuple(getattr(thing, "__dict__", ())), name)
    if error is None:
        kind = type(thing).__name__
        message = f"{kind!r} object has no attribute {name!r}"
        return AttributeError(message, name=name, obj=thing)
    return NoSuchName(error[0], got=error[1], remedy=error[2])


@functools.cache
def _missing(kind: type, own: tuple[str, ...], name: str) -> tuple[str, str, str] | None:
    """Return the parts of the message for a name, or None without a remedy.

    `own` has the attributes of the object itself.
    """
    words = [each.__name__ for each in kind.__mro__ if each.__name__ in WORDS]
    known = [*dir(kind), *own]
    remedy = _first(
        *(_remedy(word, name) for word in words),
        _did_you_mean(nearest(name, known, _MISSPELLED)),
        _did_you_mean(_alike(name, known)),
        _function(name),
        WORDS["fc"].get(name, ""),
        _method(name),
        *(_about(word, name) for word in words),
        _about("fc", name),
        _did_you_mean(_part(name, known)),
        _did_you_mean(nearest(name, known, _SIMILAR)),
    )
    if not remedy:
        return None
    return f"{_noun(kind)} has no {name!r}", f".{name}", remedy


def _noun(kind: type) -> str:
    """Return what an object of a class is called in messages."""
    for each in kind.__mro__:
        if each.__name__ in _NOUNS:
            return _NOUNS[each.__name__]
    return f"A {kind.__name__}"


def missing_in_module(
    name: str, known: Iterable[str], elsewhere: Mapping[str, Iterable[str]]
) -> AttributeError:
    """Return the error for a name that the module `fc` does not have.

    `elsewhere` has the names of its submodules.
    """
    known = list(known)
    homes = [module for module, names in elsewhere.items() if name in names]
    remedy = _remedy("fc", name)
    if homes:
        remedy = f"It is in a submodule: fc.{homes[0]}.{name}"
    remedy = _first(
        remedy,
        _did_you_mean(nearest(name, known, _MISSPELLED), "fc."),
        _method(name),
        *(WORDS[kind].get(name, "") for kind in WORDS),
        _about("fc", name),
        _did_you_mean(nearest(name, known, _SIMILAR), "fc."),
    )
    if not remedy:
        return AttributeError(f"module 'fieldcraft' has no attribute {name!r}", name=name)
    return NoSuchName(f"fieldcraft has no {name!r}", got=f"fc.{name}", remedy=remedy)


def _first(*remedies: str) -> str:
    """Return the first remedy that is not empty, or ""."""
    return next((remedy for remedy in remedies if remedy), "")


def _did_you_mean(name: str, module: str = "") -> str:
    if not name:
        return ""
    return f"Did you mean {module + name!r}?"


_VERB = re.compile(r"(get|find|compute|calculate|make|create)_?(?=\w)")


def _plain(name: str) -> str:
    """Return a name in small letters, without underscores and a verb such as "get" before it."""
    return _VERB.sub("", name.lower(), count=1).replace("_", "")


@functools.cache
def _plain_words(kind: str) -> dict[str, str]:
    return {_plain(name): remedy for name, remedy in WORDS[kind].items()}


def _remedy(kind: str, name: str) -> str:
    """Return what is meant by a name of a class, or ""."""
    return WORDS[kind].get(name) or _plain_words(kind).get(_plain(name), "")


def _alike(name: str, known: Iterable[str], alike: Iterable[tuple[str, ...]] = ALIKE) -> str:
    """Return a known name that is used for the same thing as `name` elsewhere, or ""."""
    public = set(known)
    for names in alike:
        if name in names:
            for each in names:
                if each in public:
                    return each
    return ""


def _function(name: str) -> str:
    """Return the function or class of the library that has a name, with its arguments, or "".

    To ask for an attribute imports no submodule and no other package: `fc.lab` takes a second.
    """
    library = sys.modules["fieldcraft"]
    if name not in library._HOMES and name not in vars(library):
        return ""
    found = getattr(library, name)
    if inspect.ismodule(found):
        return ""
    return f"It is in the library: fc.{_call(name, found)}"


def _method(name: str) -> str:
    """Return the method or attribute of another class that has a name, or "".

    Only classes count that are imported: to ask for an attribute imports nothing.
    """
    classes = {**vars(sys.modules["fieldcraft.layers"]), **vars(sys.modules["fieldcraft"])}
    for variable, kind in _VARIABLES.items():
        owner = classes.get(kind)
        found = inspect.getattr_static(owner, name, None)
        if found is None or not inspect.getdoc(found):
            continue
        if inspect.isfunction(found):
            return f"It belongs to another object: {variable}.{_call(name, found)}"
        return f"It belongs to another object: {variable}.{name}"
    return ""


def _call(name: str, function: Any) -> str:
    """Return a call with the arguments that have no defaults."""
    parameters = inspect.signature(function).parameters.values()
    needed = [
        each.name
        for each in parameters
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD, each.VAR_POSITIONAL)
        and each.name != "self"
    ]
    return f"{name}({', '.join(needed)})"


_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def _about(kind: str, name: str) -> str:
    """Return what a word within a name is about, or "": "fov" in "map_compute_fov"."""
    for part in _PART.findall(name):
        word = part.lower()
        for each in (word, word.removesuffix("s")):
            if each in SUBJECTS:
                return SUBJECTS[each]
            if len(each) > 3 and each in WORDS[kind]:
                return WORDS[kind][each]
    return ""


def _part(name: str, known: Iterable[str]) -> str:
    """Return the known name that is a word of `name`, or ""."""
    public = set(known)
    for part in _PART.findall(name):
        word = str(part).lower()
        for each in (word, word + "s"):
            if len(each) > 3 and each in public:
                return each
    return ""


def nearest(name: str, known: Iterable[str], cutoff: float = _SIMILAR) -> str:
    """Return the public name that is most like `name`, or ""."""
    public = sorted(each for each in known if not each.startswith("_"))
    plain = {_plain(each): each for each in reversed(public)}
    if _plain(name) in plain:
        return plain[_plain(name)]
    return most_similar(name, public, cutoff=cutoff)
