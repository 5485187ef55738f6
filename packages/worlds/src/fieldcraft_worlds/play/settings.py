"""Settings of a game from a TOML file and from the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from fieldcraft.base.settings import SettingsFile


def read_table(
    path: str | os.PathLike[str] | None, overrides: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the table of a TOML file, or an empty one, with the values of "key.key=value" texts.

    Raises `BadSettings` for a file that can't be read and for texts of another form.
    """
    file = None
    if path is not None:
        file = Path(path)
    return SettingsFile(file, overrides, open_ended=True).table


def kinds_of(made: Any) -> tuple[type, ...]:
    """Return the dataclasses in a value."""
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

    look(made)
    return tuple(found)
