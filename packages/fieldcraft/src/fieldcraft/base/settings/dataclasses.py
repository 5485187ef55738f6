"""Settings files: TOML tables read into frozen dataclasses.

A class of settings is a frozen dataclass. Each of its fields takes what its metadata `"check"` or
its type accepts. Types may carry a check: `Annotated[float, checks.positive]`.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings.toml import Keys, SettingsFile, dotted, nearest

__all__ = [
    "SettingsFile",
    "Table",
    "one_of",
    "settings_from",
]


Check = Callable[[str, Any], Any]
"""Takes the name of a setting and a value, and returns the value to store, or raises
`InvalidValue`."""
T = TypeVar("T")


def one_of(words: Sequence[str]) -> Check:
    """Return a check that accepts one of some words."""
    allowed = tuple(words)
    return lambda name, value: checks.choice(name, value, allowed)


def refused(rule: str, value: object, remedy: str = "") -> InvalidValue:
    """Return the error for a value of a file that breaks a rule."""
    text = repr(value)
    if len(text) > 60:
        text = text[:57] + "..."
    return InvalidValue(rule, got=text, remedy=remedy)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise refused(f"{name} is a text", value, "Write it in quotes")
    return value


Positive = Annotated[float, checks.positive]
NotNegative = Annotated[float, checks.not_negative]
Fraction = Annotated[float, checks.fraction]
Count = Annotated[int, checks.integer]
Size = Annotated[int, functools.partial(checks.integer, minimum=1)]
Text = Annotated[str, _text]

_CHECKS: dict[Any, Check] = {
    float: checks.finite,
    int: functools.partial(checks.integer, minimum=-(2**63)),
    bool: checks.flag,
    str: checks.text,
    Any: lambda name, value: value,
}


def convert(hint: Any, name: str, value: Any) -> Any:
    """Return a value of a file as a type hint or a check takes it; raises `InvalidValue`."""
    origin = get_origin(hint)
    parts = get_args(hint)
    if origin is Annotated:
        return hint.__metadata__[0](name, value)
    if hint in _CHECKS:
        return _CHECKS[hint](name, value)
    if origin is Literal:
        return checks.choice(name, value, parts)
    if origin in (Union, types.UnionType):
        return _first_that_fits(parts, name, value)
    if is_dataclass(hint) and isinstance(hint, type):
        return settings_from(hint, value, name)
    if origin is tuple and isinstance(value, list):
        if parts[-1] is Ellipsis:
            parts = parts[:1] * len(value)
        if len(parts) == len(value):
            each = zip(parts, value, strict=True)
            return tuple(convert(one, f"{name}[{i}]", item) for i, (one, item) in enumerate(each))
    if origin is tuple:
        size = ""
        if ... not in parts:
            size = f" of {len(parts)}"
        raise refused(f"{name} is a list{size}", value)
    if origin is not None and issubclass(origin, Mapping):
        if isinstance(value, dict):
            return {key: convert(parts[1], key, item) for key, item in value.items()}
        raise refused(f"{name} is a table", value)
    raise refused(f"{name} cannot be set from a file", value, "Leave it out")


def _first_that_fits(hints: tuple[Any, ...], name: str, value: Any) -> Any:
    """Return a value converted by the first type hint that accepts it; "none" is None."""
    if type(None) in hints and isinstance(value, str) and value == "none":
        return None
    refusal = refused(f"{name} cannot be set from a file", value, "Leave it out")
    for hint in hints:
        if hint is not type(None):
            try:
                return convert(hint, name, value)
            except InvalidValue as error:
                refusal = error
    raise refusal


class _Setting(NamedTuple):
    """A field of a class of settings: its name in files, what it accepts, whether it is needed."""

    key: str
    accepts: Any
    needed: bool


@functools.cache
def _settings_of(kind: Any) -> dict[str, _Setting]:
    """Return the settings of a class, or of a function's keyword arguments, by name."""
    hints = get_type_hints(kind, include_extras=True)
    found = {}
    if is_dataclass(kind):
        metadata = {each.name: each.metadata for each in fields(kind)}
    else:
        metadata = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        if metadata or parameter.kind is parameter.KEYWORD_ONLY:
            more: Mapping[str, Any] = metadata.get(name, {})
            accepts = hints[name]
            if "check" in more:
                accepts = Annotated[Any, more["check"]]
            needed = parameter.default is parameter.empty
            found[name] = _Setting(more.get("key", name), accepts, needed)
    return found


@functools.cache
def needed_by(kind: Any) -> frozenset[str]:
    """Return the names of the settings of a class that have no default."""
    return frozenset(name for name, setting in _settings_of(kind).items() if setting.needed)


_NO_KEYS: Mapping[str, str] = {}


class Table:
    """One table of a file, read by classes of settings.

    A value that is refused becomes a problem of the file, and its default is taken.
    """

    def __init__(self, file: SettingsFile, keys: Keys, table: object) -> None:
        self.file = file
        self.keys = keys
        self._known: list[str] = []
        self.given: dict[str, Any] = table if isinstance(table, dict) else {}
        if not isinstance(table, dict):
            where = dotted(keys)
            file.report(
                keys, f"{where} is a table. Got {table!r:.60}. Write [{where}] with its keys below."
            )

    def __contains__(self, key: object) -> bool:
        return key in self.given

    def report(self, key: str, problem: str) -> None:
        """Add a problem with the value of a key, or with the whole table for ""."""
        if self.keys:
            problem = f"{dotted(self.keys)}: {problem}"
        place = self.keys
        if key in self.given:
            place = (*self.keys, key)
        self.file.report(place, problem)

    def get(self, key: str, accepts: Any, default: Any = None) -> Any:
        """Return the value of a key as a type hint or a check takes it, or the default."""
        self._known.append(key)
        if key not in self.given:
            return default
        try:
            return convert(accepts, key, self.given[key])
        except InvalidValue as error:
            self.file.report_error((*self.keys, key), error)
            return default

    def values(self, kind: Any, without: Iterable[str] = (), usual: Any = None) -> dict[str, Any]:
        """Return the given settings of a class by field, and report those needed but absent.

        Tables in it change some values of the dataclasses that `usual` has there.
        """
        found = {}
        for name, (key, accepts, needed) in _settings_of(kind).items():
            part = getattr(usual, name, None)
            if name in without:
                continue
            if needed and usual is None and key not in self.given:
                self.report("", f"The key {key!r} is needed. Add it.")
            if is_dataclass(part) and not isinstance(part, type) and key in self.given:
                below = self.table(key)
                value: Any = below.make(type(part), part)
                below.finish()
            elif key in self.given:
                value = self.get(key, accepts, MISSING)
            else:
                self._known.append(key)
                value = MISSING
            if value is not MISSING:
                found[name] = value
        return found

    def make(self, kind: type[T], usual: T | None = None, /, **more: Any) -> T | None:
        """Return an instance of a class, or None with the problem reported.

        `more` are values of fields that are not read from the table. With `usual` the table
        changes some of its values.
        """
        values = {**more, **self.values(kind, more, usual)}
        any_kind: Any = kind
        if usual is None and not needed_by(any_kind) <= {*values}:
            return None
        try:
            if usual is None:
                return kind(**values)
            return replace(usual, **values)  # type: ignore[type-var]
        except InvalidValue as error:
            key = ""
            if error.about in self:
                key = error.about
            self.file.report_error((*self.keys, key), error)
        return None

    def make_all(self, kind: type[T], /, **more: Any) -> T | None:
        """Return an instance of a class, and report the keys that no class has."""
        made = self.make(kind, None, **more)
        self.finish()
        return made

    def table(self, key: str) -> Table:
        """Return the table below a key, empty if there is none."""
        return Table(self.file, (*self.keys, key), self.get(key, Any, {}))

    def tables(self, key: str) -> list[Table]:
        """Return the tables of an array of tables."""
        items = self.get(key, Any, [])
        if not isinstance(items, list):
            self.report(
                key, f"{key} is a list of tables. Write each as [[{key}]], in two brackets."
            )
            return []
        return [Table(self.file, (*self.keys, key, at), item) for at, item in enumerate(items)]

    def finish(self, elsewhere: Mapping[str, str] = _NO_KEYS) -> None:
        """Report the keys that no class has. Those of `elsewhere` belong to other tables, whose
        names it has.
        """
        for key in self.given:
            if key in self._known:
                continue
            if key in elsewhere:
                self.report(key, f"There is no key {key!r}: it belongs to {elsewhere[key]!r}.")
            else:
                remedy = nearest(key, self._known)
                self.report(key, f"There is no key {key!r}. {remedy}.")


def settings_from(kind: type[T], table: object, where: str = "") -> T:
    """Return settings of a class with the values of a table.

    Tables in it change some values of the dataclasses that the settings have by default. Raises
    `BadSettings` with all problems.
    """
    any_kind: Any = kind
    file = SettingsFile(None, text="")
    section = Table(file, (where,) if where else (), table)
    made = section.make(kind, None if needed_by(any_kind) else kind())
    section.finish()
    file.raise_all()
    assert made is not None
    return made
