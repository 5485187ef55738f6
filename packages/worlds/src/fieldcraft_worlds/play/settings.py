"""Settings of a game from a TOML file and from the command line."""

from __future__ import annotations

import difflib
import os
import tomllib
import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from fieldcraft.errors import InvalidValue
from fieldcraft.recipe import parse_value

__all__ = ["kinds_of", "read_table", "settings_from"]

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a string"}


def read_table(
    path: str | os.PathLike[str] | None, overrides: Iterable[str] = ()
) -> dict[str, Any]:
    """The table in a TOML file, or an empty one, with each "key.key=value" of `overrides` put in.

    Raises `InvalidValue` for a file that can't be read and for overrides that are none.
    """
    table: dict[str, Any] = {}
    if path is not None:
        try:
            table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InvalidValue(
                "Settings are a TOML file",
                got=f"{path}: {error}",
                remedy="Mend it, or check the path",
            ) from error
    for text in overrides:
        name, equals, value = text.partition("=")
        keys = [part.strip() for part in name.split(".")]
        if not equals or not all(keys):
            raise InvalidValue(
                "--set takes KEY=VALUE", got=repr(text), remedy="Write for example tower.range=12"
            )
        place = table
        for key in keys[:-1]:
            place = place.setdefault(key, {})
            if not isinstance(place, dict):
                raise InvalidValue(
                    "--set names one value", got=repr(text), remedy=f"Drop what follows {key}"
                )
        place[keys[-1]] = parse_value(value)
    return table


def settings_from(kind: type, table: Mapping[str, Any]) -> Any:
    """Settings of a dataclass whose fields have defaults, with the values of a table in place of
    some of them.

    Tables in it stand for dataclasses in the settings, lists for tuples. Raises `InvalidValue` for
    unknown names and for values of other types, and whatever the dataclass itself refuses.
    """
    return kind(**_values(kind, table, "", kind()))


def kinds_of(settings: Any) -> tuple[type, ...]:
    """The dataclasses that settings are made of."""
    found: dict[type, None] = {}

    def look(value: Any) -> None:
        if is_dataclass(value) and not isinstance(value, type):
            found.setdefault(type(value))
            for field in fields(value):
                look(getattr(value, field.name))
        elif isinstance(value, tuple):
            for item in value:
                look(item)
        elif isinstance(value, dict):
            for item in value.values():
                look(item)

    look(settings)
    return tuple(found)


def _values(kind: type, table: Mapping[str, Any], where: str, usual: Any) -> dict[str, Any]:
    """The values of a table by the types of a dataclass; tables in it change parts of `usual`, one
    of that kind.
    """
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind) if field.init]
    for key in table:
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1)
            remedy = (
                f"Did you mean {where}{near[0]}?"
                if near
                else f"Known: {', '.join(where + name for name in names) or 'none'}"
            )
            raise InvalidValue(
                "There is no setting of that name", got=f"{where}{key}", remedy=remedy
            )
    return {
        key: _converted(hints[key], value, f"{where}{key}", getattr(usual, key, None))
        for key, value in table.items()
    }


def _part(kind: type, table: Mapping[str, Any], where: str, usual: Any) -> Any:
    """A dataclass within another: `usual` with the values of a table, or one of them alone where
    there was none.
    """
    values = _values(kind, table, f"{where}.", usual)
    if usual is not None:
        return replace(usual, **values)
    needed = [
        field.name
        for field in fields(kind)
        if field.init and field.default is MISSING and field.default_factory is MISSING
    ]
    if missing := [name for name in needed if name not in values]:
        raise InvalidValue(
            f"The setting {where} is whole",
            got=f"nothing for {', '.join(missing)}",
            remedy="Add it",
        )
    return kind(**values)


def _converted(hint: Any, value: Any, where: str, usual: Any = None) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _first(get_args(hint), value, where)
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, dict):
            raise _refused(where, "a table", value)
        return _part(hint, value, where, usual if type(usual) is hint else None)
    if origin is Literal:
        if value not in get_args(hint):
            raise _refused(where, f"one of {', '.join(map(repr, get_args(hint)))}", value)
        return value
    if origin is tuple or hint is tuple:
        parts = get_args(hint) or (Any, ...)
        if not isinstance(value, list) or (parts[-1] is not Ellipsis and len(value) != len(parts)):
            raise _refused(
                where, "a list" if parts[-1] is Ellipsis else f"a list of {len(parts)}", value
            )
        each = [parts[0]] * len(value) if parts[-1] is Ellipsis else parts
        return tuple(
            _converted(part, item, f"{where}[{i}]")
            for i, (part, item) in enumerate(zip(each, value, strict=True))
        )
    if hint is float and type(value) is int:
        return float(value)
    if hint in _WORDS:
        if type(value) is not hint:
            raise _refused(where, _WORDS[hint], value)
        return value
    if hint is type(None) or hint is None:
        if value != "none":
            raise _refused(where, '"none"', value)
        return None
    raise _refused(where, "left as it is: its type cannot be written in TOML", value)


def _first(hints: tuple[Any, ...], value: Any, where: str) -> Any:
    """The value as the first of several types that it fits."""
    refusals = []
    for hint in hints:
        try:
            return _converted(hint, value, where)
        except InvalidValue as error:
            refusals.append(error)
    raise refusals[0]


def _refused(where: str, what: str, value: Any) -> InvalidValue:
    return InvalidValue(
        f"The setting {where} is {what}", got=repr(value)[:80], remedy="Mend the file, or --set"
    )
